/* htcondor_follow.c - a cluster of jobs, followed by its event log */
#include "engine/htcondor_follow.h"

#include "base/hash.h"
#include "engine/htcondor_submit.h"
#include "engine/htcondor_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (256u << 10)
/* Answers of queue and history without a job after which it is gone. */
#define MISSED_MAX 2

/* An event by its bytes, and the last reading of the log that had it. */
struct heard_event {
    uint64_t hash;
    uint32_t reading;
};
struct heard {
    VEC(struct heard_event) list; /* of one job */
};

struct cluster {
    struct arena *arena;
    uint64_t job;
    const char *folder, *log;
    uint32_t count;
    struct proc *procs;
    struct heard *heard; /* of each of them */
    uint32_t reading;    /* how often the log was begun again */
    uint64_t at;         /* what was read of the log */
    ino_t inode;         /* 0: it was not seen yet */
    bool blind;          /* the log is not there, or cannot be read on */
    const char *told;    /* the fault that was said last; NULL: none */
};

struct cluster *cluster_new(uint64_t job, const char *folder, uint32_t count)
{
    struct arena *a = arena_new();
    struct cluster *c = arena_new_of(a, struct cluster);
    c->arena = a;
    c->job = job;
    c->folder = arena_cstr(a, str_of(folder));
    c->log = path_join(a, folder, CONDOR_LOG);
    c->count = count;
    c->procs = arena_array(a, count, sizeof *c->procs);
    c->heard = arena_array(a, count, sizeof *c->heard);
    for (uint32_t i = 0; i < count; i++)
        condor_job_init(&c->procs[i].job);
    return c;
}

void cluster_free(struct cluster *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->count; i++)
        vec_done(&c->heard[i].list);
    arena_free(c->arena);
}

uint64_t cluster_job(const struct cluster *c)
{
    return c->job;
}

const char *cluster_folder(const struct cluster *c)
{
    return c->folder;
}

const char *cluster_log(const struct cluster *c)
{
    return c->log;
}

uint32_t cluster_count(const struct cluster *c)
{
    return c->count;
}

struct proc *cluster_proc(struct cluster *c, uint32_t i)
{
    return &c->procs[i];
}

/* ---- the log
 * ------------------------------------------------------------------ */

/* Each fault is said once. */
static int fault(struct cluster *c, const char *topic, const char *why,
                 struct err *err)
{
    if (c->told && strcmp(c->told, topic) == 0)
        return 0;
    c->told = topic;
    return err_set(err, ERR_SYSTEM, "the event log %s %s", c->log, why);
}

/* A log that is begun again may have any of the events that were heard before.
 * Two of one second can be the same to the byte: in one reading each counts
 * for itself. */
static bool is_new(struct heard *h, uint64_t hash, uint32_t reading)
{
    for (size_t i = 0; reading && i < h->list.len; i++)
        if (h->list.p[i].hash == hash && h->list.p[i].reading < reading) {
            h->list.p[i].reading = reading;
            return false;
        }
    struct heard_event event = {hash, reading};
    vec_push(&h->list, event);
    return true;
}

static void apply(struct cluster *c, const struct condor_event *e,
                  struct str bytes)
{
    if (e->cluster != c->job || e->proc < 0 || e->proc >= c->count)
        return;
    struct proc *p = &c->procs[e->proc];
    if (is_new(&c->heard[e->proc], hash64(str_trim(bytes), 0), c->reading))
        condor_job_apply(&p->job, e);
    p->missed = 0;
}

/* All that is whole; how much that is. */
static int take_events(struct cluster *c, struct str text, size_t *taken,
                       struct err *err)
{
    struct condor_event e;
    struct err why = {0};
    struct buf form;
    size_t used;
    int got;
    *taken = 0;
    buf_init(&form);
    while ((got = condor_event_any(str_n(text.p + *taken, text.len - *taken),
                                   &form, &e, &used, &why)) > 0) {
        apply(c, &e, str_n(text.p + *taken, used));
        *taken += used;
    }
    buf_done(&form);
    c->blind = got < 0;
    if (got == 0)
        return 0;
    char place[1024];
    snprintf(place, sizeof place, "cannot be read on from byte %llu: %.800s",
             (unsigned long long)(c->at + *taken), why.text);
    return fault(c, "form", place, err);
}

static int read_rest(struct cluster *c, int fd, struct err *err)
{
    struct buf text;
    size_t taken;
    ssize_t n = 1;
    buf_init(&text);
    while (n > 0) {
        buf_reserve(&text, BLOCK);
        n = pread(fd, text.p + text.len, BLOCK, (off_t)(c->at + text.len));
        text.len += n > 0 ? (size_t)n : 0;
    }
    int rc = n < 0 ? fault(c, "read", strerror(errno), err)
                   : take_events(c, buf_str(&text), &taken, err);
    if (n == 0)
        c->at += taken;
    buf_done(&text);
    return rc;
}

/* A file that is another one, or shorter than what was read, was rotated or
 * cut: it is read from its beginning. Events that come twice change nothing,
 * those that are gone the queue makes up for. */
static int notice_rotation(struct cluster *c, const struct stat *st,
                           struct err *err)
{
    bool other = c->inode && c->inode != st->st_ino;
    bool shorter = (uint64_t)st->st_size < c->at;
    c->inode = st->st_ino;
    if (!other && !shorter)
        return 0;
    c->at = 0;
    c->reading++;
    c->told = NULL;
    return fault(c, "rotated",
                 other ? "is another file than before: it was moved or rotated"
                       : "is shorter than it was",
                 err);
}

int cluster_read(struct cluster *c, struct err *err)
{
    struct stat st;
    int fd = open(c->log, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        c->blind = true;
        return c->inode || errno != ENOENT
                   ? fault(c, "open", strerror(errno), err)
                   : 0;
    }
    int rc = fstat(fd, &st) == 0 ? notice_rotation(c, &st, err) : 0;
    int more = read_rest(c, fd, rc ? NULL : err);
    close(fd);
    return rc ? rc : more;
}

uint32_t cluster_seen(const struct cluster *c)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < c->count; i++)
        seen += c->procs[i].job.state != CONDOR_JOB_UNKNOWN;
    return seen;
}

bool cluster_doubts(const struct cluster *c)
{
    bool doubts = c->blind;
    for (uint32_t i = 0; !doubts && i < c->count; i++)
        doubts = !proc_is_over(&c->procs[i]) &&
                 (c->procs[i].missed > 0 ||
                  c->procs[i].job.state == CONDOR_JOB_UNKNOWN);
    return doubts;
}

/* ---- the queue
 * ------------------------------------------------------------------ */

/* A job is removed for the queue as soon as that is asked for, and may live on
 * for a while. */
void cluster_take(struct cluster *c, uint32_t i, const struct condor_job *said,
                  bool history)
{
    struct proc *p = &c->procs[i];
    bool blind = c->blind || p->job.state == CONDOR_JOB_UNKNOWN;
    bool over =
        said->state == CONDOR_JOB_DONE || said->state == CONDOR_JOB_REMOVED;
    p->in_queue = true;
    p->missed = 0;
    if (proc_is_over(p) || (!history && (!blind || over)))
        return;
    p->job = *said;
}

void cluster_unseen(struct cluster *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->procs[i].in_queue = false;
}

static bool is_missing(const struct proc *p)
{
    return !p->in_queue && !proc_is_over(p);
}

uint32_t cluster_misses(const struct cluster *c)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < c->count; i++)
        missing += is_missing(&c->procs[i]);
    return missing;
}

void cluster_miss(struct cluster *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->procs[i].missed += is_missing(&c->procs[i]);
}

/* ---- what is told
 * ----------------------------------------------------------------- */

static const struct {
    const char *state, *words;
    enum job_stage stage;
} told[] = {
    [CONDOR_JOB_UNKNOWN] = {"SUBMITTED", "", JOB_WAITS},
    [CONDOR_JOB_IDLE] = {"IDLE", "", JOB_WAITS},
    [CONDOR_JOB_RUNS] = {"RUNNING", "", JOB_RUNS},
    [CONDOR_JOB_LOST] = {"DISCONNECTED",
                         "its machine does not answer: HTCondor begins it "
                         "again when its lease is over",
                         JOB_RUNS},
    [CONDOR_JOB_HOLDS] = {"HELD", "", JOB_WAITS},
    [CONDOR_JOB_DONE] = {"COMPLETED", "", JOB_OVER},
    [CONDOR_JOB_REMOVED] = {"REMOVED", "it was removed", JOB_OVER},
};

static void tell_hold(struct proc *p, struct job_word *w)
{
    const struct condor_job *j = &p->job;
    const struct condor_hold *hold = condor_hold_find(j->code);
    snprintf(p->topic, sizeof p->topic, "hold %d/%d", j->code, j->subcode);
    snprintf(p->reason, sizeof p->reason, "hold %d/%d: %s", j->code, j->subcode,
             j->reason);
    w->reason = str_of(p->reason);
    w->topic = str_of(p->topic);
    w->words = str_of(hold->words);
    w->stuck = true;
    w->blames = hold->machine;
}

static void tell_end(struct proc *p, struct job_word *w)
{
    const struct condor_job *j = &p->job;
    w->exit_code = j->exit_code >= 0 && j->exit_code < 256 ? j->exit_code : -1;
    w->end = j->state == CONDOR_JOB_REMOVED ? JOB_REMOVED : JOB_ENDED;
    if (j->exit_signal) {
        snprintf(p->reason, sizeof p->reason, "signal %d", j->exit_signal);
        w->reason = str_of(p->reason);
    }
}

/* One that is done and whose files are not in place is as good as running. */
bool cluster_word(struct cluster *c, uint32_t i, struct job_word *w)
{
    struct proc *p = &c->procs[i];
    const struct condor_job *j = &p->job;
    bool waits = j->state == CONDOR_JOB_DONE && !p->fetched;
    if (p->missed >= MISSED_MAX && !proc_is_over(p))
        return false;
    *w = (struct job_word){.job = c->job,
                           .index = i,
                           .exit_code = -1,
                           .stage = waits ? JOB_RUNS : told[j->state].stage,
                           .state = str_of(told[j->state].state),
                           .words = str_of(told[j->state].words),
                           .starts = j->starts ? j->starts - 1 : 0,
                           .node = str_of(j->node),
                           .by = str_of(j->by)};
    if (j->state == CONDOR_JOB_HOLDS)
        tell_hold(p, w);
    else if (!waits && w->stage == JOB_OVER)
        tell_end(p, w);
    return true;
}
