/* test_split.c - which rows are for what, and what is fitted on them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

/* 100 rows: x = the row, g = the row / 7, y: one row in ten is of class 1. */
static void write_rows(struct files *f)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "x,g,y\n");
    for (int i = 0; i < 100; i++)
        buf_addf(&b, "%d,group%d,%d\n", i, i / 7, i % 10 == 3);
    files_write(f, "t.csv", buf_str(&b));
    buf_done(&b);
}

static void mark(const struct data_part *p, int *seen, int add)
{
    for (size_t i = 0; i < p->count; i++)
        seen[p->rows[i]] += add;
}

static bool same(const struct data_part *a, const struct data_part *b)
{
    return a->count == b->count &&
           memcmp(a->rows, b->rows, a->count * sizeof(*a->rows)) == 0;
}

static struct data_view view_of(struct files *f, struct data_set *s,
                                const char *more, uint64_t seed)
{
    char spec[512];
    snprintf(spec, sizeof spec, "{\"file\": \"t.csv\", \"ignore\": \"g\"%s%s}",
             *more ? ", " : "", more);
    return files_view(f, s, spec, seed);
}

static struct data_set *open_rows(struct files *f)
{
    files_open(f);
    write_rows(f);
    return files_set(f, "{\"file\": \"t.csv\", \"ignore\": \"g\"}");
}

static void parts_by_fraction_share_no_row(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    (void)state;
    struct data_view v =
        view_of(&f, s, "\"validation\": 0.2, \"test\": 0.1", 1);
    int seen[100] = {0};
    assert_int_equal(v.train.count, 70);
    assert_int_equal(v.validation.count, 20);
    assert_int_equal(v.test.count, 10);
    mark(&v.train, seen, 1);
    mark(&v.validation, seen, 1);
    mark(&v.test, seen, 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
    /* The trial's seed changes nothing, the split's does. */
    struct data_view w =
        view_of(&f, s, "\"validation\": 0.2, \"test\": 0.1", 2);
    assert_true(same(&v.train, &w.train));
    w = view_of(&f, s, "\"validation\": 0.2, \"test\": 0.1, \"split_seed\": 5",
                1);
    assert_false(same(&v.train, &w.train));
    data_close(s);
    files_close(&f);
}

static void folds_cover_every_row_once(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    int seen[100] = {0};
    (void)state;
    for (int k = 1; k <= 7; k++) {
        char more[64];
        snprintf(more, sizeof more, "\"fold\": {\"k\": %d, \"of\": 7}", k);
        struct data_view v = view_of(&f, s, more, 1);
        int both[100] = {0};
        assert_int_equal(v.train.count + v.validation.count, 100);
        assert_true(v.validation.count == 14 || v.validation.count == 15);
        mark(&v.train, both, 1);
        mark(&v.validation, both, 1);
        mark(&v.validation, seen, 1);
        for (int i = 0; i < 100; i++)
            assert_int_equal(both[i], 1);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
    data_close(s);
    files_refuses(&f, "{\"file\": \"t.csv\", \"fold\": {\"k\": 0, \"of\": 5}}",
                  "K from 1 to N");
    files_refuses(&f,
                  "{\"file\": \"t.csv\", \"fold\": {\"k\": 1, \"of\": 5}, "
                  "\"validation\": 0.1}",
                  "leave `validation` out");
    files_close(&f);
}

static void stratified_folds_have_classes_in_proportion(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    const int32_t *y = data_set_table(s)->labels->categories;
    (void)state;
    for (int k = 1; k <= 5; k++) {
        char more[80];
        size_t ones = 0;
        snprintf(more, sizeof more,
                 "\"stratify\": true, \"fold\": {\"k\": %d, \"of\": 5}", k);
        struct data_view v = view_of(&f, s, more, 1);
        assert_int_equal(v.validation.count, 20);
        for (size_t i = 0; i < v.validation.count; i++)
            ones += y[v.validation.rows[i]] == 1;
        assert_int_equal(ones, 2);
    }
    data_close(s);
    files_close(&f);
}

static void groups_are_never_torn(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_rows(&f);
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"group\": \"g\"}");
    int times[100] = {0};
    for (int k = 1; k <= 4; k++) {
        char spec[128];
        int where[15] = {0};
        snprintf(spec, sizeof spec,
                 "{\"file\": \"t.csv\", \"group\": \"g\", \"fold\": {\"k\": "
                 "%d, \"of\": 4}}",
                 k);
        struct data_view v = files_view(&f, s, spec, 1);
        for (size_t i = 0; i < v.train.count; i++)
            where[v.train.rows[i] / 7] |= 1;
        for (size_t i = 0; i < v.validation.count; i++)
            where[v.validation.rows[i] / 7] |= 2;
        for (int g = 0; g < 15; g++)
            assert_true(where[g] == 1 || where[g] == 2);
        mark(&v.validation, times, 1);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(times[i], 1);
    data_close(s);
    files_refuses(&f,
                  "{\"file\": \"t.csv\", \"group\": \"g\", \"stratify\": "
                  "true}",
                  "cannot be kept both");
    files_refuses(&f,
                  "{\"file\": \"t.csv\", \"group\": \"g\", \"fold\": {\"k\": "
                  "30, \"of\": 60}}",
                  "15 groups");
    files_close(&f);
}

static void bootstrap_draws_with_replacement(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    int seen[100] = {0}, most = 0, none = 0;
    (void)state;
    struct data_view v = view_of(&f, s, "\"bootstrap\": true", 1);
    struct data_view again = view_of(&f, s, "\"bootstrap\": true", 1);
    struct data_view other = view_of(&f, s, "\"bootstrap\": true", 2);
    assert_int_equal(v.train.count, 100);
    assert_true(same(&v.train, &again.train));
    assert_false(same(&v.train, &other.train));
    mark(&v.train, seen, 1);
    for (int i = 0; i < 100; i++) {
        most = seen[i] > most ? seen[i] : most;
        none += seen[i] == 0;
    }
    assert_true(most > 1 && none > 20 && none < 50);
    assert_int_equal(v.validation.count, none);
    for (size_t i = 0; i < v.validation.count; i++)
        assert_int_equal(seen[v.validation.rows[i]], 0);
    other = view_of(&f, s, "\"bootstrap\": true, \"draw_seed\": 1", 2);
    assert_true(same(&v.train, &other.train));
    v = view_of(&f, s, "\"bootstrap\": 0.5, \"validation\": 0.2", 1);
    assert_int_equal(v.train.count, 40);
    assert_int_equal(v.validation.count, 20);
    data_close(s);
    files_close(&f);
}

static void bootstrap_draws_groups_whole(void **state)
{
    struct files f;
    static const char spec[] =
        "{\"file\": \"t.csv\", \"group\": \"g\", \"bootstrap\": true}";
    int seen[100] = {0}, none = 0;
    (void)state;
    files_open(&f);
    write_rows(&f);
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"group\": \"g\"}");
    struct data_view v = files_view(&f, s, spec, 1);
    assert_true(v.train.count >= 100 && v.train.count < 107);
    mark(&v.train, seen, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(seen[i], seen[i / 7 * 7]);
        none += seen[i] == 0;
    }
    assert_true(none > 0);
    assert_int_equal(v.validation.count, none);
    for (size_t i = 0; i < v.validation.count; i++)
        assert_int_equal(seen[v.validation.rows[i]], 0);
    data_close(s);
    files_close(&f);
}

static void rows_and_columns_are_drawn(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < 50; i++) {
        for (int c = 0; c < 20; c++)
            buf_addf(&b, "%d,", c);
        buf_addf(&b, "%d\n", i % 2);
    }
    files_write(&f, "t.csv", buf_str(&b));
    buf_done(&b);
    static const char spec[] =
        "{\"file\": \"t.csv\", \"rows\": 0.5, \"columns\": 0.3}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    struct data_view w = files_view(&f, s, spec, 2);
    const float *x = v.table->inputs->numbers, *y = w.table->inputs->numbers;
    assert_int_equal(v.train.count, 25);
    assert_int_equal(v.table->inputs->columns, 6);
    for (int c = 1; c < 6; c++)
        assert_true(x[c] > x[c - 1]);
    assert_memory_equal(x, x + 49 * 6, 6 * sizeof(float));
    assert_memory_not_equal(x, y, 6 * sizeof(float));
    data_close(s);
    files_refuses(&f, "{\"file\": \"t.csv\", \"rows\": 51}", "data.rows must");
    files_close(&f);
}

static void a_subset_is_a_part_of_a_larger_one(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    struct data_view v, w;
    struct data_choice small = {1, 0.1}, large = {2, 0.5};
    int seen[100] = {0};
    (void)state;
    struct value *spec = files_spec(
        &f, "{\"file\": \"t.csv\", \"ignore\": \"g\", \"validation\": 0.2}");
    assert_int_equal(data_view_make(&v, s, spec, &small, f.arena, NULL), 0);
    assert_int_equal(data_view_make(&w, s, spec, &large, f.arena, NULL), 0);
    assert_int_equal(v.train.count, 8);
    assert_int_equal(w.train.count, 40);
    assert_int_equal(v.validation.count, 20);
    mark(&w.train, seen, 1);
    for (size_t i = 0; i < v.train.count; i++)
        assert_int_equal(seen[v.train.rows[i]], 1);
    data_close(s);
    files_close(&f);
}

static void without_a_shuffle_the_last_rows_are_held_out(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    (void)state;
    struct data_view v =
        view_of(&f, s, "\"shuffle\": false, \"validation\": 0.25", 1);
    assert_true(v.in_order);
    for (uint32_t i = 0; i < 75; i++)
        assert_int_equal(v.train.rows[i], i);
    for (uint32_t i = 0; i < 25; i++)
        assert_int_equal(v.validation.rows[i], 75 + i);
    data_close(s);
    files_close(&f);
}

static void files_say_parts(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "a.csv", "x,y\n1,cat\n2,dog\n3,cat\n");
    files_text(&f, "b.csv", "x,y\n4,emu\n5,dog\n");
    static const char spec[] =
        "{\"file\": \"a.csv\", \"test\": {\"file\": \"b.csv\"}}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    assert_int_equal(v.train.count, 3);
    assert_int_equal(v.test.count, 2);
    assert_int_equal(v.test.rows[0], 3);
    assert_int_equal(v.table->labels->classes, 3);
    assert_int_equal(v.table->labels->categories[4], 1); /* dog */
    data_close(s);
    static const char mixed[] = "{\"train\": \"a.csv\", \"validation\": 0.34, "
                                "\"test\": \"b.csv\"}";
    s = files_set(&f, mixed);
    v = files_view(&f, s, mixed, 1);
    assert_int_equal(v.train.count, 2);
    assert_int_equal(v.validation.count, 1);
    assert_int_equal(v.test.count, 2);
    data_close(s);
    files_text(&f, "b.csv", "x,z,y\n4,1,emu\n");
    files_refuses(&f, spec, "b.csv: rows of 3 columns, but those of");
    files_close(&f);
}

static void scaling_is_fitted_on_training_rows(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "a.csv", "x,k,y\n1,5,0\n3,5,1\n5,5,0\n");
    files_text(&f, "b.csv", "x,k,y\n1000,9,0\n");
#define SPEC(how)                                                              \
    "{\"train\": \"a.csv\", \"validation\": \"b.csv\", \"scale\": \"" how "\"" \
    "}"
    struct data_set *s = files_set(&f, SPEC("std"));
    struct data_view v = files_view(&f, s, SPEC("std"), 1);
    assert_true(v.shift[0][0] == 3);
    assert_true(fabs((double)v.scale[0][0] - 1 / sqrt(8.0 / 3)) < 1e-7);
    assert_true(v.shift[0][1] == 5 && v.scale[0][1] == 1);
    v = files_view(&f, s, SPEC("minmax"), 1);
    assert_true(v.shift[0][0] == 1 && v.scale[0][0] == 0.25f);
    v = files_view(&f, s, SPEC("maxabs"), 1);
    assert_true(v.shift[0][0] == 0 && v.scale[0][0] == 0.2f);
    v = files_view(&f, s, SPEC("none"), 1);
    assert_null(v.shift);
    data_close(s);
    files_refuses(&f, SPEC("zscore"),
                  "use none, minmax, maxabs, std, robust or quantile");
    files_close(&f);
}

static void scaled_numbers_are_finite(void **state)
{
    static const char *const ways[] = {"std", "minmax", "maxabs"};
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "small.csv", "x,y\n1e-42,0\n2e-42,1\n");
    files_text(&f, "large.csv", "x,y\n-3e38,0\n3e38,1\n3e38,1\n");
    for (size_t i = 0; i < 3; i++) {
        const char *spec = arena_printf(
            f.arena, "{\"file\": \"small.csv\", \"scale\": \"%s\"}", ways[i]);
        struct data_set *s = files_set(&f, spec);
        assert_true(files_view(&f, s, spec, 1).scale[0][0] == 1);
        data_close(s);
    }
    files_refuses(&f, "{\"file\": \"large.csv\", \"scale\": \"minmax\"}",
                  "number 1 of input reaches from -3e+38 to 3e+38");
    files_close(&f);
}

static void pictures_are_scaled_as_a_whole(void **state)
{
    static const char x[] = "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\2"
                            "\0\4\2\12";
    struct files f;
    (void)state;
    files_open(&f);
    files_write(&f, "x", str_n(x, sizeof x - 1));
    files_text(&f, "y", "0\n1\n");
#define PICTURES(how)                                                          \
    "{\"inputs\": \"x\", \"labels\": \"y\", \"scale\": \"" how "\"}"
    struct data_set *s = files_set(&f, PICTURES("std"));
    struct data_view v = files_view(&f, s, PICTURES("std"), 1);
    for (int i = 0; i < 2; i++) {
        assert_true(v.shift[0][i] == 4);
        assert_true(fabs((double)v.scale[0][i] - 1 / sqrt(14.0)) < 1e-7);
    }
    v = files_view(&f, s, PICTURES("maxabs"), 1);
    assert_true(v.scale[0][0] == 0.1f && v.scale[0][1] == 0.1f);
    data_close(s);
    files_close(&f);
}

static void trials_share_a_view(void **state)
{
    struct files f;
    struct data_set *s = open_rows(&f);
    (void)state;
    struct data_view v = view_of(&f, s, "\"validation\": 0.2", 1);
    struct data_view w = view_of(&f, s, "\"validation\": 0.2", 2);
    assert_ptr_equal(v.train.rows, w.train.rows);
    /* More views than a set keeps: those live in the caller's arena. */
    for (uint64_t seed = 0; seed < 50; seed++) {
        v = view_of(&f, s, "\"bootstrap\": true", seed);
        assert_int_equal(v.train.count, 100);
    }
    data_close(s);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_by_fraction_share_no_row),
        cmocka_unit_test(folds_cover_every_row_once),
        cmocka_unit_test(stratified_folds_have_classes_in_proportion),
        cmocka_unit_test(groups_are_never_torn),
        cmocka_unit_test(bootstrap_draws_with_replacement),
        cmocka_unit_test(bootstrap_draws_groups_whole),
        cmocka_unit_test(rows_and_columns_are_drawn),
        cmocka_unit_test(a_subset_is_a_part_of_a_larger_one),
        cmocka_unit_test(without_a_shuffle_the_last_rows_are_held_out),
        cmocka_unit_test(files_say_parts),
        cmocka_unit_test(pictures_are_scaled_as_a_whole),
        cmocka_unit_test(scaling_is_fitted_on_training_rows),
        cmocka_unit_test(scaled_numbers_are_finite),
        cmocka_unit_test(trials_share_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
