/* test_outliers.c - numbers far from the others, and scales that bear them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

#define ROWS 40

/* x: 0 to 39 and two that are far away, one of them held out (the last rows
 * are); colour: one row of 40 is red; z never changes. */
static void write_rows(struct files *f)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "x,colour,z,y\n");
    for (int i = 0; i < ROWS; i++)
        buf_addf(&b, "%d,%s,0.1,%d\n",
                 i == 5    ? 1000
                 : i == 39 ? -1000
                           : i,
                 i == 7 ? "red" : "white", i % 2);
    files_write(f, "t.csv", buf_str(&b));
    buf_done(&b);
}

#define HELD "\"file\":\"t.csv\",\"shuffle\":false,\"validation\":0.25"

static void rows_with_outliers_do_not_train(void **state)
{
    static const char *const rules[] = {"{\"sd\":4}", "{\"iqr\":3}"};
    struct files f;
    char spec[256];
    (void)state;
    files_open(&f);
    write_rows(&f);
    for (size_t i = 0; i < 2; i++) {
        snprintf(spec, sizeof spec, "{" HELD ",\"outliers\":%s}", rules[i]);
        struct data_set *s = files_set(&f, spec);
        struct data_view v = files_view(&f, s, spec, 1);
        assert_int_equal(v.train.count, 29); /* the red row stays */
        for (size_t k = 0; k < v.train.count; k++)
            assert_int_not_equal(v.train.rows[k], 5);
        assert_int_equal(v.validation.count, 10);
        assert_non_null(
            strstr(v.notice, "1 of 30 training rows have outliers"));
        assert_non_null(strstr(v.notice, "row 6: column x is 1000): left out"));
        data_close(s);
    }
    files_close(&f);
}

static void clipped_numbers_stay_in_their_rows(void **state)
{
    static const bool as_class[] = {true};
    static const char spec[] =
        "{" HELD
        ",\"outliers\":{\"iqr\":3,\"clip\":true},\"scale\":\"minmax\"}";
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    write_rows(&f);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1), w;
    const struct data_field *x = v.table->inputs;
    assert_int_equal(v.train.count, 30);
    /* Of 0 to 29 less 5 and 1000: quartiles 8.25 and 22.75. */
    assert_true(data_number(x, 5, 0) == 22.75f + 3 * 14.5f);
    assert_true(data_number(x, 39, 0) == 8.25f - 3 * 14.5f);
    assert_true(data_number(x, 12, 0) == 12);
    assert_non_null(strstr(v.notice, ": clipped, 1 number"));
    buf_init(&b);
    data_fitted_print(&b, s, files_spec(&f, spec), &v, as_class);
    files_text(&f, "new.csv", "x,colour,z\n99999,white,0.1\n3,red,0.1\n");
    struct data_set *n =
        data_open_fitted(files_spec(&f, "{\"file\":\"new.csv\"}"), f.folder,
                         buf_str(&b), "w", &w, &f.err);
    if (!n)
        fail_msg("%s", f.err.text);
    assert_true(data_number(w.table->inputs, 0, 0) == 22.75f + 3 * 14.5f);
    assert_true(data_number(w.table->inputs, 1, 0) == 3);
    data_close(n);
    buf_done(&b);
    data_close(s);
    files_close(&f);
}

static float seen(const struct data_view *v, size_t row, size_t column)
{
    return (data_number(v->table->inputs, row, column) - v->shift[0][column]) *
           v->scale[0][column];
}

static void robust_looks_at_the_middle_half(void **state)
{
    static const char spec[] = "{" HELD ",\"scale\":\"robust\"}";
    struct files f;
    (void)state;
    files_open(&f);
    write_rows(&f);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    /* Median 15.5, quartiles 8.25 and 22.75. */
    assert_true(fabsf(v.shift[0][0] - 15.5f) < 1e-6f);
    assert_true(fabsf(seen(&v, 30, 0) - 1) < 1e-6f);
    assert_true(seen(&v, 3, 3) == 0); /* never changes */
    data_close(s);
    files_close(&f);
}

static void quantiles_are_even(void **state)
{
    static const bool as_class[] = {true};
    static const char spec[] = "{\"file\":\"q.csv\",\"scale\":\"quantile\"}";
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    buf_init(&b);
    buf_adds(&b, "x,half,y\n"); /* x: 0 to 200 cubed; half: 100 zeros */
    for (int i = 0; i <= 200; i++)
        buf_addf(&b, "%d,%d,%d\n", i * i * i, i < 100 ? 0 : i, i % 2);
    files_write(&f, "q.csv", buf_str(&b));
    buf_reset(&b);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1), w;
    for (size_t i = 0; i <= 200; i += 2)
        assert_true(fabsf(data_number(v.table->inputs, i, 0) - (float)i / 200) <
                    1e-6f);
    assert_true(data_number(v.table->inputs, 50, 1) == 0);
    assert_true(fabsf(data_number(v.table->inputs, 150, 1) - 0.75f) < 1e-6f);
    data_fitted_print(&b, s, files_spec(&f, spec), &v, as_class);
    files_text(&f, "new.csv", "x,half\n-7,150\n1000000,151\n1e9,999\n");
    struct data_set *n =
        data_open_fitted(files_spec(&f, "{\"file\":\"new.csv\"}"), f.folder,
                         buf_str(&b), "w", &w, &f.err);
    if (!n)
        fail_msg("%s", f.err.text);
    const struct data_field *x = w.table->inputs;
    assert_true(data_number(x, 0, 0) == 0 && data_number(x, 2, 0) == 1);
    assert_true(fabsf(data_number(x, 1, 0) - 0.5f) < 1e-6f);
    assert_true(data_number(x, 0, 1) == data_number(v.table->inputs, 150, 1));
    data_close(n);
    data_close(s);
    buf_done(&b);
    files_close(&f);
}

static void says(struct files *f, const char *json, const char *text)
{
    struct data_set *s = files_set(f, json);
    struct data_choice choice = {.seed = 1};
    struct data_view v;
    assert_int_not_equal(
        data_view_make(&v, s, files_spec(f, json), &choice, f->arena, &f->err),
        0);
    if (!strstr(f->err.text, text))
        fail_msg("\"%s\" has no \"%s\"", f->err.text, text);
    data_close(s);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_rows(&f);
    says(&f, "{\"file\":\"t.csv\",\"outliers\":5}", "must be {sd: N}");
    says(&f, "{\"file\":\"t.csv\",\"outliers\":{\"sd\":0}}", "must be {sd: N}");
    says(&f, "{\"file\":\"t.csv\",\"outliers\":{\"sd\":1,\"iqr\":1}}",
         "must be {sd: N}");
    says(&f, "{\"file\":\"t.csv\",\"outliers\":{\"std\":5}}",
         "there is no key std; did you mean sd?");
    says(&f, "{\"file\":\"t.csv\",\"outliers\":{\"sd\":0.001}}",
         "every training row has one");
    says(&f, "{\"file\":\"t.csv\",\"scale\":\"quantiles\"}",
         "robust or quantile");
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_with_outliers_do_not_train),
        cmocka_unit_test(clipped_numbers_stay_in_their_rows),
        cmocka_unit_test(robust_looks_at_the_middle_half),
        cmocka_unit_test(quantiles_are_even),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
