/* test_calibrate.c - what calibration promises is kept, on rows of any kind */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "ensemble/ensemble.h"

enum { SPLITS = 200, KNOWN = 60, NEW = 400 };

static void the_rank_is_that_of_the_paper(void **state)
{
    double ten[] = {9, 3, 1, 7, 5, 10, 2, 8, 4, 6};
    (void)state;
    assert_true(conformal_score(ten, 9 + 1, 0.1) == 10); /* ⌈11 × 0.9⌉ = 10 */
    assert_true(conformal_score(ten, 9, 0.1) == 9);      /* exactly 9 of 9 */
    assert_true(conformal_score(ten, 8, 0.1) == INFINITY);
    assert_true(conformal_score(ten, 10, 0.5) == 6);
    assert_true(conformal_score(ten, 0, 0.5) == INFINITY);
}

/* Three kinds of errors: of one size, of many sizes, and of a size that hangs
 * on the row, where the score is in units of it. */
static double error_of(struct rng *r, int kind)
{
    double x = rng_normal(r);
    if (kind == 0)
        return fabs(x);
    if (kind == 1)
        return fabs(x * x * x);
    double sd = 0.1 + rng_uniform(r), said = sd * (0.5 + rng_uniform(r));
    return fabs(x * sd) / said;
}

static void new_rows_are_covered_as_often_as_promised(void **state)
{
    static const double alphas[] = {0.05, 0.1, 0.3};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct rng r;
        double sum = 0, squares = 0, alpha = alphas[kind];
        rng_init(&r, 11, (uint64_t)kind, "coverage");
        for (int s = 0; s < SPLITS; s++) {
            double known[KNOWN], inside = 0;
            for (int i = 0; i < KNOWN; i++)
                known[i] = error_of(&r, kind);
            double most = conformal_score(known, KNOWN, alpha);
            for (int i = 0; i < NEW; i++)
                inside += (error_of(&r, kind) <= most) / (double)NEW;
            sum += inside;
            squares += inside * inside;
        }
        double mean = sum / SPLITS;
        double se = sqrt((squares / SPLITS - mean * mean) / SPLITS);
        if (!(mean >= 1 - alpha - 3 * se &&
              mean <= 1 - alpha + 1.0 / (KNOWN + 1) + 3 * se))
            fail_msg("kind %d: %g of %g are covered", kind, mean, 1 - alpha);
    }
}

static void who_says_no_spread_has_an_interval_only(void **state)
{
    static const double said[] = {1, 2, 3}, truth[] = {1, 3, 5};
    static const double none[] = {0, 0, 1};
    struct calibrated_number n;
    (void)state;
    calibrate_number(said, NULL, truth, 3, 0.5, &n);
    assert_true(n.mae == 1 && n.interval == 1 && isnan(n.nll) &&
                isnan(n.coverage));
    calibrate_number(said, none, truth, 3, 0.3, &n);
    assert_true(n.interval_sd == INFINITY && n.crps > 0);
}

/* Probabilities that are too sure are made less so, and the other way. */
static void temperature_goes_the_right_way(void **state)
{
    static const double sure[] = {0.99, 0.01, 0.99, 0.01,
                                  0.99, 0.01, 0.01, 0.99};
    static const double doubts[] = {0.6, 0.4, 0.6, 0.4, 0.6, 0.4, 0.4, 0.6};
    static const size_t one_wrong[] = {0, 0, 1, 1}, right[] = {0, 0, 0, 1};
    struct calibrated_choice c;
    (void)state;
    calibrate_choice(sure, one_wrong, 2, 4, 0.5, &c);
    assert_true(c.temperature > 1 && c.nll_scaled < c.nll &&
                c.accuracy == 0.75);
    assert_true(fabs(c.ece - 0.24) < 1e-12 && c.ece_scaled < 1e-9);
    calibrate_choice(doubts, right, 2, 4, 0.5, &c);
    assert_true(c.temperature < 1 && c.nll_scaled < c.nll);
}

/* 37 of 50, one class of two in each set: no noise of running sums. */
static void shares_are_counts_by_rows(void **state)
{
    double p[100], said[50], sd[50], truth[50];
    size_t class[50];
    struct calibrated_choice c;
    struct calibrated_number n;
    (void)state;
    for (size_t i = 0; i < 50; i++) {
        p[2 * i] = 0.9;
        p[2 * i + 1] = 1 - 0.9;
        class[i] = i >= 37;
        said[i] = 0;
        sd[i] = 1;
        truth[i] = i < 37 ? 0 : 9;
    }
    calibrate_choice(p, class, 2, 50, 0.5, &c);
    assert_true(c.accuracy == 37 / 50. && c.set_size == 1);
    calibrate_number(said, sd, truth, 50, 0.1, &n);
    assert_true(n.coverage == 37 / 50. && n.covered[0] == 37 / 50.);
}

static double figure(const struct value *list, size_t i, const char *name)
{
    const struct value *v = value_at(list, i);
    return value_number(value_get(value_get(v, STR("metrics")), str_of(name)));
}

static int64_t place(const struct value *list, size_t i, const char *name)
{
    return value_get(value_at(list, i), str_of(name))->i;
}

/* Two members, three rows: a choice of three, a number, and two that are each
 * a yes or no. */
static const struct combine_head heads[] = {
    {.width = 3, .classes = true}, {.width = 1}, {.width = 2, .each = true}};
static const double numbers[] = {0,
                                 1,
                                 1,
                                 0,
                                 /* truths */ 0.8,
                                 0.1,
                                 0.1,
                                 1,
                                 0.9,
                                 0.2,
                                 /* the other: */ 0.6,
                                 0.3,
                                 0.1,
                                 2,
                                 0.7,
                                 0.4, /* row 1 */
                                 1,
                                 5,
                                 0,
                                 1,
                                 0.2,
                                 0.7,
                                 0.1,
                                 4,
                                 0.4,
                                 0.9, /* and two more */
                                 0.2,
                                 0.5,
                                 0.3,
                                 6,
                                 0.2,
                                 0.9,
                                 2,
                                 0,
                                 1,
                                 1,
                                 0.6,
                                 0.2,
                                 0.2,
                                 2,
                                 0.7,
                                 0.3,
                                 0.4,
                                 0.4,
                                 0.2,
                                 2,
                                 0.9,
                                 0.3};

static void every_output_is_judged_as_what_it_is(void **state)
{
    static const double weights[] = {0.5, 0.5};
    struct opinions o = {.rows = 3,
                         .members = 2,
                         .heads = heads,
                         .head_count = 3,
                         .wide = 6,
                         .truths = 4,
                         .numbers = numbers};
    struct combine_rule r = {.members = 2, .samples = 1, .weights = weights};
    struct arena *a = arena_new();
    (void)state;
    const struct value *list = opinions_calibrate(&o, &r, 0.5, a);
    assert_int_equal(list->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(place(list, i, "head"), i < 2 ? i : 2);
        assert_int_equal(place(list, i, "output"), i == 3);
    }
    assert_true(fabs(figure(list, 0, "accuracy") - 2.0 / 3) < 1e-12);
    assert_true(fabs(figure(list, 1, "mae") - 2.5 / 3) < 1e-12);
    assert_true(fabs(figure(list, 1, "sharpness") - 0.5) < 1e-12);
    assert_true(figure(list, 2, "accuracy") == 1);
    assert_true(fabs(figure(list, 3, "accuracy") - 2.0 / 3) < 1e-12);
    assert_null(
        value_get(value_get(value_at(list, 0), STR("metrics")), STR("mae")));
    arena_free(a);
}

static void is_called(const struct value *list, size_t i, const char *name)
{
    struct str said = value_text(value_get(value_at(list, i), STR("name")));
    if (!str_is(said, name))
        fail_msg("%zu is called %.*s, not %s", i, STRF(said), name);
}

/* Through the file, too. */
static void outputs_are_called_what_predictions_call_them(void **state)
{
    static const char *const two[] = {"low", "high"};
    struct combine_head own[3] = {heads[0], heads[1], heads[2]};
    struct opinions o = {.rows = 3,
                         .members = 2,
                         .heads = own,
                         .head_count = 3,
                         .wide = 6,
                         .truths = 4,
                         .numbers = numbers},
                    got;
    struct combine_rule r = {
        .members = 2, .samples = 1, .weights = (const double[]){0.5, 0.5}};
    struct arena *a = arena_new();
    struct buf b;
    (void)state;
    buf_init(&b);
    own[0].names.prefix = "kind_";
    own[2].names = (struct combine_head_names){"end_", two, NULL};
    opinions_print(&b, &o);
    buf_add(&b, numbers, sizeof numbers);
    assert_int_equal(opinions_parse(&got, buf_str(&b), "passes", a, NULL), 0);
    const struct value *list = opinions_calibrate(&got, &r, 0.5, a);
    is_called(list, 0, "kind");
    is_called(list, 1, "");
    is_called(list, 2, "end_low");
    is_called(list, 3, "end_high");
    buf_done(&b);
    arena_free(a);
}

/* A member alone that says no spread has no sd; one that says it has. */
static void one_pass_has_the_spread_that_it_says(void **state)
{
    static const struct combine_head bare = {.width = 1};
    static const struct combine_head told = {.width = 2, .spreads = true};
    static const double said[] = {1, 2, 3, 5};
    static const double spread[] = {1, 2, 0, 3, 5, 0};
    static const double weight = 1;
    struct opinions o = {.rows = 2,
                         .members = 1,
                         .heads = &bare,
                         .head_count = 1,
                         .wide = 1,
                         .truths = 1,
                         .numbers = said};
    struct combine_rule r = {.members = 1, .samples = 1, .weights = &weight};
    struct arena *a = arena_new();
    (void)state;
    const struct value *list = opinions_calibrate(&o, &r, 0.5, a);
    assert_true(figure(list, 0, "mae") == 1.5);
    assert_null(value_get(value_get(value_at(list, 0), STR("metrics")),
                          STR("sharpness")));
    o.heads = &told;
    o.wide = 2;
    o.numbers = spread;
    list = opinions_calibrate(&o, &r, 0.5, a);
    assert_true(figure(list, 0, "mae") == 1.5);
    assert_true(figure(list, 0, "sharpness") == 1);
    arena_free(a);
}

static void what_is_not_a_number_is_not_scaled_to_one(void **state)
{
    double p[] = {NAN, NAN, NAN};
    struct calibrated_number n;
    (void)state;
    calibrate_scale(p, 3, 0.5, p);
    assert_true(isnan(p[0]) && isnan(p[1]) && isnan(p[2]));
    calibrate_number((double[]){1, 2}, (double[]){NAN, 1}, (double[]){1, 3}, 2,
                     0.5, &n);
    assert_true(isnan(n.rank_correlation));
}

/* A choice of three by two members, of two rows. */
static int parse_with(double said, struct err *err)
{
    static const struct combine_head three = {.width = 3, .classes = true};
    struct opinions o = {.rows = 2,
                         .members = 2,
                         .heads = &three,
                         .head_count = 1},
                    got;
    double rows[] = {0, 0.8, 0.1, 0.1, 0.6, 0.3,  0.1,
                     1, 0.2, 0.7, 0.1, 0.2, said, 0.3};
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    opinions_print(&b, &o);
    buf_add(&b, rows, sizeof rows);
    int rc = opinions_parse(&got, buf_str(&b), "passes", a, err);
    double loss = rc ? NAN : opinions_loss(&got, (double[]){0.5, 0.5});
    assert_true(rc || fabs(loss + (log(0.7) + log(0.6)) / 2) < 1e-12);
    buf_done(&b);
    arena_free(a);
    return rc;
}

static void models_that_say_no_numbers_are_not_judged(void **state)
{
    struct err err = {0};
    (void)state;
    assert_int_equal(parse_with(0.5, &err), 0);
    assert_int_equal(parse_with(NAN, &err), -1);
    assert_non_null(strstr(err.text, "no finite number"));
    assert_int_equal(parse_with(INFINITY, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rank_is_that_of_the_paper),
        cmocka_unit_test(new_rows_are_covered_as_often_as_promised),
        cmocka_unit_test(who_says_no_spread_has_an_interval_only),
        cmocka_unit_test(temperature_goes_the_right_way),
        cmocka_unit_test(shares_are_counts_by_rows),
        cmocka_unit_test(every_output_is_judged_as_what_it_is),
        cmocka_unit_test(outputs_are_called_what_predictions_call_them),
        cmocka_unit_test(one_pass_has_the_spread_that_it_says),
        cmocka_unit_test(what_is_not_a_number_is_not_scaled_to_one),
        cmocka_unit_test(models_that_say_no_numbers_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
