/* Which length of job work goes into. */
#include "engine/classes.h"
#include "base/json.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#define HOUR 3600.0

static struct arena *arena;
static struct classes classes;

static int open_classes(void **state)
{
    static const char site[] =
        "{\"classes\":[{\"name\":\"short\",\"time\":43200,\"limit\":"
        "{\"jobs\":20}},{\"name\":\"medium\",\"time\":86400,\"limit\":"
        "{\"gpus\":8}},{\"name\":\"long\",\"time\":604800,\"qos\":\"l\"}]}";
    (void)state;
    arena = arena_new();
    classes_read(&classes, json_parse(arena, str_of(site), "site", true, NULL),
                 arena);
    return 0;
}

static int close_classes(void **state)
{
    (void)state;
    classes_done(&classes);
    classes = (struct classes){0};
    arena_free(arena);
    return 0;
}

static void goes_to(const char *name, struct class_work w)
{
    w.lead_s = 60;
    const struct job_class *c = classes_choose(&classes, &w);
    assert_string_equal(c ? c->name : "none", name);
}

static void measured_work_goes_into_the_shortest_that_it_fits(void **state)
{
    (void)state;
    goes_to("short", (struct class_work){.seconds = 10});
    goes_to("short", (struct class_work){.seconds = 8 * HOUR});
    goes_to("medium", (struct class_work){.seconds = 10 * HOUR});
    goes_to("long", (struct class_work){.seconds = 20 * HOUR});
    goes_to("long", (struct class_work){.seconds = 400 * HOUR});
}

static void a_limit_needs_no_reserve(void **state)
{
    (void)state;
    goes_to("short",
            (struct class_work){.seconds = 11.9 * HOUR, .limit = true});
    goes_to("medium", (struct class_work){.seconds = 12 * HOUR, .limit = true});
}

static void what_saves_goes_into_the_shortest_of_all(void **state)
{
    (void)state;
    goes_to("short", (struct class_work){.seconds = 90 * HOUR, .saves = true});
    goes_to("short", (struct class_work){.seconds = -1, .saves = true});
    goes_to("short", (struct class_work){
                         .seconds = -1, .saves = true, .had_s = 12 * HOUR});
}

static void what_nobody_knows_is_not_cut(void **state)
{
    (void)state;
    goes_to("long", (struct class_work){.seconds = -1});
}

static void what_was_cut_off_goes_into_a_longer_one(void **state)
{
    (void)state;
    goes_to("medium", (struct class_work){.seconds = 10, .had_s = 12 * HOUR});
    goes_to("long", (struct class_work){.seconds = 10, .had_s = 24 * HOUR});
    goes_to("none", (struct class_work){.seconds = 10, .had_s = 168 * HOUR});
}

static void limits_are_of_jobs_or_gpus(void **state)
{
    (void)state;
    const struct job_class *c = classes.list.p;
    assert_int_equal(classes_jobs(&c[0], 0), 20);
    assert_int_equal(classes_jobs(&c[0], 4), 20);
    assert_int_equal(classes_jobs(&c[1], 0), UINT32_MAX);
    assert_int_equal(classes_jobs(&c[1], 1), 8);
    assert_int_equal(classes_jobs(&c[1], 0.5), 8);
    assert_int_equal(classes_jobs(&c[1], 3), 2);
    assert_int_equal(classes_jobs(&c[1], 16), 1);
    assert_int_equal(classes_jobs(&c[2], 1), UINT32_MAX);
    assert_ptr_equal(classes_find(&classes, "long"), &c[2]);
    assert_null(classes_find(&classes, ""));
}

static void what_is_out_leaves_the_rest(void **state)
{
    (void)state;
    const struct job_class *c = classes.list.p;
    struct class_load out = {.jobs = 19, .gpus = 6};
    assert_int_equal(classes_left(&c[0], &out, 0), 1);
    assert_int_equal(classes_left(&c[1], &out, 1), 2); /* 8 GPUs */
    assert_int_equal(classes_left(&c[1], &out, 3), 0);
    assert_int_equal(classes_left(&c[2], &out, 3), UINT32_MAX);
    out = (struct class_load){.jobs = 30, .gpus = 9};
    assert_int_equal(classes_left(&c[0], &out, 0), 0);
    assert_int_equal(classes_left(&c[1], &out, 1), 0);
    out = (struct class_load){0};
    assert_int_equal(classes_left(&c[1], &out, 16), 1); /* else never */
}

static void a_job_of_the_queue_counts_for_one_class(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct value *site =
        json_parse(a,
                   STR("{\"qos\":\"normal\",\"classes\":["
                       "{\"name\":\"short\",\"time\":60,\"partition\":\"p\"},"
                       "{\"name\":\"long\",\"time\":600,\"partition\":\"p,r\"},"
                       "{\"name\":\"gold\",\"time\":900,\"qos\":\"gold\"}]}"),
                   "site", true, NULL);
    struct classes c = {0};
    classes_read(&c, site, a);
    struct queued_job q = {
        .partition = STR("p"), .qos = STR("normal"), .time_s = 60};
    assert_ptr_equal(classes_of_job(&c, site, &q), &c.list.p[0]);
    q.time_s = 61;
    assert_ptr_equal(classes_of_job(&c, site, &q), &c.list.p[1]);
    q.partition = STR("x,r");
    assert_ptr_equal(classes_of_job(&c, site, &q), &c.list.p[1]);
    q.qos = STR("gold");
    assert_ptr_equal(classes_of_job(&c, site, &q), &c.list.p[2]);
    q.time_s = INFINITY;
    assert_null(classes_of_job(&c, site, &q));
    classes_done(&c);
    arena_free(a);
}

static void a_share_of_all_gpus_is_a_number_of_them(void **state)
{
    (void)state;
    struct job_class list[] = {{.name = "short", .gpu_share = 0.66},
                               {.name = "long", .gpu_share = 0.5, .gpus = 4}};
    struct classes c = {0};
    vec_push(&c.list, list[0]);
    vec_push(&c.list, list[1]);
    classes_share(&c, 0);
    assert_int_equal(c.list.p[0].gpus, 0);
    classes_share(&c, 300);
    assert_int_equal(c.list.p[0].gpus, 198);
    assert_int_equal(c.list.p[1].gpus, 4);
    classes_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_all_gpus_is_a_number_of_them),
        cmocka_unit_test(what_is_out_leaves_the_rest),
        cmocka_unit_test(a_job_of_the_queue_counts_for_one_class),
        cmocka_unit_test(measured_work_goes_into_the_shortest_that_it_fits),
        cmocka_unit_test(a_limit_needs_no_reserve),
        cmocka_unit_test(what_saves_goes_into_the_shortest_of_all),
        cmocka_unit_test(what_nobody_knows_is_not_cut),
        cmocka_unit_test(what_was_cut_off_goes_into_a_longer_one),
        cmocka_unit_test(limits_are_of_jobs_or_gpus),
    };
    return cmocka_run_group_tests(tests, open_classes, close_classes);
}
