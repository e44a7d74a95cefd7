/* resume.c - going on where an earlier run was
 *
 * Everything that an earlier run left is settled before anything starts: its
 * workers and tasks on this machine are ended, their last words are applied,
 * trials that were out wait again unless they live on at their place, the
 * strategy hears of all results. */
#include "study/conductor.h"

#include "base/json.h"
#include "study/selected.h"

#define CUT_OFF_TOLD 3  /* ends of throng in a row */
#define CUT_OFF_NAMED 8 /* trials */
#define DIARY_LINES 32  /* a run writes few, and the last are looked at */

static int adopt(void *context, const struct trial *t, struct err *err)
{
    struct study *s = context;
    return run_adopt(&s->run, t, err);
}

static int adopt_all(struct study *s, struct err *err)
{
    return selected_each(s->store, "waiting,running", adopt, s, err);
}

/* A trial whose end was packed and then lost with the power has its log in a
 * pack only, and one that was at a rung its state. Those who have ended by
 * their workers' last words are not among them: what these brought is newer
 * than what a file would be. */
static int unpack_all(struct study *s, struct err *err)
{
    struct packs *packs = packs_open(s->setup.folder);
    uint64_t id;
    void *live;
    int rc = 0;
    for (size_t at = 0; !rc && idmap_next(s->run.lives, &at, &id, &live);)
        rc = study_unpack(packs, s->setup.folder, (int64_t)id, err);
    packs_close(packs);
    return rc;
}

static void apply(void *context, const struct record *record)
{
    struct study *s = context;
    attempt_record(&s->run, record);
}

static int commit(void *context)
{
    struct study *s = context;
    struct err err = {0};
    if (!run_commit(&s->run, &err))
        return 0;
    run_break(&s->run, &err);
    return -1;
}

/* Those of the place are not what was left: it holds them. */
static size_t drop_living(struct study *s, struct left_processes *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct live *l = run_live(&s->run, found->trials[i]);
        if (!l || !l->lives_on)
            found->leaders[kept++] = found->leaders[i];
    }
    return kept;
}

/* Ends what earlier conductors left running here, and hears their workers'
 * last words. */
static int recover(struct study *s, struct err *err)
{
    struct left_processes found;
    if (store_left_processes(s->store, s->arena, &found, err))
        return -1;
    struct engine_left left = {
        .epoch = store_lease_epoch(s->store),
        .leaders = found.leaders,
        .leader_count = drop_living(s, &found),
        .numbers_stand = found.numbers_stand,
        .known_ticks = found.known_ticks,
    };
    return engine_recover(s->engine, &left, apply, commit, s, err);
}

/* It may wait for the answer to a report that died with whoever heard it, or
 * for one that is still to be heard. Behind what was heard it goes on, and
 * every report that comes is answered. */
static void answer_again(struct study *s, struct live *l)
{
    const struct summary_entry *e =
        summary_find(&l->summary, s->plan->metric.name);
    if (!s->plan->model_root || s->plan->early.kind == EARLY_NONE)
        return;
    l->awaits = 1;
    engine_go_on(s->engine, (uint64_t)l->t.id, e ? e->step + 1 : 1);
}

/* What was asked of it before is asked again: who was told may be gone. */
bool study_lives_on(void *context, struct live *l)
{
    struct study *s = context;
    struct needs needs;
    uint64_t task = (uint64_t)l->t.id;
    uint32_t own = l->a.folder;
    struct arena *a = arena_new();
    struct value *point = json_parse(a, l->t.point, "point", false, NULL);
    struct engine_out out = {.task = task,
                             .attempt = l->a.number,
                             .as = l->again ? store_own_attempt(own)
                                            : l->a.number,
                             .start = l->again ? store_own_start(own) : 0,
                             .begun = l->a.started > 0};
    bool adopted = point && !study_needs(s, point, &needs, NULL) &&
                   engine_adopt(s->engine, &out, &needs);
    arena_free(a);
    if (adopted && l->wish == WISH_KILL)
        engine_kill_task(s->engine, task, OUTCOME_KILLED);
    else if (adopted && (l->wish || l->stop_why))
        engine_stop_task(s->engine, task);
    else if (adopted)
        answer_again(s, l);
    return adopted;
}

/* True when the run before this one was asked to end, but did not live to see
 * it. This run's own first line is in the diary already. */
static bool was_ending(struct study *s)
{
    struct event *list;
    size_t count, runs = 0;
    if (store_events(s->store, DIARY_LINES, s->arena, &list, &count, NULL))
        return false;
    while (count-- > 0 && runs < 2) {
        if (str_is(list[count].what, "draining"))
            return true;
        runs += str_is(list[count].what, "opened") ||
                str_is(list[count].what, "created");
    }
    return false;
}

static int broken(const struct study *s, struct err *err)
{
    return err_set(err, s->run.fault.kind, "%s", s->run.fault.text);
}

/* A file that was not taken in says so itself, and the run why. */
static int not_recovered(const struct study *s, struct err *err)
{
    struct err why = *err;
    if (s->run.phase == RUN_BROKEN)
        err_set(err, s->run.fault.kind, "%.400s: %.400s", why.text,
                s->run.fault.text);
    return -1;
}

static int ruled_before(struct study *s, const char *metric, struct arena *a,
                        struct err *err)
{
    uint64_t id;
    void *at;
    if (s->plan->early.kind != EARLY_RULE)
        return 0;
    for (size_t i = 0; idmap_next(s->run.lives, &i, &id, &at);) {
        struct live *l = at;
        struct series series = {.count = 0};
        if (!l->t.attempts)
            continue;
        if (store_series(s->store, l->t.id, metric, a, &series, err))
            return -1;
        study_search_rule_again(s, l, &series);
        struct doomed d = {.trial = l->t.id, .why = l->stop_why};
        if (l->stop_why)
            vec_push(&s->doomed, d);
    }
    return 0;
}

/* Of those that were to stop nothing that is still to be heard counts. */
static int doom(struct study *s, struct err *err)
{
    struct arena *a = arena_new();
    const char *metric = arena_cstr(a, s->plan->metric.name);
    int rc = ruled_before(s, metric, a, err);
    for (size_t i = 0; !rc && i < s->doomed.len; i++) {
        struct live *l = run_live(&s->run, s->doomed.p[i].trial);
        struct series series = {.count = 0};
        if (!l)
            continue;
        rc = store_series(s->store, l->t.id, metric, a, &series, err);
        if (rc || !series.count)
            continue;
        l->decided_at = series.steps[series.count - 1];
        l->stop_why = s->doomed.p[i].why;
    }
    arena_free(a);
    return rc;
}

/* Who ran whenever throng ended unasked may be the cause, or not. */
static int tell_cut_off(struct study *s, struct err *err)
{
    struct arena *a = arena_new();
    struct buf names;
    size_t found = 0;
    uint64_t id;
    void *at;
    int rc = 0;
    buf_init(&names);
    for (size_t i = 0; !rc && idmap_next(s->run.lives, &i, &id, &at);) {
        struct attempt *list;
        size_t count = ((struct live *)at)->t.attempts;
        arena_reset(a);
        if (count < CUT_OFF_TOLD)
            continue;
        rc = store_attempts(s->store, (int64_t)id, a, &list, &count, err);
        if (rc || study_cut_off(list, count) < CUT_OFF_TOLD)
            continue;
        if (found++ < CUT_OFF_NAMED)
            buf_addf(&names, "%s%llu", names.len ? "," : "",
                     (unsigned long long)id);
    }
    if (found)
        log_to(s->setup.log, LOG_NOTICE,
               "at each of the last %d ends of throng that nobody asked for "
               "%s%s %s%s running; should a task be what ends throng, `throng "
               "kill %.*s N` takes trial N out",
               CUT_OFF_TOLD, found > 1 ? "trials " : "trial ", names.p,
               found > CUT_OFF_NAMED ? "and others " : "",
               found > 1 ? "were" : "was", STRF(s->plan->name));
    buf_done(&names);
    arena_free(a);
    return rc;
}

int study_resume(struct study *s, struct err *err)
{
    if (study_search_resume(s, err) || adopt_all(s, err) ||
        study_where(s, err) || doom(s, err) || study_forgotten(s, err))
        return -1;
    run_offer(&s->run);
    if (recover(s, err))
        return not_recovered(s, err);
    run_settle(&s->run, was_ending(s),
               store_lease_predecessor(s->store) == PREDECESSOR_PRESUMED);
    if (run_grant_wishes(&s->run, err) || unpack_all(s, err))
        return -1;
    for (size_t i = 0; i < s->doomed.len; i++) {
        struct live *l = run_live(&s->run, s->doomed.p[i].trial);
        if (l && attempt_stop_waiting(&s->run, l, s->doomed.p[i].why, err))
            return -1;
    }
    if (commit(s))
        return broken(s, err);
    if (store_lease_predecessor(s->store) != PREDECESSOR_NONE &&
        tell_cut_off(s, err))
        return -1;
    store_tidy(s->store);
    if (store_lease_settle(s->store, err))
        return -1;
    s->run.ended_here = 0;
    s->run.failed_first = 0;
    return 0;
}
