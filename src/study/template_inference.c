/* template_inference.c - the best networks of a search are asked for new rows
 */
#include "study/template.h"

#include "base/rng.h"

#define NEW_ROWS 1000
#define GENES 10

static const char study[] =
    "# From a search to the answers for many new rows.\n"
    "#\n"
    "#   throng check study.yaml    the stages\n"
    "#   throng run study.yaml      run them; run it again to go on: what is "
    "there is\n"
    "#                              not asked again; files that changed, or "
    "are new,\n"
    "#                              are\n"
    "#   throng status inference/ask  the shards of the rows\n"
    "#\n"
    "# It leaves answers.csv: a line for each new row, with what is predicted, "
    "the\n"
    "# probability of each kind, and how undecided that is (entropy).\n"
    "# docs/reference/campaign-file.md lists every key.\n"
    "\n"
    "name: inference\n"
    "stages:\n"
    "  search:\n"
    "    study: search.yaml\n"
    "\n"
    "  committee:             # the networks that help each other most\n"
    "    ensemble: search\n"
    "    greedy: 5            # of the ten best\n"
    "    output: committee.ensemble\n"
    "\n"
    "  ask:                   # shards of the rows, each a trial\n"
    "    predict:\n"
    "      models: committee\n"
    "      data: new-*.csv\n"
    "      samples: 10        # of each network, with its dropout\n"
    "      # shard: 10m       # of one core; unsaid a minute\n"
    "      output: answers.csv\n"
    "    # engine: slurm\n";

static const char search[] =
    "model: model.yaml\n"
    "method: random\n"
    "run_cap: 20\n"
    "seed: 1\n"
    "keep: all                # the weights of all, to choose from\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters:\n"
    "  lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}\n"
    "  units: {values: [4, 8, 16]}\n";

static const char model[] = "# docs/reference/model-file.md lists every key.\n"
                            "layers:\n"
                            "  - dense: ${units}\n"
                            "    activation: relu\n"
                            "  - dropout: 0.1\n"
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
                            "  missing: mean\n"
                            "  scale: robust\n"
                            "  stratify: true\n"
                            "  validation: 0.2\n"
                            "\n"
                            "defaults: {units: 8, lr: 0.01}\n";

static const char *make_new(struct arena *a, uint64_t part)
{
    struct rng r;
    struct buf b;
    buf_init(&b);
    rng_init(&r, 3, part, "rows of a template");
    for (int g = 1; g <= GENES; g++)
        buf_addf(&b, "gene%d%c", g, g < GENES ? ',' : '\n');
    for (int i = 0; i < NEW_ROWS * GENES; i++)
        buf_addf(&b, "%.2f%c", 6.4 + 1.2 * rng_normal(&r),
                 (i + 1) % GENES ? ',' : '\n');
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *first_new(struct arena *a)
{
    return make_new(a, 1);
}

static const char *second_new(struct arena *a)
{
    return make_new(a, 2);
}

const struct study_template template_inference = {
    "inference",
    "the best networks of a search answer for files of new rows",
    study,
    {{.name = "search.yaml", .text = search},
     {.name = "model.yaml", .text = model},
     {.name = "rows.csv", .make = template_rows},
     {.name = "new-1.csv", .make = first_new},
     {.name = "new-2.csv", .make = second_new}}};
