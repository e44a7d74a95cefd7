/* calibrate.c - whether models are as sure as they should be */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/strict_json.h"
#include "cli/inference.h"
#include "ensemble/ensemble.h"

struct asking {
    struct call *call;
    struct inference wanted;
    double alpha;
    struct models models;
    struct opinions said;
    struct combine_rule rule;
    struct value *figures; /* of each output, a list of objects */
};

/* ---- figures ---------------------------------------------------------------
 */

static void add(struct asking *q, struct value *to, const char *name, double x)
{
    struct arena *a = q->call->arena;
    if (!isnan(x))
        value_set(a, to, str_of(name), value_double(a, x));
}

/* Its metrics are to be filled in. */
static struct value *new_output(struct asking *q, size_t head, size_t output)
{
    struct arena *a = q->call->arena;
    struct value *v = value_object(a), *metrics = value_object(a);
    value_list_add(a, q->figures, v);
    value_set(a, v, STR("head"), value_int(a, (int64_t)head));
    value_set(a, v, STR("output"), value_int(a, (int64_t)output));
    value_set(a, v, STR("metrics"), metrics);
    return metrics;
}

static void add_number(struct asking *q, struct value *to, const double *mean,
                       const double *sd, const double *truth)
{
    struct calibrated_number n;
    calibrate_number(mean, sd, truth, q->said.rows, q->alpha, &n);
    add(q, to, "mae", n.mae);
    add(q, to, "rmse", n.rmse);
    add(q, to, "interval", n.interval);
    add(q, to, "interval_sd", n.interval_sd);
    add(q, to, "coverage", n.coverage);
    add(q, to, "sharpness", n.sharpness);
    add(q, to, "nll", n.nll);
    add(q, to, "crps", n.crps);
    add(q, to, "rank_correlation", n.rank_correlation);
}

static void add_choice(struct asking *q, struct value *to, const double *p,
                       const size_t *truth, size_t classes)
{
    struct calibrated_choice n;
    calibrate_choice(p, truth, classes, q->said.rows, q->alpha, &n);
    add(q, to, "accuracy", n.accuracy);
    add(q, to, "nll", n.nll);
    add(q, to, "ece", n.ece);
    add(q, to, "temperature", n.temperature);
    add(q, to, "nll_scaled", n.nll_scaled);
    add(q, to, "ece_scaled", n.ece_scaled);
    add(q, to, "threshold", n.threshold);
    add(q, to, "set_size", n.set_size);
}

/* ---- one head ---------------------------------------------------------------
 */

/* Where the numbers of a head lie in a row: its truth, and its outputs among
 * those of a member. */
struct place_of_head {
    const struct combine_head *head;
    size_t number, truth, output;
};

/* What is said of all rows together: width numbers, and sureness. */
struct together {
    double *outputs, *sure, *passes, *scratch;
    size_t columns;
};

static void combine_row(const struct asking *q, const struct place_of_head *h,
                        size_t row, struct together *t)
{
    const struct opinions *o = &q->said;
    size_t width = h->head->width;
    const double *first = o->numbers +
                          row * (o->truths + o->members * o->wide) + o->truths +
                          h->output;
    for (size_t p = 0; p < o->members; p++)
        for (size_t k = 0; k < width; k++)
            t->passes[p * width + k] = first[p * o->wide + k];
    combine_outputs(&q->rule, h->head, t->passes, t->scratch,
                    t->outputs + row * width);
    combine_sureness(&q->rule, h->head, t->passes, t->scratch,
                     t->sure + row * t->columns);
}

static double truth_at(const struct asking *q, const struct place_of_head *h,
                       size_t row, size_t k)
{
    const struct opinions *o = &q->said;
    return o->numbers[row * (o->truths + o->members * o->wide) + h->truth + k];
}

/* A yes or no is a choice of two. */
static void judge_choice(struct asking *q, const struct place_of_head *h,
                         const struct together *t, size_t output, size_t width)
{
    size_t rows = q->said.rows, classes = width == 1 ? 2 : width;
    size_t *truth = xcalloc(rows, sizeof(*truth));
    double *p = xcalloc(rows * classes, sizeof(*p));
    for (size_t r = 0; r < rows; r++) {
        const double *own = t->outputs + r * h->head->width + output;
        truth[r] = (size_t)truth_at(q, h, r, width == 1 ? output : 0);
        for (size_t k = 0; k < classes; k++)
            p[r * classes + k] = width > 1 ? own[k] : k ? own[0] : 1 - own[0];
    }
    add_choice(q, new_output(q, h->number, output), p, truth, classes);
    free(truth);
    free(p);
}

/* The first column of sureness of an output is its sd. A single pass of a head
 * that says no spread has none. */
static void judge_number(struct asking *q, const struct place_of_head *h,
                         const struct together *t, size_t output)
{
    size_t rows = q->said.rows, told = opinions_truths(h->head);
    double *numbers = xcalloc(3 * rows, sizeof(*numbers));
    double *mean = numbers, *sd = mean + rows, *truth = sd + rows;
    bool spread = q->said.members > 1 || h->head->spreads;
    for (size_t r = 0; r < rows; r++) {
        mean[r] = t->outputs[r * h->head->width + output];
        sd[r] = t->sure[r * t->columns + output * (t->columns / told)];
        truth[r] = truth_at(q, h, r, output);
    }
    add_number(q, new_output(q, h->number, output), mean, spread ? sd : NULL,
               truth);
    free(numbers);
}

static void judge_head(struct asking *q, const struct place_of_head *h)
{
    size_t rows = q->said.rows, width = h->head->width;
    struct together t = {.columns = combine_columns(&q->rule, h->head)};
    t.outputs = xcalloc(rows * width, sizeof(double));
    t.sure = xcalloc(rows * t.columns, sizeof(double));
    t.passes = xcalloc(q->said.members * width, sizeof(double));
    t.scratch = xcalloc(q->said.members, sizeof(double));
    for (size_t r = 0; r < rows; r++)
        combine_row(q, h, r, &t);
    if (h->head->classes && !h->head->each)
        judge_choice(q, h, &t, 0, width);
    for (size_t k = 0; h->head->each && k < width; k++)
        judge_choice(q, h, &t, k, 1);
    for (size_t k = 0;
         !h->head->classes && !h->head->each && k < opinions_truths(h->head);
         k++)
        judge_number(q, h, &t, k);
    free(t.outputs);
    free(t.sure);
    free(t.passes);
    free(t.scratch);
}

static void judge_all(struct asking *q)
{
    struct place_of_head at = {0};
    for (; at.number < q->said.head_count; at.number++) {
        at.head = &q->said.heads[at.number];
        judge_head(q, &at);
        at.truth += opinions_truths(at.head);
        at.output += at.head->width;
    }
}

/* ---- the verb ---------------------------------------------------------------
 */

static void print_json(struct asking *q)
{
    struct arena *a = q->call->arena;
    struct value *to = value_object(a);
    struct buf b;
    value_set(a, to, STR("schema"), value_string(a, STR("throng.calibrate/1")));
    value_set(a, to, STR("rows"), value_int(a, (int64_t)q->said.rows));
    value_set(a, to, STR("alpha"), value_double(a, q->alpha));
    value_set(a, to, STR("outputs"), q->figures);
    buf_init(&b);
    strict_value(&b, to);
    buf_addc(&b, '\n');
    put(buf_str(&b));
    buf_done(&b);
}

static void print_line(struct table *t, struct str name, const struct value *v)
{
    table_cell(t, "%.*s", STRF(name));
    table_number(t, value_number(v), 6);
    table_row(t);
}

/* Head and output stand before the figures where there are several. */
static void print_text(struct asking *q)
{
    struct table *t = table_new();
    table_column(t, "figure", false);
    table_column(t, "value", true);
    for (size_t i = 0; i < q->figures->count; i++) {
        const struct value *v = q->figures->items[i];
        const struct value *metrics = value_get(v, STR("metrics"));
        for (size_t k = 0; q->figures->count > 1 && k < 2; k++)
            print_line(t, v->keys[k], v->items[k]);
        for (size_t k = 0; k < metrics->count; k++)
            print_line(t, metrics->keys[k], metrics->items[k]);
    }
    table_print(t, q->call);
    table_free(t);
}

static int read_rule(struct asking *q)
{
    struct call *c = q->call;
    double *weights = arena_array(c->arena, q->models.count, sizeof(double));
    size_t samples = q->wanted.samples ? (size_t)q->wanted.samples : 1;
    for (size_t i = 0; i < q->models.count; i++)
        weights[i] = q->models.list[i].weight;
    q->rule = (struct combine_rule){
        .members = q->models.count, .samples = samples, .weights = weights};
    for (size_t i = 0; combine_names[i]; i++)
        if (!strcmp(q->models.combine, combine_names[i]))
            q->rule.how = (enum combine)i;
    if (q->said.members == combine_passes(&q->rule))
        return 0;
    return err_set(&c->err, ERR_CORRUPT, "%zu passes came, not %zu",
                   q->said.members, combine_passes(&q->rule));
}

static int calibrate(struct asking *q)
{
    struct call *c = q->call;
    const char *scratch = q->wanted.scratch;
    const char *passes =
        path_join(c->arena, path_join(c->arena, scratch, "1"), "output/passes");
    struct str bytes;
    int code = inference_ask(c, &q->wanted);
    if (code != EXIT_OK)
        return code;
    if (models_open(&q->models, q->wanted.models, scratch, c->arena, &c->err) ||
        file_map(passes, &bytes, &c->err))
        return call_fail(c);
    int rc = opinions_parse(&q->said, bytes, passes, c->arena, &c->err);
    if (!rc)
        rc = read_rule(q);
    if (!rc)
        judge_all(q);
    file_unmap(bytes);
    if (rc)
        return call_fail(c);
    if (call_flag(c, "json"))
        print_json(q);
    else
        print_text(q);
    return EXIT_OK;
}

static int run(struct call *c)
{
    struct asking q = {.call = c, .alpha = 0.1, .wanted = {.passes = true}};
    const char *alpha = call_option(c, "alpha");
    char scratch[] = "/tmp/throng-infer-XXXXXX";
    if (call_int(c, "samples", 0, &q.wanted.samples))
        return call_fail(c);
    if (call_option(c, "samples") && q.wanted.samples < 1)
        return call_usage(c, "--samples takes a number from 1");
    if (alpha &&
        (!num_double(str_of(alpha), &q.alpha) || !(q.alpha > 0 && q.alpha < 1)))
        return call_usage(c, "--alpha takes a number between 0 and 1");
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights, or one ensemble");
    q.wanted.models = path_absolute(c->arena, c->args[0]);
    q.figures = value_list(c->arena);
    if (!mkdtemp(scratch)) {
        err_errno(&c->err, "make a folder in /tmp");
        return call_fail(c);
    }
    q.wanted.scratch = scratch;
    int code = calibrate(&q);
    dir_remove(scratch, NULL);
    return code;
}

VERB(calibrate) = {
    .name = "calibrate",
    .args = "WEIGHTS|ENSEMBLE",
    .summary = "Say whether models are as sure as they should be",
    .text =
        "Looks at validation rows that no member was trained on (test rows\n"
        "where there are none); the data must be there.\n"
        "\n"
        "Of numbers: interval is the half width of a split-conformal "
        "interval:\n"
        "of new rows that are drawn like these, 1 - alpha at least lie within\n"
        "it. interval_sd is the same as a multiple of the row's own sd.\n"
        "coverage is how many truths lie where a normal distribution of that "
        "sd\n"
        "has 1 - alpha; sharpness is the mean sd; nll and crps judge that\n"
        "distribution; rank_correlation is of sd and the size of errors.\n"
        "\n"
        "Of classes: ece is the expected calibration error (15 bins);\n"
        "temperature is what logits are best divided by, and nll_scaled and\n"
        "ece_scaled what comes of it. Classes of a probability of at least\n"
        "threshold make a conformal set, which has the true one with 1 - "
        "alpha\n"
        "at least, and set_size classes in the mean.\n",
    .options =
        (const struct option_spec[]){
            {"alpha", 0, "A", "share of truths that may lie outside: 0.1"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            {"json", 0, NULL, "for programs: schema throng.calibrate/1"},
            {0}},
    .run = run,
};
