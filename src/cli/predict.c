/* predict.c - what trained weights say of each row */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, true);
}

VERB(predict) = {
    .name = "predict",
    .args = "WEIGHTS",
    .summary = "Print what trained weights predict, row by row",
    .text = "A line for each row of --data, or of the model's own test rows: "
            "its number in\nits file (from 1, a header not counted), its label "
            "where it has one, what is\npredicted, and for classes the "
            "probability of each. Classes have the names that\nthe data gives "
            "them. Where rows and weights come from is said in `throng help\n"
            "evaluate`.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to predict; labels are not needed"},
            {"labels", 0, "FILE", "labels to be shown beside them"},
            {"csv", 0, NULL, "comma separated, else by tabs"},
            {0}},
    .run = run,
    .pages = true,
};
