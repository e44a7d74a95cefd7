/* suggester.c - an optimizer that answers requests, one at a time
 *
 * The strategy counts trials from 1, the conversation from 0: trial k of the
 * strategy has the id k - 1. `trials` holds what was asked for and what was
 * told of it, by id; a trial that an earlier conversation had and that this
 * one was not told of has no point. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "search/search.h"
#include "study/study.h"
#include "sys/sys.h"
#include "terms/rank.h"
#include "terms/talk.h"

struct asked {
    struct str point; /* JSON; empty: not known here */
    enum state state; /* running until it was told */
    double value;     /* NaN: none */
    const double *values;
    size_t value_count;
    double broken; /* how far constraints are, in all; 0: feasible */
    double since;  /* when it was asked for */
    struct stoprule_state rule;
};

struct suggester {
    const struct plan *plan;
    struct search *search;
    struct point_source points;
    struct arena *arena;   /* lives as long */
    struct arena *scratch; /* of one request */
    VEC(struct asked) trials;
    int64_t next;    /* the strategy's next suggestion */
    int64_t foreign; /* results of points that were not asked for here */
    uint64_t line;
    struct buf text;
};

struct suggester *suggester_new(const struct plan *p, struct err *err)
{
    struct suggester *s = xcalloc(1, sizeof(*s));
    s->plan = p;
    s->arena = arena_new();
    s->scratch = arena_new();
    s->next = 1;
    buf_init(&s->text);
    s->search = plan_search_strictly(p, &s->points, s->arena, err);
    if (s->search)
        return s;
    suggester_free(s);
    return NULL;
}

void suggester_free(struct suggester *s)
{
    if (!s)
        return;
    search_free(s->search);
    vec_done(&s->trials);
    buf_done(&s->text);
    arena_free(s->scratch);
    arena_free(s->arena);
    free(s);
}

void suggester_warm(struct suggester *s, const struct value *known)
{
    study_warm_tell(known, s->search);
}

/* ---- trials ----------------------------------------------------------- */

static void add_trial(struct suggester *s, struct str point)
{
    struct asked t = {.point = point,
                      .state = STATE_RUNNING,
                      .value = NAN,
                      .since = clock_wall()};
    stoprule_begin(&t.rule);
    vec_push(&s->trials, t);
}

/* Trials of an earlier conversation, whose numbers are not given again. */
static void skip_to(struct suggester *s, int64_t id)
{
    while ((int64_t)s->trials.len < id)
        add_trial(s, str_n(NULL, 0));
    if (s->next <= id)
        s->next = id + 1;
}

static struct str point_text(struct suggester *s, const struct value *point)
{
    buf_reset(&s->text);
    strict_value(&s->text, point);
    return arena_str(s->arena, buf_str(&s->text));
}

/* The open trial of that number, or NULL and err. */
static struct asked *open_trial(struct suggester *s, int64_t id,
                                struct err *err)
{
    struct asked *t = id < (int64_t)s->trials.len ? &s->trials.p[id] : NULL;
    if (!t || !t->point.p) {
        err_set(err, ERR_INPUT, "there is no trial %lld; ask for it first",
                (long long)id);
        return NULL;
    }
    if (state_final(t->state)) {
        err_set(err, ERR_INPUT, "trial %lld was told before", (long long)id);
        return NULL;
    }
    return t;
}

/* ---- ask -------------------------------------------------------------- */

static void print_suggestion(struct buf *out, int64_t id, struct str point,
                             const struct suggestion *got)
{
    buf_addf(out, "{\"id\":%lld,\"params\":", (long long)id);
    buf_addstr(out, point);
    if (got->budget > 0)
        buf_addf(out, ",\"budget\":%lld", (long long)got->budget);
    if (got->parent > 0)
        buf_addf(out, ",\"parent\":%lld", (long long)got->parent - 1);
    if (got->run_id.len) {
        buf_adds(out, ",\"run_id\":");
        json_string(out, got->run_id);
    }
    buf_addc(out, '}');
}

static void take_suggestion(struct suggester *s, const struct suggestion *got,
                            struct buf *out)
{
    int64_t id = s->next++ - 1;
    skip_to(s, id);
    if (id == (int64_t)s->trials.len)
        add_trial(s, point_text(s, got->point));
    print_suggestion(out, id, s->trials.p[id].point, got);
}

/* A paused trial that goes on keeps its number. */
static void take_promotion(struct suggester *s, const struct suggestion *got,
                           struct buf *out)
{
    struct asked *t = &s->trials.p[got->replaces - 1];
    t->state = STATE_RUNNING;
    print_suggestion(out, got->replaces - 1, t->point, got);
}

/* Paused trials that may go on come before new ones. */
static enum search_answer ask_one(struct suggester *s, struct buf *out,
                                  struct err *err)
{
    struct suggestion got = {.parent = -1, .replaces = -1};
    enum search_answer answer = search_promote(s->search, &got);
    if (answer == SEARCH_HERE)
        take_promotion(s, &got, out);
    if (answer != SEARCH_END)
        return answer;
    answer = search_ask(s->search, s->next, s->scratch, &got, err);
    if (answer == SEARCH_HERE)
        take_suggestion(s, &got, out);
    if (answer == SEARCH_END && search_may_promote(s->search))
        return SEARCH_WAIT;
    return answer;
}

static int ask(struct suggester *s, const struct talk *t, struct buf *out,
               struct err *err)
{
    enum search_answer answer = SEARCH_HERE;
    if (t->first >= 0 && t->first < (int64_t)s->trials.len)
        return err_set(err, ERR_INPUT,
                       "\"first\" is %lld, but trial %zu comes next",
                       (long long)t->first, s->trials.len);
    if (t->first >= 0)
        skip_to(s, t->first);
    buf_adds(out, "{\"trials\":[");
    for (int64_t i = 0; i < t->count && answer == SEARCH_HERE; i++) {
        size_t before = out->len;
        if (i)
            buf_addc(out, ',');
        answer = ask_one(s, out, err);
        if (answer != SEARCH_HERE)
            out->len = before;
    }
    if (answer == SEARCH_ERROR)
        return -1;
    buf_addf(out, "]%s}\n",
             answer == SEARCH_END    ? ",\"end\":true"
             : answer == SEARCH_WAIT ? ",\"wait\":true"
                                     : "");
    return 0;
}

/* ---- report ----------------------------------------------------------- */

static int report(struct suggester *s, const struct talk *t, struct buf *out,
                  struct err *err)
{
    const struct plan *p = s->plan;
    struct asked *trial = open_trial(s, t->id, err);
    if (!trial)
        return -1;
    int64_t step = t->step >= 0 ? t->step : trial->rule.reports;
    enum decision d = search_report(s->search, t->id + 1, step, t->value);
    if (d == DECISION_CONTINUE && search_pauses(s->search, t->id + 1))
        d = DECISION_PAUSE; /* it is at the end of its budget */
    if (d == DECISION_CONTINUE && p->early.kind == EARLY_RULE)
        d = stoprule_report(&p->early.rule, &trial->rule, p->metric.minimize,
                            t->value, clock_wall() - trial->since);
    buf_addf(out, "{\"decision\":\"%s\"}\n", decision_name(d));
    return 0;
}

/* ---- tell and told ---------------------------------------------------- */

static int check_counts(const struct suggester *s, const struct talk *t,
                        struct err *err)
{
    size_t want = s->plan->goal.objective_count;
    if (want > 1 && !t->values && !isnan(t->value))
        return err_set(err, ERR_INPUT,
                       "the study has %zu metrics: tell \"values\"", want);
    if (t->values && t->value_count != (want ? want : 1))
        return err_set(err, ERR_INPUT,
                       "the study has %zu metric%s, not %zu values",
                       want ? want : 1, want > 1 ? "s" : "", t->value_count);
    want = s->plan->goal.bound_count;
    if (t->constraints && t->constraint_count != want)
        return err_set(err, ERR_INPUT,
                       "the study has %zu constraint%s, not %zu", want,
                       want == 1 ? "" : "s", t->constraint_count);
    return 0;
}

static const double *keep_numbers(struct suggester *s, const double *from,
                                  size_t count)
{
    if (!from)
        return NULL;
    double *to = arena_array(s->arena, count, sizeof(*to));
    memcpy(to, from, count * sizeof(*to));
    return to;
}

static void take_result(struct suggester *s, struct asked *trial,
                        const struct talk *t)
{
    trial->state = t->state;
    trial->value = t->value;
    trial->values = keep_numbers(s, t->values, t->value_count);
    trial->value_count = t->value_count;
    trial->broken = 0;
    for (size_t i = 0; i < t->constraint_count; i++)
        if (!(t->constraints[i] <= 0))
            trial->broken +=
                isnan(t->constraints[i]) ? INFINITY : t->constraints[i];
}

static void tell_search(struct suggester *s, int64_t trial,
                        const struct value *point, const struct talk *t)
{
    struct result r = {
        .trial = trial,
        .point = point,
        .state = (int)t->state,
        .value = state_bad(t->state) ? NAN : t->value,
        .values = state_bad(t->state) ? NULL : t->values,
        .value_count = state_bad(t->state) ? 0 : t->value_count,
        .constraints = t->constraints,
        .constraint_count = t->constraint_count,
    };
    search_tell(s->search, &r);
}

static int tell(struct suggester *s, const struct talk *t, struct buf *out,
                struct err *err)
{
    struct asked *trial = open_trial(s, t->id, err);
    if (!trial || check_counts(s, t, err))
        return -1;
    struct value *point =
        json_parse(s->scratch, trial->point, "point", false, err);
    if (!point)
        return -1;
    take_result(s, trial, t);
    tell_search(s, t->id + 1, point, t);
    buf_adds(out, "{\"ok\":true}\n");
    return 0;
}

/* A point whose result is known: of an earlier conversation when it has a
 * number, else from somewhere else. */
static int told(struct suggester *s, const struct talk *t, struct buf *out,
                struct err *err)
{
    struct value *point = s->plan->points && !s->plan->space.count
                              ? value_copy(s->scratch, t->params)
                              : study_point(&s->plan->space, t->params, NULL,
                                            false, s->scratch, err);
    if (!point || check_counts(s, t, err))
        return -1;
    if (t->id >= 0) {
        skip_to(s, t->id);
        if (t->id == (int64_t)s->trials.len)
            skip_to(s, t->id + 1);
        struct asked *trial = &s->trials.p[t->id];
        if (state_final(trial->state))
            return err_set(err, ERR_INPUT, "trial %lld was told before",
                           (long long)t->id);
        trial->point = point_text(s, point);
        take_result(s, trial, t);
    }
    tell_search(
        s, t->id >= 0 ? t->id + 1 : foreign_number(FOREIGN_TOLD, ++s->foreign),
        point, t);
    buf_adds(out, "{\"ok\":true}\n");
    return 0;
}

/* ---- best ------------------------------------------------------------- */

struct good {
    VEC(struct contender) trials;
    VEC(double) values;
};

static void print_best(struct buf *out, const struct asked *t, int64_t id)
{
    buf_addf(out, "{\"id\":%lld,\"value\":", (long long)id);
    strict_number(out, t->value);
    if (t->values && t->value_count > 1) {
        buf_adds(out, ",\"values\":[");
        for (size_t i = 0; i < t->value_count; i++) {
            if (i)
                buf_addc(out, ',');
            strict_number_or_null(out, t->values[i]);
        }
        buf_addc(out, ']');
    }
    if (t->broken > 0)
        buf_adds(out, ",\"feasible\":false");
    buf_adds(out, ",\"params\":");
    buf_addstr(out, t->point);
    buf_addc(out, '}');
}

/* What ended well with a value, and its values by the goal. */
static void list_good(const struct suggester *s, const struct goal *g,
                      struct good *list)
{
    for (size_t i = 0; i < s->trials.len; i++) {
        const struct asked *t = &s->trials.p[i];
        if (!state_final(t->state) || state_bad(t->state) ||
            !isfinite(t->value))
            continue;
        struct contender c = {.id = (int64_t)i, .broken = t->broken};
        vec_push(&list->trials, c);
        for (size_t k = 0; k < g->objective_count; k++) {
            double v = k == 0 ? t->value : t->values ? t->values[k] : NAN;
            vec_push(&list->values, v);
        }
    }
}

static int best(struct suggester *s, const struct talk *t, struct buf *out,
                struct err *err)
{
    (void)err;
    const struct objective only = {.minimize = s->plan->metric.minimize};
    const struct goal one = {.objectives = &only, .objective_count = 1};
    const struct goal *g =
        s->plan->goal.objective_count ? &s->plan->goal : &one;
    struct good list = {0};
    list_good(s, g, &list);
    size_t count = list.trials.len;
    rank_fronts(g, list.trials.p, list.values.p, count);
    size_t *order = rank_order(g, list.trials.p, list.values.p, count);
    buf_adds(out, "{\"trials\":[");
    for (size_t i = 0; i < count && (int64_t)i < t->count; i++) {
        int64_t id = list.trials.p[order[i]].id;
        if (i)
            buf_addc(out, ',');
        print_best(out, &s->trials.p[id], id);
    }
    buf_adds(out, "]}\n");
    free(order);
    vec_done(&list.trials);
    vec_done(&list.values);
    return 0;
}

/* ---- study ------------------------------------------------------------ */

/* Who asks may say what it thinks is searched for. */
static int check_study(struct suggester *s, const struct talk *t,
                       struct buf *out, struct err *err)
{
    const struct value *version = value_get(t->study, STR("version"));
    const struct value *space = value_get(t->study, STR("space"));
    if (version && (version->kind != VALUE_INT || version->i != TALK_VERSION))
        return err_set(err, ERR_INPUT, "this is version %d of the protocol",
                       TALK_VERSION);
    if (space && !value_eq(space, space_to_value(&s->plan->space, s->scratch)))
        return err_set(err, ERR_INPUT, "the space is not that of %.*s",
                       STRF(s->plan->file));
    buf_adds(out, "{\"ok\":true}\n");
    return 0;
}

/* ---- entry ------------------------------------------------------------ */

typedef int answer_fn(struct suggester *s, const struct talk *t,
                      struct buf *out, struct err *err);

static answer_fn *const answers[] = {
    [TALK_ASK] = ask,   [TALK_REPORT] = report, [TALK_TELL] = tell,
    [TALK_BEST] = best, [TALK_TOLD] = told,     [TALK_STUDY] = check_study,
};

void suggester_answer(struct suggester *s, struct str line, struct buf *out)
{
    struct talk t;
    struct err err = {0};
    size_t before = out->len;
    s->line++;
    arena_reset(s->scratch);
    if (!str_trim(line).len)
        return;
    if (!talk_read(&t, line, s->scratch, &err) &&
        !answers[t.kind](s, &t, out, &err))
        return;
    out->len = before;
    buf_adds(out, "{\"error\":");
    json_string(out, str_of(err.text));
    buf_addf(out, ",\"line\":%llu}\n", (unsigned long long)s->line);
}
