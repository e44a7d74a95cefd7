/* test_novelty.c - distances from training rows, and the file of them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ensemble/ensemble.h"

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-12))
        fail_msg("%.17g is not %.17g", found, wanted);
}

/* Of one number the covariance is its variance, whatever is shrunk. */
static void of_one_number_it_is_deviations(void **state)
{
    static const double rows[] = {1, 3, 5, 7};
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n = {.alpha = 0.5};
    double scratch, far = 4 + 3 * sqrt(5);
    (void)state;
    assert_int_equal(novelty_fit(&n, rows, 4, 1, a, &err), 0);
    near(n.mean[0], 4);
    near(n.covariance[0], 5);
    near(novelty_distance(&n, &far, &scratch), 3);
    near(novelty_distance(&n, n.mean, &scratch), 0);
    arena_free(a);
}

static void a_unit_that_is_always_0_has_an_inverse(void **state)
{
    static const double rows[] = {1, 0, 2, 0, 4, 0, 8, 0, 16, 0};
    static const double alive[] = {4, 0.5};
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n = {0};
    double scratch[2];
    (void)state;
    assert_int_equal(novelty_fit(&n, rows, 5, 2, a, &err), 0);
    assert_true(n.shrinkage > 0 && n.shrinkage <= 1);
    assert_true(isfinite(novelty_distance(&n, alive, scratch)));
    arena_free(a);
}

static void members_are_added_by_weight_and_width(void **state)
{
    static const double narrow[] = {1, 3, 5, 7};
    static const double wide[] = {1, 0, 2, 1, 4, 0, 8, 2, 16, 1};
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty list[2] = {
        {.alpha = 0.5, .layer = STR("one"), .sha256 = STR("a")},
        {.alpha = 0.5, .layer = STR("two"), .sha256 = STR("b")}};
    double weights[] = {0.25, 0.75}, scores[] = {3, 1, 2, 4};
    struct novelties n = {
        .list = list, .weights = weights, .count = 2, .alpha = 0.5};
    struct novelties again;
    struct buf b;
    (void)state;
    assert_int_equal(novelty_fit(&list[0], narrow, 4, 1, a, &err), 0);
    assert_int_equal(novelty_fit(&list[1], wide, 5, 2, a, &err), 0);
    near(novelties_part(&n, 0, 3), 0.75);
    near(novelties_part(&n, 1, 4), 3 / sqrt(2));
    assert_int_equal(novelties_limit(&n, scores, 4, &err), 0);
    near(n.threshold, 3);
    assert_int_equal(n.held_out, 4);
    buf_init(&b);
    novelties_print(&b, &n);
    assert_true(novelties_is(buf_str(&b)));
    assert_int_equal(novelties_parse(&again, buf_str(&b), "x", a, &err), 0);
    assert_int_equal(again.count, 2);
    near(again.threshold, 3);
    near(novelties_part(&again, 1, 4), 3 / sqrt(2));
    assert_true(str_is(again.list[1].layer, "two"));
    /* The last line is missing, or a file is of the other kind. */
    struct str text = buf_str(&b);
    size_t less =
        (size_t)((const char *)memrchr(text.p, '\n', text.len - 1) - text.p) +
        1;
    assert_int_equal(novelties_parse(&again, str_n(text.p, less), "x", a, &err),
                     -1);
    assert_non_null(strstr(err.text, "x is damaged"));
    struct novelty one;
    assert_int_equal(novelty_parse(&one, text, "x", a, &err), -1);
    assert_non_null(strstr(err.text, "fitted for an ensemble"));
    buf_done(&b);
    arena_free(a);
}

/* Whoever asks for distances reads either file. */
static void of_one_model_the_score_is_the_distance(void **state)
{
    static const double rows[] = {1, 2, 2, 1, 4, 7, 8, 3, 16, 0.1};
    double few[] = {1, 2, 3}, told[NOVELTY_SCORES];
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n = {
        .alpha = 0.5, .layer = STR("hidden"), .sha256 = STR("ab")};
    struct novelties all;
    struct buf b;
    (void)state;
    buf_init(&b);
    assert_int_equal(novelty_fit(&n, rows, 5, 2, a, &err), 0);
    assert_int_equal(novelty_limit(&n, few, 3, &err), 0);
    novelty_print(&b, &n);
    assert_int_equal(novelties_parse_any(&all, buf_str(&b), "x", a, &err), 0);
    assert_true(all.alone && all.count == 1);
    near(all.threshold, 2);
    near(novelties_part(&all, 0, 3), 3);
    novelties_judge(&all, 2, told);
    assert_true(told[0] == 2 && told[1] == 0);
    novelties_judge(&all, 2.5, told);
    assert_true(told[0] == 2.5 && told[1] == 1);
    novelties_judge(&all, INFINITY, told); /* like nothing */
    assert_true(isnan(told[0]) && told[1] == 1);
    novelties_judge(&all, NAN, told);
    assert_true(isnan(told[0]) && told[1] == 1);
    assert_int_equal(novelties_parse_any(&all, STR("{}"), "x", a, &err), -1);
    assert_non_null(strstr(err.text, "none that `novelty` has written"));
    buf_done(&b);
    arena_free(a);
}

static void what_says_nothing_is_refused(void **state)
{
    static const double same[] = {3, 3, 3, 3};
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n = {.alpha = 0.05};
    double few[3] = {1, 2, 3};
    (void)state;
    assert_int_equal(novelty_fit(&n, same, 2, 2, a, &err), -1);
    assert_non_null(strstr(err.text, "the same of all training rows"));
    assert_int_equal(novelty_fit(&n, same, 1, 0, a, &err), -1);
    assert_int_equal(novelty_fit(&n, same, 1, 5000, a, &err), -1);
    assert_non_null(strstr(err.text, "5000 numbers a row"));
    assert_int_equal(novelty_limit(&n, few, 3, &err), -1);
    assert_non_null(strstr(err.text, "3 rows are too few"));
    n.alpha = 0.25;
    assert_int_equal(novelty_limit(&n, few, 3, &err), 0);
    near(n.threshold, 3);
    arena_free(a);
}

static void what_is_written_is_read(void **state)
{
    static const double rows[] = {1, 2, 2, 1, 4, 7, 8, 3, 16, 0.1};
    static const double at[] = {-1, 9};
    double few[] = {1, 2, 3}, scratch[2];
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n = {
        .alpha = 0.5, .layer = STR("hidden"), .sha256 = STR("ab")};
    struct novelty back = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    assert_int_equal(novelty_fit(&n, rows, 5, 2, a, &err), 0);
    assert_int_equal(novelty_limit(&n, few, 3, &err), 0);
    novelty_print(&b, &n);
    assert_int_equal(novelty_parse(&back, buf_str(&b), "f", a, &err), 0);
    assert_true(str_is(back.layer, "hidden") && str_is(back.sha256, "ab"));
    assert_int_equal(back.rows, 5);
    assert_int_equal(back.held_out, 3);
    near(back.threshold, n.threshold);
    near(novelty_distance(&back, at, scratch),
         novelty_distance(&n, at, scratch));
    buf_done(&b);
    arena_free(a);
}

static void refuses(const char *text, const char *why)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n;
    assert_int_equal(novelty_parse(&n, str_of(text), "f", a, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("%s: %s", text, err.text);
    arena_free(a);
}

#define HEAD "{\"format\":\"throng.novelty/1\",\"layer\":\"h\",\"threshold\":1,"

static void damaged_files_are_refused(void **state)
{
    (void)state;
    refuses("", "f");
    refuses("[]", "none that `novelty` has written");
    refuses(HEAD "\"mean\":[],\"covariance\":[]}", "damaged");
    refuses(HEAD "\"mean\":[1],\"covariance\":[1,2]}", "damaged");
    refuses(HEAD "\"mean\":[\"1\"],\"covariance\":[1]}", "damaged");
    refuses(HEAD "\"mean\":[1],\"covariance\":[NaN]}", "damaged");
    refuses(HEAD "\"mean\":[1],\"covariance\":[-1]}", "no covariance");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_number_it_is_deviations),
        cmocka_unit_test(a_unit_that_is_always_0_has_an_inverse),
        cmocka_unit_test(members_are_added_by_weight_and_width),
        cmocka_unit_test(of_one_model_the_score_is_the_distance),
        cmocka_unit_test(what_says_nothing_is_refused),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
