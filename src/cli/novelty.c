/* novelty.c - what rows like those of training look like to a model */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "cli/inference.h"
#include "ensemble/ensemble.h"

struct fitting {
    struct call *call;
    struct inference wanted;
    const char *folder; /* of the task */
    struct novelty novelty;
    bool of_ensemble;
    struct novelties all;         /* of an ensemble … */
    struct novelty_scores scores; /* … and of rows that it has held out */
};

/* A table has as many digits as tell a float from its neighbours: which one it
 * was counts, so that whoever measures rows anew finds the same distances. */
static void make_floats(struct layer_table *t)
{
    for (size_t i = 0; i < t->rows * t->columns; i++)
        t->numbers[i] = (double)(float)t->numbers[i];
}

static int read_layer(struct fitting *f, const char *rows,
                      struct layer_table *t)
{
    struct call *c = f->call;
    f->wanted.rows = rows;
    int code = inference_ask(c, &f->wanted);
    if (code == EXIT_OK &&
        layer_table_read(t, f->folder, false, c->arena, &c->err))
        return call_fail(c);
    if (code == EXIT_OK)
        make_floats(t);
    return code;
}

static int fit(struct fitting *f)
{
    struct call *c = f->call;
    struct layer_table t = {0};
    int code = read_layer(f, "training", &t);
    if (code == EXIT_OK && novelty_fit(&f->novelty, t.numbers, t.rows,
                                       t.columns, c->arena, &c->err))
        code = call_fail(c);
    layer_table_done(&t);
    return code;
}

/* Rows that were held out are as far as new ones of their kind; those of
 * training are nearer. */
static int find_limit(struct fitting *f)
{
    struct call *c = f->call;
    struct novelty *n = &f->novelty;
    struct layer_table t = {0};
    int code = read_layer(
        f, call_option(c, "rows") ? call_option(c, "rows") : "validation", &t);
    if (code != EXIT_OK)
        return code;
    double *distances = arena_array(c->arena, t.rows + 1, sizeof(double));
    double *scratch = arena_array(c->arena, t.columns + 1, sizeof(double));
    for (size_t i = 0; i < t.rows; i++)
        distances[i] = novelty_distance(n, t.numbers + i * t.columns, scratch);
    if (novelty_limit(n, distances, t.rows, &c->err))
        code = call_fail(c);
    if (code == EXIT_OK && f->of_ensemble) {
        f->all.list[f->scores.members] = *n;
        if (novelty_scores_add(&f->scores, &f->all, f->scores.members, &t,
                               &c->err))
            code = call_fail(c);
    }
    layer_table_done(&t);
    return code;
}

static int write_file(struct fitting *f)
{
    struct call *c = f->call;
    struct buf b;
    buf_init(&b);
    if (f->of_ensemble)
        novelties_print(&b, &f->all);
    else
        novelty_print(&b, &f->novelty);
    int rc = file_write(call_option(c, "output"), buf_str(&b), false, &c->err);
    buf_done(&b);
    return rc ? call_fail(c) : EXIT_OK;
}

static void add_row(struct table *t, const struct novelty *n)
{
    table_cell(t, "%.*s", STRF(n->layer));
    table_cell(t, "%zu", n->columns);
    table_number(t, n->shrinkage, 4);
    table_number(t, n->alpha, 4);
    table_number(t, n->threshold, 6);
    table_row(t);
}

static void print_fitted(const struct fitting *f)
{
    struct table *t = table_new();
    table_column(t, "layer", false);
    table_column(t, "numbers", true);
    table_column(t, "shrinkage", true);
    table_column(t, "alpha", true);
    table_column(t, "threshold", true);
    for (size_t i = 0; f->of_ensemble && i < f->all.count; i++)
        add_row(t, &f->all.list[i]);
    if (f->of_ensemble) {
        struct novelty together = {.layer = STR("together"),
                                   .shrinkage = NAN,
                                   .alpha = f->all.alpha,
                                   .threshold = f->all.threshold};
        for (size_t i = 0; i < f->all.count; i++)
            together.columns += f->all.list[i].columns;
        add_row(t, &together);
    } else {
        add_row(t, &f->novelty);
    }
    table_print(t, f->call);
    table_free(t);
}

/* By the weights that are wanted. */
static int fit_one(struct fitting *f, const char *file)
{
    struct call *c = f->call;
    char *hex = arena_array(c->arena, 65, 1);
    const char *said = call_option(c, "layer");
    f->wanted.layer = said;
    if (weights_hash(file, hex, &c->err))
        return call_fail(c);
    if (!said &&
        !(f->wanted.layer = last_hidden_layer(file, c->arena, &c->err)))
        return call_fail(c);
    f->novelty = (struct novelty){.alpha = f->novelty.alpha,
                                  .sha256 = str_of(hex),
                                  .layer = str_of(f->wanted.layer)};
    int code = fit(f);
    return code == EXIT_OK ? find_limit(f) : code;
}

/* Of the rows that all members have held out. */
static int limit_all(struct fitting *f)
{
    struct call *c = f->call;
    size_t count = f->scores.count;
    double *scores = arena_array(c->arena, count + 1, sizeof(*scores));
    for (size_t i = 0; i < count; i++)
        scores[i] = f->scores.list[i].score;
    say("throng novelty: %zu rows are held out by all members\n", count);
    return novelties_limit(&f->all, scores, count, &c->err) ? call_fail(c)
                                                            : EXIT_OK;
}

static int fit_members(struct fitting *f, const struct models *m)
{
    struct call *c = f->call;
    int code = EXIT_OK;
    f->of_ensemble = true;
    f->all = (struct novelties){
        .list = arena_array(c->arena, m->count, sizeof(struct novelty)),
        .weights = arena_array(c->arena, m->count, sizeof(double)),
        .count = m->count,
        .alpha = f->novelty.alpha};
    if (novelties_share_rows(m, c->arena, &c->err))
        return call_fail(c);
    for (size_t i = 0; i < m->count; i++)
        f->all.weights[i] = m->list[i].weight;
    for (size_t i = 0; !code && i < m->count; i++) {
        f->wanted.models = m->list[i].file;
        code = fit_one(f, m->list[i].file);
    }
    if (!code)
        code = limit_all(f);
    novelty_scores_done(&f->scores);
    return code;
}

static int fit_all(struct fitting *f)
{
    struct call *c = f->call;
    struct models m;
    if (models_open(&m, f->wanted.models, f->wanted.scratch, c->arena,
                    &c->err) ||
        output_spares_models(call_option(c, "output"), &m, c->arena, &c->err))
        return call_fail(c);
    int code = m.is_ensemble ? fit_members(f, &m) : fit_one(f, m.list[0].file);
    if (code == EXIT_OK)
        code = write_file(f);
    if (code == EXIT_OK)
        print_fitted(f);
    return code;
}

static int read_options(struct fitting *f)
{
    struct call *c = f->call;
    const char *alpha = call_option(c, "alpha");
    f->novelty.alpha = 0.05;
    if (alpha && (!num_double(str_of(alpha), &f->novelty.alpha) ||
                  !(f->novelty.alpha > 0 && f->novelty.alpha < 1)))
        return call_usage(c, "--alpha takes a number between 0 and 1");
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights, or one ensemble");
    if (!call_option(c, "output"))
        return call_usage(c, "say where it goes: -o like.novelty");
    int code =
        inference_check_kind(c, c->args[0], "\"throng.novelt", "novelty");
    return code ? code : inference_check_rows(c);
}

static int run(struct call *c)
{
    struct fitting f = {.call = c, .wanted = {.predict = true}};
    int code = read_options(&f);
    if (code != EXIT_OK)
        return code;
    f.wanted.models = path_absolute(c->arena, c->args[0]);
    f.wanted.scratch = scratch_make("infer", &c->err);
    if (!f.wanted.scratch)
        return call_fail(c);
    f.folder = path_join(c->arena, f.wanted.scratch, "1");
    code = fit_all(&f);
    scratch_remove(f.wanted.scratch);
    return code;
}

VERB(novelty) = {
    .name = "novelty",
    .args = "WEIGHTS|ENSEMBLE",
    .summary = "Learn which rows are unlike those that a model was trained on",
    .text =
        "Looks at what the last hidden layer (--layer: another) makes of the "
        "training\n"
        "rows, whose data must be there, and writes a file for `throng "
        "predict\n"
        "--novelty`: each predicted row then has its distance from them, and "
        "is unlike\n"
        "them (1) or not (0).\n"
        "\n"
        "The distance is Mahalanobis's, by a covariance that is shrunk as "
        "Ledoit and Wolf\n"
        "do. The threshold is that of the held-out rows: of new rows of the "
        "same kind\n"
        "alpha at most are beyond it.\n"
        "\n"
        "Of an ensemble each member looks at its own layer, by its own "
        "training rows. The\n"
        "distance is the mean of theirs by their weights, each divided by the "
        "root of how\n"
        "many numbers its layer has, so that 1 is usual; the threshold is of "
        "rows that\n"
        "all members have held out.\n"
        "\n"
        "    throng novelty net.safetensors -o net.novelty\n"
        "    throng predict net.safetensors --data new.csv --novelty "
        "net.novelty\n",
    .options =
        (const struct option_spec[]){
            {"output", 'o', "FILE", "the file to write"},
            {"layer", 0, "NAME", "by another layer than the last hidden one"},
            {"alpha", 0, "A", "share of like rows that may be beyond: 0.05"},
            {"rows", 0, "PART", "held-out rows: validation (default) or test"},
            {0}},
    .run = run,
};
