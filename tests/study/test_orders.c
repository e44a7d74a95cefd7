/* test_orders.c - what a suggestion depends on, end to end
 *
 * Trials of these studies take as long as one of their parameters says, so
 * that the order in which they end depends on how many run at once. */
#include "search/search.h"
#include "bed.h"

#define SEARCH(method)                                                         \
    "method: " method "\nrun_cap: 40\nseed: 7\n"                               \
    "metric: {name: loss, goal: minimize}\n"                                   \
    "parameters:\n  x: {min: 0.0, max: 1.0}\n"                                 \
    "  kind: {values: [a, b, c]}\n  t: {min: 1, max: 39}\n"                    \
    "command: [x, 'sleep-ms={t}', 'metric=loss:{x}']\n"

/* Everything that makes the table, one line for each trial. */
static const char *table(struct bed *b)
{
    struct buf text;
    struct counts c;
    buf_init(&text);
    assert_int_equal(store_counts(b->store, &c, NULL), 0);
    for (int64_t id = 1; id <= c.total; id++) {
        struct trial t = trial(b, id);
        buf_addf(&text, "%lld %s %.*s %.17g %lld %lld %.*s\n", (long long)id,
                 state_name(t.state), STRF(t.point), t.value,
                 (long long)t.budget, (long long)t.parent, STRF(t.reason));
    }
    const char *kept = arena_cstr(b->arena, buf_str(&text));
    buf_done(&text);
    return kept;
}

static void begin_anew(struct bed *b)
{
    store_close(b->store);
    b->store = NULL;
    assert_int_equal(dir_remove(path_join(b->arena, b->home, ".throng"), NULL),
                     0);
}

static const char *table_of(struct bed *b, const char *text, unsigned cpus)
{
    enum study_end end;
    b->machine.cpus = cpus;
    if (bed_run(b, text, &end))
        fail_msg("%s", b->err.text);
    assert_int_equal(end, STUDY_COMPLETE);
    const char *got = table(b);
    begin_anew(b);
    return got;
}

static void same_for_any_number_of_workers(struct bed *b, const char *text)
{
    const char *one = table_of(b, text, 1);
    assert_string_equal(one, table_of(b, text, 4));
    assert_string_equal(one, table_of(b, text, 64));
}

static void with_lag_the_table_is_the_same_for_1_4_and_64_workers(void **s)
{
    static const char *const texts[] = {
        SEARCH("tpe") "order: lag\nlag: 8\n",
        SEARCH("cmaes") "order: lag\nlag: 3\n",
        SEARCH("bayes") "order: lag\nlag: 16\n",
        SEARCH("auto") "order: lag\nlag: 4\n",
        SEARCH("forest") "order: lag\nlag: 5\n",
        SEARCH("ga") "order: lag\nlag: 6\n",
        SEARCH("nsga2") "order: lag\nlag: 7\n",
        SEARCH("pbt") "order: lag\nlag: 4\n",
        SEARCH("hyperspace") "order: lag\nlag: 9\n",
        SEARCH("random") "order: lag\nlag: 4\n",
        SEARCH("sobol") "order: lag\nlag: 4\n",
        SEARCH("lhs") "order: lag\nlag: 4\n",
        SEARCH("tpe") "order: lag\nlag: 6\n"
                      "early_terminate: {type: median}\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        same_for_any_number_of_workers(*s, texts[i]);
}

static void with_batch_the_table_is_the_same_too(void **s)
{
    same_for_any_number_of_workers(*s,
                                   SEARCH("tpe") "order: batch\nbatch: 7\n");
    same_for_any_number_of_workers(*s,
                                   SEARCH("cmaes") "order: batch\nbatch: 7\n");
}

/* Without an order the table does depend on the workers: else the tests
 * above would show nothing. */
static void in_free_order_the_workers_matter(void **s)
{
    struct bed *b = *s;
    const char *one = table_of(b, SEARCH("tpe"), 1);
    const char *four = table_of(b, SEARCH("tpe"), 4);
    assert_string_not_equal(one, four);
}

#define FAILING                                                                \
    "method: tpe\nrun_cap: 40\nseed: 3\nretries: 1\nretry_delay: 0\n"          \
    "metric: {name: loss, goal: minimize}\n"                                   \
    "parameters:\n  x: {min: 0.0, max: 1.0}\n  t: {min: 1, max: 99}\n"         \
    "  code: {values: [0, 0, 3]}\n"                                            \
    "command: [x, 'sleep-ms={t}', 'metric=loss:{x}', 'exit={code}']\n"

static void failed_trials_count_as_such_with_lag(void **s)
{
    struct bed *b = *s;
    b->setup.keep_going = true;
    same_for_any_number_of_workers(b, FAILING "order: lag\nlag: 6\n");
}

static void with_repeat_the_table_is_the_same_too(void **s)
{
    same_for_any_number_of_workers(
        *s, SEARCH("tpe") "repeat: 3\norder: lag\nlag: 7\n");
}

/* Runs in pieces of `count` new trials each. */
static const char *in_pieces(struct bed *b, const char *text, int64_t count)
{
    enum study_end end = STUDY_COUNT;
    b->machine.cpus = 1;
    b->setup.count = count;
    while (end == STUDY_COUNT)
        if (bed_run(b, text, &end))
            fail_msg("%s", b->err.text);
    b->setup.count = 0;
    const char *got = table(b);
    begin_anew(b);
    return got;
}

/* One worker: then the arrivals are the same with pauses and without. */
static void pauses_change_nothing(void **s)
{
    struct bed *b = *s;
    const char *const texts[] = {SEARCH("tpe"),
                                 SEARCH("cmaes"),
                                 SEARCH("bayes"),
                                 SEARCH("ga"),
                                 SEARCH("tpe") "order: lag\nlag: 5\n",
                                 SEARCH("tpe") "order: batch\nbatch: 5\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const char *whole = table_of(b, texts[i], 1);
        assert_string_equal(whole, in_pieces(b, texts[i], i == 0 ? 3 : 13));
    }
}

/* ---- replaying --------------------------------------------------------- */

static struct plan *plan_of(struct bed *b, const char *text)
{
    struct plan_reader reader = {.files = {.read = no_files},
                                 .methods = search_methods};
    struct problems problems;
    problems_init(&problems, b->arena);
    struct plan *p =
        plan_read(str_of(text), "s.yaml", &reader, b->arena, &problems);
    assert_non_null(p);
    return p;
}

static void a_recorded_run_replays_exactly(void **s)
{
    struct bed *b = *s;
    const char *const texts[] = {
        SEARCH("tpe"),    SEARCH("cmaes"),
        SEARCH("bayes"),  SEARCH("ga"),
        SEARCH("auto"),   SEARCH("tpe") "order: lag\nlag: 5\n",
        SEARCH("forest"), SEARCH("nsga2"),
        SEARCH("pbt"),    SEARCH("hyperspace"),
        SEARCH("random"), SEARCH("sobol"),
        SEARCH("lhs"),    FAILING};
    b->setup.keep_going = true;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        enum study_end end;
        struct study_replay replay;
        b->machine.cpus = 8;
        b->setup.count = 15;
        assert_int_equal(bed_run(b, texts[i], &end), 0);
        b->setup.count = 0;
        /* On a machine for which auto would pick another method. */
        b->machine.cpus = 200;
        assert_int_equal(bed_run(b, texts[i], &end), 0);
        struct plan *p = plan_of(b, texts[i]);
        if (study_replay(p, b->store, &replay, &b->err))
            fail_msg("%s", b->err.text);
        assert_int_equal(replay.asked, b->progress.counts.total);
        assert_int_equal(replay.same, replay.asked);
        assert_int_equal(replay.first_other, 0);
        plan_close(p);
        begin_anew(b);
    }
}

/* A replay that finds everything equal whatever it is given proves nothing. */
static void a_replay_finds_a_point_that_another_seed_made(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct study_replay replay;
    assert_int_equal(bed_run(b, SEARCH("tpe"), &end), 0);
    struct plan *p = plan_of(b, SEARCH("tpe"));
    p->seed++;
    assert_int_equal(study_replay(p, b->store, &replay, &b->err), 0);
    assert_true(replay.same < replay.asked);
    assert_int_equal(replay.first_other, 1);
    plan_close(p);
}

/* ---- trials of people --------------------------------------------------- */

static void the_strategy_hears_of_added_points(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *plain = table_of(b, SEARCH("tpe"), 1);
    b->machine.cpus = 1;
    b->setup.count = 20;
    assert_int_equal(bed_run(b, SEARCH("tpe"), &end), 0);
    b->setup.count = 0;
    struct value *args = json_parse(
        b->arena, STR("{\"points\":[{\"x\":0.0001,\"kind\":\"a\",\"t\":5}]}"),
        "args", false, NULL);
    int64_t changed = 0;
    store_close(b->store);
    b->store = store_open(b->setup.folder, true, NULL);
    assert_int_equal(store_lease_take(b->store, false, NULL), 0);
    assert_int_equal(store_begin(b->store, NULL), 0);
    assert_int_equal(study_apply(b->store, "add", "", args, &changed, &b->err),
                     0);
    assert_int_equal(store_commit(b->store, NULL), 0);
    assert_int_equal(changed, 1);
    assert_int_equal(bed_run(b, SEARCH("tpe"), &end), 0);
    assert_int_equal(b->progress.counts.total, 41);
    /* The suggestions before are the same, those after know of the point. */
    const char *now = table(b);
    const char *line = strstr(now, "\n22 ");
    assert_non_null(line);
    assert_non_null(strstr(plain, "\n20 "));
    assert_int_equal(strncmp(plain, now, (size_t)(strstr(now, "\n21 ") - now)),
                     0);
    struct study_replay replay;
    struct plan *p = plan_of(b, SEARCH("tpe"));
    assert_int_equal(study_replay(p, b->store, &replay, &b->err), 0);
    assert_int_equal(replay.same, 40);
    plan_close(p);
    /* Trial 40 of the plain run is the suggestion of trial 41 here. */
    const char *last = strstr(plain, "\n40 ") + 4;
    assert_null(strstr(strstr(now, "\n41 ") + 4,
                       arena_cstr(b->arena, str_n(last, strcspn(last, "\n")))));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_open, bed_close)
    const struct CMUnitTest tests[] = {
        TEST(with_lag_the_table_is_the_same_for_1_4_and_64_workers),
        TEST(with_batch_the_table_is_the_same_too),
        TEST(in_free_order_the_workers_matter),
        TEST(failed_trials_count_as_such_with_lag),
        TEST(with_repeat_the_table_is_the_same_too),
        TEST(pauses_change_nothing),
        TEST(a_recorded_run_replays_exactly),
        TEST(a_replay_finds_a_point_that_another_seed_made),
        TEST(the_strategy_hears_of_added_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
