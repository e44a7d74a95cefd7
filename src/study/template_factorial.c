/* template_factorial.c - every combination of settings, folds and draws */
#include "study/template.h"

static const char study[] =
    "# A factorial design: every combination of the parameters is a trial, so\n"
    "# that differences between settings stand beside those between folds and\n"
    "# draws of the data.\n"
    "#\n"
    "#   throng check study.yaml              what would run\n"
    "#   throng run study.yaml                2 x 3 x 5 x 4 = 120 models\n"
    "#   throng rank --over fold,replicate    a row for each setting: mean, "
    "sd,\n"
    "#                                        count and interval\n"
    "#\n"
    "# `throng help study` lists every key.\n"
    "\n"
    "model: model.yaml\n"
    "method: grid\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "\n"
    "parameters:\n"
    "  # What is compared.\n"
    "  activation: {values: [relu, tanh]}\n"
    "  rows: {values: [0.25, 0.5, 1.0]}   # of the training rows: a learning "
    "curve\n"
    "  # What it is compared over.\n"
    "  fold: {min: 1, max: 5}             # each row is held out once\n"
    "  replicate: {min: 1, max: 4}        # draws of the training rows\n"
    "\n"
    "# To compare the best settings of a search instead, name its study file "
    "in\n"
    "# a campaign: `throng init --template campaign`.\n";

static const char model[] =
    "layers:\n"
    "  - dense: 8\n"
    "    activation: ${activation}\n"
    "  - dense: 3\n"
    "loss: sparse_categorical_crossentropy\n"
    "optimizer: {name: adam, lr: 0.02}\n"
    "batch_size: 16\n"
    "epochs: 15\n"
    "metrics: [accuracy]\n"
    "\n"
    "data:\n"
    "  file: rows.csv\n"
    "  label: tissue\n"
    "  missing: mean\n"
    "  scale: std\n"
    "  stratify: true\n"
    "  fold: {k: \"${fold}\", of: 5}\n"
    "  rows: ${rows}\n"
    "  bootstrap: true                    # drawn with replacement\n"
    "  draw_seed: ${replicate}\n"
    "\n"
    "defaults: {activation: relu, rows: 1.0, fold: 1, replicate: 1}\n";

const struct study_template template_factorial = {
    "factorial",
    "every combination of settings, folds and draws",
    study,
    {{.name = "model.yaml", .text = model},
     {.name = "rows.csv", .make = template_rows}}};
