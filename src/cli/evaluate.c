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
        "The weights of `throng train` or of a study carry their model and "
        "what was\n"
        "fitted on its training rows: scaling, means, categories, words, "
        "classes. So\n"
        "--data is all that is needed: rows like those of training, by the "
        "names of\n"
        "their columns, or by their places where a table has no header. Of "
        "a model whose\n"
        "inputs and labels are files of their own, --data names the inputs "
        "and --labels\n"
        "the labels; several are NAME=FILE,NAME=FILE.\n"
        "\n"
        "Without --data the model's own test rows are judged, or "
        "validation rows where\n"
        "it has none. Then its data must be there: it is looked for in "
        "this folder,\n"
        "beside the weights, and beside the study that they belong to. An "
        "ensemble\n"
        "is judged on the rows that all of its members have held out. Where "
        "the file has\n"
        "changed since (sorted, or with more rows) its split is another "
        "one: rows that\n"
        "were trained on are then left out, and it is said how many. "
        "Weights know them\n"
        "by hashes. Rows of --data are all judged; of those, too, it is "
        "said how many\n"
        "were trained on.\n"
        "\n"
        "Behind loss and metrics comes how often each class was taken for "
        "each.\n"
        "\n"
        "Weights that another program trained stand in --weights, beside "
        "their model:\n"
        "model.json of Keras with its weights.h5, or a model file with a "
        "state_dict of\n"
        "PyTorch (.pt), whose modules are the layers of the same names, or "
        "of the same\n"
        "order. Rows are then those of a model file with `data`, or as "
        "--data has them:\n"
        "a table whose last column is the label (--label says another, "
        "from 1), or\n"
        "arrays. Keras's file says no loss: it is the one that goes with "
        "the last\n"
        "function, or --loss.\n"
        "\n"
        "--permanent-dropout makes every dropout layer draw when it "
        "predicts, too, by\n"
        "this rate and the model's seed.\n"
        "\n"
        "--importance shuffles one column after another over the rows and "
        "says by how\n"
        "much loss and metrics change, as a mean and a spread over the "
        "orders: what the\n"
        "column was worth to this model, or to the members of an ensemble "
        "together.\n"
        "Columns that say the same stand in for each other; then shuffle "
        "them together:\n"
        "--groups \"size=width,height;genes=g*\". A column may stand in "
        "several groups.\n",
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
