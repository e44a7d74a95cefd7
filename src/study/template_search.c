/* template_search.c - a search over a network that throng trains itself */
#include "study/template.h"

static const char study[] =
    "# A search: which network tells tissues apart best? throng trains it\n"
    "# itself; model.yaml says what it is, rows.csv what it learns from.\n"
    "#\n"
    "#   throng check study.yaml    what would run, without running it\n"
    "#   throng run study.yaml      run it; run it again to go on after a "
    "stop\n"
    "#   throng rank                the best trials\n"
    "#\n"
    "# `throng help study` lists every key.\n"
    "\n"
    "model: model.yaml\n"
    "method: tpe              # learns where to look; or random, grid, asha …\n"
    "run_cap: 40              # trials in all; a larger number goes on later\n"
    "\n"
    "metric:\n"
    "  name: val_loss         # on rows that are held out\n"
    "  goal: minimize\n"
    "\n"
    "parameters:              # each is a ${name} in model.yaml\n"
    "  lr: {distribution: log_uniform_values, min: 0.0005, max: 0.1}\n"
    "  units: {values: [4, 8, 16, 32]}\n"
    "  dropout: {min: 0.0, max: 0.5}\n"
    "\n"
    "# keep: best:10          # whose weights stay; unsaid: all\n"
    "# seed: 1                # the same search again\n";

static const char model[] =
    "# `throng train model.yaml lr=0.003` trains one; `throng model show\n"
    "# model.yaml` draws it. docs/reference/model-file.md lists every key.\n"
    "\n"
    "layers:\n"
    "  - dense: ${units}\n"
    "    activation: relu\n"
    "  - dropout: ${dropout}\n"
    "  - dense: 3             # kinds of tissue\n"
    "loss: sparse_categorical_crossentropy\n"
    "optimizer: {name: adam, lr: \"${lr}\"}\n"
    "batch_size: 16\n"
    "epochs: 15\n"
    "metrics: [accuracy]\n"
    "\n"
    "data:\n"
    "  file: rows.csv\n"
    "  label: tissue\n"
    "  missing: mean          # of the training rows; or error, drop, 0\n"
    "  scale: robust          # or std, minmax, maxabs, quantile, none\n"
    "  stratify: true\n"
    "  validation: 0.25\n"
    "  # outliers: {sd: 5}    # leave such rows out; clip: true pulls them in\n"
    "  # join: {sample: samples.csv}   # columns of another table, by a key\n"
    "\n"
    "defaults: {lr: 0.01, units: 8, dropout: 0.1}\n";

const struct study_template template_search = {
    "search",
    "a search over a network that throng trains",
    study,
    {{.name = "model.yaml", .text = model},
     {.name = "rows.csv", .make = template_rows}}};
