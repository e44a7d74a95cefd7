/* predict.c - what trained weights say of each row */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, true);
}

VERB(predict) = {
    .name = "predict",
    .args = "WEIGHTS|ENSEMBLE | MODEL --weights FILE",
    .summary = "Print what trained models predict, row by row",
    .text =
        "A line for each row of --data, or of the model's own test rows: its "
        "number in\n"
        "its file (from 1, a header not counted), its label where it has one, "
        "what is\n"
        "predicted, and for classes the probability of each. Classes have the "
        "names that\n"
        "the data gives them. Where rows and weights come from is said in "
        "`throng help\n"
        "evaluate`.\n"
        "\n"
        "Of an ensemble it is what its members predict together, and behind it "
        "how sure\n"
        "that is. Classes: the entropy of the mean probability, and what of it "
        "the\n"
        "members disagree in (mutual_information). Numbers: sd, of which "
        "epistemic is\n"
        "what the members differ by and aleatoric what they themselves say "
        "that the\n"
        "truth varies by (a heteroscedastic loss; empty where none says it), "
        "and\n"
        "quantiles of what they say.\n"
        "\n"
        "--samples N keeps the dropout of a model at inference and asks it N "
        "times, so\n"
        "that one model says how sure it is; the same weights draw the same.\n"
        "\n"
        "Several numbers whose truths are known, as an autoencoder's, have an "
        "error: the\n"
        "mean of the squared differences. --layer writes the numbers of a "
        "layer instead.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to predict; labels are not needed"},
            {"labels", 0, "FILE", "labels to be shown beside them"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            {"layer", 0, "NAME", "the numbers of a layer instead"},
            INFERENCE_OPTIONS,
            {"csv", 0, NULL, "comma separated, else by tabs"},
            {0}},
    .run = run,
    .pages = true,
};
