/* template_uq.c - how sure is it? An ensemble, dropout, calibration and a
 * picture of them, in one file that resumes */
#include "base/exact.h"
#include "base/rng.h"
#include "study/template.h"

#define ROWS 400

static const char study[] =
    "# How sure is it? Ten networks on draws of the same rows (bootstrap) "
    "beside\n"
    "# one network that is asked thirty times with its dropout.\n"
    "#\n"
    "#   throng check study.yaml    the stages\n"
    "#   throng run study.yaml      run them; run it again to go on, or after "
    "an edit\n"
    "#\n"
    "# It leaves bootstrap.csv and dropout.csv (each test row with its sd),\n"
    "# calibration.tsv (is it as sure as it should be?), uncertainty.svg (do\n"
    "# errors go with sd?) and new.csv's rows in answers.csv, with those "
    "marked\n"
    "# that are unlike the rows of training.\n"
    "# docs/reference/campaign-file.md lists every key.\n"
    "\n"
    "name: uq\n"
    "stages:\n"
    "  members:\n"
    "    study: members.yaml\n"
    "\n"
    "  committee:\n"
    "    ensemble: members\n"
    "    select: all\n"
    "    output: committee.ensemble\n"
    "\n"
    "  bootstrap:\n"
    "    command: throng predict committee.ensemble --csv > bootstrap.csv\n"
    "    outputs: [bootstrap.csv]\n"
    "\n"
    "  dropout:\n"
    "    command: throng predict ${members.best.weights} --samples 30 --csv > "
    "dropout.csv\n"
    "    outputs: [dropout.csv]\n"
    "\n"
    "  calibration:\n"
    "    command: throng calibrate committee.ensemble --alpha 0.1 > "
    "calibration.tsv\n"
    "    outputs: [calibration.tsv]\n"
    "\n"
    "  picture:\n"
    "    command: throng plot uncertainty --from "
    "bootstrap=bootstrap.csv,dropout=dropout.csv -o uncertainty.svg\n"
    "    inputs: [bootstrap.csv, dropout.csv]\n"
    "    outputs: [uncertainty.svg]\n"
    "\n"
    "  novelty:               # which rows are unlike those of training?\n"
    "    command: throng novelty ${members.best.weights} -o rows.novelty > "
    "novelty.tsv\n"
    "    outputs: [rows.novelty]\n"
    "\n"
    "  answers:\n"
    "    command: throng predict ${members.best.weights} --data new.csv "
    "--novelty rows.novelty --samples 30 --csv > answers.csv\n"
    "    inputs: [new.csv]\n"
    "    outputs: [answers.csv]\n";

static const char members[] =
    "model: model.yaml\n"
    "method: grid\n"
    "repeat: 10               # each has a seed, and so a draw, of its own\n"
    "keep: all                # their weights\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters:\n"
    "  units: {values: [24]}\n";

static const char model[] =
    "# docs/reference/model-file.md lists every key.\n"
    "layers:\n"
    "  - {dense: \"${units}\", activation: relu}\n"
    "  - {dense: \"${units}\", activation: relu}\n"
    "  - dropout: 0.1\n"
    "  - dense: 2             # the number, and the logarithm of its variance\n"
    "loss: heteroscedastic    # so that it says how much the truth varies\n"
    "optimizer: {name: adam, lr: 0.01}\n"
    "batch_size: 16\n"
    "epochs: 40\n"
    "\n"
    "data:\n"
    "  file: rows.csv\n"
    "  label: response\n"
    "  scale: std\n"
    "  validation: 0.2        # what is calibrated by\n"
    "  test: 0.3              # what is predicted and drawn\n"
    "  bootstrap: true        # each trial draws its training rows anew\n"
    "\n"
    "defaults: {units: 24}\n";

/* Far away from the rows, and among them. */
static const char new_rows[] = "dose,age\n"
                               "1.0,50\n"
                               "2.5,50\n"
                               "3.5,40\n"
                               "9.0,90\n";

/* A response to a dose that few were given between 2 and 3, and whose noise
 * grows with it. */
static const char *make_rows(struct arena *a)
{
    struct rng r;
    struct buf b;
    buf_init(&b);
    rng_init(&r, 2, 0, "rows of a template");
    buf_adds(&b, "dose,age,response\n");
    for (int i = 0; i < ROWS;) {
        double dose = rng_uniform(&r) * 4, age = 20 + rng_uniform(&r) * 60;
        if (dose > 2 && dose < 3)
            continue;
        double noise = rng_normal(&r) * (0.05 + 0.1 * dose);
        double rise = 1 / (1 + exact_exp(4 - 3 * dose));
        buf_addf(&b, "%.3f,%.1f,%.4f\n", dose, age, rise + age / 100 + noise);
        i++;
    }
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

const struct study_template template_uq = {
    "uq",
    "how sure is it? bootstrap beside dropout, calibrated and drawn",
    study,
    {{.name = "members.yaml", .text = members},
     {.name = "model.yaml", .text = model},
     {.name = "new.csv", .text = new_rows},
     {.name = "rows.csv", .make = make_rows}}};
