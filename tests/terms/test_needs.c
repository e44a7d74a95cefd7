/* test_needs.c - needs as study files write them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"
#include "base/rng.h"
#include "terms/needs.h"

static int set(struct needs *n, const char *key, const char *json,
               struct err *err)
{
    struct arena *a = arena_new();
    struct value *v = json_parse(a, str_of(json), "test", true, err);
    assert_non_null(v);
    int rc = needs_set(n, str_of(key), v, err);
    arena_free(a);
    return rc;
}

static void assert_refused(const char *key, const char *json, const char *part)
{
    struct needs n, before;
    struct err err = {0};
    needs_init(&n);
    before = n;
    assert_int_equal(set(&n, key, json, &err), -1);
    if (!strstr(err.text, part))
        fail_msg("%s %s: '%s' lacks '%s'", key, json, err.text, part);
    assert_true(needs_eq(&n, &before));
}

static void a_task_needs_one_cpu_when_nothing_is_said(void **state)
{
    (void)state;
    struct needs n;
    struct buf b;
    needs_init(&n);
    buf_init(&b);
    needs_print(&b, &n);
    assert_string_equal(b.p, "1 cpu");
    buf_done(&b);
}

static void each_key_is_read_as_study_files_write_it(void **state)
{
    (void)state;
    struct needs n;
    needs_init(&n);
    assert_int_equal(set(&n, "cpus", "2", NULL), 0);
    assert_int_equal(set(&n, "memory", "\"4G\"", NULL), 0);
    assert_int_equal(set(&n, "disk", "1000", NULL), 0);
    assert_int_equal(set(&n, "gpus", "\"a100:2\"", NULL), 0);
    assert_int_equal(set(&n, "gpus_minimum_capability", "7.5", NULL), 0);
    assert_int_equal(set(&n, "gpus_maximum_capability", "\"9.0\"", NULL), 0);
    assert_int_equal(set(&n, "gpus_minimum_memory", "\"40G\"", NULL), 0);
    assert_int_equal(set(&n, "nodes", "2", NULL), 0);
    assert_int_equal(set(&n, "ranks", "\"8\"", NULL), 0);
    assert_int_equal(set(&n, "ranks_per_node", "4.0", NULL), 0);
    assert_int_equal(set(&n, "time", "\"2h 30m\"", NULL), 0);
    assert_true(n.cpus == 2 && n.gpus == 2 && n.time_s == 9000);
    assert_true(n.memory_bytes == (uint64_t)4 << 30);
    assert_true(n.disk_bytes == 1000);
    assert_string_equal(n.gpu_name, "a100");
    assert_true(n.gpu_minimum_capability == 7.5);
    assert_true(n.gpu_maximum_capability == 9);
    assert_true(n.gpu_minimum_memory_bytes == (uint64_t)40 << 30);
    assert_true(n.nodes == 2 && n.ranks == 8 && n.ranks_per_node == 4);
}

static void a_small_memory_of_a_gpu_without_a_unit_is_in_mebibytes(void **state)
{
    static const struct {
        const char *json;
        uint64_t bytes;
    } cases[] = {{"4000", (uint64_t)4000 << 20},
                 {"\"4000\"", (uint64_t)4000 << 20},
                 {"0.5", 1 << 19},
                 {"1048576", 1 << 20},
                 {"\"4000M\"", (uint64_t)4000 << 20},
                 {"\"4K\"", 4096}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct needs n;
        needs_init(&n);
        assert_int_equal(set(&n, "gpus_minimum_memory", cases[i].json, NULL),
                         0);
        assert_true(n.gpu_minimum_memory_bytes == cases[i].bytes);
    }
}

static void gpus_are_a_number_a_fraction_or_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *json, *name;
        double gpus;
    } cases[] = {{"2", "", 2},
                 {"0.25", "", 0.25},
                 {"\"0.5\"", "", 0.5},
                 {"\"a100\"", "a100", 1},
                 {"\"H100:0.5\"", "H100", 0.5},
                 {"0", "", 0},
                 {"\"rtx 4090: 3\"", "rtx 4090", 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct needs n;
        needs_init(&n);
        assert_int_equal(set(&n, "gpus", cases[i].json, NULL), 0);
        assert_true(n.gpus == cases[i].gpus);
        assert_string_equal(n.gpu_name, cases[i].name);
    }
}

static void a_plain_number_of_gpus_forgets_an_earlier_name(void **state)
{
    (void)state;
    struct needs n;
    needs_init(&n);
    assert_int_equal(set(&n, "gpus", "\"a100:2\"", NULL), 0);
    assert_int_equal(set(&n, "gpus", "1", NULL), 0);
    assert_string_equal(n.gpu_name, "");
}

static void nonsense_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused("cpus", "-1", "must not be negative");
    assert_refused("cpus", "\"-1\"", "must not be negative");
    assert_refused("cpus", "0", "above 0");
    assert_refused("cpus", "NaN", "NaN");
    assert_refused("cpus", "\"nan\"", "NaN");
    assert_refused("cpus", "1e9", "more than any machine has");
    assert_refused("cpus", "Infinity", "more than any machine has");
    assert_refused("cpus", "\"many\"", "'many' is not a number");
    assert_refused("cpus", "[1]", "'[1]' is not a number");
    assert_refused("cpus", "true", "'True' is not a number");
    assert_refused("memory", "\"lots\"", "a size like 4G");
    assert_refused("memory", "-5", "must not be negative");
    assert_refused("memory", "1e30", "more than any machine has");
    assert_refused("memory", "16", "write a unit, like 4G");
    assert_refused("gpus", "1.5", "neither a whole number nor a fraction");
    assert_refused("gpus", "\"a100:1.5\"", "neither a whole number");
    assert_refused("gpus", "\"a100:x\"", "a100:2");
    assert_refused("gpus", "\":2\"", "a100:2");
    assert_refused("gpus", "\"a;b\"", "a100:2");
    assert_refused("gpus", "\"abcdefghijklmnopqrstuvwxyz0123456789:1\"",
                   "longer than 31");
    assert_refused("nodes", "1.5", "not a whole number");
    assert_refused("ranks", "1e12", "more than any machine has");
    assert_refused("time", "\"soon\"", "a time like");
    assert_refused("time", "-3", "must not be negative");
    assert_refused("cpu", "1", "did you mean cpus?");
    assert_refused("qqqqqqqq", "1", "no resource is called");
}

static void needs_are_printed_for_people(void **state)
{
    (void)state;
    struct needs n;
    struct buf b;
    needs_init(&n);
    n.cpus = 2;
    n.memory_bytes = (uint64_t)4 << 30;
    n.gpus = 1;
    memcpy(n.gpu_name, "a100", 5);
    n.time_s = 9000;
    buf_init(&b);
    buf_adds(&b, "needs ");
    needs_print(&b, &n);
    assert_string_equal(b.p, "needs 2 cpus, 4 GiB, 1 gpu (a100), 2h 30m");
    buf_done(&b);
}

static void random_needs(struct needs *n, struct rng *r)
{
    static const char *const names[] = {"", "a100", "H100-SXM", "rtx 3090"};
    needs_init(n);
    n->cpus = rng_below(r, 2) ? (double)(1 + rng_below(r, 64))
                              : 0.001 + rng_uniform(r);
    if (rng_below(r, 2))
        n->memory_bytes = rng_u64(r) >> 5;
    if (rng_below(r, 2))
        n->disk_bytes = rng_u64(r) >> 10;
    if (rng_below(r, 2))
        n->gpus = rng_below(r, 2) ? (double)rng_below(r, 9) : rng_uniform(r);
    const char *name = names[rng_below(r, 4)];
    if (n->gpus > 0)
        memcpy(n->gpu_name, name, strlen(name) + 1);
    if (rng_below(r, 2))
        n->gpu_minimum_capability = 1 + rng_uniform(r);
    if (rng_below(r, 2))
        n->gpu_maximum_capability = 1 + rng_uniform(r);
    n->gpu_minimum_memory_bytes = rng_below(r, 2) ? rng_u64(r) >> 8 : 0;
    n->nodes = (uint32_t)rng_below(r, 3);
    n->ranks = (uint32_t)rng_below(r, 1000);
    n->ranks_per_node = (uint32_t)rng_below(r, 10);
    n->time_s = rng_below(r, 2) ? rng_uniform(r) * 1e6 : 0;
}

static void any_needs_survive_their_text_form(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 1, "needs");
    for (int i = 0; i < 2000; i++) {
        struct arena *a = arena_new();
        struct needs n, back;
        struct err err = {0};
        struct buf b;
        random_needs(&n, &r);
        buf_init(&b);
        json_print(&b, needs_to_value(a, &n));
        struct value *v = json_parse(a, buf_str(&b), "needs", true, &err);
        if (needs_from_value(&back, v, &err) || !needs_eq(&n, &back))
            fail_msg("%s: %s", b.p, err.text);
        buf_done(&b);
        arena_free(a);
    }
}

static void needs_differ_when_any_member_does(void **state)
{
    (void)state;
    struct needs a, b;
    needs_init(&a);
    b = a;
    assert_true(needs_eq(&a, &b));
    b.memory_bytes = 1;
    assert_false(needs_eq(&a, &b));
    b = a;
    b.gpu_name[0] = 'x';
    assert_false(needs_eq(&a, &b));
    b = a;
    b.ranks = 3;
    assert_false(needs_eq(&a, &b));
    b = a;
    b.time_s = 0.5;
    assert_false(needs_eq(&a, &b));
}

static void an_unknown_member_of_stored_needs_is_refused(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct needs n;
    struct err err = {0};
    struct value *v =
        json_parse(a, STR("{\"cpus\":1,\"wings\":2}"), "t", true, NULL);
    assert_int_equal(needs_from_value(&n, v, &err), -1);
    assert_non_null(strstr(err.text, "wings"));
    assert_int_equal(needs_from_value(&n, value_list(a), &err), -1);
    arena_free(a);
}

static void check_spread(struct needs n, struct spread want)
{
    struct spread s = {0};
    assert_true(needs_spread(&n, &s));
    assert_int_equal(s.nodes, want.nodes);
    assert_int_equal(s.ranks, want.ranks);
    assert_int_equal(s.ranks_per_node, want.ranks_per_node);
}

static void what_is_not_said_of_ranks_follows_from_the_rest(void **state)
{
    (void)state;
    struct spread s;
    assert_false(needs_spread(&(struct needs){.cpus = 1}, &s));
    assert_false(needs_spread(&(struct needs){.nodes = 1}, &s));
    check_spread((struct needs){.nodes = 3}, (struct spread){3, 3, 1});
    check_spread((struct needs){.ranks = 5}, (struct spread){1, 5, 5});
    check_spread((struct needs){.nodes = 2, .ranks = 5},
                 (struct spread){2, 5, 3});
    check_spread((struct needs){.ranks = 5, .ranks_per_node = 2},
                 (struct spread){3, 5, 2});
    check_spread((struct needs){.nodes = 2, .ranks_per_node = 4},
                 (struct spread){2, 8, 4});
}

static void ranks_that_cannot_be_laid_out_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct needs n = {.nodes = 2, .ranks = 4, .gpus = 4};
    assert_int_equal(needs_spread_check(&n, &err), 0);
    n.gpus = 3;
    assert_int_equal(needs_spread_check(&n, &err), -1);
    assert_non_null(strstr(err.text, "evenly"));
    n = (struct needs){.nodes = 2, .ranks = 9, .ranks_per_node = 4};
    assert_int_equal(needs_spread_check(&n, &err), -1);
    assert_non_null(strstr(err.text, "9 ranks do not fit on 2 nodes"));
    n = (struct needs){.nodes = 4, .ranks = 2};
    assert_int_equal(needs_spread_check(&n, &err), -1);
    n = (struct needs){.nodes = 1000000, .ranks_per_node = 1000000};
    assert_int_equal(needs_spread_check(&n, &err), 0);
}

static void a_node_has_its_part_of_what_all_ranks_need(void **state)
{
    (void)state;
    struct needs n = {.cpus = 12, .nodes = 2, .ranks = 5, .gpus = 4};
    n.memory_bytes = 7;
    struct needs one = needs_of_node(&n);
    assert_float_equal(one.cpus, 9, 0); /* 3 ranks of 3 cpus */
    assert_float_equal(one.gpus, 2, 0);
    assert_int_equal(one.memory_bytes, 4);
    assert_int_equal(one.nodes, 0);
    n = (struct needs){.cpus = 0.5, .gpus = 1};
    one = needs_of_node(&n);
    assert_true(needs_eq(&n, &one));
}

static void a_gpu_that_is_shared_is_needed_whole(void **state)
{
    (void)state;
    static const struct {
        double gpus;
        uint32_t times, whole, per_gpu;
    } rows[] = {{0, 4, 0, 1},   {0.5, 1, 1, 2},   {0.5, 4, 2, 2},
                {0.4, 5, 3, 2}, {0.25, 4, 1, 4},  {1, 3, 3, 1},
                {2, 3, 6, 1},   {0.1, 10, 1, 10}, {1.0 / 3, 6, 2, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct needs n = {.cpus = 2, .memory_bytes = 3, .gpus = rows[i].gpus};
        struct needs all = needs_times(&n, rows[i].times);
        assert_true(all.gpus == rows[i].whole);
        assert_true(all.cpus == 2.0 * rows[i].times);
        assert_int_equal(all.memory_bytes, 3 * rows[i].times);
        assert_int_equal(needs_per_gpu(&n), rows[i].per_gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_needs_one_cpu_when_nothing_is_said),
        cmocka_unit_test(each_key_is_read_as_study_files_write_it),
        cmocka_unit_test(
            a_small_memory_of_a_gpu_without_a_unit_is_in_mebibytes),
        cmocka_unit_test(gpus_are_a_number_a_fraction_or_a_name),
        cmocka_unit_test(a_plain_number_of_gpus_forgets_an_earlier_name),
        cmocka_unit_test(nonsense_is_refused_with_the_reason),
        cmocka_unit_test(needs_are_printed_for_people),
        cmocka_unit_test(any_needs_survive_their_text_form),
        cmocka_unit_test(needs_differ_when_any_member_does),
        cmocka_unit_test(an_unknown_member_of_stored_needs_is_refused),
        cmocka_unit_test(what_is_not_said_of_ranks_follows_from_the_rest),
        cmocka_unit_test(ranks_that_cannot_be_laid_out_are_refused),
        cmocka_unit_test(a_node_has_its_part_of_what_all_ranks_need),
        cmocka_unit_test(a_gpu_that_is_shared_is_needed_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
