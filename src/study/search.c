/* search.c - the strategy as a source of trials */
#include <math.h>
#include "base/json.h"
#include "study/conductor.h"
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
    if (l && l->placed && d != DECISION_CONTINUE)
        attempt_stop(&s->run, l, "by the method");
}

static void open_external(struct study *s)
{
    const struct plan *p = s->plan;
    struct external_setup setup = {
        .plan = p,
        .home = s->setup.home,
        .log_path = path_join(s->arena, s->setup.folder, "external.log"),
        .loop = s->setup.loop,
        .parallel = p->parallel ? p->parallel : s->setup.machine->cpus,
        .context = s,
        .failed = on_strategy_failed,
        .decided = on_strategy_decided,
    };
    s->external = external_new(&setup);
}

int study_search_start(struct study *s, struct err *err)
{
    return s->external ? external_start(s->external, err) : 0;
}

int study_search_open(struct study *s, struct err *err)
{
    const struct plan *p = s->plan;
    struct search_setup setup = {
        .space = &p->space,
        .seed = p->seed,
        .minimize = p->metric.minimize,
        .run_cap = p->run_cap,
        .repeat = p->repeat,
        .options = p->method_options,
        .constraint_count = p->goal.bound_count,
        .parallel = p->parallel ? p->parallel : s->setup.machine->cpus,
    };
    if (p->goal.objective_count > 1) {
        bool *goals =
            arena_array(s->arena, p->goal.objective_count, sizeof(*goals));
        for (size_t i = 0; i < p->goal.objective_count; i++)
            goals[i] = p->goal.objectives[i].minimize;
        setup.objective_count = p->goal.objective_count;
        setup.minimize_each = goals;
    }
    if (p->points) {
        s->points.context = p->points;
        s->points.count = plan_points_count(p->points);
        s->points.get = plan_points_get;
        setup.points = &s->points;
    }
    if (str_is(p->method, "external")) {
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

/* ---- what it is told -------------------------------------------------- */

/* Several objectives and constraints come from the metrics of the trial, the
 * first objective too: a trial that breaks a constraint has no value. */
static void fill_values(const struct study *s, struct str summary,
                        struct arena *a, struct result *r)
{
    const struct goal *g = &s->plan->goal;
    bool bad = state_bad((enum state)r->state);
    if ((g->objective_count < 2 && !g->bound_count) ||
        !state_final((enum state)r->state) || bad || !summary.len)
        return;
    const struct value *v = json_parse(a, summary, "summary", true, NULL);
    double *values = arena_array(a, g->objective_count + 1, sizeof(*values));
    double *broken = arena_array(a, g->bound_count + 1, sizeof(*broken));
    goal_values(g, v, values);
    goal_broken(g, v, broken);
    if (g->objective_count)
        r->value = values[0];
    if (g->objective_count > 1) {
        r->values = values;
        r->value_count = g->objective_count;
    }
    if (g->bound_count) {
        r->constraints = broken;
        r->constraint_count = g->bound_count;
    }
}

static int tell_warm_start(struct study *s, struct err *err)
{
    struct str text;
    struct arena *a = arena_new();
    int rc = store_fact(s->store, "warm_start", a, &text, err);
    if (!rc && text.len) {
        const struct value *known =
            json_parse(a, text, "warm_start", false, err);
        if (known)
            study_warm_tell(known, s->search);
        else
            rc = -1;
    }
    arena_free(a);
    return rc;
}

/* Trials that have not ended are told as what they are: the strategy must
 * know their points, as it did when it was asked for them. */
int study_search_resume(struct study *s, struct err *err)
{
    if (search_foresees(s->search))
        return 0;
    if (tell_warm_start(s, err))
        return -1;
    const struct goal *g = &s->plan->goal;
    struct query q = {.with_texts =
                          g->objective_count > 1 || g->bound_count > 0};
    struct rows *rows = store_rows(s->store, &q, err);
    if (!rows)
        return -1;
    struct arena *a = arena_new();
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        struct result result = {
            .trial = added_suggestion(&s->added, t.id),
            .point = json_parse(a, t.point, "point", false, err),
            .state = t.state,
            .value = state_final(t.state) ? t.value : NAN,
            .step = -1,
        };
        if (!result.point) {
            got = -1;
            break;
        }
        fill_values(s, t.summary, a, &result);
        search_tell(s->search, &result);
    }
    arena_free(a);
    rows_close(rows);
    return got;
}

/* The strategy counts its suggestions, the store trials. */
static void number_as_trials(const struct study *s, struct suggestion *out)
{
    if (out->parent > 0)
        out->parent = added_trial(&s->added, out->parent);
    if (out->replaces > 0)
        out->replaces = added_trial(&s->added, out->replaces);
}

static enum run_next next(void *context, int64_t k, struct arena *a,
                          struct suggestion *out, struct err *err)
{
    struct study *s = context;
    switch (search_ask(s->search, k, a, out, err)) {
    case SEARCH_HERE:
        number_as_trials(s, out);
        return RUN_NEXT;
    case SEARCH_END:
        return RUN_NEXT_END;
    case SEARCH_WAIT:
        return RUN_NEXT_WAIT;
    default:
        return RUN_NEXT_ERROR;
    }
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

static int build(void *context, const struct live *l, struct arena *a,
                 struct task *t, struct err *err)
{
    return study_task(context, l, a, t, err);
}

static const char *stop_why(const struct stoprule *rule)
{
    switch (rule->kind) {
    case STOPRULE_PATIENCE:
        return "by early_terminate patience";
    case STOPRULE_THRESHOLD:
        return "by early_terminate threshold";
    case STOPRULE_TIME:
        return "by early_terminate time";
    default:
        return "by early_terminate";
    }
}

static enum decision report(void *context, struct live *l, int64_t step,
                            double value)
{
    struct study *s = context;
    const struct plan *p = s->plan;
    enum decision d = DECISION_CONTINUE;
    if (l->suggestion)
        d = search_report(s->search, l->suggestion, step, value);
    if (d != DECISION_CONTINUE || p->early.kind != EARLY_RULE)
        return d;
    double seconds = l->a.started > 0 ? clock_wall() - l->a.started : 0;
    d = stoprule_report(&p->early.rule, &l->rule, p->metric.minimize, value,
                        seconds);
    if (d != DECISION_CONTINUE)
        l->stop_why = stop_why(&p->early.rule);
    return d;
}

static void ended(void *context, const struct live *l)
{
    struct study *s = context;
    if (search_foresees(s->search) || !l->suggestion)
        return;
    struct result result = {
        .trial = l->suggestion,
        .point = json_parse(s->run.arena, l->t.point, "point", true, NULL),
        .state = l->t.state,
        .value = l->t.value,
        .step = -1,
    };
    fill_values(s, l->t.summary, s->run.arena, &result);
    if (result.point)
        search_tell(s->search, &result);
}

static void redact(void *context, struct buf *b, struct str text)
{
    struct study *s = context;
    plan_redact(b, s->plan, text);
}

struct run_source study_source(struct study *s)
{
    return (struct run_source){.context = s,
                               .next = next,
                               .suggestion_of = suggestion_of,
                               .place_in_group = place_in_group,
                               .build = build,
                               .report = report,
                               .ended = ended,
                               .redact = redact};
}
