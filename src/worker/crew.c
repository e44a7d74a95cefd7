/* crew.c - the trainer processes of this worker */
#include "worker/crew.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terms/device.h"
#include "worker/worker.h"

#define CREW_LOOK_NS 1000000000ll

struct trainer {
    struct worker *worker;
    struct process_id process;
    struct link_hooks hooks;
    struct link link;
    size_t members;
    bool gpu;    /* it is throng-worker-cuda */
    bool silent; /* it did not answer, and has been killed */
};

static struct attempt *member_of(struct trainer *t, const struct record *r)
{
    struct worker *w = t->worker;
    for (size_t i = 0; i < w->running.len; i++) {
        struct attempt *a = w->running.p[i];
        if (a->trainer == t && a->task.id == r->task &&
            a->task.attempt == r->attempt)
            return a;
    }
    return NULL;
}

static void member_ended(struct attempt *a, struct str payload)
{
    struct record_ended e;
    struct err err = {0};
    if (record_ended_parse(payload, &e, &err) != 0) {
        e = (struct record_ended){.outcome = OUTCOME_FAILED,
                                  .reason = str_of(err.text)};
    }
    bool came_first =
        a->verdict == OUTCOME_INTERRUPTED &&
        (e.outcome == OUTCOME_DONE || e.outcome == OUTCOME_DIVERGED);
    if (a->verdict == OUTCOME_NONE || came_first) {
        a->verdict = e.outcome;
        a->reason = arena_cstr(a->arena, e.reason);
        a->faults = arena_str(a->arena, e.faults);
    }
    a->cpu_s = e.cpu_seconds;
    a->max_rss_bytes = e.max_rss_bytes;
    a->use = e.use;
    a->ran_s = (double)(clock_mono_ns() - a->started_ns) * 1e-9;
    a->phase = ATTEMPT_DRAINING;
    crew_forget(a);
}

static void count_points(struct attempt *a, struct str payload)
{
    struct metric_reader r;
    struct metric_column c;
    metric_reader_init(&r, payload);
    while (metric_reader_next(&r, &c) > 0)
        a->metrics.points += c.count;
}

static void on_record(void *context, const struct record *r)
{
    struct attempt *a = member_of(context, r);
    if (!a)
        return;
    if (r->type == RECORD_METRICS) {
        count_points(a, r->payload);
        worker_say(a, RECORD_METRICS, r->payload);
    } else if (r->type == RECORD_NOTICE || r->type == RECORD_ANEW ||
               r->type == RECORD_FILE || r->type == RECORD_USE) {
        worker_say(a, r->type, r->payload);
    } else if (r->type == RECORD_ENDED) {
        member_ended(a, r->payload);
    }
}

/* Its end is seen by its exit. */
static void on_closed(void *context)
{
    (void)context;
}

/* The worker's own, and the mark by which leftovers are known; yours to
 * free. */
static const char **environment_of(const struct worker *w)
{
    size_t count = w->environment.base.len;
    const char **env = xcalloc(count + 2, sizeof *env);
    for (size_t i = 0; i < count; i++)
        env[i] = w->environment.base.p[i];
    env[count] = w->environment.mark;
    return env;
}

/* The program of a trainer: this one, or the one for GPUs, which lies beside
 * it. */
static const char *program_of(const struct trainer *t, char *path, size_t size,
                              struct err *err)
{
    static const char cuda[] = "throng-worker-cuda";
    if (!t->gpu)
        return "/proc/self/exe";
    ssize_t len = readlink("/proc/self/exe", path, size - sizeof cuda);
    char *slash = len > 0 ? memrchr(path, '/', (size_t)len) : NULL;
    if (slash)
        memcpy(slash + 1, cuda, sizeof cuda);
    if (slash && access(path, X_OK) == 0)
        return path;
    err_set(err, ERR_MISSING,
            "this machine has no device cuda: there is no throng-worker-cuda "
            "beside throng-worker (it is built where nvcc is found); "
            "`device: cpu` trains without");
    return NULL;
}

static int spawn(struct trainer *t, int fd, struct err *err)
{
    struct worker *w = t->worker;
    char number[16], path[4096];
    const char *program = program_of(t, path, sizeof path, err);
    if (!program)
        return -1;
    snprintf(number, sizeof number, "%d", fd);
    const char *argv[] = {program,       "--trainer",
                          number,        w->study.path ? "--folder" : NULL,
                          w->study.path, NULL};
    const char **env = environment_of(w);
    struct spawn s = {.argv = argv,
                      .env = env,
                      .in = w->nothing,
                      .out = -1,
                      .err = STDERR_FILENO,
                      .keep_fd = fd,
                      .session = true,
                      .die_with_parent = true};
    int rc = process_spawn(&s, &t->process, err);
    free(env);
    return rc;
}

static struct trainer *trainer_new(struct worker *w, bool gpu, struct err *err)
{
    int ends[2];
    struct trainer *t = xcalloc(1, sizeof *t);
    t->worker = w;
    t->gpu = gpu;
    t->hooks = (struct link_hooks){
        .context = t, .record = on_record, .closed = on_closed};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        err_errno(err, "make a socket for a trainer");
        free(t);
        return NULL;
    }
    int rc = link_open_socket(&t->link, w->loop, ends[0], &t->hooks, err);
    if (rc == 0)
        rc = spawn(t, ends[1], err);
    close(ends[1]);
    if (rc != 0) {
        link_done(&t->link);
        close(ends[0]);
        free(t);
        return NULL;
    }
    vec_push(&w->trainers, t);
    return t;
}

/* Trainers that the room has cpus for, now that others have theirs. A GPU has
 * one, in which all its members are trained together. */
static size_t most_trainers(const struct worker *w, bool gpu)
{
    if (gpu)
        return 1;
    double cpus = w->room.cpus - w->room.lent_cpus;
    return cpus < 1 ? 1 : (size_t)cpus;
}

/* The one with the fewest members. A task that may be the cause of losses
 * comes when few others, or none, are out (blame.c of the conductor). */
static struct trainer *choose(struct worker *w, bool gpu, struct err *err)
{
    struct trainer *best = NULL;
    size_t count = 0;
    for (size_t i = 0; i < w->trainers.len; i++) {
        struct trainer *t = w->trainers.p[i];
        if (t->silent || t->gpu != gpu || ++count > most_trainers(w, gpu))
            continue;
        if (!best || t->members < best->members)
            best = t;
    }
    if (!best || (best->members && count < most_trainers(w, gpu))) {
        struct trainer *fresh = trainer_new(w, gpu, err);
        if (fresh || !best)
            best = fresh;
    }
    return best;
}

static void tell(struct attempt *a, enum record_type type, struct str payload)
{
    struct link *link = &a->trainer->link;
    struct record r = {.type = type,
                       .task = a->task.id,
                       .attempt = a->task.attempt,
                       .payload = payload};
    link_add(link, &r);
    link_flush(link);
    link_acknowledge(link, link->count);
}

/* Whom nobody asks hears of no decision either. A trainer makes files when
 * it has some to write. */
int crew_start(struct attempt *a, struct err *err)
{
    struct worker *w = a->worker;
    if ((a->task.resume_from.len || a->task.copy_of.len) &&
        folder_open(&a->folder, &a->task, &w->pool, a->arena, err) != 0)
        return -1;
    const struct device *device = device_find(a->task.device, NULL);
    struct trainer *t = choose(w, device && device->gpu, err);
    if (!t)
        return -1;
    if (w->bundle.on && !w->bundle.asked && !ruling_is_on(a))
        a->task.awaits = 0;
    a->trainer = t;
    a->process = t->process;
    t->members++;
    a->due_ns = a->started_ns + CREW_LOOK_NS;
    buf_reset(&w->payload);
    task_print(&w->payload, &a->task);
    tell(a, RECORD_TASK, buf_str(&w->payload));
    return 0;
}

void crew_go(struct attempt *a, struct str payload)
{
    if (a->trainer)
        tell(a, RECORD_GO, payload);
}

void crew_push(struct attempt *a, enum push how)
{
    struct trainer *t = a->trainer;
    if (!t)
        return;
    if (how == PUSH_KILLED) {
        t->silent = true;
        kill(t->process.pid, SIGKILL);
        return;
    }
    char verdict = (char)a->verdict;
    if (how == PUSH_TERMINATED || a->verdict == OUTCOME_INTERRUPTED)
        tell(a, RECORD_KILL, str_n(&verdict, 1));
    else
        tell(a, RECORD_STOP, STR(""));
}

/* Its end is what its trainer says. */
bool crew_has_ended(const struct attempt *a)
{
    (void)a;
    return false;
}

/* Its trainer reports. */
void crew_look(struct attempt *a, int64_t now_ns)
{
    a->due_ns = now_ns + CREW_LOOK_NS;
}

void crew_forget(struct attempt *a)
{
    if (!a->trainer)
        return;
    a->trainer->members--;
    a->trainer = NULL;
}

static const char *why_lost(const struct trainer *t, struct arena *a,
                            int status)
{
    if (t->silent)
        return "its trainer did not answer when another of its trials was to "
               "be ended, and was killed";
    if (WIFSIGNALED(status))
        return arena_printf(a, "its trainer ended by signal %d (%s)",
                            WTERMSIG(status), strsignal(WTERMSIG(status)));
    return arena_printf(a, "its trainer ended with code %d",
                        WEXITSTATUS(status));
}

static void lose(struct attempt *a, int status)
{
    if (a->verdict == OUTCOME_NONE) {
        a->verdict = OUTCOME_LOST;
        a->reason = why_lost(a->trainer, a->arena, status);
        a->company = (uint32_t)a->trainer->members;
    }
    a->ran_s = (double)(clock_mono_ns() - a->started_ns) * 1e-9;
    a->phase = ATTEMPT_DRAINING;
    a->trainer = NULL;
}

static void trainer_free(struct trainer *t)
{
    link_done(&t->link);
    close(t->link.fd);
    free(t);
}

bool crew_reaped(struct worker *w, pid_t pid, int status)
{
    for (size_t i = 0; i < w->trainers.len; i++) {
        struct trainer *t = w->trainers.p[i];
        if (t->process.pid != pid)
            continue;
        link_read_rest(&t->link);
        for (size_t k = 0; k < w->running.len; k++)
            if (w->running.p[k]->trainer == t)
                lose(w->running.p[k], status);
        w->trainers.p[i] = vec_last(&w->trainers);
        w->trainers.len--;
        trainer_free(t);
        return true;
    }
    return false;
}

bool crew_has(const struct worker *w, pid_t pid)
{
    for (size_t i = 0; i < w->trainers.len; i++)
        if (w->trainers.p[i]->process.pid == pid)
            return true;
    return false;
}

void crew_done(struct worker *w)
{
    for (size_t i = 0; i < w->trainers.len; i++)
        trainer_free(w->trainers.p[i]);
    vec_done(&w->trainers);
}
