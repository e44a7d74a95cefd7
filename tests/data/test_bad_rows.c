/* test_bad_rows.c - rows of another day that cannot be read cost the others
 * nothing */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "files.h"

static const char *const training =
    "a,b,k,y\n1,2,red,0\n3,4,blue,1\n5,7,red,1\n";

/* What the training rows leave behind. */
static struct str fit(struct files *f, const char *text, const char *spec,
                      bool class)
{
    struct buf b;
    files_text(f, "train.csv", text);
    struct data_set *s = files_set(f, spec);
    struct data_view v = files_view(f, s, spec, 3);
    buf_init(&b);
    data_fitted_print(&b, s, files_spec(f, spec), &v, &class);
    struct str kept = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    data_close(s);
    return kept;
}

static struct str fit_table(struct files *f)
{
    return fit(f, training, "{\"file\":\"train.csv\",\"label\":\"y\"}", true);
}

static struct data_set *reopen(struct files *f, struct str fitted,
                               const char *spec, struct data_view *v)
{
    struct data_set *s = data_open_readable(files_spec(f, spec), f->folder,
                                            fitted, "w", v, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    return s;
}

/* One line for each bad row. */
static struct str told(struct files *f, const struct data_set *s, uint64_t row,
                       uint64_t line)
{
    const struct data_bad_rows *bad = data_bad_rows(s);
    struct buf b;
    buf_init(&b);
    assert_int_equal(bad->count, bad->told_count);
    for (size_t i = 0; i < bad->told_count; i++) {
        const struct data_bad_row *r = &bad->told[i];
        assert_true(bad->is[r->row]);
        buf_addf(&b, "%zu %zu %s: %s\n", (size_t)row + r->row + 1,
                 (size_t)line + r->line, r->column, r->what);
    }
    struct str text = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void says(struct files *f, struct str fitted, const char *spec,
                 const char *text)
{
    struct data_view v;
    struct data_set *s = reopen(f, fitted, spec, &v);
    struct str got = told(f, s, 0, 0);
    if (!str_is(got, text))
        fail_msg("\"%.*s\" is not \"%s\"", STRF(got), text);
    data_close(s);
}

static void each_is_named_and_the_others_are_read(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    struct str fitted = fit_table(&f);
    files_text(&f, "new.csv",
               "a,b,k\n1,2,red\n\n1,x,red\n1,2\n,2,red\n1,2,green\n"
               "1,2,red,4\n\"1\"0,2,red\n1e99,2,red\n7,8,blue\n\"1,2,red\n");
    const char *spec = "{\"file\":\"new.csv\"}";
    says(&f, fitted, spec,
         "2 4 b: \"x\" where a number belongs\n"
         "3 5 : 2 cells where 3 belong\n"
         "4 6 a: the value is missing\n"
         "5 7 k: the model was not trained with \"green\"\n"
         "6 8 : 4 cells where 3 belong\n"
         "7 9 : there is more behind a closing quote\n"
         "8 10 a: the number is infinite or beyond 3.4e38, the most that a "
         "number of 32 bits holds\n"
         "10 12 : a quote is opened and never closed\n");
    struct data_set *s = reopen(&f, fitted, spec, &v);
    const struct data_field *x = v.table->inputs;
    assert_int_equal(v.table->rows, 10);
    assert_int_equal(v.test.count, 10);
    assert_true(x->numbers[0] == 1 && x->numbers[1] == 2);
    assert_true(x->numbers[8 * x->columns] == 7);
    for (size_t i = 0; i < 10 * (size_t)x->columns; i++)
        assert_true(isfinite(x->numbers[i]));
    assert_null(data_open_fitted(files_spec(&f, spec), f.folder, fitted, "w",
                                 &v, &f.err));
    data_close(s);
    files_close(&f);
}

static void what_the_model_leaves_out_is_noted_as_well(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    struct str fitted = fit_table(&f);
    files_text(&f, "new.csv", "a,b,k\n1,2,red\n1,,red\n1,2,green\n");
    says(&f, fitted, "{\"file\":\"new.csv\",\"missing\":\"drop\"}",
         "2 3 b: the value is missing\n"
         "3 4 k: the model was not trained with \"green\"\n");
    says(&f, fitted, "{\"file\":\"new.csv\",\"missing\":\"mean\"}", "");
    files_close(&f);
}

static void a_label_that_is_missing_is_no_fault(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    struct str fitted = fit_table(&f);
    files_text(&f, "new.csv",
               "a,b,k,y\n1,2,red,1\n1,2,red,\n1,2,red,7\n1,x,red,0\n");
    struct data_set *s = reopen(&f, fitted, "{\"file\":\"new.csv\"}", &v);
    const struct data_field *y = v.table->labels;
    assert_int_equal(data_bad_rows(s)->count, 1);
    assert_true(!y->numbers && !y->categories && y->shown);
    assert_int_equal(y->shown->categories[0], 1);
    assert_false(y->shown->unknown[0]);
    assert_true(y->shown->unknown[1] && y->shown->unknown[2]);
    assert_non_null(strstr(data_set_notice(s, 0), "label"));
    data_close(s);
    files_text(&f, "new.csv", "a,b,k,y\n1,2,red,\n");
    s = reopen(&f, fitted, "{\"file\":\"new.csv\"}", &v);
    assert_non_null(v.table->labels->shown);
    data_close(s);
    files_close(&f);
}

static void without_a_header_a_bad_first_row_costs_no_other(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    struct str fitted = fit(&f, "1,2,0\n3,4,1\n5,7,1\n",
                            "{\"file\":\"train.csv\",\"header\":false}", true);
    const char *spec = "{\"file\":\"new.csv\",\"header\":false}";
    files_text(&f, "new.csv", "1 2 3 4\n1,2\n3,4\n1,2,3\n");
    says(&f, fitted, spec,
         "1 1 : 1 cell where 2 belong\n4 4 : 3 cells where 2 belong\n");
    files_text(&f, "new.csv", "9;9;9;9;9\n1,2,0\n3,4,1\n1,2\n");
    says(&f, fitted, spec,
         "1 1 : 1 cell where 3 belong\n4 4 : 2 cells where 3 belong\n");
    files_close(&f);
}

static void arrays_have_them_too(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "y.csv", "0\n1\n1\n");
    struct str fitted =
        fit(&f, "1,2\n3,4\n5,7\n",
            "{\"inputs\":\"train.csv\",\"labels\":\"y.csv\"}", true);
    files_text(&f, "new.csv", "1,2\n1,x\n3,\n5,6\n");
    says(&f, fitted, "{\"inputs\":\"new.csv\"}",
         "2 2 2: \"x\" where a number belongs\n3 3 2: the value is missing\n");
    files_close(&f);
}

static void a_joined_row_that_lacks_a_number_is_a_fault_of_each(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "drugs.csv", "drug,w\nA,1\nB,2\nC,\n");
    const char *join = ",\"join\":{\"d\":\"drugs.csv\"}}";
    struct str fitted =
        fit(&f, "d,x,y\nA,1,0\nB,2,1\n",
            arena_printf(f.arena, "{\"file\":\"train.csv\",\"label\":\"y\"%s",
                         join),
            true);
    files_text(&f, "new.csv", "d,x\nA,1\nC,2\nZ,3\nC,4\nB,5\n,6\n");
    says(&f, fitted, arena_printf(f.arena, "{\"file\":\"new.csv\"%s", join),
         "2 3 d.w: the value is missing\n3 4 d: \"Z\" is not in drugs.csv\n"
         "4 5 d.w: the value is missing\n6 7 d: the key is missing\n");
    files_close(&f);
}

static void the_first_of_very_many_are_told(void **state)
{
    struct files f;
    struct data_view v;
    struct buf b;
    (void)state;
    files_open(&f);
    struct str fitted = fit_table(&f);
    buf_init(&b);
    buf_adds(&b, "a,b,k\n");
    for (unsigned i = 0; i < 3000; i++)
        buf_adds(&b, i % 2 ? "1,x,red\n" : "1,2,green\n");
    files_write(&f, "new.csv", buf_str(&b));
    struct data_set *s = reopen(&f, fitted, "{\"file\":\"new.csv\"}", &v);
    const struct data_bad_rows *bad = data_bad_rows(s);
    assert_int_equal(bad->count, 3000);
    assert_int_equal(bad->told_count, DATA_BAD_TOLD);
    for (size_t i = 0; i < DATA_BAD_TOLD; i++) {
        assert_int_equal(bad->told[i].row, i);
        assert_int_equal(bad->told[i].line, i + 2);
        assert_string_equal(bad->told[i].column, i % 2 ? "b" : "k");
    }
    data_close(s);
    buf_done(&b);
    files_close(&f);
}

/* ---- however the file is cut ----------------------------------------------
 */

static void add_rows(struct buf *b, struct rng *r)
{
    static const char *const cells[] = {"1",     "-2.5",   "\"3\"",   "x",  "",
                                        "1e999", "\"4\"z", "\"5\n\"", "red"};
    for (unsigned i = 0; i < 40; i++) {
        unsigned count = rng_u32(r) % 6 ? 3 : rng_u32(r) % 5;
        for (unsigned k = 0; k < count; k++)
            buf_addf(b, "%s%s", k ? "," : "",
                     rng_u32(r) % 3 ? k == 2 ? "blue" : "6"
                                    : cells[rng_u32(r) % 9]);
        buf_adds(b, rng_u32(r) % 4 ? "\n" : "\r\n");
    }
}

static struct str told_in_pieces(struct files *f, struct str fitted,
                                 uint64_t most)
{
    struct data_reading_as as = {.fitted = fitted};
    struct data_cut cut;
    struct data_view v;
    struct buf all;
    const char *piece = files_path(f, "piece.csv");
    struct data_cutter *c =
        data_cut_open(files_path(f, "new.csv"), &as, &f->err);
    assert_non_null(c);
    buf_init(&all);
    while (data_cut_next(c, most, &cut, &f->err) > 0) {
        assert_int_equal(
            data_cut_write(files_path(f, "new.csv"), &cut, piece, &f->err), 0);
        struct data_set *s =
            reopen(f, fitted, "{\"file\":\"piece.csv\",\"header\":true}", &v);
        assert_int_equal(v.table->rows, cut.rows);
        buf_addstr(&all, told(f, s, cut.first, cut.lines));
        data_close(s);
    }
    data_cut_close(c);
    struct str text = arena_str(f->arena, buf_str(&all));
    buf_done(&all);
    return text;
}

static void the_same_is_told_however_the_file_is_cut(void **state)
{
    struct rng r;
    (void)state;
    rng_init(&r, 5, 1, "bad");
    for (int round = 0; round < 20; round++) {
        struct files f;
        struct buf b;
        files_open(&f);
        struct str fitted = fit_table(&f);
        buf_init(&b);
        buf_adds(&b, "a,b,k\n");
        add_rows(&b, &r);
        files_write(&f, "new.csv", buf_str(&b));
        struct str all = told_in_pieces(&f, fitted, 1000);
        assert_true(all.len > 0);
        for (uint64_t most = 1; most < 30; most += 4) {
            struct str some = told_in_pieces(&f, fitted, most);
            if (!str_eq(all, some))
                fail_msg("%.*s\nis not\n%.*s\nof\n%s", STRF(some), STRF(all),
                         b.p);
        }
        buf_done(&b);
        files_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_named_and_the_others_are_read),
        cmocka_unit_test(what_the_model_leaves_out_is_noted_as_well),
        cmocka_unit_test(a_label_that_is_missing_is_no_fault),
        cmocka_unit_test(without_a_header_a_bad_first_row_costs_no_other),
        cmocka_unit_test(arrays_have_them_too),
        cmocka_unit_test(a_joined_row_that_lacks_a_number_is_a_fault_of_each),
        cmocka_unit_test(the_first_of_very_many_are_told),
        cmocka_unit_test(the_same_is_told_however_the_file_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
