/* test_crew.c - built-in training through a worker: who shares a process */
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define ONE_CPU "cpus=1;memory=1073741824;parallel=8"
#define ENDLESS 100000000 /* epochs: a quick machine takes 250,000 a second */

static pid_t pid_of(struct bench *b, uint64_t id)
{
    struct record_started s;
    struct err err = {0};
    struct got *g = bench_await(b, RECORD_STARTED, id);
    assert_int_equal(record_started_parse(g->payload, &s, &err), 0);
    return (pid_t)s.pid;
}

static void submit(struct bench *b, uint64_t id, uint32_t attempt)
{
    struct task t = bench_training(b, id, ENDLESS);
    t.attempt = attempt;
    bench_submit(b, &t);
}

static void members_share_one_trainer_for_each_cpu(void **state)
{
    struct bench *b = *state;
    bench_start(b, "cpus=2;memory=1073741824;parallel=8");
    for (uint64_t id = 1; id <= 4; id++)
        submit(b, id, 1);
    pid_t pids[4];
    for (uint64_t id = 1; id <= 4; id++)
        pids[id - 1] = pid_of(b, id);
    assert_int_not_equal(pids[0], pids[1]);
    assert_int_equal(pids[0], pids[2]);
    assert_int_equal(pids[1], pids[3]);
}

static void a_trainer_that_dies_loses_its_members_only(void **state)
{
    struct bench *b = *state;
    bench_start(b, "cpus=2;memory=1073741824;parallel=8");
    for (uint64_t id = 1; id <= 4; id++)
        submit(b, id, 1);
    pid_t bad = pid_of(b, 1);
    bench_await(b, RECORD_METRICS, 2);
    assert_int_equal(kill(bad, SIGKILL), 0);
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_LOST);
    assert_contains(bench_cstr(b, e.reason), "its trainer ended by signal 9");
    assert_int_equal(bench_ended(b, 3).outcome, OUTCOME_LOST);
    struct task next = bench_training(b, 5, 3);
    assert_int_equal(bench_run(b, &next).outcome, OUTCOME_DONE);
    assert_int_equal(bench_count(b, RECORD_ENDED, 2), 0);
    assert_int_equal(bench_count(b, RECORD_ENDED, 4), 0);
}

/* In a program that the process starts; one that is gone meanwhile is not. */
static bool stays_open(struct bench *b, pid_t pid, const char *fd)
{
    struct buf text;
    buf_init(&text);
    const char *path =
        arena_printf(b->arena, "/proc/%d/fdinfo/%s", (int)pid, fd);
    int rc = file_read(path, 4096, &text, NULL);
    const char *flags = rc ? NULL : strstr(text.p, "flags:");
    bool stays = flags && !(strtoul(flags + 6, NULL, 8) & O_CLOEXEC);
    buf_done(&text);
    return stays;
}

static void a_trainer_leaves_nothing_open_to_what_it_starts(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    submit(b, 1, 1);
    bench_await(b, RECORD_METRICS, 1);
    pid_t pid = pid_of(b, 1);
    const char *folder = arena_printf(b->arena, "/proc/%d/fd", (int)pid);
    const char **names = dir_list(folder, b->arena, NULL);
    assert_non_null(names);
    for (; *names; names++)
        if (strtol(*names, NULL, 10) > STDERR_FILENO)
            assert_false(stays_open(b, pid, *names));
}

/* A person may have interrupted it often. */
static void a_late_attempt_shares_a_trainer_too(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    submit(b, 1, 1);
    submit(b, 2, 2);
    submit(b, 3, 7);
    pid_t shared = pid_of(b, 1);
    assert_int_equal(pid_of(b, 2), shared);
    assert_int_equal(pid_of(b, 3), shared);
}

static void how_many_were_lost_with_their_trainer_is_told(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    for (uint64_t id = 1; id <= 3; id++)
        submit(b, id, 1);
    pid_t shared = pid_of(b, 3);
    assert_int_equal(kill(shared, SIGKILL), 0);
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(bench_ended(b, id).outcome, OUTCOME_LOST);
        assert_int_equal(bench_ended(b, id).company, 3);
    }
}

static void one_member_is_stopped_and_another_killed(void **state)
{
    struct bench *b = *state;
    char outcome = OUTCOME_KILLED;
    bench_start(b, ONE_CPU);
    for (uint64_t id = 1; id <= 3; id++)
        submit(b, id, 1);
    struct task stopped = bench_training(b, 1, 1),
                killed = bench_training(b, 2, 1);
    bench_await(b, RECORD_METRICS, 1);
    bench_send(b, RECORD_STOP, &stopped, STR(""));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_STOPPED);
    bench_send(b, RECORD_KILL, &killed, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_KILLED);
    assert_int_equal(bench_count(b, RECORD_ENDED, 3), 0);
    size_t before = bench_count(b, RECORD_METRICS, 3);
    bench_await(b, RECORD_METRICS, 3);
    assert_true(bench_count(b, RECORD_METRICS, 3) >= before);
}

/* ---- decisions --------------------------------------------------------- */

static void send_go(struct bench *b, const struct task *t, uint64_t awaits)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, awaits);
    bench_send(b, RECORD_GO, t, buf_str(&payload));
    buf_done(&payload);
}

static struct task awaiting(struct bench *b, uint64_t id, int epochs,
                            int64_t awaits)
{
    struct task t = bench_training(b, id, epochs);
    t.metric_name = STR("loss");
    t.awaits = awaits;
    return t;
}

static size_t reported(struct bench *b, uint64_t id)
{
    const char *text = bench_metric(b, id, "loss");
    size_t count = 0;
    for (; *text; text++)
        count += *text == ':';
    return count;
}

static void await_reports(struct bench *b, uint64_t id, size_t count)
{
    while (reported(b, id) < count)
        bench_await_more(b, RECORD_METRICS, id,
                         bench_count(b, RECORD_METRICS, id));
}

static void who_awaits_a_decision_pauses_while_others_go_on(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task t = awaiting(b, 1, 6, 2), other = bench_training(b, 2, ENDLESS);
    bench_submit(b, &t);
    bench_submit(b, &other);
    await_reports(b, 1, 2);
    bench_await_more(b, RECORD_METRICS, 2,
                     bench_count(b, RECORD_METRICS, 2) + 2);
    assert_int_equal(reported(b, 1), 2);
    send_go(b, &t, 5);
    await_reports(b, 1, 5);
    send_go(b, &t, 5); /* twice said: it is behind that */
    bench_await_more(b, RECORD_METRICS, 2,
                     bench_count(b, RECORD_METRICS, 2) + 2);
    assert_int_equal(reported(b, 1), 5);
    send_go(b, &t, 0);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_DONE);
    assert_int_equal(reported(b, 1), 6);
}

static void a_decision_at_the_last_epoch_is_waited_for_too(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task t = awaiting(b, 1, 2, 2), u = awaiting(b, 2, 2, 2);
    bench_submit(b, &t);
    bench_submit(b, &u);
    await_reports(b, 1, 2);
    await_reports(b, 2, 2);
    bench_send(b, RECORD_STOP, &t, STR(""));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_STOPPED);
    send_go(b, &u, 0);
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_DONE);
}

static void who_waits_for_a_decision_can_be_stopped_and_killed(void **state)
{
    struct bench *b = *state;
    char outcome = OUTCOME_KILLED;
    bench_start(b, ONE_CPU);
    struct task stopped = awaiting(b, 1, 9, 1), killed = awaiting(b, 2, 9, 1);
    struct task late = awaiting(b, 3, 9, 1);
    late.needs.time_s = 0.2;
    bench_submit(b, &stopped);
    bench_submit(b, &killed);
    bench_submit(b, &late);
    bench_await(b, RECORD_METRICS, 1);
    bench_await(b, RECORD_METRICS, 2);
    bench_send(b, RECORD_STOP, &stopped, STR(""));
    bench_send(b, RECORD_KILL, &killed, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_STOPPED);
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_KILLED);
    assert_int_equal(bench_ended(b, 3).outcome, OUTCOME_TIMED_OUT);
    assert_int_equal(reported(b, 1), 1);
}

static void without_a_conductor_nobody_waits_for_a_decision(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task t = awaiting(b, 1, 9, 1);
    bench_submit(b, &t);
    bench_await(b, RECORD_METRICS, 1);
    bench_hang_up(b);
    assert_int_equal(bench_wait(b), 0);
}

/* ---- checkpoints ------------------------------------------------------- */

/* A member that has used its budget leaves a checkpoint, from which the next
 * attempt, or a child, goes on: steps are not done again. */
static void training_goes_on_from_a_checkpoint(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task whole = bench_training(b, 1, 6),
                first = bench_training(b, 2, 6);
    struct task child = bench_training(b, 3, 6), rest = bench_training(b, 4, 6);
    first.budget = 2;
    rest.folder = first.folder;
    child.resume_from = str_of(bench_path(b, 2, "checkpoint"));
    assert_int_equal(bench_run(b, &whole).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &first).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &child).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &rest).outcome, OUTCOME_DONE);
    char *all = bench_metric(b, 1, "loss");
    assert_string_equal(bench_metric(b, 3, "loss"), strstr(all, "3:"));
    assert_string_equal(bench_metric(b, 4, "loss"), strstr(all, "3:"));
}

/* A disk may give back other bytes than it was given. */
static void a_damaged_checkpoint_is_not_gone_on_from(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task whole = bench_training(b, 1, 6),
                first = bench_training(b, 2, 6);
    struct task rest = bench_training(b, 4, 6), child = bench_training(b, 3, 6);
    first.budget = 2;
    rest.folder = first.folder;
    assert_int_equal(bench_run(b, &whole).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &first).outcome, OUTCOME_DONE);
    char *path = bench_path(b, 2, "checkpoint/checkpoint.safetensors");
    struct buf file;
    buf_init(&file);
    assert_int_equal(file_read(path, 0, &file, NULL), 0);
    file.p[file.len - 9] ^= 0x40; /* the exponent of some number */
    assert_int_equal(file_write(path, buf_str(&file), false, NULL), 0);
    buf_done(&file);
    child.resume_from = str_of(bench_path(b, 2, "checkpoint"));
    struct record_ended e = bench_run(b, &child);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_contains(bench_cstr(b, e.reason), "is damaged");
    assert_int_equal(bench_run(b, &rest).outcome, OUTCOME_DONE);
    struct got *notice = bench_await(b, RECORD_NOTICE, 4);
    assert_contains(bench_cstr(b, notice->payload), "begins anew");
    assert_string_equal(bench_metric(b, 4, "loss"), bench_metric(b, 1, "loss"));
}

static void interrupt(struct bench *b, const struct task *t)
{
    char outcome = OUTCOME_INTERRUPTED;
    bench_send(b, RECORD_KILL, t, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, t->id).outcome, OUTCOME_INTERRUPTED);
}

static void assert_same_weights(struct bench *b, uint64_t one, uint64_t other)
{
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    const char *name = "output/weights.safetensors";
    assert_int_equal(file_read(bench_path(b, one, name), 0, &x, NULL), 0);
    assert_int_equal(file_read(bench_path(b, other, name), 0, &y, NULL), 0);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.p, y.p, x.len);
    buf_done(&x);
    buf_done(&y);
}

/* It waits behind its third epoch, so that it is known where it stands. */
static void who_is_interrupted_goes_on_where_it_stood(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task whole = bench_training(b, 1, 6), cut = awaiting(b, 2, 6, 3);
    struct task rest = bench_training(b, 4, 6);
    rest.folder = cut.folder;
    rest.unheard = 4;
    assert_int_equal(bench_run(b, &whole).outcome, OUTCOME_DONE);
    bench_submit(b, &cut);
    await_reports(b, 2, 3);
    interrupt(b, &cut);
    assert_int_equal(bench_run(b, &rest).outcome, OUTCOME_DONE);
    char *all = bench_metric(b, 1, "loss");
    assert_string_equal(bench_metric(b, 4, "loss"), strstr(all, "4:"));
    assert_same_weights(b, 1, 2);
}

/* Its worker was killed before it could pass them on. */
static void what_nobody_has_heard_is_trained_again(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task whole = bench_training(b, 1, 6),
                first = bench_training(b, 2, 6);
    struct task rest = bench_training(b, 4, 6);
    first.budget = 3;
    rest.folder = first.folder;
    rest.unheard = 3;
    assert_int_equal(bench_run(b, &whole).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &first).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &rest).outcome, OUTCOME_DONE);
    assert_contains(bench_cstr(b, bench_await(b, RECORD_NOTICE, 4)->payload),
                    "reports of epoch 3 were lost");
    assert_string_equal(bench_metric(b, 4, "loss"), bench_metric(b, 1, "loss"));
}

static void who_is_killed_for_good_leaves_nothing(void **state)
{
    struct bench *b = *state;
    char outcome = OUTCOME_KILLED;
    bench_start(b, ONE_CPU);
    struct task t = bench_training(b, 1, ENDLESS);
    bench_submit(b, &t);
    bench_await(b, RECORD_METRICS, 1);
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_KILLED);
    assert_false(file_exists(bench_path(b, 1, "")));
}

/* Large enough to be prepared in the cache, where it can be seen mapped. */
static struct task training_on(struct bench *b, uint64_t id, const char *name)
{
    struct task t = bench_training(b, id, 1);
    struct buf rows;
    buf_init(&rows);
    for (int i = 0; i < 200000; i++)
        buf_addf(&rows, "%d,%d\n", i % 7, i % 2);
    assert_int_equal(file_write(path_join(b->arena, b->folder, name),
                                buf_str(&rows), false, NULL),
                     0);
    buf_done(&rows);
    t.model = str_of(
        arena_printf(b->arena,
                     "{\"layers\": [{\"dense\": 2}], \"loss\": "
                     "\"sparse_categorical_crossentropy\", \"epochs\": 1, "
                     "\"batch_size\": 10000, \"data\": {\"file\": \"%s\"}}",
                     name));
    return t;
}

static size_t sets_mapped(struct bench *b, pid_t pid)
{
    char *text =
        bench_file(b, arena_printf(b->arena, "/proc/%d/maps", (int)pid));
    size_t count = 0;
    for (char *at = text; (at = strstr(at, ".data\n")) != NULL; at++)
        count++;
    return count;
}

static void a_data_set_is_closed_when_its_last_user_has_left(void **state)
{
    struct bench *b = *state;
    const struct timespec pause = {.tv_nsec = 20000000};
    setenv("XDG_CACHE_HOME", b->folder, 1);
    bench_start(b, ONE_CPU);
    struct task first = training_on(b, 1, "a.csv");
    struct task second = training_on(b, 2, "b.csv");
    struct task third = training_on(b, 3, "a.csv");
    assert_int_equal(bench_run(b, &first).outcome, OUTCOME_DONE);
    assert_int_equal(bench_run(b, &second).outcome, OUTCOME_DONE);
    pid_t trainer = pid_of(b, 1);
    assert_true(sets_mapped(b, trainer) <= 1);
    for (int i = 0; i < 3000 && sets_mapped(b, trainer) > 0; i++)
        nanosleep(&pause, NULL);
    assert_int_equal(sets_mapped(b, trainer), 0);
    assert_int_equal(bench_run(b, &third).outcome, OUTCOME_DONE);
    assert_string_equal(bench_metric(b, 1, "loss"), bench_metric(b, 3, "loss"));
    unsetenv("XDG_CACHE_HOME");
}

/* Whoever sweeps up after a command sees a trainer that has nothing to do. */
static void a_trainer_between_two_tasks_is_no_leftover(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task first = bench_training(b, 1, 2),
                second = bench_training(b, 3, 2);
    assert_int_equal(bench_run(b, &first).outcome, OUTCOME_DONE);
    pid_t trainer = pid_of(b, 1);
    struct task command =
        bench_shell(b, 2, "setsid sleep 600 & echo $! >left; exit 0");
    assert_int_equal(bench_run(b, &command).outcome, OUTCOME_DONE);
    char *left = bench_await_file(b, bench_path(b, 2, "left"));
    assert_true(bench_gone((pid_t)strtol(left, NULL, 10), 60));
    assert_int_equal(bench_run(b, &second).outcome, OUTCOME_DONE);
    assert_int_equal(pid_of(b, 3), trainer);
}

/* ---- trainers that do not answer --------------------------------------- */

static void send_kill(struct bench *b, uint64_t id)
{
    char outcome = OUTCOME_KILLED;
    struct task t = bench_training(b, id, 1);
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
}

/* As a stalled disk, or a loop without an end, would do it: two members of one
 * trainer that neither reads nor trains. Returns its process. */
static pid_t stuck_trainer(struct bench *b, double time_s)
{
    bench_start(b, ONE_CPU);
    for (uint64_t id = 1; id <= 2; id++) {
        struct task t = bench_training(b, id, ENDLESS);
        t.grace_s = 0.1;
        t.needs.time_s = id == 1 ? time_s : 0;
        bench_submit(b, &t);
    }
    pid_t trainer = pid_of(b, 1);
    assert_int_equal(pid_of(b, 2), trainer);
    assert_int_equal(kill(trainer, SIGSTOP), 0);
    return trainer;
}

static void others_go_on_without(struct bench *b, pid_t trainer)
{
    struct record_ended e = bench_ended(b, 2);
    assert_int_equal(e.outcome, OUTCOME_LOST);
    assert_contains(bench_cstr(b, e.reason), "its trainer did not answer");
    assert_true(bench_gone(trainer, 60));
    struct task next = bench_training(b, 3, 3);
    assert_int_equal(bench_run(b, &next).outcome, OUTCOME_DONE);
}

static void a_kill_that_is_not_answered_ends_the_trainer(void **state)
{
    struct bench *b = *state;
    pid_t trainer = stuck_trainer(b, 0);
    send_kill(b, 1);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_KILLED);
    others_go_on_without(b, trainer);
}

static void a_stop_that_is_not_answered_ends_the_trainer(void **state)
{
    struct bench *b = *state;
    pid_t trainer = stuck_trainer(b, 0);
    struct task asked = bench_training(b, 1, 1);
    bench_send(b, RECORD_STOP, &asked, STR(""));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_STOPPED);
    others_go_on_without(b, trainer);
}

static void a_time_limit_holds_for_a_trainer_that_does_not_answer(void **state)
{
    struct bench *b = *state;
    pid_t trainer = stuck_trainer(b, 0.5);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_TIMED_OUT);
    others_go_on_without(b, trainer);
}

static void without_a_conductor_a_stuck_trainer_ends(void **state)
{
    struct bench *b = *state;
    pid_t trainer = stuck_trainer(b, 0);
    bench_hang_up(b);
    bench_wait(b);
    assert_true(bench_gone(trainer, 1));
}

static void without_a_worker_a_stuck_trainer_ends(void **state)
{
    struct bench *b = *state;
    pid_t trainer = stuck_trainer(b, 0);
    assert_int_equal(kill(b->pid, SIGKILL), 0);
    bench_wait(b);
    assert_true(bench_gone(trainer, 60));
}

/* One epoch of it is longer than a test waits. */
static struct task slow_training(struct bench *b, uint64_t id)
{
    struct task t = bench_training(b, id, 1);
    char *path = arena_printf(b->arena, "%s/slow.csv", b->folder);
    struct buf rows;
    buf_init(&rows);
    for (int i = 0; i < 100000; i++)
        buf_addf(&rows, "%d,%d\n", i % 7, i % 2);
    assert_int_equal(file_write(path, buf_str(&rows), false, NULL), 0);
    buf_done(&rows);
    t.model = STR("{\"layers\": [{\"dense\": 1200}, {\"dense\": 1200}, "
                  "{\"dense\": 2}], \"loss\": "
                  "\"sparse_categorical_crossentropy\", \"epochs\": 1000, "
                  "\"batch_size\": 1, \"data\": {\"file\": \"slow.csv\"}}");
    return t;
}

/* Members and newcomers alike are ended while another's epoch goes on. */
static void a_long_epoch_keeps_nobody_else_from_being_ended(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    struct task first = bench_training(b, 1, ENDLESS),
                slow = slow_training(b, 2);
    struct task third = bench_training(b, 3, ENDLESS);
    first.grace_s = third.grace_s = 1000;
    bench_submit(b, &first);
    bench_await(b, RECORD_METRICS, 1);
    bench_submit(b, &slow);
    bench_submit(b, &third);
    pid_t trainer = pid_of(b, 2);
    assert_int_equal(pid_of(b, 3), trainer);
    send_kill(b, 1);
    send_kill(b, 3);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_KILLED);
    assert_int_equal(bench_ended(b, 3).outcome, OUTCOME_KILLED);
    assert_int_equal(bench_count(b, RECORD_ENDED, 2), 0);
}

/* ---- what a trainer said before it died --------------------------------- */

static bool is_waiting(const char *text)
{
    char *end;
    long call = strtol(text, &end, 10);
#ifdef SYS_poll
    if (end != text && call == SYS_poll)
        return true;
#endif
    return end != text && (call == SYS_recvfrom || call == SYS_ppoll);
}

/* True: it waits for its next task, so that everything is said. False: that
 * cannot be seen here. */
static bool await_idle(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
    for (int64_t end = clock_mono_ns() + 60000000000ll;;) {
        FILE *f = fopen(path, "r");
        bool read = f && fgets(text, sizeof text, f);
        if (f)
            fclose(f);
        if (!read || clock_mono_ns() > end)
            return false;
        if (is_waiting(text))
            return true;
        nanosleep(&pause, NULL);
    }
}

static void what_a_trainer_said_before_it_died_is_not_lost(void **state)
{
    struct bench *b = *state;
    bench_start(b, ONE_CPU);
    for (uint64_t id = 1; id <= 2; id++) {
        struct task t = bench_training(b, id, 2000);
        bench_submit(b, &t);
    }
    pid_t trainer = pid_of(b, 1);
    assert_int_equal(pid_of(b, 2), trainer);
    assert_int_equal(kill(b->pid, SIGSTOP), 0);
    bool idle = await_idle(trainer);
    kill(trainer, SIGKILL);
    assert_int_equal(kill(b->pid, SIGCONT), 0);
    if (!idle) {
        print_message("what a process waits for cannot be seen here\n");
        skip();
    }
    for (uint64_t id = 1; id <= 2; id++) {
        assert_int_equal(bench_ended(b, id).outcome, OUTCOME_DONE);
        assert_contains(bench_metric(b, id, "loss"), "2000:");
    }
}

static void how_the_time_of_a_member_goes_is_said_while_it_trains(void **state)
{
    struct bench *b = *state;
    struct record_use u;
    bench_start(b, "cpus=1;memory=1073741824;parallel=8");
    submit(b, 1, 1);
    struct got *g = bench_await(b, RECORD_USE, 1);
    assert_int_equal(record_use_parse(g->payload, &u, NULL), 0);
    assert_string_equal(u.use.device, "cpu");
    assert_true(u.seconds >= 5 && u.cpu_seconds > 0);
    assert_true(u.use.spent[SPENT_COMPUTING] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(members_share_one_trainer_for_each_cpu),
        with_bench(a_trainer_that_dies_loses_its_members_only),
        with_bench(a_trainer_leaves_nothing_open_to_what_it_starts),
        with_bench(a_late_attempt_shares_a_trainer_too),
        with_bench(how_many_were_lost_with_their_trainer_is_told),
        with_bench(one_member_is_stopped_and_another_killed),
        with_bench(who_awaits_a_decision_pauses_while_others_go_on),
        with_bench(a_decision_at_the_last_epoch_is_waited_for_too),
        with_bench(who_waits_for_a_decision_can_be_stopped_and_killed),
        with_bench(without_a_conductor_nobody_waits_for_a_decision),
        with_bench(training_goes_on_from_a_checkpoint),
        with_bench(a_damaged_checkpoint_is_not_gone_on_from),
        with_bench(who_is_interrupted_goes_on_where_it_stood),
        with_bench(what_nobody_has_heard_is_trained_again),
        with_bench(who_is_killed_for_good_leaves_nothing),
        with_bench(a_data_set_is_closed_when_its_last_user_has_left),
        with_bench(a_trainer_between_two_tasks_is_no_leftover),
        with_bench(a_kill_that_is_not_answered_ends_the_trainer),
        with_bench(a_stop_that_is_not_answered_ends_the_trainer),
        with_bench(a_time_limit_holds_for_a_trainer_that_does_not_answer),
        with_bench(without_a_conductor_a_stuck_trainer_ends),
        with_bench(without_a_worker_a_stuck_trainer_ends),
        with_bench(a_long_epoch_keeps_nobody_else_from_being_ended),
        with_bench(what_a_trainer_said_before_it_died_is_not_lost),
        with_bench(how_the_time_of_a_member_goes_is_said_while_it_trains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
