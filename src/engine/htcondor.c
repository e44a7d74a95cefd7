/* htcondor.c - place htcondor: jobs of a pool that shares no disk with us
 *
 * HTCondor is spoken to by its own commands: condor_submit takes a description,
 * condor_rm ends jobs. What becomes of jobs is read in the event log of their
 * cluster; condor_q is asked now and then, for all clusters at once, and
 * condor_history about jobs that it does not know, so that a log which is not
 * written, or broken, or lost, is not the end of it. What a job has made lies
 * on this disk when its log says that it has terminated; it is put where it
 * belongs before anybody hears so.
 *
 * An evicted job is begun again by HTCondor with what it has saved, and a held
 * one waits for a person: neither is over. */
#include "engine/asking.h"
#include "engine/htcondor_follow.h"
#include "engine/htcondor_submit.h"
#include "engine/htcondor_text.h"
#include "engine/jobs.h"
#include "engine/sandbox.h"
#include <stdio.h>

#define COMMAND_SECONDS 120.0
/* Jobs in one cluster. */
#define ARRAY_MAX 10000
/* Of ours at once, where nobody says: a pool is not for one person alone. */
#define JOBS_MAX 1000
/* Between two questions to the queue. */
#define QUEUE_SECONDS 30.0
#define QUEUE_URGENT_SECONDS 5.0
/* For a removed job's last words, above the time that it has. */
#define REMOVE_SECONDS 60.0

struct htcondor {
    const struct engine_setup *given;
    struct arena *arena;
    struct askings askings;
    struct nodes nodes;
    struct condor_submit submit;
    uint32_t jobs_max;
    double queue_s, urgent_s;
    VEC(struct cluster *) clusters; /* that are followed */
    int64_t queue_ns;  /* when the queue was asked last; 0: never */
    bool asking;       /* it is being asked … */
    bool queue_failed; /* … and did not answer the last time */
    char warned[200];  /* condor_submit's last warning that was told */
};

/* A question about an array. */
struct question {
    struct asking asking;
    struct htcondor *at;
    const char *name;   /* of the array */
    const char *folder; /* of its order */
    uint32_t count;
};

static struct question *new_question(struct htcondor *h, job_receipt_fn *fn,
                                     void *context)
{
    struct question *q = asking_new(&h->askings, sizeof *q, context);
    q->asking.receipt = fn;
    q->at = h;
    return q;
}

/* ---- condor_rm
 * ----------------------------------------------------------------- */

/* Jobs that have ended meanwhile are complained about. */
static void on_removed(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    if (end->code && !condor_gone(end->said))
        log_to(h->given->log, LOG_WARN, "%s", end->why.text);
}

static void remove_jobs(struct htcondor *h, const char *const *ids,
                        size_t count, bool force, bool wait)
{
    VEC(const char *) argv = {0};
    vec_push(&argv, "condor_rm");
    if (force)
        vec_push(&argv, "-forcex");
    for (size_t i = 0; i < count; i++)
        vec_push(&argv, ids[i]);
    vec_push(&argv, NULL);
    if (wait)
        commands_wait(h->askings.commands, argv.p, on_removed, h);
    else
        askings_run(&h->askings, argv.p, on_removed, h);
    vec_done(&argv);
}

static void remove_cluster(struct htcondor *h, uint64_t job, bool wait)
{
    struct arena *a = arena_new();
    const char *id = arena_printf(a, "%llu", (unsigned long long)job);
    remove_jobs(h, &id, 1, false, wait);
    arena_free(a);
}

/* ---- condor_submit
 * --------------------------------------------------------------- */

/* All jobs are in the log before condor_submit ends. */
static int check_log(const struct question *a, uint64_t job, struct err *err)
{
    struct cluster *c = cluster_new(job, a->folder, a->count);
    struct err why = {0};
    int rc = cluster_read(c, &why);
    uint32_t seen = cluster_seen(c);
    if (rc)
        err_set(err, ERR_SYSTEM, "%s", why.text);
    else if (seen < a->count)
        rc = err_set(err, ERR_SYSTEM,
                     "HTCondor took job %llu and wrote %u of %u events into "
                     "%s: may it be written there? The job is removed again, "
                     "since nobody would hear of its end",
                     (unsigned long long)job, seen, a->count, cluster_log(c));
    cluster_free(c);
    return rc;
}

/* A word that HTCondor does not use is a mistake of somebody; what else a site
 * warns of, it warns of each time. */
static int check_warning(struct htcondor *h, struct str said, struct err *err)
{
    struct str unused = condor_unused(said), other = condor_warning(said);
    char kept[sizeof h->warned];
    snprintf(kept, sizeof kept, "%.*s", STRF(other));
    if (*kept && strcmp(kept, h->warned) != 0) {
        memcpy(h->warned, kept, sizeof kept);
        log_to(h->given->log, LOG_WARN, "condor_submit says: %s", kept);
    }
    if (!unused.len)
        return 0;
    return err_set(err, ERR_INPUT, "condor_submit took it with a warning: %.*s",
                   STRF(unused));
}

static void on_submitted(void *context, const struct command_end *end)
{
    struct question *a = context;
    struct job_receipt r = {.why = end->why};
    uint32_t count = 0;
    uint64_t job = end->code == 0 ? condor_submitted(end->printed, &count) : 0;
    if (!job && end->code == 0)
        asking_unheard(end, "condor_submit", &r.why);
    if (job &&
        (check_warning(a->at, end->said, &r.why) || check_log(a, job, &r.why)))
        remove_cluster(a->at, job, false);
    else
        r.job = job;
    r.passing = !job && (end->code <= 0 || condor_passes(str_of(r.why.text)));
    asking_answer(&a->asking, &r);
}

static void htcondor_submit(void *scheduler, const struct job_order *order,
                            job_receipt_fn *fn, void *context)
{
    struct htcondor *h = scheduler;
    struct question *a = new_question(h, fn, context);
    a->folder = arena_cstr(a->asking.arena, str_of(order->folder));
    a->count = order->count;
    const char *argv[] = {"condor_submit", "-terse",
                          path_join(a->asking.arena, order->folder, "job.sub"),
                          NULL};
    askings_run(&h->askings, argv, on_submitted, a);
}

static void htcondor_print(const void *scheduler, const struct job_order *order,
                           struct buf *b)
{
    const struct htcondor *h = scheduler;
    condor_submit_print(&h->submit, order, b);
}

static int htcondor_ready(const void *scheduler, struct err *err)
{
    const struct htcondor *h = scheduler;
    if (!h->given->travel)
        return err_set(err, ERR_INPUT, "nobody says what goes to the pool");
    return condor_submit_check(&h->submit, err);
}

static int htcondor_pack(void *scheduler, const struct job_bundle *b,
                         struct err *err)
{
    struct htcondor *h = scheduler;
    return sandbox_pack(h->given->travel, h->given->folder, b, err);
}

/* ---- finding an array again
 * ------------------------------------------------------- */

/* 0: none; an answer that cannot be read is none at all, nor is a complaint
 * without jobs, whatever the exit code. */
static int first_cluster(const struct command_end *end, uint64_t *job,
                         struct err *err)
{
    struct condor_ads ads = {0};
    int rc = end->code ? err_set(err, ERR_SYSTEM, "%s", end->why.text)
                       : condor_read_jobs(end->printed, &ads, err);
    if (!rc && !ads.list.len && end->said.len)
        rc = err_set(err, ERR_SYSTEM, "HTCondor says: %.*s",
                     (int)(end->said.len > 300 ? 300 : end->said.len),
                     end->said.p);
    *job = !rc && ads.list.len ? ads.list.p[0].cluster : 0;
    vec_done(&ads.list);
    return rc;
}

static void on_history_name(void *context, const struct command_end *end)
{
    struct job_receipt r = {.passing = true};
    first_cluster(end, &r.job, &r.why);
    asking_answer(context, &r);
}

static void on_queue_name(void *context, const struct command_end *end)
{
    struct question *a = context;
    struct job_receipt r = {.passing = true};
    if (first_cluster(end, &r.job, &r.why) || r.job) {
        asking_answer(&a->asking, &r);
        return;
    }
    const char *argv[] = {
        "condor_history",
        "-json",
        "-attributes",
        CONDOR_JOB_ATTRIBUTES,
        "-constraint",
        arena_printf(a->asking.arena, CONDOR_RUN_ATTRIBUTE "==\"%s\"", a->name),
        "-limit",
        "1",
        NULL};
    commands_add(a->at->askings.commands, argv, on_history_name, a);
}

static void htcondor_find(void *scheduler, const char *name, job_receipt_fn *fn,
                          void *context)
{
    struct htcondor *h = scheduler;
    struct question *a = new_question(h, fn, context);
    a->name = arena_cstr(a->asking.arena, str_of(name));
    const char *argv[] = {
        "condor_q",
        "-json",
        "-attributes",
        CONDOR_JOB_ATTRIBUTES,
        "-constraint",
        arena_printf(a->asking.arena, CONDOR_RUN_ATTRIBUTE "==\"%s\"", name),
        NULL};
    commands_add(h->askings.commands, argv, on_queue_name, a);
}

/* ---- what became of jobs
 * ---------------------------------------------------------- */

static struct cluster *find_cluster(const struct htcondor *h, uint64_t job)
{
    for (size_t i = 0; i < h->clusters.len; i++)
        if (cluster_job(h->clusters.p[i]) == job)
            return h->clusters.p[i];
    return NULL;
}

static bool is_asked(const struct job_asked *jobs, size_t count, uint64_t job)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].job == job)
            return true;
    return false;
}

/* Those that are asked about are followed, and no others. */
static void follow(struct htcondor *h, const struct job_asked *jobs,
                   size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->clusters.len; i++) {
        struct cluster *c = h->clusters.p[i];
        if (is_asked(jobs, count, cluster_job(c)))
            h->clusters.p[kept++] = c;
        else
            cluster_free(c);
    }
    h->clusters.len = kept;
    for (size_t i = 0; i < count; i++)
        if (!find_cluster(h, jobs[i].job))
            vec_push(&h->clusters,
                     cluster_new(jobs[i].job, jobs[i].folder, jobs[i].count));
}

static void read_logs(struct htcondor *h)
{
    for (size_t i = 0; i < h->clusters.len; i++) {
        struct err err = {0};
        if (cluster_read(h->clusters.p[i], &err))
            log_to(h->given->log, LOG_ERROR,
                   "%s; until this is mended condor_q and condor_history are "
                   "asked for its jobs instead",
                   err.text);
    }
}

/* What a job has made is in place before it is said to be over. */
static void fetch(struct htcondor *h, struct cluster *c)
{
    struct arena *a = arena_new();
    for (uint32_t i = 0; i < cluster_count(c); i++) {
        struct proc *p = cluster_proc(c, i);
        struct err err = {0};
        if (p->fetched || p->job.state != CONDOR_JOB_DONE)
            continue;
        const char *stem = arena_printf(a, "%s/%u", cluster_folder(c), i);
        p->fetched = sandbox_arrive(h->given->folder, stem, &err) == 0 ||
                     err.kind == ERR_INPUT;
        if (err.kind && !p->told)
            log_to(h->given->log, LOG_ERROR, "%s", err.text);
        p->told = err.kind != 0;
    }
    arena_free(a);
}

/* Nobody hears of a job that was removed while its machine did not answer. */
static void force(struct htcondor *h)
{
    struct arena *a = arena_new();
    int64_t late =
        clock_mono_ns() -
        (int64_t)((condor_vacate_s(h->given->site) + REMOVE_SECONDS) * 1e9);
    for (size_t i = 0; i < h->clusters.len; i++)
        for (uint32_t k = 0; k < cluster_count(h->clusters.p[i]); k++) {
            struct proc *p = cluster_proc(h->clusters.p[i], k);
            const char *id = arena_printf(
                a, "%llu.%u", (unsigned long long)cluster_job(h->clusters.p[i]),
                k);
            if (!p->removed_ns || p->removed_ns > late || proc_is_over(p))
                continue;
            p->removed_ns = 0;
            remove_jobs(h, &id, 1, true, false);
        }
    arena_free(a);
}

struct words {
    VEC(struct job_word) list;
};

static void tell(struct htcondor *h, job_words_fn *fn, void *context)
{
    static const struct job_word none;
    struct words w = {0};
    for (size_t i = 0; i < h->clusters.len; i++) {
        struct cluster *c = h->clusters.p[i];
        fetch(h, c);
        for (uint32_t k = 0; k < cluster_count(c); k++) {
            struct job_word word;
            if (cluster_word(c, k, &word))
                vec_push(&w.list, word);
        }
    }
    fn(context, w.list.len ? w.list.p : &none, w.list.len, NULL);
    vec_done(&w.list);
}

/* ---- the queue's own word
 * ---------------------------------------------------------- */

static void say_queue(struct htcondor *h, const struct err *err)
{
    if (err && !h->queue_failed)
        log_to(h->given->log, LOG_WARN,
               "%s; jobs are followed by their event logs alone", err->text);
    if (!err && h->queue_failed)
        log_to(h->given->log, LOG_NOTICE, "condor_q answers again");
    h->queue_failed = err != NULL;
}

static void take_ads(struct htcondor *h, const struct condor_ads *ads,
                     bool history)
{
    for (size_t i = 0; i < ads->list.len; i++) {
        const struct condor_ad *ad = &ads->list.p[i];
        struct cluster *c = find_cluster(h, ad->cluster);
        if (c && ad->proc < cluster_count(c))
            cluster_take(c, ad->proc, &ad->job, history);
    }
}

static void on_history(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    struct condor_ads ads = {0};
    struct err err = {0};
    h->asking = false;
    if (end->code || condor_read_jobs(end->printed, &ads, &err)) {
        say_queue(h, end->code ? &end->why : &err);
    } else {
        take_ads(h, &ads, true);
        for (size_t i = 0; i < h->clusters.len; i++)
            cluster_miss(h->clusters.p[i]);
    }
    vec_done(&ads.list);
}

/* "ClusterId==12 || ClusterId==13" */
static char *of_clusters(const struct htcondor *h, bool missing,
                         struct arena *a)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < h->clusters.len; i++)
        if (!missing || cluster_misses(h->clusters.p[i]))
            buf_addf(&b, "%sClusterId==%llu", b.len ? " || " : "",
                     (unsigned long long)cluster_job(h->clusters.p[i]));
    char *text = b.len ? arena_cstr(a, buf_str(&b)) : NULL;
    buf_done(&b);
    return text;
}

static void ask_queue(struct htcondor *h, const char *constraint,
                      command_fn *fn)
{
    const char *argv[] = {
        "condor_q",    "-json",    "-attributes", CONDOR_JOB_ATTRIBUTES,
        "-constraint", constraint, NULL};
    commands_add(h->askings.commands, argv, fn, h);
}

/* It reads backwards, and need not read all: jobs that have just left the queue
 * are the last. */
static bool ask_history(struct htcondor *h)
{
    struct arena *a = arena_new();
    const char *missing = of_clusters(h, true, a);
    uint32_t count = 0;
    for (size_t i = 0; i < h->clusters.len; i++)
        if (cluster_misses(h->clusters.p[i]))
            count += cluster_count(h->clusters.p[i]);
    const char *argv[] = {"condor_history",
                          "-json",
                          "-attributes",
                          CONDOR_JOB_ATTRIBUTES,
                          "-constraint",
                          missing,
                          "-limit",
                          arena_printf(a, "%u", count),
                          NULL};
    if (missing)
        commands_add(h->askings.commands, argv, on_history, h);
    arena_free(a);
    return missing != NULL;
}

/* Complaints without jobs are no answer, whatever the exit code. */
static void on_queue(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    struct condor_ads ads = {0};
    struct err err = end->why;
    bool said = end->said.len == 0 || str_trim(end->printed).len > 0;
    bool good = end->code == 0 && said &&
                condor_read_jobs(end->printed, &ads, &err) == 0;
    if (!err.kind && !good)
        err_set(&err, ERR_SYSTEM, "condor_q: %.*s",
                (int)(end->said.len > 300 ? 300 : end->said.len), end->said.p);
    say_queue(h, good ? NULL : &err);
    h->asking = false;
    if (good) {
        for (size_t i = 0; i < h->clusters.len; i++)
            cluster_unseen(h->clusters.p[i]);
        take_ads(h, &ads, false);
        h->asking = ask_history(h);
    }
    vec_done(&ads.list);
}

static bool is_urgent(const struct htcondor *h)
{
    for (size_t i = 0; i < h->clusters.len; i++)
        if (cluster_doubts(h->clusters.p[i]))
            return true;
    return false;
}

/* The logs tell of what happens; the queue of what they do not. */
static void ask_queue_if_due(struct htcondor *h)
{
    int64_t now = clock_mono_ns();
    double every = is_urgent(h) ? h->urgent_s : h->queue_s;
    if (h->asking ||
        (h->queue_ns && now - h->queue_ns < (int64_t)(every * 1e9)))
        return;
    struct arena *a = arena_new();
    const char *all = of_clusters(h, false, a);
    h->queue_ns = now;
    h->asking = all != NULL;
    if (all)
        ask_queue(h, all, on_queue);
    arena_free(a);
}

/* ---- ending jobs
 * -------------------------------------------------------------------- */

/* Some jobs of a cluster shall end, or be begun again. */
struct errand {
    struct asking asking;
    struct htcondor *at;
    bool vacates, again; /* it is repeated where it is not heard */
    uint64_t job;
    uint32_t *indices;
    size_t count;
};

static struct proc *find_proc(const struct htcondor *h, uint64_t job,
                              uint32_t index)
{
    struct cluster *c = find_cluster(h, job);
    return c && index < cluster_count(c) ? cluster_proc(c, index) : NULL;
}

/* True when it will be asked for once more. */
static bool ask_again(const struct errand *e)
{
    int64_t due = clock_mono_ns() + (int64_t)(e->at->urgent_s * 1e9);
    bool any = false;
    for (size_t i = 0; e->again && i < e->count; i++) {
        struct proc *p = find_proc(e->at, e->job, e->indices[i]);
        if (!p || proc_is_over(p))
            continue;
        if (e->vacates) {
            p->vacate_ns = due;
        } else {
            p->remove_ns = due;
            p->removed_ns = 0;
        }
        any = true;
    }
    return any;
}

static void on_errand(void *context, const struct command_end *end)
{
    struct errand *e = context;
    if (end->code && !condor_gone(end->said))
        log_to(e->at->given->log, LOG_WARN, "%s%s", end->why.text,
               ask_again(e) ? "; it is asked for again" : "");
    asking_done(&e->asking);
}

static struct errand *new_errand(struct htcondor *h, uint64_t job, bool vacates,
                                 size_t room)
{
    struct errand *e = asking_new(&h->askings, sizeof *e, NULL);
    e->at = h;
    e->job = job;
    e->vacates = vacates;
    e->again = true;
    e->indices = arena_array(e->asking.arena, room, sizeof *e->indices);
    return e;
}

/* A removal counts from now on, a job that is to vacate from this start. */
static void note_errand(const struct errand *e)
{
    for (size_t i = 0; i < e->count; i++) {
        struct proc *p = find_proc(e->at, e->job, e->indices[i]);
        if (p && e->vacates) {
            p->vacate_ns = 0;
            p->vacated = p->job.starts;
        } else if (p) {
            p->remove_ns = 0;
            p->removed_ns = p->removed_ns ? p->removed_ns : clock_mono_ns();
        }
    }
}

static void run_errand(struct errand *e)
{
    VEC(const char *) argv = {0};
    struct htcondor *h = e->at;
    if (!e->count) {
        asking_done(&e->asking);
        return;
    }
    note_errand(e);
    vec_push(&argv, e->vacates ? "condor_vacate_job" : "condor_rm");
    for (size_t i = 0; i < e->count; i++)
        vec_push(&argv,
                 arena_printf(e->asking.arena, "%llu.%u",
                              (unsigned long long)e->job, e->indices[i]));
    vec_push(&argv, NULL);
    if (e->again)
        askings_run(&h->askings, argv.p, on_errand, e);
    else
        commands_wait(h->askings.commands, argv.p, on_errand, e);
    vec_done(&argv);
}

/* One that was begun again meanwhile has heard what it was to hear. */
static bool is_due(struct proc *p, bool vacates, int64_t now)
{
    int64_t at = vacates ? p->vacate_ns : p->remove_ns;
    if (!at || at > now || proc_is_over(p))
        return false;
    bool stale = vacates && (p->job.state != CONDOR_JOB_RUNS ||
                             p->job.starts != p->vacated);
    if (stale)
        p->vacate_ns = 0;
    return !stale;
}

static void repeat_errand(struct htcondor *h, struct cluster *c, bool vacates)
{
    int64_t now = clock_mono_ns();
    struct errand *e = NULL;
    for (uint32_t k = 0; k < cluster_count(c); k++) {
        if (!is_due(cluster_proc(c, k), vacates, now))
            continue;
        if (!e)
            e = new_errand(h, cluster_job(c), vacates, cluster_count(c));
        e->indices[e->count++] = k;
    }
    if (e)
        run_errand(e);
}

static void repeat_errands(struct htcondor *h)
{
    for (size_t i = 0; i < h->clusters.len; i++) {
        repeat_errand(h, h->clusters.p[i], false);
        repeat_errand(h, h->clusters.p[i], true);
    }
}

static void htcondor_look(void *scheduler, const struct job_asked *jobs,
                          size_t count, job_words_fn *fn, void *context)
{
    struct htcondor *h = scheduler;
    follow(h, jobs, count);
    read_logs(h);
    force(h);
    repeat_errands(h);
    ask_queue_if_due(h);
    tell(h, fn, context);
}

/* One that has run has saved something, or may have. */
static bool has_run(const struct htcondor *h, uint64_t job, uint32_t index)
{
    const struct proc *p = find_proc(h, job, index);
    return p && p->job.starts > 0;
}

static void htcondor_cancel(void *scheduler, const struct job_cancel *c)
{
    struct htcondor *h = scheduler;
    struct cluster *all = find_cluster(h, c->job);
    uint32_t count = c->count ? (uint32_t)c->count
                     : all    ? cluster_count(all)
                              : 0;
    if (!count) {
        remove_cluster(h, c->job, c->wait);
        return;
    }
    struct errand *e = new_errand(h, c->job, false, count);
    e->again = !c->wait;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = c->count ? c->indices[i] : i;
        if (!c->waiting_only || !has_run(h, c->job, index))
            e->indices[e->count++] = index;
    }
    run_errand(e);
}

/* Some may have ended meanwhile; of one that has not, it matters. */
static void on_edited(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    if (end->code && !condor_gone(end->said))
        log_to(h->given->log, LOG_WARN,
               "%s; jobs that wait may begin on a machine that is left out",
               end->why.text);
}

static void htcondor_exclude(void *scheduler, uint64_t job,
                             const struct job_order *order)
{
    struct htcondor *h = scheduler;
    struct arena *a = arena_new();
    struct buf names;
    buf_init(&names);
    condor_avoided(order, &names);
    const char *argv[] = {"condor_qedit",
                          arena_printf(a, "%llu", (unsigned long long)job),
                          CONDOR_AVOID_ATTRIBUTE, names.p, NULL};
    commands_add(h->askings.commands, argv, on_edited, h);
    buf_done(&names);
    arena_free(a);
}

static void htcondor_remind(void *scheduler, uint64_t job, uint32_t index)
{
    struct errand *e = new_errand(scheduler, job, true, 1);
    e->indices[e->count++] = index;
    run_errand(e);
}

static void htcondor_settle(void *scheduler, const uint64_t *jobs, size_t count)
{
    struct htcondor *h = scheduler;
    VEC(const char *) ids = {0};
    struct arena *a = arena_new();
    for (size_t i = 0; i < count; i++)
        vec_push(&ids, arena_printf(a, "%llu", (unsigned long long)jobs[i]));
    remove_jobs(h, ids.p, ids.len, false, true);
    vec_done(&ids);
    arena_free(a);
}

static void htcondor_waits(void *scheduler, bool on)
{
    ((struct htcondor *)scheduler)->askings.waits = on;
}

static void htcondor_drain(void *scheduler)
{
    commands_drain(((struct htcondor *)scheduler)->askings.commands);
}

/* ---- opening and closing
 * ------------------------------------------------------------- */

static void on_status(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    struct err err = {0};
    if (end->code || condor_read_nodes(end->printed, h->arena, &h->nodes, &err))
        log_to(h->given->log, LOG_WARN,
               "%s; whether the pool has machines for these needs is not known",
               end->code ? end->why.text : err.text);
}

static void on_fitting(void *context, const struct command_end *end)
{
    struct htcondor *h = context;
    struct str own = value_text(value_get(h->given->site, STR("requirements")));
    if (end->code == 0 && str_trim(end->printed).len == 0)
        log_to(h->given->log, LOG_WARN,
               "no machine of the pool meets the requirements %.*s now: jobs "
               "wait until one does",
               STRF(own));
}

/* Requirements of the person that speak of machines alone are asked for. */
static void ask_fitting(struct htcondor *h)
{
    struct str own = value_text(value_get(h->given->site, STR("requirements")));
    bool plain = own.len && !memmem(own.p, own.len, "MY.", 3) &&
                 !memmem(own.p, own.len, "TARGET.", 7);
    if (!plain || !h->nodes.list.len)
        return;
    const char *argv[] = {"condor_status",
                          "-json",
                          "-attributes",
                          "Machine",
                          "-constraint",
                          arena_printf(h->arena, "%s && (%.*s)",
                                       CONDOR_NODE_CONSTRAINT, STRF(own)),
                          NULL};
    commands_wait(h->askings.commands, argv, on_fitting, h);
}

static void on_version(void *context, const struct command_end *end)
{
    struct err *err = context;
    if (end->code)
        err_set(err, ERR_SYSTEM,
                "engine htcondor asks HTCondor by its commands, and %s",
                end->why.text);
}

/* Elsewhere the machines that this pool knows are not the ones that count. */
static int read_pool(struct htcondor *h, struct err *err)
{
    const struct value *offsite = value_get(h->given->site, STR("offsite"));
    const char *version[] = {"condor_version", NULL};
    const char *status[] = {"condor_status",
                            "-json",
                            "-attributes",
                            CONDOR_NODE_ATTRIBUTES,
                            "-constraint",
                            CONDOR_NODE_CONSTRAINT,
                            NULL};
    struct err why = {0};
    commands_wait(h->askings.commands, version, on_version, &why);
    if (why.kind)
        return err_set(err, why.kind, "%s", why.text);
    if (!offsite || offsite->kind != VALUE_BOOL || !offsite->boolean)
        commands_wait(h->askings.commands, status, on_status, h);
    ask_fitting(h);
    return 0;
}

static void htcondor_close(void *scheduler)
{
    struct htcondor *h = scheduler;
    askings_close(&h->askings);
    for (size_t i = 0; i < h->clusters.len; i++)
        cluster_free(h->clusters.p[i]);
    vec_done(&h->clusters);
    vec_done(&h->nodes.list);
    free(h);
}

static void *htcondor_open(const struct scheduler_setup *setup, struct err *err)
{
    struct htcondor *h = xcalloc(1, sizeof *h);
    const struct value *site = setup->given->site;
    struct commands_setup commands = {.loop = setup->given->loop,
                                      .limit_s = COMMAND_SECONDS};
    h->given = setup->given;
    h->arena = setup->arena;
    h->askings.commands = commands_new(&commands);
    h->submit = (struct condor_submit){setup->given, &h->nodes};
    h->jobs_max = (uint32_t)site_number(site, "max_jobs", JOBS_MAX);
    h->queue_s = QUEUE_SECONDS;
    h->urgent_s = QUEUE_URGENT_SECONDS;
    double look_s = site_number(site, "look", 0);
    if (look_s > 0) { /* who looks oftener asks oftener */
        h->queue_s = look_s * 10 < h->queue_s ? look_s * 10 : h->queue_s;
        h->urgent_s = look_s < h->urgent_s ? look_s : h->urgent_s;
    }
    if (read_pool(h, err) == 0)
        return h;
    htcondor_close(h);
    return NULL;
}

static const struct nodes *htcondor_nodes(const void *scheduler)
{
    return &((const struct htcondor *)scheduler)->nodes;
}

static uint32_t htcondor_array_max(const void *scheduler)
{
    (void)scheduler;
    return ARRAY_MAX;
}

static uint32_t htcondor_jobs_max(const void *scheduler)
{
    return ((const struct htcondor *)scheduler)->jobs_max;
}

static const struct scheduler scheduler_htcondor = {
    .name = "HTCondor",
    .file = "job.sub",
    .late = true,
    .open = htcondor_open,
    .close = htcondor_close,
    .nodes = htcondor_nodes,
    .array_max = htcondor_array_max,
    .jobs_max = htcondor_jobs_max,
    .ready = htcondor_ready,
    .pack = htcondor_pack,
    .print = htcondor_print,
    .submit = htcondor_submit,
    .find = htcondor_find,
    .look = htcondor_look,
    .cancel = htcondor_cancel,
    .remind = htcondor_remind,
    .exclude = htcondor_exclude,
    .settle = htcondor_settle,
    .waits = htcondor_waits,
    .drain = htcondor_drain,
};

static void *place_open(const struct place_setup *setup, struct err *err)
{
    return jobs_open(&scheduler_htcondor, setup, err);
}

static int place_check(const void *place, const struct needs *n,
                       struct err *err)
{
    if (needs_nodes(n) > 1)
        return err_set(err, ERR_INPUT,
                       "needs %u nodes, and a job of HTCondor is on one "
                       "machine: say nodes: 1",
                       needs_nodes(n));
    return jobs_check(place, n, err);
}

/* A job of the pool cannot submit others: a conductor is a process here. */
PLACE(htcondor) = {
    .name = "htcondor",
    .late = true,
    .takes = condor_name_check,
    .open = place_open,
    .check = place_check,
    JOBS_PLACE,
};
