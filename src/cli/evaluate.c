/* evaluate.c - how good weights are on data */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, false);
}

VERB(evaluate) = {
    .name = "evaluate",
    .args = "WEIGHTS|ENSEMBLE",
    .summary = "Say the loss and metrics of trained models",
    .text = "The weights of `throng train` or of a study carry their model "
            "and what was\nfitted on its training rows: scaling, means, "
            "categories, words, classes. So\n--data is all that is needed: "
            "rows like those of training, by the names of\ntheir columns, "
            "or by their places where a table has no header. Of a model "
            "whose\ninputs and labels are files of their own, --data names "
            "the inputs and --labels\nthe labels; several are "
            "NAME=FILE,NAME=FILE.\n\nWithout --data the model's own test "
            "rows are judged, or validation rows where\nit has none. Then "
            "its data must be there: it is looked for in this folder,\n"
            "beside the weights, and beside the study that they belong "
            "to. An ensemble\nis judged on the rows that all of its members "
            "have held "
            "out.\n\nBehind loss and metrics comes how often each class was "
            "taken for each.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to judge, with their labels"},
            {"labels", 0, "FILE", "their labels, where those have a file"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            {"json", 0, NULL, "for programs: schema throng.evaluate/1"},
            {0}},
    .run = run,
};
