/* test_cache.c - prepared sets that all processes of a machine map */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"
#include "sys/sys.h"

static size_t count_files(const struct files *f, const char *folder,
                          const char *ending)
{
    size_t count = 0;
    const char **names = dir_list(folder, f->arena, NULL);
    for (size_t i = 0; names && names[i]; i++)
        count += str_ends(str_of(names[i]), str_of(ending));
    return count;
}

static struct data_set *open_with(struct files *f, const char *json,
                                  const struct data_cache *cache)
{
    struct data_set *s =
        data_open(files_spec(f, json), f->folder, cache, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    return s;
}

static struct data_cache cache_in(struct files *f)
{
    return (struct data_cache){.folder = files_path(f, "cache"),
                               .most_bytes = 1 << 20};
}

static void expect_equal(const struct data_field *a, const struct data_field *b,
                         size_t rows)
{
    size_t count = rows * (size_t)a->columns;
    assert_true(str_eq(a->name, b->name));
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(!a->numbers, !b->numbers);
    assert_int_equal(!a->categories, !b->categories);
    if (a->numbers)
        assert_memory_equal(a->numbers, b->numbers, count * sizeof(float));
    if (a->categories)
        assert_memory_equal(a->categories, b->categories,
                            count * sizeof(int32_t));
    for (int64_t i = 0; a->class_names && i < a->classes; i++)
        assert_true(str_eq(a->class_names[i], b->class_names[i]));
    assert_int_equal(!a->column_names, !b->column_names);
    for (int64_t i = 0; a->column_names && i < a->columns; i++)
        assert_true(str_eq(a->column_names[i], b->column_names[i]));
    assert_int_equal(!a->words, !b->words);
    for (int i = 0; a->words && i < 2; i++)
        assert_true(str_eq(a->words[i], b->words[i]));
}

static const char table[] = "who,x,text,w,y\na,1.5,The cat,1,no\n"
                            "b,2.5,a dog,2,yes\na,3.5,the the,1,no\n";
static const char spec[] =
    "{\"file\": \"t.csv\", \"group\": \"who\", \"weight\": \"w\", \"text\": "
    "{\"column\": \"text\", \"vectors\": \"v.txt\"}}";

static void what_is_mapped_is_what_was_read(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", table);
    files_text(&f, "v.txt", "the 1 2\ncat 3 4\n");
    struct data_cache cache = cache_in(&f);
    struct data_set *plain = files_set(&f, spec);
    struct data_set *first = open_with(&f, spec, &cache);
    struct data_set *second = open_with(&f, spec, &cache);
    assert_int_equal(count_files(&f, cache.folder, ".data"), 1);
    assert_int_equal(count_files(&f, cache.folder, ".tmp"), 0);
    struct data_set *sets[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        struct data_view a = files_view(&f, plain, spec, 1);
        struct data_view b = files_view(&f, sets[i], spec, 1);
        assert_int_equal(a.table->rows, b.table->rows);
        assert_int_equal(a.table->input_count, 2);
        for (size_t k = 0; k < 2; k++)
            expect_equal(&a.table->inputs[k], &b.table->inputs[k],
                         a.table->rows);
        expect_equal(a.table->labels, b.table->labels, a.table->rows);
        assert_memory_equal(a.row_weights, b.row_weights,
                            a.table->rows * sizeof(float));
        assert_true(b.table->inputs->vectors[2 * 2] == 1);
        assert_string_equal(data_set_notice(plain, 0),
                            data_set_notice(sets[i], 0));
    }
    data_close(plain);
    data_close(first);
    data_close(second);
    files_close(&f);
}

static void labels_of_words_are_mapped_with_their_names(void **state)
{
    static const char wide[] =
        "{\"file\": \"t.csv\", \"label\": {\"l\": [\"a\", \"b\"]}}";
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,a,b\n1,N,Y\n2,Y,N\n");
    struct data_cache cache = cache_in(&f);
    struct data_set *plain = files_set(&f, wide);
    data_close(open_with(&f, wide, &cache));
    struct data_set *mapped = open_with(&f, wide, &cache);
    assert_non_null(data_set_table(mapped)->labels->words);
    expect_equal(data_set_table(plain)->labels, data_set_table(mapped)->labels,
                 2);
    data_close(plain);
    data_close(mapped);
    files_close(&f);
}

static void a_changed_file_is_read_again(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    struct data_cache cache = cache_in(&f);
    static const char one[] = "{\"file\": \"t.csv\"}";
    files_text(&f, "t.csv", "1,0\n2,1\n");
    struct data_set *s = open_with(&f, one, &cache);
    data_close(s);
    files_text(&f, "t.csv", "7,0\n8,1\n9,0\n");
    s = open_with(&f, one, &cache);
    assert_int_equal(data_set_table(s)->rows, 3);
    data_close(s);
    /* Other ways to read are other sets; other splits are not. */
    data_close(
        open_with(&f, "{\"file\": \"t.csv\", \"validation\": 0.3}", &cache));
    assert_int_equal(count_files(&f, cache.folder, ".data"), 2);
    data_close(open_with(&f, "{\"file\": \"t.csv\", \"label\": 1}", &cache));
    assert_int_equal(count_files(&f, cache.folder, ".data"), 3);
    files_close(&f);
}

static void a_damaged_prepared_file_is_made_again(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    struct data_cache cache = cache_in(&f);
    static const char one[] = "{\"file\": \"t.csv\"}";
    files_text(&f, "t.csv", "1,0\n2,1\n");
    data_close(open_with(&f, one, &cache));
    const char **names = dir_list(cache.folder, f.arena, NULL);
    const char *path = NULL;
    for (size_t i = 0; names[i]; i++)
        if (str_ends(str_of(names[i]), STR(".data")))
            path = path_join(f.arena, cache.folder, names[i]);
    struct buf whole;
    buf_init(&whole);
    assert_int_equal(file_read(path, 0, &whole, NULL), 0);
    for (size_t len = 0; len < whole.len; len += 13) {
        assert_int_equal(file_write(path, str_n(whole.p, len), false, NULL), 0);
        struct data_set *s = open_with(&f, one, &cache);
        assert_int_equal(data_set_table(s)->rows, 2);
        assert_true(data_set_table(s)->inputs->numbers[1] == 2);
        data_close(s);
    }
    /* A byte that a disk gives back changed, anywhere; said once. */
    for (size_t at = 0; at < whole.len; at += 3) {
        whole.p[at] ^= 4;
        assert_int_equal(file_write(path, buf_str(&whole), false, NULL), 0);
        whole.p[at] ^= 4;
        struct data_set *s = open_with(&f, one, &cache);
        assert_true(data_set_table(s)->inputs->numbers[0] == 1);
        assert_true(data_set_table(s)->inputs->numbers[1] == 2);
        assert_non_null(data_set_notice(s, 0));
        assert_non_null(strstr(data_set_notice(s, 0), "was damaged"));
        data_close(s);
        s = open_with(&f, one, &cache);
        assert_null(data_set_notice(s, 0));
        data_close(s);
    }
    buf_done(&whole);
    files_close(&f);
}

static void the_folder_stays_within_its_bound(void **state)
{
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    struct data_cache cache = cache_in(&f);
    cache.most_bytes = 100000;
    buf_init(&b);
    for (int i = 0; i < 2500; i++)
        buf_addf(&b, "%d,%d\n", i, i % 2);
    for (int i = 0; i < 8; i++) {
        char json[64], name[16];
        snprintf(name, sizeof name, "t%d.csv", i);
        snprintf(json, sizeof json, "{\"file\": \"%s\"}", name);
        files_write(&f, name, buf_str(&b));
        data_close(open_with(&f, json, &cache));
        assert_true(dir_bytes(cache.folder) <= 100000);
    }
    assert_true(count_files(&f, cache.folder, ".data") >= 2);
    /* A set larger than all of it is simply read. */
    cache.most_bytes = 1000;
    data_close(open_with(&f, "{\"file\": \"t0.csv\", \"label\": 1}", &cache));
    /* Small sets are not worth a file. */
    dir_remove(cache.folder, NULL);
    cache.most_bytes = 100000;
    cache.least_bytes = 1000000;
    data_close(open_with(&f, "{\"file\": \"t0.csv\"}", &cache));
    assert_int_equal(count_files(&f, cache.folder, ".data"), 0);
    buf_done(&b);
    files_close(&f);
}

static void processes_that_start_at_once_share_one_file(void **state)
{
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    struct data_cache cache = cache_in(&f);
    cache.most_bytes = 1 << 26;
    buf_init(&b);
    for (int i = 0; i < 50000; i++)
        buf_addf(&b, "%d,%d\n", i, i % 2);
    files_write(&f, "t.csv", buf_str(&b));
    buf_done(&b);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            struct data_set *s =
                data_open(files_spec(&f, "{\"file\": \"t.csv\"}"), f.folder,
                          &cache, NULL);
            _exit(!(s && data_set_table(s)->rows == 50000 &&
                    data_set_table(s)->inputs->numbers[49999] == 49999));
        }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files(&f, cache.folder, ".data"), 1);
    assert_int_equal(count_files(&f, cache.folder, ".tmp"), 0);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_mapped_is_what_was_read),
        cmocka_unit_test(labels_of_words_are_mapped_with_their_names),
        cmocka_unit_test(a_changed_file_is_read_again),
        cmocka_unit_test(a_damaged_prepared_file_is_made_again),
        cmocka_unit_test(the_folder_stays_within_its_bound),
        cmocka_unit_test(processes_that_start_at_once_share_one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
