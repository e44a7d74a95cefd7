/* test_resources.c - what one task needs */
#include "plan_test.h"

#define HEAD                                                                   \
    "program: a.py\nmethod: grid\n"                                            \
    "parameters: {ranks: {values: [1, 2]}, gb: {values: [4]}}\nresources: "

static void needs_are_read(void **state)
{
    struct reading_test t;
    struct needs n;

    (void)state;
    test_read_well(&t, HEAD "{cpus: 4, memory: 2G, gpus: a100:2, time: 1h}\n");
    assert_true(t.plan->cpus_said);
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &n, NULL), 0);
    assert_true(n.cpus == 4 && n.memory_bytes == (uint64_t)2 << 30);
    assert_true(n.gpus == 2 && n.time_s == 3600);
    assert_string_equal(n.gpu_name, "a100");
    test_done(&t);
}

static void without_resources_a_task_needs_one_cpu(void **state)
{
    struct reading_test t;
    struct needs n;

    (void)state;
    test_read_well(&t, "program: a\nmethod: grid\nparameters: {a: {value: "
                       "1}}\n");
    assert_false(t.plan->cpus_said);
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &n, NULL), 0);
    assert_true(n.cpus == 1 && n.memory_bytes == 0);
    test_done(&t);
}

static double gpus_of(const char *text)
{
    const struct test_file files[] = {{"net.yaml", "layers: []\n"},
                                      {NULL, NULL}};
    struct reading_test t;
    struct needs n;

    test_read_str(&t, str_of(text), "study.yaml", files);
    assert_non_null(t.plan);
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &n, NULL), 0);
    test_done(&t);
    return n.gpus;
}

static void models_on_a_named_cpu_need_no_gpu(void **state)
{
#define ASKS "method: grid\nparameters: {a: {value: 1}}\nresources: {gpus: 1}\n"

    (void)state;
    assert_true(gpus_of("model: net.yaml\ndevice: cpu\n" ASKS) == 0);
    assert_true(gpus_of("model: net.yaml\ndevice: reference\n" ASKS) == 0);
    assert_true(gpus_of("model: net.yaml\ndevice: auto\n" ASKS) == 1);
    assert_true(gpus_of("model: net.yaml\ndevice: cuda\n" ASKS) == 1);
    assert_true(gpus_of("model: net.yaml\n" ASKS) == 1);
    assert_true(gpus_of("program: a\ndevice: cpu\n" ASKS) == 1);
}

static void a_parameter_can_say_a_need(void **state)
{
    struct reading_test t;
    struct needs n = {.ranks = 99};
    struct err err = {0};

    (void)state;
    test_read_well(&t, HEAD "{ranks: '${ranks}', memory: '${gb}G'}\n");
    assert_int_equal(plan_needs(t.plan,
                                test_json(t.arena, "{\"ranks\": 8, \"gb\": 4}"),
                                &n, &err),
                     0);
    assert_int_equal(n.ranks, 8);
    assert_int_equal(n.memory_bytes, (uint64_t)4 << 30);
    n.ranks = 99;
    assert_int_equal(
        plan_needs(t.plan, test_json(t.arena, "{\"gb\": 4}"), &n, &err), -1);
    assert_string_equal(err.text, "resources: this trial has no parameter "
                                  "'ranks'");
    assert_int_equal(
        plan_needs(t.plan, test_json(t.arena, "{\"ranks\": \"x\", \"gb\": 4}"),
                   &n, &err),
        -1);
    assert_int_equal(n.ranks, 99);
    test_done(&t);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    test_says(HEAD "5\n", "resources must be an object");
    test_says(HEAD "{memry: 4G}\n",
              "4:13: error: resources has no key 'memry' (did you mean "
              "'memory'?)");
    test_says(HEAD "{cpus: -1}\n", "4:19: error: resources: cpus ");
    test_says(HEAD "{memory: lots}\n", "4:21: error: resources: memory: ");
    test_says(HEAD "{time: soon}\n", "4:19: error: resources: time: ");
    test_says(HEAD "{ranks: '${rank}'}\n",
              "4:20: error: resources: no parameter 'rank' (did you mean "
              "'ranks'?)");
}

static void a_memory_of_gpus_without_a_unit_is_told(void **state)
{
    (void)state;
    test_says(HEAD "{gpus: 1, gpus_minimum_memory: 4000}\n",
              "4:43: notice: resources: gpus_minimum_memory is taken as MiB, "
              "as HTCondor means it: 3.91 GiB (write a unit, like 4G)");
}

static void every_need_is_a_key(void **state)
{
    static const char *const keys[] = {"cpus",
                                       "memory",
                                       "disk",
                                       "gpus",
                                       "gpus_minimum_capability",
                                       "gpus_maximum_capability",
                                       "gpus_minimum_memory",
                                       "nodes",
                                       "ranks",
                                       "ranks_per_node",
                                       "time",
                                       NULL};

    (void)state;
    for (size_t i = 0; keys[i]; i++) {
        struct reading_test t;
        char text[512];

        snprintf(text, sizeof(text), HEAD "{%s: %s}\n", keys[i],
                 strstr(keys[i], "memory") || i == 2 ? "1G" : "1");
        test_read_well(&t, text);
        test_done(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_are_read),
        cmocka_unit_test(without_resources_a_task_needs_one_cpu),
        cmocka_unit_test(models_on_a_named_cpu_need_no_gpu),
        cmocka_unit_test(a_parameter_can_say_a_need),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_memory_of_gpus_without_a_unit_is_told),
        cmocka_unit_test(every_need_is_a_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
