/* Place fake, end to end: the script of a task becomes records. */
#include "rig.h"

static bool all_over(struct rig *r)
{
    return r->ended + r->lost == (size_t)(uintptr_t)r->context;
}

static void run_script(struct rig *r, const char *script, uint32_t attempt)
{
    rig_submit(r, 1, attempt, script);
    r->context = (void *)(uintptr_t)(r->ended + r->lost + 1);
    rig_run(r, all_over);
}

static void open_rig(struct rig *r)
{
    rig_init(r);
    rig_open(r, "fake");
}

static enum outcome outcome_of(const char *script, uint32_t attempt)
{
    struct rig r;
    open_rig(&r);
    run_script(&r, script, attempt);
    const struct seen *s = rig_find(&r, RECORD_ENDED, 1);
    assert_non_null(s);
    enum outcome o = s->ended.outcome;
    rig_done(&r);
    return o;
}

static void records_come_in_the_order_of_a_real_task(void **state)
{
    (void)state;
    struct rig r;
    const unsigned order[] = {RECORD_STARTING, RECORD_STARTED, RECORD_METRICS,
                              RECORD_NOTICE,   RECORD_METRICS, RECORD_ENDED};
    open_rig(&r);
    run_script(&r,
               "python train.py metric=loss:2 metric=acc:.5 sleep-ms=250 "
               "notice=hm metric=loss:0.5@7 exit=3",
               4);
    assert_int_equal(r.seen.len, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(r.seen.p[i].type, order[i]);
        assert_int_equal(r.seen.p[i].attempt, 4);
    }
    assert_string_equal(r.seen.p[3].text, "hm");
    const struct seen *end = &r.seen.p[5];
    assert_int_equal(end->ended.outcome, OUTCOME_FAILED);
    assert_int_equal(end->ended.exit_code, 3);
    assert_int_equal(end->ended.metric_points, 3);
    assert_string_equal(end->text, "exit code 3");
    assert_true(end->ended.seconds > 0.249 && end->ended.seconds < 0.251);
    assert_int_equal(r.points, 3);
    assert_true(r.last_value == 0.5);
    rig_done(&r);
}

static void a_script_says_how_it_ends(void **state)
{
    (void)state;
    assert_int_equal(outcome_of("nothing known", 1), OUTCOME_DONE);
    assert_int_equal(outcome_of("exit=0", 1), OUTCOME_DONE);
    assert_int_equal(outcome_of("exit=85 checkpoint=3", 1),
                     OUTCOME_CHECKPOINTED);
    assert_int_equal(outcome_of("exit=78", 1), OUTCOME_INVALID);
    assert_int_equal(outcome_of("exit=1", 1), OUTCOME_FAILED);
    assert_int_equal(outcome_of("signal=11", 1), OUTCOME_FAILED);
    assert_int_equal(outcome_of("outcome=memory", 1), OUTCOME_MEMORY);
}

static void a_script_can_differ_by_attempt(void **state)
{
    (void)state;
    const char *script =
        "attempt=1 exit=1 attempt=2 exit=85 attempt=any exit=0";
    assert_int_equal(outcome_of(script, 1), OUTCOME_FAILED);
    assert_int_equal(outcome_of(script, 2), OUTCOME_CHECKPOINTED);
    assert_int_equal(outcome_of(script, 3), OUTCOME_DONE);
}

static void virtual_time_is_not_waited_for(void **state)
{
    (void)state;
    struct rig r;
    int64_t begin = clock_mono_ns();
    open_rig(&r);
    run_script(&r, "sleep-ms=86400000", 1);
    assert_true(rig_find(&r, RECORD_ENDED, 1)->ended.seconds == 86400);
    assert_true(clock_mono_ns() - begin < (int64_t)30e9);
    rig_done(&r);
}

static void a_time_limit_ends_a_task(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    open_rig(&r);
    rig_task(&r, &t, 1, 1, "sleep-ms=5000");
    t.needs.time_s = 2;
    assert_int_equal(engine_submit(r.engine, &t, NULL), 0);
    r.context = (void *)(uintptr_t)1;
    rig_run(&r, all_over);
    const struct seen *s = rig_find(&r, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_TIMED_OUT);
    assert_true(s->ended.seconds == 2);
    rig_done(&r);
}

static void stop_at_first_metric(struct rig *r, const struct seen *s)
{
    if (s->type == RECORD_METRICS)
        engine_stop_task(r->engine, s->task);
}

static void a_stop_ends_a_task_at_once_unless_it_ignores_it(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    r.on_seen = stop_at_first_metric;
    run_script(&r, "metric=a:1 sleep-ms=9000 metric=a:2", 1);
    const struct seen *s = rig_find(&r, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_STOPPED);
    assert_true(s->ended.seconds == 0);
    r.seen.len = 0;
    run_script(&r, "ignore-stop metric=a:1 sleep-ms=9000 metric=a:2", 2);
    s = rig_find(&r, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_STOPPED);
    assert_true(s->ended.seconds == 2);
    rig_done(&r);
}

static void kill_at_start(struct rig *r, const struct seen *s)
{
    if (s->type == RECORD_STARTED)
        engine_kill_task(r->engine, s->task, OUTCOME_DIVERGED);
}

static void a_killed_task_counts_as_it_was_told(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    r.on_seen = kill_at_start;
    run_script(&r, "sleep-ms=9000", 1);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_DIVERGED);
    rig_done(&r);
}

static void a_dying_worker_loses_all_and_the_queue_goes_on(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.parallel = 2;
    rig_open(&r, "fake");
    rig_submit(&r, 1, 1, "sleep-ms=2000");
    rig_submit(&r, 2, 1, "sleep-ms=1000 die");
    rig_submit(&r, 3, 1, "exit=0");
    r.context = (void *)(uintptr_t)3;
    rig_run(&r, all_over);
    assert_int_equal(r.lost, 2);
    assert_true(rig_find(&r, RIG_LOST, 1)->started);
    assert_true(rig_find(&r, RIG_LOST, 2)->started);
    assert_int_equal(rig_find(&r, RIG_LOST, 2)->loss, LOSS_GONE);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 3)->ended.outcome,
                     OUTCOME_DONE);
    rig_done(&r);
}

static void submit_again(struct rig *r, const struct seen *s)
{
    if (s->type == RIG_LOST)
        rig_submit(r, s->task, s->attempt + 1, "sleep-ms=50 metric=a:1");
}

static void who_is_presumed_dead_and_comes_back_is_not_heard(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.parallel = 1;
    r.on_seen = submit_again;
    rig_open(&r, "fake");
    rig_submit(&r, 1, 1,
               "metric=a:7 vanish-ms=5 metric=a:99 sleep-ms=5 exit=1");
    r.context = (void *)(uintptr_t)2;
    rig_run(&r, all_over);
    const struct seen *lost = rig_find(&r, RIG_LOST, 1);
    assert_int_equal(lost->loss, LOSS_PRESUMED);
    assert_int_equal(lost->attempt, 1);
    assert_int_equal(lost->company, 1);
    assert_int_equal(r.points, 2);
    assert_true(r.last_value == 1);
    assert_int_equal(r.ended, 1);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->attempt, 2);
    rig_done(&r);
}

static bool faulted(struct rig *r)
{
    return r->faults > 0;
}

static void a_fault_is_told_and_the_engine_can_still_quit(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.parallel = 1;
    rig_open(&r, "fake");
    rig_submit(&r, 1, 1, "fault");
    rig_submit(&r, 2, 1, "exit=0");
    rig_run(&r, faulted);
    assert_int_equal(r.lost, 1);
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 2)->ended.outcome,
                     OUTCOME_UNSTARTED);
    rig_done(&r);
}

static void no_more_tasks_run_at_once_than_fit(void **state)
{
    (void)state;
    struct rig r;
    size_t running = 0, most = 0;
    open_rig(&r);
    for (uint64_t i = 0; i < 50; i++)
        rig_submit(&r, i, 1, "sleep-ms=3");
    r.context = (void *)(uintptr_t)50;
    rig_run(&r, all_over);
    for (size_t i = 0; i < r.seen.len; i++) {
        running += r.seen.p[i].type == RECORD_STARTED;
        running -= r.seen.p[i].type == RECORD_ENDED;
        most = running > most ? running : most;
    }
    assert_int_equal(most, 4);
    rig_done(&r);
}

/* ---- a cluster's tempers ----------------------------------------------- */

static uint32_t next_number(struct rig *r, const struct seen *s)
{
    (void)r;
    return s->attempt + 1;
}

static uint32_t no_number(struct rig *r, const struct seen *s)
{
    (void)r;
    (void)s;
    return 0;
}

static void what_a_scheduler_begins_again_is_another_attempt(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.numbers = next_number;
    rig_open(&r, "fake");
    run_script(&r,
               "attempt=4 metric=a:1 again-ms=5 attempt=5 metric=a:2 "
               "again-ms=5 attempt=6 metric=a:3",
               4);
    const struct seen *again = rig_find(&r, RIG_AGAIN, 1);
    assert_int_equal(rig_count(&r, RIG_AGAIN), 2);
    assert_int_equal(again->attempt, 4);
    assert_int_equal(again->as, 4);
    assert_int_equal(again->start, 1);
    assert_int_equal(again->loss, LOSS_GONE);
    assert_string_equal(again->text, "the fake node failed");
    const struct seen *end = &vec_last(&r.seen);
    assert_int_equal(end->type, RECORD_ENDED);
    assert_int_equal(end->attempt, 6);
    assert_int_equal(end->ended.metric_points, 1);
    assert_int_equal(rig_count(&r, RECORD_STARTING), 3);
    assert_int_equal(r.points, 3);
    assert_int_equal(r.lost, 0);
    rig_done(&r);
}

static void the_start_before_is_not_heard_any_more(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.numbers = next_number;
    rig_open(&r, "fake");
    run_script(&r,
               "attempt=1 again-presumed=5 metric=a:99 sleep-ms=5 exit=1 "
               "attempt=2 metric=a:2 sleep-ms=50",
               1);
    assert_int_equal(rig_find(&r, RIG_AGAIN, 1)->loss, LOSS_PRESUMED);
    assert_int_equal(r.points, 1);
    assert_true(r.last_value == 2);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->attempt, 2);
    rig_done(&r);
}

static void who_wants_no_more_of_it_has_its_room_back(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.parallel = 1;
    r.numbers = no_number;
    rig_open(&r, "fake");
    rig_submit(&r, 1, 1, "again-ms=5");
    rig_submit(&r, 2, 1, "exit=0");
    r.context = (void *)(uintptr_t)1;
    rig_run(&r, all_over);
    assert_non_null(rig_find(&r, RIG_AGAIN, 1));
    assert_null(rig_find(&r, RECORD_ENDED, 1));
    assert_non_null(rig_find(&r, RECORD_ENDED, 2));
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    rig_done(&r);
}

static void who_does_not_know_of_it_hears_of_a_loss(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    run_script(&r, "again-ms=5", 1);
    assert_int_equal(r.lost, 1);
    assert_string_equal(rig_find(&r, RIG_LOST, 1)->text,
                        "the fake node failed");
    rig_done(&r);
}

static void late_words_come_in_their_order_behind_those_of_others(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    rig_submit(&r, 1, 1, "late-ms=100 metric=a:1 sleep-ms=1 notice=x");
    rig_submit(&r, 2, 1, "sleep-ms=50 exit=0");
    r.context = (void *)(uintptr_t)2;
    rig_run(&r, all_over);
    assert_int_equal(r.points, 1);
    assert_int_equal(vec_last(&r.seen).type, RECORD_ENDED);
    assert_int_equal(vec_last(&r.seen).task, 1);
    assert_int_equal(r.seen.p[r.seen.len - 2].type, RECORD_NOTICE);
    assert_true(rig_find(&r, RECORD_ENDED, 1)->ended.seconds < 0.01);
    rig_done(&r);
}

static void torn_words_are_waited_for(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    rig_submit(&r, 1, 1, "torn-ms=100 metric=a:1 sleep-ms=1 notice=x");
    rig_submit(&r, 2, 1, "sleep-ms=50 exit=0");
    r.context = (void *)(uintptr_t)2;
    rig_run(&r, all_over);
    assert_int_equal(r.points, 1);
    assert_int_equal(vec_last(&r.seen).type, RECORD_ENDED);
    assert_int_equal(vec_last(&r.seen).task, 1);
    assert_int_equal(r.seen.p[r.seen.len - 2].type, RECORD_NOTICE);
    assert_true(rig_find(&r, RECORD_ENDED, 1)->ended.seconds < 0.01);
    rig_done(&r);
}

/* What was said before is believed, the rest is not. */
static void words_that_stay_torn_lose_their_task(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r);
    run_script(&r, "metric=a:1 sleep-ms=1 torn metric=a:2 sleep-ms=1 notice=x",
               1);
    assert_int_equal(r.points, 1);
    assert_int_equal(r.lost, 1);
    assert_null(rig_find(&r, RECORD_ENDED, 1));
    assert_null(rig_find(&r, RECORD_NOTICE, 1));
    assert_int_equal(rig_find(&r, RIG_LOST, 1)->loss, LOSS_GONE);
    rig_done(&r);
}

/* The loop turns a few times before a conductor has left. */
#define MANY_STEPS                                                             \
    "sleep-ms=1 sleep-ms=1 sleep-ms=1 sleep-ms=1 sleep-ms=1 sleep-ms=1 "       \
    "sleep-ms=1 sleep-ms=1 "

static bool metric_seen(struct rig *r)
{
    return r->points >= 2; /* it says everything twice */
}

static bool both_seen(struct rig *r)
{
    return r->points >= 4;
}

static void part(struct rig *r)
{
    engine_part(r->engine);
    rig_run(r, rig_idle);
    rig_close(r);
    r->seen.len = r->idles = r->ended = r->points = 0;
}

static void an_attempt_that_was_begun_again_is_found_by_its_start(void **state)
{
    (void)state;
    struct rig r;
    struct needs n;
    rig_init(&r);
    r.numbers = next_number;
    rig_open(&r, "fake-cluster");
    rig_submit(&r, 1, 3,
               "attempt=3 again-ms=1 attempt=4 metric=a:1 " MANY_STEPS
               "metric=a:2");
    rig_run(&r, metric_seen);
    part(&r);
    rig_open_only(&r, "fake-cluster");
    needs_init(&n);
    struct engine_out out = {.task = 1, .attempt = 4, .as = 4, .begun = true};
    assert_false(engine_adopt(r.engine, &out, &n));
    out.as = 3;
    out.start = 1;
    assert_true(engine_adopt(r.engine, &out, &n));
    rig_start(&r);
    r.context = (void *)(uintptr_t)1;
    rig_run(&r, all_over);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->attempt, 4);
    assert_true(r.last_value == 2);
    rig_done(&r);
}

static void check_outlives(const char *script)
{
    struct rig r;
    struct needs n;
    rig_init(&r);
    rig_open(&r, "fake-cluster");
    rig_submit(&r, 1, 1, script);
    rig_submit(&r, 2, 1, "sleep-ms=5 metric=a:2 " MANY_STEPS);
    rig_run(&r, both_seen);
    assert_null(rig_find(&r, RECORD_ENDED, 1));
    part(&r);
    rig_open_only(&r, "fake-cluster");
    needs_init(&n);
    struct engine_out out = {.task = 1, .attempt = 1, .as = 1, .begun = true};
    assert_true(engine_adopt(r.engine, &out, &n));
    rig_start(&r);
    r.context = (void *)(uintptr_t)1;
    rig_run(&r, all_over);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.exit_code, 3);
    rig_done(&r);
}

static void words_on_their_way_outlive_the_conductor(void **state)
{
    (void)state;
    check_outlives("metric=a:1 sleep-ms=1 late-ms=500 exit=3");
    check_outlives("metric=a:1 sleep-ms=1 torn-ms=500 exit=3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_the_order_of_a_real_task),
        cmocka_unit_test(a_script_says_how_it_ends),
        cmocka_unit_test(a_script_can_differ_by_attempt),
        cmocka_unit_test(virtual_time_is_not_waited_for),
        cmocka_unit_test(a_time_limit_ends_a_task),
        cmocka_unit_test(a_stop_ends_a_task_at_once_unless_it_ignores_it),
        cmocka_unit_test(a_killed_task_counts_as_it_was_told),
        cmocka_unit_test(a_dying_worker_loses_all_and_the_queue_goes_on),
        cmocka_unit_test(who_is_presumed_dead_and_comes_back_is_not_heard),
        cmocka_unit_test(a_fault_is_told_and_the_engine_can_still_quit),
        cmocka_unit_test(no_more_tasks_run_at_once_than_fit),
        cmocka_unit_test(what_a_scheduler_begins_again_is_another_attempt),
        cmocka_unit_test(the_start_before_is_not_heard_any_more),
        cmocka_unit_test(who_wants_no_more_of_it_has_its_room_back),
        cmocka_unit_test(who_does_not_know_of_it_hears_of_a_loss),
        cmocka_unit_test(torn_words_are_waited_for),
        cmocka_unit_test(words_that_stay_torn_lose_their_task),
        cmocka_unit_test(late_words_come_in_their_order_behind_those_of_others),
        cmocka_unit_test(an_attempt_that_was_begun_again_is_found_by_its_start),
        cmocka_unit_test(words_on_their_way_outlive_the_conductor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
