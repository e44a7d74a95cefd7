/* template_campaign.c - from raw rows to a summary, in one file that resumes */
#include "study/template.h"

static const char study[] =
    "# A campaign: stages in the order that follows from what they name.\n"
    "#\n"
    "#   throng check study.yaml            the stages\n"
    "#   throng run study.yaml              run them; run it again to go on, "
    "or\n"
    "#                                      after an edit: only what changed "
    "is "
    "redone\n"
    "#   throng run study.yaml --dry-run    what that would be, and why\n"
    "#   throng status                      how far each stage is\n"
    "#\n"
    "# Each stage is a study of its own: `throng rank CAMPAIGN/search`.\n"
    "# docs/reference/campaign-file.md lists every key.\n"
    "\n"
    "# parallel: 4            # trials at once in all stages; unsaid: as many "
    "as "
    "fit\n"
    "stages:\n"
    "  # Any command. A stage that names rows.csv comes after this one.\n"
    "  prepare:\n"
    "    command: sh prepare.sh raw.csv\n"
    "    outputs: [rows.csv]\n"
    "\n"
    "  search:\n"
    "    study: search.yaml\n"
    "\n"
    "  # The best settings of the search again, on every fold and other "
    "draws.\n"
    "  ensemble:\n"
    "    study: ensemble.yaml\n"
    "    parameters:\n"
    "      template: {from: search, select: \"best:3\"}\n"
    "    # when: \"search.best.val_loss<0.9\"\n"
    "    # engine: slurm\n"
    "\n"
    "  report:\n"
    "    summary: [search, ensemble]\n"
    "    output: report.html\n";

static const char prepare[] =
    "# prepare.sh RAW: rows without a gap. Replace it by yours.\n"
    "awk '!/^,|,,/' \"$1\" > rows.csv\n";

static const char search[] =
    "model: model.yaml\n"
    "method: random\n"
    "run_cap: 20\n"
    "seed: 1\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters:\n"
    "  lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}\n"
    "  units: {values: [4, 8, 16]}\n";

static const char ensemble[] = "# lr and units come with each template.\n"
                               "model: model.yaml\n"
                               "metric: {name: val_loss, goal: minimize}\n"
                               "parameters:\n"
                               "  bootstrap: {value: true}\n"
                               "  fold: {min: 1, max: 5}\n"
                               "  replicate: {min: 1, max: 4}\n";

static const char model[] =
    "layers:\n"
    "  - dense: ${units}\n"
    "    activation: relu\n"
    "  - dense: 3\n"
    "loss: sparse_categorical_crossentropy\n"
    "optimizer: {name: adam, lr: \"${lr}\"}\n"
    "batch_size: 16\n"
    "epochs: 10\n"
    "metrics: [accuracy]\n"
    "data:\n"
    "  file: rows.csv\n"
    "  label: tissue\n"
    "  scale: std\n"
    "  stratify: true\n"
    "  fold: {k: \"${fold}\", of: 5}\n"
    "  bootstrap: ${bootstrap}\n"
    "  draw_seed: ${replicate}\n"
    "defaults: {fold: 1, bootstrap: false, replicate: 0}\n";

const struct study_template template_campaign = {
    "campaign",
    "raw rows, a search, an ensemble and a summary",
    study,
    {{.name = "prepare.sh", .text = prepare},
     {.name = "search.yaml", .text = search},
     {.name = "ensemble.yaml", .text = ensemble},
     {.name = "model.yaml", .text = model},
     {.name = "raw.csv", .make = template_rows}}};
