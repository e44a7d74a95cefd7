/* calibrate_opinions.c - whether members are as sure as they should be
 *
 * What they say of each row is made one, and each output of it judged as what
 * it is: a number, or a choice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble/ensemble.h"

struct calibrating {
    struct arena *arena;
    const struct opinions *said;
    const struct combine_rule *rule;
    double alpha;
    struct value *figures; /* of each output, a list of objects */
};

/* ---- figures ---------------------------------------------------------------
 */

static void add(struct calibrating *q, struct value *to, const char *name,
                double x)
{
    struct arena *a = q->arena;
    if (!isnan(x))
        value_set(a, to, str_of(name), value_double(a, x));
}

static void add_reliability(struct calibrating *q, struct value *metrics_of,
                            double sure, double right, double rows)
{
    struct arena *a = q->arena;
    struct value *list = value_get(metrics_of, STR("reliability"));
    struct value *one = value_object(a);
    if (!list) {
        list = value_list(a);
        value_set(a, metrics_of, STR("reliability"), list);
    }
    value_set(a, one, STR("sure"), value_double(a, sure));
    value_set(a, one, STR("right"), value_double(a, right));
    value_set(a, one, STR("rows"), value_int(a, (int64_t)rows));
    value_list_add(a, list, one);
}

/* The newest output. */
static struct value *last_output(const struct calibrating *q)
{
    return q->figures->items[q->figures->count - 1];
}

/* As columns of predictions begin or end with it; NULL: there is one output. */
static const char *name_of(const struct combine_head *h, size_t output,
                           struct arena *a)
{
    const char *prefix = h->names.prefix ? h->names.prefix : "";
    const char *own = h->names.outputs && (h->each || !h->classes)
                          ? h->names.outputs[output]
                          : "";
    size_t len = strlen(prefix) - (!*own && *prefix);
    return *prefix || *own ? arena_printf(a, "%.*s%s", (int)len, prefix, own)
                           : NULL;
}

/* Its metrics are to be filled in. */
static struct value *new_output(struct calibrating *q, size_t head,
                                size_t output)
{
    struct arena *a = q->arena;
    const char *name = name_of(&q->said->heads[head], output, a);
    struct value *v = value_object(a), *metrics = value_object(a);
    value_list_add(a, q->figures, v);
    value_set(a, v, STR("head"), value_int(a, (int64_t)head));
    value_set(a, v, STR("output"), value_int(a, (int64_t)output));
    if (name)
        value_set(a, v, STR("name"), value_string(a, str_of(name)));
    value_set(a, v, STR("metrics"), metrics);
    return metrics;
}

static void add_number(struct calibrating *q, struct value *to,
                       const double *mean, const double *sd,
                       const double *truth)
{
    struct calibrated_number n;
    calibrate_number(mean, sd, truth, q->said->rows, q->alpha, &n);
    add(q, to, "mae", n.mae);
    add(q, to, "rmse", n.rmse);
    add(q, to, "interval", n.interval);
    add(q, to, "interval_sd", n.interval_sd);
    add(q, to, "coverage", n.coverage);
    add(q, to, "sharpness", n.sharpness);
    add(q, to, "nll", n.nll);
    add(q, to, "crps", n.crps);
    add(q, to, "rank_correlation", n.rank_correlation);
    for (size_t k = 0; sd && k < 9; k++)
        add_reliability(q, last_output(q), (double)(k + 1) / 10, n.covered[k],
                        (double)q->said->rows);
}

static void add_choice(struct calibrating *q, struct value *to, const double *p,
                       const size_t *truth, size_t classes)
{
    struct calibrated_choice n;
    calibrate_choice(p, truth, classes, q->said->rows, q->alpha, &n);
    add(q, to, "accuracy", n.accuracy);
    add(q, to, "nll", n.nll);
    add(q, to, "ece", n.ece);
    add(q, to, "temperature", n.temperature);
    add(q, to, "nll_scaled", n.nll_scaled);
    add(q, to, "ece_scaled", n.ece_scaled);
    add(q, to, "threshold", n.threshold);
    add(q, to, "set_size", n.set_size);
    for (size_t k = 0; k < CALIBRATED_BINS; k++)
        if (n.bins[k].rows > 0)
            add_reliability(q, last_output(q), n.bins[k].sure / n.bins[k].rows,
                            n.bins[k].right / n.bins[k].rows, n.bins[k].rows);
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
    bool single; /* of some row there is one pass alone */
};

static size_t passes_of(const struct combine_rule *r)
{
    size_t members = 0;
    for (size_t i = 0; i < r->members; i++)
        members += r->weights[i] > 0;
    return members * r->samples;
}

static void combine_row(const struct calibrating *q,
                        const struct place_of_head *h, size_t row,
                        struct together *t)
{
    const struct opinions *o = q->said;
    size_t width = h->head->width;
    const double *first = opinions_said(o, row) + h->output;
    struct combine_rule rule = *q->rule;
    const double *own = opinions_weights(
        o, row, q->rule->weights, q->rule->samples, t->scratch + o->members);
    rule.weights = own ? own : q->rule->weights;
    t->single = t->single || passes_of(&rule) < 2;
    for (size_t p = 0; p < o->members; p++)
        for (size_t k = 0; k < width; k++)
            t->passes[p * width + k] = first[p * o->wide + k];
    combine_outputs(&rule, h->head, t->passes, t->scratch,
                    t->outputs + row * width);
    combine_sureness(&rule, h->head, t->passes, t->scratch,
                     t->sure + row * t->columns);
}

static double truth_at(const struct calibrating *q,
                       const struct place_of_head *h, size_t row, size_t k)
{
    return opinions_truth(q->said, row)[h->truth + k];
}

/* A yes or no is a choice of two. */
static void judge_choice(struct calibrating *q, const struct place_of_head *h,
                         const struct together *t, size_t output, size_t width)
{
    size_t rows = q->said->rows, classes = width == 1 ? 2 : width;
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
 * that says no spread has none, also where it is one of several members: out of
 * fold one may be all who speak of a row. */
static void judge_number(struct calibrating *q, const struct place_of_head *h,
                         const struct together *t, size_t output)
{
    size_t rows = q->said->rows, told = opinions_truths(h->head);
    double *numbers = xcalloc(3 * rows, sizeof(*numbers));
    double *mean = numbers, *sd = mean + rows, *truth = sd + rows;
    bool spread = !t->single || h->head->spreads;
    for (size_t r = 0; r < rows; r++) {
        mean[r] = t->outputs[r * h->head->width + output];
        sd[r] = t->sure[r * t->columns + output * (t->columns / told)];
        truth[r] = truth_at(q, h, r, output);
    }
    add_number(q, new_output(q, h->number, output), mean, spread ? sd : NULL,
               truth);
    free(numbers);
}

/* Yours to free by free_together. */
static struct together combine_rows(const struct calibrating *q,
                                    const struct place_of_head *h)
{
    size_t rows = q->said->rows, width = h->head->width;
    struct together t = {.columns = combine_columns(q->rule, h->head)};
    t.outputs = xcalloc(rows * width, sizeof(double));
    t.sure = xcalloc(rows * t.columns, sizeof(double));
    t.passes = xcalloc(q->said->members * width, sizeof(double));
    t.scratch = xcalloc(2 * q->said->members, sizeof(double));
    for (size_t r = 0; r < rows; r++)
        combine_row(q, h, r, &t);
    return t;
}

static void free_together(struct together *t)
{
    free(t->outputs);
    free(t->sure);
    free(t->passes);
    free(t->scratch);
}

static void judge_head(struct calibrating *q, const struct place_of_head *h)
{
    size_t width = h->head->width;
    struct together t = combine_rows(q, h);
    if (h->head->classes && !h->head->each)
        judge_choice(q, h, &t, 0, width);
    for (size_t k = 0; h->head->each && k < width; k++)
        judge_choice(q, h, &t, k, 1);
    for (size_t k = 0;
         !h->head->classes && !h->head->each && k < opinions_truths(h->head);
         k++)
        judge_number(q, h, &t, k);
    free_together(&t);
}

/* ---- the interval between two heads -----------------------------------------
 */

static void add_bounds(struct calibrating *q, size_t head,
                       const struct calibrated_bounds *found)
{
    for (size_t i = 0; i < q->figures->count; i++) {
        struct value *v = q->figures->items[i];
        if (value_get(v, STR("head"))->i != (int64_t)head)
            continue;
        struct value *metrics = value_get(v, STR("metrics"));
        add(q, metrics, "between", found->between);
        add(q, metrics, "widening", found->widening);
    }
}

/* Found of both, since an end alone says nothing, and said of each. */
static void judge_bounds(struct calibrating *q, const struct place_of_head *low,
                         const struct place_of_head *high)
{
    size_t rows = q->said->rows;
    struct together from = combine_rows(q, low), to = combine_rows(q, high);
    double *truth = xcalloc(rows + 1, sizeof(*truth));
    struct calibrated_bounds found;
    for (size_t r = 0; r < rows; r++)
        truth[r] = truth_at(q, low, r, 0);
    calibrate_bounds(from.outputs, to.outputs, truth, rows, q->alpha, &found);
    add_bounds(q, low->number, &found);
    add_bounds(q, high->number, &found);
    free(truth);
    free_together(&from);
    free_together(&to);
}

struct value *opinions_calibrate(const struct opinions *o,
                                 const struct combine_rule *r, double alpha,
                                 struct arena *a)
{
    struct calibrating q = {a, o, r, alpha, value_list(a)};
    struct place_of_head at = {0}, low = {0}, high = {0};
    for (; at.number < o->head_count; at.number++) {
        at.head = &o->heads[at.number];
        judge_head(&q, &at);
        if (at.head->bound == END_LOW)
            low = at;
        if (at.head->bound == END_HIGH)
            high = at;
        at.truth += opinions_truths(at.head);
        at.output += at.head->width;
    }
    if (low.head && high.head)
        judge_bounds(&q, &low, &high);
    return q.figures;
}
