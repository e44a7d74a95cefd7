/* means.c - what the method's model believes of the best trials
 *
 * Under noise the best value may only have been lucky: the trial that the
 * model expects the best of is a better answer. The model is asked when a run
 * ends, never before, since asking it must not change what it suggests. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "study/conductor.h"

#define TRIALS_MAX 64  /* the best by value; one of them it will be */
#define TRIALS_LEAST 3 /* that say something about noise */
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

static int ask_model(struct study *s, struct expectations *x, struct err *err)
{
    struct query q = {.selector = "best:64"};
    struct rows *rows = store_rows(s->store, &q, err);
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        double mean;
        if (x->count < TRIALS_MAX && isfinite(t.value) &&
            !search_mean(s->search, study_search_id(s, t.id), &mean) &&
            isfinite(mean))
            x->list[x->count++] = (struct expected){t.id, t.value, mean};
    }
    rows_close(rows);
    return got;
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

/* Where early stopping compares trials at its rungs, the model is one of the
 * values at a rung, and says nothing about those in the end. */
static bool knows_rungs(const struct plan *p)
{
    return p->early.kind != EARLY_NONE && p->early.kind != EARLY_RULE;
}

int study_means_write(struct study *s, struct err *err)
{
    struct expectations x = {.count = 0};
    double spread;
    struct buf b;
    if (!s->plan->metric.name.len || s->plan->repeat > 1)
        return 0;
    if ((!knows_rungs(s->plan) && ask_model(s, &x, err)) ||
        read_spread(s, &spread, err))
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
