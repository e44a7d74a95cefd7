/* template_ensemble.c - many networks on draws of the same rows, as one model
 */
#include "study/template.h"

static const char study[] =
    "# An ensemble: twelve networks, each trained on another draw of the same\n"
    "# rows. Together they are right more often than one, and where they\n"
    "# differ they say that they do not know.\n"
    "#\n"
    "#   throng run study.yaml\n"
    "#   throng ensemble all --greedy 8 -o committee.ensemble\n"
    "#   throng evaluate committee.ensemble     on test rows\n"
    "#   throng calibrate committee.ensemble    is it as sure as it should "
    "be?\n"
    "#   throng predict committee.ensemble      row by row, with entropy\n"
    "#\n"
    "# `throng help study` lists every key.\n"
    "\n"
    "model: model.yaml\n"
    "method: random\n"
    "run_cap: 12              # members to choose from\n"
    "keep: all                # their weights\n"
    "\n"
    "metric:\n"
    "  name: val_loss         # on rows that are held out\n"
    "  goal: minimize\n"
    "\n"
    "parameters:              # members that differ more help each other more\n"
    "  units: {values: [8, 16, 32]}\n"
    "  dropout: {min: 0.05, max: 0.4}\n";

static const char model[] =
    "# `throng model show model.yaml` draws it; docs/reference/model-file.md\n"
    "# lists every key.\n"
    "\n"
    "layers:\n"
    "  - dense: ${units}\n"
    "    activation: relu\n"
    "  - dropout: ${dropout}  # `throng predict --samples 30` leaves it on\n"
    "  - dense: 3             # kinds of tissue\n"
    "loss: sparse_categorical_crossentropy\n"
    "optimizer: {name: adam, lr: 0.01}\n"
    "batch_size: 16\n"
    "epochs: 15\n"
    "metrics: [accuracy]\n"
    "\n"
    "data:\n"
    "  file: rows.csv\n"
    "  label: tissue\n"
    "  missing: mean\n"
    "  scale: robust\n"
    "  stratify: true\n"
    "  validation: 0.2        # the same rows for all: members are chosen by "
    "them\n"
    "  test: 0.2              # and the ensemble is judged by these\n"
    "  bootstrap: true        # each trial draws its training rows anew\n"
    "\n"
    "defaults: {units: 8, dropout: 0.1}\n";

const struct study_template template_ensemble = {
    "ensemble",
    "networks that answer together, and say how sure they are",
    study,
    {{.name = "model.yaml", .text = model},
     {.name = "rows.csv", .make = template_rows}}};
