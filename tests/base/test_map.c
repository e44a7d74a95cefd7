/* test_map.c - hash maps, checked against plain arrays */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/map.h"
#include "base/rng.h"

enum { KEYS = 3000 };

static void an_empty_map_has_no_keys(void **state)
{
    (void)state;
    struct map *m = map_new();
    size_t at = 0;
    assert_int_equal(map_count(m), 0);
    assert_null(map_get(m, STR("a")));
    assert_false(map_has(m, STR("")));
    assert_null(map_del(m, STR("a")));
    assert_false(map_next(m, &at, NULL, NULL));
    map_free(m);
    map_free(NULL);
    idmap_free(NULL);
}

static void setting_returns_what_was_there(void **state)
{
    (void)state;
    struct map *m = map_new();
    int one, two;
    assert_null(map_set(m, STR("k"), &one));
    assert_ptr_equal(map_set(m, STR("k"), &two), &one);
    assert_ptr_equal(map_get(m, STR("k")), &two);
    assert_int_equal(map_count(m), 1);
    assert_ptr_equal(map_del(m, STR("k")), &two);
    assert_false(map_has(m, STR("k")));
    map_free(m);
}

static void keys_are_copied_and_may_be_empty_or_hold_any_byte(void **state)
{
    (void)state;
    struct map *m = map_new();
    char key[] = "key";
    int value;
    map_set(m, str_of(key), &value);
    key[0] = 'x';
    assert_true(map_has(m, STR("key")));
    assert_false(map_has(m, STR("xey")));
    map_set(m, (struct str){0}, &value);
    assert_true(map_has(m, STR("")));
    map_set(m, STR("a\0b"), &value);
    assert_false(map_has(m, STR("a")));
    assert_true(map_has(m, STR("a\0b")));
    map_free(m);
}

static void a_null_value_is_still_a_member(void **state)
{
    (void)state;
    struct map *m = map_new();
    map_set(m, STR("k"), NULL);
    assert_true(map_has(m, STR("k")));
    assert_null(map_get(m, STR("k")));
    assert_int_equal(map_count(m), 1);
    map_free(m);
}

/* Random sets and removals on a map and on an array must agree. */
static void a_map_agrees_with_an_array(void **state)
{
    (void)state;
    static char values[KEYS][2];
    static void *model[KEYS];
    struct map *m = map_new();
    struct rng r;
    rng_init(&r, 1, 0, "map");
    size_t count = 0;
    for (int step = 0; step < 200000; step++) {
        size_t k = rng_below(&r, KEYS);
        char text[16];
        snprintf(text, sizeof(text), "key%zu", k);
        void *value = &values[k][step & 1];
        if (rng_below(&r, 20) < (step < 100000 ? 12 : 8)) {
            assert_ptr_equal(map_set(m, str_of(text), value), model[k]);
            count += !model[k];
            model[k] = value;
        } else {
            assert_ptr_equal(map_del(m, str_of(text)), model[k]);
            count -= model[k] != NULL;
            model[k] = NULL;
        }
        assert_int_equal(map_count(m), count);
    }
    struct str key;
    void *value;
    size_t seen = 0;
    for (size_t at = 0; map_next(m, &at, &key, &value); seen++) {
        unsigned k;
        assert_int_equal(sscanf(key.p, "key%u", &k), 1);
        assert_ptr_equal(value, model[k]);
    }
    assert_int_equal(seen, count);
    map_free(m);
}

static void an_idmap_agrees_with_an_array(void **state)
{
    (void)state;
    static char values[KEYS][2];
    static void *model[KEYS];
    struct idmap *m = idmap_new();
    struct rng r;
    rng_init(&r, 2, 0, "idmap");
    size_t count = 0;
    for (int step = 0; step < 300000; step++) {
        uint64_t k = rng_below(&r, KEYS);
        /* Keys that differ in the high bits only must work as well. */
        uint64_t key = k % 2 ? k << 48 : k;
        void *value = &values[k][step & 1];
        if (rng_below(&r, 20) < (step < 150000 ? 12 : 8)) {
            assert_ptr_equal(idmap_set(m, key, value), model[k]);
            count += !model[k];
            model[k] = value;
        } else {
            assert_ptr_equal(idmap_del(m, key), model[k]);
            count -= model[k] != NULL;
            model[k] = NULL;
        }
        assert_ptr_equal(idmap_get(m, key), model[k]);
        assert_int_equal(idmap_count(m), count);
    }
    uint64_t key;
    void *value;
    size_t seen = 0;
    for (size_t at = 0; idmap_next(m, &at, &key, &value); seen++)
        assert_ptr_equal(value, model[key < KEYS ? key : key >> 48]);
    assert_int_equal(seen, count);
    idmap_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_no_keys),
        cmocka_unit_test(setting_returns_what_was_there),
        cmocka_unit_test(keys_are_copied_and_may_be_empty_or_hold_any_byte),
        cmocka_unit_test(a_null_value_is_still_a_member),
        cmocka_unit_test(a_map_agrees_with_an_array),
        cmocka_unit_test(an_idmap_agrees_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
