/* test_keep.c - what is kept of predictions is a function of the rows: not of
 * their order, nor of how they were cut into shards */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "ensemble/ensemble.h"
#include "ensemble/keep.h"

static const char *const columns[] = {"mean", "sd", "error"};
enum { COLUMNS = 3, ROWS = 2000 };

static struct keep_rules *rules_of(struct arena *a, const char *text)
{
    struct err err = {0};
    struct value *v = text[0] == '{'
                          ? json_parse(a, str_of(text), "keep", false, &err)
                          : value_string(a, str_of(text));
    struct keep_rules *r = v ? keep_rules_read(v, a, &err) : NULL;
    if (!r || keep_rules_bind(r, columns, COLUMNS, &err))
        fail_msg("%s: %s", text, err.text);
    return r;
}

static const char every_rule[] =
    "{\"top\": {\"by\": \"mean\", \"n\": 50},"
    " \"bottom\": [{\"by\": \"mean\", \"n\": 7}, {\"by\": \"error\", \"n\": "
    "1}],"
    " \"also\": {\"by\": \"sd\", \"n\": 5000, \"where\": \"error < 0.5\"},"
    " \"where\": \"mean >= 0.9 and not sd > 0.5\","
    " \"histogram\": [{\"of\": \"sd\", \"bins\": 4, \"from\": 0.25, \"to\": 1},"
    "  {\"of\": [\"sd\", \"error\"], \"bins\": [3, 2], \"from\": [0, 0],"
    "   \"to\": [0.5, 1]}]}";

/* Few different numbers, so that there are ties, and some that are none. */
static void make_rows(double *to)
{
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        uint64_t x = hash64(str_n((const char *)&i, sizeof i), 7);
        to[i] = x % 23 == 0 ? NAN : (double)(x % 101) / 100;
    }
}

static struct keep *keep_of(const struct keep_rules *r, const double *rows,
                            size_t from, size_t to)
{
    struct err err = {0};
    struct keep *k = keep_new(r, &err);
    for (size_t i = from; i < to; i++)
        keep_add(k, i, rows + i * COLUMNS);
    assert_int_equal(keep_cover(k, from, to, &err), 0);
    return k;
}

static void table_of(struct keep *k, size_t rule, struct buf *b)
{
    size_t at = 0;
    while (keep_table(k, rule, &at, NULL, NULL, b))
        ;
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void merge_shard(struct keep *all, const struct keep_rules *r,
                        const double *rows, size_t from, size_t to)
{
    struct keep *shard = keep_of(r, rows, from, to);
    struct err err = {0};
    struct buf state;
    buf_init(&state);
    keep_print(&state, shard);
    assert_int_equal(keep_merge(all, buf_str(&state), "shard", &err), 0);
    buf_done(&state);
    keep_free(shard);
}

/* Cuts the rows into shards of any sizes, and adds them up in any order. */
static void merge_somehow(const struct keep_rules *r, const double *rows,
                          uint64_t seed, struct buf *to)
{
    size_t shards = 1 + (size_t)(seed % 20), step = shards % 7 ? 7 : 1;
    size_t cuts[21] = {0};
    struct err err = {0};
    struct keep *all = keep_new(r, &err);
    for (size_t i = 1; i < shards; i++)
        cuts[i] = (size_t)(hash64(str_n((char *)&i, sizeof i), seed) % ROWS);
    cuts[shards] = ROWS;
    qsort(cuts, shards + 1, sizeof(*cuts), by_size);
    for (size_t i = 0; i < shards; i++) {
        size_t at = (i * step + (size_t)seed) % shards;
        merge_shard(all, r, rows, cuts[at], cuts[at + 1]);
    }
    assert_int_equal(keep_missing(all, ROWS), ROWS);
    keep_print(to, all);
    for (size_t i = 0; i < keep_rule_count(r); i++)
        if (i != 4)
            table_of(all, i, to);
    keep_free(all);
}

static void shards_in_any_order_come_to_the_same_bytes(void **state)
{
    struct arena *a = arena_new();
    double *rows = malloc(ROWS * COLUMNS * sizeof(*rows));
    struct keep_rules *r = rules_of(a, every_rule);
    struct buf whole, merged;
    (void)state;
    buf_init(&whole);
    buf_init(&merged);
    make_rows(rows);
    merge_somehow(r, rows, 0, &whole);
    for (uint64_t seed = 1; seed < 60; seed++) {
        buf_reset(&merged);
        merge_somehow(r, rows, seed, &merged);
        assert_int_equal(merged.len, whole.len);
        assert_memory_equal(merged.p, whole.p, whole.len);
    }
    buf_done(&whole);
    buf_done(&merged);
    free(rows);
    arena_free(a);
}

static int best_mean_first(const void *a, const void *b)
{
    const double *x = *(double *const *)a, *y = *(double *const *)b;
    if (x[0] != y[0])
        return x[0] < y[0] ? 1 : -1;
    return x < y ? -1 : 1;
}

static void the_first_are_those_of_sorting_all(void **state)
{
    struct arena *a = arena_new();
    double *rows = malloc(ROWS * COLUMNS * sizeof(*rows));
    double **sorted = malloc(ROWS * sizeof(*sorted));
    struct keep_rules *r = rules_of(a, "top:mean:300");
    size_t count = 0;
    struct buf want, got;
    (void)state;
    buf_init(&want);
    buf_init(&got);
    make_rows(rows);
    for (size_t i = 0; i < ROWS; i++)
        if (!isnan(rows[i * COLUMNS]))
            sorted[count++] = rows + i * COLUMNS;
    qsort(sorted, count, sizeof(*sorted), best_mean_first);
    for (size_t i = 0; i < 300; i++)
        buf_addf(&want, "%zu\n", (size_t)(sorted[i] - rows) / COLUMNS + 1);
    struct keep *k = keep_of(r, rows, 0, ROWS);
    struct buf table;
    buf_init(&table);
    table_of(k, 0, &table);
    struct str rest = buf_str(&table), line, row;
    assert_true(str_split(&rest, '\n', &line));
    assert_true(str_is(line, "row,mean,sd,error"));
    while (str_split(&rest, '\n', &line) && line.len) {
        str_split(&line, ',', &row);
        buf_addf(&got, "%.*s\n", STRF(row));
    }
    assert_string_equal(got.p, want.p);
    assert_int_equal(keep_not_numbers(k, 0), ROWS - count);
    keep_free(k);
    buf_done(&want);
    buf_done(&got);
    buf_done(&table);
    free(rows);
    free(sorted);
    arena_free(a);
}

static void bins_have_their_lower_edge_and_the_last_both(void **state)
{
    struct arena *a = arena_new();
    struct keep_rules *r =
        rules_of(a, "{\"histogram\": {\"of\": \"mean\", \"bins\": 3, "
                    "\"from\": 0.1, \"to\": 0.4}}");
    const double x[] = {0.1,  0.2,      0.1 + 0.3 / 3, 0.3, 0.4, 0.05,
                        0.41, INFINITY, -INFINITY,     NAN, 0.25};
    double rows[11 * COLUMNS] = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    for (size_t i = 0; i < 11; i++)
        rows[i * COLUMNS] = x[i];
    struct keep *k = keep_of(r, rows, 0, 11);
    table_of(k, 0, &b);
    assert_string_equal(b.p, "mean_from,mean_to,rows\n"
                             "-inf,0.1,2\n"
                             "0.1,0.2,1\n"
                             "0.2,0.3,3\n"
                             "0.3,0.4,2\n"
                             "0.4,inf,2\n");
    assert_int_equal(keep_not_numbers(k, 0), 1);
    keep_free(k);
    buf_done(&b);
    arena_free(a);
}

static void edges_are_numbers_as_people_write_them(void **state)
{
    static const struct {
        const char *rule, *edges;
    } made[] = {
        {"\"bins\": 10, \"from\": 0, \"to\": 1",
         "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 "},
        {"\"bins\": 3, \"from\": -2100, \"to\": 0.3",
         "-2100.0 -1399.9 -699.8 0.3 "},
        {"\"bins\": 3, \"from\": 1e-7, \"to\": 7e-7",
         "1e-07 3e-07 5e-07 7e-07 "},
        /* Narrower than fifteen digits can tell. */
        {"\"bins\": 2, \"from\": 1, \"to\": 1.000000000000001",
         "1.0 1.0000000000000004 1.000000000000001 "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
        struct arena *a = arena_new();
        struct buf b;
        buf_init(&b);
        struct keep_rules *r = rules_of(
            a, arena_printf(a, "{\"histogram\": {\"of\": \"mean\", %s}}",
                            made[i].rule));
        const struct keep_axis *axis = &r->rules[0].axes[0];
        for (size_t k = 0; k <= axis->bins; k++) {
            num_print(&b, keep_edge(axis, k));
            buf_addc(&b, ' ');
        }
        assert_string_equal(b.p, made[i].edges);
        buf_done(&b);
        arena_free(a);
    }
}

static void a_condition_means_what_it_seems_to_say(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } rows[] = {
        {"mean > 0.5", true},
        {"mean>0.5&&sd<0.1", false},
        {"mean > 0.5 and sd < 0.1 or error = nan", true},
        {"not (mean > 0.5 or sd < 0.1)", false},
        {"! mean <= 0.5", true},
        {"error > 0", false},
        {"error <= 0", false},
        {"error != 1", true},
        {"error = error", true},
        {"0.7 >= mean", true},
        {"`mean` == 0.7", true},
        {"sd > -1", true},
        {"mean > sd", true},
    };
    static const double values[] = {0.7, 0.2, NAN};
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct arena *a = arena_new();
        struct value *v = value_object(a);
        value_set(a, v, STR("where"), value_string(a, str_of(rows[i].text)));
        struct keep_rules *r = keep_rules_read(v, a, &err);
        if (!r || keep_rules_bind(r, columns, COLUMNS, &err))
            fail_msg("%s: %s", rows[i].text, err.text);
        struct keep *k = keep_new(r, &err);
        assert_true(keep_rules_list(r));
        if (keep_add(k, 0, values) != rows[i].holds)
            fail_msg("%s", rows[i].text);
        keep_free(k);
        arena_free(a);
    }
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"7", "it must be all"},
        {"{}", "nothing would be kept"},
        {"{\"first\": 1}", "no rule first"},
        {"{\"top\": 3}", "top must be {by"},
        {"{\"top\": {\"n\": 3}}", "needs a column"},
        {"{\"top\": {\"by\": \"mean\"}}", "n must be"},
        {"{\"top\": {\"by\": \"mean\", \"n\": 0}}", "n must be"},
        {"{\"top\": {\"by\": \"mean\", \"n\": 100000000}}", "n must be"},
        {"{\"top\": {\"by\": \"mean\", \"n\": 1, \"most\": 2}}", "no key most"},
        {"{\"top\": {\"by\": \"middle\", \"n\": 1}}",
         "no column middle; they have mean, sd, error"},
        {"{\"all\": false}", "all must be true"},
        {"{\"where\": 3}", "where must be a text"},
        {"{\"where\": \"\"}", "column 1: expected a column"},
        {"{\"where\": \"mean >\"}", "column 7: expected a column"},
        {"{\"where\": \"mean\"}", "expected = !="},
        {"{\"where\": \"(mean > 1\"}", "expected )"},
        {"{\"where\": \"mean > 1 sd < 1\"}", "expected and, or"},
        {"{\"where\": \"other > 1\"}", "no column other"},
        {"{\"histogram\": {\"of\": \"sd\", \"bins\": 3}}", "needs from and to"},
        {"{\"histogram\": {\"of\": \"sd\", \"from\": 0, \"to\": 1}}",
         "bins must be"},
        {"{\"histogram\": {\"of\": \"sd\", \"bins\": 2, \"from\": 1, \"to\": "
         "1}}",
         "needs from and to"},
        {"{\"histogram\": {\"of\": [\"sd\", \"mean\", \"sd\"], \"bins\": 2}}",
         "of one column or of two"},
        {"{\"histogram\": {\"of\": [\"sd\", \"mean\"], \"bins\": 90000, "
         "\"from\": [0, 0], \"to\": [1, 1]}}",
         "cells"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct arena *a = arena_new();
        struct err err = {0};
        struct value *v =
            json_parse(a, str_of(bad[i].text), "keep", false, &err);
        struct keep_rules *r = keep_rules_read(v, a, &err);
        if (r && keep_rules_bind(r, columns, COLUMNS, &err) == 0)
            fail_msg("%s: nothing is wrong", bad[i].text);
        if (!strstr(err.text, bad[i].why))
            fail_msg("%s: %s", bad[i].text, err.text);
        arena_free(a);
    }
}

static void no_row_counts_twice(void **state)
{
    struct arena *a = arena_new();
    struct keep_rules *r = rules_of(a, every_rule);
    double *rows = malloc(ROWS * COLUMNS * sizeof(*rows));
    struct err err = {0};
    struct buf before, after, shard;
    (void)state;
    buf_init(&before);
    buf_init(&after);
    buf_init(&shard);
    make_rows(rows);
    struct keep *k = keep_of(r, rows, 0, 100);
    struct keep *other = keep_of(r, rows, 99, 200);
    assert_int_equal(keep_cover(k, 50, 60, &err), -1);
    assert_int_equal(keep_cover(k, 300, 300, &err), 0);
    keep_print(&before, k);
    keep_print(&shard, other);
    assert_int_equal(keep_merge(k, buf_str(&shard), "7.keep", &err), -1);
    assert_non_null(strstr(err.text, "7.keep: some of its rows 100 to 200"));
    keep_print(&after, k);
    assert_memory_equal(after.p, before.p, before.len);
    assert_int_equal(keep_missing(k, ROWS), 100);
    keep_free(k);
    keep_free(other);
    buf_done(&before);
    buf_done(&after);
    buf_done(&shard);
    free(rows);
    arena_free(a);
}

static void bytes_that_were_not_written_are_refused(void **state)
{
    struct arena *a = arena_new();
    struct keep_rules *r = rules_of(a, every_rule);
    struct keep_rules *others = rules_of(a, "top:mean:50");
    double *rows = malloc(ROWS * COLUMNS * sizeof(*rows));
    struct err err = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    make_rows(rows);
    struct keep *k = keep_of(r, rows, 0, 60);
    struct keep *to = keep_new(r, &err), *other = keep_new(others, &err);
    keep_print(&b, k);
    for (size_t i = 0; i < b.len; i++) {
        assert_int_equal(keep_merge(to, str_n(b.p, i), "cut", &err), -1);
        b.p[i] = (char)(b.p[i] ^ 1);
        assert_int_equal(keep_merge(to, buf_str(&b), "flipped", &err), -1);
        b.p[i] = (char)(b.p[i] ^ 1);
    }
    assert_int_equal(keep_merge(other, buf_str(&b), "x", &err), -1);
    assert_non_null(strstr(err.text, "by other rules"));
    assert_int_equal(keep_merge(to, buf_str(&b), "whole", &err), 0);
    keep_free(k);
    keep_free(to);
    keep_free(other);
    buf_done(&b);
    free(rows);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_in_any_order_come_to_the_same_bytes),
        cmocka_unit_test(the_first_are_those_of_sorting_all),
        cmocka_unit_test(bins_have_their_lower_edge_and_the_last_both),
        cmocka_unit_test(edges_are_numbers_as_people_write_them),
        cmocka_unit_test(a_condition_means_what_it_seems_to_say),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(no_row_counts_twice),
        cmocka_unit_test(bytes_that_were_not_written_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
