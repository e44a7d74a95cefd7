/* test_cmaes.c - what CMA-ES reaches, and what it does with odd results */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "search/cma.h"
#include "search/search.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

/* d parameters x0 … between -5 and 10, so that 0 is not in the middle. */
static struct space box(size_t d)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "{\"version\":1,\"parameters\":[");
    for (size_t i = 0; i < d; i++)
        buf_addf(&b,
                 "%s{\"name\":\"x%03zu\",\"distribution\":\"uniform\","
                 "\"min\":-5,\"max\":10}",
                 i ? "," : "", i);
    buf_addf(&b, "]}");
    struct space s = space_of(arena_cstr(arena, buf_str(&b)), arena);
    buf_done(&b);
    return s;
}

static const char *said; /* the method's options, in the test at hand */

static struct search *open_on(const struct space *space, uint64_t seed)
{
    struct search_setup given = {
        .space = space,
        .seed = seed,
        .minimize = true,
        .options = said ? json_parse(arena, str_of(said), "options", true, NULL)
                        : NULL};
    struct search *s = search_open("cmaes", &given, NULL);
    assert_non_null(s);
    return s;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

static struct value *ask(struct search *s, int64_t k, struct arena *a)
{
    struct suggestion got;
    assert_int_equal(search_ask(s, k, a, &got, NULL), SEARCH_HERE);
    return got.point;
}

static void numbers_of(const struct space *s, const struct value *point,
                       double *x)
{
    for (size_t i = 0; i < s->count; i++)
        x[i] = value_number(point_get(point, &s->params[i]));
}

static double sphere(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += (x[i] - 1) * (x[i] - 1);
    return sum;
}

static double ellipsoid(const double *x, size_t d)
{
    double sum = 0, scale = 1;
    for (size_t i = 0; i < d; i++, scale *= 5) {
        double turned = x[i] + 0.5 * x[(i + 1) % d];
        sum += scale * turned * turned;
    }
    return sum;
}

/* Axes of very different lengths, none of them turned. */
static double axes_apart(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += pow(1e6, (double)i / (double)(d - 1)) * x[i] * x[i];
    return sum;
}

/* A valley at every whole number. */
static double rastrigin(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += x[i] * x[i] + 10 - 10 * cos(6.283185307179586 * x[i]);
    return sum;
}

static double rosenbrock(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < d; i++) {
        double bend = x[i + 1] - x[i] * x[i];
        sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    }
    return sum;
}

/* The best value of `trials` with `ahead` of them always pending. */
static double reach(double (*f)(const double *, size_t), size_t d,
                    int64_t trials, int64_t ahead, uint64_t seed)
{
    struct space space = box(d);
    struct search *s = open_on(&space, seed);
    double *x = malloc(d * sizeof(*x)), best = INFINITY;
    struct value **points = malloc((size_t)(trials + 1) * sizeof(*points));
    for (int64_t k = 1; k <= trials; k++) {
        points[k] = ask(s, k, arena);
        if (k <= ahead)
            continue;
        struct value *ended = points[k - ahead];
        numbers_of(&space, ended, x);
        double y = f(x, d);
        best = fmin(best, y);
        tell(s, k - ahead, ended, STATE_DONE, y);
    }
    free(points);
    free(x);
    search_free(s);
    return best;
}

static void assert_below(double got, double most)
{
    if (!(got < most))
        fail_msg("reached %g, not %g", got, most);
}

static void it_walks_down_a_sphere(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_below(reach(sphere, 8, 1500, 0, seed), 1e-8);
}

static void it_learns_a_turned_ellipsoid(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_below(reach(ellipsoid, 8, 4000, 0, seed), 1e-8);
}

static void it_follows_a_bent_valley(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_below(reach(rosenbrock, 6, 8000, 0, seed), 1e-6);
}

static void many_pending_points_only_slow_it_down(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_below(reach(sphere, 8, 3000, 8, seed), 1e-6);
        assert_below(reach(sphere, 8, 6000, 64, seed), 1e-2);
    }
}

static void many_dimensions_are_learnt_one_by_one(void **state)
{
    (void)state;
    assert_below(reach(sphere, 120, 12000, 0, 1), 1e-3);
}

static void separable_is_faster_where_nothing_is_turned(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        said = "{\"covariance\":\"full\"}";
        double full = reach(axes_apart, 20, 5000, 0, seed);
        said = "{\"covariance\":\"separable\"}";
        double apart = reach(axes_apart, 20, 5000, 0, seed);
        said = NULL;
        assert_below(apart, 1e-3 * full);
    }
}

static void the_covariance_is_one_of_three(void **state)
{
    (void)state;
    struct space space = box(2);
    struct err err = {0};
    struct search_setup given = {
        .space = &space,
        .options = json_parse(arena, STR("{\"covariance\":\"half\"}"),
                              "options", true, NULL)};
    assert_null(search_open("cmaes", &given, &err));
    assert_string_equal(err.text, "cmaes: covariance must be auto, full or "
                                  "separable");
}

static void it_starts_anew_where_it_is_stuck(void **state)
{
    (void)state;
    int found = 0; /* a run may be unlucky */
    for (uint64_t seed = 1; seed <= 10; seed++)
        found += reach(rastrigin, 2, 10000, 0, seed) < 1e-6;
    assert_true(found >= 8);
}

static void one_parameter_is_enough(void **state)
{
    (void)state;
    assert_below(reach(sphere, 1, 300, 0, 1), 1e-10);
}

static const char choices_text[] =
    "{\"version\":1,\"parameters\":["
    "{\"name\":\"a\",\"distribution\":\"categorical\","
    "\"values\":[\"p\",\"q\",\"r\",\"s\",\"t\"]},"
    "{\"name\":\"n\",\"distribution\":\"int_uniform\",\"min\":0,\"max\":1000},"
    "{\"name\":\"q\",\"distribution\":\"q_uniform\",\"min\":0,\"max\":20,"
    "\"q\":0.5},"
    "{\"name\":\"x\",\"distribution\":\"uniform\",\"min\":0,\"max\":1}]}";

static double mixed(const struct space *s, const struct value *point)
{
    double n = value_number(point_get(point, &s->params[1]));
    double q = value_number(point_get(point, &s->params[2]));
    double x = value_number(point_get(point, &s->params[3]));
    bool right = str_is(value_text(point_get(point, &s->params[0])), "r");
    return (right ? 0 : 1) + fabs(n - 777) / 100 + fabs(q - 13.5) +
           (x - 0.2) * (x - 0.2);
}

static void integers_and_choices_are_found(void **state)
{
    (void)state;
    struct space space = space_of(choices_text, arena);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct search *s = open_on(&space, seed);
        double best = INFINITY;
        for (int64_t k = 1; k <= 1500; k++) {
            struct value *point = ask(s, k, arena);
            double y = mixed(&space, point);
            best = fmin(best, y);
            tell(s, k, point, STATE_DONE, y);
        }
        assert_below(best, 0.02);
        search_free(s);
    }
}

static void failures_push_it_away(void **state)
{
    (void)state;
    struct space space = box(4);
    struct search *s = open_on(&space, 3);
    double x[4], best = INFINITY;
    int failed_late = 0;
    for (int64_t k = 1; k <= 1500; k++) {
        struct value *point = ask(s, k, arena);
        numbers_of(&space, point, x);
        double y = sphere(x, 4);
        bool fails = x[0] > 3 || x[1] < -2;
        failed_late += fails && k > 700 && k <= 800;
        best = fmin(best, fails ? INFINITY : y);
        tell(s, k, point, fails ? STATE_FAILED : STATE_DONE,
             fails ? (k % 2 ? NAN : INFINITY) : y);
    }
    assert_below(best, 1e-8);
    assert_true(failed_late < 50);
    search_free(s);
}

static void goals_may_be_maximized(void **state)
{
    (void)state;
    struct space space = box(3);
    struct search_setup given = {.space = &space, .seed = 1};
    struct search *s = search_open("cmaes", &given, NULL);
    double x[3], best = -INFINITY;
    for (int64_t k = 1; k <= 600; k++) {
        struct value *point = ask(s, k, arena);
        numbers_of(&space, point, x);
        best = fmax(best, -sphere(x, 3));
        tell(s, k, point, STATE_DONE, -sphere(x, 3));
    }
    assert_true(best > -1e-6);
    search_free(s);
}

/* Results that come late, for blocks that were closed without them, leave
 * the search as if they had come in order. */
static void late_as_in_order(size_t d)
{
    enum { MANY = 600 };
    struct space space = box(d);
    struct search *s = open_on(&space, 9), *t = open_on(&space, 9);
    struct value *points[MANY + 1];
    double x[5];
    for (int64_t k = 1; k <= MANY; k++) {
        points[k] = ask(s, k, arena);
        numbers_of(&space, points[k], x);
        if (k % 37 != 5)
            tell(s, k, points[k], STATE_DONE, sphere(x, d));
    }
    for (int64_t k = MANY; k >= 1; k--) {
        numbers_of(&space, points[k], x);
        if (k % 37 == 5)
            tell(s, k, points[k], STATE_DONE, sphere(x, d));
    }
    for (int64_t k = 1; k <= MANY; k++) {
        numbers_of(&space, points[k], x);
        tell(t, k, points[k], STATE_DONE, sphere(x, d));
    }
    for (int64_t k = MANY + 1; k <= MANY + 20; k++)
        assert_true(value_eq(ask(s, k, arena), ask(t, k, arena)));
    search_free(s);
    search_free(t);
}

static void late_results_count_for_their_block(void **state)
{
    (void)state;
    late_as_in_order(5);
}

/* One parameter is settled after some 200 trials; then come restarts. */
static void late_results_count_also_before_a_restart(void **state)
{
    (void)state;
    late_as_in_order(1);
}

/* A distribution half outside the cube, so that most points are drawn several
 * times and some are cut. */
static struct cma *at_a_corner(const struct cma_shape *shape, double sigma)
{
    double mean[] = {0.02, 0.5, 0.98, 0.3, 0.99};
    struct cma *dist = cma_new(shape);
    cma_reset(dist, mean, sigma);
    return dist;
}

static void what_was_drawn_is_found_again(void **state)
{
    (void)state;
    const struct cma_shape shape = {.numbers = 5};
    for (double sigma = 1; sigma > 1e-8; sigma /= 30) {
        struct cma *dist = at_a_corner(&shape, sigma);
        for (uint64_t k = 0; k < 500; k++) {
            double drawn[5], again[5];
            struct cma_point point = {drawn, NULL}, other = {again, NULL};
            struct rng a, b;
            rng_init(&a, 7, k, "draw");
            b = a;
            cma_draw(dist, &a, &point);
            for (int i = 0; i < 5; i++)
                again[i] = drawn[i] + (drawn[i] < 0.5 ? 1e-7 : -1e-7);
            cma_draw_again(dist, &b, 1e-6, &other);
            assert_memory_equal(drawn, again, sizeof(drawn));
        }
        cma_free(dist);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_drawn_is_found_again),
        TEST(it_walks_down_a_sphere),
        TEST(it_learns_a_turned_ellipsoid),
        TEST(it_follows_a_bent_valley),
        TEST(many_pending_points_only_slow_it_down),
        TEST(many_dimensions_are_learnt_one_by_one),
        TEST(separable_is_faster_where_nothing_is_turned),
        TEST(the_covariance_is_one_of_three),
        TEST(it_starts_anew_where_it_is_stuck),
        TEST(one_parameter_is_enough),
        TEST(integers_and_choices_are_found),
        TEST(failures_push_it_away),
        TEST(goals_may_be_maximized),
        TEST(late_results_count_for_their_block),
        TEST(late_results_count_also_before_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
