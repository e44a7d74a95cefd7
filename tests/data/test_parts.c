/* test_parts.c - rows dealt out by fractions, counts and lists of blocks */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

static void write_rows(struct files *f, const char *name, int rows)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "x,y\n");
    for (int i = 0; i < rows; i++)
        buf_addf(&b, "%d,%d\n", i, i % 2);
    files_write(f, name, buf_str(&b));
    buf_done(&b);
}

/* The spec of so many rows for training, validation and test, in files. */
struct sizes {
    int train, validation, test;
};

static const char *spec_of(struct files *f, struct sizes n, const char *parts)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"train\": \"a.csv\"");
    write_rows(f, "a.csv", n.train);
    if (n.validation) {
        write_rows(f, "v.csv", n.validation);
        buf_adds(&b, ", \"validation\": \"v.csv\"");
    }
    if (n.test) {
        write_rows(f, "t.csv", n.test);
        buf_adds(&b, ", \"test\": \"t.csv\"");
    }
    buf_addf(&b, ", \"parts\": %s}", parts);
    const char *text = arena_cstr(f->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *rows_text(struct files *f, const struct data_view *v)
{
    const struct data_part *all[] = {&v->train, &v->validation, &v->test};
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; k < 3; k++) {
        buf_adds(&b, k ? " /" : "");
        for (size_t i = 0; i < all[k]->count; i++)
            buf_addf(&b, " %u", all[k]->rows[i]);
    }
    const char *text = arena_cstr(f->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Rows as they are dealt out by lists, which no chance is in. */
static void deals(struct sizes n, const char *parts, const char *rows)
{
    struct files f;
    files_open(&f);
    const char *spec = spec_of(&f, n, parts);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    assert_string_equal(rows_text(&f, &v), rows);
    data_close(s);
    files_close(&f);
}

/* The same by counts of rows in the parts; no row is in two of them. */
static void counts(struct sizes n, const char *parts, struct sizes rows)
{
    struct files f;
    int seen[64] = {0};
    files_open(&f);
    const char *spec = spec_of(&f, n, parts);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    const struct data_part *all[] = {&v.train, &v.validation, &v.test};
    assert_int_equal(v.train.count, rows.train);
    assert_int_equal(v.validation.count, rows.validation);
    assert_int_equal(v.test.count, rows.test);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < all[k]->count; i++)
            assert_int_equal(seen[all[k]->rows[i]]++, 0);
    data_close(s);
    files_close(&f);
}

static void lists_of_blocks_deal_rows_as_they_lie(void **state)
{
    (void)state;
    deals((struct sizes){10, 0, 4}, "{\"blocks\": [[0, 1], [2], []]}",
          " 0 1 2 3 4 5 / 6 7 8 9 / 10 11 12 13");
    deals((struct sizes){10, 0, 4}, "{\"blocks\": [[0, 2], [], [1]]}",
          " 0 1 2 3 4 10 11 12 13 / / 5 6 7 8 9");
    deals((struct sizes){7, 1, 3}, "{\"blocks\": [[0, 1], [2], [3]]}",
          " 0 1 2 3 4 5 / 6 7 8 / 9 10");
    deals((struct sizes){11, 0, 0}, "{\"blocks\": [[2, 0], [1], []]}",
          " 8 9 10 0 1 2 3 / 4 5 6 7 /");
    deals((struct sizes){6, 0, 4}, "{\"blocks\": [[1, 3], [0], [2]]}",
          " 3 4 5 9 / 0 1 2 / 6 7 8");
    deals((struct sizes){5, 0, 0}, "{\"blocks\": [[0, 1, 2], [3], []]}",
          " 0 1 2 / 3 4 /");
}

static void fractions_and_counts_round_as_candle_does(void **state)
{
    (void)state;
    counts((struct sizes){7, 0, 0}, "{\"fractions\": [0.5, 0.5, 0]}",
           (struct sizes){4, 3, 0});
    counts((struct sizes){5, 0, 0}, "{\"fractions\": [0.5, 0.5, 0]}",
           (struct sizes){2, 2, 0});
    counts((struct sizes){6, 2, 2}, "{\"fractions\": [0.5, 0.25, 0.25]}",
           (struct sizes){5, 2, 3});
    counts((struct sizes){10, 0, 0}, "{\"counts\": [2, 1, 0]}",
           (struct sizes){6, 3, 0});
    counts((struct sizes){11, 0, 0}, "{\"counts\": [2, 1, 0]}",
           (struct sizes){8, 3, 0});
    counts((struct sizes){8, 0, 3}, "{\"counts\": [2, 1, 1]}",
           (struct sizes){6, 3, 2});
    counts((struct sizes){8, 0, 3}, "{\"counts\": [3, 1, 0]}",
           (struct sizes){6, 2, 3});
}

static void each_trial_has_rows_of_its_own(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    const char *spec =
        spec_of(&f, (struct sizes){40, 0, 0}, "{\"fractions\": [0.5, 0.5, 0]}");
    const char *fixed = spec_of(&f, (struct sizes){40, 0, 0},
                                "{\"fractions\": [0.5, 0.5, 0]}, "
                                "\"draw_seed\": 1");
    const char *plain = spec_of(&f, (struct sizes){40, 0, 0},
                                "{\"counts\": [1, 1, 0]}, \"shuffle\": false");
    struct data_set *s = files_set(&f, spec);
    struct data_view one = files_view(&f, s, spec, 1);
    struct data_view again = files_view(&f, s, spec, 1);
    struct data_view two = files_view(&f, s, spec, 2);
    struct data_view same = files_view(&f, s, fixed, 2);
    struct data_view lying = files_view(&f, s, plain, 2);
    assert_string_equal(rows_text(&f, &one), rows_text(&f, &again));
    assert_string_not_equal(rows_text(&f, &one), rows_text(&f, &two));
    assert_string_equal(rows_text(&f, &one), rows_text(&f, &same));
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(lying.train.rows[i], i);
    data_close(s);
    files_close(&f);
}

static void refuses(const char *parts, const char *why)
{
    struct files f;
    struct err err = {0};
    struct data_view v;
    struct data_choice choice = {.seed = 1};
    files_open(&f);
    const char *spec = spec_of(&f, (struct sizes){9, 0, 0}, parts);
    struct data_set *s = files_set(&f, "{\"train\": \"a.csv\"}");
    int rc =
        data_view_make(&v, s, files_spec(&f, spec), &choice, f.arena, &err);
    assert_int_equal(rc, -1);
    if (!strstr(err.text, why))
        fail_msg("%s: %s", parts, err.text);
    data_close(s);
    files_close(&f);
}

static void what_makes_no_parts_is_refused(void **state)
{
    (void)state;
    refuses("3", "must be one of {fractions:");
    refuses("{\"fractions\": [1]}", "must be one of {fractions:");
    refuses("{\"fraction\": [1, 0, 0]}", "did you mean fractions?");
    refuses("{\"fractions\": [1, 0, 0], \"counts\": [1, 0, 0]}", "one of");
    refuses("{\"fractions\": [1.5, 0, 0]}", "number from 0 to 1");
    refuses("{\"fractions\": [\"a\", 0, 1]}", "number from 0 to 1");
    refuses("{\"fractions\": [0.5, 0.4, 0]}", "add up to 0.9, not to 1");
    refuses("{\"fractions\": [0.99, 0.01, 0]}", "none are for validation");
    refuses("{\"fractions\": [0, 1, 0]}", "no rows are left to train on");
    refuses("{\"counts\": [0, 0, 0]}", "cut into 0 blocks");
    refuses("{\"counts\": [20, 1, 0]}", "cut into 21 blocks");
    refuses("{\"counts\": [-1, 1, 0]}", "whole number from 0");
    refuses("{\"counts\": [1.5, 1, 0]}", "whole number from 0");
    refuses("{\"blocks\": [0, 1, 2]}", "three lists");
    refuses("{\"blocks\": [[], [], []]}", "cut into 0 blocks");
    refuses("{\"blocks\": [[0, 0], [1], []]}", "each of 0 to 2 must be named");
    refuses("{\"blocks\": [[0, 1], [5], []]}", "each of 0 to 2 must be named");
    refuses("{\"blocks\": [[0], [1], []]}, \"fold\": {\"k\": 1, \"of\": 2}",
            "data.fold cannot be kept");
    refuses("{\"blocks\": [[0], [1], []]}, \"validation\": 0.2",
            "data.validation and `parts` both say");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_blocks_deal_rows_as_they_lie),
        cmocka_unit_test(fractions_and_counts_round_as_candle_does),
        cmocka_unit_test(each_trial_has_rows_of_its_own),
        cmocka_unit_test(what_makes_no_parts_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
