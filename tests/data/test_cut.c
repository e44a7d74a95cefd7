/* test_cut.c - stretches of rows: nothing twice, nothing left out */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "data/data.h"
#include "data/matrix.h"
#include "files.h"
#include "sys/sys.h"

struct cuts {
    size_t count;
    uint64_t rows, head;
    struct buf body; /* of all stretches, one behind the other */
};

/* Each stretch as a file, without what stands before its rows. */
static void take(struct files *f, struct cuts *c, const char *path,
                 const struct data_cut *cut)
{
    const char *to = files_path(f, "stretch");
    struct buf b;
    buf_init(&b);
    if (data_cut_write(path, cut, to, &f->err) || file_read(to, 0, &b, &f->err))
        fail_msg("%s", f->err.text);
    size_t head = cut->form == DATA_TEXT ? cut->head : 0;
    if (cut->form == DATA_NPY)
        head = b.len - cut->bytes;
    assert_true(b.len > head);
    buf_add(&c->body, b.p + head, b.len - head);
    assert_int_equal(cut->first, c->rows);
    c->rows += cut->rows;
    c->head = cut->head;
    c->count++;
    buf_done(&b);
}

static struct cuts cut_all(struct files *f, const char *name, uint64_t most,
                           bool lines)
{
    struct cuts c = {0};
    struct data_reading_as as = {.lines = lines, .hashed = true};
    struct data_cut cut;
    const char *path = files_path(f, name);
    struct data_cutter *cutter = data_cut_open(path, &as, &f->err);
    int got;
    buf_init(&c.body);
    if (!cutter)
        fail_msg("%s", f->err.text);
    while ((got = data_cut_next(cutter, most, &cut, &f->err)) > 0)
        take(f, &c, path, &cut);
    assert_int_equal(got, 0);
    data_cut_close(cutter);
    return c;
}

static void rows_of_text_are_cut_at_their_ends(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv",
               "name,x\n\"a\nb\",1\n\n\"say \"\"\n\"\"\",2\r\nc\"d,3\n"
               "\"\",4\n\"e\n\",5");
    struct cuts all = cut_all(&f, "t.csv", 100, false);
    assert_int_equal(all.rows, 5);
    assert_int_equal(all.head, 7);
    for (uint64_t most = 1; most < 6; most++) {
        struct cuts c = cut_all(&f, "t.csv", most, false);
        assert_int_equal(c.rows, 5);
        assert_int_equal(c.count, (5 + most - 1) / most);
        assert_true(str_eq(buf_str(&c.body), buf_str(&all.body)));
        buf_done(&c.body);
    }
    buf_done(&all.body);
    files_close(&f);
}

/* Against the reader of tables, which sees the whole file. */
static void a_table_has_as_many_rows_as_its_reader_says(void **state)
{
    static const char *const fields[] = {
        "1",   "-2.5", "\"a,b\"",  "\"x\ny\"", "\"q\"\"r\"", "",
        "w\"", "\"\"", "\"\"\"\"", "z z",      "\"\n\n\"",   "\"\r\n\""};
    struct rng r;
    (void)state;
    rng_init(&r, 7, 1, "cut");
    for (int round = 0; round < 60; round++) {
        struct files f;
        struct buf b;
        struct matrix m;
        struct table_style style = {.header = 1, .separator = ','};
        files_open(&f);
        buf_init(&b);
        buf_adds(&b, "alpha,beta\n");
        for (unsigned i = 0; i < 40; i++) {
            const char *end = rng_u32(&r) % 4 ? "\n" : "\r\n";
            buf_addf(&b, "%s,%s%s", fields[rng_u32(&r) % 12],
                     fields[rng_u32(&r) % 12], i < 39 ? end : "");
            if (rng_u32(&r) % 8 == 0)
                buf_adds(&b, "\n");
        }
        files_write(&f, "t.csv", buf_str(&b));
        if (data_read_csv(buf_str(&b), "t.csv", &style, f.arena, &m, &f.err))
            fail_msg("%s\n%s", f.err.text, b.p);
        struct data_reading_as as = {.spec =
                                         files_spec(&f, "{\"header\": true}")};
        struct data_cutter *c =
            data_cut_open(files_path(&f, "t.csv"), &as, &f.err);
        struct data_cut cut;
        uint64_t rows = 0;
        assert_non_null(c);
        while (data_cut_next(c, 1 + rng_u32(&r) % 9, &cut, &f.err) > 0)
            rows += cut.rows;
        assert_int_equal(rows, m.rows);
        data_cut_close(c);
        buf_done(&b);
        files_close(&f);
    }
}

static void lines_are_rows_whatever_is_in_them(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "names.txt", "a\"b\n\n\"c\nd e,f\nlast");
    struct cuts c = cut_all(&f, "names.txt", 2, true);
    assert_int_equal(c.rows, 5);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.head, 0);
    assert_string_equal(c.body.p, "a\"b\n\n\"c\nd e,f\nlast");
    buf_done(&c.body);
    files_close(&f);
}

/* Longer than what is looked at at once, with quotes across its borders. */
static void a_long_file_loses_no_row(void **state)
{
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    buf_init(&b);
    buf_adds(&b, "id,text\n");
    for (int i = 0; i < 60000; i++)
        buf_addf(&b, "%d,\"line\n%d, \"\"so\"\"\"\n", i, i);
    files_write(&f, "t.csv", buf_str(&b));
    struct cuts c = cut_all(&f, "t.csv", 7777, false);
    assert_int_equal(c.rows, 60000);
    assert_int_equal(c.count, 8);
    assert_int_equal(c.body.len, b.len - 8);
    assert_memory_equal(c.body.p, b.p + 8, c.body.len);
    buf_done(&c.body);
    buf_done(&b);
    files_close(&f);
}

static void arrays_are_cut_by_rows(void **state)
{
    static const char head[] = "{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (5, 2), }";
    float numbers[10];
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    buf_init(&b);
    for (int i = 0; i < 10; i++)
        numbers[i] = (float)i;
    buf_add(&b, "\x93NUMPY\1\0", 8);
    buf_addc(&b, (char)sizeof(head));
    buf_addc(&b, 0);
    buf_adds(&b, head);
    buf_addc(&b, '\n');
    buf_add(&b, (const char *)numbers, sizeof(numbers));
    files_write(&f, "x.npy", buf_str(&b));
    struct cuts c = cut_all(&f, "x.npy", 2, false);
    assert_int_equal(c.rows, 5);
    assert_int_equal(c.count, 3);
    assert_memory_equal(c.body.p, numbers, sizeof(numbers));
    struct str last;
    struct data_array array;
    assert_int_equal(file_map(files_path(&f, "stretch"), &last, &f.err), 0);
    if (data_numpy(last, "stretch", STR(""), &array, f.arena, &f.err))
        fail_msg("%s", f.err.text);
    assert_int_equal(array.rows, 1);
    assert_int_equal(array.columns, 2);
    assert_true(array.numbers[0] == 8);
    file_unmap(last);
    buf_done(&c.body);
    buf_done(&b);
    files_close(&f);
}

static void what_is_packed_is_one_stretch(void **state)
{
    struct files f;
    struct data_reading_as as = {0};
    struct data_cut cut;
    (void)state;
    files_open(&f);
    files_gzip(&f, "t.csv.gz", STR("a,b\n1,2\n3,4\n5,6\n"));
    struct data_cutter *c =
        data_cut_open(files_path(&f, "t.csv.gz"), &as, &f.err);
    assert_non_null(c);
    assert_int_equal(data_cut_next(c, 1, &cut, &f.err), 1);
    assert_int_equal(cut.form, DATA_WHOLE);
    assert_int_equal(cut.rows, 3);
    assert_int_equal(data_cut_next(c, 1, &cut, &f.err), 0);
    data_cut_close(c);
    files_close(&f);
}

static struct data_cut now_of(const char *path, struct data_cut cut)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    cut.size = (uint64_t)st.st_size;
    cut.changed_ns =
        (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return cut;
}

static void rows_of_a_file_that_changed_are_refused(void **state)
{
    struct files f;
    struct data_cut cut = {
        .form = DATA_TEXT, .head = 4, .from = 4, .bytes = 4, .rows = 1};
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b\n1,2\n3,4\n");
    const char *path = files_path(&f, "t.csv"), *to = files_path(&f, "to");
    struct data_cut longer = now_of(path, cut), older = longer;
    cut = longer;
    longer.size++;
    older.changed_ns--;
    assert_int_equal(data_cut_check(path, &cut, &f.err), 0);
    assert_int_equal(data_cut_check(path, &longer, &f.err), -1);
    assert_int_equal(data_cut_check(path, &older, &f.err), -1);
    assert_int_equal(f.err.kind, ERR_INPUT);
    assert_non_null(strstr(f.err.text, "t.csv has changed since"));
    assert_int_equal(data_cut_write(path, &older, to, &f.err), -1);
    assert_int_equal(data_cut_write(path, &longer, to, &f.err), -1);
    assert_false(file_exists(to));
    assert_int_equal(data_cut_write(path, &cut, to, &f.err), 0);
    assert_true(file_exists(to));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(data_cut_check(path, &cut, &f.err), -1);
    files_close(&f);
}

/* Its size and its time are those of before. */
static void exchange(struct files *f, const char *name, const char *text,
                     const struct data_cut *cut)
{
    struct timespec times[2] = {{.tv_sec = cut->changed_ns / 1000000000,
                                 .tv_nsec = cut->changed_ns % 1000000000}};
    times[1] = times[0];
    files_text(f, name, text);
    assert_int_equal(utimensat(AT_FDCWD, files_path(f, name), times, 0), 0);
}

static void bytes_that_are_others_are_refused(void **state)
{
    struct data_reading_as as = {.hashed = true};
    struct files f;
    struct data_cut one, two;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b\n1,2\n3,4\n");
    const char *path = files_path(&f, "t.csv"), *to = files_path(&f, "to");
    struct data_cutter *c = data_cut_open(path, &as, &f.err);
    assert_int_equal(data_cut_next(c, 1, &one, &f.err), 1);
    assert_int_equal(data_cut_next(c, 1, &two, &f.err), 1);
    data_cut_close(c);
    assert_true(one.hash && two.hash && one.hash != two.hash);
    one = now_of(path, one);
    two = now_of(path, two);
    exchange(&f, "t.csv", "a,b\n1,2\n3,5\n", &one);
    assert_int_equal(data_cut_check(path, &one, &f.err), 0);
    assert_int_equal(data_cut_check(path, &two, &f.err), -1);
    assert_int_equal(f.err.kind, ERR_INPUT);
    assert_int_equal(data_cut_write(path, &two, to, &f.err), -1);
    assert_false(file_exists(to));
    assert_int_equal(data_cut_write(path, &one, to, &f.err), 0);
    exchange(&f, "t.csv", "b,a\n1,2\n3,4\n", &one);
    assert_int_equal(data_cut_write(path, &one, to, &f.err), -1);
    assert_non_null(strstr(f.err.text, "t.csv has changed since"));
    files_close(&f);
}

static void a_file_that_is_gone_or_empty_is_said(void **state)
{
    struct files f;
    struct data_reading_as as = {0};
    struct data_cut cut = {.form = DATA_TEXT, .bytes = 100, .rows = 3};
    (void)state;
    files_open(&f);
    assert_null(data_cut_open(files_path(&f, "none.csv"), &as, &f.err));
    assert_non_null(strstr(f.err.text, "none.csv"));
    files_text(&f, "empty.csv", "a,b\n");
    assert_null(data_cut_open(files_path(&f, "empty.csv"), &as, &f.err));
    assert_non_null(strstr(f.err.text, "no rows"));
    assert_int_equal(data_cut_write(files_path(&f, "empty.csv"), &cut,
                                    files_path(&f, "to"), &f.err),
                     -1);
    assert_non_null(strstr(f.err.text, "shorter"));
    assert_false(file_exists(files_path(&f, "to")));
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_text_are_cut_at_their_ends),
        cmocka_unit_test(a_table_has_as_many_rows_as_its_reader_says),
        cmocka_unit_test(lines_are_rows_whatever_is_in_them),
        cmocka_unit_test(a_long_file_loses_no_row),
        cmocka_unit_test(arrays_are_cut_by_rows),
        cmocka_unit_test(what_is_packed_is_one_stretch),
        cmocka_unit_test(rows_of_a_file_that_changed_are_refused),
        cmocka_unit_test(bytes_that_are_others_are_refused),
        cmocka_unit_test(a_file_that_is_gone_or_empty_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
