/* test_space.c - conditions, points, random points, the text form */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"
#include "base/rng.h"
#include "terms/space.h"
#include "../one_arena.h"

static int read_space(struct space *s, const char *parameters, struct err *err)
{
    char *text =
        arena_printf(arena, "{\"version\":1,\"parameters\":[%s]}", parameters);
    struct value *v = json_parse(arena, str_of(text), "t", true, err);
    assert_non_null(v);
    return space_from_value(s, v, arena, err);
}

static struct space space(const char *parameters)
{
    struct space s;
    struct err err = {0};
    if (read_space(&s, parameters, &err))
        fail_msg("%s", err.text);
    return s;
}

static const char *text_of(const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* One of every kind, nested and conditional. */
static const char big[] =
    "{\"name\":\"z\",\"distribution\":\"normal\",\"mu\":0,\"sigma\":1},"
    "{\"name\":\"opt.kind\",\"path\":[\"opt\",\"kind\"],"
    "\"distribution\":\"categorical\",\"values\":[\"sgd\",\"adam\",\"lbfgs\"]},"
    "{\"name\":\"opt.lr\",\"path\":[\"opt\",\"lr\"],"
    "\"distribution\":\"log_uniform_values\",\"min\":1e-5,\"max\":0.1,"
    "\"when\":[{\"name\":\"opt.kind\",\"values\":[\"sgd\",\"adam\"]}]},"
    "{\"name\":\"a\",\"distribution\":\"q_beta\",\"a\":2,\"b\":3,\"q\":0.25,"
    "\"when\":[{\"name\":\"opt.kind\",\"values\":[\"adam\"]},"
    "{\"name\":\"layers\",\"values\":[2,3]}]},"
    "{\"name\":\"layers\",\"distribution\":\"int_uniform\",\"min\":1,\"max\":4}"
    ","
    "{\"name\":\"w\",\"distribution\":\"categorical\",\"values\":[1,2.5,null],"
    "\"probabilities\":[0.5,0.25,0.25]},"
    "{\"name\":\"c\",\"distribution\":\"constant\",\"value\":{\"k\":[1,2]}},"
    "{\"name\":\"q\",\"distribution\":\"q_uniform\",\"min\":0.1,\"max\":9,"
    "\"q\":2}";

static void parameters_are_found_by_name_in_sorted_order(void **state)
{
    (void)state;
    struct space s = space(big);
    static const char *const names[] = {"a",      "c", "layers", "opt.kind",
                                        "opt.lr", "q", "w",      "z"};
    assert_int_equal(s.count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_true(str_is(s.params[i].name, names[i]));
        assert_int_equal(space_find(&s, str_of(names[i])), i);
    }
    assert_int_equal(space_find(&s, STR("")), -1);
    assert_int_equal(space_find(&s, STR("opt")), -1);
    assert_int_equal(space_find(&s, STR("zz")), -1);
}

static void the_order_puts_conditions_first(void **state)
{
    (void)state;
    struct space s = space(big);
    size_t order[8];
    assert_int_equal(space_order(&s, order, NULL), 0);
    const size_t want[] = {1, 2, 3, 0, 4, 5, 6, 7};
    assert_memory_equal(order, want, sizeof(want));
}

static void a_cycle_and_an_unknown_name_are_refused(void **state)
{
    (void)state;
    struct space s;
    struct err err = {0};
    assert_int_equal(
        read_space(&s,
                   "{\"name\":\"a\",\"distribution\":\"constant\",\"value\":1,"
                   "\"when\":[{\"name\":\"b\",\"values\":[1]}]},"
                   "{\"name\":\"b\",\"distribution\":\"constant\",\"value\":1,"
                   "\"when\":[{\"name\":\"a\",\"values\":[1]}]}",
                   &err),
        -1);
    assert_string_equal(err.text,
                        "a depends, through its conditions, on itself");
    assert_int_equal(
        read_space(&s,
                   "{\"name\":\"a\",\"distribution\":\"constant\",\"value\":1,"
                   "\"when\":[{\"name\":\"nix\",\"values\":[1]}]}",
                   &err),
        -1);
    assert_string_equal(err.text, "a depends on 'nix', which is no parameter");
}

/* True when the leaf ought to be in the point, by the point alone. */
static bool ought(const struct space *s, size_t i, const struct value *point)
{
    const struct param *p = &s->params[i];
    for (size_t c = 0; c < p->condition_count; c++) {
        long on = space_find(s, p->conditions[c].name);
        const struct value *v = point_get(point, &s->params[on]);
        bool holds = false;
        for (size_t k = 0; v && k < p->conditions[c].values->count; k++)
            holds |= value_eq(v, p->conditions[c].values->items[k]);
        if (!holds)
            return false;
    }
    return true;
}

static void random_points_are_inside_and_hold_what_is_active(void **state)
{
    (void)state;
    struct space s = space(big);
    int seen[8] = {0};
    for (uint64_t k = 1; k <= 2000; k++) {
        struct rng r;
        rng_init(&r, 99, k, "point");
        struct value *point = space_sample(&s, &r, arena);
        for (size_t i = 0; i < s.count; i++) {
            struct value *v = point_get(point, &s.params[i]);
            assert_int_equal(v != NULL, ought(&s, i, point));
            if (!v)
                continue;
            seen[i]++;
            double u = param_position(&s.params[i], v);
            assert_true(u >= 0 && u < 1);
        }
    }
    assert_true(seen[3] == 2000 && seen[7] == 2000);
    assert_true(seen[4] > 1200 && seen[4] < 1466);
    assert_true(seen[0] > 250 && seen[0] < 420);
}

static void draws_have_the_types_of_their_distribution(void **state)
{
    (void)state;
    struct space s = space(big);
    for (uint64_t k = 1; k <= 200; k++) {
        struct rng r;
        rng_init(&r, 5, k, "point");
        struct value *point = space_sample(&s, &r, arena);
        assert_int_equal(value_get(point, STR("layers"))->kind, VALUE_INT);
        assert_int_equal(value_get(point, STR("q"))->kind, VALUE_INT);
        assert_int_equal(value_get(point, STR("z"))->kind, VALUE_DOUBLE);
        struct value *a = value_get(point, STR("a"));
        assert_true(!a || a->kind == VALUE_DOUBLE);
        assert_string_equal(text_of(value_get(point, STR("c"))),
                            "{\"k\":[1,2]}");
        assert_int_equal(value_get(point, STR("opt"))->kind, VALUE_OBJECT);
    }
}

static void a_point_is_the_same_for_the_same_seed_and_stream(void **state)
{
    (void)state;
    struct space s = space(big);
    const char *first = NULL;
    for (int i = 0; i < 3; i++) {
        struct rng r;
        rng_init(&r, 7, 123, "point");
        const char *text = text_of(space_sample(&s, &r, arena));
        if (first)
            assert_string_equal(first, text);
        first = text;
    }
}

static void an_inactive_parameter_shifts_no_other_draw(void **state)
{
    (void)state;
    struct space free = space(
        "{\"name\":\"a\",\"distribution\":\"categorical\",\"values\":[1,2]},"
        "{\"name\":\"b\",\"distribution\":\"uniform\",\"min\":0,\"max\":1},"
        "{\"name\":\"c\",\"distribution\":\"uniform\",\"min\":0,\"max\":1}");
    struct space bound = space(
        "{\"name\":\"a\",\"distribution\":\"categorical\",\"values\":[1,2]},"
        "{\"name\":\"b\",\"distribution\":\"uniform\",\"min\":0,\"max\":1,"
        "\"when\":[{\"name\":\"a\",\"values\":[2]}]},"
        "{\"name\":\"c\",\"distribution\":\"uniform\",\"min\":0,\"max\":1}");
    for (uint64_t k = 1; k < 100; k++) {
        struct rng r, q;
        rng_init(&r, 7, k, "point");
        rng_init(&q, 7, k, "point");
        struct value *x = space_sample(&free, &r, arena);
        struct value *y = space_sample(&bound, &q, arena);
        assert_true(value_eq(value_get(x, STR("a")), value_get(y, STR("a"))));
        assert_true(value_eq(value_get(x, STR("c")), value_get(y, STR("c"))));
    }
}

static void a_point_nests_where_its_paths_do(void **state)
{
    (void)state;
    struct space s =
        space("{\"name\":\"b.x.y\",\"path\":[\"b\",\"x\",\"y\"],"
              "\"distribution\":\"constant\",\"value\":1},"
              "{\"name\":\"b.z\",\"path\":[\"b\",\"z\"],"
              "\"distribution\":\"constant\",\"value\":2},"
              "{\"name\":\"a.b\",\"distribution\":\"constant\",\"value\":3}");
    struct value *values[3];
    for (size_t i = 0; i < 3; i++)
        values[i] = param_at(&s.params[i], 0, arena);
    struct value *point = space_point(&s, values, arena);
    assert_string_equal(text_of(point),
                        "{\"a.b\":3,\"b\":{\"x\":{\"y\":1},\"z\":2}}");
    values[1] = NULL;
    point = space_point(&s, values, arena);
    assert_string_equal(text_of(point), "{\"a.b\":3,\"b\":{\"z\":2}}");
    assert_null(point_get(point, &s.params[1]));
    assert_true(point_get(point, &s.params[2])->i == 2);
}

static void a_space_survives_its_text_form(void **state)
{
    (void)state;
    struct space s = space(big), back;
    const char *text = text_of(space_to_value(&s, arena));
    struct value *v = json_parse(arena, str_of(text), "t", true, NULL);
    assert_int_equal(space_from_value(&back, v, arena, NULL), 0);
    assert_string_equal(text, text_of(space_to_value(&back, arena)));
    for (uint64_t k = 1; k < 50; k++) {
        struct rng r, q;
        rng_init(&r, 7, k, "point");
        rng_init(&q, 7, k, "point");
        assert_string_equal(text_of(space_sample(&s, &r, arena)),
                            text_of(space_sample(&back, &q, arena)));
    }
}

static void assert_refused(const char *parameters, const char *part)
{
    struct space s;
    struct err err = {0};
    if (read_space(&s, parameters, &err) != -1)
        fail_msg("%s was taken", parameters);
    if (!strstr(err.text, part))
        fail_msg("%s: '%s' lacks '%s'", parameters, err.text, part);
}

#define P(dist, rest) "{\"name\":\"p\",\"distribution\":\"" dist "\"" rest "}"
static void damaged_spaces_are_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused("{}", "no name");
    assert_refused(P("gauss", ""), "not known");
    assert_refused(P("constant", ""), "needs a value");
    assert_refused(P("categorical", ""), "list of values");
    assert_refused(P("categorical", ",\"values\":[]"), "list of values");
    assert_refused(
        P("categorical", ",\"values\":[1],\"probabilities\":[0.5,0.5]"),
        "as many probabilities");
    assert_refused(P("categorical", ",\"values\":[1],\"probabilities\":[-1]"),
                   "probability");
    assert_refused(P("categorical", ",\"values\":[1],\"probabilities\":[0]"),
                   "add up");
    assert_refused(P("uniform", ",\"min\":1"), "min and a max");
    assert_refused(P("uniform", ",\"min\":2,\"max\":1"), "min the smaller");
    assert_refused(P("uniform", ",\"min\":NaN,\"max\":1"), "min and a max");
    assert_refused(P("uniform", ",\"min\":0,\"max\":Infinity"), "a max");
    assert_refused(P("int_uniform", ",\"min\":0.5,\"max\":1"), "integers");
    assert_refused(P("int_uniform", ",\"min\":0,\"max\":1e300"), "2^53");
    assert_refused(P("log_uniform_values", ",\"min\":0,\"max\":1"), "above 0");
    assert_refused(P("q_uniform", ",\"min\":0,\"max\":1,\"q\":0"), "q must");
    assert_refused(P("normal", ",\"mu\":0,\"sigma\":0"), "sigma above 0");
    assert_refused(P("beta", ",\"a\":0,\"b\":1"), "both above 0");
    assert_refused(P("constant", ",\"value\":1,\"path\":[]"), "path");
    assert_refused(P("constant", ",\"value\":1,\"when\":[{}]"), "condition");
    assert_refused(
        P("constant", ",\"value\":1") "," P("constant", ",\"value\":2"),
        "two of that name");
    assert_refused(
        P("constant",
          ",\"value\":1") ","
                          "{\"name\":\"p.x\",\"path\":[\"p\",\"x\"],"
                          "\"distribution\":\"constant\",\"value\":1}",
        "both a value and an object");
}

static void a_newer_version_is_named(void **state)
{
    (void)state;
    struct space s;
    struct err err = {0};
    struct value *v = json_parse(
        arena, STR("{\"version\":2,\"parameters\":[]}"), "t", true, NULL);
    assert_int_equal(space_from_value(&s, v, arena, &err), -1);
    assert_non_null(strstr(err.text, "version 2"));
    assert_int_equal(space_from_value(&s, value_list(arena), arena, &err), -1);
    assert_int_equal(space_from_value(&s, NULL, arena, &err), -1);
}

static void an_empty_space_has_one_empty_point(void **state)
{
    (void)state;
    struct space s = space("");
    struct rng r;
    rng_init(&r, 1, 1, "point");
    assert_string_equal(text_of(space_sample(&s, &r, arena)), "{}");
    assert_true(space_grid_count(&s, NULL) == 1);
    assert_string_equal(text_of(space_grid_point(&s, 0, arena)), "{}");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_are_found_by_name_in_sorted_order),
        TEST(the_order_puts_conditions_first),
        TEST(a_cycle_and_an_unknown_name_are_refused),
        TEST(random_points_are_inside_and_hold_what_is_active),
        TEST(draws_have_the_types_of_their_distribution),
        TEST(a_point_is_the_same_for_the_same_seed_and_stream),
        TEST(an_inactive_parameter_shifts_no_other_draw),
        TEST(a_point_nests_where_its_paths_do),
        TEST(a_space_survives_its_text_form),
        TEST(damaged_spaces_are_refused_with_the_reason),
        TEST(a_newer_version_is_named),
        TEST(an_empty_space_has_one_empty_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
