/* test_product.c - rows of a product of tables are those that would be written
 * down */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "files.h"

#define FITTED                                                                 \
    "{\"columns\": 5, \"names\": [\"y\", \"a.x\", \"a.z\", \"b.x\", \"c\"],"   \
    " \"separator\": \",\","                                                   \
    " \"inputs\": [{\"name\": \"input\", \"dims\": [4],"                       \
    "  \"columns\": [1, 2, 3, 4],"                                             \
    "  \"categories\": [null, null, null, null]}],"                            \
    " \"labels\": [{\"name\": \"y\", \"dims\": [1], \"columns\": [0],"         \
    "  \"classes\": 0}]}"

enum { WINDOW = 7 };

static struct data_product *open_product(struct files *f,
                                         const char *const *names, size_t count,
                                         struct data_view *v)
{
    const char *paths[8];
    for (size_t i = 0; i < count; i++)
        paths[i] = files_path(f, names[i]);
    return data_product_open(paths, count, STR(FITTED), "w.safetensors", WINDOW,
                             v, &f->err);
}

static void open_files(struct files *f)
{
    files_open(f);
    files_text(f, "a.csv", "name,x,z\nfirst,1,2\nsecond,3,4\n\"th,ird\",5,6\n");
    files_text(f, "b.csv", "x\n10\n20\n");
    files_text(f, "c.csv", "id,c\n1,100\n2,200\n3,300\n4,400\n");
}

static const char *const three[] = {"a.csv", "b.csv", "c.csv"};

static void a_window_shows_the_rows_that_it_is_at(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    open_files(&f);
    struct data_product *p = open_product(&f, three, 3, &v);
    if (!p)
        fail_msg("%s", f.err.text);
    assert_int_equal(data_product_rows(p), 3 * 2 * 4);
    assert_int_equal(v.test.count, WINDOW);
    for (size_t first = 0; first < 24; first++) {
        size_t count = 24 - first < WINDOW ? 24 - first : WINDOW;
        data_product_move(p, first, count);
        for (size_t i = 0; i < count; i++) {
            size_t row = first + i, of_a = row / 8, of_b = row / 4 % 2;
            const struct data_field *in = &v.table->inputs[0];
            float x = (float)(2 * of_a + 1);
            assert_true(data_number(in, v.test.rows[i], 0) == x);
            assert_true(data_number(in, v.test.rows[i], 1) == x + 1);
            assert_true(data_number(in, v.test.rows[i], 2) ==
                        (float)(10 + 10 * of_b));
            assert_true(data_number(in, v.test.rows[i], 3) ==
                        (float)(100 + 100 * (row % 4)));
        }
    }
    data_product_close(p);
    files_close(&f);
}

static void rows_have_the_names_that_their_tables_give_them(void **state)
{
    struct files f;
    struct data_view v;
    struct buf b;
    (void)state;
    open_files(&f);
    buf_init(&b);
    struct data_product *p = open_product(&f, three, 3, &v);
    assert_non_null(p);
    data_product_name(p, 0, true, &b);
    buf_addc(&b, '\n');
    data_product_name(p, 23, false, &b);
    buf_addc(&b, '\n');
    data_product_name(p, 5, false, &b);
    assert_string_equal(b.p, "a,b,c\n\"th,ird\",2,4\nfirst,2,2");
    buf_done(&b);
    data_product_close(p);
    files_close(&f);
}

static void rows_are_counted_without_a_model(void **state)
{
    struct files f;
    uint64_t rows = 0;
    (void)state;
    open_files(&f);
    const char *const paths[] = {
        files_path(&f, "a.csv"), files_path(&f, "b.csv"),
        files_path(&f, "c.csv"), files_path(&f, "a.csv")};
    assert_int_equal(data_product_count(paths, 4, &rows, &f.err), 0);
    assert_int_equal(rows, 3 * 2 * 4 * 3);
    const char *const none[] = {files_path(&f, "none.csv")};
    assert_int_equal(data_product_count(none, 1, &rows, &f.err), -1);
    assert_non_null(strstr(f.err.text, "none.csv"));
    files_close(&f);
}

static void what_does_not_fit_is_named(void **state)
{
    static const struct {
        const char *files[3];
        size_t count;
        const char *why;
    } bad[] = {
        {{"a.csv", "b.csv"}, 2, "have 3 columns of numbers together"},
        {{"b.csv", "a.csv", "c.csv"}, 3, "stands where the model has a.z"},
        {{"a.csv", "none.csv", "c.csv"}, 3, "none.csv"},
        {{"a.csv", "hole.csv", "c.csv"}, 3, "hole.csv: row 2: column x has no"},
        {{"a.csv", "empty.csv", "c.csv"}, 3, "empty.csv"},
        {{"a.csv", "words.csv", "c.csv"}, 3, "no column of numbers"},
    };
    struct files f;
    (void)state;
    open_files(&f);
    files_text(&f, "hole.csv", "x\n1\n\"\"\n3\n");
    files_text(&f, "empty.csv", "x\n");
    files_text(&f, "words.csv", "x\none\ntwo\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct data_view v;
        struct data_product *p =
            open_product(&f, bad[i].files, bad[i].count, &v);
        if (p || !strstr(f.err.text, bad[i].why))
            fail_msg("%zu: %s", i, p ? "it is taken" : f.err.text);
    }
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_shows_the_rows_that_it_is_at),
        cmocka_unit_test(rows_have_the_names_that_their_tables_give_them),
        cmocka_unit_test(rows_are_counted_without_a_model),
        cmocka_unit_test(what_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
