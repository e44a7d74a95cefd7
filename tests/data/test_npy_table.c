/* test_npy_table.c - a table of text as an array of NumPy */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "data/data.h"
#include "files.h"
#include "sys/sys.h"

/* The array that comes of some pieces. */
static void make(struct files *f, const char *const *pieces, struct buf *to)
{
    const char *path = files_path(f, "array.npy");
    struct data_npy_table *t = data_npy_table_begin(path, &f->err);
    if (!t)
        fail_msg("%s", f->err.text);
    for (; *pieces; pieces++)
        if (data_npy_table_add(t, str_of(*pieces), &f->err))
            fail_msg("%s", f->err.text);
    if (data_npy_table_end(t, &f->err) || file_read(path, 0, to, &f->err))
        fail_msg("%s", f->err.text);
}

static size_t body_of(const struct buf *b)
{
    size_t wide = b->p[6] == 1 ? 2 : 4, len = 0;
    for (size_t i = 0; i < wide; i++)
        len |= (size_t)(unsigned char)b->p[8 + i] << (8 * i);
    return 8 + wide + len;
}

static void columns_have_the_types_that_all_of_their_cells_have(void **state)
{
    (void)state;
    struct files f;
    files_open(&f);
    const char *const pieces[] = {"file,row,mean\na.csv,1,0.1\n",
                                  "longer.csv,20,\n\n", "b,3,nan\n", NULL};
    struct buf b;
    double mean;
    int64_t row;
    buf_init(&b);
    make(&f, pieces, &b);
    size_t body = body_of(&b), each = 10 * 4 + 8 + 8;
    assert_int_equal(body % 64, 0);
    assert_int_equal(b.len, body + 3 * each);
    assert_non_null(strstr(b.p + 10, "{'descr': [('file', '<U10'), "
                                     "('row', '<i8'), ('mean', '<f8')], "
                                     "'fortran_order': False, "
                                     "'shape': (3,), }"));
    memcpy(&row, b.p + body + each + 40, sizeof(row));
    assert_int_equal(row, 20);
    memcpy(&mean, b.p + body + 48, sizeof(mean));
    assert_true(mean == 0.1);
    memcpy(&mean, b.p + body + each + 48, sizeof(mean));
    assert_true(mean != mean);
    assert_memory_equal(b.p + body + each, "l\0\0\0o\0\0\0n", 9);
    buf_done(&b);
    files_close(&f);
}

static void names_are_there_once_and_quoted(void **state)
{
    (void)state;
    struct files f;
    files_open(&f);
    const char *const pieces[] = {"p,p,it's,\"a\\b\",\xc3\xb6\n1,2,3,4,5\n",
                                  NULL};
    struct buf b;
    buf_init(&b);
    make(&f, pieces, &b);
    assert_int_equal(b.p[6], 3); /* a header in UTF-8 */
    assert_non_null(strstr(b.p + 12, "('p', '<f8'), ('p_2', '<f8'), "
                                     "('it\\'s', '<f8'), ('a\\\\b', '<f8'), "
                                     "('\xc3\xb6', '<f8')]"));
    buf_done(&b);
    files_close(&f);
}

static void bytes_that_are_no_character_stand_for_one(void **state)
{
    (void)state;
    struct files f;
    files_open(&f);
    const char *const pieces[] = {"file\na\xff\n\xe2\x82\xac\n", NULL};
    struct buf b;
    buf_init(&b);
    make(&f, pieces, &b);
    size_t body = body_of(&b);
    assert_int_equal(b.len, body + 16);
    assert_memory_equal(b.p + body, "a\0\0\0\xfd\xff\0\0\xac\x20\0\0\0\0\0\0",
                        16);
    buf_done(&b);
    files_close(&f);
}

static void no_text_is_no_rows(void **state)
{
    (void)state;
    struct files f;
    files_open(&f);
    const char *const pieces[] = {NULL};
    struct buf b;
    buf_init(&b);
    make(&f, pieces, &b);
    assert_int_equal(b.len, body_of(&b));
    assert_non_null(strstr(b.p + 10, "'shape': (0,)"));
    buf_done(&b);
    files_close(&f);
}

static void a_row_of_other_cells_leaves_what_was_there(void **state)
{
    (void)state;
    struct files f;
    files_open(&f);
    const char *path = files_path(&f, "array.npy");
    assert_int_equal(file_write(path, STR("old"), false, &f.err), 0);
    struct data_npy_table *t = data_npy_table_begin(path, &f.err);
    assert_non_null(t);
    assert_int_equal(data_npy_table_add(t, STR("a,b\n1,2\n3\n"), &f.err), -1);
    assert_non_null(strstr(f.err.text, "row 2 "));
    assert_non_null(strstr(f.err.text, "has 1 cells, not 2"));
    data_npy_table_drop(t);
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(path, 0, &b, &f.err), 0);
    assert_string_equal(b.p, "old");
    buf_done(&b);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_the_types_that_all_of_their_cells_have),
        cmocka_unit_test(names_are_there_once_and_quoted),
        cmocka_unit_test(bytes_that_are_no_character_stand_for_one),
        cmocka_unit_test(no_text_is_no_rows),
        cmocka_unit_test(a_row_of_other_cells_leaves_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
