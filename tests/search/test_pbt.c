/* test_pbt.c - what pbt alone must do
 *
 * A trial is a training that goes on from its parent's: its weight is the
 * parent's and what its own point adds in the steps it is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "search/search.h"
#include "spaces.h"
#include "terms/state.h"

enum { MOST = 2000 };

static struct arena *arena;
static struct space space;

static const char text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("kind", "categorical", "\"values\":[\"a\",\"b\"]") ","
    PARAM("lr", "log_uniform_values", "\"min\":0.0001,\"max\":1") ","
    PARAM("units", "int_uniform", "\"min\":1,\"max\":64")
    /* clang-format on */
    "]}";

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    space = space_of(text, arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct search *open_with(const char *options, uint64_t seed)
{
    struct search_setup given = {
        .space = &space,
        .seed = seed,
        .minimize = false,
        .options = json_parse(arena, str_of(options), "o", true, NULL)};
    struct err err = {0};
    struct search *s = search_open("pbt", &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static struct suggestion ask(struct search *s, int64_t k)
{
    struct suggestion got;
    assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    assert_point(&space, got.point);
    return got;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

/* What one generation adds. */
static double gain(const struct value *point)
{
    double lr = log10(value_number(value_get(point, STR("lr"))));
    bool a = str_is(value_text(value_get(point, STR("kind"))), "a");
    return exp(-(lr + 2) * (lr + 2)) * (a ? 1 : 0.5);
}

struct history_of_run {
    struct suggestion asked[MOST + 1];
    double weight[MOST + 1];
};

/* Runs `count` trials with `pending` out; who ends next is drawn by lot. */
static void run(struct search *s, struct history_of_run *h, int64_t count,
                size_t pending, uint64_t lot)
{
    int64_t out[64];
    size_t out_count = 0;
    struct rng r;
    rng_init(&r, lot, 0, "ends");
    for (int64_t k = 1; k <= count; k++) {
        h->asked[k] = ask(s, k);
        int64_t parent = h->asked[k].parent;
        h->weight[k] = gain(h->asked[k].point);
        h->weight[k] += parent > 0 ? h->weight[parent] : 0;
        out[out_count++] = k;
        if (out_count < pending)
            continue;
        size_t at = rng_below(&r, out_count);
        int64_t ended = out[at];
        out[at] = out[--out_count];
        tell(s, ended, h->asked[ended].point, STATE_DONE, h->weight[ended]);
    }
}

static void lines_go_on_from_what_has_ended(void **state)
{
    (void)state;
    static struct history_of_run h;
    static bool ended[MOST + 1];
    struct search *s = open_with("{\"population\":8,\"steps\":5}", 1);
    int64_t copies = 0, depth[MOST + 1] = {0};
    for (int64_t k = 1; k <= 400; k++) {
        h.asked[k] = ask(s, k);
        int64_t parent = h.asked[k].parent;
        assert_true(k <= 8 ? parent == -1 : parent > 0 && ended[parent]);
        depth[k] = parent > 0 ? depth[parent] + 1 : 1;
        assert_int_equal(h.asked[k].budget, 5 * depth[k]);
        if (parent > 0)
            copies += !value_eq(h.asked[k].point, h.asked[parent].point);
        h.weight[k] = gain(h.asked[k].point);
        h.weight[k] += parent > 0 ? h.weight[parent] : 0;
        tell(s, k, h.asked[k].point, STATE_DONE, h.weight[k]);
        ended[k] = true;
    }
    /* A fifth of them is replaced, or a little more. */
    assert_true(copies > 40 && copies < 160);
    assert_true(depth[400] > 20);
    search_free(s);
}

/* The best weight of pbt against members that never copy. */
static void copying_beats_going_on_alone(void **state)
{
    (void)state;
    static struct history_of_run with, alone;
    static const char *const options[] = {
        "{\"population\":10}",
        "{\"population\":10,\"exploit\":\"tournament\"}"};
    for (size_t i = 0; i < 2; i++)
        for (size_t pending = 1; pending <= 10; pending += 9) {
            double sum = 0, other = 0;
            for (uint64_t seed = 0; seed < 5; seed++) {
                struct search *s = open_with(options[i], seed);
                run(s, &with, 300, pending, seed);
                search_free(s);
                /* Ten lines of thirty trials, each with its first point. */
                double best = 0;
                s = open_with("{\"population\":10}", seed);
                run(s, &alone, 10, 64, seed);
                for (int64_t k = 1; k <= 10; k++)
                    best = fmax(best, 30 * gain(alone.asked[k].point));
                search_free(s);
                double top = 0;
                for (int64_t k = 1; k <= 300; k++)
                    top = fmax(top, with.weight[k]);
                sum += top;
                other += best;
            }
            assert_true(sum > other);
        }
}

/* Told what was asked and what ended, in that order, another search goes on
 * in the same way. */
static void a_replayed_search_goes_on_as_it_would_have(void **state)
{
    (void)state;
    enum { COUNT = 150, OUT = 7 };
    for (int64_t prefix = 1; prefix <= COUNT; prefix += 29) {
        struct search *s = open_with("{\"population\":12}", 3);
        struct search *t = open_with("{\"population\":12}", 3);
        struct suggestion asked[COUNT + 60];
        double weight[COUNT + 60];
        struct rng r;
        rng_init(&r, 5, 0, "ends");
        int64_t out[OUT + 1];
        size_t out_count = 0;
        for (int64_t k = 1; k < prefix + 50; k++) {
            asked[k] = ask(s, k);
            if (k >= prefix) {
                struct suggestion same = ask(t, k);
                assert_true(value_eq(same.point, asked[k].point));
                assert_int_equal(same.parent, asked[k].parent);
                assert_int_equal(same.budget, asked[k].budget);
            } else {
                tell(t, k, asked[k].point, STATE_WAITING, NAN);
            }
            weight[k] = gain(asked[k].point);
            weight[k] += asked[k].parent > 0 ? weight[asked[k].parent] : 0;
            out[out_count++] = k;
            if (out_count <= OUT)
                continue;
            size_t at = rng_below(&r, out_count);
            int64_t end = out[at];
            out[at] = out[--out_count];
            enum state how = end % 11 ? STATE_DONE : STATE_FAILED;
            double value = how == STATE_DONE ? weight[end] : NAN;
            tell(s, end, asked[end].point, how, value);
            tell(t, end, asked[end].point, how, value);
        }
        search_free(s);
        search_free(t);
    }
}

/* More at once than there are members: others start, and nobody waits. */
static void nobody_waits(void **state)
{
    (void)state;
    struct search *s = open_with("{\"population\":4}", 2);
    for (int64_t k = 1; k <= 30; k++)
        assert_int_equal(ask(s, k).parent, -1);
    tell(s, 9, ask(s, 9).point, STATE_DONE, 1);
    assert_int_equal(ask(s, 31).parent, 9);
    assert_int_equal(ask(s, 32).parent, -1);
    search_free(s);
}

/* A trial that failed goes on from a good one. */
static void failures_are_replaced(void **state)
{
    (void)state;
    struct search *s = open_with("{\"population\":5}", 2);
    struct suggestion first[6];
    for (int64_t k = 1; k <= 5; k++)
        first[k] = ask(s, k);
    for (int64_t k = 1; k <= 5; k++)
        tell(s, k, first[k].point, k == 2 ? STATE_FAILED : STATE_DONE,
             k == 2 ? NAN : (double)k);
    for (int64_t k = 6; k <= 10; k++) {
        struct suggestion next = ask(s, k);
        assert_true(next.parent > 0 && next.parent != 2);
        /* Of four values the worst fifth is one: that of trial 1. */
        bool copied = !value_eq(next.point, first[next.parent].point);
        assert_int_equal(copied, k == 6 || k == 7);
        if (copied)
            assert_int_equal(next.parent, 5);
    }
    search_free(s);
}

/* Whole numbers by one at least; a bound is reached, and left again. */
static void copies_change_by_a_fifth(void **state)
{
    (void)state;
    static const char numbers[] = "{\"version\":1,\"parameters\":["
        /* clang-format off */
        PARAM("units", "int_uniform", "\"min\":1,\"max\":64") ","
        PARAM("x", "uniform", "\"min\":2,\"max\":10")
        /* clang-format on */
        "]}";
    space = space_of(numbers, arena);
    struct search *s = open_with("{\"population\":2,\"resample\":0}", 3);
    int moved = 0, reached = 0, left = 0;
    for (int64_t k = 1; k <= 400; k++) {
        struct suggestion got = ask(s, k);
        struct suggestion from = got.parent > 0 ? ask(s, got.parent) : got;
        double x = value_number(value_get(got.point, STR("x")));
        double was = value_number(value_get(from.point, STR("x")));
        double units = value_number(value_get(got.point, STR("units")));
        double had = value_number(value_get(from.point, STR("units")));
        moved += x != was;
        reached += x == 2 && was > 2;
        left += x > 2 && was == 2;
        assert_true(x == was || fabs(x / was - 1.2) < 1e-9 ||
                    fabs(x / was - 0.8) < 1e-9 || x == 2 || x > 9.999999);
        assert_true(fabs(units - had) <= fmax(1, round(had / 5)));
        tell(s, k, got.point, STATE_DONE, k < 200 ? -x : x);
    }
    assert_true(moved > 40 && reached && left);
    search_free(s);
}

static void options_are_checked(void **state)
{
    (void)state;
    struct err err = {0};
    struct search_setup given = {
        .space = &space,
        .options =
            json_parse(arena, STR("{\"exploit\":\"best\"}"), "o", true, NULL)};
    assert_null(search_open("pbt", &given, &err));
    assert_string_equal(err.text,
                        "pbt: exploit must be truncation or tournament");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_go_on_from_what_has_ended),
        TEST(copying_beats_going_on_alone),
        TEST(a_replayed_search_goes_on_as_it_would_have),
        TEST(nobody_waits),
        TEST(failures_are_replaced),
        TEST(copies_change_by_a_fifth),
        TEST(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
