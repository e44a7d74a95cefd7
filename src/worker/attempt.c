/* attempt.c - one task on its way through this worker */
#include "worker/attempt.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/kind.h"
#include "worker/so_far.h"
#include "worker/used.h"
#include "worker/worker.h"

#define MS 1000000ll
#define KILL_AGAIN_NS (1000 * MS)
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
    a->kind = kind_find(a->task.kind);
    a->grace_s = a->task.grace_s;
    return a;
}

void attempt_free(struct attempt *a)
{
    if (!a)
        return;
    struct worker *w = a->worker;
    if (a->kind && a->kind->forget)
        a->kind->forget(a);
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

void attempt_say_anew(struct attempt *a)
{
    uint32_t number = a->folder.goes_on ? a->folder.anew : 0;
    struct buf *b = &a->worker->payload;
    if (!a->folder.anew)
        return;
    buf_reset(b);
    buf_add_u32(b, number);
    worker_say(a, RECORD_ANEW, buf_str(b));
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
    if (a->task.needs.time_s > 0)
        a->limit_ns = used_up_ns(a, a->task.needs.time_s);
    ruling_begin(a);
    say_started(a);
    worker_wake(a->worker, attempt_next_ns(a));
}

/* True when the machine is short of something, its disk fails, or a folder is
 * still written by another, which passes: the task is not to blame and may be
 * tried again. err_errno leaves errno as it was. */
static bool is_shortage(const struct err *err, int error)
{
    static const int shortages[] = {EMFILE, ENFILE, EAGAIN, ENOMEM};
    if (err->kind == ERR_FULL || err->kind == ERR_BUSY)
        return true;
    if (err->kind != ERR_SYSTEM)
        return false;
    for (size_t i = 0; i < sizeof shortages / sizeof *shortages; i++)
        if (error == shortages[i])
            return true;
    return disk_fails(error);
}

/* -1 also where nothing is to run: then only what the attempt before left
 * unread is taken in. */
static int start(struct attempt *a, struct err *err)
{
    if (!a->task.only_read)
        return a->kind->start(a, err);
    if (!a->kind->reread || a->kind->reread(a, err) == 0)
        a->verdict = OUTCOME_STOPPED;
    return -1;
}

int attempt_start(struct attempt *a)
{
    struct err err = {0};
    a->started_wall = clock_wall();
    a->started_ns = clock_mono_ns();
    used_begin(a);
    errno = 0;
    if (start(a, &err) == 0) {
        now_runs(a);
        return 0;
    }
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

/* When to push harder than `how`. The end of its job leaves no more time, and
 * whom it interrupts all of the time there is. */
static int64_t next_push_ns(const struct attempt *a, enum push how, int64_t now)
{
    int64_t next = after(now, a->grace_s);
    if (how == PUSH_KILLED)
        return now + KILL_AGAIN_NS;
    if (how == PUSH_TERMINATED && next < now + a->kind->answer_ns)
        next = now + a->kind->answer_ns;
    int64_t last =
        how == PUSH_ASKED ? a->warning.terminate_ns : a->warning.kill_ns;
    bool all = how == PUSH_ASKED && a->verdict == OUTCOME_INTERRUPTED;
    return last > 0 && (all || last < next) ? last : next;
}

static void push(struct attempt *a, enum push how)
{
    a->push = how;
    a->push_ns = next_push_ns(a, how, clock_mono_ns());
    a->kind->push(a, how);
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
    bool awaits_disk = a->phase == ATTEMPT_DRAINING && a->disk_ns > 0;
    if (a->phase != ATTEMPT_RUNNING && !awaits_disk)
        return;
    bool only_asked =
        a->verdict == OUTCOME_STOPPED && verdict == OUTCOME_KILLED;
    if (a->verdict == OUTCOME_NONE || only_asked) {
        a->verdict = verdict;
        a->reason = reason;
    }
    if (awaits_disk)
        worker_wake(a->worker, clock_mono_ns());
    else if (a->push < how)
        push(a, how);
}

static void interrupt(struct attempt *a)
{
    a->warning.ask_ns = 0;
    if (a->push != PUSH_NONE || attempt_has_ended(a))
        return;
    if (a->verdict == OUTCOME_NONE) {
        a->verdict = OUTCOME_INTERRUPTED;
        a->reason = a->warned_why;
    }
    push(a, PUSH_ASKED);
}

void attempt_warn(struct attempt *a, const struct warning *when,
                  const char *why)
{
    if (a->phase != ATTEMPT_RUNNING)
        return;
    if (a->warning.kill_ns == 0 ||
        (when->kill_ns && when->kill_ns < a->warning.kill_ns))
        a->warning = *when;
    a->warning.ask_ns = when->ask_ns;
    a->warned_why = why;
    int64_t last =
        a->push == PUSH_ASKED ? a->warning.terminate_ns : a->warning.kill_ns;
    if (a->push != PUSH_NONE && last > 0 && last < a->push_ns)
        a->push_ns = last;
    if (a->warning.ask_ns <= clock_mono_ns())
        interrupt(a);
    worker_wake(a->worker, attempt_next_ns(a));
}

bool attempt_has_ended(const struct attempt *a)
{
    return a->phase != ATTEMPT_RUNNING || a->kind->has_ended(a);
}

/* ---- while it runs --------------------------------------------------- */

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
    used_look(a, now_ns);
    so_far_look(a, now_ns);
    ruling_look(a, now_ns);
    if (a->warning.ask_ns > 0 && now_ns >= a->warning.ask_ns)
        interrupt(a);
    if (a->push_ns > 0 && now_ns >= a->push_ns)
        push(a, a->push < PUSH_KILLED ? a->push + 1 : PUSH_KILLED);
    if (now_ns >= a->due_ns)
        a->kind->look(a, now_ns);
}

int64_t attempt_next_ns(const struct attempt *a)
{
    int64_t next = a->due_ns;
    if (a->phase != ATTEMPT_RUNNING)
        return 0;
    if (a->limit_ns > 0 && a->limit_ns < next)
        next = a->limit_ns;
    if (a->ruling.due_ns > 0 && a->ruling.due_ns < next)
        next = a->ruling.due_ns;
    if (a->push_ns > 0 && a->push_ns < next)
        next = a->push_ns;
    if (a->warning.ask_ns > 0 && a->warning.ask_ns < next)
        next = a->warning.ask_ns;
    return next;
}

/* ---- its end --------------------------------------------------------- */

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

void attempt_add_use(struct attempt *a, const struct rusage *use)
{
    uint64_t rss = (uint64_t)use->ru_maxrss * 1024;
    a->cpu_s += seconds_of(use->ru_utime) + seconds_of(use->ru_stime);
    if (rss > a->max_rss_bytes)
        a->max_rss_bytes = rss;
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

/* Without all that it said its value would be an older one. Of what saved and
 * goes on the next attempt reads it. */
static void judge_unread(struct attempt *a, struct record_ended *e)
{
    if (!a->unread ||
        (e->outcome != OUTCOME_DONE && e->outcome != OUTCOME_STOPPED))
        return;
    e->outcome = OUTCOME_LOST;
    a->reason = a->unread;
}

static void judge(struct attempt *a, struct record_ended *e)
{
    e->exit_code = -1;
    saving_is_answer(a);
    e->outcome = a->verdict;
    if (a->kind->judge)
        a->kind->judge(a, e);
    judge_unread(a, e);
    judge_place(a, e);
    e->reason = str_of(a->reason ? a->reason : "");
    e->faults = e->outcome == OUTCOME_INVALID ? a->faults : STR("");
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
           (outcome == OUTCOME_INTERRUPTED && a->worker->bundle.on) ||
           (a->task.budget > 0 && ended_well(outcome));
}

/* A task that goes on in the next start of the job is not answered for yet. */
static bool is_kept(struct attempt *a, enum outcome outcome)
{
    struct bundle *b = &a->worker->bundle;
    if (!b->keeps ||
        (outcome != OUTCOME_INTERRUPTED && outcome != OUTCOME_UNSTARTED))
        return false;
    b->kept++;
    return true;
}

static void say_ended(struct attempt *a, const struct record_ended *e)
{
    struct buf *b = &a->worker->payload;
    if (is_kept(a, e->outcome))
        return;
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
        .company = a->company,
        .use = a->use};
    struct buf last;
    buf_init(&last);
    judge(a, &e);
    if (!ended_well(e.outcome))
        output_last_lines(a, &last);
    judge_shortage(a, &e, buf_str(&last));
    e.tail = buf_str(&last);
    used_end(a, e.outcome);
    if (will_go_on(a, e.outcome))
        folder_sync_checkpoint(&a->folder, a->arena);
    if (e.outcome != OUTCOME_DONE)
        e.checkpoint_digest = folder_checkpoint_digest(&a->folder, a->arena);
    folder_close(&a->folder, !a->unread, &a->worker->pool, a->serial);
    say_ended(a, &e);
    buf_done(&last);
}

bool attempt_drain(struct attempt *a)
{
    if (a->kind->drain && !a->kind->drain(a))
        return false;
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
