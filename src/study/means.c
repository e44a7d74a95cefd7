/* means.c - what a model believes of the best trials
 *
 * Under noise the best value may only have been lucky: the trial that a model
 * expects the best of is a better answer. The model is method gp's, whatever
 * the study's own method is, made of the results when a run ends: what the
 * study suggests never depends on it. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "study/conductor.h"

#define TRIALS_MAX 64  /* the best by value; one of them it will be */
#define TRIALS_LEAST 3 /* that say something about noise */
#define TRIALS_TOLD                                                            \
    5000 /* the newest; a search has come near its end there                   \
          */
/* When values lie this near to what is expected, compared with how all values
 * differ among each other, there is no noise to speak of. */
#define NEAR 0.05

struct expected {
    int64_t id;
    double value, mean;
};
struct expectations {
    struct expected list[TRIALS_MAX];
    size_t count;
};

/* Tells the model of the trials of a query. */
static int tell(struct study *s, struct search *model, const struct query *q,
                struct err *err)
{
    struct rows *rows = store_rows(s->store, q, err);
    struct arena *a = arena_new();
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        struct result r = {
            .trial = t.id, .state = STATE_DONE, .value = t.value, .step = -1};
        arena_reset(a);
        if (isfinite(t.value) &&
            (r.point = json_parse(a, t.point, "point", true, NULL)))
            search_tell(model, &r);
    }
    arena_free(a);
    rows_close(rows);
    return got;
}

static int ask(struct study *s, struct search *model, const struct query *q,
               struct expectations *x, struct err *err)
{
    struct rows *rows = store_rows(s->store, q, err);
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        double mean;
        if (x->count < TRIALS_MAX && isfinite(t.value) &&
            !search_mean(model, t.id, &mean) && isfinite(mean))
            x->list[x->count++] = (struct expected){t.id, t.value, mean};
    }
    rows_close(rows);
    return got;
}

/* A space that the model cannot take is no fault: nothing is expected. */
static int expect(struct study *s, struct expectations *x, struct err *err)
{
    struct query last = {
        .selector = "done,stopped", .descending = true, .limit = TRIALS_TOLD};
    struct query best = {.selector = "best:64"};
    struct err ignored = {0};
    struct search_setup setup = {.space = &s->plan->space,
                                 .seed = s->plan->seed,
                                 .minimize = s->plan->metric.minimize};
    struct search *model = search_open("gp", &setup, &ignored);
    int rc =
        model && (tell(s, model, &best, err) || tell(s, model, &last, err) ||
                  ask(s, model, &best, x, err))
            ? -1
            : 0;
    search_free(model);
    return rc;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The mean distance of all values from their median: unlike a variance of
 * the best ones, it does not vanish when a search has come to its end. */
static int read_spread(struct study *s, double *spread, struct err *err)
{
    struct query q = {.selector = "done,stopped", .by = "value"};
    struct rows *rows = store_rows(s->store, &q, err);
    VEC(double) values = {0};
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        if (isfinite(t.value))
            vec_push(&values, t.value);
    rows_close(rows);
    *spread = 0;
    for (size_t i = 0; i < values.len; i++)
        *spread +=
            fabs(values.p[i] - values.p[values.len / 2]) / (double)values.len;
    vec_done(&values);
    return got;
}

static bool is_noisy(const struct expectations *x, double spread)
{
    double off[TRIALS_MAX];
    if (x->count < TRIALS_LEAST)
        return false;
    for (size_t i = 0; i < x->count; i++)
        off[i] = fabs(x->list[i].value - x->list[i].mean);
    qsort(off, x->count, sizeof(*off), by_size);
    return off[x->count / 2] > NEAR * spread;
}

static void sort(struct expectations *x, bool minimize)
{
    for (size_t i = 1; i < x->count; i++) {
        struct expected e = x->list[i];
        size_t k = i;
        for (; k > 0; k--) {
            double before = x->list[k - 1].mean;
            if (minimize ? before <= e.mean : before >= e.mean)
                break;
            x->list[k] = x->list[k - 1];
        }
        x->list[k] = e;
    }
}

/* Points that nobody chose by results lie too far apart to tell noise from
 * shape; a population's trials go on from each other; with early stopping at
 * rungs values are of trainings of different lengths; and the mean of repeats,
 * a Pareto set or bounds say more than a model does. */
static bool has_model(const struct study *s)
{
    const struct plan *p = s->plan;
    bool rungs = p->early.kind != EARLY_NONE && p->early.kind != EARLY_RULE;
    return p->metric.name.len && p->repeat <= 1 && !rungs &&
           !search_foresees(s->search) && !str_is(p->method, "pbt") &&
           p->goal.objective_count <= 1 && !p->goal.bound_count;
}

int study_means_write(struct study *s, struct err *err)
{
    struct expectations x = {.count = 0};
    double spread = 0;
    struct buf b;
    if (has_model(s) && (expect(s, &x, err) || read_spread(s, &spread, err)))
        return -1;
    buf_init(&b);
    if (is_noisy(&x, spread)) {
        sort(&x, s->plan->metric.minimize);
        buf_addc(&b, '[');
        for (size_t i = 0; i < x.count; i++) {
            buf_addf(&b, "%s{\"id\":%lld,\"mean\":", i ? "," : "",
                     (long long)x.list[i].id);
            json_number(&b, x.list[i].mean);
            buf_addc(&b, '}');
        }
        buf_addc(&b, ']');
    }
    run_dirty(&s->run);
    struct str none = {0};
    int rc = store_fact_set(s->store, "means", b.len ? buf_str(&b) : none, err);
    buf_done(&b);
    return rc;
}

bool study_likely(const struct study *s, struct study_mean *best)
{
    struct arena *a = arena_new();
    struct study_mean *list;
    size_t count;
    bool here = !study_means_read(s->store, a, &list, &count, NULL) && count;
    if (here)
        *best = list[0];
    arena_free(a);
    return here;
}

int study_means_read(struct store *store, struct arena *a,
                     struct study_mean **list, size_t *count, struct err *err)
{
    struct str text;
    *list = NULL;
    *count = 0;
    if (store_fact(store, "means", a, &text, err))
        return -1;
    const struct value *v =
        text.len ? json_parse(a, text, "means", true, err) : NULL;
    if (!v)
        return text.len ? -1 : 0;
    *list = arena_array(a, v->count + 1, sizeof(**list));
    for (size_t i = 0; i < v->count; i++) {
        const struct value *id = value_get(v->items[i], STR("id"));
        const struct value *mean = value_get(v->items[i], STR("mean"));
        if (!id || id->kind != VALUE_INT)
            continue;
        (*list)[(*count)++] = (struct study_mean){id->i, value_number(mean)};
    }
    return 0;
}
