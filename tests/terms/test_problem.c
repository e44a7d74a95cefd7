/* test_problem.c - mistakes in order */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "terms/problem.h"

static void problems_are_in_the_order_of_their_places(void **state)
{
    struct arena *a = arena_new();
    struct problems p;
    struct buf b;

    (void)state;
    problems_init(&p, a);
    problems_add(&p, PROBLEM_ERROR, STR("f"), 0, 0, STR(""), "whole");
    problems_add(&p, PROBLEM_ERROR, STR("f"), 9, 1, STR("hint"), "nine %d", 9);
    problems_add(&p, PROBLEM_WARNING, STR("f"), 2, 7, STR(""), "two seven");
    problems_add(&p, PROBLEM_NOTICE, STR("f"), 2, 3, STR(""), "two three");
    problems_add(&p, PROBLEM_ERROR, STR("f"), 2, 7, STR(""), "behind");
    problems_add(&p, PROBLEM_ERROR, STR("g"), 2, 1, STR(""), "other");
    problems_add(&p, PROBLEM_ERROR, STR("f"), 3, 1, STR(""), "late");
    problems_add(&p, PROBLEM_ERROR, STR("g"), 1, 1, STR(""), "first");
    assert_int_equal(p.errors, 6);
    buf_init(&b);
    problems_print(&b, &p);
    assert_string_equal(b.p, "f:2:3: notice: two three\n"
                             "f:2:7: warning: two seven\n"
                             "f:2:7: error: behind\n"
                             "f:3:1: error: late\n"
                             "f:9:1: error: nine 9 (hint)\n"
                             "f: error: whole\n"
                             "g:1:1: error: first\n"
                             "g:2:1: error: other\n");
    buf_done(&b);
    arena_free(a);
}

static void the_list_has_an_end_but_errors_are_counted(void **state)
{
    struct arena *a = arena_new();
    struct problems p;
    struct buf b;

    (void)state;
    problems_init(&p, a);
    for (uint32_t i = 0; i < 2 * PROBLEMS_MAX; i++)
        problems_add(&p, PROBLEM_ERROR, STR("f"), 5000 - i, 1, STR(""), "x");
    assert_int_equal(p.list.len, PROBLEMS_MAX);
    assert_int_equal(p.errors, 2 * PROBLEMS_MAX);
    buf_init(&b);
    problems_print(&b, &p);
    assert_true(str_ends(buf_str(&b), STR("and 1000 more\n")));
    buf_done(&b);
    arena_free(a);
}

static void problems_are_json_for_programs(void **state)
{
    struct arena *a = arena_new();
    struct problems p;
    struct buf b;

    (void)state;
    problems_init(&p, a);
    buf_init(&b);
    problems_json(&b, &p);
    assert_string_equal(b.p, "[]");
    problems_add(&p, PROBLEM_WARNING, STR("a\"b"), 3, 7, STR("try it"), "no %s",
                 "x\ny");
    problems_add(&p, PROBLEM_ERROR, STR("f"), 0, 0, STR(""), "none");
    buf_reset(&b);
    problems_json(&b, &p);
    assert_string_equal(
        b.p,
        "[{\"level\":\"warning\",\"file\":\"a\\\"b\",\"line\":3,\"column\":7,"
        "\"text\":\"no x\\ny\",\"hint\":\"try it\"},"
        "{\"level\":\"error\",\"file\":\"f\",\"line\":null,\"column\":null,"
        "\"text\":\"none\",\"hint\":\"\"}]");
    buf_done(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_in_the_order_of_their_places),
        cmocka_unit_test(the_list_has_an_end_but_errors_are_counted),
        cmocka_unit_test(problems_are_json_for_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
