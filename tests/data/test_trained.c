/* test_trained.c - rows that a model was trained on are known again */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "files.h"

static const bool as_class[4] = {true, true, true, true};
static const bool as_number[4] = {false};

/* What a training on rows of a spec leaves behind. */
struct left {
    struct str rows, fitted;
    const struct data_trained *trained;
};

static struct left leave(struct files *f, const char *spec, const bool *classes)
{
    struct data_set *s = files_set(f, spec);
    struct data_view v = files_view(f, s, spec, 3);
    struct left left;
    struct buf b;
    buf_init(&b);
    data_trained_print(&b, s, &v, STR(""));
    left.rows = arena_str(f->arena, buf_str(&b));
    buf_reset(&b);
    data_fitted_print(&b, s, files_spec(f, spec), &v, classes);
    left.fitted = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    data_close(s);
    left.trained = data_trained_parse(left.rows, "w", f->arena, &f->err);
    if (!left.trained)
        fail_msg("%s", f->err.text);
    return left;
}

static size_t known_of(struct files *f, const struct left *left,
                       const char *spec)
{
    struct data_view v;
    size_t known = 0;
    struct data_set *s = data_open_fitted(files_spec(f, spec), f->folder,
                                          left->fitted, "w", &v, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    const uint64_t *hashes = data_row_hashes(s);
    for (size_t i = 0; i < v.table->rows; i++)
        known += data_trained_has(left->trained, hashes[i]);
    data_close(s);
    return known;
}

/* Text, words, gaps, classes of words, of numbers, and numbers. */
static void training_rows_are_known_in_another_file(void **state)
{
    static const char *const extra[] = {
        "\"missing\": \"mean\", \"scale\": \"std\", \"label\": \"kind\"",
        "\"missing\": 0, \"label\": \"grade\"",
        "\"missing\": \"mean\", \"columns\": 3, \"label\": \"petal2\"",
        ("\"text\": {\"column\": \"colour\", \"vocabulary\": 3}, "
         "\"ignore\": [\"petal\"], \"label\": \"kind\""),
    };
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv",
               "petal,colour,grade,petal2,kind\n1.4,white big,3,1,setosa\n"
               "4.75,red,5,2.5,versi\n1.3,white,3,9,setosa\n4.5,red,4,3,versi\n"
               "NA,blue,3,4,setosa\n5.1,red,5,7,versi\n");
    /* In another order, among others, with columns elsewhere. */
    files_text(&f, "new.csv",
               "kind,petal2,grade,colour,petal\nversi,7,5,red,5.1\n"
               "versi,7,5,red,5.2\nsetosa,4,3,blue,NA\nsetosa,9,3,white,1.3\n"
               "setosa,1,3,white big,1.4\nversi,2.5,5,red,4.75\n"
               "versi,3,4,red,4.5\nsetosa,7,5,white,8.1\n");
    for (size_t i = 0; i < sizeof(extra) / sizeof(*extra); i++)
        for (int number = 0; number < 2; number++) {
            const char *spec =
                arena_printf(f.arena, "{\"file\": \"t.csv\", %s}", extra[i]);
            const char *later =
                arena_printf(f.arena, "{\"file\": \"new.csv\", %s}", extra[i]);
            bool words = strstr(extra[i], "kind") != NULL;
            if (number && words)
                continue;
            struct left left = leave(&f, spec, number ? as_number : as_class);
            /* Where petal does not count the second row is the first. */
            size_t all = strstr(extra[i], "text") ? 7 : 6;
            assert_int_equal(known_of(&f, &left, spec), 6);
            assert_int_equal(known_of(&f, &left, later), all);
        }
    files_close(&f);
}

static void write_many(struct files *f, const char *name, int from, int to)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "a,b,y\n");
    for (int i = from; i < to; i++)
        buf_addf(&b, "%d,%g,%d\n", i, 0.25 * i, i % 7);
    files_write(f, name, buf_str(&b));
    buf_done(&b);
}

static void rows_that_were_held_out_are_not(void **state)
{
    static const char spec[] = "{\"file\": \"t.csv\", \"validation\": 0.25}";
    struct files f;
    (void)state;
    files_open(&f);
    write_many(&f, "t.csv", 0, 4000);
    write_many(&f, "new.csv", 4000, 9000);
    struct left left = leave(&f, spec, as_number);
    assert_int_equal(known_of(&f, &left, spec), 3000);
    assert_int_equal(known_of(&f, &left, "{\"file\": \"new.csv\"}"), 0);
    if (left.rows.len > 3000 * 24 / 6 + 200)
        fail_msg("3000 rows are %zu characters", left.rows.len);
    files_close(&f);
}

static bool matches(struct files *f, const struct left *left, const char *spec)
{
    struct data_set *s = files_set(f, spec);
    struct data_view v = files_view(f, s, spec, 3);
    bool same = data_trained_matches(left->trained, s, &v);
    data_close(s);
    return same;
}

static void a_split_is_the_same_until_its_rows_change(void **state)
{
    static const char spec[] = "{\"file\": \"t.csv\", \"validation\": 0.25}";
    static const char drawn[] = "{\"file\": \"t.csv\", \"bootstrap\": true}";
    struct files f;
    (void)state;
    files_open(&f);
    write_many(&f, "t.csv", 0, 100);
    struct left left = leave(&f, spec, as_number);
    struct left twice = leave(&f, drawn, as_number);
    assert_true(matches(&f, &left, spec));
    assert_true(matches(&f, &twice, drawn));
    assert_false(matches(&f, &left, drawn));
    assert_false(matches(&f, &left,
                         "{\"file\": \"t.csv\", \"validation\": 0.25, "
                         "\"split_seed\": 1}"));
    write_many(&f, "t.csv", 0, 101);
    assert_false(matches(&f, &left, spec));
    files_close(&f);
}

static void what_was_trained_before_counts(void **state)
{
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    write_many(&f, "one.csv", 0, 50);
    write_many(&f, "two.csv", 50, 90);
    struct left one = leave(&f, "{\"file\": \"one.csv\"}", as_number);
    struct data_set *s = files_set(&f, "{\"file\": \"two.csv\"}");
    struct data_view v = files_view(&f, s, "{\"file\": \"two.csv\"}", 3);
    buf_init(&b);
    data_trained_print(&b, s, &v, one.rows);
    one.trained = data_trained_parse(buf_str(&b), "w", f.arena, &f.err);
    assert_non_null(one.trained);
    assert_int_equal(known_of(&f, &one, "{\"file\": \"one.csv\"}"), 50);
    assert_int_equal(known_of(&f, &one, "{\"file\": \"two.csv\"}"), 40);
    assert_false(data_trained_matches(one.trained, s, &v));
    buf_done(&b);
    data_close(s);
    files_close(&f);
}

/* The hashes stay those that files have: who changes them forgets all rows. */
static void joined_rows_are_those_of_the_written_table(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "rows.csv", "dose,drug,y\n1,A,2\n2,B,3\n3,A,4\n");
    files_text(&f, "drugs.csv", "drug,w,v\nA,0.5,7\nB,NA,8\n");
    files_text(&f, "joined.csv",
               "dose,drug.w,drug.v,y\n1,0.5,7,2\n2,NA,8,3\n3,0.5,7,4\n");
    struct data_set *a =
        files_set(&f, "{\"file\": \"rows.csv\", \"join\": {\"drug\": "
                      "\"drugs.csv\"}, \"label\": \"y\", \"missing\": "
                      "\"mean\"}");
    struct data_set *b = files_set(&f, "{\"file\": \"joined.csv\", \"label\": "
                                       "\"y\", \"missing\": \"mean\"}");
    assert_memory_equal(data_row_hashes(a), data_row_hashes(b), 3 * 8);
    data_close(a);
    data_close(b);
    files_close(&f);
}

static void what_is_damaged_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "[{}]",
        "[{\"rows\":1,\"digest\":\"0000000000000000\",\"distinct\":1,\"bits\":"
        "20,\"hashes\":\"AAA\"}]",
        "[{\"rows\":1,\"digest\":\"000000000000000g\",\"distinct\":1,\"bits\":"
        "20,\"hashes\":\"AAAA\"}]",
        "[{\"rows\":1,\"digest\":\"0000000000000000\",\"distinct\":2,\"bits\":"
        "20,\"hashes\":\"AAAAAAAAAAA\"}]",
        "[{\"rows\":1,\"digest\":\"0000000000000000\",\"distinct\":1,\"bits\":"
        "20,\"hashes\":\"AA*A\"}]",
        "[{\"rows\":1,\"digest\":\"0000000000000000\",\"distinct\":1,\"bits\":"
        "20,\"hashes\":\"____\"}]",
        "[{\"rows\":4000000000,\"digest\":\"0000000000000000\",\"distinct\":"
        "4000000000,\"bits\":1,\"hashes\":\"____\"}]",
    };
    struct files f;
    (void)state;
    files_open(&f);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_null(data_trained_parse(str_of(bad[i]), "w", f.arena, &f.err));
        assert_non_null(strstr(f.err.text, "w: what it says of the rows"));
    }
    assert_non_null(data_trained_parse(
        STR("[{\"rows\":1,\"digest\":\"0000000000000000\",\"distinct\":1,"
            "\"bits\":20,\"hashes\":\"AAAA\"}]"),
        "w", f.arena, &f.err));
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_rows_are_known_in_another_file),
        cmocka_unit_test(rows_that_were_held_out_are_not),
        cmocka_unit_test(a_split_is_the_same_until_its_rows_change),
        cmocka_unit_test(what_was_trained_before_counts),
        cmocka_unit_test(joined_rows_are_those_of_the_written_table),
        cmocka_unit_test(what_is_damaged_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
