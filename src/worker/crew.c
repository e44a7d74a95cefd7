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
    int on;      /* the GPU of the room that it sees; -1: what there is */
    bool silent; /* it did not answer, and has been killed */
};

/* NULL: it has none that is known. */
static struct crew_gpu *gpu_of(const struct trainer *t)
{
    return t->on < 0 ? NULL : &t->worker->gpus.list[t->on];
}

static void man(struct attempt *a, struct trainer *t)
{
    a->trainer = t;
    a->process = t->process;
    t->members++;
    if (gpu_of(t))
        gpu_of(t)->members++;
}

void crew_forget(struct attempt *a)
{
    struct trainer *t = a->trainer;
    if (!t)
        return;
    t->members--;
    if (gpu_of(t))
        gpu_of(t)->members--;
    a->trainer = NULL;
}

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
    if (e.outcome == OUTCOME_DONE && gpu_of(a->trainer))
        crew_gpu_served(gpu_of(a->trainer));
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

/* Of no task: why it leaves. */
static void note_absent(const struct trainer *t, const struct record *r)
{
    struct crew_gpus *g = &t->worker->gpus;
    if (r->type == RECORD_NOTICE && r->task == 0)
        snprintf(g->absent, sizeof g->absent, "%.*s", STRF(r->payload));
}

static void on_record(void *context, const struct record *r)
{
    struct attempt *a = member_of(context, r);
    if (!a) {
        note_absent(context, r);
        return;
    }
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

#define VISIBLE "CUDA_VISIBLE_DEVICES="

/* The worker's own, the mark by which leftovers are known, and the one GPU that
 * it is to see; yours to free, `visible` as long as it is used. */
static const char **environment_of(const struct trainer *t, struct buf *visible)
{
    const struct worker *w = t->worker;
    size_t count = w->environment.base.len, used = 0;
    const char **env = xcalloc(count + 3, sizeof *env);
    for (size_t i = 0; i < count; i++) {
        const char *one = w->environment.base.p[i];
        if (t->on < 0 || strncmp(one, VISIBLE, sizeof VISIBLE - 1) != 0)
            env[used++] = one;
    }
    if (t->on >= 0) {
        buf_addf(visible, VISIBLE "%.*s", STRF(w->room.gpus[t->on].id));
        env[used++] = visible->p;
    }
    env[used] = w->environment.mark;
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
            "`device: cpu` does without");
    return NULL;
}

/* Where there is another GPU, or the cpu will do, a trainer leaves that does
 * not see its own. */
static int spawn(struct trainer *t, bool may_leave, int fd, struct err *err)
{
    struct worker *w = t->worker;
    char number[16], path[4096];
    struct buf visible;
    const char *program = program_of(t, path, sizeof path, err);
    if (!program)
        return -1;
    snprintf(number, sizeof number, "%d", fd);
    const char *argv[7] = {program, "--trainer", number};
    size_t count = 3;
    if (may_leave)
        argv[count++] = "--or-leave";
    if (w->study.path) {
        argv[count++] = "--folder";
        argv[count++] = w->study.path;
    }
    buf_init(&visible);
    const char **env = environment_of(t, &visible);
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
    buf_done(&visible);
    return rc;
}

/* Of a trainer that is to be. */
struct post {
    bool gpu;
    int on;
    bool may_leave;
};

static struct trainer *trainer_new(struct worker *w, const struct post *post,
                                   struct err *err)
{
    int ends[2];
    struct trainer *t = xcalloc(1, sizeof *t);
    t->worker = w;
    t->gpu = post->gpu;
    t->on = post->on;
    t->hooks = (struct link_hooks){
        .context = t, .record = on_record, .closed = on_closed};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        err_errno(err, "make a socket for a trainer");
        free(t);
        return NULL;
    }
    int rc = link_open_socket(&t->link, w->loop, ends[0], &t->hooks, err);
    if (rc == 0)
        rc = spawn(t, post->may_leave, ends[1], err);
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

/* Trainers that the room has cpus for, now that others have theirs. */
static size_t most_trainers(const struct worker *w)
{
    double cpus = w->room.cpus - w->room.lent_cpus;
    return cpus < 1 ? 1 : (size_t)cpus;
}

/* The one with the fewest members. A task that may be the cause of losses
 * comes when few others, or none, are out (blame.c of the conductor). */
static struct trainer *choose(struct worker *w, struct err *err)
{
    struct trainer *best = NULL;
    size_t count = 0;
    for (size_t i = 0; i < w->trainers.len; i++) {
        struct trainer *t = w->trainers.p[i];
        if (t->silent || t->gpu || ++count > most_trainers(w))
            continue;
        if (!best || t->members < best->members)
            best = t;
    }
    if (!best || (best->members && count < most_trainers(w))) {
        struct post post = {.on = -1};
        struct trainer *fresh = trainer_new(w, &post, err);
        if (fresh || !best)
            best = fresh;
    }
    return best;
}

static struct trainer *trainer_on(const struct worker *w, int gpu)
{
    for (size_t i = 0; i < w->trainers.len; i++) {
        struct trainer *t = w->trainers.p[i];
        if (!t->silent && t->gpu && t->on == gpu)
            return t;
    }
    return NULL;
}

/* One on which another study runs programs gets no members as long as there are
 * others; -1: none is known. */
static int choose_on(const struct attempt *a)
{
    struct worker *w = a->worker;
    struct crew_gpus *gpus = &w->gpus;
    int64_t now = clock_mono_ns();
    int on = crew_gpus_choose(gpus, &w->room, &a->grant, now);
    for (size_t i = 0; i < w->room.gpu_count && on >= 0; i++) {
        struct crew_gpu *gpu = &gpus->list[on];
        if (gpu->members || now < gpu->rests_ns ||
            share_hold_gpu(w, (size_t)on))
            break;
        crew_gpu_taken(gpu, now);
        on = crew_gpus_choose(gpus, &w->room, &a->grant, now);
    }
    return on;
}

/* A GPU that was there when `auto` chose it may be gone. The best of them is
 * where all are. */
static bool takes_cpu(const struct attempt *a, int on)
{
    const struct crew_gpus *g = &a->worker->gpus;
    return a->task.auto_device && *g->absent && (on < 0 || g->list[on].gone);
}

static bool has_other(const struct attempt *a, int on)
{
    const struct worker *w = a->worker;
    return crew_gpus_has_other(&w->gpus, &w->room, &a->grant, on);
}

/* A GPU has one, in which all its members are trained together. */
static struct trainer *man_gpu(struct attempt *a, int on, struct err *err)
{
    struct worker *w = a->worker;
    bool gone = on >= 0 && w->gpus.list[on].gone;
    struct trainer *t = trainer_on(w, on);
    struct post post = {.gpu = true,
                        .on = on,
                        .may_leave = a->task.auto_device ||
                                     (on >= 0 && !gone && has_other(a, on))};
    return t ? t : trainer_new(w, &post, err);
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

bool crew_wants_gpu(const struct attempt *a)
{
    const struct device *device = device_find(a->task.device, NULL);
    return device && device->gpu;
}

static void say_cpu(struct attempt *a)
{
    struct crew_gpus *g = &a->worker->gpus;
    if (!g->told)
        worker_notice(a,
                      "auto chose the device %.*s, which is not here (%s); the "
                      "%s takes its place",
                      STRF(a->task.device), g->absent, devices[0].name);
    g->told = true;
}

static int hand_over(struct attempt *a, struct err *err)
{
    struct worker *w = a->worker;
    struct task task = a->task;
    bool on_gpu = crew_wants_gpu(a);
    int on = on_gpu ? choose_on(a) : -1;
    if (on_gpu && takes_cpu(a, on)) {
        say_cpu(a);
        task.device = str_of(devices[0].name);
        on_gpu = false;
    }
    struct trainer *t = on_gpu ? man_gpu(a, on, err) : choose(w, err);
    if (!t)
        return -1;
    man(a, t);
    buf_reset(&w->payload);
    task_print(&w->payload, &task);
    tell(a, RECORD_TASK, buf_str(&w->payload));
    return 0;
}

/* Whom nobody asks hears of no decision either. A trainer makes files when
 * it has some to write. */
int crew_start(struct attempt *a, struct err *err)
{
    struct worker *w = a->worker;
    if ((a->task.resume_from.len || a->task.copy_of.len) &&
        folder_open(&a->folder, &a->task, &w->pool, a->arena, err) != 0)
        return -1;
    if (w->bundle.on && !w->bundle.asked && !ruling_is_on(a))
        a->task.awaits = 0;
    a->due_ns = a->started_ns + CREW_LOOK_NS;
    return hand_over(a, err);
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

static const char *why_lost(const struct trainer *t, struct arena *a,
                            int status)
{
    if (t->silent)
        return "its trainer did not answer when another of its trials was to "
               "be ended, and was killed";
    if (WIFSIGNALED(status))
        return arena_printf(a, "its trainer ended by signal %d (%s)",
                            WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (gpu_of(t) && WEXITSTATUS(status) == CREW_EXIT_FAILED)
        return arena_printf(
            a, "its trainer ended with code %d: GPU %.*s failed",
            WEXITSTATUS(status), STRF(t->worker->room.gpus[t->on].id));
    return arena_printf(a, "its trainer ended with code %d",
                        WEXITSTATUS(status));
}

static void lose(struct attempt *a, int status, uint32_t company)
{
    if (a->verdict == OUTCOME_NONE) {
        a->verdict = OUTCOME_LOST;
        a->reason = why_lost(a->trainer, a->arena, status);
        a->company = company;
    }
    a->ran_s = (double)(clock_mono_ns() - a->started_ns) * 1e-9;
    a->phase = ATTEMPT_DRAINING;
}

/* Its trainer has left before it began with it. */
static void move(struct attempt *a)
{
    struct err err = {0};
    crew_forget(a);
    if (hand_over(a, &err) == 0)
        return;
    a->verdict = OUTCOME_FAILED;
    a->reason = arena_cstr(a->arena, str_of(err.text));
    a->phase = ATTEMPT_DRAINING;
}

static bool has_left(struct trainer *t, int status)
{
    struct crew_gpu *gpu = gpu_of(t);
    char *absent = t->worker->gpus.absent;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (gpu && code == CREW_EXIT_FAILED)
        crew_gpu_failed(gpu, clock_mono_ns());
    if (!t->gpu || code != CREW_EXIT_ABSENT)
        return false;
    if (gpu)
        gpu->gone = true;
    if (!*absent) /* its last word is lost */
        snprintf(absent, sizeof t->worker->gpus.absent, "its trainer left");
    return true;
}

/* Who is about to be ended anyway does not go on elsewhere. */
static void dismiss(struct trainer *t, int status)
{
    struct worker *w = t->worker;
    bool left = has_left(t, status), told = false;
    uint32_t company = (uint32_t)t->members;
    for (size_t k = 0; k < w->running.len; k++) {
        struct attempt *a = w->running.p[k];
        if (a->trainer != t)
            continue;
        if (left && a->verdict == OUTCOME_NONE) {
            if (!told && has_other(a, t->on))
                worker_notice(a,
                              "GPU %.*s is not there any more; what was to be "
                              "trained on it goes to the others",
                              STRF(w->room.gpus[t->on].id));
            told = true;
            move(a);
            continue;
        }
        lose(a, status, company);
        crew_forget(a);
    }
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
        w->trainers.p[i] = vec_last(&w->trainers);
        w->trainers.len--;
        dismiss(t, status);
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
