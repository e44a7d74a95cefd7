/* endings.c - why a scheduler has ended a job, or a start of it
 *
 * A worker that is told to end hands its tasks back, and knows no reason. The
 * queue has one when the job is over for good; of a job that goes back into the
 * queue it has none. But a scheduler writes a line into the log of a job that
 * it ends, before it does so: that line says why, at once and without
 * accounting. Each counts for the start that ended when it was found. A node
 * that fails writes nothing; then accounting may know. */
#include "engine/jobs.h"

#include <stdio.h>

#define LOG_MAX (1u << 20)

/* What was written since the last time. */
static bool read_new(const struct jobs *j, struct bundle *b, struct buf *text,
                     struct job_word *w)
{
    const char *path = bundle_log(b->stem, b->of->arena);
    if (!j->scheduler->read_log || file_bytes(path) <= b->log_at ||
        file_read(path, LOG_MAX, text, NULL) || text->len <= b->log_at)
        return false;
    struct str fresh = str_n(text->p + b->log_at, text->len - b->log_at);
    b->log_at = text->len;
    return j->scheduler->read_log(fresh, w);
}

static void write_down(struct bundle *b, uint32_t start, struct str node,
                       struct str state, struct str words)
{
    b->ended = start + 1;
    snprintf(b->ended_as, sizeof b->ended_as, "%s%.*s%sas %.*s%s%.*s",
             node.len ? "on " : "", STRF(node), node.len ? " " : "",
             STRF(state), words.len ? ", " : "", STRF(words));
}

/* True when somebody has written why that start was ended. */
static bool is_known(const struct jobs *j, struct bundle *b, uint32_t start)
{
    struct job_word w = {0};
    struct buf text;
    if (b->ended == start + 1)
        return *b->ended_as;
    buf_init(&text);
    *b->ended_as = 0;
    b->ended = 0; /* it may come later */
    b->ended_end = JOB_ENDED;
    if (read_new(j, b, &text, &w)) {
        write_down(b, start, w.node, w.state, w.words);
        b->ended_end = w.end;
    }
    buf_done(&text);
    return *b->ended_as;
}

/* "Slurm job 7_0 was ended on t0 as PREEMPTED, …" */
static void print(const struct jobs *j, const struct bundle *b, struct buf *out)
{
    buf_addf(out, "%s job ", j->scheduler->name);
    job_id_print(out, str_of(j->scheduler->name), b->of->job, b->index);
    buf_addf(out, " was ended %s", b->ended_as);
}

static void tell(struct jobs *j, const char *text)
{
    log_to(j->given->log, LOG_NOTICE,
           "%s; what it had not finished is tried again", text);
}

/* True when it was handed back because its job was ended. */
static bool is_handed_back(const struct record_ended *e)
{
    return e->outcome == OUTCOME_INTERRUPTED &&
           (str_is(e->reason, BUNDLE_ENDED) ||
            str_is(e->reason, BUNDLE_ENDED_TOO));
}

bool ending_for_time(struct jobs *j, struct bundle *b, uint32_t start,
                     const struct record_ended *e)
{
    return is_handed_back(e) && is_known(j, b, start) &&
           b->ended_end == JOB_OVER_TIME;
}

bool ending_explains(struct jobs *j, struct bundle *b, uint32_t start,
                     struct record_ended *e, struct buf *reason)
{
    bool told = b->ended_told == start + 1;
    if (b->cancelled || !is_handed_back(e) || !is_known(j, b, start))
        return false;
    print(j, b, reason);
    e->reason = buf_str(reason);
    b->ended_told = start + 1;
    if (!told && !b->killed)
        tell(j, reason->p);
    return true;
}

void ending_print(struct jobs *j, struct bundle *b, uint32_t start,
                  struct buf *out)
{
    if (is_known(j, b, start))
        buf_addf(out, " after it was ended %s", b->ended_as);
    else if (j->scheduler->read_log)
        buf_adds(out, ", and nothing wrote a reason into its log, as when a "
                      "node fails");
}

void ending_heard(struct jobs *j, struct bundle *b, const struct job_word *w)
{
    struct buf text;
    if (!w->before.state.len || !w->starts || b->ended == w->starts)
        return;
    if (!is_known(j, b, w->starts - 1))
        write_down(b, w->starts - 1, w->before.node, w->before.state,
                   w->before.words);
    buf_init(&text);
    print(j, b, &text);
    b->ended_told = w->starts;
    if (!b->killed && !b->cancelled)
        tell(j, text.p);
    buf_done(&text);
}

void ending_learn(struct jobs *j, struct bundle *b)
{
    if (!b->told || b->stage != JOB_OVER || b->end == JOB_OVER_MEMORY ||
        !is_known(j, b, b->restarts) || b->ended_end != JOB_OVER_MEMORY)
        return;
    b->end = JOB_OVER_MEMORY;
    snprintf(b->words, sizeof b->words, "by its log %.100s", b->ended_as);
}

void ending_tell(struct jobs *j, const struct bundle *b, const char *fate)
{
    if (b->told && *b->words && !b->cancelled && !b->killed && !*b->ended_as)
        tell(j, fate);
}
