/* The engine itself, over place fake: room, order, ends. A task of two
 * virtual seconds is long, so that none is sent ahead. */
#include "rig.h"

#define LONG "sleep-ms=2000"

static int open_rig(struct rig *r, uint32_t parallel)
{
    rig_init(r);
    r->parallel = parallel;
    rig_open(r, "fake");
    return 0;
}

static bool three_ended(struct rig *r)
{
    return r->ended == 3;
}
static bool five_ended(struct rig *r)
{
    return r->ended == 5;
}
static bool one_ended(struct rig *r)
{
    return r->ended == 1;
}
static bool one_begun(struct rig *r)
{
    return rig_count(r, RECORD_STARTED) == 1;
}

static void an_unknown_place_is_refused(void **state)
{
    (void)state;
    struct rig r;
    struct err err = {0};
    rig_init(&r);
    struct engine_setup setup = {
        .place = "moon", .loop = r.loop, .machine = &r.machine};
    struct engine_hooks hooks = {0};
    assert_null(engine_open(&setup, &hooks, &err));
    assert_non_null(strstr(err.text, "moon"));
    rig_done(&r);
}

static void room_is_slots_less_what_is_held(void **state)
{
    (void)state;
    struct rig r;
    struct needs n;
    open_rig(&r, 0);
    needs_init(&n);
    assert_int_equal(engine_slots(r.engine, &n), 4);
    assert_int_equal(engine_room(r.engine, &n, false), 4);
    assert_int_equal(engine_room(r.engine, &n, true), 4);
    for (uint64_t i = 0; i < 4; i++) {
        rig_submit(&r, i, 1, LONG);
        assert_int_equal(engine_room(r.engine, &n, false), 3 - i);
    }
    rig_submit(&r, 4, 1, LONG);
    assert_int_equal(engine_room(r.engine, &n, true), 0);
    rig_run(&r, five_ended);
    assert_int_equal(engine_room(r.engine, &n, true), 4);
    rig_done(&r);
}

static void parallel_cuts_the_room(void **state)
{
    (void)state;
    struct rig r;
    struct needs n;
    open_rig(&r, 2);
    needs_init(&n);
    assert_int_equal(engine_room(r.engine, &n, false), 2);
    n.cpus = 4;
    assert_int_equal(engine_room(r.engine, &n, false), 1);
    rig_done(&r);
}

static size_t room_after(const char *script)
{
    struct rig r;
    struct needs n;
    open_rig(&r, 0);
    needs_init(&n);
    rig_submit(&r, 1, 1, script);
    rig_run(&r, one_ended);
    size_t room = engine_room(r.engine, &n, true);
    assert_int_equal(engine_room(r.engine, &n, false), 4);
    rig_done(&r);
    return room;
}

static void short_tasks_are_wanted_ahead(void **state)
{
    (void)state;
    assert_int_equal(room_after("sleep-ms=1100"), 4);
    assert_int_equal(room_after("sleep-ms=900"), 4 + 1);
    assert_int_equal(room_after("sleep-ms=80"), 4 + 3);
    assert_int_equal(room_after("sleep-ms=1"), 4 + 64);
    assert_int_equal(room_after("exit=0"), 4 + 64);
}

static void needs_that_can_never_be_met_are_refused(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    struct err err = {0};
    open_rig(&r, 0);
    rig_task(&r, &t, 1, 1, "exit=0");
    t.needs.cpus = 5;
    assert_int_equal(engine_check(r.engine, &t.needs, &err), -1);
    assert_int_equal(engine_submit(r.engine, &t, &err), -1);
    assert_non_null(strstr(err.text, "5"));
    rig_done(&r);
}

static void a_task_that_is_held_is_not_taken_twice(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    struct err err = {0};
    open_rig(&r, 0);
    rig_submit(&r, 0, 1, LONG);
    rig_task(&r, &t, 0, 2, LONG);
    assert_int_equal(engine_submit(r.engine, &t, &err), -1);
    rig_run(&r, one_ended);
    assert_int_equal(engine_submit(r.engine, &t, &err), 0);
    rig_done(&r);
}

static void the_queue_goes_by_age(void **state)
{
    (void)state;
    struct rig r;
    const uint64_t order[] = {1, 2, 3, 4, 5};
    size_t at = 0;
    open_rig(&r, 1);
    rig_submit(&r, 1, 1, LONG);
    rig_submit(&r, 2, 1, LONG);
    rig_submit(&r, 3, 1, LONG);
    rig_submit(&r, 4, 1, LONG);
    rig_submit(&r, 5, 1, LONG);
    rig_run(&r, five_ended);
    for (size_t i = 0; i < r.seen.len; i++)
        if (r.seen.p[i].type == RECORD_STARTING)
            assert_int_equal(r.seen.p[i].task, order[at++]);
    assert_int_equal(at, 5);
    rig_done(&r);
}

static void a_queued_task_is_killed_from_the_loop(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, 1);
    rig_submit(&r, 1, 1, LONG);
    rig_submit(&r, 2, 7, LONG);
    rig_submit(&r, 3, 1, LONG);
    engine_kill_task(r.engine, 2, OUTCOME_KILLED);
    engine_kill_task(r.engine, 2, OUTCOME_KILLED);
    engine_stop_task(r.engine, 3);
    assert_int_equal(r.seen.len, 0);
    rig_run(&r, three_ended);
    const struct seen *s = rig_find(&r, RECORD_ENDED, 2);
    assert_int_equal(s->ended.outcome, OUTCOME_UNSTARTED);
    assert_int_equal(s->attempt, 7);
    s = rig_find(&r, RECORD_ENDED, 3);
    assert_int_equal(s->ended.outcome, OUTCOME_UNSTARTED);
    assert_null(rig_find(&r, RECORD_STARTING, 2));
    assert_null(rig_find(&r, RECORD_STARTING, 3));
    s = rig_find(&r, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_DONE);
    rig_done(&r);
}

static void an_unknown_task_is_nothing_to_stop(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, 1);
    engine_kill_task(r.engine, 99, OUTCOME_KILLED);
    engine_stop_task(r.engine, 99);
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    assert_int_equal(r.seen.len, 0);
    rig_done(&r);
}

/* A hook that submits the next attempt as soon as one ends. */
static void again(struct rig *r, const struct seen *s)
{
    if (s->type == RECORD_ENDED && s->attempt < 5)
        rig_submit(r, s->task, s->attempt + 1, LONG);
}

static void the_next_attempt_may_be_submitted_inside_of_the_hook(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, 1);
    r.on_seen = again;
    rig_submit(&r, 1, 1, LONG);
    rig_run(&r, five_ended);
    assert_int_equal(vec_last(&r.seen).attempt, 5);
    rig_done(&r);
}

static void quit_lets_running_tasks_finish_and_returns_the_rest(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    struct needs n;
    open_rig(&r, 1);
    for (uint64_t i = 1; i <= 5; i++)
        rig_submit(&r, i, 1, LONG);
    rig_run(&r, one_begun);
    engine_quit(r.engine, false);
    needs_init(&n);
    assert_int_equal(engine_room(r.engine, &n, true), 0);
    rig_task(&r, &t, 9, 1, LONG);
    assert_int_equal(engine_submit(r.engine, &t, NULL), -1);
    rig_run(&r, rig_idle);
    assert_int_equal(r.ended, 5);
    assert_int_equal(r.idles, 1);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_DONE);
    for (uint64_t i = 2; i <= 5; i++)
        assert_int_equal(rig_find(&r, RECORD_ENDED, i)->ended.outcome,
                         OUTCOME_UNSTARTED);
    rig_done(&r);
}

static void quit_with_kill_interrupts_what_runs(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, 1);
    rig_submit(&r, 1, 1, "sleep-ms=1e12");
    rig_submit(&r, 2, 1, LONG);
    rig_run(&r, one_begun);
    engine_quit(r.engine, false);
    engine_quit(r.engine, true);
    rig_run(&r, rig_idle);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_INTERRUPTED);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 2)->ended.outcome,
                     OUTCOME_UNSTARTED);
    rig_done(&r);
}

/* Short tasks are sent ahead, so some wait at the place when quit comes. */
static void quit_takes_back_what_waits_at_the_place(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, 1);
    rig_submit(&r, 1, 1, "sleep-ms=1");
    rig_run(&r, one_ended);
    rig_submit(&r, 2, 1, LONG);
    for (uint64_t i = 3; i < 20; i++)
        rig_submit(&r, i, 1, LONG);
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    assert_int_equal(r.ended, 19);
    assert_int_equal(rig_count(&r, RECORD_STARTED), 1);
    rig_done(&r);
}

static void mixed_needs_leave_no_cpu_idle(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    static const struct gpu gpu = {
        .uuid = "GPU-1", .name = "a100", .capability_major = 8};
    rig_init(&r);
    r.machine.gpus = &gpu;
    r.machine.gpu_count = 1;
    rig_open(&r, "fake");
    for (uint64_t i = 1; i <= 2; i++) {
        rig_task(&r, &t, i, 1, LONG);
        t.needs.gpus = 1;
        assert_int_equal(engine_submit(r.engine, &t, NULL), 0);
    }
    rig_submit(&r, 3, 1, LONG);
    rig_run(&r, three_ended);
    /* 1 and 3 run together; 2 has to wait for the GPU of 1. */
    assert_true(rig_find(&r, RECORD_STARTED, 3) <
                rig_find(&r, RECORD_ENDED, 1));
    assert_true(rig_find(&r, RECORD_STARTED, 2) >
                rig_find(&r, RECORD_ENDED, 1));
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_place_is_refused),
        cmocka_unit_test(room_is_slots_less_what_is_held),
        cmocka_unit_test(parallel_cuts_the_room),
        cmocka_unit_test(short_tasks_are_wanted_ahead),
        cmocka_unit_test(needs_that_can_never_be_met_are_refused),
        cmocka_unit_test(a_task_that_is_held_is_not_taken_twice),
        cmocka_unit_test(the_queue_goes_by_age),
        cmocka_unit_test(a_queued_task_is_killed_from_the_loop),
        cmocka_unit_test(an_unknown_task_is_nothing_to_stop),
        cmocka_unit_test(the_next_attempt_may_be_submitted_inside_of_the_hook),
        cmocka_unit_test(quit_lets_running_tasks_finish_and_returns_the_rest),
        cmocka_unit_test(quit_with_kill_interrupts_what_runs),
        cmocka_unit_test(quit_takes_back_what_waits_at_the_place),
        cmocka_unit_test(mixed_needs_leave_no_cpu_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
