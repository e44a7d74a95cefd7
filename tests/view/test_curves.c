/* test_curves.c - learning curves, and bands of many, for a picture */
#include "view/view.h"

#include "base/json.h"
#include "../store/made_store.h"

static struct value *json_of(struct made *m, const struct buf *b)
{
    struct value *v = json_parse(m->a, buf_str(b), "", true, &m->err);
    if (!v)
        fail_msg("%s", m->err.text);
    return v;
}

static void add_series(struct made *m, int64_t trial, const double *values,
                       size_t count)
{
    int64_t *steps = arena_array(m->a, count, sizeof(*steps));
    for (size_t i = 0; i < count; i++)
        steps[i] = (int64_t)i + 1;
    assert_ok(m, made_points(m, trial, 1, "loss", METRIC_FROM_METRICS, steps,
                             values, count));
}

static struct value *curve(struct made *m, const char *selector, size_t points)
{
    struct buf b;
    buf_init(&b);
    assert_ok(m,
              curves_json(&b, m->s, selector, "loss", points, m->a, &m->err));
    struct value *v = json_of(m, &b);
    buf_done(&b);
    return value_get(v, STR("curves"));
}

static void make_spiked(struct made *m, size_t count)
{
    double *values = arena_array(m->a, count, sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = 1;
    values[count / 3] = 100;
    values[count / 2] = -100;
    made_trial(m, 1, "{\"x\":1}", STATE_DONE, 1);
    made_summary(m, 1, "{\"loss\":{\"last\":1,\"min\":-100,\"max\":100}}", "");
    add_series(m, 1, values, count);
    made_commit(m);
}

static void a_short_curve_stays_as_it_is(void **state)
{
    struct made *m = *state;
    make_spiked(m, 12);
    const struct value *c = value_at(curve(m, "1", 50), 0);
    assert_int_equal(value_get(c, STR("values"))->count, 12);
    assert_true(value_number(value_get(c, STR("points"))) == 12);
    assert_true(value_number(value_at(value_get(c, STR("steps")), 11)) == 12);
}

static void of_a_long_curve_no_spike_is_lost(void **state)
{
    struct made *m = *state;
    make_spiked(m, 5000);
    const struct value *c = value_at(curve(m, "1", 40), 0);
    const struct value *values = value_get(c, STR("values"));
    const struct value *steps = value_get(c, STR("steps"));
    double most = 0, least = 0;
    assert_true(values->count <= 42);
    for (size_t i = 0; i < values->count; i++) {
        most = fmax(most, value_number(values->items[i]));
        least = fmin(least, value_number(values->items[i]));
        if (i)
            assert_true(value_number(steps->items[i]) >
                        value_number(steps->items[i - 1]));
    }
    assert_true(most == 100 && least == -100);
    assert_true(value_number(steps->items[0]) == 1);
    assert_true(value_number(steps->items[steps->count - 1]) == 5000);
}

static void bands_are_quantiles_of_those_that_got_so_far(void **state)
{
    struct made *m = *state;
    struct buf b;
    for (int64_t id = 1; id <= 5; id++) {
        double values[] = {(double)id, 10.0 * (double)id};
        made_trial(m, id, id < 3 ? "{\"opt\":\"a\"}" : "{\"opt\":\"b\"}",
                   STATE_DONE, 1);
        made_summary(m, id, "{\"loss\":{\"last\":1}}", "");
        add_series(m, id, values, id == 5 ? 1 : 2);
    }
    made_commit(m);
    buf_init(&b);
    assert_ok(m, bands_json(&b, m->s, NULL, "loss", NULL, 10, m->a, &m->err));
    const struct value *groups = value_get(json_of(m, &b), STR("groups"));
    const struct value *bands = value_get(value_at(groups, 0), STR("bands"));
    assert_int_equal(groups->count, 1);
    assert_int_equal(bands->count, 2);
    assert_true(value_number(value_at(value_at(bands, 0), 0)) == 5);
    assert_true(value_number(value_at(value_at(bands, 0), 3)) == 3);
    assert_true(value_number(value_at(value_at(bands, 1), 0)) == 4);
    assert_true(value_number(value_at(value_at(bands, 1), 3)) == 25);
    buf_reset(&b);
    assert_ok(m, bands_json(&b, m->s, NULL, "loss", "opt", 10, m->a, &m->err));
    groups = value_get(json_of(m, &b), STR("groups"));
    assert_int_equal(groups->count, 2);
    assert_true(value_number(value_get(value_at(groups, 0), STR("trials"))) ==
                2);
    buf_done(&b);
}

static void an_unknown_metric_is_an_error(void **state)
{
    struct made *m = *state;
    struct buf b;
    make_spiked(m, 3);
    buf_init(&b);
    assert_int_equal(curves_json(&b, m->s, "1", "lost", 10, m->a, &m->err), -1);
    assert_non_null(strstr(m->err.text, "loss"));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        TEST(a_short_curve_stays_as_it_is),
        TEST(of_a_long_curve_no_spike_is_lost),
        TEST(bands_are_quantiles_of_those_that_got_so_far),
        TEST(an_unknown_metric_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
