/* run.c - which trial goes next, when it is committed, when all is over */
#include "study/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"

#define BATCH_MAX 256
#define UNFIT_MAX 1000       /* trials in a row that cannot run end the study */
#define FILL_GAP_NS 10000000 /* between fills that only look ahead */
#define COMMIT_GAP_NS 100000000 /* results wait at most this long */
#define SYNC_GAP_NS 1000000000
#define SUMMARY_GAP_NS 1000000000 /* between looks at what running ones say */
#define COMMIT_RETRY_NS 1000000000
#define COMMIT_TRIES 30

/* ---- live trials ------------------------------------------------------ */

static struct str own(struct str s)
{
    char *p = xmalloc(s.len + 1);
    if (s.len)
        memcpy(p, s.p, s.len);
    p[s.len] = 0;
    return str_n(p, s.len);
}

static void disown(struct str s)
{
    free((void *)(uintptr_t)s.p);
}

static struct live *live_new(const struct trial *t)
{
    struct live *l = xcalloc(1, sizeof(*l));
    l->t = *t;
    l->t.point = own(t->point);
    l->t.run_id = own(t->run_id);
    l->t.reason = l->t.summary = l->t.note = str_n(NULL, 0);
    l->t.tags = NULL;
    l->t.tag_count = 0;
    stoprule_begin(&l->rule);
    l->rule_step = INT64_MIN;
    l->decided_at = INT64_MAX;
    return l;
}

void live_free(struct live *l)
{
    if (!l)
        return;
    disown(l->t.point);
    disown(l->t.run_id);
    summary_done(&l->summary);
    free(l->about);
    free(l);
}

struct live *run_live(struct run *r, int64_t trial)
{
    return trial > 0 ? idmap_get(r->lives, (uint64_t)trial) : NULL;
}

/* ---- new trials ------------------------------------------------------- */

static bool may_ask(const struct run *r)
{
    return !r->asked_all && !r->only_paused;
}

static bool counted_out(const struct run *r)
{
    return r->limits.count && r->made_here >= r->limits.count;
}

/* A paused trial goes on, with a new budget. */
static struct live *revive(struct run *r, const struct suggestion *s)
{
    struct err err = {0};
    struct trial t;
    struct arena *a = arena_new();
    int rc = store_trial(r->store, s->replaces, a, &t, &err);
    if (!rc) {
        t.budget = s->budget;
        rc = run_adopt(r, &t, &err);
    }
    arena_free(a);
    if (rc) {
        run_break(r, &err);
        return NULL;
    }
    return run_pop_ready(r, clock_mono_ns());
}

/* Writes the trial of a suggestion; NULL when the run broke. */
static struct live *make_trial(struct run *r, const struct suggestion *s)
{
    struct err err = {0};
    buf_reset(&r->text);
    json_print_sorted(&r->text, s->point);
    struct trial t = {
        .id = r->next_id,
        .state = STATE_WAITING,
        .point = buf_str(&r->text),
        .run_id = s->run_id,
        .value = NAN,
        .parent = s->parent,
        .budget = s->budget,
        .created = clock_wall(),
    };
    r->source.place_in_group(r->source.context, r->next_suggestion, &t);
    if (store_trial_add(r->store, &t, &err)) {
        run_break(r, &err);
        return NULL;
    }
    run_dirty(r);
    r->next_id++;
    r->made_here++;
    r->counts.total++;
    r->counts.by_state[STATE_WAITING]++;
    struct live *l = live_new(&t);
    l->suggestion = r->next_suggestion++;
    idmap_set(r->lives, (uint64_t)t.id, l);
    return l;
}

/* A suggestion that depends on results is asked for when there is room for
 * its trial, and not before. */
static bool too_early(const struct run *r)
{
    if (r->limits.foresees || !r->limits.needs_fixed)
        return false;
    return engine_room(r->engine, &r->limits.needs, false) <= r->placing.len;
}

/* Asks for what comes next; NULL when there is nothing now or an error (then
 * the run is broken). */
static struct live *ask(struct run *r)
{
    struct suggestion s = {.parent = -1, .replaces = -1};
    struct err err = {0};
    bool fresh = !counted_out(r);
    if (too_early(r))
        return NULL;
    enum run_next next =
        r->source.next(r->source.context, fresh ? r->next_suggestion : 0,
                       r->place_arena, &s, &err);
    if (next == RUN_NEXT_ERROR)
        run_break(r, &err);
    if (next == RUN_NEXT_END && fresh)
        r->asked_all = true;
    else if (next == RUN_NEXT_END)
        r->only_paused = true;
    if (next != RUN_NEXT)
        return NULL;
    return s.replaces > 0 ? revive(r, &s) : make_trial(r, &s);
}

static struct live *next_live(struct run *r)
{
    struct live *l = run_pop_ready(r, clock_mono_ns());
    if (!l && may_ask(r))
        l = ask(r);
    return l;
}

static bool checkpointed_twice(const struct attempt *list, size_t count)
{
    return count > 1 && list[count - 2].outcome == OUTCOME_CHECKPOINTED &&
           list[count - 2].checkpoint_digest ==
               list[count - 1].checkpoint_digest;
}

/* Takes out what never began, which says nothing of the trial. */
static size_t only_begun(struct attempt *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].outcome != OUTCOME_UNSTARTED)
            list[kept++] = list[i];
    return kept;
}

bool run_left_unread(const struct attempt *list, size_t count)
{
    while (count && list[count - 1].outcome == OUTCOME_UNSTARTED)
        count--;
    if (!count)
        return false;
    const struct attempt *last = &list[count - 1];
    return last->outcome == OUTCOME_LOST ||
           (last->outcome == OUTCOME_INTERRUPTED && last->reason.len);
}

/* What the newest attempts of a stored trial say about the next one. Losses
 * or checkpoints that made the trial fail do not count once more when a
 * person wants it to be tried again. An interrupted attempt says nothing about
 * the trial, but that its checkpoint may be an older one than before. */
static void take_history(struct run *r, struct live *l, struct attempt *list,
                         size_t count)
{
    if (!count)
        return;
    const struct attempt *last = &list[count - 1];
    if (l->t.attempts < last->number)
        l->t.attempts = last->number;
    l->a = *last;
    l->a.reason = l->a.tail = str_n(NULL, 0);
    for (size_t i = 0; i < count; i++) {
        if (list[i].started > 0)
            l->stood_in = list[i].folder;
        if (outcome_is_bad(list[i].outcome))
            l->failed = list[i].number;
        if (l->failed < l->a.anew)
            l->overcome = l->failed;
    }
    if (last->outcome == OUTCOME_NONE) {
        live_enter(r, l, LIVE_OUT);
        count--;
        /* One that we hand out goes on in the folder of the one before. */
        l->again = store_own_start(last->folder) &&
                   !(count && list[count - 1].folder == last->folder);
    }
    count = only_begun(list, count);
    l->unread = run_left_unread(list, count);
    l->earlier = count ? list[count - 1].number : 0;
    if (count && list[count - 1].outcome == OUTCOME_CHECKPOINTED) {
        l->has_digest = !checkpointed_twice(list, count);
        l->digest = list[count - 1].checkpoint_digest;
    }
    for (size_t i = blame_first(list, count); i < count; i++)
        if (list[i].outcome == OUTCOME_LOST)
            blame_loss(r, l, &list[i]);
    if (l->suspicion.losses >= RUN_LOSSES_MAX)
        l->suspicion.losses = 0;
}

int run_adopt(struct run *r, const struct trial *t, struct err *err)
{
    struct attempt *list;
    size_t count;
    arena_reset(r->arena);
    enum wish wish;
    if (store_attempts(r->store, t->id, r->arena, &list, &count, err) ||
        store_wish(r->store, t->id, &wish, err))
        return -1;
    struct live *l = live_new(t);
    l->wish = wish;
    l->adopted = true;
    l->suggestion = r->source.suggestion_of(r->source.context, t->id);
    idmap_set(r->lives, (uint64_t)t->id, l);
    take_history(r, l, list, count);
    if (count && summary_rebuild(&l->summary, r->store, t->id, err))
        return -1;
    if (live_is_out(l))
        return 0;
    if (l->t.state != STATE_WAITING) {
        run_dirty(r);
        r->counts.by_state[l->t.state]--;
        r->counts.by_state[STATE_WAITING]++;
        l->t.state = STATE_WAITING;
        if (run_write_row(r, l, err))
            return -1;
    }
    run_wait(r, l);
    return 0;
}

int run_take_in(struct run *r, const struct trial *t, bool again,
                enum state was, struct err *err)
{
    if (again)
        r->counts.by_state[was]--;
    else
        r->counts.total++;
    r->counts.by_state[STATE_WAITING]++;
    if (t->id >= r->next_id)
        r->next_id = t->id + 1;
    if (run_adopt(r, t, err))
        return -1;
    if (again) /* its metrics file is gone, or has been read */
        run_live(r, t->id)->a.metrics_at = 0;
    return 0;
}

void run_only_wishes(struct run *r)
{
    size_t kept = 0;
    r->asked_all = true;
    for (size_t i = 0; i < r->waiting.len; i++) {
        struct live *l = r->waiting.p[i];
        if (l->t.attempts || !l->suggestion) {
            r->waiting.p[kept++] = l;
            continue;
        }
        idmap_del(r->lives, (uint64_t)l->t.id);
        live_free(l);
    }
    r->waiting.len = kept;
    run_order_waiting(r);
}

/* ---- placing ---------------------------------------------------------- */

/* The trial's own row is left alone: whoever resumes counts the attempts. */
int run_write_attempt(struct run *r, struct live *l, uint32_t folder,
                      struct err *err)
{
    l->turn = ++r->turns;
    struct use asked = {0};
    memcpy(asked.device, l->a.use.device, sizeof asked.device);
    /* It goes on in the files of the one before, if there is a checkpoint. */
    l->a = (struct attempt){.metrics_at = l->a.metrics_at,
                            .log_at = l->a.log_at,
                            .anew = l->a.anew,
                            .first_step = l->a.first_step,
                            .folder = folder,
                            .use = asked};
    l->t.attempts++;
    l->a.trial = l->t.id;
    l->a.number = l->t.attempts;
    l->a.exit_code = -1;
    l->a.placed = clock_wall();
    snprintf(l->a.host, sizeof l->a.host, "%s", r->host);
    snprintf(l->a.boot_id, sizeof l->a.boot_id, "%s", process_boot_id());
    run_dirty(r);
    return store_attempt_put(r->store, &l->a, err);
}

static int begin_attempt(struct run *r, struct live *l, struct err *err)
{
    l->again = false;
    bool reads = run_reads_first(l);
    uint32_t folder = attempt_folder(l);
    if (!reads)
        l->stop_why = NULL;
    else if (!l->stop_why)
        l->stop_why = "by request";
    live_enter(r, l, reads ? LIVE_READS : LIVE_OUT);
    return run_write_attempt(r, l, folder, err);
}

/* Such a trial can never run. Where all are so, and there is no end of them,
 * nothing else would end the study. */
static int refuse(struct run *r, struct live *l, const struct err *why)
{
    struct err err = {0};
    long long id = (long long)l->t.id;
    if (run_finish(r, l, STATE_INVALID, why->text, &err)) {
        run_break(r, &err);
        return -1;
    }
    if (run_too_many_failures(r)) {
        run_drain(r, STUDY_FAILURES);
    } else if (++r->unfit >= UNFIT_MAX) {
        log_to(r->log, LOG_ERROR,
               "%u trials in a row cannot run here, so no more are made; the "
               "last, trial %lld: %s",
               r->unfit, id, why->text);
        run_drain(r, STUDY_UNFIT);
    }
    return 0;
}

/* Builds the task of a trial and writes its attempt when there is room.
 * 1: placed, 0: no room (it waits again), -1: broken. */
static int place(struct run *r, struct live *l, size_t *room)
{
    struct task task = {0};
    struct err err = {0};
    if (r->source.build(r->source.context, l, r->place_arena, &task, &err) ||
        engine_check(r->engine, &task.needs, &err))
        return refuse(r, l, &err) ? -1 : 1;
    if (!blame_allows(r, l) || !shortage_allows(r)) {
        run_wait(r, l);
        return 0;
    }
    if (*room == 0) {
        *room = engine_room(r->engine, &task.needs, r->limits.foresees);
        *room -= *room > r->placing.len ? r->placing.len : *room;
        if (*room == 0) {
            run_wait(r, l);
            return 0;
        }
    }
    snprintf(l->a.use.device, sizeof l->a.use.device, "%.*s",
             STRF(task.device));
    if (r->source.go_on(r->source.context, l, r->place_arena, &task, &err) ||
        begin_attempt(r, l, &err)) {
        run_break(r, &err);
        return -1;
    }
    r->unfit = 0;
    l->awaits = task.awaits;
    vec_push(&r->placing, ((struct placing){l, task}));
    (*room)--;
    return 1;
}

/* A full disk may have held them up: what was wished meanwhile counts. */
static void submit_all(struct run *r)
{
    for (size_t i = 0; i < r->placing.len; i++) {
        struct placing *p = &r->placing.p[i];
        struct err err = {0};
        if (!run_goes_on(r) || (p->live->wish && !p->task.only_read)) {
            attempt_lost(r, p->task.id, p->task.attempt, LOSS_GONE, 0, "");
        } else if (r->source.send(r->source.context, p->live, r->place_arena,
                                  &p->task, &err) ||
                   engine_submit(r->engine, &p->task, &err)) {
            run_break(r, &err);
            break;
        }
    }
    r->placing.len = 0;
}

/* ---- commits ---------------------------------------------------------- */

void run_dirty(struct run *r)
{
    if (r->dirty)
        return;
    struct err err = {0};
    if (store_begin(r->store, &err)) {
        run_break(r, &err);
        return;
    }
    r->dirty = true;
    r->dirty_ns = clock_mono_ns();
}

static void commit_failed(struct run *r, struct err *err)
{
    if (r->phase == RUN_BROKEN)
        return;
    bool passing = err->kind == ERR_FULL || err->kind == ERR_SYSTEM;
    passing = passing && store_stands(r->store, NULL) == 0;
    if (passing && ++r->commit_tries < COMMIT_TRIES) {
        if (r->commit_tries == 1)
            log_to(r->log, LOG_WARN,
                   err->kind == ERR_FULL
                       ? "%s; waiting up to %d s for room, no new trial starts"
                       : "%s; trying again for up to %d s, no new trial starts",
                   err->text, COMMIT_TRIES);
        r->retry_ns = clock_mono_ns() + COMMIT_RETRY_NS;
        return;
    }
    err_wrap(err, "results could not be written and will be made again by "
                  "the next run");
    run_break(r, err);
}

/* Starts are written only of attempts that have not ended since: a short one
 * starts and ends within one commit. */
static int write_starts(struct run *r, struct err *err)
{
    for (size_t i = 0; i < r->started.len; i++) {
        struct live *l = run_live(r, r->started.p[i]);
        if (!l || !live_is_out(l) ||
            (!l->start_unwritten && !l->read_unwritten))
            continue;
        bool start = l->start_unwritten;
        l->start_unwritten = l->read_unwritten = false;
        if (store_attempt_put(r->store, &l->a, err) ||
            (start && run_write_row(r, l, err)))
            return -1;
    }
    r->started.len = 0;
    return 0;
}

/* So that whoever looks at a running trial sees how far it is, and how long
 * the rest will take. */
static void write_summaries(struct run *r)
{
    struct err err = {0};
    int64_t now = clock_mono_ns();
    bool paced = r->pace_written != r->pace.ends;
    if ((!r->reported.len && !paced) || now < r->summaries_ns)
        return;
    run_dirty(r);
    if (paced && pace_write(r->store, &r->pace, &err)) {
        run_break(r, &err);
        return;
    }
    r->pace_written = r->pace.ends;
    for (size_t i = 0; i < r->reported.len; i++) {
        struct live *l = run_live(r, r->reported.p[i]);
        if (!l || !l->summary_unwritten)
            continue;
        run_dirty(r);
        if (run_write_row(r, l, &err)) {
            run_break(r, &err);
            return;
        }
    }
    r->reported.len = 0;
    r->summaries_ns = now + SUMMARY_GAP_NS;
}

/* What trials handed in goes when not even a power cut makes their ends be
 * forgotten. */
static void settle_left(struct run *r, bool now)
{
    if (!r->left.len || !store_on_disk(r->store, now))
        return;
    for (size_t i = 0; i < r->left.len; i++)
        r->source.settled(r->source.context, r->left.p[i]);
    r->left.len = 0;
}

/* Whatever a run commits goes this way. */
static int write_store(struct run *r, struct err *err)
{
    if (store_commit(r->store, err))
        return -1;
    if (r->commit_tries) {
        log_to(r->log, LOG_NOTICE, "the store can be written again");
        r->commit_tries = 0;
    }
    r->dirty = false;
    settle_left(r, false);
    return 0;
}

int run_commit(struct run *r, struct err *err)
{
    if (r->phase == RUN_BROKEN) /* not all of it was taken in */
        return err_set(err, r->fault.kind, "%s", r->fault.text);
    if (!r->dirty)
        return 0;
    if (write_starts(r, err)) {
        run_break(r, err);
        return -1;
    }
    if (write_store(r, err))
        return -1;
    r->committed_ns = clock_mono_ns();
    if (r->phase == RUN_SETTLES)
        return 0;
    engine_ack(r->engine);
    submit_all(r);
    return 0;
}

/* ---- the round -------------------------------------------------------- */

/* True when this round should hand out tasks. Looking ahead is done in
 * larger steps, so that short tasks share one commit. */
static bool time_to_fill(struct run *r)
{
    if (r->phase != RUN_STARTS || r->commit_tries)
        return false;
    int64_t now = clock_mono_ns();
    r->fill_due = r->limits.foresees && now - r->filled_ns < FILL_GAP_NS;
    if (!r->fill_due)
        r->filled_ns = now;
    return !r->fill_due;
}

/* However many there are to place or to refuse, others get their turn. */
static void fill(struct run *r)
{
    size_t room = 0;
    if (!r->placing.len)
        arena_reset(r->place_arena);
    for (int i = 0; i < BATCH_MAX; i++) {
        struct live *l = r->phase == RUN_STARTS ? next_live(r) : NULL;
        if (!l || place(r, l, &room) <= 0)
            return;
    }
    r->fill_due = true;
}

static bool nothing_left(const struct run *r)
{
    return idmap_count(r->lives) == 0 && !may_ask(r);
}

/* The last commit of a busy time reaches the disk only with another one. Where
 * that fails, the next round tries again, and says so. */
static void settle_on_disk(struct run *r)
{
    if (r->dirty || !r->committed_ns ||
        clock_mono_ns() - r->committed_ns < SYNC_GAP_NS)
        return;
    r->committed_ns = 0;
    r->dirty = write_store(r, NULL) != 0;
}

static void check_time(struct run *r)
{
    double used =
        (double)(clock_mono_ns() - r->started_ns) / 1e9 + r->limits.time_used_s;
    if (r->limits.time_limit_s > 0 && used >= r->limits.time_limit_s &&
        run_goes_on(r)) {
        log_to(r->log, LOG_NOTICE, "the study's time limit is reached");
        run_interrupt(r, STUDY_TIME);
    }
}

/* A trial that reports or ends well shows that the others failed for reasons
 * of their own. None is ended to find out. */
static void settle_doubt(struct run *r)
{
    if (r->phase != RUN_DOUBTS)
        return;
    if (r->doubt == STUDY_NO_METRIC ? r->any_value : r->any_good) {
        log_to(r->log, LOG_NOTICE, "a trial got on, so more are started");
        run_enter(r, RUN_STARTS);
    } else if (!r->out) {
        run_drain(r, r->doubt);
    }
}

/* The next moment at which something must happen without an event. */
static void arm_timer(struct run *r)
{
    double wait_s = 1.0;
    int64_t now = clock_mono_ns();
    if (r->commit_tries)
        wait_s = (double)(r->retry_ns - now) / 1e9;
    else if (r->fill_due)
        wait_s = (double)FILL_GAP_NS / 1e9;
    else if (r->dirty)
        wait_s = (double)COMMIT_GAP_NS / 1e9;
    if (r->waiting.len && run_goes_on(r)) {
        double ready_s = (double)(r->waiting.p[0]->ready_ns - now) / 1e9;
        if (ready_s > 0 && ready_s < wait_s)
            wait_s = ready_s;
    }
    loop_timer_in(r->timer, wait_s > 0 ? wait_s : 0);
}

void run_over(struct run *r, enum study_end end)
{
    r->end = end;
    run_enter(r, RUN_OVER);
    loop_stop(r->loop);
}

/* Results wait a little for others when trials are short, and for the next
 * try after one that failed. */
static bool time_to_commit(const struct run *r)
{
    int64_t now = clock_mono_ns();
    if (!r->dirty)
        return false;
    if (r->commit_tries)
        return now >= r->retry_ns;
    return r->placing.len || !run_goes_on(r) || !r->limits.foresees ||
           idmap_count(r->lives) == 0 || now - r->dirty_ns >= COMMIT_GAP_NS;
}

void run_round(struct run *r)
{
    if (r->phase >= RUN_OVER)
        return;
    check_time(r);
    settle_doubt(r);
    if (time_to_fill(r))
        fill(r);
    write_summaries(r);
    struct err err = {0};
    if (time_to_commit(r) && run_commit(r, &err))
        commit_failed(r, &err);
    if (!r->dirty && r->phase == RUN_STARTS && nothing_left(r))
        run_over(r, !r->asked_all && counted_out(r) ? STUDY_COUNT
                                                    : STUDY_COMPLETE);
    else if (!r->dirty && r->phase == RUN_IDLE)
        run_over(r, r->end);
    if (r->phase >= RUN_OVER)
        return;
    settle_on_disk(r);
    arm_timer(r);
}

/* ---- ends ------------------------------------------------------------- */

void run_all_on_disk(struct run *r)
{
    if (!r->dirty)
        settle_left(r, true);
}

/* Who ends a run for a second time has the last word, and not the slower
 * way. */
static void end_run(struct run *r, enum study_end why, enum run_phase phase)
{
    if (r->end == STUDY_RUNNING) {
        run_dirty(r);
        store_event_add(r->store, clock_wall(), "draining", STR(""), NULL);
    }
    if (r->phase >= RUN_OVER)
        return;
    r->end = why;
    if (r->phase != RUN_SETTLES && r->phase < phase)
        run_enter(r, phase);
}

bool run_too_many_failures(const struct run *r)
{
    const int64_t *n = r->counts.by_state;
    int64_t bad = n[STATE_FAILED] + n[STATE_INVALID] + n[STATE_TIMED_OUT] +
                  n[STATE_DIVERGED];
    return r->limits.max_failures >= 0 && bad > r->limits.max_failures;
}

/* What was handed out and has not begun comes back. */
void run_doubt(struct run *r, enum study_end why)
{
    uint64_t id;
    void *at;
    if (r->phase != RUN_STARTS)
        return;
    run_enter(r, RUN_DOUBTS);
    r->doubt = why;
    for (size_t i = 0; idmap_next(r->lives, &i, &id, &at);)
        if (live_is_out(at))
            engine_take_back(r->engine, id);
    if (r->out && why == STUDY_NO_METRIC)
        log_to(r->log, LOG_NOTICE,
               "the first %lld trials ended without the metric; no more start "
               "until one of those that run has reported it",
               (long long)r->unreported);
    else if (r->out)
        log_to(r->log, LOG_NOTICE,
               "the first %lld trials all failed; no more start until one of "
               "those that run has reported or ended well",
               (long long)r->failed_first);
}

void run_drain(struct run *r, enum study_end why)
{
    if (r->end != STUDY_RUNNING)
        return;
    end_run(r, why, RUN_DRAINS);
    if (r->phase == RUN_DRAINS)
        engine_quit(r->engine, false);
}

void run_interrupt(struct run *r, enum study_end why)
{
    end_run(r, why, RUN_INTERRUPTS);
    engine_quit(r->engine, true);
}

void run_part(struct run *r, enum study_end why)
{
    if (!engine_outlives(r->engine)) {
        run_interrupt(r, why);
        return;
    }
    end_run(r, why, RUN_PARTS);
    engine_part(r->engine);
}

void run_break(struct run *r, const struct err *err)
{
    if (r->phase == RUN_BROKEN)
        return;
    run_enter(r, RUN_BROKEN);
    r->end = STUDY_BROKEN;
    r->fault = *err;
    loop_stop(r->loop);
}

int run_write_row(struct run *r, struct live *l, struct err *err)
{
    buf_reset(&r->text);
    if (l->summary.list.len)
        summary_print(&r->text, &l->summary);
    l->t.summary = buf_str(&r->text);
    l->summary_unwritten = false;
    return store_trial_update(r->store, &l->t, err);
}

/* Writes how a trial ended for good or for now, and forgets it. */
static int leave(struct run *r, struct live *l, enum state state,
                 const char *reason, struct err *err)
{
    require(l->phase == LIVE_AT_HAND || l->phase == LIVE_READ);
    run_dirty(r);
    enum state was = l->t.state;
    l->t.state = state;
    l->t.reason = str_of(reason);
    if (run_write_row(r, l, err) ||
        (l->wish && store_wish_set(r->store, l->t.id, WISH_NONE, err)))
        return -1;
    r->counts.by_state[was]--;
    r->counts.by_state[state]++;
    r->source.ended(r->source.context, l);
    blame_clear(r, l);
    idmap_del(r->lives, (uint64_t)l->t.id);
    live_free(l);
    return 0;
}

int run_finish(struct run *r, struct live *l, enum state state,
               const char *reason, struct err *err)
{
    l->t.ended = clock_wall();
    r->ended_here++;
    if (l->a.metrics_at || l->a.anew)
        vec_push(&r->left, l->t.id);
    if (leave(r, l, state, reason, err))
        return -1;
    if (r->best_tied)
        r->best = store_best(r->store, r->limits.minimize);
    r->best_tied = false;
    return 0;
}

int run_pause(struct run *r, struct live *l, const char *reason,
              struct err *err)
{
    return leave(r, l, STATE_PAUSED, reason, err);
}

int run_close_paused(struct run *r, const struct trial *t, const char *reason,
                     struct err *err)
{
    struct live *l = live_new(t);
    l->suggestion = r->source.suggestion_of(r->source.context, t->id);
    idmap_set(r->lives, (uint64_t)t->id, l);
    if (summary_rebuild(&l->summary, r->store, t->id, err))
        return -1;
    reason = attempt_mind_bounds(r, l, reason);
    run_note_value(r, l);
    return run_finish(r, l, STATE_STOPPED, reason, err);
}

int run_grant_wishes(struct run *r, struct err *err)
{
    uint64_t id;
    void *at;
    VEC(struct live *) wished = {0};
    int rc = 0;
    for (size_t i = 0; idmap_next(r->lives, &i, &id, &at);) {
        struct live *l = at;
        if (l->wish && !live_is_out(l) && !run_reads_first(l))
            vec_push(&wished, l);
    }
    for (size_t i = 0; !rc && i < wished.len; i++) {
        run_unwait(r, wished.p[i]);
        rc = attempt_grant(r, wished.p[i], err);
    }
    vec_done(&wished);
    return rc;
}

/* ---- opening and closing ---------------------------------------------- */

static void on_record(void *context, const struct record *record)
{
    attempt_record(context, record);
}

static void on_lost(void *context, uint64_t task, uint32_t attempt,
                    enum loss loss, uint32_t company, const char *reason)
{
    attempt_lost(context, task, attempt, loss, company, reason);
}

static void on_fault(void *context, const struct err *err)
{
    run_break(context, err);
}

static void on_idle(void *context)
{
    struct run *r = context;
    if (r->phase < RUN_OVER)
        run_enter(r, RUN_IDLE);
}

static void on_round(void *context)
{
    run_round(context);
}

/* The round that follows does what is due. */
static void on_timer(void *context)
{
    (void)context;
}

static uint32_t on_again(void *context, uint64_t task, uint32_t attempt,
                         const struct again *how)
{
    return attempt_again(context, task, attempt, how);
}

struct engine_hooks run_hooks(struct run *r)
{
    return (struct engine_hooks){.context = r,
                                 .record = on_record,
                                 .lost = on_lost,
                                 .again = on_again,
                                 .fault = on_fault,
                                 .idle = on_idle};
}

int run_open(struct run *r, struct err *err)
{
    r->lives = idmap_new();
    r->arena = arena_new();
    r->place_arena = arena_new();
    buf_init(&r->text);
    r->best_value = NAN;
    r->started_ns = clock_mono_ns();
    pace_begin(&r->pace, r->started_ns);
    if (store_counts(r->store, &r->counts, err))
        return -1;
    r->any_good = r->counts.by_state[STATE_DONE] > 0 ||
                  r->counts.by_state[STATE_STOPPED] > 0;
    if (r->limits.metric.len) {
        r->best = store_best(r->store, r->limits.minimize);
        struct trial t;
        if (r->best && !store_trial(r->store, r->best, r->arena, &t, NULL))
            r->best_value = t.value;
        r->any_value = r->best != 0;
    }
    r->after = loop_after(r->loop, on_round, r);
    r->timer = loop_timer(r->loop, on_timer, r);
    return 0;
}

void run_begin(struct run *r)
{
    if (r->phase != RUN_SETTLES) /* it broke */
        return;
    run_enter(r, r->end == STUDY_RUNNING ? RUN_STARTS : RUN_DRAINS);
    if (r->phase == RUN_DRAINS)
        engine_quit(r->engine, false);
}

void run_close(struct run *r)
{
    loop_remove(r->after);
    loop_remove(r->timer);
    if (r->lives) {
        uint64_t id;
        void *live;
        for (size_t at = 0; idmap_next(r->lives, &at, &id, &live);)
            live_free(live);
        idmap_free(r->lives);
    }
    vec_done(&r->waiting);
    vec_done(&r->suspects);
    vec_done(&r->placing);
    vec_done(&r->started);
    vec_done(&r->reported);
    vec_done(&r->left);
    arena_free(r->arena);
    arena_free(r->place_arena);
    buf_done(&r->text);
    free(r->failure_tail);
    free(r->unreported_hint);
}
