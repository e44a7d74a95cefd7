/* Place local with workers that misbehave (stand_in.c). */
#include "rig.h"
#include "../given.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char note_path[256];

static void reopen_with(struct rig *r, const char *mode)
{
    snprintf(note_path, sizeof note_path, "%s/note", r->folder);
    setenv("STAND_IN", mode, 1);
    setenv("STAND_IN_FILE", note_path, 1);
    rig_open(r, "local");
}

static void open_with(struct rig *r, const char *mode)
{
    rig_init(r);
    reopen_with(r, mode);
}

static bool enough(struct rig *r)
{
    return r->ended + r->lost == (size_t)(uintptr_t)r->context;
}

static void run_until_over(struct rig *r, size_t count)
{
    r->context = (void *)(uintptr_t)count;
    rig_run(r, enough);
}

static void fails_to_open(const char *worker, const char *mode,
                          const char *expected)
{
    struct rig r;
    struct err err = {0};
    struct engine_hooks hooks = {0};
    rig_init(&r);
    setenv("STAND_IN", mode, 1);
    struct engine_setup setup = {.place = "local",
                                 .loop = r.loop,
                                 .machine = &r.machine,
                                 .worker =
                                     worker ? worker : given("ENGINE_STAND_IN"),
                                 .folder = r.folder};
    struct engine *e = engine_open(&setup, &hooks, &err);
    assert_non_null(e);
    assert_int_equal(engine_start(e, RIG_EPOCH, &err), -1);
    engine_close(e);
    if (!strstr(err.text, expected) || !strstr(err.text, setup.worker))
        fail_msg("unexpected text: %s", err.text);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static void a_worker_that_cannot_run_is_an_error_at_once(void **state)
{
    (void)state;
    fails_to_open("/nowhere/throng-worker", "", "no such file");
    fails_to_open("/etc/passwd", "", "executable");
    fails_to_open(NULL, "exit", "exit code 5");
    fails_to_open(NULL, "rude", "greeting");
    fails_to_open(NULL, "old", "install both together");
}

/* Reads the numbers that the stand-in has noted. */
static size_t read_notes(unsigned long long *numbers, size_t max)
{
    struct buf b;
    size_t count = 0;
    buf_init(&b);
    if (file_read(note_path, 0, &b, NULL) == 0) {
        struct str rest = buf_str(&b), line;
        while (count < max && str_split(&rest, '\n', &line) && line.len)
            numbers[count++] = strtoull(line.p, NULL, 10);
    }
    buf_done(&b);
    return count;
}

static void acknowledge(struct rig *r, const struct seen *s)
{
    (void)s;
    engine_ack(r->engine);
}

static void every_record_is_acknowledged_but_lazily(void **state)
{
    (void)state;
    struct rig r;
    unsigned long long acks[4096];
    open_with(&r, "");
    r.on_seen = acknowledge;
    for (uint64_t i = 0; i < 200; i++)
        rig_submit(&r, i, 1, "x");
    run_until_over(&r, 200);
    assert_int_equal(rig_count(&r, RECORD_STARTING), 200);
    engine_ack(r.engine);
    rig_close(&r);
    size_t count = read_notes(acks, 4096);
    assert_true(count > 0 && count < 200);
    for (size_t i = 1; i < count; i++)
        assert_true(acks[i] > acks[i - 1]);
    /* HELLO, and two for every task. */
    assert_int_equal(acks[count - 1], 401);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static bool noted(struct rig *r)
{
    (void)r;
    return file_exists(note_path);
}

static void an_acknowledgement_waits_a_second_at_most(void **state)
{
    (void)state;
    struct rig r;
    unsigned long long acks[8];
    open_with(&r, "");
    rig_submit(&r, 1, 1, "x");
    run_until_over(&r, 1);
    engine_ack(r.engine);
    rig_look(&r, true);
    rig_run(&r, noted);
    rig_look(&r, false);
    assert_int_equal(read_notes(acks, 8), 1);
    assert_int_equal(acks[0], 3);
    rig_done(&r);
}

/* Were they acknowledged after a second each, this would take eight. */
static void large_records_are_acknowledged_at_once(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "heavy");
    r.on_seen = acknowledge;
    int64_t began = clock_mono_ns();
    rig_submit(&r, 1, 1, "x");
    run_until_over(&r, 1);
    assert_int_equal(rig_count(&r, RECORD_METRICS), 8);
    assert_true(clock_mono_ns() - began < 7500000000);
    rig_close(&r);
    rig_done(&r);
}

static void try_again(struct rig *r, const struct seen *s)
{
    if (s->type == RIG_LOST)
        rig_submit(r, s->task, s->attempt + 1, "x");
}

static bool faulted(struct rig *r)
{
    return r->faults > 0;
}

static void a_worker_that_keeps_dying_is_a_fault(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "die");
    r.on_seen = try_again;
    rig_submit(&r, 1, 1, "x");
    rig_run(&r, faulted);
    assert_int_equal(r.faults, 1);
    assert_int_equal(r.lost, 10);
    for (size_t i = 0; i < r.seen.len; i++)
        if (r.seen.p[i].type == RIG_LOST)
            assert_true(r.seen.p[i].started);
    assert_non_null(strstr(r.fault.text, "exit code 7"));
    /* The eleventh attempt waits in the queue. */
    r.on_seen = NULL;
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    const struct seen *s = rig_find(&r, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_UNSTARTED);
    assert_int_equal(s->attempt, 11);
    rig_done(&r);
}

/* A process that has just been started has no environment yet for a moment;
 * the worker's greeting makes another round. */
static bool one_lives(struct rig *r)
{
    return rig_processes(r) == 1;
}

static void damaged_records_end_the_worker(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "garbage");
    rig_submit(&r, 1, 1, "x");
    run_until_over(&r, 1);
    const struct seen *s = rig_find(&r, RIG_LOST, 1);
    assert_false(s->started);
    assert_non_null(strstr(s->text, "damaged"));
    /* A new one has been started. */
    rig_run(&r, one_lives);
    assert_int_equal(r.faults, 0);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static bool both_begun(struct rig *r)
{
    return rig_count(r, RECORD_STARTING) == 2;
}

static bool one_has_begun(struct rig *r)
{
    return rig_count(r, RECORD_STARTING) == 1;
}

static void stop_worker(struct rig *r)
{
    rig_submit(r, 1, 1, "x");
    rig_run(r, one_has_begun);
    assert_int_equal(kill(rig_process(r), SIGSTOP), 0);
}

static void a_stopped_worker_is_ended_and_another_takes_its_place(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.silence_s = 1;
    reopen_with(&r, "hold");
    stop_worker(&r);
    engine_kill_task(r.engine, 1, OUTCOME_KILLED);
    run_until_over(&r, 1);
    const struct seen *s = rig_find(&r, RIG_LOST, 1);
    assert_true(s->started);
    assert_non_null(strstr(s->text, "did not answer"));
    assert_int_equal(r.faults, 0);
    rig_submit(&r, 2, 1, "x");
    r.context = (void *)(uintptr_t)2;
    rig_run(&r, both_begun);
    rig_done(&r);
}

static void who_ends_the_run_waits_for_no_stopped_worker(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "hold");
    stop_worker(&r);
    int64_t began = clock_mono_ns();
    engine_quit(r.engine, true);
    rig_run(&r, rig_idle);
    assert_int_equal(r.lost, 1);
    /* Far from the minute after which it would be ended without haste. */
    assert_true(clock_mono_ns() - began < 50000000000);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static void an_abandoned_worker_is_ended_at_once(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "hold");
    rig_submit(&r, 1, 1, "x");
    rig_run(&r, one_has_begun);
    engine_quit(r.engine, false);
    engine_abandon(r.engine);
    rig_run(&r, rig_idle);
    assert_int_equal(r.lost, 1);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

/* The worker has heard that it shall quit, and answers questions all the same:
 * a task of its own may sit in a call that cannot be ended. */
static void a_worker_that_does_not_quit_in_haste_is_ended(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "deaf");
    rig_submit(&r, 1, 1, "x");
    rig_run(&r, one_has_begun);
    int64_t began = clock_mono_ns();
    engine_quit(r.engine, true);
    engine_hurry(r.engine);
    rig_run(&r, rig_idle);
    assert_int_equal(r.lost, 1);
    assert_true(clock_mono_ns() - began < 50000000000);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static void a_restarted_worker_that_never_says_hello_is_a_fault(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r);
    r.silence_s = 0.2;
    reopen_with(&r, "mute");
    r.on_seen = try_again;
    rig_submit(&r, 1, 1, "x");
    rig_run(&r, faulted);
    assert_non_null(strstr(r.fault.text, "did not say hello"));
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

/* HELLO, STARTING, and the answer to the first question. */
static bool answers_are_acknowledged(struct rig *r)
{
    unsigned long long acks[4096];
    (void)r;
    size_t count = read_notes(acks, 4096);
    return count && acks[count - 1] >= 3;
}

static void a_worker_that_answers_is_left_alone(void **state)
{
    (void)state;
    struct rig r;
    unsigned long long acks[4096];
    rig_init(&r);
    r.silence_s = 20;
    reopen_with(&r, "hold");
    rig_submit(&r, 1, 1, "x");
    rig_run(&r, one_has_begun);
    engine_ack(r.engine);
    rig_look(&r, true);
    rig_run(&r, answers_are_acknowledged);
    rig_look(&r, false);
    assert_true(read_notes(acks, 4096) > 1);
    assert_int_equal(r.lost, 0);
    rig_done(&r);
}

static void stop_and_kill_reach_the_worker(void **state)
{
    (void)state;
    struct rig r;
    open_with(&r, "hold");
    rig_submit(&r, 1, 1, "x");
    rig_submit(&r, 2, 1, "x");
    rig_run(&r, both_begun);
    engine_stop_task(r.engine, 1);
    engine_kill_task(r.engine, 2, OUTCOME_KILLED);
    run_until_over(&r, 2);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_STOPPED);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 2)->ended.outcome,
                     OUTCOME_KILLED);
    rig_done(&r);
}

static void closing_with_tasks_lets_the_worker_speak_its_last(void **state)
{
    (void)state;
    struct rig r;
    unsigned long long tasks;
    open_with(&r, "last");
    rig_submit(&r, 1, 1, "x");
    rig_submit(&r, 2, 1, "x");
    rig_run(&r, both_begun);
    rig_close(&r);
    assert_int_equal(r.lost + r.ended, 0);
    assert_int_equal(read_notes(&tasks, 1), 1);
    assert_int_equal(tasks, 2);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static pid_t spawn_kin(bool session)
{
    const char *argv[] = {"/bin/sleep", "1000", NULL};
    struct spawn s = {.argv = argv,
                      .in = -1,
                      .out = -1,
                      .err = -1,
                      .keep_fd = -1,
                      .session = session};
    struct process_id id;
    assert_int_equal(process_spawn(&s, &id, NULL), 0);
    return id.pid;
}

/* When a task is reported lost its processes must be gone already. */
static void orphans_are_gone(struct rig *r, const struct seen *s)
{
    unsigned long long pids[8];
    (void)r;
    if (s->type != RIG_LOST)
        return;
    assert_int_equal(read_notes(pids, 8), 2);
    assert_int_equal(kill((pid_t)pids[0], 0), -1);
    assert_int_equal(kill((pid_t)pids[1], 0), -1);
}

static void what_a_dead_worker_leaves_is_ended_before_it_is_told(void **state)
{
    (void)state;
    struct rig r;
    pid_t before = spawn_kin(true);
    open_with(&r, "orphan");
    pid_t after = spawn_kin(false);
    r.on_seen = orphans_are_gone;
    rig_submit(&r, 1, 1, "x");
    rig_submit(&r, 2, 1, "x");
    run_until_over(&r, 2);
    assert_int_equal(r.lost, 2);
    assert_int_equal(kill(before, SIGKILL), 0);
    assert_int_equal(kill(after, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(before, &status, 0), before);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(waitpid(after, &status, 0), after);
    rig_done(&r);
}

/* More text than the socket takes at once, while nobody runs the loop. */
static void large_tasks_are_written_in_pieces(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    size_t len = 4u << 20;
    open_with(&r, "");
    char *big = arena_alloc(r.arena, len);
    memset(big, 'y', len);
    for (uint64_t i = 0; i < 4; i++) {
        rig_task(&r, &t, i, 1, "x");
        struct task_file file = {STR("input"), str_n(big, len)};
        t.files = &file;
        t.file_count = 1;
        assert_int_equal(engine_submit(r.engine, &t, NULL), 0);
    }
    run_until_over(&r, 4);
    assert_int_equal(r.ended, 4);
    rig_done(&r);
}

static void a_task_that_is_too_large_is_refused(void **state)
{
    (void)state;
    struct rig r;
    struct task t;
    struct err err = {0};
    size_t len = 17u << 20;
    open_with(&r, "");
    char *big = arena_alloc(r.arena, len);
    memset(big, 'y', len);
    rig_task(&r, &t, 1, 1, "x");
    struct task_file file = {STR("input"), str_n(big, len)};
    t.files = &file;
    t.file_count = 1;
    assert_int_equal(engine_submit(r.engine, &t, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_cannot_run_is_an_error_at_once),
        cmocka_unit_test(every_record_is_acknowledged_but_lazily),
        cmocka_unit_test(an_acknowledgement_waits_a_second_at_most),
        cmocka_unit_test(large_records_are_acknowledged_at_once),
        cmocka_unit_test(a_worker_that_keeps_dying_is_a_fault),
        cmocka_unit_test(damaged_records_end_the_worker),
        cmocka_unit_test(a_stopped_worker_is_ended_and_another_takes_its_place),
        cmocka_unit_test(who_ends_the_run_waits_for_no_stopped_worker),
        cmocka_unit_test(an_abandoned_worker_is_ended_at_once),
        cmocka_unit_test(a_worker_that_does_not_quit_in_haste_is_ended),
        cmocka_unit_test(a_restarted_worker_that_never_says_hello_is_a_fault),
        cmocka_unit_test(a_worker_that_answers_is_left_alone),
        cmocka_unit_test(stop_and_kill_reach_the_worker),
        cmocka_unit_test(closing_with_tasks_lets_the_worker_speak_its_last),
        cmocka_unit_test(what_a_dead_worker_leaves_is_ended_before_it_is_told),
        cmocka_unit_test(large_tasks_are_written_in_pieces),
        cmocka_unit_test(a_task_that_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
