/* test_own_tables.c - what an inference writes is none of its rows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "study/own_tables.h"

struct place {
    struct arena *arena;
    char home[64];
    const char *folder;
};

static void open_place(struct place *p)
{
    struct err err = {0};
    p->arena = arena_new();
    memcpy(p->home, "/tmp/throng-own-XXXXXX", sizeof("/tmp/throng-own-XXXXXX"));
    assert_non_null(mkdtemp(p->home));
    p->folder = path_join(p->arena, p->home, ".throng/asked");
    assert_int_equal(dir_make(p->folder, &err), 0);
}

static void close_place(struct place *p)
{
    dir_remove(p->home, NULL);
    arena_free(p->arena);
}

static const char *put(struct place *p, const char *name)
{
    struct err err = {0};
    const char *path = path_join(p->arena, p->home, name);
    assert_int_equal(dir_make(path_folder(p->arena, path), &err), 0);
    assert_int_equal(file_write(path, STR("a\n1\n"), false, &err), 0);
    return path;
}

static void its_table_and_what_is_missing_in_it_are_its_own(void **state)
{
    struct place p;
    (void)state;
    open_place(&p);
    struct plan_predict asked = {.output = STR("told.csv")};
    const char *table = put(&p, "told.csv");
    const char *missing = put(&p, "told.csv.missing.csv");
    const char *rows = put(&p, "told.csv.old");
    const char *inside = put(&p, ".throng/asked/predictions.csv");
    const char *const *own = own_tables(&asked, p.home, p.folder, p.arena);
    assert_string_equal(own[0], table);
    assert_true(own_tables_have(own, table));
    assert_true(own_tables_have(own, missing));
    assert_true(own_tables_have(own, inside));
    assert_false(own_tables_have(own, rows));
    assert_false(own_tables_have(own, "/nowhere/told.csv"));
    assert_false(own_tables_have(NULL, table));
    close_place(&p);
}

static void tables_of_rules_lie_in_a_folder_of_its_own(void **state)
{
    struct place p;
    (void)state;
    open_place(&p);
    struct value *keep = value_string(p.arena, STR("top:mean:3"));
    struct plan_predict asked = {.output = STR("best/"), .keep = keep};
    const char *table = put(&p, "best/top.csv");
    const char *beside = put(&p, "bests/top.csv");
    const char *const *own = own_tables(&asked, p.home, p.folder, p.arena);
    assert_true(own_tables_have(own, table));
    assert_false(own_tables_have(own, beside));
    close_place(&p);
}

static void what_it_wrote_under_another_name_is_remembered(void **state)
{
    struct place p;
    struct err err = {0};
    (void)state;
    open_place(&p);
    struct str data[] = {STR("*.csv")};
    struct plan_predict asked = {
        .output = STR("second.csv"), .data = data, .data_count = 1};
    const char *first = put(&p, "first.csv");
    put(&p, "rows.csv");
    for (int twice = 0; twice < 2; twice++)
        assert_int_equal(own_tables_add(p.folder, first, &err), 0);
    asked.own = own_tables(&asked, p.home, p.folder, p.arena);
    assert_true(own_tables_have(asked.own, first));
    struct str found = own_tables_found(&asked, p.home, p.arena);
    assert_string_equal(arena_cstr(p.arena, found), "first.csv");
    close_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_table_and_what_is_missing_in_it_are_its_own),
        cmocka_unit_test(tables_of_rules_lie_in_a_folder_of_its_own),
        cmocka_unit_test(what_it_wrote_under_another_name_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
