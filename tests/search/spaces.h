/* spaces.h - spaces for the tests of strategies, and what a point must be */
#ifndef THRONG_TESTS_SEARCH_SPACES_H
#define THRONG_TESTS_SEARCH_SPACES_H

#include "base/json.h"
#include "terms/space.h"

#define PARAM(name, dist, rest)                                                \
    "{\"name\":\"" name "\",\"distribution\":\"" dist "\"," rest "}"

#define WHEN(name, values)                                                     \
    "\"when\":[{\"name\":\"" name "\",\"values\":[" values "]}]"

/* Choices, whole and real numbers, with conditions two levels deep. */
static const char mixed_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("act", "categorical", "\"values\":[\"relu\",\"gelu\",\"tanh\"]") ","
    PARAM("beta", "beta", "\"a\":2,\"b\":3") ","
    PARAM("deep", "int_uniform", "\"min\":1,\"max\":12") ","
    PARAM("fixed", "constant", "\"value\":3") ","
    PARAM("lr", "log_uniform_values", "\"min\":1e-6,\"max\":1") ","
    PARAM("mode", "categorical", "\"values\":[true,false],"
          WHEN("opt", "\"adam\",\"lion\"")) ","
    PARAM("mom", "uniform", "\"min\":0,\"max\":1," WHEN("opt", "\"sgd\"")) ","
    PARAM("nest", "q_uniform", "\"min\":0,\"max\":2,\"q\":0.25,"
          WHEN("mode", "true")) ","
    PARAM("noise", "normal", "\"mu\":0,\"sigma\":2") ","
    PARAM("opt", "categorical", "\"values\":[\"sgd\",\"adam\",\"lion\"],"
          "\"probabilities\":[0.5,0.3,0.2]") ","
    PARAM("wide", "q_log_uniform_values", "\"min\":8,\"max\":1024,\"q\":1")
    /* clang-format on */
    "]}";

/* The distributions that are not above. */
static const char other_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "log_uniform", "\"min\":-9,\"max\":2") ","
    PARAM("b", "q_log_uniform", "\"min\":0,\"max\":6,\"q\":0.5") ","
    PARAM("c", "inv_log_uniform", "\"min\":1,\"max\":5") ","
    PARAM("d", "inv_log_uniform_values", "\"min\":0.01,\"max\":3") ","
    PARAM("e", "q_normal", "\"mu\":10,\"sigma\":4,\"q\":1") ","
    PARAM("f", "log_normal", "\"mu\":0,\"sigma\":1") ","
    PARAM("g", "q_log_normal", "\"mu\":1,\"sigma\":1,\"q\":0.1") ","
    PARAM("h", "q_beta", "\"a\":3,\"b\":2,\"q\":0.125") ","
    PARAM("i", "categorical", "\"values\":[0.5,null,\"0.5\",[1,2]]")
    /* clang-format on */
    "]}";

static inline struct space space_of(const char *text, struct arena *a)
{
    struct space s = {0};
    struct err err = {0};
    struct value *v = json_parse(a, str_of(text), "space", true, &err);
    if (!v || space_from_value(&s, v, a, &err))
        fail_msg("%s", err.text);
    return s;
}

/* A point is right when exactly the active parameters are there, each with a
 * value that its distribution can give. */
static inline void assert_point(const struct space *s,
                                const struct value *point)
{
    struct value *values[64];
    size_t active = 0;
    assert_true(s->count <= 64);
    for (size_t i = 0; i < s->count; i++)
        values[i] = point_get(point, &s->params[i]);
    for (size_t i = 0; i < s->count; i++) {
        const struct param *p = &s->params[i];
        assert_int_equal(values[i] != NULL, space_active(s, i, values));
        if (!values[i])
            continue;
        active++;
        double u = param_position(p, values[i]);
        assert_true(u >= 0 && u <= 1);
        if (p->dist == DIST_INT_UNIFORM || p->q_integer)
            assert_int_equal(values[i]->kind, VALUE_INT);
        else if (p->dist > DIST_INT_UNIFORM)
            assert_int_equal(values[i]->kind, VALUE_DOUBLE);
    }
    assert_int_equal(point->count, active);
}

#endif
