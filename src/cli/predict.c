/* predict.c - what trained weights say of each row */
#include "cli/inference.h"
#include "cli/predict_study.h"

static int run(struct call *c)
{
    if (call_option(c, "study"))
        return predict_study(c);
    int code = predict_without_study(c);
    return code ? code : inference_run(c, true);
}

VERB(predict) = {
    .name = "predict",
    .args = "WEIGHTS|ENSEMBLE|STUDY | MODEL --weights FILE",
    .summary = "Print what trained models predict, row by row",
    .text =
        "A line for each row of --data, or of the model's own test rows: its "
        "number in\n"
        "its file (from 1, a header not counted), its label where it has one, "
        "what is\n"
        "predicted, and for classes the probability of each. Classes have the "
        "names that\n"
        "the data gives them. A heteroscedastic model's log_variance says how "
        "much the\n"
        "truth varies, and so do its columns sd and aleatoric; epistemic is "
        "empty, as one\n"
        "model that is asked once does not say it. Where rows and weights come "
        "from is\n"
        "said in `throng help evaluate`.\n"
        "\n"
        "Of an ensemble it is what its members predict together, and behind it "
        "how sure\n"
        "that is. Classes: the entropy of the mean probability, and what of it "
        "the\n"
        "members disagree in (mutual_information); of a stack the entropy of "
        "what it says\n"
        "itself, and no mutual_information. Numbers: sd, of which "
        "epistemic is\n"
        "what the members differ by and aleatoric what they themselves say "
        "that the\n"
        "truth varies by (a heteroscedastic loss; empty where none says it), "
        "and\n"
        "quantiles of what they say.\n"
        "\n"
        "How many rows there were, how long the models took for them, and "
        "t_image, the\n"
        "seconds that one model needs to predict one row once, are said at the "
        "end:\n"
        "start-up, reading rows and writing the table are not counted.\n"
        "\n"
        "--samples N keeps the dropout of a model at inference and asks it N "
        "times, so\n"
        "that one model says how sure it is; the same weights draw the same.\n"
        "\n"
        "--calibration takes a file that `throng calibrate -o` wrote: numbers "
        "have low\n"
        "and high, the ends of a conformal interval; classes are 1 in the "
        "columns\n"
        "in_CLASS where they are in the conformal set, and probabilities are "
        "those of\n"
        "the temperature that was found. So is how sure they are: entropy is "
        "of the\n"
        "probabilities that stand there, mutual_information of what members "
        "say at that\n"
        "temperature. The set goes by the probabilities as they were before "
        "it, for which\n"
        "its threshold was found.\n"
        "\n"
        "Several numbers whose truths are known, as an autoencoder's, have an "
        "error: the\n"
        "mean of the squared differences. --layer writes the numbers of a "
        "layer instead;\n"
        "with --pca the first N principal components of them, the largest "
        "first (pc_1 …,\n"
        "each turned so that its largest loading is above 0), with --k-means "
        "the group of\n"
        "each row and its silhouette, from -1 to 1.\n"
        "\n"
        "--product A,B,C is of all combinations of the rows of "
        "tables, whose columns\n"
        "side by side are the model's; a first column that is none "
        "of these names the\n"
        "rows. They are never written down; --keep says what is kept "
        "of them:\n"
        "top:mean:1000 (and bottom:sd:10), all, or rules as JSON, as "
        "{\"top\": {\"by\":\n"
        "\"mean\", \"n\": 1000}, \"where\": \"mean > 0.8 and sd < "
        "0.1\"}. Each rule is a table\n"
        "in the folder --output; without it that of one rule is printed.\n"
        "\n"
        "--novelty adds how far a row is from those of training, by a file of "
        "`throng\n"
        "novelty`: its distance, and 1 where it is unlike them.\n"
        "\n"
        "--study NAME is for very many rows: they are cut into shards, which "
        "are the\n"
        "trials of a study. Killed at any moment the same words go on with it, "
        "each row\n"
        "is predicted once, and --engine slurm asks a cluster.\n"
        "\n"
        "    throng predict committee.ensemble --data new/*.csv --study new "
        "--samples 30\n"
        "\n"
        "It writes the study file NAME.yaml and runs it (`throng help run`), "
        "so that\n"
        "status, show, errors and retry know it; what its keys mean stands in\n"
        "study-file.md. Of a STUDY the trials that --where or --select choose "
        "are the\n"
        "models. --output is the table, or the folder of what --keep keeps. "
        "Shards\n"
        "are told with --calibration, --novelty and --layer as rows without "
        "them are.\n",
    .options =
        (const struct option_spec[]){
            {"data", 0, "FILE…", "rows to predict; labels are not needed"},
            {"labels", 0, "FILE", "labels to be shown beside them"},
            {"product", 0, "A,B,C", "all combinations of the rows of tables"},
            {"keep", 0, "RULES", "of these: top:mean:1000, or rules as JSON"},
            {"output", 'o', "PATH",
             "the table as a file; of rules their folder"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            {"calibration", 0, "FILE", "intervals, or sets of classes, by it"},
            {"layer", 0, "NAME", "the numbers of a layer instead"},
            {"pca", 0, "N", "of a layer: N directions that rows differ in"},
            {"k-means", 0, "K", "of a layer: K groups, and how well rows fit"},
            {"novelty", 0, "FILE", "also: is a row unlike those of training?"},
            INFERENCE_OPTIONS,
            {"csv", 0, NULL, "comma separated, else by tabs"},
            {"study", 0, "NAME", "as a study, whose trials are shards of rows"},
            {"shard", 0, "SIZE", "of it: rows of a shard, or a time, as 2m"},
            {"format", 0, "NAME", "of it: csv, or npy, as -o FILE.npy is"},
            {"combine", 0, "HOW", "of it: mean, median or vote"},
            {"where", 0, "FILTER", "of it: trials of STUDY that pass"},
            {"select", 0, "TRIALS", "of it: trials of STUDY, as best:20"},
            {"engine", 0, "NAME", "of it: where shards run:" PLACE_WORDS},
            {"profile", 0, "NAME", "of it: settings of a site, by name"},
            {"quiet", 'q', NULL, "say nothing but errors"},
            {0}},
    .run = run,
    .pages = true,
};
