/* predict.c - what trained weights say of each row */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, true);
}

const struct verb verb_predict = {
    .name = "predict",
    .args = "WEIGHTS",
    .summary = "Print what trained weights predict, row by row",
    .text = "A line for each row of --data, or of the model's own test rows: "
            "its number, its\nlabel where it has one, what is predicted, and "
            "for classes the probability of\neach. Classes have the names that "
            "the data gives them. Where rows and weights\ncome from is said in "
            "`throng help evaluate`.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to predict; labels are not needed"},
            {"labels", 0, "FILE", "labels to be shown beside them"},
            {"csv", 0, NULL, "comma separated, else by tabs"},
            {0}},
    .run = run,
    .pages = true,
};
