/* test_assignments.c - names with values from the command line */
#include "search/search.h"
#include "study/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/json.h"

static const char *parsed(struct arena *a, const char *text)
{
    struct err err = {0};
    struct buf b;
    struct value *v = parse_assignments(text, a, &err);
    if (!v)
        return arena_cstr(a, str_of(err.text));
    buf_init(&b);
    json_print(&b, v);
    const char *json = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return json;
}

static void values_are_read_as_study_files_have_them(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    assert_string_equal(parsed(a, "lr=3e-4,bs=64"),
                        "{\"lr\":0.0003,\"bs\":64}");
    assert_string_equal(parsed(a, " opt = adam , on = yes "),
                        "{\"opt\":\"adam\",\"on\":true}");
    assert_string_equal(parsed(a, "sizes=[64, 32],name='a,b'"),
                        "{\"sizes\":[64,32],\"name\":\"a,b\"}");
    assert_string_equal(parsed(a, "net.width=8,x=''"),
                        "{\"net.width\":8,\"x\":\"\"}");
    assert_string_equal(parsed(a, "{\"lr\": 0.5, \"opt\": {\"beta\": 1}}"),
                        "{\"lr\":0.5,\"opt\":{\"beta\":1}}");
    assert_string_equal(parsed(a, "path=/a:b=c"), "{\"path\":\"/a:b=c\"}");
    arena_free(a);
}

static void what_is_no_assignment_is_named(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    assert_non_null(strstr(parsed(a, "lr"), "`lr` is not of the form"));
    assert_non_null(strstr(parsed(a, "=3"), "NAME=VALUE"));
    assert_non_null(strstr(parsed(a, "lr=1,lr=2"), "`lr` is given twice"));
    assert_non_null(strstr(parsed(a, ""), "names no parameter"));
    assert_non_null(strstr(parsed(a, "{\"lr\":"), "point:1"));
    arena_free(a);
}

static struct plan *plan_of(struct arena *a, const char *text)
{
    struct plan_reader reader = {.methods = search_methods};
    struct problems problems;
    problems_init(&problems, a);
    struct plan *p = plan_read(str_of(text), "s.yaml", &reader, a, &problems);
    assert_non_null(p);
    return p;
}

static void a_fixed_parameter_is_a_constant_of_its_own_type(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    (void)state;
    struct plan *p = plan_of(a, "command: [x]\nmethod: grid\nparameters: {lr: "
                                "{values: [0.1, 0.2]}, n: {min: 1, max: 4}}\n");
    struct value *fixed = parse_assignments("n=7,lr=0.2", a, &err);
    assert_int_equal(fix_parameters(p, fixed, a, &err), 0);
    for (size_t i = 0; i < p->space.count; i++)
        assert_int_equal(p->space.params[i].dist, DIST_CONSTANT);
    assert_int_equal(space_grid_count(&p->space, &err), 1);
    long n = space_find(&p->space, STR("n"));
    assert_int_equal(p->space.params[n].constant->i, 7);
    fixed = parse_assignments("nn=7", a, &err);
    assert_int_equal(fix_parameters(p, fixed, a, &err), -1);
    assert_non_null(strstr(err.text, "no parameter `nn`"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_study_files_have_them),
        cmocka_unit_test(what_is_no_assignment_is_named),
        cmocka_unit_test(a_fixed_parameter_is_a_constant_of_its_own_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
