/* attempt.c - what a worker's record means for a trial
 *
 * Records of an attempt that is not the trial's newest are refused. The rules
 * of the end: done, invalid, stopped, timed out, killed and diverged are
 * final; a failure is final when retries are used up, or when the task could
 * not be started at all; lost, interrupted and checkpointed attempts use up no
 * retry, but three losses for which nobody else is to blame (blame.c), or two
 * checkpoints without a change between them, count as failed. A trial that a
 * person has stopped or killed ends so, however its attempt came back, unless
 * it ended by itself.
 *
 * When a stop was decided at a report, the trial is what it was then: whatever
 * it says or does before it hears of it depends on how fast it and the machine
 * are, and does not count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/hash.h"
#include "base/json.h"
#include "study/run.h"
#include "study/used.h"

#define RETRY_DELAY_MAX_S 300.0

/* ---- metrics ---------------------------------------------------------- */

void attempt_stop(struct run *r, struct live *l, const char *why)
{
    l->stop_why = why;
    engine_stop_task(r->engine, (uint64_t)l->t.id);
}

/* Who waits for a decision hears that it goes on, and when to wait again. */
static void answer(struct run *r, struct live *l)
{
    l->awaits = r->source.decides_at(r->source.context, l);
    engine_go_on(r->engine, (uint64_t)l->t.id, l->awaits);
}

static void report(struct run *r, struct live *l, int64_t step, double value)
{
    if (l->stop_why)
        return;
    enum decision d = r->source.report(r->source.context, l, step, value);
    if (d == DECISION_STOP)
        l->decided_at = step;
    if (d != DECISION_CONTINUE)
        attempt_stop(r, l, l->stop_why ? l->stop_why : "by the method");
    else if (l->awaits && step >= l->awaits)
        answer(r, l);
}

/* The column without the points behind a decision to stop. */
static struct metric_column cut_column(struct run *r, const struct live *l,
                                       const struct metric_column *c)
{
    struct metric_column cut = *c;
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        kept += metric_step(c, i) <= l->decided_at;
    if (kept == c->count)
        return cut;
    unsigned char *steps = arena_alloc(r->arena, 16 * kept + 1);
    unsigned char *values = steps + 8 * kept;
    cut.count = 0;
    cut.steps = steps;
    cut.values = values;
    for (size_t i = 0; i < c->count; i++)
        if (metric_step(c, i) <= l->decided_at) {
            memcpy(steps + 8 * cut.count, c->steps + 8 * i, 8);
            memcpy(values + 8 * cut.count++, c->values + 8 * i, 8);
        }
    return cut;
}

/* Lets the source decide, before anything is taken in. */
static void report_column(struct run *r, struct live *l,
                          const struct metric_column *c)
{
    if (!str_eq(r->limits.metric, c->name) ||
        !summary_entry(&l->summary, c->name, c->source))
        return;
    for (size_t i = 0; i < c->count; i++)
        report(r, l, metric_step(c, i), metric_value(c, i));
}

static int take_column(struct run *r, struct live *l, uint32_t attempt,
                       const struct metric_column *c, struct err *err)
{
    struct metric_column cut = cut_column(r, l, c);
    c = &cut;
    if (!c->count)
        return 0;
    if (store_metrics_add(r->store, l->t.id, attempt, c->name, c, err))
        return -1;
    struct summary_entry *e = summary_entry(&l->summary, c->name, c->source);
    if (!e)
        return 0;
    r->any_value |= str_eq(r->limits.metric, c->name);
    for (size_t i = 0; i < c->count; i++)
        summary_point(e, metric_step(c, i), metric_value(c, i));
    return 0;
}

/* True when the batch has an earlier step than all that was reported since an
 * attempt began anew. */
static bool begins_earlier(struct live *l, struct str batch)
{
    struct metric_reader reader;
    struct metric_column c;
    int64_t first = l->a.first_step;
    metric_reader_init(&reader, batch);
    while (metric_reader_next(&reader, &c) > 0)
        for (size_t i = 0; i < c.count; i++)
            if (metric_step(&c, i) < first)
                first = metric_step(&c, i);
    bool earlier = first < l->a.first_step;
    l->a.first_step = first;
    return earlier;
}

/* What attempts before it reported stays in the store, but counts no more. */
static int take_back(struct run *r, struct live *l, struct err *err)
{
    if (store_attempt_put(r->store, &l->a, err) ||
        summary_rebuild(&l->summary, r->store, l->t.id, err))
        return -1;
    return r->source.anew(r->source.context, l, err);
}

static int on_metrics(struct run *r, struct live *l, uint32_t attempt,
                      struct str batch, struct err *err)
{
    struct metric_reader reader;
    struct metric_column c;
    metric_reader_init(&reader, batch);
    int got;
    /* What a dead worker left came nobody knows when. */
    bool now = r->phase != RUN_SETTLES && attempt == l->a.number;
    double wall = now ? clock_wall() : 0;
    if (l->a.anew && begins_earlier(l, batch) && take_back(r, l, err))
        return -1;
    while (metric_reader_next(&reader, &c) > 0)
        report_column(r, l, &c);
    metric_reader_init(&reader, batch);
    while ((got = metric_reader_next(&reader, &c)) > 0) {
        c.wall = wall;
        if (take_column(r, l, attempt, &c, err))
            return -1;
    }
    if (got < 0)
        return err_set(err, ERR_CORRUPT, "a damaged batch of metrics");
    r->any_good |= r->phase != RUN_SETTLES; /* what reports is alive */
    if (!l->summary_unwritten)
        vec_push(&r->reported, l->t.id);
    l->summary_unwritten = true;
    return 0;
}

/* Points that were read out of its files, or out of what its predecessor left
 * in them. */
static int on_points(struct run *r, struct live *l, struct str payload,
                     struct err *err)
{
    struct record_points p;
    if (record_points_parse(payload, &p, err))
        return -1;
    l->a.metrics_at = p.metrics_at;
    l->a.log_at = p.log_at;
    uint32_t attempt = p.earlier && l->earlier ? l->earlier : l->a.number;
    return on_metrics(r, l, attempt, p.batch, err);
}

/* What built-in training left at a rung: no more is taken under a name. */
static int on_file(struct run *r, struct live *l, struct str payload,
                   struct err *err)
{
    static const char *const names[] = {TASK_STATE, TASK_WEIGHTS};
    struct record_file f;
    if (record_file_parse(payload, &f, err))
        return -1;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (str_is(f.name, names[i]))
            return store_file_put(r->store, l->t.id, names[i], f.text, err);
    return err_set(err, ERR_CORRUPT, "it left a file that nobody asked for");
}

/* ---- start ------------------------------------------------------------ */

/* It, or one before it of which nobody has heard, found no checkpoint, and its
 * metrics file is a new one. */
static int on_anew(struct live *l, struct str payload, struct err *err)
{
    struct bytes in = bytes_of(payload);
    uint32_t said = bytes_u32(&in), number = said ? said : l->a.number;
    if (in.bad || in.p != in.end || number > l->a.number)
        return err_set(err, ERR_CORRUPT,
                       "a record of an attempt that began anew makes no sense");
    if (number <= l->a.anew)
        return 0;
    l->a.anew = number;
    l->a.first_step = INT64_MAX;
    l->a.metrics_at = 0;
    l->overcome = l->failed;
    return 0;
}

static void text_copy(char *to, size_t size, struct str from)
{
    size_t n = from.len < size - 1 ? from.len : size - 1;
    memcpy(to, from.p, n);
    to[n] = 0;
}

static int on_started(struct run *r, struct live *l, struct str payload,
                      struct err *err)
{
    struct record_started s;
    if (record_started_parse(payload, &s, err))
        return -1;
    l->a.pid = s.pid;
    l->a.pid_start = s.pid_start;
    l->a.started = s.wall;
    l->stood_in = l->a.folder;
    l->unread = false;
    l->started_ns = clock_mono_ns();
    text_copy(l->a.boot_id, sizeof(l->a.boot_id), s.boot_id);
    if (s.host.len)
        text_copy(l->a.host, sizeof(l->a.host), s.host);
    if (l->t.started == 0)
        l->t.started = s.wall;
    if (l->t.state != STATE_RUNNING) {
        r->counts.by_state[l->t.state]--;
        r->counts.by_state[STATE_RUNNING]++;
        l->t.state = STATE_RUNNING;
    }
    r->refused = 0;
    l->start_unwritten = true;
    vec_push(&r->started, l->t.id);
    return 0;
}

/* ---- end -------------------------------------------------------------- */

/* The attempt is over: nothing of it is out any more. One that was to read, and
 * is gone, has not. */
static int close_attempt(struct run *r, struct live *l, bool gone,
                         struct err *err)
{
    bool read = l->phase == LIVE_READS && !gone;
    live_enter(r, l, read ? LIVE_READ : LIVE_AT_HAND);
    l->unread = gone;
    l->start_unwritten = l->read_unwritten = false;
    l->earlier = l->a.number;
    l->t.seconds += l->a.seconds;
    return store_attempt_put(r->store, &l->a, err);
}

static int wait_again(struct run *r, struct live *l, double delay_s,
                      struct err *err)
{
    if (l->t.state != STATE_WAITING) {
        r->counts.by_state[l->t.state]--;
        r->counts.by_state[STATE_WAITING]++;
        l->t.state = STATE_WAITING;
    }
    l->ready_ns = clock_mono_ns() + (int64_t)(delay_s * 1e9);
    run_wait(r, l);
    return run_write_row(r, l, err);
}

static void remember_tail(struct run *r, struct str tail, struct str reason)
{
    struct buf b;
    buf_init(&b);
    buf_addstr(&b, tail);
    if (tail.len == 0)
        buf_addstr(&b, reason);
    free(r->failure_tail);
    r->failure_tail = buf_take(&b);
}

int64_t run_first_round(const struct run *r)
{
    struct needs one;
    needs_init(&one);
    int64_t slots = engine_slots(
        r->engine, r->limits.needs_fixed ? &r->limits.needs : &one);
    return slots < 3 ? 3 : slots > 20 ? 20 : slots;
}

/* True when everything has failed so far, as often as a first round of all
 * slots would, and there is more to come. */
static bool all_failing(struct run *r)
{
    if (r->any_good || r->limits.keep_going || r->phase != RUN_STARTS)
        return false;
    r->failed_first++;
    return r->failed_first >= run_first_round(r) && idmap_count(r->lives) > 1;
}

double study_back_off(double delay_s, uint32_t failures)
{
    for (uint32_t i = 1; i < failures && delay_s < RETRY_DELAY_MAX_S; i++)
        delay_s *= 2;
    return delay_s < RETRY_DELAY_MAX_S ? delay_s : RETRY_DELAY_MAX_S;
}

/* The objective's value as the study wants it; NaN when it has none. */
static int take_value(struct run *r, struct live *l, struct err *err)
{
    if ((l->adopted || l->t.attempts > 1 || summary_tangled(&l->summary)) &&
        summary_rebuild(&l->summary, r->store, l->t.id, err))
        return -1;
    if (costs_take(r, l, err))
        return -1;
    const struct summary_entry *e =
        r->limits.metric.len ? summary_find(&l->summary, r->limits.metric)
                             : NULL;
    l->t.value = NAN;
    if (!e)
        return 0;
    double value = !r->limits.pick_best ? e->last
                   : r->limits.minimize ? e->min
                                        : e->max;
    if (isfinite(value)) /* what diverged does not rank, least of all first */
        l->t.value = value;
    return 0;
}

/* One that began anew ends without a word. Those before it that were cut off
 * have spoken the truth, as far as they came, and it may have found their work
 * elsewhere; one that failed has not, nor what it went on from. */
static int take_back_failed(struct run *r, struct live *l, struct err *err)
{
    if (!l->overcome || !l->a.anew || l->a.first_step != INT64_MAX)
        return 0;
    l->a.anew = l->overcome + 1;
    l->a.first_step = INT64_MIN;
    return take_back(r, l, err);
}

static int on_bad_end(struct run *r, struct live *l, enum state state,
                      const char *reason, struct err *err)
{
    if (take_value(r, l, err))
        return -1;
    l->t.value = NAN; /* its metrics stay, but it does not rank */
    if (run_finish(r, l, state, reason, err))
        return -1;
    if (run_too_many_failures(r))
        run_drain(r, STUDY_FAILURES);
    return 0;
}

/* What cannot even be started is not tried again: the program or its
 * interpreter is not there, and will not be in a second. */
static int on_failure(struct run *r, struct live *l,
                      const struct record_ended *e, const char *reason,
                      struct err *err)
{
    l->t.failures++;
    remember_tail(r, e->tail, str_of(reason));
    if (e->outcome != OUTCOME_SPAWN && l->t.failures <= r->limits.retries)
        return wait_again(
            r, l, study_back_off(r->limits.retry_delay_s, l->t.failures), err);
    bool doubtful = all_failing(r);
    if (on_bad_end(r, l, STATE_FAILED, reason, err))
        return -1;
    if (doubtful)
        run_doubt(r, STUDY_ALL_FAILED);
    return 0;
}

static int on_checkpointed(struct run *r, struct live *l, uint64_t digest,
                           struct err *err)
{
    bool same = l->has_digest && l->digest == digest;
    l->has_digest = true;
    l->digest = digest;
    if (same)
        return on_bad_end(r, l, STATE_FAILED,
                          "ended twice with exit code 85 and no change in "
                          "its checkpoint",
                          err);
    return wait_again(r, l, 0, err);
}

/* One that nobody wanted to end may have lost the ground under it. */
static int on_interrupted(struct run *r, struct live *l, struct err *err)
{
    l->has_digest = false; /* the checkpoint may have fallen back */
    if (wait_again(r, l, 0, err))
        return -1;
    return run_goes_on(r) ? store_stands(r->store, err) : 0;
}

static int on_loss(struct run *r, struct live *l, const char *reason,
                   struct err *err)
{
    if (l->suspicion.losses < RUN_LOSSES_MAX)
        return wait_again(r, l, 0, err);
    char text[256];
    snprintf(text, sizeof(text), "lost %d times in a row: %s", RUN_LOSSES_MAX,
             reason);
    return on_bad_end(r, l, STATE_FAILED, text, err);
}

static bool better(const struct run *r, double a, double b)
{
    if (isnan(a))
        return false;
    return isnan(b) || (r->limits.minimize ? a < b : a > b);
}

static const struct value *summary_of(struct run *r, struct live *l)
{
    buf_reset(&r->text);
    summary_print(&r->text, &l->summary);
    return json_parse(r->arena, buf_str(&r->text), "summary", true, NULL);
}

/* Of two trials with the same value: is this one before the best so far? */
static bool wins_tie(struct run *r, struct live *l)
{
    const struct goal *g = r->limits.goal;
    struct trial t;
    if (!g || g->objective_count < 2 ||
        store_trial(r->store, r->best, r->arena, &t, NULL))
        return l->t.id < r->best;
    struct contender two[] = {{.id = r->best}, {.id = l->t.id}};
    size_t m = g->objective_count;
    double *values = arena_array(r->arena, 2 * m, sizeof(*values));
    goal_values(g, json_parse(r->arena, t.summary, "summary", true, NULL),
                values);
    goal_values(g, summary_of(r, l), values + m);
    rank_fronts(g, two, values, 2);
    size_t *order = rank_order(g, two, values, 2);
    r->best_tied |= order[0] == 1;
    free(order);
    return r->best_tied;
}

void run_note_value(struct run *r, struct live *l)
{
    double v = l->t.value;
    bool tie = v == r->best_value && wins_tie(r, l);
    if (!better(r, v, r->best_value) && !tie)
        return;
    r->best = l->t.id;
    r->best_value = v;
    bool hit =
        r->limits.has_target &&
        (r->limits.minimize ? v <= r->limits.target : v >= r->limits.target);
    if (hit && r->end <= STUDY_COMPLETE) {
        log_to(r->log, LOG_NOTICE, "trial %lld reached the target",
               (long long)l->t.id);
        run_drain(r, STUDY_TARGET);
    }
}

/* Why a trial that ended well may not be used, or NULL. */
static const char *broken_bound(struct run *r, struct live *l)
{
    const struct goal *g = r->limits.goal;
    if (!g || !g->bound_count)
        return NULL;
    const struct value *summary = summary_of(r, l);
    buf_reset(&r->text);
    goal_broken_print(&r->text, g, summary);
    return r->text.len ? arena_cstr(r->arena, buf_str(&r->text)) : NULL;
}

const char *attempt_mind_bounds(struct run *r, struct live *l, const char *why)
{
    const char *broken = broken_bound(r, l);
    if (!broken)
        return why;
    l->t.value = NAN;
    return arena_printf(r->arena, "%s%sa constraint is broken: %s", why,
                        *why ? "; " : "", broken);
}

static int on_good_end(struct run *r, struct live *l, enum state state,
                       struct err *err)
{
    r->any_good = true;
    if (take_back_failed(r, l, err) || take_value(r, l, err))
        return -1;
    if (state == STATE_DONE)
        unreported_note(r, l);
    const char *why = state == STATE_STOPPED && l->stop_why ? l->stop_why : "";
    why = attempt_mind_bounds(r, l, why);
    run_note_value(r, l);
    return run_finish(r, l, state, why, err);
}

/* It has used its budget, or the method wants it to wait: it may go on from
 * its checkpoint. */
static int on_pause(struct run *r, struct live *l, struct err *err)
{
    char reason[64];
    r->any_good = true;
    if (take_back_failed(r, l, err) || take_value(r, l, err))
        return -1;
    unreported_note(r, l);
    if (l->t.budget)
        snprintf(reason, sizeof(reason), "waits at %lld",
                 (long long)l->t.budget);
    else
        snprintf(reason, sizeof(reason), "waits for the method");
    return run_pause(r, l, reason, err);
}

/* ---- wishes ----------------------------------------------------------- */

/* One that never ran has no value, and says nothing about the study. */
int attempt_grant(struct run *r, struct live *l, struct err *err)
{
    if (l->wish == WISH_KILL)
        return on_bad_end(r, l, STATE_KILLED, "by request", err);
    if (!l->t.attempts)
        return run_finish(r, l, STATE_STOPPED, "by request", err);
    if (l->phase != LIVE_READ)
        l->stop_why = "by request";
    return on_good_end(r, l, STATE_STOPPED, err);
}

int attempt_wish(struct run *r, struct live *l, enum wish wish, struct err *err)
{
    if (wish <= l->wish)
        return 0;
    l->wish = wish;
    if (!live_is_out(l) && !run_reads_first(l)) {
        run_unwait(r, l);
        return attempt_grant(r, l, err);
    }
    run_dirty(r);
    if (store_wish_set(r->store, l->t.id, wish, err))
        return -1;
    if (!live_is_out(l)) { /* its next attempt only reads */
        l->stop_why = NULL;
        return 0;
    }
    if (wish == WISH_KILL)
        engine_kill_task(r->engine, (uint64_t)l->t.id, OUTCOME_KILLED);
    else
        attempt_stop(r, l, l->stop_why ? l->stop_why : "by request");
    return 0;
}

/* True when the trial would go on after this end of its attempt, or when only
 * the way in which it was asked to end differs from what was wished last. */
static bool is_for_the_wish(const struct run *r, const struct live *l,
                            enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_UNSTARTED:
    case OUTCOME_CHECKPOINTED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_LOST:
        return true;
    case OUTCOME_DONE:
        return r->source.pauses(r->source.context, l);
    case OUTCOME_STOPPED:
        return l->wish == WISH_KILL;
    case OUTCOME_FAILED:
    case OUTCOME_MEMORY:
        return l->t.failures < r->limits.retries;
    default:
        return false;
    }
}

/* ---- which end it is -------------------------------------------------- */

/* The attempt was handed out and never began: only its number is used up, so
 * that no word about it can be taken for one about the next. With a reason it
 * could not begin (no room on the disk, say): that may pass, but not without
 * end. */
static int on_unstarted(struct run *r, struct live *l, const char *reason,
                        struct err *err)
{
    live_enter(r, l, LIVE_AT_HAND);
    l->read_unwritten = false;
    l->a.outcome = OUTCOME_UNSTARTED;
    l->a.ended = clock_wall();
    if (store_attempt_put(r->store, &l->a, err))
        return -1;
    if (l->wish && !run_reads_first(l))
        return attempt_grant(r, l, err);
    if (*reason && shortage_refused(r, l, reason, err))
        return -1;
    return wait_again(r, l, *reason ? 1.0 : 0, err);
}

static bool is_pause(const struct run *r, const struct live *l,
                     enum outcome outcome)
{
    bool well = outcome == OUTCOME_DONE || outcome == OUTCOME_CHECKPOINTED ||
                (outcome == OUTCOME_STOPPED && !l->wish);
    return well && r->source.pauses(r->source.context, l);
}

/* It was asked to finish early, and is gone without a word: that is as good
 * as a stop. Where that was decided at a report, so is any end of its own. */
static bool is_stopped(const struct run *r, const struct live *l,
                       enum outcome outcome)
{
    if (l->decided_at != INT64_MAX && l->stop_why)
        return outcome != OUTCOME_KILLED;
    bool gone = outcome == OUTCOME_LOST || outcome == OUTCOME_INTERRUPTED ||
                outcome == OUTCOME_CHECKPOINTED;
    return gone && l->stop_why && !r->source.pauses(r->source.context, l);
}

/* What was asked to finish at no report of its own, and is gone, may have left
 * some: from here on it is as if a person had wished it. */
static int wish_for_the_rule(struct run *r, struct live *l,
                             enum outcome outcome, struct err *err)
{
    if (l->wish || !l->unread || l->phase == LIVE_READ ||
        l->decided_at != INT64_MAX || !is_stopped(r, l, outcome))
        return 0;
    l->wish = WISH_STOP;
    return store_wish_set(r->store, l->t.id, l->wish, err);
}

static int decide(struct run *r, struct live *l, const struct record_ended *e,
                  const char *reason, struct err *err)
{
    if (wish_for_the_rule(r, l, e->outcome, err))
        return -1;
    if (run_reads_first(l) && l->suspicion.losses < RUN_LOSSES_MAX)
        return wait_again(r, l, 0, err);
    if (l->wish && (l->phase == LIVE_READ || is_for_the_wish(r, l, e->outcome)))
        return attempt_grant(r, l, err);
    if (is_pause(r, l, e->outcome))
        return on_pause(r, l, err);
    if (is_stopped(r, l, e->outcome))
        return on_good_end(r, l, STATE_STOPPED, err);
    switch (e->outcome) {
    case OUTCOME_DONE:
        return on_good_end(r, l, STATE_DONE, err);
    case OUTCOME_STOPPED:
        return on_good_end(r, l, STATE_STOPPED, err);
    case OUTCOME_CHECKPOINTED:
        return on_checkpointed(r, l, e->checkpoint_digest, err);
    case OUTCOME_INVALID:
        return on_bad_end(r, l, STATE_INVALID, reason, err);
    case OUTCOME_TIMED_OUT:
        return on_bad_end(r, l, STATE_TIMED_OUT, reason, err);
    case OUTCOME_KILLED:
        return on_bad_end(r, l, STATE_KILLED, reason, err);
    case OUTCOME_DIVERGED:
        return on_bad_end(r, l, STATE_DIVERGED, reason, err);
    case OUTCOME_INTERRUPTED:
        return on_interrupted(r, l, err);
    case OUTCOME_LOST:
        l->has_digest = false;
        return on_loss(r, l, reason, err);
    default:
        return on_failure(r, l, e, reason, err);
    }
}

/* What a task said goes into the store, its secrets do not. */
static struct str redacted(struct run *r, struct str text)
{
    struct buf b;
    if (!text.len)
        return text;
    buf_init(&b);
    r->source.redact(r->source.context, &b, text);
    text = arena_str(r->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* gone: nobody has said so; what it left in its files is unread. */
static int on_end(struct run *r, struct live *l, const struct record_ended *e,
                  bool gone, struct err *err)
{
    char *reason = arena_cstr(r->arena, e->reason);
    if (e->outcome == OUTCOME_UNSTARTED)
        return on_unstarted(r, l, reason, err);
    l->a.outcome = e->outcome;
    l->a.ended = e->wall;
    l->a.seconds = e->seconds;
    l->a.cpu_seconds = e->cpu_seconds;
    l->a.max_rss_bytes = e->max_rss_bytes;
    l->a.output_bytes = e->output_bytes;
    l->a.checkpoint_digest = e->checkpoint_digest;
    l->a.metric_points = e->metric_points;
    l->a.exit_code = e->exit_code;
    l->a.signum = e->signum;
    if (e->company)
        l->a.company = e->company;
    if (use_is_known(&e->use))
        l->a.use = e->use;
    l->a.reason = e->reason;
    l->a.tail = e->tail;
    if (e->outcome != OUTCOME_LOST && e->outcome != OUTCOME_INTERRUPTED)
        pace_end(&r->pace, e->seconds, r->counts.by_state[STATE_RUNNING],
                 clock_mono_ns());
    if (outcome_is_bad(e->outcome))
        l->failed = l->a.number;
    if (e->outcome == OUTCOME_LOST)
        blame_loss(r, l, &l->a);
    else if (e->outcome != OUTCOME_INTERRUPTED)
        blame_clear(r, l);
    if (close_attempt(r, l, gone, err))
        return -1;
    return decide(r, l, e, reason, err);
}

static int on_ended(struct run *r, struct live *l, struct str payload,
                    struct err *err)
{
    struct record_ended e;
    if (record_ended_parse(payload, &e, err))
        return -1;
    e.reason = redacted(r, e.reason);
    e.tail = redacted(r, e.tail);
    return on_end(r, l, &e, false, err);
}

int attempt_stop_waiting(struct run *r, struct live *l, const char *why,
                         struct err *err)
{
    if (live_is_out(l))
        return 0;
    run_unwait(r, l);
    l->stop_why = why;
    return on_good_end(r, l, STATE_STOPPED, err);
}

/* ---- entry ------------------------------------------------------------ */

/* What several trials say is shown once. */
static void on_notice(struct run *r, struct live *l, struct str text)
{
    uint64_t hash = hash64(text, 0);
    for (unsigned i = 0; i < r->notices; i++)
        if (r->told[i] == hash)
            return;
    if (r->notices == NOTICES_MAX)
        return;
    r->told[r->notices++] = hash;
    log_to(r->log, LOG_NOTICE, "trial %lld: %.*s", (long long)l->t.id,
           STRF(text));
}

/* Of an attempt that runs; it is written with its row. */
static int on_use(struct live *l, struct str payload, struct err *err)
{
    struct record_use u;
    if (record_use_parse(payload, &u, err))
        return -1;
    if (use_is_known(&u.use))
        l->a.use = u.use;
    l->a.seconds = u.seconds;
    l->a.cpu_seconds = u.cpu_seconds;
    return 0;
}

static int take(struct run *r, struct live *l, const struct record *record,
                struct err *err)
{
    switch (record->type) {
    case RECORD_ANEW:
        return on_anew(l, record->payload, err);
    case RECORD_STARTED:
        return on_started(r, l, record->payload, err);
    case RECORD_METRICS:
        return on_metrics(r, l, l->a.number, record->payload, err);
    case RECORD_POINTS:
        return on_points(r, l, record->payload, err);
    case RECORD_ENDED:
        return on_ended(r, l, record->payload, err);
    case RECORD_FILE:
        return on_file(r, l, record->payload, err);
    case RECORD_ABOUT:
        return attempt_about(r, l, redacted(r, record->payload), err);
    case RECORD_USE:
        return on_use(l, record->payload, err);
    case RECORD_NOTICE:
        on_notice(r, l, record->payload);
        return 0;
    default:
        return 0;
    }
}

/* Notes that the record is taken in; its row says so with the next commit. */
static void note_read(struct run *r, struct live *l, uint32_t sequence)
{
    l->a.sequence = sequence;
    if (!l->read_unwritten)
        vec_push(&r->started, l->t.id);
    l->read_unwritten = true;
}

static void break_at(struct run *r, uint64_t task, struct err *err)
{
    err_wrap(err, "trial %llu", (unsigned long long)task);
    run_break(r, err);
}

/* Records of an attempt that is not the newest are refused, and those that
 * were taken in before. An epoch in them would say no more: an attempt is
 * committed before its task goes out, a commit of a conductor that was taken
 * over is refused, and numbers are never used again. So a number belongs to
 * one epoch; and whoever takes over settles it before anything else goes out,
 * so that what its worker still writes finds no attempt that is out. */
void attempt_record(struct run *r, const struct record *record)
{
    struct live *l = run_live(r, (int64_t)record->task);
    if (!l || !live_is_out(l) || l->a.number != record->attempt)
        return;
    if (record->sequence && record->sequence <= l->a.sequence)
        return;
    struct err err = {0};
    arena_reset(r->arena);
    if (record->type != RECORD_STARTING && record->type != RECORD_NOTICE) {
        run_dirty(r);
        note_read(r, l, record->sequence ? record->sequence : l->a.sequence);
    }
    if (r->phase != RUN_BROKEN && take(r, l, record, &err))
        break_at(r, record->task, &err);
}

/* What may still be written into is never shared. */
uint32_t attempt_folder(const struct live *l)
{
    bool begins = !live_is_out(l) && l->a.presumed;
    return begins ? l->t.attempts + 1 : l->a.folder;
}

/* Its checkpoint says whether it has come any further than when it was lost
 * before. */
static uint64_t checkpoint_digest(struct run *r, const struct live *l)
{
    struct arena *a = arena_new();
    const char *folder =
        store_attempt_folder(store_folder(r->store), l->t.id, l->a.folder, a);
    uint64_t digest = dir_digest(path_join(a, folder, "checkpoint"));
    arena_free(a);
    return digest;
}

/* How long one ran that is gone: until now, where this run had it out and has
 * heard of its start; else what its worker has kept of it. */
static int time_gone(struct run *r, const struct live *l,
                     struct record_ended *e, struct err *err)
{
    bool ours = l->a.started > 0 && r->phase != RUN_SETTLES;
    if (e->outcome == OUTCOME_UNSTARTED)
        return 0;
    if (!ours)
        return used_untold(r->store, l, &e->seconds, err);
    if (e->wall > l->a.started)
        e->seconds = e->wall - l->a.started;
    return 0;
}

void attempt_gone(struct run *r, struct live *l, enum outcome outcome,
                  const char *reason)
{
    struct record_ended e = {
        .outcome = outcome,
        .exit_code = -1,
        .wall = clock_wall(),
        .reason = str_of(reason),
        .metric_points = 0,
    };
    if (outcome == OUTCOME_LOST)
        e.checkpoint_digest = checkpoint_digest(r, l);
    struct err err = {0};
    uint64_t task = (uint64_t)l->t.id;
    arena_reset(r->arena);
    run_dirty(r);
    if (r->phase != RUN_BROKEN &&
        (time_gone(r, l, &e, &err) || on_end(r, l, &e, true, &err)))
        break_at(r, task, &err);
}

/* Ends the row of an attempt of which a scheduler has made another. It says
 * nothing about the trial: others wanted the room, or the node went away. */
static int end_superseded(struct run *r, struct live *l,
                          const struct again *how, struct err *err)
{
    bool begun = l->a.started > 0;
    l->a.outcome = begun ? OUTCOME_INTERRUPTED : OUTCOME_UNSTARTED;
    l->a.presumed = how->loss == LOSS_PRESUMED;
    l->a.ended = clock_wall();
    l->a.reason = begun ? str_of(how->reason) : str_n("", 0);
    if (begun && l->a.ended > l->a.started)
        l->a.seconds = l->a.ended - l->a.started;
    if (begun) {
        l->earlier = l->a.number;
        l->has_digest = false; /* the checkpoint may have fallen back */
    }
    l->t.seconds += l->a.seconds;
    l->start_unwritten = l->read_unwritten = false;
    return store_attempt_put(r->store, &l->a, err);
}

uint32_t attempt_again(struct run *r, uint64_t task, uint32_t number,
                       const struct again *how)
{
    struct live *l = run_live(r, (int64_t)task);
    struct err err = {0};
    if (!l || !live_is_out(l) || l->a.number != number)
        return 0;
    if (end_superseded(r, l, how, &err) ||
        run_write_attempt(r, l, store_own(how->as, how->start), &err)) {
        break_at(r, task, &err);
        return 0;
    }
    l->again = true;
    return l->a.number;
}

void attempt_lost(struct run *r, uint64_t task, uint32_t number, enum loss loss,
                  uint32_t company, const char *reason)
{
    struct live *l = run_live(r, (int64_t)task);
    if (!l || !live_is_out(l) || l->a.number != number)
        return;
    l->a.presumed = loss == LOSS_PRESUMED;
    if (!company) {
        attempt_gone(r, l, OUTCOME_UNSTARTED, "");
    } else if (r->phase == RUN_INTERRUPTS) { /* it was to end anyway */
        attempt_gone(r, l, OUTCOME_INTERRUPTED, reason);
    } else {
        l->a.company = company;
        attempt_gone(r, l, OUTCOME_LOST, reason);
    }
}
