/* evaluate.c - how good weights are on data */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, false);
}

const struct verb verb_evaluate = {
    .name = "evaluate",
    .args = "WEIGHTS",
    .summary = "Say the loss and metrics of trained weights",
    .text = "The weights of `throng train` or of a study carry their model. "
            "They are judged\non the rows of --data, a table like the one "
            "that the model was trained on; else\non the model's own test "
            "rows, or validation rows where it has none. The data of\nthe "
            "model must be there: it is looked for in this folder, beside "
            "the weights,\nand beside the study that they belong to.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to judge, with their labels"}, {0}},
    .run = run,
};
