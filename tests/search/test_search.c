/* test_search.c - strategies, and run_cap and repeat around them
 *
 * A fake strategy that writes down what it is told stands for those that
 * look at results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "search/search.h"
#include "search/strategy.h"
#include "terms/state.h"

static struct arena *arena;
static struct space space;

static int setup(void **state)
{
    (void)state;
    static const char text[] =
        "{\"version\":1,\"parameters\":["
        "{\"name\":\"a\",\"distribution\":\"int_uniform\",\"min\":0,"
        "\"max\":3},"
        "{\"name\":\"b\",\"distribution\":\"categorical\","
        "\"values\":[\"x\",\"y\",\"z\"]}]}";
    arena = arena_new();
    struct value *v = json_parse(arena, str_of(text), "t", true, NULL);
    return space_from_value(&space, v, arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct space uniform_space(void)
{
    struct space s;
    struct value *v =
        json_parse(arena,
                   STR("{\"version\":1,\"parameters\":[{\"name\":\"lr\","
                       "\"distribution\":\"uniform\",\"min\":0,\"max\":1}]}"),
                   "t", true, NULL);
    assert_int_equal(space_from_value(&s, v, arena, NULL), 0);
    return s;
}

static struct search *open_method(const char *method,
                                  const struct search_setup *setup_of)
{
    struct err err = {0};
    struct search *s = search_open(method, setup_of, &err);
    if (!s)
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

/* The point of trial k as text, or NULL at the end. */
static const char *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    struct err err = {0};
    enum search_answer answer = search_ask(s, k, arena, &got, &err);
    if (answer == SEARCH_END)
        return NULL;
    assert_int_equal(answer, SEARCH_HERE);
    assert_true(got.parent == -1 && got.replaces == -1);
    assert_true(got.budget == 0);
    return text_of(got.point);
}

static void grid_gives_every_point_once_and_ends(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .seed = 5};
    struct search *s = open_method("grid", &given);
    struct map *seen = map_new();
    assert_int_equal(search_total(s), 12);
    assert_true(search_foresees(s));
    for (int64_t k = 1; k <= 12; k++)
        assert_null(map_set(seen, str_of(ask(s, k)), seen));
    assert_null(ask(s, 13));
    assert_null(ask(s, 0));
    assert_null(ask(s, INT64_MAX));
    map_free(seen);
    search_free(s);
}

static const struct value *written_order(void)
{
    return json_parse(arena, STR("{\"order\":\"written\"}"), "t", true, NULL);
}

/* By its option, and where a study was made when there was no other. */
static void grid_keeps_the_written_order_on_request(void **state)
{
    (void)state;
    struct search_setup asked = {.space = &space, .options = written_order()};
    struct search_setup old = {.space = &space, .version = 1};
    struct search_setup now = {.space = &space};
    struct search *of[] = {open_method("grid", &asked),
                           open_method("grid", &old),
                           open_method("auto", &old)};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(ask(of[i], 1), "{\"a\":0,\"b\":\"x\"}");
        assert_string_equal(ask(of[i], 2), "{\"a\":0,\"b\":\"y\"}");
        assert_string_equal(ask(of[i], 12), "{\"a\":3,\"b\":\"z\"}");
        search_free(of[i]);
    }
    struct search *s = open_method("grid", &now);
    int differ = 0;
    for (int64_t k = 1; k <= 4; k++)
        differ += strncmp(ask(s, k), ask(s, k % 4 + 1), 6) != 0;
    assert_int_equal(differ, 4);
    search_free(s);
}

static int listed_point(void *context, uint64_t i, struct arena *a,
                        struct value **point, struct str *run_id,
                        struct err *err)
{
    static const char *const list[] = {"{\"t\":7,\"n\":{\"x\":1}}",
                                       "{\"t\":9,\"n\":{\"x\":2}}"};
    (void)context;
    (void)err;
    *run_id = STR("mine");
    *point = json_parse(a, str_of(list[i]), "t", true, NULL);
    return 0;
}

/* One listed point with all of the grid, then the next: a list that grows
 * changes no point before its end. */
static void grid_combines_listed_points_with_its_own(void **state)
{
    (void)state;
    struct point_source points = {NULL, 2, listed_point};
    struct search_setup given = {
        .space = &space, .points = &points, .options = written_order()};
    struct search *s = open_method("grid", &given);
    assert_int_equal(search_total(s), 24);
    assert_true(search_foresees(s));
    assert_string_equal(ask(s, 1),
                        "{\"t\":7,\"n\":{\"x\":1},\"a\":0,\"b\":\"x\"}");
    assert_string_equal(ask(s, 12),
                        "{\"t\":7,\"n\":{\"x\":1},\"a\":3,\"b\":\"z\"}");
    assert_string_equal(ask(s, 13),
                        "{\"t\":9,\"n\":{\"x\":2},\"a\":0,\"b\":\"x\"}");
    assert_null(ask(s, 25));
    search_free(s);
    points.count = (uint64_t)1 << 61;
    struct err err = {0};
    assert_null(search_open("grid", &given, &err));
    assert_non_null(strstr(err.text, "more than 2^62"));
}

static void grid_refuses_a_continuous_parameter_by_name(void **state)
{
    (void)state;
    struct space lr = uniform_space();
    struct search_setup given = {.space = &lr};
    struct err err = {0};
    assert_null(search_open("grid", &given, &err));
    assert_non_null(strstr(err.text, "lr cannot be in a grid"));
}

static void random_has_no_end_and_asking_twice_gives_the_same(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .seed = 5};
    struct search *s = open_method("random", &given);
    assert_int_equal(search_total(s), -1);
    assert_true(search_foresees(s));
    for (int64_t k = 50; k >= 1; k--)
        assert_string_equal(ask(s, k), ask(s, k));
    assert_non_null(ask(s, 1000000000000));
    search_free(s);
}

static void random_points_depend_on_seed_and_number_only(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .seed = 5};
    struct search_setup other = {.space = &space, .seed = 6};
    struct search *s = open_method("random", &given);
    struct search *t = open_method("random", &given);
    struct search *u = open_method("random", &other);
    int differ = 0;
    for (int64_t k = 1; k <= 50; k++)
        ask(t, 51 - k);
    for (int64_t k = 1; k <= 50; k++) {
        struct rng r;
        rng_init(&r, 5, (uint64_t)k, "point");
        const char *want = text_of(space_sample(&space, &r, arena));
        assert_string_equal(ask(s, k), want);
        assert_string_equal(ask(t, k), want);
        differ += strcmp(ask(u, k), want) != 0;
    }
    assert_true(differ > 30);
    search_free(s);
    search_free(t);
    search_free(u);
}

static void run_cap_cuts_every_method(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .run_cap = 5};
    static const char *const methods[] = {"grid", "random"};
    for (int i = 0; i < 2; i++) {
        struct search *s = open_method(methods[i], &given);
        assert_int_equal(search_total(s), 5);
        assert_non_null(ask(s, 5));
        assert_null(ask(s, 6));
        search_free(s);
    }
    given.run_cap = 50;
    struct search *s = open_method("grid", &given);
    assert_int_equal(search_total(s), 12);
    search_free(s);
}

static int source_get(void *context, uint64_t i, struct arena *a,
                      struct value **point, struct str *run_id, struct err *err)
{
    if (i == 3)
        return err_set(err, ERR_INPUT, "line 4 of %s", (char *)context);
    *point = value_object(a);
    value_set(a, *point, STR("i"), value_int(a, (int64_t)i));
    if (i == 1)
        *run_id = STR("mine");
    return 0;
}

static void points_come_from_their_source_in_order(void **state)
{
    (void)state;
    char name[] = "list.csv";
    struct point_source source = {name, 5, source_get};
    struct search_setup given = {.space = &space, .points = &source};
    struct search *s = open_method("points", &given);
    struct suggestion got;
    struct err err = {0};
    assert_int_equal(search_total(s), 5);
    assert_string_equal(ask(s, 5), "{\"i\":4}");
    assert_int_equal(search_ask(s, 1, arena, &got, &err), SEARCH_HERE);
    assert_int_equal(got.run_id.len, 0);
    assert_int_equal(search_ask(s, 2, arena, &got, &err), SEARCH_HERE);
    assert_true(str_is(got.run_id, "mine"));
    assert_int_equal(search_ask(s, 4, arena, &got, &err), SEARCH_ERROR);
    assert_string_equal(err.text, "line 4 of list.csv");
    assert_null(ask(s, 6));
    search_free(s);
}

static void points_without_a_list_are_refused(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space};
    struct err err = {0};
    assert_null(search_open("points", &given, &err));
    assert_non_null(strstr(err.text, "needs a list of points"));
}

static void unknown_methods_get_the_nearest_one(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space};
    struct err err = {0};
    assert_null(search_open("gird", &given, &err));
    assert_string_equal(err.text, "there is no method gird; did you mean "
                                  "grid?");
    assert_null(search_open("qqqqqqqqqq", &given, &err));
    assert_non_null(strstr(err.text, "use auto, grid, random, points"));
}

static void every_listed_method_opens(void **state)
{
    (void)state;
    struct point_source source = {NULL, 5, source_get};
    struct search_outside outside = {0};
    struct search_setup given = {
        .space = &space, .points = &source, .outside = &outside, .run_cap = 9};
    struct search_setup of_baseline = given;
    of_baseline.options =
        json_parse(arena, STR("{\"baseline\":{\"a\":1}}"), "t", true, NULL);
    for (size_t i = 0; search_methods[i]; i++) {
        const char *name = search_methods[i]->name;
        bool needs_one = !strcmp(name, "ablate");
        search_free(open_method(name, needs_one ? &of_baseline : &given));
    }
}

/* What opening a method says of one option. */
static void open_with(const char *method, const char *option, struct arena *a,
                      struct err *err)
{
    struct point_source source = {NULL, 5, source_get};
    struct search_outside outside = {0};
    struct value *options = value_object(a);
    value_set(a, options, str_of(option), value_list(a));
    struct search_setup given = {.space = &space,
                                 .points = &source,
                                 .outside = &outside,
                                 .run_cap = 9,
                                 .options = options};
    search_free(search_open(method, &given, err));
}

static void every_method_has_help_with_all_its_options(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (size_t i = 0; search_methods[i]; i++) {
        static const struct method_option none[] = {{0}};
        const struct method *m = search_methods[i];
        const struct method_option *options = m->options ? m->options : none;
        struct err err = {0};
        assert_true(m->name[0] && m->text[0]);
        if (!strcmp(m->name, "external")) /* its options are the plan's */
            continue;
        open_with(m->name, "qqqqqqqqqqqqqqqq", a, &err);
        const char *has = strstr(err.text, "it has: ");
        struct str rest = str_of(has ? has + 8 : ""), name;
        size_t count = 0;
        while (rest.len && str_split(&rest, ',', &name)) {
            size_t k = 0;
            while (options[k].name && !str_is(str_trim(name), options[k].name))
                k++;
            if (!options[k].name)
                fail_msg("no help of %s: %.*s", m->name, STRF(name));
            count++;
        }
        for (size_t k = 0; options[k].name; k++, count--)
            assert_non_null(has);
        assert_int_equal(count, 0);
    }
    arena_free(a);
}

/* Two points, then none; adds up what it is told. */
static enum search_answer outside_ask(void *context, int64_t k, struct arena *a,
                                      struct suggestion *out, struct err *err)
{
    (void)context;
    (void)err;
    if (k > 2)
        return k > 3 ? SEARCH_END : SEARCH_WAIT;
    out->point = value_object(a);
    value_set(a, out->point, STR("k"), value_int(a, k));
    return SEARCH_HERE;
}

static void outside_tell(void *context, const struct result *r)
{
    *(double *)context += r->value;
}

static enum decision outside_report(void *context, int64_t k, int64_t step,
                                    double value)
{
    (void)context;
    (void)step;
    return k == 2 && value > 1 ? DECISION_STOP : DECISION_CONTINUE;
}

static void an_outside_decides_where_the_method_is_external(void **state)
{
    (void)state;
    double sum = 0;
    struct search_outside outside = {&sum, outside_ask, outside_tell,
                                     outside_report, NULL};
    struct search_setup given = {.space = &space};
    struct suggestion s;
    struct err err = {0};
    struct arena *a = arena_new();
    assert_null(search_open("external", &given, &err));
    given.outside = &outside;
    struct search *search = open_method("external", &given);
    assert_false(search_foresees(search));
    assert_int_equal(search_ask(search, 2, a, &s, &err), SEARCH_HERE);
    assert_true(value_number(value_get(s.point, STR("k"))) == 2);
    assert_int_equal(search_ask(search, 3, a, &s, &err), SEARCH_WAIT);
    assert_int_equal(search_ask(search, 4, a, &s, &err), SEARCH_END);
    search_tell(search,
                &(struct result){.trial = 2, .state = STATE_DONE, .value = 5});
    search_tell(search, &(struct result){
                            .trial = -1, .state = STATE_DONE, .value = 20});
    assert_true(sum == 25);
    assert_int_equal(search_report(search, 2, 1, 3), DECISION_STOP);
    search_free(search);
    arena_free(a);
}

static void repeat_gives_each_point_to_several_trials(void **state)
{
    (void)state;
    struct search_setup once = {.space = &space, .seed = 3};
    struct search_setup thrice = {.space = &space, .seed = 3, .repeat = 3};
    static const char *const methods[] = {"grid", "random"};
    for (int i = 0; i < 2; i++) {
        struct search *s = open_method(methods[i], &once);
        struct search *t = open_method(methods[i], &thrice);
        assert_int_equal(search_total(t), i ? -1 : 36);
        for (int64_t k = 1; k <= 36; k++) {
            int64_t group;
            uint32_t member;
            search_repeat_of(t, k, &group, &member);
            assert_true(group == (k - 1) / 3 && member == (k - 1) % 3);
            assert_string_equal(ask(t, k), ask(s, group + 1));
        }
        search_free(s);
        search_free(t);
    }
}

static void repeat_counts_trials_under_run_cap(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .repeat = 5, .run_cap = 7};
    struct search *s = open_method("grid", &given);
    assert_int_equal(search_total(s), 7);
    assert_string_equal(ask(s, 6), ask(s, 7));
    assert_null(ask(s, 8));
    search_free(s);
}

static void results_cost_nothing_where_nobody_looks(void **state)
{
    (void)state;
    struct search_setup given = {.space = &space, .repeat = 2};
    struct search *s = open_method("grid", &given);
    struct result r = {.trial = 1, .state = STATE_DONE, .value = 1};
    search_tell(s, &r);
    assert_int_equal(search_report(s, 1, 1, 0.5), DECISION_CONTINUE);
    search_free(s);
}

/* The fake. */
static struct {
    int tells, reports;
    struct result last;
    double values[2];
} fake;

static void *fake_open(const struct search_setup *given, struct err *err)
{
    (void)given;
    (void)err;
    memset(&fake, 0, sizeof(fake));
    return &fake;
}
static void fake_free(void *state)
{
    (void)state;
}
static int64_t fake_total(const void *state)
{
    (void)state;
    return 100;
}
static enum search_answer fake_ask(void *state, int64_t k, struct arena *a,
                                   struct suggestion *out, struct err *err)
{
    (void)state;
    (void)err;
    if (k > 3)
        return SEARCH_WAIT;
    out->point = value_object(a);
    out->parent = k > 1 ? k - 1 : -1;
    out->replaces = k == 3 ? 1 : -1;
    out->budget = 10 * k;
    return SEARCH_HERE;
}
static void fake_tell(void *state, const struct result *r)
{
    (void)state;
    fake.tells++;
    fake.last = *r;
    for (size_t i = 0; i < r->value_count; i++)
        fake.values[i] = r->values[i];
}
static enum decision fake_report(void *state, int64_t k, int64_t step,
                                 double value)
{
    (void)state;
    (void)k;
    (void)step;
    fake.reports++;
    return value > 1 ? DECISION_STOP : DECISION_PAUSE;
}
static const struct strategy fake_strategy = {.method = {.name = "fake"},
                                              .open = fake_open,
                                              .free = fake_free,
                                              .total = fake_total,
                                              .ask = fake_ask,
                                              .tell = fake_tell,
                                              .report = fake_report};

static struct search *open_fake(uint32_t repeat, int64_t run_cap)
{
    struct search_setup given = {
        .space = &space, .repeat = repeat, .run_cap = run_cap};
    struct search *s = search_open_strategy(&fake_strategy, &given, NULL);
    assert_non_null(s);
    assert_false(search_foresees(s));
    return s;
}

static void tell(struct search *s, int64_t trial, enum state state,
                 double value)
{
    struct result r = {.trial = trial, .state = (int)state, .value = value};
    search_tell(s, &r);
}

static void a_trial_told_twice_counts_once(void **state)
{
    (void)state;
    struct search *s = open_fake(1, 0);
    tell(s, 7, STATE_DONE, 0.5);
    tell(s, 7, STATE_DONE, 0.5);
    tell(s, 7, STATE_FAILED, NAN);
    assert_int_equal(fake.tells, 1);
    assert_true(fake.last.trial == 7 && fake.last.value == 0.5);
    search_free(s);
}

static void a_paused_trial_may_still_end(void **state)
{
    (void)state;
    struct search *s = open_fake(1, 0);
    tell(s, 7, STATE_PAUSED, 0.5);
    tell(s, 7, STATE_DONE, 0.25);
    assert_int_equal(fake.tells, 2);
    assert_true(fake.last.value == 0.25);
    search_free(s);
}

static void a_strategy_may_wait_and_stop(void **state)
{
    (void)state;
    struct search *s = open_fake(1, 0);
    struct suggestion got;
    assert_int_equal(search_ask(s, 4, arena, &got, NULL), SEARCH_WAIT);
    assert_int_equal(search_report(s, 1, 1, 2), DECISION_STOP);
    assert_int_equal(search_report(s, 1, 1, 0), DECISION_PAUSE);
    assert_int_equal(fake.reports, 2);
    search_free(s);
}

static void a_point_is_told_once_with_the_mean_of_its_members(void **state)
{
    (void)state;
    struct search *s = open_fake(3, 0);
    tell(s, 6, STATE_DONE, 1);
    tell(s, 4, STATE_DONE, 2);
    tell(s, 4, STATE_DONE, 50);
    tell(s, 5, STATE_PAUSED, 70);
    assert_int_equal(fake.tells, 0);
    tell(s, 5, STATE_STOPPED, 6);
    assert_int_equal(fake.tells, 1);
    assert_true(fake.last.trial == 2 && fake.last.value == 3);
    assert_int_equal(fake.last.state, STATE_DONE);
    tell(s, 5, STATE_DONE, 9);
    assert_int_equal(fake.tells, 1);
    search_free(s);
}

static void failed_members_are_left_out_of_the_mean(void **state)
{
    (void)state;
    struct search *s = open_fake(3, 0);
    tell(s, 1, STATE_FAILED, NAN);
    tell(s, 2, STATE_DONE, 4);
    tell(s, 3, STATE_STOPPED, 5);
    assert_int_equal(fake.tells, 1);
    assert_true(fake.last.value == 4.5);
    assert_int_equal(fake.last.state, STATE_DONE);
    tell(s, 4, STATE_DONE, 2);
    tell(s, 5, STATE_DONE, -INFINITY);
    tell(s, 6, STATE_DONE, INFINITY);
    assert_true(fake.last.trial == 2 && fake.last.value == 2);
    search_free(s);
}

static void without_any_value_the_worst_state_is_told(void **state)
{
    (void)state;
    struct search *s = open_fake(3, 0);
    tell(s, 1, STATE_KILLED, NAN);
    tell(s, 2, STATE_INVALID, NAN);
    tell(s, 3, STATE_DONE, NAN);
    assert_int_equal(fake.tells, 1);
    assert_true(isnan(fake.last.value));
    assert_int_equal(fake.last.state, STATE_INVALID);
    search_free(s);
}

static void several_objectives_have_a_mean_each(void **state)
{
    (void)state;
    struct search *s = open_fake(2, 0);
    const double first[] = {1, 10}, second[] = {3, 30};
    struct result r = {.trial = 1,
                       .state = STATE_DONE,
                       .value = 1,
                       .values = first,
                       .value_count = 2};
    search_tell(s, &r);
    r.trial = 2;
    r.value = 3;
    r.values = second;
    search_tell(s, &r);
    assert_int_equal(fake.tells, 1);
    assert_int_equal(fake.last.value_count, 2);
    assert_true(fake.values[0] == 2 && fake.values[1] == 20);
    search_free(s);
}

static void a_group_cut_by_run_cap_is_told_when_it_is_whole(void **state)
{
    (void)state;
    struct search *s = open_fake(3, 5);
    tell(s, 4, STATE_DONE, 1);
    assert_int_equal(fake.tells, 0);
    tell(s, 5, STATE_DONE, 2);
    assert_int_equal(fake.tells, 1);
    assert_true(fake.last.trial == 2 && fake.last.value == 1.5);
    search_free(s);
}

static void parents_of_repeated_points_are_trials_again(void **state)
{
    (void)state;
    struct search *s = open_fake(4, 0);
    struct suggestion got;
    assert_int_equal(search_ask(s, 11, arena, &got, NULL), SEARCH_HERE);
    assert_int_equal(got.parent, 7);
    assert_int_equal(got.replaces, 3);
    assert_int_equal(got.budget, 30);
    assert_int_equal(search_ask(s, 1, arena, &got, NULL), SEARCH_HERE);
    assert_int_equal(got.parent, -1);
    search_free(s);
}

static void one_member_of_many_is_never_stopped(void **state)
{
    (void)state;
    struct search *s = open_fake(4, 0);
    assert_int_equal(search_report(s, 1, 1, 2), DECISION_CONTINUE);
    assert_int_equal(fake.reports, 0);
    search_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(grid_gives_every_point_once_and_ends),
        TEST(grid_keeps_the_written_order_on_request),
        TEST(grid_combines_listed_points_with_its_own),
        TEST(grid_refuses_a_continuous_parameter_by_name),
        TEST(random_has_no_end_and_asking_twice_gives_the_same),
        TEST(random_points_depend_on_seed_and_number_only),
        TEST(run_cap_cuts_every_method),
        TEST(points_come_from_their_source_in_order),
        TEST(points_without_a_list_are_refused),
        TEST(unknown_methods_get_the_nearest_one),
        TEST(every_listed_method_opens),
        TEST(every_method_has_help_with_all_its_options),
        TEST(an_outside_decides_where_the_method_is_external),
        TEST(repeat_gives_each_point_to_several_trials),
        TEST(repeat_counts_trials_under_run_cap),
        TEST(results_cost_nothing_where_nobody_looks),
        TEST(a_trial_told_twice_counts_once),
        TEST(a_paused_trial_may_still_end),
        TEST(a_strategy_may_wait_and_stop),
        TEST(a_point_is_told_once_with_the_mean_of_its_members),
        TEST(failed_members_are_left_out_of_the_mean),
        TEST(without_any_value_the_worst_state_is_told),
        TEST(several_objectives_have_a_mean_each),
        TEST(a_group_cut_by_run_cap_is_told_when_it_is_whole),
        TEST(parents_of_repeated_points_are_trials_again),
        TEST(one_member_of_many_is_never_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
