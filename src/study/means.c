/* means.c - what a model believes of the best trials
 *
 * Under noise the best value may only have been lucky, and what a model expects
 * of a trial says more. That there is noise is never guessed: equal points
 * must have had different values. A value that was measured stands first
 * everywhere; what is expected only stands beside it.
 *
 * The model is method gp's, whatever the study's own method is, made anew of
 * the results while they come and when a run ends: what the study suggests
 * never depends on it. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "base/hash.h"
#include "base/json.h"
#include "study/conductor.h"

#define TRIALS_MAX 64 /* best by value */
#define TRIALS_TOLD                                                            \
    5000 /* the newest; a search has come near its end there                   \
          */
/* When values of equal points lie this near to each other, compared with how
 * all values differ, there is no noise to speak of. */
#define NEAR 0.05
/* While trials run, the model takes at most one part in so many of the time. */
#define REST_FACTOR 50

/* In the order of their values, until they are sorted. */
struct expected {
    struct trial_mean mean;
    uint64_t point; /* a hash of it */
    size_t place;   /* by value, from 0 */
};
struct expectations {
    struct expected list[TRIALS_MAX];
    size_t count;
};

/* What is compared with what others of the same point had. */
struct measured {
    uint64_t point; /* a hash of it */
    int64_t trial;
    double value;
};
typedef VEC(struct measured) measured_list;

static struct query newest(void)
{
    return (struct query){
        .selector = "done,stopped", .descending = true, .limit = TRIALS_TOLD};
}

static struct query best_values(const struct study *s)
{
    return (struct query){.by = "value",
                          .where = "state = finished",
                          .descending = !s->plan->metric.minimize,
                          .limit = TRIALS_MAX};
}

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
            .trial = t.id, .state = STATE_DONE, .value = t.value};
        arena_reset(a);
        if (isfinite(t.value) &&
            (r.point = json_parse(a, t.point, "point", true, NULL)))
            search_tell(model, &r);
    }
    arena_free(a);
    rows_close(rows);
    return got;
}

/* Of equal points the same is expected: a model's rounding must not say that
 * one of them is better. */
static double mean_of_equal(const struct expectations *x, uint64_t point,
                            double mean)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->list[i].point == point)
            return x->list[i].mean.mean;
    return mean;
}

static int ask(struct study *s, struct search *model, const struct query *q,
               struct expectations *x, struct err *err)
{
    struct rows *rows = store_rows(s->store, q, err);
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        double mean;
        if (x->count == TRIALS_MAX || !isfinite(t.value) ||
            search_mean(model, t.id, &mean) || !isfinite(mean))
            continue;
        uint64_t point = hash64(t.point, 0);
        mean = mean_of_equal(x, point, mean);
        x->list[x->count] = (struct expected){{t.id, mean}, point, x->count};
        x->count++;
    }
    rows_close(rows);
    return got;
}

/* A space that the model cannot take is no fault: nothing is expected. */
static int expect(struct study *s, struct expectations *x, struct err *err)
{
    struct query last = newest(), best = best_values(s);
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

/* ---- is there noise? -------------------------------------------------- */

static int measure(struct study *s, const struct query *q, measured_list *list,
                   struct err *err)
{
    struct rows *rows = store_rows(s->store, q, err);
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        /* A value of a trial that was stopped is one of a shorter training. */
        if (t.state == STATE_DONE && isfinite(t.value))
            vec_push(list,
                     ((struct measured){hash64(t.point, 0), t.id, t.value}));
    rows_close(rows);
    return got;
}

static int by_point(const void *x, const void *y)
{
    const struct measured *a = x, *b = y;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* How far the values of equal points lie from each other, on average; 0 where
 * no point was tried twice. A trial may be listed twice. */
static double difference_of_equals(measured_list *list)
{
    double sum = 0;
    size_t pairs = 0;
    if (list->len)
        qsort(list->p, list->len, sizeof(*list->p), by_point);
    for (size_t i = 1; i < list->len; i++) {
        const struct measured *a = &list->p[i - 1], *b = &list->p[i];
        if (a->point != b->point || a->trial == b->trial)
            continue;
        sum += fabs(a->value - b->value);
        pairs++;
    }
    return pairs ? sum / (double)pairs : 0;
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

/* 1: equal points had different values, so different that it matters; 0; -1.
 */
static int is_noisy(struct study *s, struct err *err)
{
    struct query last = newest(), best = best_values(s);
    measured_list list = {0};
    double spread = 0, difference = 0;
    int rc = measure(s, &best, &list, err) || measure(s, &last, &list, err);
    if (!rc)
        difference = difference_of_equals(&list);
    vec_done(&list);
    if (rc || (difference > 0 && read_spread(s, &spread, err)))
        return -1;
    return difference > NEAR * spread;
}

static int least_mean(const void *x, const void *y)
{
    const struct expected *a = x, *b = y;
    if (a->mean.mean != b->mean.mean)
        return a->mean.mean < b->mean.mean ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static int greatest_mean(const void *x, const void *y)
{
    const struct expected *a = x, *b = y;
    return a->mean.mean != b->mean.mean ? least_mean(y, x) : least_mean(x, y);
}

/* ---- what is expected ------------------------------------------------- */

/* Points that nobody chose by results lie too far apart to tell noise from
 * shape; a population's trials go on from each other; with early stopping at
 * rungs values are of trainings of different lengths; and the mean of repeats,
 * a Pareto set or bounds say more than a model does. */
static bool expects(const struct study *s)
{
    const struct plan *p = s->plan;
    bool rungs = p->early.kind != EARLY_NONE && p->early.kind != EARLY_RULE;
    return p->metric.name.len && p->repeat <= 1 && !rungs &&
           !search_foresees(s->search) && !p->strategy->descends &&
           p->goal.objective_count <= 1 && !p->goal.bound_count;
}

/* Fills x with nothing where there is no noise to speak of. */
static int expect_if_noisy(struct study *s, struct expectations *x,
                           struct err *err)
{
    int noisy = is_noisy(s, err);
    if (noisy < 0 || (noisy && expect(s, x, err)))
        return -1;
    qsort(x->list, x->count, sizeof(*x->list),
          s->plan->metric.minimize ? least_mean : greatest_mean);
    return 0;
}

int study_means_write(struct study *s, struct err *err)
{
    struct expectations x = {.count = 0};
    struct trial_mean means[TRIALS_MAX] = {{0}};
    if (expects(s) && expect_if_noisy(s, &x, err))
        return -1;
    if (!x.count && !s->likely.trial)
        return 0;
    for (size_t i = 0; i < x.count; i++)
        means[i] = x.list[i].mean;
    s->likely = means[0];
    run_dirty(&s->run);
    return store_means_set(s->store, means, x.count, err);
}

int study_means_open(struct study *s, struct err *err)
{
    struct trial_mean *list;
    size_t count;
    if (store_means(s->store, s->arena, &list, &count, err))
        return -1;
    if (count)
        s->likely = list[0];
    return 0;
}

void study_means_look(struct study *s)
{
    int64_t now = clock_mono_ns();
    clock_t begin = clock();
    if (s->means_heard == s->run.ended_here || now < s->means_next_ns ||
        !expects(s))
        return;
    /* What fails here fails again, and is said, where results are committed
     * and where the run ends. */
    study_means_write(s, NULL);
    int64_t cost_ns = (int64_t)(clock() - begin) * 1000000000 / CLOCKS_PER_SEC;
    s->means_heard = s->run.ended_here;
    s->means_next_ns = now + (REST_FACTOR + 1) * cost_ns;
}

bool study_likely(const struct study *s, struct trial_mean *best)
{
    *best = s->likely;
    return best->trial != 0;
}
