/* command.c - tasks that are a command: a process, its files and its end */
#include "worker/command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "worker/kind.h"
#include "worker/rows.h"
#include "worker/worker.h"

#define MS 1000000ll
#define LOOK_LEAST_NS (20 * MS)
#define LOOK_MOST_NS (50 * MS) /* a flood fills the disk until the next one */
#define LEFTOVERS_NS (2000 * MS)
#define DISK_NS (30000 * MS)
#define DISK_AGAIN_NS (1000 * MS)
#define CENSUS_FRESH_NS (50 * MS)
#define WATCH_NS (25 * MS) /* before the first look at its memory */

/* ---- beginning ------------------------------------------------------- */

static int prepare(struct attempt *a, arguments_fn *arguments, struct spawn *s,
                   struct err *err)
{
    const struct task *t = &a->task;
    const char *const *env = environment_make(a, err);
    if (!env)
        return -1;
    const char *const *argv = arguments(a, env, err);
    if (!argv)
        return -1;
    *s = (struct spawn){
        .argv = argv,
        .env = env,
        .cwd = t->workdir.len > 0 ? arena_cstr(a->arena, t->workdir)
                                  : a->folder.path,
        .in = a->worker->nothing,
        .out = a->folder.log,
        .err = a->folder.log,
        .keep_fd = -1,
        .session = true,
        .die_with_parent = true,
    };
    return 0;
}

/* Leaves errno as process_spawn does. */
static int spawn_leader(struct attempt *a, struct spawn *s, struct err *err)
{
    struct leaders *leaders = &a->worker->leaders;
    s->leaders = leaders;
    s->leader_place = a->leader_place = leaders_take(leaders);
    s->leader_task = a->task.id;
    s->leader_attempt = a->task.attempt;
    errno = 0;
    if (process_spawn(s, &a->process, err) == 0)
        return 0;
    int error = errno;
    leaders_give_back(leaders, a->leader_place);
    errno = error;
    return -1;
}

/* Its folder, its log and what an attempt before left in them. */
int command_reread(struct attempt *a, struct err *err)
{
    if (folder_open(&a->folder, &a->task, &a->worker->pool, a->arena, err) !=
            0 ||
        output_begin(a, err) != 0)
        return -1;
    attempt_say_anew(a);
    return metrics_begin(a, err);
}

/* The rows that the program is to look at; what an attempt before said of them
 * does not count. */
static int open_shard(struct attempt *a, struct err *err)
{
    const struct task *t = &a->task;
    if (!t->shard.file.len)
        return 0;
    const char *name = rows_name(t, a->arena);
    a->shard = name ? path_join(a->arena, a->folder.path, name)
                    : arena_cstr(a->arena, t->shard.file);
    unlink(path_join(a->arena, a->folder.path, ROWS_PREDICTIONS));
    int rc = name ? rows_write(t, a->shard, a->arena, err)
                  : rows_check(t, a->arena, err);
    if (rc && err->kind == ERR_INPUT)
        a->verdict = OUTCOME_INVALID;
    return rc;
}

static void close_shard(struct attempt *a)
{
    if (a->shard && a->task.shard.form)
        unlink(a->shard);
}

int command_start(struct attempt *a, arguments_fn *arguments, struct err *err)
{
    struct worker *w = a->worker;
    struct spawn s;
    if (command_reread(a, err) != 0 || open_shard(a, err) != 0 ||
        prepare(a, arguments, &s, err) != 0)
        return -1;
    s.mask = w->task_mask;
    cgroup_begin(a);
    if (spawn_leader(a, &s, err) != 0)
        return -1;
    cgroup_enter(a);
    idmap_set(w->by_pid, (uint64_t)a->process.pid, a);
    a->interval_ns = LOOK_LEAST_NS;
    a->due_ns = a->started_ns + LOOK_LEAST_NS;
    if (a->task.needs.memory_bytes > 0 && w->watch_ns == 0) {
        w->watch_ns = a->started_ns + WATCH_NS;
        worker_wake(w, w->watch_ns);
    }
    return 0;
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

void command_push(struct attempt *a, enum push how)
{
    if (how == PUSH_ASKED)
        folder_ask_stop(&a->folder);
    if (how == PUSH_TERMINATED)
        terminate(a);
    if (how == PUSH_KILLED)
        kill_everything(a);
}

/* A process that is waited for keeps its pid, so this is the one we started. */
bool command_has_ended(const struct attempt *a)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)a->process.pid, &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == a->process.pid;
}

/* ---- while it runs --------------------------------------------------- */

/* Reads its files; the more there is to read the sooner the next look. What
 * is left over from this one comes in the next round. */
void command_look(struct attempt *a, int64_t now_ns)
{
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

/* ---- its end --------------------------------------------------------- */

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

void command_exit(struct attempt *a, int status, const struct rusage *use)
{
    a->phase = ATTEMPT_DRAINING;
    a->status = status;
    a->ran_s = (double)(clock_mono_ns() - a->started_ns) * 1e-9;
    attempt_add_use(a, use);
    if (cgroup_end(a) && a->verdict == OUTCOME_NONE)
        blame_kernel_limit(a);
}

/* A program that ended well, and was asked about rows. */
static void judge_shard(struct attempt *a, struct record_ended *e)
{
    struct err err = {0};
    const char *said = path_join(a->arena, a->folder.path, ROWS_PREDICTIONS);
    e->outcome = OUTCOME_DONE;
    if (!file_exists(said)) {
        e->outcome = OUTCOME_FAILED;
        a->reason = "it ended well without writing $THRONG_PREDICTIONS";
    } else if (rows_check(&a->task, a->arena, &err)) {
        e->outcome = OUTCOME_INVALID;
        a->reason = arena_printf(a->arena, "%s", err.text);
    }
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
    } else if (e->exit_code == 0 && a->shard) {
        judge_shard(a, e);
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

void command_judge(struct attempt *a, struct record_ended *e)
{
    if (a->process.pid > 0 && WIFEXITED(a->status))
        e->exit_code = WEXITSTATUS(a->status);
    if (a->process.pid > 0 && WIFSIGNALED(a->status))
        e->signum = WTERMSIG(a->status);
    if (a->verdict == OUTCOME_NONE)
        judge_exit(a, e);
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

/* What it said is in files that cannot be read now. That may pass; else it is
 * for a later attempt to read, and this one did not end well. Who was ended has
 * no value to wait for, and a worker that is to end has no time. */
static bool awaits_disk(struct attempt *a)
{
    const char *what = metrics_unread(a);
    int64_t now = clock_mono_ns();
    bool counts = a->verdict == OUTCOME_NONE || a->verdict == OUTCOME_STOPPED;
    if (!what) {
        a->disk_ns = 0;
        return false;
    }
    const char *why = strerror(errno);
    if (counts && a->disk_ns == 0) {
        a->disk_ns = now + DISK_NS;
        worker_notice(a, "%s cannot be read: %s; trying again for up to %d s",
                      what, why, (int)(DISK_NS / 1000000000));
    }
    if (counts && now < a->disk_ns && a->worker->phase == WORKER_RUNS) {
        worker_wake(a->worker, now + DISK_AGAIN_NS);
        return true;
    }
    a->unread = arena_printf(a->arena, "%s could not be read: %s", what, why);
    return false;
}

bool command_drain(struct attempt *a)
{
    struct err err = {0};
    awaits_leftovers(a);
    if (!metrics_read(a, true) || !output_read(a, true) || awaits_leftovers(a))
        return false;
    if (a->process.pid > 0)
        metrics_read_number(a);
    if (awaits_disk(a))
        return false;
    close_shard(a);
    if (a->process.pid > 0) {
        candle_end(a);
        if (folder_keep_outputs(&a->folder, &a->task, a->arena, &err) != 0)
            worker_notice(a, "not every output was kept: %s", err.text);
    }
    metrics_send(a);
    metrics_say_read(a);
    return true;
}

static int start(struct attempt *a, struct err *err)
{
    return command_start(a, arguments_make, err);
}

KIND(command) = {.name = "command",
                 .start = start,
                 .reread = command_reread,
                 .push = command_push,
                 .has_ended = command_has_ended,
                 .look = command_look,
                 .exit = command_exit,
                 .judge = command_judge,
                 .drain = command_drain};
