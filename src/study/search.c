/* search.c - the strategy as a source of trials
 *
 * All that a suggestion depends on is written down as the strategy hears it
 * (store.h, struct heard), in the transaction of the change itself, so that
 * heard.c can repeat it for the next run. */
#include <math.h>
#include <stdio.h>
#include "base/json.h"
#include "base/num.h"
#include "study/conductor.h"
#include "study/selected.h"
#include "study/used.h"
#include "terms/state.h"

/* ---- a program of the person's own ------------------------------------ */

/* What runs may finish: its results are worth having, and the next run tells
 * them. */
static void on_strategy_failed(void *context, const struct err *why)
{
    struct study *s = context;
    s->strategy_fault = *why;
    log_to(s->setup.log, LOG_WARN,
           "%s; no new trial starts, those that run may finish", why->text);
    run_drain(&s->run, STUDY_STRATEGY);
}

static void on_strategy_decided(void *context, int64_t k, enum decision d)
{
    struct study *s = context;
    struct live *l = run_live(&s->run, added_trial(&s->added, k));
    if (l && live_is_out(l) && d != DECISION_CONTINUE)
        attempt_stop(&s->run, l, "by the method");
}

static void open_external(struct study *s)
{
    const struct plan *p = s->plan;
    struct external_setup setup = {
        .plan = p,
        .home = s->setup.home,
        .python = s->setup.python,
        .log_path = path_join(s->arena, s->setup.folder, "external.log"),
        .leaders_path =
            engine_leaders_path(s->arena, s->setup.folder, "external"),
        .mask = s->setup.mask,
        .loop = s->setup.loop,
        .parallel = p->parallel ? p->parallel : study_cpus(s),
        .context = s,
        .failed = on_strategy_failed,
        .decided = on_strategy_decided,
    };
    s->external = external_new(&setup);
}

int study_search_start(struct study *s, struct err *err)
{
    if (!s->external)
        return 0;
    return external_start(s->external, err);
}

/* Trials out at once, as far as suggestions may depend on it: with an order
 * that no number of workers changes, on the order alone. */
static int64_t parallel_of(const struct study *s)
{
    struct search_setup setup = {.parallel = s->plan->parallel};
    if (s->parallel > 0)
        return s->parallel;
    plan_search_order(&setup, s->plan);
    if (setup.order != SEARCH_FREE || setup.parallel)
        return setup.parallel;
    return s->engine ? study_cpus(s) : 0;
}

int study_search_open(struct study *s, struct err *err)
{
    const struct plan *p = s->plan;
    struct search_setup setup = plan_search_setup(p, &s->points, s->arena);
    plan_search_order(&setup, p);
    setup.parallel = parallel_of(s);
    setup.version = s->version;
    setup.aimless = p->goal.objective_count == 0;
    setup.early = &p->early;
    setup.pick_best = p->metric.pick == PICK_BEST;
    if (p->strategy->asks) {
        open_external(s);
        setup.outside = external_outside(s->external);
    }
    char *method = arena_cstr(s->arena, p->method);
    s->search = search_open(method, &setup, err);
    const char *why = s->search ? search_why(s->search) : NULL;
    if (why)
        log_to(s->setup.log, LOG_NOTICE, "method auto: %s", why);
    return s->search ? 0 : -1;
}

/* A whole number that is kept with the study. */
static int read_number(struct store *store, const char *fact, int64_t unsaid,
                       int64_t *number, struct err *err)
{
    struct arena *a = arena_new();
    struct str text;
    int rc = store_fact(store, fact, a, &text, err);
    if (!rc && (!text.p || !num_int(text, number)))
        *number = unsaid;
    arena_free(a);
    return rc;
}

static int write_number(struct store *store, const char *fact, int64_t number,
                        struct err *err)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)number);
    return store_fact_set(store, fact, str_of(text), err);
}

int study_search_version(struct store *store, int64_t *version, struct err *err)
{
    return read_number(store, "search_version", 1, version, err);
}

int study_search_recall(struct study *s, struct err *err)
{
    return read_number(s->store, "search_parallel", 0, &s->parallel, err) ||
                   study_search_version(s->store, &s->version, err)
               ? -1
               : 0;
}

/* What its study was made with is what the method goes on with, whatever
 * this machine holds and this program would do. */
int study_search_settle(struct study *s, struct err *err)
{
    int64_t now = parallel_of(s);
    if (s->created &&
        write_number(s->store, "search_version", SEARCH_VERSION, err))
        return -1;
    if (study_search_recall(s, err))
        return -1;
    if (!s->parallel && write_number(s->store, "search_parallel", now, err))
        return -1;
    bool same = !s->parallel || s->parallel == now;
    if ((same && s->version == SEARCH_VERSION) || s->external)
        return 0;
    search_free(s->search);
    s->search = NULL;
    return study_search_open(s, err);
}

/* ---- what it is told -------------------------------------------------- */

/* Several objectives and constraints come from the metrics of the trial, the
 * first objective too: a trial that breaks a constraint has no value. Of one
 * that waits at a rung only the constraints count. */
void study_search_values(const struct study *s, struct str summary,
                         struct arena *a, struct result *r)
{
    const struct goal *g = &s->plan->goal;
    bool bad = state_bad((enum state)r->state);
    bool waits = r->state == STATE_PAUSED && s->version >= 3;
    if ((g->objective_count < 2 && !g->bound_count) ||
        (!state_final((enum state)r->state) && !waits) || bad || !summary.len)
        return;
    const struct value *v = json_parse(a, summary, "summary", false, NULL);
    double *values = arena_array(a, g->objective_count + 1, sizeof(*values));
    double *broken = arena_array(a, g->bound_count + 1, sizeof(*broken));
    goal_values(g, v, values);
    goal_broken(g, v, broken);
    if (g->objective_count && !waits)
        r->value = values[0];
    if (g->objective_count > 1 && !waits) {
        r->values = values;
        r->value_count = g->objective_count;
    }
    if (g->bound_count) {
        r->constraints = broken;
        r->constraint_count = g->bound_count;
    }
}

/* The strategy counts its suggestions, the store trials. */
static void number_as_trials(const struct study *s, struct suggestion *out)
{
    if (out->parent > 0)
        out->parent = added_trial(&s->added, out->parent);
    if (out->replaces > 0)
        out->replaces = added_trial(&s->added, out->replaces);
}

/* Writes down what the strategy was asked or told. */
static void write_heard(struct study *s, const struct heard *h)
{
    struct err err = {0};
    run_dirty(&s->run);
    if (store_heard_add(s->store, h, &err))
        run_break(&s->run, &err);
}

bool study_search_listens(const struct study *s)
{
    enum early_kind kind = s->plan->early.kind;
    return !search_foresees(s->search) ||
           (kind != EARLY_NONE && kind != EARLY_RULE);
}

int64_t study_search_id(const struct study *s, int64_t trial)
{
    int64_t k = added_suggestion(&s->added, trial);
    /* Once both kinds had one range, and the second of two results with the
     * same number was not heard. */
    enum foreign kind = s->version >= 3 ? FOREIGN_ADDED : FOREIGN_WARM;
    return k ? k : foreign_number(kind, trial);
}

static enum run_next ask(struct study *s, int64_t k, struct arena *a,
                         struct suggestion *out, struct err *err)
{
    switch (search_ask(s->search, k, a, out, err)) {
    case SEARCH_HERE:
        number_as_trials(s, out);
        if (!search_foresees(s->search))
            write_heard(s, &(struct heard){.kind = HEARD_ASKED,
                                           .trial = s->run.next_id,
                                           .step = out->budget,
                                           .value = NAN});
        return RUN_NEXT;
    case SEARCH_END:
        return search_may_promote(s->search) ? RUN_NEXT_WAIT : RUN_NEXT_END;
    case SEARCH_WAIT:
        return RUN_NEXT_WAIT;
    default:
        return RUN_NEXT_ERROR;
    }
}

static enum run_next next(void *context, int64_t k, struct arena *a,
                          struct suggestion *out, struct err *err)
{
    struct study *s = context;
    switch (search_promote(s->search, out)) {
    case SEARCH_HERE:
        number_as_trials(s, out);
        write_heard(s, &(struct heard){.kind = HEARD_PROMOTED,
                                       .trial = out->replaces,
                                       .step = out->budget,
                                       .value = NAN});
        return RUN_NEXT;
    case SEARCH_WAIT:
        return RUN_NEXT_WAIT;
    default:
        break;
    }
    if (k > 0)
        return ask(s, k, a, out, err);
    return search_may_promote(s->search) ? RUN_NEXT_WAIT : RUN_NEXT_END;
}

static int64_t suggestion_of(void *context, int64_t trial)
{
    struct study *s = context;
    return added_suggestion(&s->added, trial);
}

static void place_in_group(void *context, int64_t k, struct trial *t)
{
    struct study *s = context;
    search_repeat_of(s->search, k, &t->group, &t->member);
}

static int64_t decides_at(void *context, const struct live *l)
{
    struct study *s = context;
    const struct early *e = &s->plan->early;
    if (e->kind != EARLY_RULE)
        return search_decides_at(s->search, study_search_id(s, l->t.id));
    int64_t more = stoprule_more(&e->rule, &l->rule);
    return more && l->rule_step > 0 ? l->rule_step + more : more;
}

static int build(void *context, const struct live *l, struct arena *a,
                 struct task *t, struct err *err)
{
    if (study_task(context, l, a, t, err))
        return -1;
    struct study *s = context;
    if (s->plan->model_root)
        t->awaits = decides_at(context, l);
    if (t->awaits && l->t.attempts) /* it may begin anew */
        t->awaits = 1;
    if (engine_is_live(s->engine))
        return 0;
    t->rule = s->plan->early.rule;
    if (s->plan->early.kind != EARLY_RULE) /* nobody would answer */
        t->awaits = 0;
    return 0;
}

/* "by early_terminate hyperband at 9: 0.41, threshold 0.38" */
static const char *judged(struct study *s, const struct verdict *v)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "by early_terminate %s at %lld: ", early_name(&s->plan->early),
             (long long)v->level);
    num_print_short(&b, v->value, 6);
    if (!isnan(v->threshold)) {
        buf_adds(&b, ", threshold ");
        num_print_short(&b, v->threshold, 6);
    }
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* The same of a rule that looks at one trial alone. */
static const char *ruled(struct study *s, const struct live *l, double value)
{
    const struct stoprule *rule = &s->plan->early.rule;
    struct verdict v = {
        .level = l->rule.reports, .value = value, .threshold = rule->threshold};
    struct buf b;
    if (rule->kind == STOPRULE_THRESHOLD)
        return judged(s, &v);
    buf_init(&b);
    buf_addf(&b, "by early_terminate %s", early_name(&s->plan->early));
    if (rule->kind == STOPRULE_PATIENCE) {
        buf_addf(&b, " at %lld: nothing better than ",
                 (long long)l->rule.reports);
        num_print_short(&b, l->rule.best, 6);
        buf_addf(&b, " in %lld report%s", (long long)l->rule.since_best,
                 l->rule.since_best == 1 ? "" : "s");
    } else {
        buf_adds(&b, " after ");
        num_print_short(&b, rule->seconds, 6);
        buf_adds(&b, " s");
    }
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static double used_s(struct study *s, struct live *l)
{
    struct err err = {0};
    if (l->used_of == l->a.number)
        return l->used_s;
    if (used_before(s->store, l, &l->used_s, &err))
        run_break(&s->run, &err);
    l->used_of = l->a.number;
    return l->used_s;
}

static double running_s(struct study *s, struct live *l)
{
    if (l->a.started <= 0 || s->plan->early.rule.kind != STOPRULE_TIME)
        return 0;
    return used_s(s, l) + (double)(clock_mono_ns() - l->started_ns) * 1e-9;
}

/* What a trial that was begun earlier had reported before this step. */
static void recall_rule(struct study *s, struct live *l, int64_t step)
{
    const struct stoprule *rule = &s->plan->early.rule;
    struct arena *a = arena_new();
    struct series series = {.count = 0};
    struct err err = {0};
    if (store_series(s->store, l->t.id, arena_cstr(a, s->plan->metric.name), a,
                     &series, &err))
        run_break(&s->run, &err);
    for (size_t i = 0; i < series.count && series.steps[i] < step; i++)
        stoprule_report(rule, &l->rule, s->plan->metric.minimize,
                        series.values[i], 0);
    arena_free(a);
}

/* What one trial says about itself: patience and the like. An attempt that
 * goes on from an older checkpoint reports steps that the rule knows. */
static enum decision apply_rule(struct study *s, struct live *l, int64_t step,
                                double value)
{
    const struct early *e = &s->plan->early;
    if (e->kind != EARLY_RULE || step <= l->rule_step)
        return DECISION_CONTINUE;
    if ((l->adopted || l->a.anew) && l->rule_step == INT64_MIN)
        recall_rule(s, l, step);
    l->rule_step = step;
    enum decision d = stoprule_report(
        &e->rule, &l->rule, s->plan->metric.minimize, value, running_s(s, l));
    if (d != DECISION_CONTINUE)
        l->stop_why = ruled(s, l, value);
    return d;
}

/* What the trial said before counts no more, for the rule and for those that
 * it is compared with. */
static int anew(void *context, struct live *l, struct err *err)
{
    struct study *s = context;
    enum early_kind kind = s->plan->early.kind;
    stoprule_begin(&l->rule);
    l->rule_step = INT64_MIN;
    if (kind == EARLY_NONE || kind == EARLY_RULE)
        return 0;
    search_anew(s->search, study_search_id(s, l->t.id));
    return study_search_recount(s, l->t.id, err);
}

void study_search_look(struct study *s)
{
    const struct early *e = &s->plan->early;
    uint64_t id;
    void *live;
    if (e->kind != EARLY_RULE || e->rule.kind != STOPRULE_TIME)
        return;
    for (size_t at = 0; idmap_next(s->run.lives, &at, &id, &live);) {
        struct live *l = live;
        if (live_is_out(l) && !l->stop_why &&
            running_s(s, l) >= e->rule.seconds)
            attempt_stop(&s->run, l, ruled(s, l, NAN));
    }
}

static enum decision report(void *context, struct live *l, int64_t step,
                            double value)
{
    struct study *s = context;
    int64_t id = study_search_id(s, l->t.id);
    enum decision d = search_report(s->search, id, step, value);
    const struct verdict *v = search_verdict(s->search);
    /* The tables of median hold every report: the metrics themselves say; but
     * not which one ended it. */
    bool median = s->plan->early.kind == EARLY_MEDIAN;
    if (v->counted && (!median || d == DECISION_STOP))
        write_heard(
            s, &(struct heard){.kind = median ? HEARD_DECIDED : HEARD_REPORT,
                               .trial = l->t.id,
                               .step = v->level,
                               .state = d == DECISION_STOP ? STATE_STOPPED
                                                           : STATE_RUNNING,
                               .value = v->value});
    if (d == DECISION_CONTINUE)
        return apply_rule(s, l, step, value);
    if (v->level > 0 && s->plan->early.kind != EARLY_NONE)
        l->stop_why = judged(s, v);
    return d;
}

/* ---- ends ------------------------------------------------------------- */

/* The metrics of a trial that goes on later will say something else. */
static void write_broken(struct study *s, int64_t trial, const struct result *r)
{
    for (size_t i = 0; r->constraints && i < r->constraint_count &&
                       !search_foresees(s->search);
         i++)
        write_heard(s, &(struct heard){.kind = HEARD_BROKEN,
                                       .trial = trial,
                                       .step = (int64_t)i,
                                       .value = r->constraints[i]});
}

static void tell(struct study *s, const struct live *l)
{
    struct result result = {
        .trial = study_search_id(s, l->t.id),
        .point = json_parse(s->run.arena, l->t.point, "point", true, NULL),
        .state = l->t.state,
        .value = l->t.value,
    };
    if (!study_search_listens(s) || !result.point)
        return;
    study_search_values(s, l->t.summary, s->run.arena, &result);
    if (result.state == STATE_PAUSED)
        write_broken(s, l->t.id, &result);
    if (!search_foresees(s->search))
        write_heard(s, &(struct heard){.kind = HEARD_TOLD,
                                       .trial = l->t.id,
                                       .step = -1,
                                       .state = l->t.state,
                                       .value = result.value});
    search_tell(s->search, &result);
}

static void ended(void *context, const struct live *l)
{
    tell(context, l);
}

static bool pauses(void *context, const struct live *l)
{
    struct study *s = context;
    return l->suggestion &&
           (search_pauses(s->search, l->suggestion) ||
            (s->external && external_pauses(s->external, l->suggestion)));
}

/* ---- trials that wait at a rung when all is over ------------------------ */

const char *study_search_standing(struct study *s, int64_t trial)
{
    struct verdict v;
    if (s->plan->early.kind == EARLY_NONE)
        return "paused by the method, which did not take it up again";
    search_standing(s->search, study_search_id(s, trial), &v);
    return judged(s, &v);
}

const char *study_search_judged(struct study *s, int64_t k,
                                const struct heard *h)
{
    struct verdict v;
    search_judged(s->search, k, &v);
    if (!v.level) {
        v.level = h->step;
        v.value = h->value;
    }
    return judged(s, &v);
}

/* Nobody writes down what a rule decides by a trial's own reports: the reports
 * say so again. */
void study_search_rule_again(struct study *s, struct live *l,
                             const struct series *series)
{
    const struct early *e = &s->plan->early;
    enum decision d = DECISION_CONTINUE;
    size_t i = 0;
    if (e->kind != EARLY_RULE)
        return;
    for (; d == DECISION_CONTINUE && i < series->count; i++)
        d = stoprule_report(&e->rule, &l->rule, s->plan->metric.minimize,
                            series->values[i], 0);
    if (d != DECISION_CONTINUE && i == series->count) {
        l->decided_at = series->steps[i - 1];
        l->stop_why = ruled(s, l, series->values[i - 1]);
    } else {
        stoprule_begin(&l->rule);
    }
}

static int close_paused(void *context, const struct trial *t, struct err *err)
{
    struct study *s = context;
    return run_close_paused(&s->run, t, study_search_standing(s, t->id), err);
}

int study_search_close(struct study *s, struct err *err)
{
    if (s->run.counts.by_state[STATE_PAUSED] == 0)
        return 0;
    if (selected_each(s->store, "paused", close_paused, s, err))
        return -1;
    return run_commit(&s->run, err);
}

static void redact(void *context, struct buf *b, struct str text)
{
    struct study *s = context;
    plan_redact(b, s->plan, text);
}

static int go_on(void *context, const struct live *l, struct arena *a,
                 struct task *t, struct err *err)
{
    return study_task_go_on(context, l, a, t, err);
}

static int send(void *context, const struct live *l, struct arena *a,
                struct task *t, struct err *err)
{
    return study_task_send(context, l, a, t, err);
}

/* A trainer's members have no process of their own that could be known. */
static bool may_have_run(void *context, const struct live *l)
{
    const struct study *s = context;
    return s->plan->model_root ||
           engine_may_have_run(s->engine, (uint64_t)l->t.id, l->a.number);
}

static void settled(void *context, int64_t trial)
{
    study_task_settled(context, trial);
}

struct run_source study_source(struct study *s)
{
    return (struct run_source){.context = s,
                               .next = next,
                               .suggestion_of = suggestion_of,
                               .place_in_group = place_in_group,
                               .build = build,
                               .lives_on = study_lives_on,
                               .may_have_run = may_have_run,
                               .go_on = go_on,
                               .send = send,
                               .settled = settled,
                               .report = report,
                               .anew = anew,
                               .decides_at = decides_at,
                               .ended = ended,
                               .pauses = pauses,
                               .redact = redact};
}
