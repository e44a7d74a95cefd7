/* attempt.c - one task on its way through this worker */
#include "worker/attempt.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/crew.h"
#include "worker/kind.h"
#include "worker/worker.h"

#define MS 1000000ll
#define LOOK_LEAST_NS (20 * MS)
#define LOOK_MOST_NS (50 * MS) /* a flood fills the disk until the next one */
#define LEFTOVERS_NS (2000 * MS)
#define KILL_AGAIN_NS (1000 * MS)
#define ANSWER_NS (2000 * MS) /* that a trainer has at least */
#define CENSUS_FRESH_NS (50 * MS)
#define SPARE_MAX 64

/* ---- beginning ------------------------------------------------------- */

static struct attempt *blank(struct worker *w)
{
    struct attempt *a;
    struct arena *arena;
    if (w->spare.len > 0) {
        a = w->spare.p[--w->spare.len];
        arena = a->arena;
    } else {
        a = xmalloc(sizeof *a);
        arena = arena_new();
    }
    memset(a, 0, sizeof *a);
    a->worker = w;
    a->arena = arena;
    a->serial = OWNER_FIRST + w->serial++;
    folder_init(&a->folder, w->study.path);
    metrics_init(&a->metrics);
    tail_init(&a->output.tail, -1, 0);
    return a;
}

struct attempt *attempt_new(struct worker *w, struct str text, struct err *err)
{
    struct attempt *a = blank(w);
    if (task_parse(&a->task, text, a->arena, err) != 0) {
        attempt_free(a);
        return NULL;
    }
    a->grace_s = a->task.grace_s;
    return a;
}

void attempt_free(struct attempt *a)
{
    if (!a)
        return;
    struct worker *w = a->worker;
    crew_forget(a);
    metrics_done(&a->metrics);
    folder_close(&a->folder, false, NULL, 0);
    if (w->spare.len < SPARE_MAX) {
        arena_reset(a->arena);
        vec_push(&w->spare, a);
        return;
    }
    arena_free(a->arena);
    free(a);
}

static void say_started(struct attempt *a)
{
    struct record_started s = {.pid = (uint64_t)a->process.pid,
                               .pid_start = a->process.start,
                               .wall = a->started_wall,
                               .boot_id = str_of(process_boot_id()),
                               .host = str_of(a->worker->host)};
    struct buf *b = &a->worker->payload;
    buf_reset(b);
    record_started_print(b, &s);
    worker_say(a, RECORD_STARTED, buf_str(b));
}

static int64_t after(int64_t now_ns, double seconds)
{
    return now_ns + (int64_t)(seconds * 1e9);
}

static void now_runs(struct attempt *a)
{
    a->phase = ATTEMPT_RUNNING;
    a->interval_ns = LOOK_LEAST_NS;
    a->due_ns = a->started_ns + (a->trainer ? 1000 * MS : LOOK_LEAST_NS);
    if (a->task.needs.time_s > 0)
        a->limit_ns = after(a->started_ns, a->task.needs.time_s);
    if (!a->trainer)
        cgroup_enter(a);
    say_started(a);
    worker_wake(a->worker, attempt_next_ns(a));
}

/* True when the machine is short of something, or a folder is still written
 * by another, which passes: the task is not to blame and may be tried again.
 * err_errno leaves errno as it was. */
static bool is_shortage(const struct err *err, int error)
{
    static const int shortages[] = {EMFILE, ENFILE, EAGAIN, ENOMEM};
    if (err->kind == ERR_FULL || err->kind == ERR_BUSY)
        return true;
    for (size_t i = 0; i < sizeof shortages / sizeof *shortages; i++)
        if (err->kind == ERR_SYSTEM && error == shortages[i])
            return true;
    return false;
}

/* Leaves errno as process_spawn does. */
static int spawn_leader(struct attempt *a, struct spawn *s, struct err *err)
{
    struct leaders *leaders = &a->worker->leaders;
    s->leaders = leaders;
    s->leader_place = a->leader_place = leaders_take(leaders);
    errno = 0;
    if (process_spawn(s, &a->process, err) == 0)
        return 0;
    int error = errno;
    leaders_give_back(leaders, a->leader_place);
    errno = error;
    return -1;
}

/* Takes in what the attempt before left unread. A trainer leaves nothing. */
static int only_read(struct attempt *a, const struct kind *kind,
                     struct err *err)
{
    if (!kind->take) {
        if (folder_open(&a->folder, &a->task, &a->worker->pool, a->arena,
                        err) != 0 ||
            output_begin(a, err) != 0)
            return -1;
        metrics_begin(a);
    }
    a->verdict = OUTCOME_STOPPED;
    return -1;
}

static int start(struct attempt *a, struct err *err)
{
    struct spawn s;
    const struct kind *kind = kind_find(a->task.kind, err);
    if (!kind)
        return -1;
    if (a->task.only_read)
        return only_read(a, kind, err);
    /* What has no process of its own makes files when it has some to write. */
    bool wants_folder =
        !kind->take || a->task.resume_from.len || a->task.copy_of.len;
    if (wants_folder &&
        folder_open(&a->folder, &a->task, &a->worker->pool, a->arena, err) != 0)
        return -1;
    if (kind->take) {
        if (kind->take(a, err) != 0)
            return -1;
        now_runs(a);
        return 0;
    }
    if (output_begin(a, err) != 0)
        return -1;
    metrics_begin(a);
    if (kind->prepare(a, &s, err) != 0)
        return -1;
    s.mask = a->worker->task_mask;
    cgroup_begin(a);
    if (spawn_leader(a, &s, err) != 0)
        return -1;
    now_runs(a);
    return 0;
}

int attempt_start(struct attempt *a)
{
    struct err err = {0};
    a->started_wall = clock_wall();
    a->started_ns = clock_mono_ns();
    errno = 0;
    if (start(a, &err) == 0)
        return 0;
    int error = errno;
    if (a->verdict == OUTCOME_NONE)
        a->verdict =
            is_shortage(&err, error) ? OUTCOME_UNSTARTED : OUTCOME_SPAWN;
    a->reason = arena_cstr(a->arena, str_of(err.text));
    a->phase = ATTEMPT_DRAINING;
    a->status = -1;
    cgroup_end(a);
    return -1;
}

/* ---- pushing it to its end ------------------------------------------- */

/* Notes what its processes have used, by the last census: those that are
 * killed before their parent waits for them are in nobody's account. */
static void note_cpu(struct attempt *a)
{
    double seen = a->cpu_s + census_cpu_s(a->worker, a);
    if (seen > a->cpu_seen_s)
        a->cpu_seen_s = seen;
}

/* Many attempts may be ended at once, and a census is not cheap. A flood that
 * waits for its turn, or until it is read, is stopped, and would not see the
 * signal until then. */
static void terminate(struct attempt *a)
{
    struct worker *w = a->worker;
    if (clock_mono_ns() - w->census.taken_ns > CENSUS_FRESH_NS)
        census_take(w);
    note_cpu(a);
    kill(-a->process.pid, SIGTERM);
    if (a->output.held_ns > 0 || a->output.settling)
        kill(-a->process.pid, SIGCONT);
}

static void kill_everything(struct attempt *a)
{
    census_take(a->worker);
    note_cpu(a);
    kill(-a->process.pid, SIGKILL);
    census_signal(a->worker, a, SIGKILL);
}

static void push_process(struct attempt *a, enum push how)
{
    if (how == PUSH_ASKED)
        folder_ask_stop(&a->folder);
    if (how == PUSH_TERMINATED)
        terminate(a);
    if (how == PUSH_KILLED)
        kill_everything(a);
}

/* The next push kills a trainer, and others with it: however little grace
 * there is, it can answer first. */
static void push(struct attempt *a, enum push how)
{
    int64_t now = clock_mono_ns();
    a->push = how;
    a->push_ns = after(now, a->grace_s);
    if (how == PUSH_KILLED)
        a->push_ns = now + KILL_AGAIN_NS;
    else if (a->trainer && how == PUSH_TERMINATED &&
             a->push_ns < now + ANSWER_NS)
        a->push_ns = now + ANSWER_NS;
    if (a->trainer)
        crew_push(a, how);
    else
        push_process(a, how);
    worker_wake(a->worker, a->push_ns);
}

void attempt_stop(struct attempt *a)
{
    if (a->push != PUSH_NONE || a->phase != ATTEMPT_RUNNING)
        return;
    a->verdict = OUTCOME_STOPPED;
    push(a, PUSH_ASKED);
}

void attempt_end(struct attempt *a, enum outcome verdict, const char *reason,
                 enum push how)
{
    if (a->phase != ATTEMPT_RUNNING)
        return;
    bool only_asked =
        a->verdict == OUTCOME_STOPPED && verdict == OUTCOME_KILLED;
    if (a->verdict == OUTCOME_NONE || only_asked) {
        a->verdict = verdict;
        a->reason = reason;
    }
    if (a->push < how)
        push(a, how);
}

/* A process that is waited for keeps its pid, so this is the one we started. */
bool attempt_has_ended(const struct attempt *a)
{
    siginfo_t info = {0};
    if (a->phase != ATTEMPT_RUNNING)
        return true;
    if (a->trainer)
        return false;
    return waitid(P_PID, (id_t)a->process.pid, &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == a->process.pid;
}

/* ---- while it runs --------------------------------------------------- */

/* Reads its files; the more there is to read the sooner the next look. What
 * is left over from this one comes in the next round. */
static void look(struct attempt *a, int64_t now_ns)
{
    if (a->trainer) { /* its trainer reports */
        a->due_ns = now_ns + 1000 * MS;
        return;
    }
    uint64_t before = a->metrics.tail.at + output_bytes(a);
    bool all = metrics_read(a, false);
    all = output_read(a, false) && all;
    metrics_send(a);
    bool news = a->metrics.tail.at + output_bytes(a) != before;
    a->interval_ns = news ? LOOK_LEAST_NS : a->interval_ns * 2;
    if (a->interval_ns > LOOK_MOST_NS)
        a->interval_ns = LOOK_MOST_NS;
    a->due_ns = now_ns + a->interval_ns;
    if (!all && !worker_congested(a->worker))
        a->due_ns = now_ns;
}

/* We may be late ourselves: the exit of a task that ended meanwhile decides. */
static void end_for_time(struct attempt *a)
{
    struct buf b;
    a->limit_ns = 0;
    if (attempt_has_ended(a))
        return;
    buf_init(&b);
    buf_adds(&b, "ran longer than its limit of ");
    num_print_seconds(&b, a->task.needs.time_s);
    attempt_end(a, OUTCOME_TIMED_OUT, arena_cstr(a->arena, buf_str(&b)),
                PUSH_TERMINATED);
    buf_done(&b);
}

void attempt_tick(struct attempt *a, int64_t now_ns)
{
    if (a->phase != ATTEMPT_RUNNING)
        return;
    if (a->limit_ns > 0 && now_ns >= a->limit_ns)
        end_for_time(a);
    if (a->push_ns > 0 && now_ns >= a->push_ns)
        push(a, a->push < PUSH_KILLED ? a->push + 1 : PUSH_KILLED);
    if (now_ns >= a->due_ns)
        look(a, now_ns);
}

int64_t attempt_next_ns(const struct attempt *a)
{
    int64_t next = a->due_ns;
    if (a->phase != ATTEMPT_RUNNING)
        return 0;
    if (a->limit_ns > 0 && a->limit_ns < next)
        next = a->limit_ns;
    if (a->push_ns > 0 && a->push_ns < next)
        next = a->push_ns;
    return next;
}

/* ---- its end --------------------------------------------------------- */

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void blame_kernel_limit(struct attempt *a)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "used more memory than its grant of ");
    num_print_bytes(&b, a->task.needs.memory_bytes);
    buf_adds(&b, " (the kernel ended it at that limit)");
    a->verdict = OUTCOME_MEMORY;
    a->reason = arena_cstr(a->arena, buf_str(&b));
    buf_done(&b);
}

void attempt_add_use(struct attempt *a, const struct rusage *use)
{
    uint64_t rss = (uint64_t)use->ru_maxrss * 1024;
    a->cpu_s += seconds_of(use->ru_utime) + seconds_of(use->ru_stime);
    if (rss > a->max_rss_bytes)
        a->max_rss_bytes = rss;
}

void attempt_exited(struct attempt *a, int status, const struct rusage *use)
{
    a->phase = ATTEMPT_DRAINING;
    a->status = status;
    a->ran_s = (double)(clock_mono_ns() - a->started_ns) * 1e-9;
    attempt_add_use(a, use);
    if (cgroup_end(a) && a->verdict == OUTCOME_NONE)
        blame_kernel_limit(a);
}

/* True for tasks without a process of their own. */
static bool is_taken(const struct attempt *a)
{
    const struct kind *kind = kind_find(a->task.kind, NULL);
    return kind && kind->take;
}

/* What the exit status says, for an attempt without a verdict. */
static void judge_exit(struct attempt *a, struct record_ended *e)
{
    if (candle_judge(a, e))
        return;
    if (WIFSIGNALED(a->status)) {
        e->outcome = OUTCOME_FAILED;
        a->reason = arena_printf(a->arena, "signal %d (%s)", e->signum,
                                 strsignal(e->signum));
    } else if (e->exit_code == 0) {
        e->outcome = OUTCOME_DONE;
    } else if (e->exit_code == EXIT_CODE_CHECKPOINTED) {
        e->outcome = OUTCOME_CHECKPOINTED;
    } else {
        bool invalid = e->exit_code == EXIT_CODE_INVALID;
        e->outcome = invalid ? OUTCOME_INVALID : OUTCOME_FAILED;
        a->reason = arena_printf(a->arena, "exit code %d%s", e->exit_code,
                                 invalid ? ": it says that its parameters "
                                           "are invalid"
                                         : "");
    }
}

/* An attempt under which the study's folder was moved away found its own no
 * more: whatever it made of that is no result, and it did nothing wrong. */
static void judge_place(struct attempt *a, struct record_ended *e)
{
    bool wished = e->outcome == OUTCOME_KILLED ||
                  e->outcome == OUTCOME_TIMED_OUT ||
                  e->outcome == OUTCOME_UNSTARTED;
    if (wished || anchor_stands(&a->worker->study))
        return;
    e->outcome = OUTCOME_INTERRUPTED;
    a->reason = "the study's folder was moved or removed while it ran";
}

static void judge(struct attempt *a, struct record_ended *e)
{
    bool ran = a->process.pid > 0 && !is_taken(a);
    e->exit_code = ran && WIFEXITED(a->status) ? WEXITSTATUS(a->status) : -1;
    e->signum = ran && WIFSIGNALED(a->status) ? WTERMSIG(a->status) : 0;
    if (a->verdict != OUTCOME_NONE)
        e->outcome = a->verdict;
    else
        judge_exit(a, e);
    judge_place(a, e);
    e->reason = str_of(a->reason ? a->reason : "");
}

/* A task that could not start a process of its own, while others had them, met
 * the limit of this user on processes: it did not come to its work, and is not
 * to blame. Alone it is. */
static bool lacked_process(const struct attempt *a,
                           const struct record_ended *e, struct str said)
{
    static const char *const words[] = {
        "Cannot fork",
        "fork: retry",
        "fork: Resource temporarily unavailable",
        "[Errno 11] Resource temporarily unavailable",
        "can't start new thread",
        "pthread_create failed"};
    if (e->outcome != OUTCOME_FAILED || e->metric_points > 0 ||
        a->worker->running.len < 2 || process_limit() == 0)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(said.p, said.len, words[i], strlen(words[i])))
            return true;
    return false;
}

static void judge_shortage(struct attempt *a, struct record_ended *e,
                           struct str said)
{
    if (!lacked_process(a, e, said))
        return;
    e->outcome = OUTCOME_UNSTARTED;
    e->reason = str_of(arena_printf(
        a->arena,
        "it could not start a process: you may have %llu at once on this "
        "machine (ulimit -u); set parallel: to fewer, or raise the limit",
        (unsigned long long)process_limit()));
}

static bool ended_well(enum outcome o)
{
    return o == OUTCOME_DONE || o == OUTCOME_STOPPED ||
           o == OUTCOME_CHECKPOINTED;
}

/* The next attempt goes on from here. After a power cut it must find what the
 * store says was reached: an older checkpoint would do the work again and end
 * where it did before. */
static bool will_go_on(const struct attempt *a, enum outcome outcome)
{
    return outcome == OUTCOME_CHECKPOINTED ||
           (a->task.budget > 0 && ended_well(outcome));
}

static void say_ended(struct attempt *a, const struct record_ended *e)
{
    struct buf *b = &a->worker->payload;
    buf_reset(b);
    record_ended_print(b, e);
    worker_say(a, RECORD_ENDED, buf_str(b));
}

static void finish(struct attempt *a)
{
    struct record_ended e = {
        .wall = clock_wall(),
        .seconds = a->ran_s,
        .cpu_seconds = a->cpu_s > a->cpu_seen_s ? a->cpu_s : a->cpu_seen_s,
        .max_rss_bytes = a->max_rss_bytes,
        .output_bytes = output_bytes(a),
        .metric_points = a->metrics.points,
        .company = a->company};
    struct buf last;
    buf_init(&last);
    judge(a, &e);
    if (!ended_well(e.outcome))
        output_last_lines(a, &last);
    judge_shortage(a, &e, buf_str(&last));
    e.tail = buf_str(&last);
    if (will_go_on(a, e.outcome))
        folder_sync_checkpoint(&a->folder, a->arena);
    if (e.outcome != OUTCOME_DONE)
        e.checkpoint_digest = folder_checkpoint_digest(&a->folder, a->arena);
    folder_close(&a->folder, true, &a->worker->pool, a->serial);
    say_ended(a, &e);
    buf_done(&last);
}

/* Processes that the task left behind would go on to print after the last
 * look at the log, so that look comes again when they are gone. A census is too
 * much for every task: it must have flooded, or been pushed, or print still.
 * The sweeps that end the processes also bring the next rounds. */
static bool awaits_leftovers(struct attempt *a)
{
    int64_t now = clock_mono_ns();
    if (a->drain_ns < 0)
        return false;
    bool left = census_may_have(&a->worker->census, a->serial);
    if (a->drain_ns == 0 && left &&
        (a->push != PUSH_NONE || output_floods(a) || output_grows(a))) {
        a->drain_ns = now + LEFTOVERS_NS;
        worker_sweep_soon(a->worker);
    }
    if (a->drain_ns > 0 && (!left || now >= a->drain_ns))
        a->drain_ns = -1;
    return a->drain_ns > 0;
}

bool attempt_drain(struct attempt *a)
{
    struct err err = {0};
    if (is_taken(a)) {
        finish(a);
        return true;
    }
    awaits_leftovers(a);
    if (!metrics_read(a, true) || !output_read(a, true) || awaits_leftovers(a))
        return false;
    if (a->process.pid > 0) {
        metrics_read_number(a);
        candle_end(a);
        if (folder_keep_outputs(&a->folder, &a->task, a->arena, &err) != 0)
            worker_notice(a, "not every output was kept: %s", err.text);
    }
    metrics_send(a);
    metrics_say_read(a);
    finish(a);
    return true;
}

void attempt_unstarted(struct attempt *a)
{
    struct record_ended e = {.outcome = OUTCOME_UNSTARTED,
                             .exit_code = -1,
                             .wall = clock_wall(),
                             .reason = STR(""),
                             .tail = STR("")};
    say_ended(a, &e);
}
