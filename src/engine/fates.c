/* fates.c - what became of jobs
 *
 * A failed answer of the scheduler changes nothing. A job is over for good
 * after two good answers in a row by which it has ended, or which do not know
 * it, and nothing having been heard between: files may come later than the
 * queue's word. Then its tasks that have no answer are given back. */
#include "engine/jobs.h"

#include <math.h>
#include <stdio.h>

#define LOOK_SECONDS 2.0
#define LOOK_URGENT_SECONDS 1.0
/* Jobs in a row that ended without a word. */
#define BARREN_MAX 3
/* Good answers for which it is waited who has removed a job. */
#define BY_ANSWERS 8
#define LOG_TAIL 300

void jobs_name(const struct jobs *j, const struct bundle *b, struct buf *out)
{
    buf_addf(out, "%s job ", j->scheduler->name);
    job_id_print(out, str_of(j->scheduler->name), b->of->job, b->index);
    if (*b->node)
        buf_addf(out, " on %s", b->node);
}

/* ---- the tasks of a job that is over ----------------------------------------
 */

static void print_fate(const struct jobs *j, const struct bundle *b,
                       struct buf *out)
{
    const char *words =
        b->exit_code > 0 ? worker_exit_words(b->exit_code) : NULL;
    jobs_name(j, b, out);
    if (!b->told || b->gone) {
        buf_adds(out, b->gone ? " was taken out of the queue before it began"
                              : " is not known any more");
        return;
    }
    buf_addf(out, " ended as %s", b->state);
    if (*b->reason && strcmp(b->reason, b->state) != 0)
        buf_addf(out, " (%s)", b->reason);
    if (*b->words)
        buf_addf(out, ", %s", b->words);
    if (*b->by)
        buf_addf(out, " by %s", b->by);
    if (b->exit_code > 0)
        buf_addf(out, ", exit code %d", b->exit_code);
    if (words)
        buf_addf(out, ": %s", words);
}

/* The last line that script or worker printed. */
static void print_log(const struct bundle *b, struct buf *out)
{
    struct buf text;
    buf_init(&text);
    const char *path = bundle_log(b->stem, b->of->arena);
    buf_addf(out, "; see %s", path);
    if (file_read(path, 1 << 20, &text, NULL) == 0 && text.len) {
        struct str rest = str_trim(buf_str(&text)), line = {0};
        while (rest.p && str_split(&rest, '\n', &line))
            ;
        buf_addf(out, " (%.*s)",
                 (int)(line.len > LOG_TAIL ? LOG_TAIL : line.len), line.p);
    }
    buf_done(&text);
}

static uint32_t count_begun(const struct bundle *b)
{
    uint32_t begun = 0;
    for (size_t i = 0; i < b->count; i++)
        begun += b->tasks[i].held && b->tasks[i].begun;
    return begun;
}

/* How long it ran is known where it did so alone. */
static void answer(struct jobs *j, const struct out_task *t, uint32_t company,
                   enum outcome outcome, const char *reason)
{
    struct job_answer a = {outcome, 0, reason};
    double began = t->bundle->began_wall;
    if (t->begun && company == 1 && began > 0)
        a.seconds = fmax(0, clock_wall() - began);
    jobs_answer(j, t->id, t->attempt, &a);
}

static bool has_ended_itself(const struct bundle *b)
{
    return b->end == JOB_ENDED || b->end == JOB_OVER_MEMORY ||
           b->end == JOB_OVER_TIME;
}

/* A task that was to be ended is; one whose room others wanted is no loss of
 * its own; one that was alone when its job took too much memory did that. */
static void give_back(struct jobs *j, struct out_task *t, uint32_t company,
                      const char *reason)
{
    const struct bundle *b = t->bundle;
    bool ours = b->cancelled ||
                (b->told && b->end != JOB_VANISHED && !has_ended_itself(b));
    jobs_answered(t);
    if (t->kill && t->begun && t->end_as != OUTCOME_UNSTARTED) {
        answer(j, t, company, t->end_as, reason);
    } else if (t->begun && ours) {
        answer(j, t, company, OUTCOME_INTERRUPTED, reason);
    } else if (t->begun && company == 1 && b->told &&
               b->end == JOB_OVER_MEMORY) {
        answer(j, t, company, OUTCOME_MEMORY, reason);
    } else if (t->begun) {
        bool gone = b->told && has_ended_itself(b);
        struct place_loss how = {gone ? LOSS_GONE : LOSS_PRESUMED, company,
                                 reason};
        engine_place_lost_one(j->engine, t->id, t->attempt, &how);
    } else {
        answer(j, t, company, OUTCOME_UNSTARTED, "");
    }
    j->unacked = true;
}

/* Tasks that are tried again; a worker that was told of the end has given them
 * back before. */
static size_t count_unfinished(const struct bundle *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++)
        n += b->tasks[i].held || b->tasks[i].cut;
    return n;
}

static bool is_removed(const struct bundle *b)
{
    return b->told && b->end == JOB_REMOVED && !b->cancelled && !b->killed &&
           !b->back;
}

/* True when a task of it was in a job before that a person has removed. */
static bool note_removed(struct jobs *j, const struct bundle *b)
{
    bool twice = false;
    if (!is_removed(b))
        return false;
    for (size_t i = 0; i < b->count; i++) {
        if (!b->tasks[i].held && !b->tasks[i].cut)
            continue;
        twice |= idmap_get(j->removed, b->tasks[i].id) != NULL;
        idmap_set(j->removed, b->tasks[i].id, j);
    }
    return twice;
}

/* A disk that was full is full for all nodes, and tasks may have begun. */
static bool is_unsaid(const struct bundle *b)
{
    return b->told && b->exit_code == WORKER_EXIT_UNSAID;
}

/* Where no task ever begins, the next job will not do better. */
static bool note_barren(struct jobs *j, const struct bundle *b)
{
    if (b->begun || !b->told || !has_ended_itself(b) || b->cancelled ||
        is_unsaid(b))
        return false;
    return ++j->barren == BARREN_MAX;
}

static void give_up(struct jobs *j, struct buf *text)
{
    struct err err = {0};
    err_set(&err, ERR_SYSTEM, "%.1000s", text->p);
    engine_place_fault(j->engine, &err);
}

/* What was never heard to begin may have run for all that. */
static void presume_begun(struct bundle *b)
{
    for (size_t i = 0; b->ran && i < b->count; i++)
        b->tasks[i].begun |= b->tasks[i].held;
}

static void lose(struct jobs *j, struct bundle *b)
{
    struct buf fate;
    buf_init(&fate);
    print_fate(j, b, &fate);
    presume_begun(b);
    bool removed = note_removed(j, b), barren = note_barren(j, b);
    uint32_t company = count_begun(b);
    size_t again = is_removed(b) ? count_unfinished(b) : b->open;
    if (b->told && (has_ended_itself(b) || b->end == JOB_VANISHED))
        b->bad |= !is_unsaid(b);
    jobs_tell_torn(j, b);
    if (!b->cancelled && !b->killed)
        log_to(j->given->log, LOG_NOTICE, "%s; %zu task%s of it %s", fate.p,
               again, again == 1 ? "" : "s",
               again == 1 ? "is tried again" : "are tried again");
    for (size_t i = 0; i < b->count; i++)
        if (b->tasks[i].held)
            give_back(j, &b->tasks[i], company, fate.p);
    jobs_note_node(j, b);
    if (removed) {
        buf_adds(&fate, ", the second time that a job with these tasks was "
                        "removed; the study stops here, and goes on when it is "
                        "run again");
        give_up(j, &fate);
    } else if (barren) {
        buf_addf(&fate,
                 "; so did the %d before it, and none has begun a "
                 "task",
                 BARREN_MAX - 1);
        print_log(b, &fate);
        give_up(j, &fate);
    }
    buf_done(&fate);
}

/* Its worker has handed back what was left: why it had to is said, too. */
static void tell_end(struct jobs *j, const struct bundle *b)
{
    struct buf fate;
    buf_init(&fate);
    print_fate(j, b, &fate);
    ending_tell(j, b, fate.p);
    buf_done(&fate);
}

/* ---- the scheduler's word
 * ------------------------------------------------------ */

static void keep(char *to, size_t size, struct str from)
{
    snprintf(to, size, "%.*s", STRF(from));
}

/* Where tasks are not heard before their job has ended, all that is known of
 * them is that it runs. */
static void note_run(struct bundle *b, const struct job_word *w)
{
    b->ran |= w->stage == JOB_RUNS;
    if (w->stage != JOB_RUNS)
        b->began_wall = 0;
    else if (!(b->began_wall > 0))
        b->began_wall = clock_wall();
}

static bool is_kept(struct str text, const char *kept, size_t size)
{
    if (text.len >= size)
        text.len = size - 1;
    return str_is(text, kept);
}

/* Its node may be why it does not go on. */
static void blame_node(struct jobs *j, struct bundle *b)
{
    bool was = b->bad;
    b->bad = true;
    if (!b->good)
        jobs_note_node(j, b);
    b->bad = was;
}

static void note_word(struct bundle *b, const struct job_word *w)
{
    struct submission *s = b->of;
    bool other = !b->told || !str_is(w->state, b->state);
    s->changed |= other || !is_kept(w->reason, b->reason, sizeof b->reason) ||
                  (w->by.len && !str_is(w->by, b->by));
    b->told = true;
    if (s->jobs->scheduler->late)
        note_run(b, w);
    b->stage = w->stage;
    b->end = w->end;
    b->exit_code = w->exit_code;
    b->by_later = w->by_later;
    b->restarts = w->starts > b->restarts ? w->starts : b->restarts;
    keep(b->state, sizeof b->state, w->state);
    keep(b->reason, sizeof b->reason, w->reason);
    keep(b->by, sizeof b->by, w->by);
    keep(b->words, sizeof b->words, w->words);
    if (w->node.len)
        keep(b->node, sizeof b->node, w->node);
    if (other && w->blames)
        blame_node(s->jobs, b);
}

/* What waits for a person is said, once for each reason. */
static void tell_stuck(struct jobs *j, const struct bundle *b,
                       const struct job_word *w)
{
    struct buf name;
    struct str topic = w->topic.len ? w->topic : w->reason;
    if (!w->stuck || !b->open || str_is(topic, j->stuck_told))
        return;
    keep(j->stuck_told, sizeof j->stuck_told, topic);
    buf_init(&name);
    jobs_name(j, b, &name);
    log_to(j->given->log, LOG_WARN, "%s does not %s (%.*s): %.*s", name.p,
           b->ran ? "go on" : "begin", STRF(w->reason), STRF(w->words));
    buf_done(&name);
}

static struct submission *find_job(const struct jobs *j, uint64_t job)
{
    for (size_t i = 0; i < j->list.len; i++)
        if (j->list.p[i]->job == job)
            return j->list.p[i];
    return NULL;
}

static bool was_asked(const struct jobs *j, uint64_t job)
{
    for (size_t i = 0; i < j->asked_jobs.len; i++)
        if (j->asked_jobs.p[i].job == job)
            return true;
    return false;
}

/* What was said of a job that is not known any more, when it ran, says nothing
 * of its end. */
static void settle(struct jobs *j, struct bundle *b)
{
    b->told &= b->stage == JOB_OVER;
    b->over = true;
    b->of->changed = true;
    if (b->open)
        ending_learn(j, b);
    if (b->open || (is_removed(b) && count_unfinished(b)))
        lose(j, b);
    else if (count_unfinished(b))
        tell_end(j, b);
}

/* Of an element that is cancelled while it waits, Slurm keeps no record. */
static void note_gone(struct jobs *j, struct bundle *b)
{
    bool begun = b->begun || (b->starts.len && b->starts.p[0].at);
    if (!b->told || b->stage != JOB_WAITS || b->seen == j->looks || begun)
        return;
    b->gone = true;
    b->stage = JOB_OVER;
    b->end = JOB_REMOVED;
}

static void judge(struct jobs *j, struct bundle *b)
{
    bool over = b->seen != j->looks || b->stage == JOB_OVER;
    if (b->over)
        return;
    if (!over && !b->open && b->stage == JOB_WAITS && !b->cancelled)
        jobs_doom(j, b, 0); /* begun again, it would find nothing to do */
    if (!over)
        b->without = 0;
    else
        b->without = b->heard ? 1 : b->without + 1;
    b->heard = false;
    if (b->without < (b->by_later ? BY_ANSWERS : 2))
        return;
    if (jobs_hear(j, b)) {
        b->without = 1;
        return;
    }
    note_gone(j, b);
    settle(j, b);
}

static void on_words(void *context, const struct job_word *words, size_t count,
                     const struct err *err)
{
    struct jobs *j = context;
    struct submission *s = NULL;
    j->looking = false;
    if (!words) {
        if (!j->look_failed)
            log_to(j->given->log, LOG_WARN,
                   "%s; until it answers, nothing is concluded about jobs",
                   err->text);
        j->look_failed = true;
        return;
    }
    if (j->look_failed)
        log_to(j->given->log, LOG_NOTICE, "%s answers again",
               j->scheduler->name);
    j->look_failed = false;
    j->looks++;
    for (size_t i = 0; i < count; i++) {
        if (!s || s->job != words[i].job)
            s = find_job(j, words[i].job);
        if (!s || words[i].index >= s->count)
            continue;
        struct bundle *b = &s->bundles[words[i].index];
        b->seen = j->looks;
        note_word(b, &words[i]);
        ending_heard(j, b, &words[i]);
        tell_stuck(j, b, &words[i]);
    }
    for (size_t i = 0; i < j->list.len; i++) {
        s = j->list.p[i];
        for (uint32_t k = 0; was_asked(j, s->job) && k < s->count; k++)
            judge(j, &s->bundles[k]);
        if (s->changed)
            j->look_s = LOOK_SECONDS;
        submission_write_state(s, j->scheduler->name);
    }
    jobs_soon(j);
}

/* An array of which nobody knows whether it was ever taken. */
static void on_name(void *context, const struct job_receipt *r)
{
    struct submission *s = context;
    struct jobs *j = s->jobs;
    s->searching = false;
    if (r->job) {
        submission_taken(s, r->job, NULL);
        jobs_look_soon(j);
    } else if (!r->why.kind) {
        s->searched = true;
        for (uint32_t k = 0; k < s->count; k++) {
            jobs_hear(j, &s->bundles[k]);
            settle(j, &s->bundles[k]);
        }
    }
    jobs_soon(j);
}

static bool is_over(const struct submission *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (!s->bundles[k].over)
            return false;
    return true;
}

static bool is_urgent(const struct jobs *j)
{
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            const struct bundle *b = &j->list.p[i]->bundles[k];
            if (!b->over && (b->cancelled || (b->without && b->open)))
                return true;
        }
    return false;
}

void jobs_look(struct jobs *j)
{
    bool waits = false;
    if (j->looking) { /* for longer than was meant to be between two */
        loop_timer_in(j->look_timer, fmin(LOOK_URGENT_SECONDS, j->look_max_s));
        return;
    }
    j->asked_jobs.len = 0;
    for (size_t i = 0; i < j->list.len; i++) {
        struct submission *s = j->list.p[i];
        if (s == j->ordered || is_over(s))
            continue;
        waits = true;
        if (s->job) {
            vec_push(&j->asked_jobs,
                     ((struct job_asked){s->job, s->folder, s->count}));
        } else if (!s->searching) {
            s->searching = true;
            j->scheduler->find(j->at, s->name, on_name, s);
        }
    }
    if (j->asked_jobs.len) {
        j->looking = true;
        j->scheduler->look(j->at, j->asked_jobs.p, j->asked_jobs.len, on_words,
                           j);
    }
    if (!waits)
        return;
    double in_s = is_urgent(j) ? LOOK_URGENT_SECONDS : j->look_s;
    loop_timer_in(j->look_timer, fmin(in_s, j->look_max_s));
    j->look_s = fmin(j->look_s * 1.5, j->look_max_s);
}

void jobs_look_soon(struct jobs *j)
{
    j->look_s = LOOK_SECONDS;
    loop_timer_in(j->look_timer, fmin(LOOK_URGENT_SECONDS, j->look_max_s));
}

/* ---- the end of jobs
 * ------------------------------------------------------------ */

void jobs_doom(struct jobs *j, struct bundle *b, double in_s)
{
    int64_t at = clock_mono_ns() + (int64_t)(in_s * 1e9);
    if (!b->cancel_ns || at < b->cancel_ns)
        b->cancel_ns = at;
    jobs_soon(j);
}

static void cancel_some(struct jobs *j, struct submission *s, int64_t now,
                        bool waiting_only)
{
    VEC(uint32_t) which = {0};
    for (uint32_t k = 0; k < s->count; k++) {
        struct bundle *b = &s->bundles[k];
        if (b->over || b->cancelled || !b->cancel_ns || b->cancel_ns > now ||
            (b->back && b->open) != waiting_only)
            continue;
        vec_push(&which, k);
        b->cancelled = !waiting_only;
        if (waiting_only)
            b->cancel_ns = 0;
    }
    struct job_cancel c = {.job = s->job,
                           .indices = which.p,
                           .count = which.len == s->count ? 0 : which.len,
                           .waiting_only = waiting_only,
                           .wait = j->closing};
    if (which.len) {
        j->scheduler->cancel(j->at, &c);
        if (!j->closing)
            jobs_look_soon(j);
    }
    vec_done(&which);
}

void jobs_cancel_due(struct jobs *j)
{
    int64_t now = clock_mono_ns();
    for (size_t i = 0; i < j->list.len; i++) {
        if (!j->list.p[i]->job)
            continue;
        cancel_some(j, j->list.p[i], now, false);
        cancel_some(j, j->list.p[i], now, true);
    }
}

static bool has_open(const struct submission *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (s->bundles[k].open)
            return true;
    return false;
}

/* All tasks have their answers: whatever the scheduler said last of a job, it
 * is over or will be in a moment. */
static void close_state(struct submission *s, const char *scheduler)
{
    for (uint32_t k = 0; k < s->count; k++) {
        struct bundle *b = &s->bundles[k];
        s->changed |= !b->over;
        b->over = true;
        if (b->stage != JOB_OVER)
            *b->state = *b->reason = *b->words = 0;
    }
    submission_write_state(s, scheduler);
}

void jobs_settle(struct jobs *j)
{
    VEC(uint64_t) left = {0};
    for (size_t i = 0; i < j->list.len; i++) {
        struct submission *s = j->list.p[i];
        if (s->job && !has_open(s) && !is_over(s))
            vec_push(&left, s->job);
    }
    if (left.len)
        j->scheduler->settle(j->at, left.p, left.len);
    vec_done(&left);
}

void jobs_tidy(struct jobs *j)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->list.len; i++) {
        struct submission *s = j->list.p[i];
        bool done = j->closing ? s->job != 0 || s->searched : is_over(s);
        if (s == j->ordered || s->searching || has_open(s) || !done) {
            j->list.p[kept++] = s;
            continue;
        }
        close_state(s, j->scheduler->name);
        submission_tidy(s);
        jobs_forget(j, s);
        submission_free(s);
    }
    j->list.len = kept;
}
