/* test_join.c - tables that are joined are what the joined table would be */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

#define DRUGS 7
#define CELLS 5
#define ROWS 60

#define JOIN                                                                   \
    "\"join\":{\"drug1\":\"drugs.csv\",\"drug2\":\"drugs.csv\","               \
    "\"cell\":{\"file\":\"cells.csv\",\"key\":\"name\"}},\"label\":\"y\""

/* Tables of drugs and cells, the rows that name them, and the joined table as
 * a person would write it. One drug has no second number. */
static void write_tables(struct files *f)
{
    struct buf drugs, cells, rows, joined;
    buf_init(&drugs);
    buf_init(&cells);
    buf_init(&rows);
    buf_init(&joined);
    buf_adds(&drugs, "drug,a,b\n");
    for (int i = 0; i < DRUGS; i++)
        buf_addf(&drugs, "D%d,%g,%s\n", i, 0.25 * i * i - 1, i ? "2.5" : "NA");
    buf_adds(&cells, "x,name,tissue\n");
    for (int i = 0; i < CELLS; i++)
        buf_addf(&cells, "%d,C%d,%s\n", 7 * i - 9, i, i % 2 ? "lung" : "skin");
    buf_adds(&rows, "drug1,drug2,cell,dose,y\n");
    buf_adds(&joined, "dose,y,drug1.a,drug1.b,drug2.a,drug2.b,cell.x,"
                      "cell.tissue\n");
    for (int i = 0; i < ROWS; i++) {
        int one = i % DRUGS, two = (i * i + 3) % DRUGS, cell = i * 3 % CELLS;
        buf_addf(&rows, "D%d,D%d,C%d,%g,%d\n", one, two, cell, i * 0.5, i % 3);
        buf_addf(&joined, "%g,%d,%g,%s,%g,%s,%d,%s\n", i * 0.5, i % 3,
                 0.25 * one * one - 1, one ? "2.5" : "NA", 0.25 * two * two - 1,
                 two ? "2.5" : "NA", 7 * cell - 9, cell % 2 ? "lung" : "skin");
    }
    files_write(f, "drugs.csv", buf_str(&drugs));
    files_write(f, "cells.csv", buf_str(&cells));
    files_write(f, "rows.csv", buf_str(&rows));
    files_write(f, "joined.csv", buf_str(&joined));
    buf_done(&drugs);
    buf_done(&cells);
    buf_done(&rows);
    buf_done(&joined);
}

static void same_floats(const float *a, const float *b, size_t count)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_memory_equal(a, b, count * sizeof(*a));
}

static void same_part(const struct data_part *a, const struct data_part *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count)
        assert_memory_equal(a->rows, b->rows, a->count * sizeof(*a->rows));
}

/* Every number that a model sees is the same, to the last bit. */
static void same_views(const struct data_view *a, const struct data_view *b)
{
    const struct data_field *x = a->table->inputs, *y = b->table->inputs;
    size_t columns = (size_t)x->columns;
    assert_int_equal(a->table->rows, b->table->rows);
    assert_int_equal(x->columns, y->columns);
    assert_int_equal(x->dim[0], y->dim[0]);
    assert_non_null(x->pieces);
    assert_non_null(y->numbers);
    same_part(&a->train, &b->train);
    same_part(&a->validation, &b->validation);
    same_part(&a->test, &b->test);
    for (size_t i = 0; i < a->table->rows; i++)
        for (size_t c = 0; c < columns; c++)
            assert_true(data_number(x, i, c) == data_number(y, i, c));
    assert_int_equal(!a->shift, !b->shift);
    if (a->shift) {
        same_floats(a->shift[0], b->shift[0], columns);
        same_floats(a->scale[0], b->scale[0], columns);
    }
    assert_memory_equal(a->table->labels[0].categories,
                        b->table->labels[0].categories,
                        a->table->rows * sizeof(int32_t));
}

static void spec_of(char to[512], const char *begin, const char *end)
{
    snprintf(to, 512, "{%s,%s}", begin, end);
}

static void a_join_is_the_joined_table(void **state)
{
    static const char *const ways[] = {
        "\"missing\":\"mean\"",
        "\"missing\":0,\"scale\":\"std\",\"validation\":0.25",
        "\"missing\":\"mean\",\"scale\":\"minmax\",\"fold\":{\"k\":2,\"of\":5}",
        "\"missing\":\"mean\",\"scale\":\"robust\",\"bootstrap\":true",
        "\"missing\":\"mean\",\"scale\":\"quantile\",\"rows\":20",
        ("\"missing\":\"drop\",\"scale\":\"std\",\"stratify\":true,"
         "\"validation\":0.2,\"test\":0.2"),
        "\"missing\":\"mean\",\"columns\":4,\"scale\":\"std\"",
        "\"missing\":\"mean\",\"columns\":2,\"scale\":\"quantile\"",
        "\"missing\":0,\"outliers\":{\"sd\":1.7},\"scale\":\"std\"",
        "\"missing\":\"mean\",\"outliers\":{\"iqr\":0.4,\"clip\":true}"};
    struct files f;
    (void)state;
    files_open(&f);
    write_tables(&f);
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        char joined[512], written[512];
        spec_of(joined, "\"file\":\"rows.csv\"," JOIN, ways[i]);
        spec_of(written, "\"file\":\"joined.csv\",\"label\":\"y\"", ways[i]);
        struct data_set *a = files_set(&f, joined);
        struct data_set *b = files_set(&f, written);
        struct data_view v = files_view(&f, a, joined, 3);
        struct data_view w = files_view(&f, b, written, 3);
        same_views(&v, &w);
        data_close(a);
        data_close(b);
    }
    files_close(&f);
}

static void a_table_lies_there_once(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_tables(&f);
    struct data_set *s =
        files_set(&f, "{\"file\":\"rows.csv\"," JOIN ",\"missing\":0}");
    const struct data_field *x = data_set_table(s)->inputs;
    assert_int_equal(x->piece_count, 4);
    assert_int_equal(x->pieces[1].rows, DRUGS + 1);
    assert_ptr_equal(x->pieces[1].numbers, x->pieces[2].numbers);
    assert_ptr_not_equal(x->pieces[1].row_of, x->pieces[2].row_of);
    data_close(s);
    files_close(&f);
}

static void a_prepared_copy_is_the_same(void **state)
{
    static const char spec[] =
        "{\"file\":\"rows.csv\"," JOIN ",\"missing\":\"mean\"}";
    struct files f;
    (void)state;
    files_open(&f);
    write_tables(&f);
    struct data_cache cache = {.folder = files_path(&f, "cache"),
                               .most_bytes = 1 << 20};
    for (int i = 0; i < 2; i++) { /* prepared, then mapped */
        struct data_set *s =
            data_open(files_spec(&f, spec), f.folder, &cache, &f.err);
        assert_non_null(s);
        struct data_set *plain =
            files_set(&f, "{\"file\":\"joined.csv\",\"label\":\"y\","
                          "\"missing\":\"mean\"}");
        struct data_view v = files_view(&f, s, spec, 3);
        struct data_view w = files_view(
            &f, plain,
            "{\"file\":\"joined.csv\",\"label\":\"y\",\"missing\":\"mean\"}",
            3);
        same_views(&v, &w);
        data_close(plain);
        data_close(s);
    }
    files_text(&f, "drugs.csv", "drug,a,b\nD0,1,1\n");
    /* One that has changed is read again. */
    struct data_set *s =
        data_open(files_spec(&f, spec), f.folder, &cache, &f.err);
    assert_non_null(s);
    assert_int_equal(data_set_table(s)->inputs->pieces[1].rows, 2);
    data_close(s);
    files_close(&f);
}

static void a_double_key_is_named(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "rows.csv", "drug,dose,y\nA,1,0\nB,2,1\n");
    files_text(&f, "drugs.csv", "drug,a\nA,1\nB,2\nA,3\n");
    files_refuses(&f,
                  "{\"file\":\"rows.csv\",\"join\":{\"drug\":\"drugs.csv\"}}",
                  "drugs.csv:4: column drug: the key \"A\" stands twice (first "
                  "in line 2)");
    files_close(&f);
}

static bool has_notice(const struct data_set *s, const char *text)
{
    const char *one;
    for (size_t i = 0; (one = data_set_notice(s, i)) != NULL; i++)
        if (strstr(one, text))
            return true;
    return false;
}

static void a_key_that_is_not_there_is_missing(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "rows.csv",
               "drug,dose,y\nA,1,0\nZ,2,1\nB,3,0\n,4,1\nA,5,0\n");
    files_text(&f, "drugs.csv", "drug,a\nA,10\nB,20\nC,99\n");
    files_refuses(&f,
                  "{\"file\":\"rows.csv\",\"join\":{\"drug\":\"drugs.csv\"}}",
                  "rows.csv:3: column drug: \"Z\" is not in ");
    struct data_set *s = files_set(
        &f, "{\"file\":\"rows.csv\",\"join\":{\"drug\":\"drugs.csv\"},"
            "\"missing\":\"drop\"}");
    assert_int_equal(data_set_table(s)->rows, 3);
    assert_true(has_notice(s, "2 of 5 rows have a drug that drugs.csv "));
    assert_true(has_notice(s, "\"Z\" first: left out"));
    data_close(s);
    s = files_set(&f, "{\"file\":\"rows.csv\",\"join\":{\"drug\":\"drugs.csv\"}"
                      ",\"missing\":0}");
    assert_true(data_number(data_set_table(s)->inputs, 1, 1) == 0);
    assert_true(data_number(data_set_table(s)->inputs, 4, 1) == 10);
    data_close(s);
    const char *mean = "{\"file\":\"rows.csv\",\"join\":{\"drug\":"
                       "\"drugs.csv\"},\"missing\":\"mean\"}";
    s = files_set(&f, mean);
    struct data_view v = files_view(&f, s, mean, 1);
    assert_true(fabsf(data_number(v.table->inputs, 1, 1) - 40.0f / 3) < 1e-5f);
    data_close(s);
    files_close(&f);
}

static void numbers_match_as_numbers_and_words_as_words(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "rows.csv", "id,dose,y\n7,1,0\n12345678901,2,1\n1e1,3,0\n");
    files_text(&f, "numbers.csv", "id,a\n7.0,1\n12345678901,2\n10,3\n");
    struct data_set *s = files_set(
        &f, "{\"file\":\"rows.csv\",\"join\":{\"id\":\"numbers.csv\"}}");
    for (size_t i = 0; i < 3; i++)
        assert_true(data_number(data_set_table(s)->inputs, i, 1) ==
                    (float)(i + 1));
    data_close(s);
    files_text(&f, "words.csv", "id,a\n7.0,1\nx,2\n");
    files_refuses(&f, "{\"file\":\"rows.csv\",\"join\":{\"id\":\"words.csv\"}}",
                  "\"7\" is not in ");
    files_close(&f);
}

/* Any key may name a column of a joined table by its name. */
static void joined_columns_have_roles(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_tables(&f);
    static const char spec[] =
        "{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"drugs.csv\",\"drug2\":"
        "\"drugs.csv\",\"cell\":{\"file\":\"cells.csv\",\"key\":2}},"
        "\"label\":\"cell.tissue\",\"ignore\":[\"drug1.b\",\"drug2.b\"],"
        "\"group\":\"cell\",\"validation\":0.4}";
    struct data_set *s = files_set(&f, spec);
    const struct data_table *t = data_set_table(s);
    assert_int_equal(t->labels[0].classes, 2);
    assert_true(str_is(t->labels[0].name, "cell.tissue"));
    assert_int_equal(t->inputs[0].columns, 5); /* dose, y, a, a, x */
    struct data_view v = files_view(&f, s, spec, 1);
    for (size_t i = 0; i < v.train.count; i++)
        for (size_t k = 0; k < v.validation.count; k++)
            assert_int_not_equal(v.train.rows[i] * 3 % CELLS,
                                 v.validation.rows[k] * 3 % CELLS);
    struct buf b;
    buf_init(&b);
    data_place(&b, &v, 0, 3, 4);
    assert_non_null(strstr(b.p, "rows.csv: row 4: column cell.x"));
    buf_done(&b);
    data_close(s);
    files_close(&f);
}

static void rows_of_another_day_are_joined_alike(void **state)
{
    static const bool as_class[] = {true, true};
    static const char spec[] =
        "{\"file\":\"rows.csv\"," JOIN
        ",\"missing\":\"mean\",\"outliers\":{\"sd\":1.5,\"clip\":true},"
        "\"scale\":\"quantile\"}";
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    write_tables(&f);
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 3), w;
    buf_init(&b);
    data_fitted_print(&b, s, files_spec(&f, spec), &v, as_class);
    /* Other columns, another order, no label, a table that has grown. */
    files_text(&f, "new.csv", "dose,cell,more,drug2,drug1\n1.5,C4,9,D5,D3\n");
    files_text(&f, "cells.csv",
               "name,tissue,x\nC9,skin,1\nC4,skin,19\nC3,lung,12\n");
    struct data_set *n = data_open_fitted(
        files_spec(&f, "{\"file\":\"new.csv\",\"missing\":\"mean\",\"join\":"
                       "{\"drug1\":\"drugs.csv\",\"drug2\":\"drugs.csv\","
                       "\"cell\":{\"file\":\"cells.csv\",\"key\":\"name\"}}}"),
        f.folder, buf_str(&b), "w", &w, &f.err);
    if (!n)
        fail_msg("%s", f.err.text);
    /* Row 3 of training is D3, (9 + 3) % 7 = D5, 9 % 5 = C4, dose 1.5. */
    for (size_t c = 0; c < (size_t)v.table->inputs->columns; c++)
        assert_true(data_number(w.table->inputs, 0, c) ==
                    data_number(v.table->inputs, 3, c));
    data_close(n);
    buf_done(&b);
    data_close(s);
    files_close(&f);
}

static void bad_joins_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"{\"file\":\"rows.csv\",\"join\":\"drugs.csv\"}",
         "must be tables by the column"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug3\":\"drugs.csv\"}}",
         "there is no column drug3; did you mean drug1?"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"none.csv\"}}",
         "none.csv"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":{\"fil\":\"d\"}}}",
         "there is no key fil; did you mean file?"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":{\"file\":\"drugs.csv\","
         "\"key\":\"dru\"}}}",
         "there is no column dru"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"drugs.csv\"},\"label\":"
         "\"drug1\"}",
         "say which column is the label"},
        {"{\"file\":\"rows.csv\",\"missing\":0,\"label\":\"inputs\",\"ignore\":"
         "[\"drug2\",\"cell\"],\"join\":{\"drug1\":\"drugs.csv\"}}",
         "cannot be the label as well"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"keys.csv\"}}",
         "nothing to join"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"index.csv\"}}",
         "its first column has no name"},
        {"{\"inputs\":\"rows.csv\",\"labels\":\"rows.csv\",\"join\":{\"drug1\":"
         "\"drugs.csv\"}}",
         "columns of a table"},
        {"{\"file\":\"rows.csv\",\"join\":{\"drug1\":\"drugs.csv\"},\"label\":"
         "\"y\",\"ignore\":[\"drug2\",\"cell\"]}",
         "drugs.csv:2: column b: the value is missing"},
        {"{\"file\":\"bare.csv\",\"join\":{\"1\":\"drugs.csv\"}}",
         "bare.csv: its columns have no names"}};
    struct files f;
    (void)state;
    files_open(&f);
    write_tables(&f);
    files_text(&f, "keys.csv", "drug\nD1\nD2\n");
    files_text(&f, "bare.csv", "1,2,3\n4,5,6\n");
    files_text(&f, "index.csv", ",drug,w\n0,D1,5\n1,D2,6\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        files_refuses(&f, bad[i][0], bad[i][1]);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_is_the_joined_table),
        cmocka_unit_test(a_table_lies_there_once),
        cmocka_unit_test(a_prepared_copy_is_the_same),
        cmocka_unit_test(a_double_key_is_named),
        cmocka_unit_test(a_key_that_is_not_there_is_missing),
        cmocka_unit_test(numbers_match_as_numbers_and_words_as_words),
        cmocka_unit_test(joined_columns_have_roles),
        cmocka_unit_test(rows_of_another_day_are_joined_alike),
        cmocka_unit_test(bad_joins_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
