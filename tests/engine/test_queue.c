#include "rig.h"
#include "engine/queue.h"

static void an_empty_queue_has_no_first(void **state)
{
    (void)state;
    struct queue q;
    queue_init(&q);
    assert_null(queue_first(&q));
    assert_int_equal(queue_count(&q), 0);
    queue_done(&q);
}

static void higher_priority_goes_first_then_older(void **state)
{
    (void)state;
    struct queue q;
    struct queue_node a, b, c, d;
    queue_init(&q);
    queue_push(&q, &a, 0);
    queue_push(&q, &b, 5);
    queue_push(&q, &c, 0);
    queue_push(&q, &d, 5);
    struct queue_node *order[] = {&b, &d, &a, &c};
    for (size_t i = 0; i < 4; i++) {
        assert_ptr_equal(queue_first(&q), order[i]);
        queue_remove(&q, order[i]);
    }
    assert_null(queue_first(&q));
    queue_done(&q);
}

#define MANY 2000

/* Every third is taken out from wherever it stands; the rest comes in order. */
static void removal_from_the_middle_keeps_the_order(void **state)
{
    (void)state;
    static struct queue_node nodes[MANY];
    struct queue q;
    unsigned draw = 12345;
    queue_init(&q);
    for (size_t i = 0; i < MANY; i++) {
        draw = draw * 1103515245u + 12345u;
        queue_push(&q, &nodes[i], (int)(draw >> 16) % 7 - 3);
    }
    for (size_t i = 0; i < MANY; i += 3)
        queue_remove(&q, &nodes[i]);
    struct queue_node *last = NULL, *n;
    size_t count = 0;
    while ((n = queue_first(&q))) {
        assert_int_not_equal((n - nodes) % 3, 0);
        if (last)
            assert_true(last->priority > n->priority ||
                        (last->priority == n->priority && last->age < n->age));
        queue_remove(&q, n);
        last = n;
        count++;
    }
    assert_int_equal(count, MANY - (MANY + 2) / 3);
    queue_done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_queue_has_no_first),
        cmocka_unit_test(higher_priority_goes_first_then_older),
        cmocka_unit_test(removal_from_the_middle_keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
