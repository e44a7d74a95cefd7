/* metric.c - what is measured: metric, metrics, constraints */
#include "plan/reading.h"

#include <regex.h>

#define PATTERN_MAX_BYTES 1000
#define PATTERN_REPEATS_MAX 1000

static const char *const goals[] = {"minimize", "maximize", NULL};

static bool read_goal(struct study_file *r, const struct value *v,
                      bool *minimize)
{
    int goal;

    *minimize = true;
    if (!v)
        return true;
    goal = read_choice(&r->in, v, "metric.goal", goals);
    *minimize = goal == 0;
    return goal >= 0;
}

/* Counted repeats multiply when they are nested, and so does the memory that
 * regcomp takes: (((a{255}){255}){255}) would ask for all there is. */
static bool pattern_small(struct str text)
{
    uint64_t product = 1;

    if (text.len > PATTERN_MAX_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t count = 0, largest = 1;

        if (text.p[i] != '{')
            continue;
        for (i++; i < text.len && text.p[i] != '}'; i++) {
            bool digit = text.p[i] >= '0' && text.p[i] <= '9';

            count = digit ? count * 10 + (uint64_t)(text.p[i] - '0') : 0;
            if (count > PATTERN_REPEATS_MAX)
                return false;
            largest = count > largest ? count : largest;
        }
        product *= largest;
        if (product > PATTERN_REPEATS_MAX)
            return false;
    }
    return true;
}

static void read_pattern(struct study_file *r, const struct value *v)
{
    struct str text;
    regex_t regex;
    char why[200];
    int rc;

    if (!read_text(&r->in, v, "metric.pattern", &text))
        return;
    if (!pattern_small(text)) {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "at most 1000 bytes; repeats {n} at most 1000 in all",
                   "metric.pattern %s is too large", value_words(&r->in, v));
        return;
    }
    rc = regcomp(&regex, arena_cstr(r->in.arena, text), REG_EXTENDED);
    if (rc) {
        regerror(rc, &regex, why, sizeof(why));
        problem_at(&r->in, PROBLEM_ERROR, v, "POSIX extended syntax",
                   "metric.pattern %s is no regular expression: %s",
                   value_words(&r->in, v), why);
        return;
    }
    if (regex.re_nsub < 1 || regex.re_nsub > 2)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "one for the value, or the first for the step and the "
                   "second for the value",
                   "metric.pattern %s must have one or two (groups), not %zu",
                   value_words(&r->in, v), regex.re_nsub);
    r->plan->metric.pattern = text;
    regfree(&regex);
}

static void say_no_impute(struct study_file *r, const struct value *v,
                          const char *key)
{
    problem_at(&r->in, PROBLEM_NOTICE, v, NULL,
               "%s is not acted on: a trial without a value counts as a bad "
               "one, and a running one as what is expected of it",
               key);
}

/* W&B's: which value a trial counts as that has none. */
static void read_impute(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"worst", "best", "latest", NULL};
    if (read_choice(&r->in, v, "metric.impute", choices) > 0)
        say_no_impute(r, v, "metric.impute");
}

static void read_impute_running(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"false", "worst", "best", "latest",
                                          NULL};
    bool said = v->kind == VALUE_BOOL
                    ? v->boolean
                    : read_choice(&r->in, v, "metric.impute_while_running",
                                  choices) > 0;
    if (said)
        say_no_impute(r, v, "metric.impute_while_running");
}

static void read_pick(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"last", "best", NULL};
    int choice = read_choice(&r->in, v, "metric.pick", choices);

    if (choice < 0)
        return;
    r->plan->metric.pick = choice == 0 ? PICK_LAST : PICK_BEST;
    r->plan->metric.pick_said = true;
}

static void read_metric_members(struct study_file *r, const struct value *v)
{
    struct plan_metric *m = &r->plan->metric;
    const struct value *item;

    read_goal(r, value_get(v, STR("goal")), &m->minimize);
    if ((item = value_get(v, STR("target"))))
        m->has_target = read_number(&r->in, item, "metric.target", &m->target);
    if ((item = value_get(v, STR("impute"))))
        read_impute(r, item);
    if ((item = value_get(v, STR("impute_while_running"))))
        read_impute_running(r, item);
    if ((item = value_get(v, STR("pick"))))
        read_pick(r, item);
    if ((item = value_get(v, STR("pattern"))))
        read_pattern(r, item);
    if ((item = value_get(v, STR("file"))))
        read_text(&r->in, item, "metric.file", &m->file);
}

void read_metric(struct study_file *r, const struct value *v)
{
    static const char *const names[] = {
        "name", "goal",    "target", "impute", "impute_while_running",
        "pick", "pattern", "file",   NULL};
    const struct value *name;

    r->plan->metric.minimize = true;
    if (v->kind == VALUE_STRING) {
        read_text(&r->in, v, "metric", &r->plan->metric.name);
        return;
    }
    if (!read_object(&r->in, v, "metric"))
        return;
    read_known_keys(&r->in, v, "metric", names);
    name = value_get(v, STR("name"));
    if (name)
        read_text(&r->in, name, "metric.name", &r->plan->metric.name);
    else
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "metric has no name");
    read_metric_members(r, v);
}

static void read_objective(struct study_file *r, const struct value *v,
                           struct objective *o)
{
    static const char *const names[] = {"name", "goal", NULL};
    const struct value *name;

    o->minimize = true;
    if (v->kind == VALUE_STRING) {
        read_text(&r->in, v, "metrics: a name", &o->name);
        return;
    }
    if (!read_object(&r->in, v, "each of metrics"))
        return;
    read_known_keys(&r->in, v, "each of metrics", names);
    name = value_get(v, STR("name"));
    if (name)
        read_text(&r->in, name, "metrics: a name", &o->name);
    else
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "a metric has no name");
    read_goal(r, value_get(v, STR("goal")), &o->minimize);
}

void read_metrics(struct study_file *r, const struct value *v)
{
    struct objective *list;

    if (v->kind != VALUE_LIST || v->count == 0 || v->count > 100) {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in [{name: loss}, {name: latency, goal: minimize}]",
                   "metrics must be a list of 1 to 100 objectives");
        return;
    }
    list = arena_array(r->in.arena, v->count, sizeof(*list));
    for (size_t i = 0; i < v->count; i++) {
        read_objective(r, v->items[i], &list[i]);
        for (size_t k = 0; k < i; k++)
            if (list[k].name.len > 0 && str_eq(list[k].name, list[i].name))
                problem_at(&r->in, PROBLEM_ERROR, v->items[i], NULL,
                           "metrics: '%s' stands there twice",
                           shown(r->in.arena, list[i].name));
    }
    r->plan->goal.objectives = list;
    r->plan->goal.objective_count = v->count;
}

void read_constraints(struct study_file *r, const struct value *v)
{
    static const char *const names[] = {"name", "min", "max", NULL};
    struct bound *bounds;
    size_t count = 0;

    if (v->kind != VALUE_LIST) {
        problem_at(&r->in, PROBLEM_ERROR, v, "as in [{name: latency, max: 5}]",
                   "constraints must be a list");
        return;
    }
    bounds = arena_array(r->in.arena, 2 * v->count + 1, sizeof(*bounds));
    for (size_t i = 0; i < v->count; i++) {
        const struct value *c = v->items[i];
        const struct value *min = value_get(c, STR("min"));
        const struct value *max = value_get(c, STR("max"));
        struct bound b = {.name = STR("")};

        if (!read_object(&r->in, c, "each of constraints"))
            continue;
        read_known_keys(&r->in, c, "a constraint", names);
        if (!value_get(c, STR("name")) || (!min && !max))
            problem_at(&r->in, PROBLEM_ERROR, c,
                       "as in {name: latency, max: 5}",
                       "a constraint needs a name and min or max");
        else
            read_text(&r->in, value_get(c, STR("name")), "constraint: name",
                      &b.name);
        if (min && read_number(&r->in, min, "constraint: min", &b.limit))
            bounds[count++] = b;
        b.is_max = true;
        if (max && read_number(&r->in, max, "constraint: max", &b.limit))
            bounds[count++] = b;
    }
    r->plan->goal.bounds = bounds;
    r->plan->goal.bound_count = count;
    r->plan->constraints = v;
}

/* A study ranks by its first objective. */
static void check_objectives(struct study_file *r)
{
    struct plan *p = r->plan;
    struct objective *only;

    if (p->goal.objective_count > 0 && p->metric.name.len > 0 &&
        !str_eq(p->metric.name, p->goal.objectives[0].name))
        problem_at(&r->in, PROBLEM_ERROR, value_get(r->root, STR("metric")),
                   "metrics alone is enough",
                   "metric and metrics are both there, and metric is not the "
                   "first of them");
    if (p->goal.objective_count > 0) {
        p->metric.name = p->goal.objectives[0].name;
        p->metric.minimize = p->goal.objectives[0].minimize;
    } else if (p->metric.name.len > 0) {
        only = arena_new_of(r->in.arena, struct objective);
        *only = (struct objective){p->metric.name, p->metric.minimize};
        p->goal.objectives = only;
        p->goal.objective_count = 1;
    }
}

/* The method that results go to: the one inside, of one that has others. NULL:
 * a name that is none. */
static const struct method *learner_of(const struct study_file *r)
{
    const struct plan *p = r->plan;
    const struct value *inner;
    struct str name = p->method;
    if (p->strategy->inner) {
        inner = value_get(p->method_options, STR("method"));
        name = inner ? value_text(inner) : str_of(p->strategy->inner);
    }
    return method_find(methods_of(r), name);
}

/* Most methods that learn do so from one objective. */
static void notice_objectives(struct study_file *r, const struct method *m)
{
    if (r->plan->goal.objective_count > 1 && m->learns == LEARNS &&
        !m->objectives)
        problem_at(&r->in, PROBLEM_NOTICE, value_get(r->root, STR("metrics")),
                   "method: nsga2 looks at all of them",
                   "method %s learns from the first metric only; all are "
                   "kept and ranked",
                   m->name);
}

static void notice_warm_start(struct study_file *r, const struct method *m)
{
    const struct value *said = value_get(r->root, STR("warm_start"));

    if (said && m->learns == LEARNS_NOT)
        problem_at(&r->in, PROBLEM_NOTICE, said, "method: tpe learns from them",
                   "method %s does not learn: earlier results make no "
                   "difference",
                   m->name);
}

void check_metric(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct method *learner = learner_of(r);

    check_objectives(r);
    if (!p->metric.pick_said)
        p->metric.pick = p->strategy->picks_best ? PICK_BEST : PICK_LAST;
    p->goal.pick_best = p->metric.pick == PICK_BEST;
    if (learner) {
        notice_objectives(r, learner);
        notice_warm_start(r, learner);
    }
    if (value_get(r->root, STR("metric")) || p->goal.objective_count > 0)
        return;
    if (r->reader && r->reader->points_only)
        return;
    if (learner && learner->learns == LEARNS)
        problem_at(&r->in, PROBLEM_ERROR, value_get(r->root, STR("method")),
                   "as in metric: {name: val_loss, goal: minimize}",
                   "method %.*s needs a metric", STRF(p->method));
    if (p->early.kind != EARLY_NONE)
        problem_at(&r->in, PROBLEM_ERROR,
                   value_get(r->root, STR("early_terminate")),
                   "as in metric: {name: val_loss, goal: minimize}",
                   "early_terminate needs a metric");
}
