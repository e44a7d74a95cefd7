/* test_streaks.c - nodes on which nothing goes well */
#include "engine/streaks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "base/rng.h"

#define NODES 4

static void note(struct streaks *s, const char *node, bool well, int times)
{
    for (int i = 0; i < times; i++)
        streaks_note(s, node, well);
}

static void a_node_where_nothing_goes_well_is_left_out(void **state)
{
    (void)state;
    struct streaks s = {0};
    struct buf out;
    buf_init(&out);
    note(&s, "n1", false, 5); /* perhaps nothing goes well anywhere */
    assert_null(streaks_take(&s, NODES));
    note(&s, "n1", true, 1);
    note(&s, "n2", true, 9);
    note(&s, "n1", false, 2);
    assert_null(streaks_take(&s, NODES));
    note(&s, "n1", false, 1);
    assert_string_equal(streaks_take(&s, NODES)->node, "n1");
    assert_null(streaks_take(&s, NODES)); /* it is told once */
    streaks_print(&s, &out);
    assert_string_equal(out.p, "n1");
    buf_done(&out);
    streaks_done(&s);
}

/* Where others take longer, they tell it later. */
static void what_goes_well_elsewhere_may_come_behind(void **state)
{
    (void)state;
    struct streaks s = {0};
    note(&s, "n1", false, 3);
    assert_null(streaks_take(&s, NODES));
    note(&s, "n2", true, 3);
    assert_string_equal(streaks_take(&s, NODES)->node, "n1");
    streaks_done(&s);
}

/* Of points that half of all trials fail at, streaks come by chance. */
static void tasks_that_fail_everywhere_are_no_fault_of_a_node(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f",
                                        "g", "h", "i", "j", "k", "l"};
    size_t out = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct streaks s = {0};
        struct rng rng;
        rng_init(&rng, seed, 0, "streaks");
        for (int i = 0; i < 2000; i++) {
            streaks_note(&s, names[rng_below(&rng, 12)], rng_below(&rng, 2));
            while (streaks_take(&s, 12))
                out++;
        }
        streaks_done(&s);
    }
    assert_true(out < 10); /* of 240 nodes */
}

/* A node of its own is not all of the cluster. */
static void most_nodes_are_never_left_out(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct streaks s = {0};
    size_t out = 0;
    note(&s, "h", true, 200);
    for (size_t i = 0; i < 7; i++)
        note(&s, names[i], false, 40);
    while (streaks_take(&s, 8))
        out++;
    assert_int_equal(out, 2);
    streaks_done(&s);
    s = (struct streaks){0};
    note(&s, "h", false, 20);
    assert_null(streaks_take(&s, 1));
    streaks_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_where_nothing_goes_well_is_left_out),
        cmocka_unit_test(what_goes_well_elsewhere_may_come_behind),
        cmocka_unit_test(tasks_that_fail_everywhere_are_no_fault_of_a_node),
        cmocka_unit_test(most_nodes_are_never_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
