/* test_preview.c - what a study would do, told before it does it */
#include "view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char study[] = "name: probing\n"
                            "method: grid\n"
                            "command: ./probe {x}\n"
                            "parameters: {x: {values: [1, 2]}}\n"
                            "resources: {cpus: 1}\n";

static struct plan *read_study(struct arena *a)
{
    struct plan_reader reader = {.methods = search_methods};
    struct problems problems;
    problems_init(&problems, a);
    struct plan *p = plan_read(str_of(study), "p.yaml", &reader, a, &problems);
    assert_non_null(p);
    return p;
}

static void preview(struct buf *b, const struct plan *p, struct arena *a)
{
    struct err err = {0};
    struct machine machine = {.cpus = 2, .memory_bytes = 1 << 30};
    struct outlook outlook = {.plan = p, .machine = &machine, .total = 2};
    struct point_source points;
    struct search *search = plan_search(p, 0, &points, a, &err);
    assert_non_null(search);
    struct preview k = {.plan = p,
                        .search = search,
                        .machine = &machine,
                        .outlook = &outlook,
                        .arena = a};
    needs_init(&outlook.needs);
    outlook_think(&outlook);
    assert_int_equal(preview_print(b, &k, &err), 0);
    search_free(search);
}

static void the_first_commands_are_told(void **state)
{
    struct arena *a = arena_new();
    struct plan *p = read_study(a);
    struct buf b;
    (void)state;
    buf_init(&b);
    preview(&b, p, a);
    assert_non_null(strstr(b.p, "commands\n  1  ./probe 1\n  2  ./probe 2\n"));
    buf_done(&b);
    plan_close(p);
    arena_free(a);
}

/* What runs neither a command nor a model has the words of `task:`. */
static void a_kind_without_a_command_is_told_by_its_options(void **state)
{
    static const struct task_kind probe = {"probe", RUNS_OPTIONS, "a test's"};
    struct arena *a = arena_new();
    struct plan *p = read_study(a);
    struct value *task = value_object(a);
    struct buf b;
    (void)state;
    value_set(a, task, STR("kind"), value_string(a, STR("probe")));
    value_set(a, task, STR("depth"), value_int(a, 3));
    p->kind = &probe;
    p->kind_options = task;
    p->command_count = 0;
    buf_init(&b);
    preview(&b, p, a);
    assert_non_null(strstr(b.p, "tasks\n  1  probe depth=3\n     {\"x\":1}\n"
                                "  2  probe depth=3\n     {\"x\":2}\n"));
    assert_null(strstr(b.p, "commands"));
    buf_done(&b);
    plan_close(p);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_commands_are_told),
        cmocka_unit_test(a_kind_without_a_command_is_told_by_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
