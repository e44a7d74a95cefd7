/* evaluate.c - how good weights are on data */
#include "cli/inference.h"

static int run(struct call *c)
{
    return inference_run(c, false);
}

VERB(evaluate) = {
    .name = "evaluate",
    .args = "WEIGHTS|ENSEMBLE | MODEL --weights FILE",
    .summary = "Say the loss and metrics of trained models",
    .text =
        "The weights of `throng train` or of a study carry their model "
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
        "taken for each.\n\nWeights that another program trained stand "
        "in --weights, beside their model:\nmodel.json of Keras with its "
        "weights.h5, or a model file with a state_dict of\nPyTorch (.pt), "
        "whose modules are the layers of the same names, or of the same\n"
        "order. Rows are then those of a model file with `data`, or as "
        "--data has them: a\ntable whose last column is the label (--label "
        "says another, from 1), or arrays.\nKeras's file says no loss: it "
        "is the one that goes with the last function, or\n--loss.\n\n"
        "--permanent-dropout makes every dropout layer draw when it "
        "predicts, too, by this\nrate and the model's seed.\n\n--importance "
        "shuffles one column after another over the rows and says by how "
        "much\nloss and metrics change, as a mean and a spread over the "
        "orders: what the column\nwas worth to this model. Columns that "
        "say the same stand in for each other; then\nshuffle them "
        "together: --groups \"size=width,height;genes=g*\".\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE", "rows to judge, with their labels"},
            {"labels", 0, "FILE", "their labels, where those have a file"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            INFERENCE_OPTIONS,
            {"by-class", 0, NULL, "precision, recall and F1 of each class"},
            {"by", 0, "COLUMN", "how good it is on each group of rows"},
            {"k-rank", 0, "K[,K]", "share of the K largest that it finds"},
            {"importance", 0, NULL, "how much the model needs each column"},
            {"groups", 0, "GROUPS", "of columns that are shuffled together"},
            {"repeats", 0, "N", "orders of each, 5"},
            {"json", 0, NULL, "for programs: schema throng.evaluate/1"},
            {0}},
    .run = run,
};
