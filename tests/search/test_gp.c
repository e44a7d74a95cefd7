/* test_gp.c - the Gaussian process against plain computations, and what the
 * search with it reaches */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "search/fit.h"
#include "base/linear.h"
#include "search/search.h"
#include "search/surrogate.h"
#include "search/warp.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

enum { ROWS = 30, AXES = 4, LANES = LINEAR_LANES };
static const bool unordered[AXES] = {false, false, true, false};

/* Rows of random points with a smooth value. */
struct data {
    double columns[AXES][ROWS], y[ROWS], x[ROWS][AXES];
    double *pointers[AXES];
    struct samples samples;
};

static void data_init(struct data *d)
{
    struct rng rng;
    rng_init(&rng, 1, 1, "data");
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t a = 0; a < AXES; a++) {
            double u = rng_uniform(&rng);
            d->x[i][a] = unordered[a] ? floor(3 * u) : u;
            d->columns[a][i] = d->x[i][a];
        }
        d->y[i] = sin(5 * d->x[i][0]) + d->x[i][1] * d->x[i][3] +
                  (d->x[i][2] > 0 ? 0.5 : 0) + 0.01 * rng_normal(&rng);
    }
    for (size_t a = 0; a < AXES; a++)
        d->pointers[a] = d->columns[a];
    d->samples = (struct samples){AXES, ROWS, unordered, d->pointers};
    warp_losses(d->y, ROWS, NULL);
}

static const double theta[AXES + FIT_MORE] = {-0.9, -0.2, 0.3, 0.1, 0.2, -5};

static double covariance(const struct kernel *k, const double *x,
                         const double *y)
{
    double r2 = 0;
    for (size_t a = 0; a < AXES; a++) {
        double apart = x[a] - y[a];
        r2 += k->weights[a] * (unordered[a] ? apart != 0 : apart * apart);
    }
    double t = sqrt(5 * r2);
    return k->scale * (1 + t + t * t / 3) * exp(-t);
}

/* Solves a x = b of n rows by Gauss's elimination, with pivots. */
static void eliminate(double a[ROWS][ROWS + 1], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t pivot = i;
        for (size_t k = i + 1; k < n; k++)
            if (fabs(a[k][i]) > fabs(a[pivot][i]))
                pivot = k;
        for (size_t j = 0; j <= n; j++) {
            double keep = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = keep;
        }
        for (size_t k = 0; k < n; k++) {
            double f = k == i ? 0 : a[k][i] / a[i][i];
            for (size_t j = i; j <= n; j++)
                a[k][j] -= f * a[i][j];
        }
    }
}

/* k(x, rows) K^-1 b by elimination, with b = y or, without it, k itself. */
static double plain(const struct kernel *k, const struct data *d, size_t n,
                    const double *x, const double *y)
{
    double a[ROWS][ROWS + 1], sum = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            a[i][j] = covariance(k, d->x[i], d->x[j]) + (i == j ? k->noise : 0);
        a[i][n] = y ? y[i] : covariance(k, d->x[i], x);
        for (size_t j = n + 1; j <= ROWS; j++)
            a[i][j] = 0;
    }
    eliminate(a, n);
    for (size_t i = 0; i < n; i++)
        sum += a[i][n] / a[i][i] * covariance(k, d->x[i], x);
    return sum;
}

static void fill_lanes(double *at, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, 2, "lanes");
    for (size_t a = 0; a < AXES; a++)
        for (size_t r = 0; r < LANES; r++) {
            double u = rng_uniform(&rng);
            at[a * LANES + r] = unordered[a] ? floor(3 * u) : u;
        }
}

static struct surrogate *model_of(const struct data *d, size_t told,
                                  size_t count)
{
    struct surrogate *s = surrogate_new(AXES, unordered);
    surrogate_kernel(s, theta);
    for (size_t i = 0; i < count; i++)
        surrogate_add(s, d->x[i], false);
    surrogate_finish(s, d->y, told);
    return s;
}

static void the_posterior_is_that_of_a_plain_computation(void **state)
{
    (void)state;
    struct data d;
    double weights[AXES], at[AXES * LANES], mean[LANES], variance[LANES];
    struct kernel k = {.axes = AXES, .weights = weights};
    enum { TOLD = 22 };
    data_init(&d);
    fit_kernel(&k, theta);
    struct surrogate *s = model_of(&d, TOLD, ROWS);
    fill_lanes(at, 1);
    surrogate_posterior(s, at, mean, variance);
    for (size_t r = 0; r < LANES; r++) {
        double x[AXES];
        for (size_t a = 0; a < AXES; a++)
            x[a] = at[a * LANES + r];
        /* The mean knows told rows only, the variance pending ones too. */
        assert_true(fabs(mean[r] - plain(&k, &d, TOLD, x, d.y)) < 1e-8);
        double less = plain(&k, &d, ROWS, x, NULL);
        assert_true(fabs(variance[r] - (k.scale - less)) < 1e-8);
    }
    surrogate_free(s);
}

static void a_value_in_doubt_yields_to_those_beside_it(void **state)
{
    (void)state;
    static const bool none[1] = {false};
    const double x[] = {0.48, 0.5, 0.52, 0.9}, y[] = {-1, 2, -0.9, 2};
    const double length[] = {log(0.2), 0, log(1e-4)};
    struct surrogate *s = surrogate_new(1, none);
    surrogate_kernel(s, length);
    for (size_t i = 0; i < 4; i++)
        surrogate_add(s, &x[i], i == 1 || i == 3);
    surrogate_finish(s, y, 4);
    assert_true(surrogate_mean(s, 1) < -0.5);
    assert_true(surrogate_mean(s, 3) > 1);
    assert_int_equal(surrogate_incumbent(s), 0);
    surrogate_free(s);
}

static void a_model_that_grew_is_the_same(void **state)
{
    (void)state;
    struct data d;
    double at[AXES * LANES], one[LANES], two[LANES];
    data_init(&d);
    struct surrogate *s = model_of(&d, 20, 25), *t = model_of(&d, 28, ROWS);
    surrogate_keep(s, 19);
    for (size_t i = 19; i < ROWS; i++)
        surrogate_add(s, d.x[i], false);
    surrogate_finish(s, d.y, 28);
    fill_lanes(at, 2);
    surrogate_improvement(s, at, one, NULL);
    surrogate_improvement(t, at, two, NULL);
    assert_memory_equal(one, two, sizeof(one));
    surrogate_free(s);
    surrogate_free(t);
}

static void the_improvement_has_the_gradient_it_says(void **state)
{
    (void)state;
    struct data d;
    double at[AXES * LANES], gradient[AXES * LANES], moved[AXES * LANES];
    double up[LANES], down[LANES], value[LANES];
    const double step = 1e-5;
    data_init(&d);
    struct surrogate *s = model_of(&d, 22, ROWS);
    fill_lanes(at, 3);
    surrogate_improvement(s, at, value, gradient);
    for (size_t a = 0; a < AXES; a++) {
        if (unordered[a]) {
            assert_true(gradient[a * LANES] == 0);
            continue;
        }
        memcpy(moved, at, sizeof(at));
        for (size_t r = 0; r < LANES; r++)
            moved[a * LANES + r] = at[a * LANES + r] + step;
        surrogate_improvement(s, moved, up, NULL);
        for (size_t r = 0; r < LANES; r++)
            moved[a * LANES + r] = at[a * LANES + r] - step;
        surrogate_improvement(s, moved, down, NULL);
        for (size_t r = 0; r < LANES; r++) {
            double want = (up[r] - down[r]) / (2 * step);
            assert_true(fabs(gradient[a * LANES + r] - want) <
                        1e-4 * (1 + fabs(want)));
        }
    }
    surrogate_free(s);
}

static void the_fit_has_the_gradient_it_says(void **state)
{
    (void)state;
    struct data d;
    double gradient[AXES + FIT_MORE], other[AXES + FIT_MORE];
    data_init(&d);
    fit_loss(&d.samples, d.y, theta, gradient);
    for (size_t i = 0; i < AXES + FIT_MORE; i++) {
        double moved[AXES + FIT_MORE];
        memcpy(moved, theta, sizeof(theta));
        moved[i] = theta[i] + 1e-5;
        double up = fit_loss(&d.samples, d.y, moved, other);
        moved[i] = theta[i] - 1e-5;
        double down = fit_loss(&d.samples, d.y, moved, other);
        double want = (up - down) / 2e-5;
        assert_true(fabs(gradient[i] - want) < 1e-4 * (1 + fabs(want)));
    }
}

static void fitting_goes_down_to_where_it_is_flat(void **state)
{
    (void)state;
    struct data d;
    double found[AXES + FIT_MORE], gradient[AXES + FIT_MORE];
    data_init(&d);
    fit_start(found, AXES);
    double before = fit_loss(&d.samples, d.y, found, gradient);
    fit_improve(&d.samples, d.y, found, 100);
    double after = fit_loss(&d.samples, d.y, found, gradient);
    assert_true(after < before - 1);
    for (size_t i = 0; i < AXES; i++)
        assert_true(fabs(gradient[i]) < 0.3);
    /* Axis 0 bends most. */
    assert_true(found[0] < found[1] && found[0] < found[3]);
}

static void warped_values_keep_their_order(void **state)
{
    (void)state;
    double y[50], copy[50], mean = 0, square = 0;
    for (int i = 0; i < 50; i++)
        y[i] = copy[i] = exp(0.1 * (i * 37 % 50));
    warp_losses(y, 50, NULL);
    for (int i = 0; i < 50; i++) {
        mean += y[i] / 50;
        square += y[i] * y[i] / 50;
        for (int j = 0; j < 50; j++)
            assert_true((copy[i] < copy[j]) == (y[i] < y[j]));
    }
    assert_true(fabs(mean) < 1e-12 && fabs(square - 1) < 1e-12);
}

static void warping_takes_any_values(void **state)
{
    (void)state;
    double odd[] = {1e308, -1e308, NAN, 0, 1, NAN, 2, 1e-300};
    double none[] = {NAN, NAN}, flat[] = {7, 7, NAN, 7};
    warp_losses(odd, 8, NULL);
    for (int i = 0; i < 8; i++)
        assert_true(isfinite(odd[i]) && odd[i] >= odd[1]);
    warp_losses(none, 2, NULL);
    warp_losses(flat, 4, NULL);
    assert_true(none[0] == 0 && none[1] == 0 && flat[0] == 0 && flat[2] == 0);
    warp_losses(odd, 0, NULL);
}

static void warping_can_be_undone(void **state)
{
    (void)state;
    double y[40], copy[40], large[] = {3e200, 1e200, 2e200}, flat[] = {7, 7};
    struct warp warp;
    for (int i = 0; i < 40; i++)
        y[i] = copy[i] = exp(0.1 * (i * 37 % 40)) - 3;
    warp_losses(y, 40, &warp);
    for (int i = 0; i < 40; i++)
        assert_true(fabs(warp_back(&warp, y[i]) - copy[i]) < 1e-9);
    warp_losses(large, 3, &warp);
    assert_true(fabs(warp_back(&warp, large[1]) / 1e200 - 1) < 1e-9);
    warp_losses(flat, 2, &warp);
    assert_true(warp_back(&warp, flat[0]) == 7);
    assert_true(isfinite(warp_back(&warp, 1e300)));
}

#define A_UNIT(name) PARAM(name, "uniform", "\"min\":0,\"max\":1")
#define FOUR_UNITS A_UNIT("a") "," A_UNIT("b") "," A_UNIT("c") "," A_UNIT("d")

static struct space space_4(void)
{
    return space_of("{\"version\":1,\"parameters\":[" FOUR_UNITS "]}", arena);
}

static double smooth(const struct space *s, const struct value *point)
{
    static const double best[] = {0.71, 0.23, 0.44, 0.87};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double off = value_number(point_get(point, &s->params[i])) - best[i];
        sum += (double)(i + 1) * off * off;
    }
    return sum + 0.3 * sin(3 * sum);
}

static struct value *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    struct err err = {0};
    if (search_ask(s, k, arena, &got, &err) != SEARCH_HERE)
        fail_msg("%s", err.text);
    return got.point;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

/* The best of so many trials, `ahead` of them out at once, of which of ten so
 * many fail, whatever their points. */
static double reach(const char *method, int trials, int ahead, int failing,
                    uint64_t seed)
{
    struct space space = space_4();
    struct search_setup given = {
        .space = &space, .seed = seed, .minimize = true};
    struct search *s = search_open(method, &given, NULL);
    struct value *points[100];
    double best = INFINITY;
    for (int k = 1; k <= trials; k++) {
        points[k] = ask(s, k);
        if (k <= ahead)
            continue;
        int told = k - ahead;
        double y = smooth(&space, points[told]);
        bool fails = told * 7 % 10 < failing;
        best = fails ? best : fmin(best, y);
        tell(s, told, points[told], fails ? STATE_FAILED : STATE_DONE,
             fails ? NAN : y);
    }
    search_free(s);
    return best;
}

static void it_beats_random_by_far(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double random = reach("random", 40, 0, 0, seed);
        assert_true(reach("gp", 40, 0, 0, seed) < 0.1 * random);
        assert_true(reach("gp", 40, 0, 0, seed) < 0.01);
        assert_true(reach("bayes", 48, 8, 0, seed) < 0.3 * random);
    }
}

static void failures_by_chance_hide_nothing(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 3; seed++)
        sum += reach("gp", 60, 4, 3, seed);
    assert_true(sum < 0.2); /* 0.7 were a failure as bad as the worst value */
}

static void pending_points_are_not_proposed_again(void **state)
{
    (void)state;
    struct space space = space_4();
    struct search_setup given = {.space = &space, .seed = 5, .minimize = true};
    struct search *s = search_open("gp", &given, NULL);
    double u[40][4];
    for (int k = 1; k <= 12; k++) {
        struct value *point = ask(s, k);
        tell(s, k, point, STATE_DONE, smooth(&space, point));
    }
    for (int k = 0; k < 16; k++) {
        struct value *point = ask(s, 13 + k);
        for (size_t i = 0; i < 4; i++)
            u[k][i] = value_number(point_get(point, &space.params[i]));
        for (int j = 0; j < k; j++) {
            double apart = 0;
            for (size_t i = 0; i < 4; i++)
                apart += fabs(u[k][i] - u[j][i]);
            assert_true(apart > 1e-5);
        }
    }
    search_free(s);
}

static struct space space_9(void)
{
    return space_of(
        "{\"version\":1,\"parameters\":[" FOUR_UNITS
        "," A_UNIT("e") "," A_UNIT("f") "," A_UNIT("g") "," A_UNIT(
            "h") "," PARAM("i", "int_uniform", "\"min\":0,\"max\":99") "]}",
        arena);
}

enum { AHEAD = 8 };

/* The first parameter of AHEAD more trials when so many have been asked for
 * and the first few of them have ended. With `resumed` the search did not ask
 * for any, and is told of them from the last one on. */
static void ask_ahead_with(const struct value *options, int asked, int told,
                           bool resumed, double *first)
{
    struct space space = space_9();
    struct search_setup given = {
        .space = &space, .seed = 4, .minimize = true, .options = options};
    struct search *s = search_open("gp", &given, NULL), *other = s;
    struct value *points[50];
    for (int k = 1; k <= asked; k++)
        points[k] = ask(s, k);
    if (resumed)
        s = search_open("gp", &given, NULL);
    for (int k = asked; resumed && k >= 1; k--)
        tell(s, k, points[k], STATE_RUNNING, NAN);
    for (int k = told; k >= 1; k--)
        tell(s, k, points[k], STATE_DONE, smooth(&space, points[k]));
    for (int k = 0; k < AHEAD; k++)
        first[k] =
            value_number(point_get(ask(s, asked + k + 1), &space.params[0]));
    if (resumed)
        search_free(other);
    search_free(s);
}

static void ask_ahead(int asked, int told, bool resumed, double *first)
{
    ask_ahead_with(NULL, asked, told, resumed, first);
}

/* Ten results are needed for the model, and fewer for a quadratic, unless a
 * person says how many. */
static void many_out_follow_a_quadratic(void **state)
{
    (void)state;
    double blind[AHEAD], got[AHEAD], again[AHEAD];
    int changed = 0;
    ask_ahead(20, 0, false, blind);
    ask_ahead(20, 9, false, got);
    assert_memory_equal(got, blind, sizeof(got));
    ask_ahead(45, 0, false, blind);
    ask_ahead(45, 9, false, got);
    for (int i = 0; i < AHEAD; i++)
        changed += got[i] != blind[i];
    assert_in_range(changed, 1, AHEAD - 1);
    ask_ahead(45, 9, true, again);
    assert_memory_equal(again, got, sizeof(got));
    const struct value *options =
        json_parse(arena, STR("{\"initial\": 10}"), "o", false, NULL);
    ask_ahead_with(options, 45, 9, false, got);
    assert_memory_equal(got, blind, sizeof(got));
}

/* While nothing comes back, one choice after the other has its turn, though
 * one alone looks good. */
static void trials_out_at_once_try_every_choice(void **state)
{
    (void)state;
    struct space space =
        space_of("{\"version\":1,\"parameters\":["
                 /* clang-format off */
                 PARAM("a", "categorical", "\"values\":[1,2,3,4]") ","
                 PARAM("x", "uniform", "\"min\":0,\"max\":1")
                 /* clang-format on */
                 "]}",
                 arena);
    int tried[5] = {0}, count[5] = {0};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct search_setup given = {
            .space = &space, .seed = seed, .minimize = true};
        struct search *s = search_open("gp", &given, NULL);
        for (int k = 1; k <= 16; k++) {
            struct value *point = ask(s, k);
            double x = value_number(point_get(point, &space.params[1]));
            double a = value_number(point_get(point, &space.params[0]));
            tell(s, k, point, STATE_DONE, 10 * a + (x - 0.3) * (x - 0.3));
            tried[(int)a]++;
        }
        for (int k = 17; k <= 80; k++)
            count[point_get(ask(s, k), &space.params[0])->i]++;
        search_free(s);
    }
    assert_true(count[1] >= 5 * 32);
    for (int a = 2; a <= 4; a++)
        assert_true(count[a] >= 5);
    assert_true(tried[2] + count[2] > tried[4] + count[4]);
}

static void a_small_space_is_tried_whole(void **state)
{
    (void)state;
    struct space space =
        space_of("{\"version\":1,\"parameters\":["
                 /* clang-format off */
                 PARAM("a", "categorical", "\"values\":[1,2,3,4]") ","
                 PARAM("n", "int_uniform", "\"min\":0,\"max\":5")
                 /* clang-format on */
                 "]}",
                 arena);
    struct search_setup given = {.space = &space, .seed = 2, .minimize = true};
    struct search *s = search_open("gp", &given, NULL);
    bool seen[4][6] = {{false}};
    int count = 0;
    for (int k = 1; k <= 30; k++) {
        struct value *point = ask(s, k);
        int64_t a = point_get(point, &space.params[0])->i;
        int64_t n = point_get(point, &space.params[1])->i;
        count += !seen[a - 1][n];
        seen[a - 1][n] = true;
        tell(s, k, point, STATE_DONE, (double)((a - 2) * (a - 2) + n));
    }
    assert_true(count >= 22);
    search_free(s);
}

static void a_study_that_only_fails_goes_on(void **state)
{
    (void)state;
    struct space space = space_4();
    struct search_setup given = {.space = &space, .seed = 2, .minimize = true};
    struct search *s = search_open("gp", &given, NULL);
    for (int k = 1; k <= 30; k++)
        tell(s, k, ask(s, k), STATE_FAILED, NAN);
    for (int k = 31; k <= 45; k++)
        tell(s, k, ask(s, k), STATE_DONE, 1);
    assert_point(&space, ask(s, 46));
    search_free(s);
}

static void a_large_history_is_searched_in_a_box(void **state)
{
    (void)state;
    struct space space = space_4();
    struct search_setup given = {.space = &space, .seed = 4, .minimize = true};
    struct search *s = search_open("gp", &given, NULL);
    struct search *random = search_open("random", &given, NULL);
    double best = INFINITY, later = INFINITY;
    for (int k = 1; k <= 600; k++) {
        struct value *point = ask(random, k);
        double y = smooth(&space, point);
        best = fmin(best, y);
        tell(s, k, point, STATE_DONE, y);
    }
    for (int k = 601; k <= 606; k++) {
        struct value *point = ask(s, k);
        double y = smooth(&space, point);
        later = fmin(later, y);
        tell(s, k, point, STATE_DONE, y);
    }
    assert_true(later < 0.5 * best);
    search_free(random);
    search_free(s);
}

static void check_same_mean(struct search *a, int64_t i, struct search *b,
                            int64_t j)
{
    double mean, other;
    assert_int_equal(search_mean(a, i, &mean), 0);
    assert_int_equal(search_mean(b, j, &other), 0);
    assert_true(mean == other);
}

/* Two thirds of the trials so far have no result: what has one counts. */
static void results_count_however_many_are_missing(void **state)
{
    (void)state;
    enum { MANY = 24 };
    struct space space = space_4();
    struct search_setup given = {.space = &space, .seed = 6, .minimize = true};
    struct search *all = search_open("gp", &given, NULL);
    struct search *few = search_open("gp", &given, NULL);
    struct search *random = search_open("random", &given, NULL);
    for (int k = 1; k <= MANY; k++) {
        struct value *point = ask(random, k);
        double y = smooth(&space, point);
        tell(all, k, point, STATE_DONE, y);
        tell(few, 3 * k, point, STATE_DONE, y);
    }
    for (int k = 1; k <= MANY; k++)
        check_same_mean(all, k, few, 3 * k);
    search_free(random);
    search_free(few);
    search_free(all);
}

/* The model of the same results is the same, whatever was missing when it was
 * asked before: at first much, as trial 210 comes early, then little. */
static void a_model_forgets_what_was_missing(void **state)
{
    (void)state;
    enum { EARLY = 210, MANY = 180 };
    struct space space = space_4();
    struct search_setup given = {.space = &space, .seed = 6, .minimize = true};
    struct search *random = search_open("random", &given, NULL);
    struct search *often = search_open("gp", &given, NULL);
    struct value *early = ask(random, EARLY);
    tell(often, EARLY, early, STATE_DONE, smooth(&space, early));
    for (int k = 1; k <= MANY; k++) {
        struct value *point = ask(random, k);
        tell(often, k, point, STATE_DONE, smooth(&space, point));
        if (k < 160 || k % 20)
            continue;
        struct search *once = search_open("gp", &given, NULL);
        for (int i = 1; i <= k; i++) {
            point = ask(random, i);
            tell(once, i, point, STATE_DONE, smooth(&space, point));
        }
        tell(once, EARLY, early, STATE_DONE, smooth(&space, early));
        check_same_mean(once, k, often, k);
        search_free(once);
    }
    search_free(often);
    search_free(random);
}

/* The lowest of many noisy values is a lucky one: the model knows better. */
static void means_see_through_noise(void **state)
{
    (void)state;
    enum { MANY = 60, SEEDS = 6 };
    struct space space = space_4();
    double by_mean = 0, by_value = 0, mean;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct search_setup given = {
            .space = &space, .seed = seed, .minimize = seed % 2 == 0};
        struct search *s = search_open("gp", &given, NULL);
        double sign = seed % 2 ? -1 : 1, lowest = INFINITY, least = INFINITY;
        double truth[MANY + 1], seen[MANY + 1];
        int64_t trusted = 1, lucky = 1;
        struct rng rng;
        rng_init(&rng, seed, 0, "noise");
        assert_int_equal(search_mean(s, 1, &mean), -1);
        for (int64_t k = 1; k <= MANY; k++) {
            struct suggestion got;
            assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
            truth[k] = smooth(&space, got.point);
            seen[k] = k == 7 ? INFINITY : truth[k] + 0.2 * rng_normal(&rng);
            struct result r = {.trial = k,
                               .point = got.point,
                               .state = k == 7 ? STATE_FAILED : STATE_DONE,
                               .value = sign * seen[k]};
            search_tell(s, &r);
        }
        assert_int_equal(search_mean(s, 7, &mean), -1);
        assert_int_equal(search_mean(s, MANY + 1, &mean), -1);
        for (int64_t k = 1; k <= MANY; k++) {
            if (k == 7)
                continue;
            assert_int_equal(search_mean(s, k, &mean), 0);
            if (sign * mean < lowest) {
                lowest = sign * mean;
                trusted = k;
            }
            if (seen[k] < least) {
                least = seen[k];
                lucky = k;
            }
        }
        by_mean += truth[trusted];
        by_value += truth[lucky];
        search_free(s);
    }
    assert_true(by_mean < by_value);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_posterior_is_that_of_a_plain_computation),
        TEST(a_model_that_grew_is_the_same),
        TEST(a_value_in_doubt_yields_to_those_beside_it),
        TEST(the_improvement_has_the_gradient_it_says),
        TEST(the_fit_has_the_gradient_it_says),
        TEST(fitting_goes_down_to_where_it_is_flat),
        TEST(warped_values_keep_their_order),
        TEST(warping_takes_any_values),
        TEST(warping_can_be_undone),
        TEST(means_see_through_noise),
        TEST(it_beats_random_by_far),
        TEST(failures_by_chance_hide_nothing),
        TEST(pending_points_are_not_proposed_again),
        TEST(trials_out_at_once_try_every_choice),
        TEST(many_out_follow_a_quadratic),
        TEST(results_count_however_many_are_missing),
        TEST(a_model_forgets_what_was_missing),
        TEST(a_small_space_is_tried_whole),
        TEST(a_study_that_only_fails_goes_on),
        TEST(a_large_history_is_searched_in_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
