/* test_shards.c - the list of the shards of an inference */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "study/shards.h"

/* A list as it lies in a folder: its first line, to a multiple of eight. */
static const char *folder_with(struct arena *a, const char *head)
{
    char *folder = arena_cstr(a, STR("/tmp/throng-test-XXXXXX"));
    struct err err = {0};
    struct buf b;
    assert_non_null(mkdtemp(folder));
    buf_init(&b);
    buf_adds(&b, head);
    while ((b.len + 1) % 8)
        buf_addc(&b, ' ');
    buf_addc(&b, '\n');
    assert_int_equal(
        file_write(path_join(a, folder, SHARDS_FILE), buf_str(&b), false, &err),
        0);
    buf_done(&b);
    return folder;
}

#define PRODUCT(rows, shards, most)                                            \
    "{\"format\": \"throng.shards/1\", \"key\": \"\", \"product\": true,"      \
    " \"rows\": " rows ", \"shards\": " shards ", \"most_rows\": " most ","    \
    " \"files\": [{\"path\": \"/a.csv\", \"name\": \"a.csv\"},"                \
    " {\"path\": \"/b.csv\", \"name\": \"b.csv\"}]}"

static void shards_of_a_product_need_no_list(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct task_shard at;
    const char *folder = folder_with(a, PRODUCT("309808000", "309809", "1000"));
    (void)state;
    /* The last has what is left; here it has nothing, and is a lie. */
    assert_null(shards_open(folder, &err));
    assert_non_null(strstr(err.text, "damaged"));
    dir_remove(folder, NULL);

    folder = folder_with(a, PRODUCT("309808001", "309809", "1000"));
    struct shards *s = shards_open(folder, &err);
    if (!s)
        fail_msg("%s", err.text);
    assert_int_equal(shards_count(s), 309809);
    assert_int_equal(shards_rows(s), 309808001);
    for (int64_t i = 1; i <= 309809; i += 77452) {
        assert_int_equal(shards_at(s, i, &at, &err), 0);
        assert_int_equal(at.row, (i - 1) * 1000);
        assert_int_equal(at.first, at.row);
        assert_int_equal(at.count, i == 309809 ? 1 : 1000);
        assert_int_equal(at.file.len, 0);
    }
    assert_int_equal(shards_at(s, 0, &at, &err), -1);
    assert_int_equal(shards_at(s, 309810, &at, &err), -1);
    assert_non_null(strstr(err.text, "no shard 309810"));
    shards_close(s);
    dir_remove(folder, NULL);
    arena_free(a);
}

static void a_damaged_list_is_refused(void **state)
{
    static const char *const bad[] = {
        PRODUCT("10", "3", "0"),
        PRODUCT("10", "2", "4"),
        PRODUCT("10", "4", "3000000000000000000"),
        PRODUCT("0", "0", "4"),
        "{\"format\": \"throng.shards/1\", \"shards\": 3, \"files\": []}",
        "{\"format\": \"throng.shards/9\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct arena *a = arena_new();
        struct err err = {0};
        const char *folder = folder_with(a, bad[i]);
        struct shards *s = shards_open(folder, &err);
        if (s || !strstr(err.text, "damaged"))
            fail_msg("%zu: %s", i, s ? "it is taken" : err.text);
        dir_remove(folder, NULL);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_of_a_product_need_no_list),
        cmocka_unit_test(a_damaged_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
