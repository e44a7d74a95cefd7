/* test_coverage.c - conformal intervals and sets hold what they promise
 *
 * Rows of one data set are split by chance, 200 times: calibrated on one part,
 * the other is covered with 1 - alpha at least and 1 - alpha + 1/(n+1) at most,
 * in the mean, within three standard errors of that mean. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/rng.h"
#include "ensemble/ensemble.h"

enum { ROWS = 400, HELD = 60, SPLITS = 200, CLASSES = 3 };
static const double alpha = 0.1;

struct rows {
    double predicted[ROWS], sd[ROWS], truth[ROWS];
    double p[ROWS][CLASSES];
    size_t class[ROWS];
};

/* The sd that is said is not the one that is: twice too small. */
static void fill(struct rows *d, struct rng *r, bool grows, bool skewed)
{
    for (size_t i = 0; i < ROWS; i++) {
        double x = rng_uniform(r), sd = grows ? 0.1 + x * x : 0.5;
        double error = skewed ? -log(1 - rng_uniform(r)) - 0.5 : rng_normal(r);
        d->predicted[i] = sin(6 * x);
        d->sd[i] = sd / 2;
        d->truth[i] = d->predicted[i] + sd * error;
    }
}

/* Probabilities that are too sure of themselves. */
static void fill_classes(struct rows *d, struct rng *r)
{
    for (size_t i = 0; i < ROWS; i++) {
        double logit[CLASSES], sum = 0, sharp = 0, u = rng_uniform(r);
        for (size_t k = 0; k < CLASSES; k++) {
            logit[k] = rng_normal(r);
            sum += exp(logit[k]);
            sharp += exp(2.5 * logit[k]);
        }
        d->class[i] = CLASSES - 1;
        for (size_t k = 0; k < CLASSES; k++) {
            d->p[i][k] = exp(2.5 * logit[k]) / sharp;
            u -= exp(logit[k]) / sum;
            if (u < 0 && d->class[i] == CLASSES - 1 && k < CLASSES - 1)
                d->class[i] = k;
        }
    }
}

static void shuffle(size_t *order, struct rng *r)
{
    for (size_t i = 0; i < ROWS; i++)
        order[i] = i;
    for (size_t i = ROWS; i-- > 1;) {
        size_t j = (size_t)rng_below(r, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* Coverage of rows of another day by what the held-out ones say. */
static double numbers_covered(const struct rows *d, const size_t *order,
                              bool by_sd)
{
    static const struct combine_head head = {.width = 1};
    double predicted[HELD], sd[HELD], truth[HELD], inside = 0;
    struct calibrated_number n;
    for (size_t i = 0; i < HELD; i++) {
        predicted[i] = d->predicted[order[i]];
        sd[i] = d->sd[order[i]];
        truth[i] = d->truth[order[i]];
    }
    calibrate_number(predicted, by_sd ? sd : NULL, truth, HELD, alpha, &n);
    struct calibrated_output c = {.interval = n.interval,
                                  .interval_sd =
                                      by_sd ? n.interval_sd : INFINITY};
    for (size_t i = HELD; i < ROWS; i++) {
        double said = d->predicted[order[i]], ends[2];
        double own = d->sd[order[i]], y = d->truth[order[i]];
        calibrated_apply(&head, &c, &own, 1, &said, ends);
        inside += y >= ends[0] && y <= ends[1];
    }
    return inside / (ROWS - HELD);
}

static double classes_covered(const struct rows *d, const size_t *order)
{
    static const struct combine_head head = {.width = CLASSES, .classes = true};
    double p[HELD][CLASSES], inside = 0;
    size_t truth[HELD];
    struct calibrated_choice n;
    for (size_t i = 0; i < HELD; i++) {
        truth[i] = d->class[order[i]];
        for (size_t k = 0; k < CLASSES; k++)
            p[i][k] = d->p[order[i]][k];
    }
    calibrate_choice(p[0], truth, CLASSES, HELD, alpha, &n);
    struct calibrated_output c = {.temperature = n.temperature,
                                  .threshold = n.threshold};
    for (size_t i = HELD; i < ROWS; i++) {
        double said[CLASSES], in[CLASSES];
        for (size_t k = 0; k < CLASSES; k++)
            said[k] = d->p[order[i]][k];
        calibrated_apply(&head, &c, NULL, 0, said, in);
        inside += in[d->class[order[i]]];
    }
    return inside / (ROWS - HELD);
}

static void holds(const struct rows *d, struct rng *r, bool classes, bool by_sd)
{
    double sum = 0, squares = 0;
    size_t order[ROWS];
    for (int i = 0; i < SPLITS; i++) {
        shuffle(order, r);
        double x = classes ? classes_covered(d, order)
                           : numbers_covered(d, order, by_sd);
        sum += x;
        squares += x * x;
    }
    double mean = sum / SPLITS;
    double error = sqrt((squares / SPLITS - mean * mean) / (SPLITS - 1));
    if (mean < 1 - alpha - 3 * error ||
        mean > 1 - alpha + 1.0 / (HELD + 1) + 3 * error)
        fail_msg("coverage %g, standard error %g", mean, error);
    if (!(error > 0 && error < 0.01))
        fail_msg("a standard error of %g says nothing", error);
}

static void intervals_of_one_width_cover(void **state)
{
    struct rows d;
    struct rng r;
    (void)state;
    rng_init(&r, 5, 0, "coverage");
    fill(&d, &r, false, true);
    holds(&d, &r, false, false);
}

static void intervals_by_sd_cover_where_noise_grows(void **state)
{
    struct rows d;
    struct rng r;
    (void)state;
    rng_init(&r, 6, 0, "coverage");
    fill(&d, &r, true, false);
    holds(&d, &r, false, true);
    holds(&d, &r, false, false);
}

static void sets_of_classes_cover(void **state)
{
    struct rows d;
    struct rng r;
    (void)state;
    rng_init(&r, 7, 0, "coverage");
    fill_classes(&d, &r);
    holds(&d, &r, true, false);
}

static void too_few_rows_say_nothing(void **state)
{
    static const struct combine_head head = {.width = 1};
    double zero[5] = {0}, said = 3, ends[2];
    struct calibrated_number n;
    (void)state;
    calibrate_number(zero, NULL, zero, 5, alpha, &n);
    struct calibrated_output c = {.interval = n.interval,
                                  .interval_sd = INFINITY};
    calibrated_apply(&head, &c, zero, 1, &said, ends);
    assert_true(isinf(ends[0]) && ends[0] < 0);
    assert_true(isinf(ends[1]) && ends[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_one_width_cover),
        cmocka_unit_test(intervals_by_sd_cover_where_noise_grows),
        cmocka_unit_test(sets_of_classes_cover),
        cmocka_unit_test(too_few_rows_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
