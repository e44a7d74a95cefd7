/* Place local with the real throng-worker. */
#include "rig.h"
#include "../given.h"
#include "engine/mark.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool have_worker(struct rig *r)
{
    const char *worker = given("THRONG_WORKER");
    if (access(worker, X_OK)) {
        print_message("skipped: there is no throng-worker at %s\n", worker);
        return false;
    }
    rig_init(r);
    r->worker = worker;
    return true;
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

static bool two_run(struct rig *r)
{
    return rig_count(r, RECORD_STARTED) == 2;
}

static enum outcome outcome_of(struct rig *r, uint64_t task)
{
    const struct seen *s = rig_find(r, RECORD_ENDED, task);
    assert_non_null(s);
    return s->ended.outcome;
}

static void two_hundred_tasks_end_well(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    rig_open(&r, "local");
    for (uint64_t i = 0; i < 200; i++)
        rig_submit(&r, i, 1, "/bin/true");
    run_until_over(&r, 200);
    for (uint64_t i = 0; i < 200; i++) {
        const struct seen *starting = rig_find(&r, RECORD_STARTING, i);
        const struct seen *started = rig_find(&r, RECORD_STARTED, i);
        const struct seen *ended = rig_find(&r, RECORD_ENDED, i);
        assert_true(starting && started && ended);
        assert_true(starting < started && started < ended);
        assert_int_equal(ended->ended.outcome, OUTCOME_DONE);
    }
    engine_ack(r.engine);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static void ends_are_told_apart(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    rig_open(&r, "local");
    rig_submit(&r, 1, 1, "/bin/false");
    rig_submit(&r, 2, 1, "/nowhere/at/all");
    rig_submit(&r, 3, 1, "/bin/true");
    run_until_over(&r, 3);
    assert_int_equal(outcome_of(&r, 1), OUTCOME_FAILED);
    assert_int_equal(rig_find(&r, RECORD_ENDED, 1)->ended.exit_code, 1);
    assert_int_equal(outcome_of(&r, 2), OUTCOME_SPAWN);
    assert_int_equal(outcome_of(&r, 3), OUTCOME_DONE);
    rig_done(&r);
}

/* The worker is our child and carries the mark; 0: none lives now. */
static pid_t worker_pid(const struct rig *r)
{
    struct process_table t = {0};
    struct mark mark = {r->folder, RIG_EPOCH};
    pid_t pid = 0;
    assert_int_equal(process_table_read(&t, NULL), 0);
    for (size_t i = 0; i < t.rows.len; i++)
        if (t.rows.p[i].parent == getpid() && t.rows.p[i].state != 'Z' &&
            mark_role_of(t.rows.p[i].pid, &mark) == MARK_WORKER)
            pid = t.rows.p[i].pid;
    process_table_done(&t);
    return pid;
}

static void kill_worker(const struct rig *r)
{
    pid_t pid = worker_pid(r);
    assert_true(pid > 0);
    kill(pid, SIGKILL);
}

static char *stray_path(struct rig *r)
{
    return path_join(r->arena, r->folder, "stray");
}

/* The pid that a task has written down, or 0. */
static pid_t stray_pid(struct rig *r)
{
    struct buf b;
    long pid = 0;
    buf_init(&b);
    if (file_read(stray_path(r), 0, &b, NULL) == 0)
        pid = strtol(b.p, NULL, 10);
    buf_done(&b);
    return (pid_t)pid;
}

/* When a loss is told no process is left, not even one that hides. */
static void nothing_is_left(struct rig *r, const struct seen *s)
{
    if (s->type != RIG_LOST)
        return;
    assert_int_equal(rig_processes(r), 0);
    assert_int_equal(kill(stray_pid(r), 0), -1);
}

static bool stray_runs(struct rig *r)
{
    return two_run(r) && stray_pid(r) > 0;
}

static void submit_shell(struct rig *r, uint64_t id, const char *script)
{
    struct task t;
    struct arg argv[] = {{ARG_TEXT, STR("/bin/sh")},
                         {ARG_TEXT, STR("-c")},
                         {ARG_TEXT, str_of(script)}};
    struct err err = {0};
    rig_task(r, &t, id, 1, "");
    t.argv = argv;
    t.argc = 3;
    if (engine_submit(r->engine, &t, &err))
        fail_msg("%s", err.text);
}

static void a_killed_worker_loses_its_tasks_and_is_replaced(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    r.parallel = 2;
    rig_open(&r, "local");
    /* One with a child, one whose grandchild runs from everything. */
    submit_shell(&r, 1, "sleep 1000; true");
    submit_shell(&r, 2,
                 arena_printf(r.arena,
                              "env -i setsid sh -c 'echo $$ > %s; exec sleep "
                              "1000' & sleep 1000; true",
                              stray_path(&r)));
    rig_submit(&r, 3, 1, "/bin/true");
    rig_look(&r, true);
    rig_run(&r, stray_runs);
    rig_look(&r, false);
    r.on_seen = nothing_is_left;
    kill_worker(&r);
    run_until_over(&r, 3);
    assert_int_equal(r.lost, 2);
    assert_true(rig_find(&r, RIG_LOST, 1)->started);
    assert_true(rig_find(&r, RIG_LOST, 2)->started);
    assert_non_null(strstr(rig_find(&r, RIG_LOST, 1)->text, "signal 9"));
    /* The third never left the queue and ran at the new worker. */
    assert_int_equal(outcome_of(&r, 3), OUTCOME_DONE);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

static bool one_ended(struct rig *r)
{
    return r->ended == 1;
}

/* Tasks of different needs are sent to the worker though they do not fit, so
 * that it can choose: 1 and 2 run, 3 to 6 wait there. */
static void open_with_waiting_tasks(struct rig *r)
{
    struct task t;
    r->parallel = 2;
    rig_open(r, "local");
    for (uint64_t i = 1; i <= 6; i++) {
        rig_task(r, &t, i, 1, "/bin/sleep 1000");
        t.needs.cpus = i % 2 ? 1 : 1.5;
        assert_int_equal(engine_submit(r->engine, &t, NULL), 0);
    }
    rig_run(r, two_run);
}

static void a_task_that_never_began_is_lost_as_such(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    open_with_waiting_tasks(&r);
    kill_worker(&r);
    run_until_over(&r, 6);
    assert_int_equal(r.lost, 6);
    for (uint64_t i = 1; i <= 6; i++)
        assert_int_equal(rig_find(&r, RIG_LOST, i)->started, i <= 2);
    rig_done(&r);
}

static void stop_and_kill_end_tasks(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    open_with_waiting_tasks(&r);
    engine_kill_task(r.engine, 1, OUTCOME_KILLED);
    engine_stop_task(r.engine, 2);
    for (uint64_t i = 3; i <= 6; i++)
        engine_kill_task(r.engine, i, OUTCOME_DIVERGED);
    run_until_over(&r, 6);
    assert_int_equal(outcome_of(&r, 1), OUTCOME_KILLED);
    assert_int_equal(outcome_of(&r, 2), OUTCOME_STOPPED);
    for (uint64_t i = 3; i <= 6; i++)
        assert_int_equal(outcome_of(&r, i), OUTCOME_UNSTARTED);
    rig_done(&r);
}

static void quit_drains(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    r.parallel = 2;
    rig_open(&r, "local");
    rig_submit(&r, 100, 1, "/bin/true");
    rig_run(&r, one_ended);
    for (uint64_t i = 1; i <= 50; i++)
        rig_submit(&r, i, 1, "/bin/sleep 0.3");
    r.seen.len = 0;
    rig_run(&r, two_run);
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    assert_int_equal(r.ended, 51);
    for (uint64_t i = 1; i <= 50; i++)
        assert_int_equal(outcome_of(&r, i), rig_find(&r, RECORD_STARTED, i)
                                                ? OUTCOME_DONE
                                                : OUTCOME_UNSTARTED);
    assert_true(rig_count(&r, RECORD_STARTED) < 50);
    engine_ack(r.engine);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    assert_false(file_exists(path_join(r.arena, r.folder, "last-words")));
    rig_done(&r);
}

static bool at_once(struct rig *r)
{
    (void)r;
    return true;
}

/* The tasks begin while nobody listens, so that the engine believes that
 * they wait at the worker when it asks for them back. */
static void quit_does_not_end_what_began_unheard(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    r.parallel = 2;
    rig_open(&r, "local");
    rig_submit(&r, 1, 1, "/bin/sleep 3");
    rig_submit(&r, 2, 1, "/bin/sleep 3");
    rig_run(&r, at_once);
    while (rig_processes(&r) < 3)
        ;
    assert_int_equal(r.seen.len, 0);
    engine_quit(r.engine, false);
    rig_run(&r, rig_idle);
    assert_int_equal(outcome_of(&r, 1), OUTCOME_DONE);
    assert_int_equal(outcome_of(&r, 2), OUTCOME_DONE);
    rig_done(&r);
}

static void quit_with_kill_interrupts(void **state)
{
    (void)state;
    struct rig r;
    if (!have_worker(&r))
        skip();
    open_with_waiting_tasks(&r);
    engine_quit(r.engine, true);
    rig_run(&r, rig_idle);
    for (uint64_t i = 1; i <= 6; i++)
        assert_int_equal(outcome_of(&r, i),
                         i <= 2 ? OUTCOME_INTERRUPTED : OUTCOME_UNSTARTED);
    rig_done(&r);
}

/* ---- the worker dies at any moment -------------------------------------- */

#define CHAOS_TASKS 60
#define CHAOS_KILLS 20
#define CHAOS_ATTEMPTS 200

struct chaos {
    struct rig *rig;
    struct loop_source *timer;
    unsigned kills, step;
    size_t done, ended_before;
    char side[160];
    bool begun[CHAOS_TASKS][CHAOS_ATTEMPTS];
    bool over[CHAOS_TASKS];
};

static void chaos_submit(struct chaos *c, uint64_t id, uint32_t attempt)
{
    struct task t;
    char script[400];
    snprintf(script, sizeof script,
             "echo %u %u >> %s; sleep 0.0%u; sleep 1000 & exit 0", (unsigned)id,
             (unsigned)attempt, c->side, (unsigned)(id % 4));
    struct arg argv[] = {{ARG_TEXT, STR("/bin/sh")},
                         {ARG_TEXT, STR("-c")},
                         {ARG_TEXT, str_of(script)}};
    assert_true(attempt < CHAOS_ATTEMPTS);
    rig_task(c->rig, &t, id, attempt, "");
    t.argv = argv;
    t.argc = 3;
    assert_int_equal(engine_submit(c->rig->engine, &t, NULL), 0);
}

static void chaos_seen(struct rig *r, const struct seen *s)
{
    struct chaos *c = r->context;
    bool *begun = &c->begun[s->task][s->attempt];
    if (s->type == RECORD_STARTING) {
        assert_false(*begun);
        *begun = true;
    } else if (s->type == RECORD_ENDED) {
        assert_true(*begun && !c->over[s->task]);
        assert_int_equal(s->ended.outcome, OUTCOME_DONE);
        c->over[s->task] = true;
        c->done++;
    } else if (s->type == RIG_LOST) {
        assert_int_equal(s->started, *begun);
        assert_int_equal(rig_processes(r), 0);
        chaos_submit(c, s->task, s->attempt + (s->started ? 1 : 0));
    }
    engine_ack(r->engine);
}

/* Kills the worker, later each time, but only when a task has ended since
 * the last kill, so that there is an end to it. */
static void chaos_kill(void *context)
{
    struct chaos *c = context;
    pid_t pid = worker_pid(c->rig);
    if (pid && c->done > c->ended_before && c->kills < CHAOS_KILLS) {
        c->ended_before = c->done;
        c->kills++;
        kill(pid, SIGKILL);
    }
    c->step = (c->step * 31 + 7) % 101;
    loop_timer_in(c->timer, c->step * 0.0005);
}

static bool chaos_over(struct rig *r)
{
    struct chaos *c = r->context;
    return c->done == CHAOS_TASKS;
}

/* Every task writes down that it has begun: each of them must have been
 * announced. */
static void check_side_file(const struct chaos *c)
{
    struct buf b;
    unsigned id, attempt, lines = 0;
    buf_init(&b);
    assert_int_equal(file_read(c->side, 0, &b, NULL), 0);
    struct str rest = buf_str(&b), line;
    for (; str_split(&rest, '\n', &line) && line.len; lines++) {
        assert_int_equal(sscanf(line.p, "%u %u", &id, &attempt), 2);
        assert_true(id < CHAOS_TASKS && attempt < CHAOS_ATTEMPTS);
        assert_true(c->begun[id][attempt]);
    }
    assert_true(lines >= CHAOS_TASKS);
    buf_done(&b);
}

static void no_start_goes_unheard_whenever_the_worker_dies(void **state)
{
    (void)state;
    struct rig r;
    static struct chaos c;
    if (!have_worker(&r))
        skip();
    c = (struct chaos){.rig = &r};
    snprintf(c.side, sizeof c.side, "%s/side", r.folder);
    r.context = &c;
    r.on_seen = chaos_seen;
    rig_open(&r, "local");
    for (uint64_t i = 0; i < CHAOS_TASKS; i++)
        chaos_submit(&c, i, 1);
    c.timer = loop_timer(r.loop, chaos_kill, &c);
    loop_timer_in(c.timer, 0);
    rig_run(&r, chaos_over);
    loop_remove(c.timer);
    assert_true(c.kills > 0);
    check_side_file(&c);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    rig_done(&r);
}

/* ---- the conductor dies ------------------------------------------------ */

struct heard {
    unsigned starting[8];
    enum outcome outcome[8];
};

static void apply(void *context, const struct record *rec)
{
    struct heard *h = context;
    struct record_ended e;
    assert_true(rec->task < 8);
    if (rec->type == RECORD_STARTING)
        h->starting[rec->task]++;
    if (rec->type != RECORD_ENDED)
        return;
    assert_int_equal(record_ended_parse(rec->payload, &e, NULL), 0);
    assert_int_equal(h->outcome[rec->task], OUTCOME_NONE);
    h->outcome[rec->task] = e.outcome;
}

static int commit(void *context)
{
    (void)context;
    return 0;
}

static void recover(struct rig *r, struct heard *h)
{
    struct err err = {0};
    *h = (struct heard){0};
    struct engine_left left = {.epoch = RIG_EPOCH};
    if (rig_recover(r, &left, apply, commit, h, &err))
        fail_msg("%s", err.text);
    assert_int_equal(rig_processes(r), 0);
    for (uint64_t i = 1; i <= 6; i++)
        assert_int_equal(h->outcome[i],
                         i <= 2 ? OUTCOME_INTERRUPTED : OUTCOME_UNSTARTED);
}

/* A process that runs an engine until it is killed; says so on the pipe. */
static void conduct(struct rig *r, int ready)
{
    open_with_waiting_tasks(r);
    if (write(ready, "x", 1) == 1)
        pause();
    _exit(1);
}

static void a_killed_conductor_leaves_last_words_and_no_process(void **state)
{
    (void)state;
    struct rig r;
    struct heard h;
    int ready[2];
    char byte;
    if (!have_worker(&r))
        skip();
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0)
        conduct(&r, ready[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    recover(&r, &h);
    /* Nothing was acknowledged, so the starts are in it too. */
    assert_int_equal(h.starting[1], 1);
    assert_int_equal(h.starting[2], 1);
    assert_int_equal(h.starting[3], 0);
    rig_done(&r);
}

static void closing_with_tasks_leaves_last_words_too(void **state)
{
    (void)state;
    struct rig r;
    struct heard h;
    if (!have_worker(&r))
        skip();
    open_with_waiting_tasks(&r);
    engine_ack(r.engine);
    rig_close(&r);
    assert_int_equal(rig_processes(&r), 0);
    recover(&r, &h);
    /* The starts were acknowledged. */
    assert_int_equal(h.starting[1], 0);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hundred_tasks_end_well),
        cmocka_unit_test(ends_are_told_apart),
        cmocka_unit_test(a_killed_worker_loses_its_tasks_and_is_replaced),
        cmocka_unit_test(a_task_that_never_began_is_lost_as_such),
        cmocka_unit_test(stop_and_kill_end_tasks),
        cmocka_unit_test(quit_drains),
        cmocka_unit_test(quit_does_not_end_what_began_unheard),
        cmocka_unit_test(quit_with_kill_interrupts),
        cmocka_unit_test(no_start_goes_unheard_whenever_the_worker_dies),
        cmocka_unit_test(a_killed_conductor_leaves_last_words_and_no_process),
        cmocka_unit_test(closing_with_tasks_leaves_last_words_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
