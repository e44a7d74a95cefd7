/* test_bounds.c - which quantiles of a model are the ends of an interval */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/json.h"
#include "nn/nn.h"

/* Rows of four numbers with two labels of one number each. */
static struct nn_model *of_heads(struct arena *a, const char *heads)
{
    const struct nn_data_field input = {
        .name = STR("input"), .rank = 1, .dim = {4}};
    const struct nn_data_field labels[] = {
        {.name = STR("dose"), .rank = 1, .dim = {1}},
        {.name = STR("age"), .rank = 1, .dim = {1}},
    };
    struct nn_data_facts facts = {&input, labels, 1, 2, false};
    struct problems faults = {.arena = a};
    const char *text =
        arena_printf(a,
                     "{\"layers\": [{\"dense\": 3, \"name\": \"seen\"}, "
                     "{\"dense\": 1, \"from\": \"seen\", \"name\": \"a\"}, "
                     "{\"dense\": 1, \"from\": \"seen\", \"name\": \"b\"}, "
                     "{\"dense\": 1, \"from\": \"seen\", \"name\": \"c\"}], "
                     "\"heads\": [%s]}",
                     heads);
    struct value *v = json_parse(a, str_of(text), "model", true, NULL);
    assert_non_null(v);
    struct nn_model *m = nn_model_read(v, &facts, &faults);
    if (!m)
        fail_msg("%s", faults.list.p[0].text.p);
    return m;
}

static void ends_are(const char *heads, const enum interval_end *ends,
                     size_t count)
{
    struct arena *a = arena_new();
    struct nn_model *m = of_heads(a, heads);
    assert_int_equal(nn_model_head_count(m), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(nn_head_bound(m, i), ends[i]);
    nn_model_free(m);
    arena_free(a);
}

#define QUANTILE(from, label, q)                                               \
    "{\"from\": \"" from "\", \"name\": \"" from "\", \"label\": \"" label     \
    "\", \"loss\": \"quantile\", \"quantile\": " q "}"
#define SQUARES(from, label)                                                   \
    "{\"from\": \"" from "\", \"name\": \"" from "\", \"label\": \"" label     \
    "\", \"loss\": \"mse\"}"

static void the_lowest_and_the_highest_are_ends(void **state)
{
    (void)state;
    ends_are(QUANTILE("a", "dose", "0.05") "," QUANTILE(
                 "b", "dose", "0.5") "," QUANTILE("c", "dose", "0.95"),
             (const enum interval_end[]){END_LOW, END_INSIDE, END_HIGH}, 3);
    ends_are(QUANTILE("a", "dose", "0.1") "," QUANTILE("b", "dose", "0.9"),
             (const enum interval_end[]){END_LOW, END_HIGH}, 2);
}

static void the_order_of_heads_does_not_matter(void **state)
{
    (void)state;
    ends_are(QUANTILE("a", "dose", "0.9") "," QUANTILE(
                 "b", "dose", "0.1") "," QUANTILE("c", "dose", "0.3"),
             (const enum interval_end[]){END_HIGH, END_LOW, END_INSIDE}, 3);
}

static void one_quantile_alone_is_no_interval(void **state)
{
    (void)state;
    ends_are(QUANTILE("a", "dose", "0.5"),
             (const enum interval_end[]){END_NONE}, 1);
    ends_are(QUANTILE("a", "dose", "0.5") "," SQUARES("b", "age"),
             (const enum interval_end[]){END_NONE, END_NONE}, 2);
}

static void a_head_of_another_kind_is_no_end(void **state)
{
    (void)state;
    ends_are(SQUARES("a", "age") "," QUANTILE("b", "dose", "0.2") "," QUANTILE(
                 "c", "dose", "0.8"),
             (const enum interval_end[]){END_NONE, END_LOW, END_HIGH}, 3);
}

/* Nobody could tell which two belong together. */
static void quantiles_of_two_labels_are_no_interval(void **state)
{
    (void)state;
    ends_are(QUANTILE("a", "dose", "0.1") "," QUANTILE(
                 "b", "dose", "0.9") "," QUANTILE("c", "age", "0.5"),
             (const enum interval_end[]){END_NONE, END_NONE, END_NONE}, 3);
}

static void the_same_quantile_twice_is_no_interval(void **state)
{
    (void)state;
    ends_are(QUANTILE("a", "dose", "0.1") "," QUANTILE("b", "dose", "0.1"),
             (const enum interval_end[]){END_NONE, END_NONE}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_and_the_highest_are_ends),
        cmocka_unit_test(the_order_of_heads_does_not_matter),
        cmocka_unit_test(one_quantile_alone_is_no_interval),
        cmocka_unit_test(a_head_of_another_kind_is_no_end),
        cmocka_unit_test(quantiles_of_two_labels_are_no_interval),
        cmocka_unit_test(the_same_quantile_twice_is_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
