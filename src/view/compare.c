/* compare.c - are these sets of trials different, or is it chance?
 *
 * Over folds, or other ways to split the same rows: the corrected resampled t
 * test of Nadeau and Bengio. Splits share training rows, so that their results
 * are not independent; the variance of the mean difference is taken as
 * (1/n + n_test/n_train) s^2 instead of s^2/n. Over data sets, which are
 * independent: Wilcoxon's signed ranks, of which fewer than six can never be
 * significant. Of more than two arms p is adjusted as Holm does, within each
 * data set. */
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/signed_ranks.h"
#include "base/student.h"
#include "view/view.h"

#define DATASETS_LEAST 6

/* ---- rows that judge for each that trains -------------------------------- */

static const struct value *data_of(const struct plan *plan)
{
    return plan && plan->model_root ? value_get(plan->model_root, STR("data"))
                                    : NULL;
}

/* True when what is looked over stands in a text of the data. */
static bool is_looked_over(const struct paired *p, const struct value *v)
{
    for (size_t i = 0; v && i < p->over.len; i++)
        if (text_names(v, p->over.p[i]))
            return true;
    return false;
}

/* What built-in training does with its rows. */
static void ratio_of_data(struct compare *k, const struct value *data)
{
    const struct paired *p = &k->paired;
    const struct value *fold = value_get(data, STR("fold"));
    double of = value_number(value_get(fold, STR("of")));
    double validation = value_number(value_get(data, STR("validation")));
    double test = value_number(value_get(data, STR("test")));
    if (is_looked_over(p, value_get(fold, STR("k")))) {
        k->ratio = of > 1 ? 1 / (of - 1) : NAN; /* then --ratio is asked for */
        k->ratio_from = arena_printf(k->arena, "%g folds", of);
    } else if (is_looked_over(p, value_get(data, STR("split_seed")))) {
        k->ratio = validation / (1 - validation - (isnan(test) ? 0 : test));
        k->ratio_from = arena_printf(k->arena, "validation: %g", validation);
    } else if (is_looked_over(p, value_get(data, STR("validation"))) ||
               is_looked_over(p, value_get(data, STR("test")))) {
        k->ratio = NAN;
    } else {
        k->ratio = 0;
        k->ratio_from = "all trials are judged on the same rows";
    }
}

/* Of a study of commands: by the values that a parameter called fold has. */
static void ratio_of_folds(struct compare *k, const struct plan *plan)
{
    const struct paired *p = &k->paired;
    for (size_t i = 0; i < p->over.len; i++) {
        const char *why;
        long at = plan && str_starts(p->over.p[i], STR("fold"))
                      ? space_find(&plan->space, p->over.p[i])
                      : -1;
        uint64_t count =
            at >= 0 ? param_grid_count(&plan->space.params[at], &why) : 0;
        if (count < 2)
            continue;
        k->ratio = 1 / (double)(count - 1);
        k->ratio_from =
            arena_printf(k->arena, "%llu folds", (unsigned long long)count);
    }
}

static int find_ratio(struct compare *k, const struct plan *plan, double asked,
                      struct err *err)
{
    const struct value *data = data_of(plan);
    k->ratio = asked;
    k->ratio_from = "as said";
    if (!isnan(asked))
        return 0;
    if (data && data->kind == VALUE_OBJECT)
        ratio_of_data(k, data);
    else
        ratio_of_folds(k, plan);
    if (isfinite(k->ratio) && k->ratio >= 0)
        return 0;
    return err_set(err, ERR_INPUT,
                   "the study does not say how many rows judge for each that "
                   "trains, which the test needs: --ratio 1/4 for five folds, "
                   "--ratio 0 where all trials are judged on the same rows and "
                   "differ in their seed alone");
}

int compare_ratio(const char *text, double *ratio, struct err *err)
{
    struct str rest = str_of(text ? text : ""), part;
    double list[2] = {NAN, 1};
    size_t n = 0;
    *ratio = NAN;
    if (!text)
        return 0;
    while (n < 2 && str_split(&rest, '/', &part))
        if (!num_double(str_trim(part), &list[n++]))
            list[0] = NAN;
    *ratio = list[0] / list[1];
    if (!rest.len && isfinite(*ratio) && *ratio >= 0)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--ratio %s: expected rows that judge for each that "
                   "trains, such as 1/4 or 0.25",
                   text);
}

/* ---- tests --------------------------------------------------------------- */

struct differences {
    VEC(double) list;
    double sum_a, sum_b;
};

static void difference_add(struct differences *d, double a, double b)
{
    vec_push(&d->list, a - b);
    d->sum_a += a;
    d->sum_b += b;
}

/* Fills what both kinds of test have: n, means, sd. */
static void describe(struct compare_test *t, const struct differences *d)
{
    double n = (double)d->list.len, squares = 0;
    t->n = d->list.len;
    t->mean_a = t->n ? d->sum_a / n : NAN;
    t->mean_b = t->n ? d->sum_b / n : NAN;
    t->sd = t->low = t->high = t->statistic = t->df = t->p = t->adjusted = NAN;
    double sum = 0;
    for (size_t i = 0; i < t->n; i++)
        sum += d->list.p[i];
    t->mean = t->n ? sum / n : NAN;
    for (size_t i = 0; i < t->n; i++)
        squares += (d->list.p[i] - t->mean) * (d->list.p[i] - t->mean);
    if (t->n > 1)
        t->sd = sqrt(squares / (n - 1));
}

static void test_t(const struct compare *k, struct compare_test *t)
{
    if (t->n < 2) {
        t->why = t->n ? "one pair says nothing of chance"
                      : "they have nothing in common";
        return;
    }
    double n = (double)t->n;
    t->df = n - 1;
    double error = sqrt((1 / n + k->ratio) * t->sd * t->sd);
    /* What remains of equal differences is rounding. */
    if (t->sd <= 1e-14 * (fabs(t->mean_a) + fabs(t->mean_b))) {
        t->why = t->mean == 0 ? "all differences are zero"
                              : "all differences are the same: there is no "
                                "spread to judge by";
        t->low = t->high = t->mean;
        return;
    }
    double reach = student_beyond(1 - GROUP_CONFIDENCE, t->df) * error;
    t->low = t->mean - reach;
    t->high = t->mean + reach;
    t->statistic = t->mean / error;
    t->p = student_two_sided(t->statistic, t->df);
}

static void test_wilcoxon(const struct compare *k, struct compare_test *t,
                          const struct differences *d)
{
    struct signed_ranks r = signed_ranks_of(d->list.p, d->list.len);
    if (!r.count) {
        t->why = t->n ? "all differences are zero"
                      : "they have nothing in "
                        "common";
        return;
    }
    if (r.count < DATASETS_LEAST) {
        t->why = arena_printf(
            k->arena,
            "%zu data set%s that differ%s: six are needed, with %zu the "
            "smallest p is %g",
            r.count, r.count == 1 ? "" : "s", r.count == 1 ? "s" : "", r.count,
            ldexp(2, -(int)r.count));
        return;
    }
    t->statistic = fmin(r.plus, r.minus);
    t->p = r.p;
}

static bool is_of(const struct paired_block *b, const char *dataset)
{
    return !dataset || (b->dataset && !strcmp(b->dataset, dataset));
}

static bool has_both(const struct paired_block *b, size_t x, size_t y)
{
    return b->cells[x].count && b->cells[y].count;
}

static void add_t(struct compare *k, size_t a, size_t b, const char *dataset)
{
    struct differences d = {0};
    struct compare_test t = {
        .kind = COMPARE_T, .a = a, .b = b, .dataset = dataset};
    for (size_t i = 0; i < k->paired.blocks.len; i++) {
        const struct paired_block *block = &k->paired.blocks.p[i];
        if (is_of(block, dataset) && has_both(block, a, b))
            difference_add(&d, block->cells[a].mean, block->cells[b].mean);
    }
    describe(&t, &d);
    test_t(k, &t);
    vec_done(&d.list);
    vec_push(&k->tests, t);
}

/* A data set is one number: the mean over the folds that both have. */
static void add_wilcoxon(struct compare *k, size_t a, size_t b)
{
    struct differences d = {0};
    struct compare_test t = {.kind = COMPARE_WILCOXON, .a = a, .b = b};
    const struct paired_block *list = k->paired.blocks.p;
    size_t count = k->paired.blocks.len;
    for (size_t from = 0, to; from < count; from = to) {
        double sum_a = 0, sum_b = 0, n = 0;
        for (to = from; to < count && is_of(&list[to], list[from].dataset);
             to++)
            if (has_both(&list[to], a, b)) {
                sum_a += list[to].cells[a].mean;
                sum_b += list[to].cells[b].mean;
                n++;
            }
        if (n > 0)
            difference_add(&d, sum_a / n, sum_b / n);
    }
    describe(&t, &d);
    test_wilcoxon(k, &t, &d);
    vec_done(&d.list);
    vec_push(&k->tests, t);
}

/* ---- families ------------------------------------------------------------ */

static int by_p(const void *a, const void *b)
{
    double x = (*(struct compare_test *const *)a)->p;
    double y = (*(struct compare_test *const *)b)->p;
    return (x > y) - (x < y);
}

/* The tests from `from` on are a family, each p of which counts. */
static void adjust(struct compare *k, size_t from)
{
    VEC(struct compare_test *) family = {0};
    double most = 0;
    for (size_t i = from; i < k->tests.len; i++)
        if (!isnan(k->tests.p[i].p))
            vec_push(&family, &k->tests.p[i]);
    if (family.len)
        qsort(family.p, family.len, sizeof(*family.p), by_p);
    for (size_t i = 0; i < family.len; i++) {
        most = fmax(most, fmin(1, family.p[i]->p * (double)(family.len - i)));
        family.p[i]->adjusted = most;
    }
    vec_done(&family);
}

static void add_family(struct compare *k, enum compare_kind kind,
                       const char *dataset)
{
    size_t from = k->tests.len, arms = k->paired.arm_count;
    for (size_t a = 0; a < arms; a++)
        for (size_t b = a + 1; b < arms; b++) {
            /* A change is told as what it makes of the first. */
            size_t x = k->against_first ? b : a, y = k->against_first ? a : b;
            if (k->against_first && a)
                continue;
            if (kind == COMPARE_T)
                add_t(k, x, y, dataset);
            else
                add_wilcoxon(k, x, y);
        }
    adjust(k, from);
}

/* ---- what is to be said -------------------------------------------------- */

static void note_missing(struct compare *k)
{
    const struct paired *p = &k->paired;
    for (size_t a = 0; a < p->arm_count; a++) {
        struct buf b;
        size_t missing = 0;
        buf_init(&b);
        for (size_t i = 0; i < p->blocks.len; i++) {
            const struct paired_block *at = &p->blocks.p[i];
            if (at->cells[a].count || ++missing > 6)
                continue;
            buf_addf(&b, "%s%s%s%s", b.len ? ", " : "",
                     at->dataset ? at->dataset : "",
                     at->dataset && *at->name ? " " : "", at->name);
        }
        if (missing)
            vec_push(&k->notes,
                     arena_printf(k->arena,
                                  "%s has no value at %s%s: not compared there",
                                  p->arms[a].name, b.p,
                                  missing > 6 ? " …" : ""));
        if (p->arms[a].valueless)
            vec_push(&k->notes,
                     arena_printf(k->arena,
                                  "%lld of %lld trials of %s have no value "
                                  "that is a number: left out",
                                  (long long)p->arms[a].valueless,
                                  (long long)p->arms[a].trials,
                                  p->arms[a].name));
        buf_done(&b);
    }
}

static void run_tests(struct compare *k)
{
    const struct paired *p = &k->paired;
    bool folds = p->over.len > (p->dataset.len ? 1u : 0u);
    const char *last = NULL;
    for (size_t i = 0; folds && i < p->blocks.len; i++) {
        const char *dataset = p->blocks.p[i].dataset;
        if (i && is_of(&p->blocks.p[i], last))
            continue;
        add_family(k, COMPARE_T, dataset);
        last = dataset;
    }
    if (p->dataset.len)
        add_family(k, COMPARE_WILCOXON, NULL);
}

/* With no pair anywhere there is nothing to show. */
static int check_pairs(const struct compare *k, struct err *err)
{
    size_t most = 0;
    for (size_t i = 0; i < k->tests.len; i++)
        if (k->tests.p[i].n > most)
            most = k->tests.p[i].n;
    if (most >= 2)
        return 0;
    return err_set(err, ERR_INPUT,
                   "there %s in which two of them have a value: too few to "
                   "compare",
                   most ? "is only one place" : "is no place");
}

int compare_read(struct compare *k, struct store *store,
                 const struct plan *plan, const struct compare_asked *asked,
                 struct arena *a, struct err *err)
{
    *k = (struct compare){.arena = a, .against_first = asked->against_first};
    if (study_goal_read(store, a, &k->goal, err))
        return -1;
    if (!k->goal.name.len && !asked->paired.by)
        return err_set(err, ERR_INPUT,
                       "this study names no metric to compare by; add "
                       "`metric:` to its file");
    k->metric =
        asked->paired.by ? asked->paired.by : arena_cstr(a, k->goal.name);
    if (paired_read(&k->paired, store, plan, &asked->paired, a, err))
        return -1;
    bool folds = k->paired.over.len > (k->paired.dataset.len ? 1u : 0u);
    if (folds && find_ratio(k, plan, asked->ratio, err))
        return -1;
    note_missing(k);
    run_tests(k);
    return check_pairs(k, err);
}

void compare_done(struct compare *k)
{
    paired_done(&k->paired);
    vec_done(&k->tests);
    vec_done(&k->notes);
}
