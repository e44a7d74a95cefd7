/* study.c - opening, running and closing a study */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "study/conductor.h"

#define BEAT_S 10.0 /* the lease is touched this often */
#define EAR_S 0.25  /* requests are looked for this often */

/* ---- opening ---------------------------------------------------------- */

/* Paths reach the worker, and the store, as text. */
int study_check_path(const char *path, struct err *err)
{
    if (str_utf8(str_of(path)))
        return 0;
    struct buf b;
    buf_init(&b);
    json_string(&b, str_of(path));
    err_set(err, ERR_INPUT,
            "the name of the folder %s is not UTF-8 text, so that tasks could "
            "not find it; give it another name",
            b.p);
    buf_done(&b);
    return -1;
}

/* A person should know what is waited for. */
static void say_watch(struct study *s)
{
    struct lease l;
    if (!s->setup.take_over && !store_lease_read(s->store, &l, NULL) &&
        l.unseen)
        log_to(s->setup.log, LOG_NOTICE,
               "process %lld on %s holds the study and cannot be seen from "
               "here: watching for up to a minute whether it lives",
               (long long)l.process.pid, l.host);
}

/* What the study is, with the event of its making. */
static int describe(struct study *s, struct err *err)
{
    s->created = true;
    if (study_facts_write(s, err) || study_search_settle(s, err))
        return -1;
    return store_event_add(s->store, clock_wall(), "created", STR(""), err);
}

static int fill_store(void *context, struct store *store, struct err *err)
{
    struct study *s = context;
    s->store = store;
    int rc = describe(s, err);
    s->store = NULL;
    return rc;
}

/* Makes the store, unless somebody else has at this moment. */
static int make_store(struct study *s, struct err *err)
{
    struct err why = {0};
    if (study_refuse_leftovers(s->arena, s->setup.folder, err))
        return -1;
    if (!store_create_with(s->setup.folder, fill_store, s, &why))
        return 0;
    s->created = false;
    return why.kind == ERR_BUSY ? 0 : err_set(err, why.kind, "%s", why.text);
}

/* What a person can do where somebody else holds it. */
static int say_held(const struct study *s, struct err *err)
{
    struct lease l;
    bool unknown =
        s->store && !store_lease_read(s->store, &l, NULL) && l.process.pid == 0;
    bool stuck = s->store && store_lease_stuck(s->store);
    if (!err || err->kind != ERR_BUSY || unknown || stuck)
        return -1;
    return err_set(err, ERR_BUSY,
                   "%s: `throng watch` shows it, `throng stop` ends it; use "
                   "--take-over if that process is gone",
                   err->text);
}

static int open_store(struct study *s, struct err *err)
{
    const char *folder = s->setup.folder;
    struct err missing = {0};
    size_t lost = store_log_lost(folder);
    s->store = store_open(folder, true, &missing);
    if (!s->store && missing.kind == ERR_MISSING) {
        if (make_store(s, err))
            return -1;
        s->store = store_open(folder, true, err);
        if (!s->store)
            return -1;
    } else if (!s->store) {
        err_set(err, missing.kind, "%s", missing.text);
        return say_held(s, err);
    }
    say_watch(s);
    if (s->setup.take_over ? store_lease_take(s->store, true, err)
                           : store_lease_take_soon(s->store, err))
        return say_held(s, err);
    if (lost && store_lease_predecessor(s->store) != PREDECESSOR_NONE)
        log_to(s->setup.log, LOG_WARN,
               "%s/study.db-wal is damaged: what stood behind that place (%zu "
               "commits) is lost, and its trials run again",
               folder, lost);
    return store_quick_check(s->store, err);
}

static double read_time_used(struct study *s)
{
    struct str text;
    double seconds = 0;
    if (!store_fact(s->store, "time_used", s->arena, &text, NULL) && text.p)
        num_double(text, &seconds);
    return seconds;
}

static void write_time_used(struct study *s)
{
    char text[32];
    double here = (double)(clock_mono_ns() - s->run.started_ns) / 1e9;
    snprintf(text, sizeof(text), "%.1f", s->time_used_s + here);
    run_dirty(&s->run);
    store_fact_set(s->store, "time_used", str_of(text), NULL);
}

/* Older versions could die between making the store and describing the study
 * in it. */
static int settle_facts(struct study *s, struct err *err)
{
    struct str identity;
    if (store_fact(s->store, "identity", s->arena, &identity, err))
        return -1;
    if (!identity.p)
        return describe(s, err);
    if (study_facts_check(s, err) || study_search_settle(s, err))
        return -1;
    return store_event_add(s->store, clock_wall(), "opened", STR(""), err);
}

static int open_facts(struct study *s, struct err *err)
{
    /* Somebody may have added trials since the store is there. */
    if (store_begin(s->store, err) || added_read(&s->added, s->store, err))
        return -1;
    s->removed = removed_trials(s->store);
    if (!s->created && settle_facts(s, err)) {
        store_rollback(s->store);
        return -1;
    }
    s->time_used_s = read_time_used(s);
    return store_commit(s->store, err);
}

static void fill_limits(struct study *s)
{
    const struct plan *p = s->plan;
    s->run.limits = (struct run_limits){
        .metric = p->metric.name,
        .goal = &p->goal,
        .minimize = p->metric.minimize,
        .pick_best = p->metric.pick == PICK_BEST,
        .metric_file = p->metric.file.len > 0,
        .has_target = p->metric.has_target,
        .target = p->metric.target,
        .retries = p->retries,
        .retry_delay_s = p->retry_delay_s,
        .time_limit_s = p->time_limit_s,
        .time_used_s = s->time_used_s,
        .max_failures = p->max_failures,
        .count = s->setup.count,
        .keep_going = s->setup.keep_going,
        .foresees = search_foresees(s->search),
    };
}

static int open_run(struct study *s, struct err *err)
{
    s->run.store = s->store;
    s->run.engine = s->engine;
    s->run.loop = s->setup.loop;
    s->run.log = s->setup.log;
    s->run.host = s->setup.machine->host;
    s->run.source = study_source(s);
    s->run.next_id = last_trial_ever(s->store) + 1;
    s->run.next_suggestion = s->run.next_id - s->added.count;
    fill_limits(s);
    return run_open(&s->run, err);
}

bool study_outlives(const struct study *s)
{
    return s->engine && engine_outlives(s->engine);
}

const char *study_place_name(const struct study *s)
{
    return s->setup.place ? s->setup.place
                          : arena_cstr(s->arena, s->plan->site.engine);
}

static uint32_t at_once(const struct study *s, uint32_t share)
{
    uint32_t own = s->plan->parallel;
    return share && (!own || share < own) ? share : own;
}

void study_share(struct study *s, uint32_t share)
{
    if (!share)
        return;
    engine_set_parallel(s->engine, at_once(s, share));
    run_round(&s->run);
}

struct engine_setup study_engine_setup(struct study *s)
{
    return (struct engine_setup){
        .place = study_place_name(s),
        .name = arena_cstr(s->arena, s->plan->name),
        .site = s->plan->site.options,
        .loop = s->setup.loop,
        .machine = s->setup.machine,
        .parallel = at_once(s, s->setup.at_once),
        .worker = s->setup.worker,
        .cuda_worker = study_worker_beside(s),
        .words = s->setup.words,
        .folder = s->setup.folder,
        .travel = &s->travel,
        .mask = s->setup.mask,
        .log = s->setup.log,
    };
}

static int open_engine(struct study *s, struct err *err)
{
    struct engine_setup setup = study_engine_setup(s);
    struct engine_hooks hooks = run_hooks(&s->run);
    s->engine = engine_open(&setup, &hooks, err);
    return s->engine ? 0 : -1;
}

/* What can never run is refused before anything starts. */
static int start_engine(struct study *s, struct err *err)
{
    struct needs needs;
    bool fixed;
    study_devices_open(s);
    if (study_fixed_needs(s, &needs, &fixed, err))
        return -1;
    s->run.limits.needs = needs;
    s->run.limits.needs_fixed = fixed;
    if (fixed && engine_check(s->engine, &needs, err))
        return -1;
    if (engine_start(s->engine, store_lease_epoch(s->store), err))
        return -1;
    run_begin(&s->run);
    return 0;
}

static void on_beat(void *context)
{
    struct study *s = context;
    struct err err = {0};
    write_time_used(s);
    /* A full disk is waited for where results are committed; what ends this
     * run is somebody else's lease, or a store that is gone or damaged. */
    if (store_lease_touch(s->store, &err) &&
        (err.kind == ERR_BUSY || err.kind == ERR_MISSING ||
         err.kind == ERR_CORRUPT)) {
        run_break(&s->run, &err);
        return;
    }
    loop_timer_in(s->beat, BEAT_S);
}

static void on_ear(void *context)
{
    struct study *s = context;
    study_requests(s);
    study_search_look(s);
    study_means_look(s);
    study_pack_look(s);
    study_events_look(s);
    loop_timer_in(s->ear, EAR_S);
}

static int open_code(struct study *s, struct err *err)
{
    if (study_code_open(s, err))
        return -1;
    study_travel(s, NULL);
    return 0;
}

static int open_bulk(struct study *s, struct err *err)
{
    if (!s->plan->predict)
        return 0;
    s->bulk = bulk_open(s->plan, s->setup.home, s->setup.folder, err);
    if (s->bulk && bulk_notice(s->bulk))
        log_to(s->setup.log, LOG_NOTICE, "%s", bulk_notice(s->bulk));
    return s->bulk ? 0 : -1;
}

struct study *study_open(const struct study_setup *setup, struct err *err)
{
    struct study *s = xcalloc(1, sizeof(*s));
    s->setup = *setup;
    s->plan = setup->plan;
    s->arena = arena_new();
    s->heard = map_new();
    buf_init(&s->applied);
    if (study_check_path(setup->folder, err) ||
        study_check_path(setup->home, err) || open_engine(s, err) ||
        study_search_open(s, err) || open_store(s, err) || open_facts(s, err) ||
        open_bulk(s, err) || open_run(s, err) || study_search_start(s, err) ||
        study_resume(s, err) || open_code(s, err) || study_means_open(s, err) ||
        study_gpus_open(s, err) || start_engine(s, err)) {
        study_close(s);
        return NULL;
    }
    study_requests_begin(s);
    study_requests(s);
    study_events_open(s);
    s->beat = loop_timer(setup->loop, on_beat, s);
    s->ear = loop_timer(setup->loop, on_ear, s);
    loop_timer_in(s->beat, BEAT_S);
    loop_timer_in(s->ear, EAR_S);
    return s;
}

/* ---- running ---------------------------------------------------------- */

static bool target_reached(const struct study *s)
{
    const struct run *r = &s->run;
    if (!r->limits.has_target || isnan(r->best_value))
        return false;
    return r->limits.minimize ? r->best_value <= r->limits.target
                              : r->best_value >= r->limits.target;
}

static const char *end_event(struct study *s)
{
    static const char *const names[] = {
        [STUDY_RUNNING] = "running",     [STUDY_COMPLETE] = "complete",
        [STUDY_TARGET] = "target",       [STUDY_COUNT] = "count",
        [STUDY_DRAINED] = "stopped",     [STUDY_INTERRUPTED] = "interrupted",
        [STUDY_TIME] = "time limit",     [STUDY_FAILURES] = "max_failures",
        [STUDY_ALL_FAILED] = "failures", [STUDY_UNFIT] = "unfit",
        [STUDY_NO_METRIC] = "no metric", [STUDY_BROKEN] = "broken",
        [STUDY_STRATEGY] = "strategy",
    };
    write_time_used(s);
    store_event_add(s->store, clock_wall(), names[s->run.end], STR(""), NULL);
    run_commit(&s->run, &(struct err){0});
    return names[s->run.end];
}

static int run_to_end(struct study *s, enum study_end *end, struct err *err)
{
    bool starts = s->run.phase == RUN_STARTS;
    if (target_reached(s))
        run_only_wishes(&s->run);
    if (starts && run_too_many_failures(&s->run))
        run_over(&s->run, STUDY_FAILURES);
    else if (starts && target_reached(s) && !idmap_count(s->run.lives))
        run_over(&s->run, STUDY_TARGET);
    run_round(&s->run);
    if (s->run.phase < RUN_OVER && loop_run(s->setup.loop, err))
        return -1;
    *end = s->run.end;
    if (s->run.end == STUDY_BROKEN)
        return err_set(err, s->run.fault.kind, "%s", s->run.fault.text);
    if (store_stands(s->store, err))
        return -1;
    study_requests_end(s);
    bool over = s->run.end == STUDY_COMPLETE || s->run.end == STUDY_TARGET;
    if (over && study_search_close(s, err))
        return -1;
    if (s->run.ended_here && study_means_write(s, err))
        return -1;
    const char *how = end_event(s);
    run_all_on_disk(&s->run);
    study_requests_answer(s);
    int rc = 0;
    if (over)
        rc = study_keep(s, err);
    if (!rc && s->run.end != STUDY_INTERRUPTED && s->run.end != STUDY_DRAINED)
        rc = study_merge(s, err);
    if (!rc && s->run.end != STUDY_INTERRUPTED && s->run.end != STUDY_DRAINED)
        study_pack(s);
    if (!rc)
        study_events_end(s, how);
    if (s->run.end == STUDY_STRATEGY)
        rc = err_set(err, s->strategy_fault.kind, "%s", s->strategy_fault.text);
    return rc;
}

/* Nothing is said to be done that will not be there. */
int study_run(struct study *s, enum study_end *end, struct err *err)
{
    struct err gone = {0};
    int rc = run_to_end(s, end, err);
    if (study_stands(s, &gone) == 0)
        return rc;
    *end = STUDY_BROKEN;
    return err_set(err, gone.kind, "%s", gone.text);
}

void study_drain(struct study *s)
{
    run_drain(&s->run, STUDY_DRAINED);
}

void study_part(struct study *s)
{
    run_part(&s->run, STUDY_INTERRUPTED);
}

void study_interrupt(struct study *s)
{
    run_interrupt(&s->run, STUDY_INTERRUPTED);
}

void study_hurry(struct study *s)
{
    study_interrupt(s);
    if (s->engine)
        engine_hurry(s->engine);
}

void study_abandon(struct study *s)
{
    study_interrupt(s);
    if (s->engine)
        engine_abandon(s->engine);
}

void study_close(struct study *s)
{
    if (!s)
        return;
    loop_remove(s->beat);
    loop_remove(s->ear);
    study_gpus_close(s);
    study_devices_close(s);
    engine_close(s->engine);
    if (s->run.lives)
        run_close(&s->run);
    search_free(s->search);
    external_free(s->external);
    bulk_close(s->bulk);
    added_done(&s->added);
    vec_done(&s->doomed);
    map_free(s->heard);
    buf_done(&s->applied);
    store_close(s->store);
    arena_free(s->arena);
    free(s);
}

/* ---- progress --------------------------------------------------------- */

int64_t study_total(const struct study *s, const struct counts *c)
{
    int64_t total = search_total(s->search);
    if (total < 0)
        return -1;
    total += s->added.count - s->removed;
    return total < c->total ? c->total : total;
}

void study_progress(const struct study *s, struct study_progress *p)
{
    const struct run *r = &s->run;
    memset(p, 0, sizeof(*p));
    p->counts = r->counts;
    p->total = study_total(s, &r->counts);
    p->elapsed_s = (double)(clock_mono_ns() - r->started_ns) / 1e9;
    struct study_pace pace;
    pace_now(&r->pace, clock_mono_ns(), &pace);
    p->rate = pace.rate;
    int64_t final = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_final((enum state)i))
            final += r->counts.by_state[i];
    p->left_s = study_pace_left(&pace, p->total > 0 ? p->total - final : -1);
    p->best = r->best;
    p->best_value = r->best_value;
    study_likely(s, &p->likely);
    p->ended_here = r->ended_here;
    p->draining = r->phase >= RUN_DRAINS && r->phase < RUN_OVER;
    if (r->end != STUDY_RUNNING && r->limits.metric.len &&
        !s->plan->goal.bound_count)
        store_valueless(s->store, &p->valueless, NULL);
}

void study_unreported_print(const struct study *s, struct buf *b)
{
    const struct run *r = &s->run;
    if (!r->unreported || r->any_value)
        return;
    buf_addf(b, "no trial has reported the metric `%.*s`: %s",
             STRF(r->limits.metric), r->unreported_hint);
}

const char *study_failure_tail(const struct study *s)
{
    return s->run.failure_tail ? s->run.failure_tail : "";
}

/* ---- for readers ------------------------------------------------------ */

int study_next(struct store *store, int64_t *trial, int64_t *suggestion,
               struct err *err)
{
    struct added added = {0};
    int rc = added_read(&added, store, err);
    if (!rc) {
        *trial = last_trial_ever(store) + 1;
        *suggestion = *trial - added.count;
    }
    added_done(&added);
    return rc;
}

int study_goal_read(struct store *store, struct arena *a,
                    struct study_goal *goal, struct err *err)
{
    struct str text;
    if (store_fact(store, "goal", a, &text, err) ||
        store_fact(store, "metric", a, &goal->name, err))
        return -1;
    goal->minimize = !str_is(text, "maximize");
    return store_goal(store, a, &goal->all, err);
}
