/* heard.c - repeating for the strategy what earlier runs asked and told it
 *
 * The rows of `heard` are the calls of the search in their order; the points
 * stand in the trials. Nothing is computed again, so that a study of
 * thousands of trials goes on at once, and exactly as if it had never been
 * interrupted. What happened to trials while nobody ran (a person ended or
 * removed some) is told at the end, and written down then. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "study/conductor.h"

/* A trial as the store has it, and what the strategy has heard of it. */
struct known {
    int64_t id, k; /* k: as the search calls it */
    enum state state;
    double value;
    struct str text;    /* of the point */
    struct str summary; /* where several objectives need it */
    bool asked, told, recalled;
    const struct heard *end; /* at which it was to stop; NULL: at none */
    const char *why;         /* for what reason */
};

/* A point is wanted when its trial was asked for and soon after, when it was
 * told: the last few are kept, in memory that is used again and again. */
enum { PARSED = 64 };
struct parsed {
    int64_t id; /* 0: none yet */
    struct arena *arena;
    const struct value *point;
};

struct replay {
    struct study *study;
    struct arena *arena;
    struct arena *scratch;  /* of the result that is told */
    VEC(struct known) list; /* by id */
    struct heard *heard;
    size_t count;
    VEC(double) broken; /* constraints of the trial that is told next */
    struct parsed parsed[PARSED]; /* by id */
};

static void replay_init(struct replay *p, struct study *s)
{
    *p = (struct replay){
        .study = s, .arena = arena_new(), .scratch = arena_new()};
    for (size_t i = 0; i < PARSED; i++)
        p->parsed[i].arena = arena_new();
}

static void replay_done(struct replay *p)
{
    for (size_t i = 0; i < PARSED; i++)
        arena_free(p->parsed[i].arena);
    vec_done(&p->list);
    vec_done(&p->broken);
    arena_free(p->scratch);
    arena_free(p->arena);
}

static int read_trials(struct replay *p, struct err *err)
{
    const struct goal *g = &p->study->plan->goal;
    bool several = g->objective_count > 1 || g->bound_count > 0;
    struct query q = {.with_texts = several, .results = true};
    struct rows *rows = store_rows(p->study->store, &q, err);
    struct trial t;
    int got;
    if (!rows)
        return -1;
    while ((got = rows_next(rows, &t, err)) > 0) {
        struct known known = {.id = t.id,
                              .k = study_search_id(p->study, t.id),
                              .state = t.state,
                              .value = t.value,
                              .text = arena_str(p->arena, t.point)};
        if (several)
            known.summary = arena_str(p->arena, t.summary);
        vec_push(&p->list, known);
    }
    rows_close(rows);
    return got;
}

static struct known *find(struct replay *p, int64_t id)
{
    size_t low = 0, high = p->list.len;
    /* Nearly always no number is missing. */
    if (id > 0 && (uint64_t)id <= high && p->list.p[id - 1].id == id)
        return &p->list.p[id - 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->list.p[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->list.len && p->list.p[low].id == id ? &p->list.p[low]
                                                        : NULL;
}

/* Lives until the point of another trial is asked for. */
static const struct value *point_of(struct replay *p, const struct known *t)
{
    struct parsed *slot = &p->parsed[(uint64_t)t->id % PARSED];
    if (slot->id != t->id) {
        arena_reset(slot->arena);
        slot->id = t->id;
        slot->point = json_parse(slot->arena, t->text, "point", false, NULL);
    }
    return slot->point;
}

static void tell(struct replay *p, int64_t k, struct known *t, enum state state,
                 double value)
{
    struct result r = {.trial = k,
                       .point = t ? point_of(p, t) : NULL,
                       .state = (int)state,
                       .value = value};
    arena_reset(p->scratch);
    if (state == STATE_PAUSED && p->broken.len) {
        r.constraints = p->broken.p;
        r.constraint_count = p->broken.len;
    } else if (t && state == t->state && state != STATE_PAUSED) {
        study_search_values(p->study, t->summary, p->scratch, &r);
    }
    search_tell(p->study->search, &r);
    p->broken.len = 0;
    if (t)
        t->told = true;
}

/* Trials from before there were such rows, in the order of their numbers. */
static void tell_unwritten(struct replay *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct known *t = find(p, p->heard[i].trial);
        if (t && p->heard[i].kind == HEARD_ASKED)
            t->asked = true;
    }
    for (size_t i = 0; i < p->list.len; i++) {
        struct known *t = &p->list.p[i];
        if (t->asked || t->k < 0)
            continue;
        search_placed(p->study->search, t->k, point_of(p, t));
        if (state_final(t->state))
            tell(p, t->k, t, t->state, t->value);
    }
}

int study_search_recount(struct study *s, int64_t trial, struct err *err)
{
    int64_t k = study_search_id(s, trial);
    bool median = s->plan->early.kind == EARLY_MEDIAN;
    struct arena *a = arena_new();
    struct series series;
    double best = NAN;
    bool low = s->plan->metric.minimize;
    int rc = store_series(s->store, trial, arena_cstr(a, s->plan->metric.name),
                          a, &series, err);
    for (size_t i = 0; !rc && i < series.count; i++) {
        double v = series.values[i];
        if (isfinite(v) && (isnan(best) || (low ? v < best : v > best)))
            best = v;
        if (median)
            search_report(s->search, k, series.steps[i], v);
    }
    if (!rc && series.count)
        search_recall(s->search, k, (int64_t)series.count,
                      series.steps[series.count - 1], best);
    arena_free(a);
    return rc;
}

static int recall(struct replay *p, struct known *t, struct err *err)
{
    t->recalled = true;
    return study_search_recount(p->study, t->id, err);
}

static bool is_external(const struct replay *p)
{
    return p->study->plan->strategy->asks;
}

static void note_end(struct known *t, const struct heard *h)
{
    bool ends = h->state == STATE_STOPPED && !state_final(t->state);
    t->end = ends ? h : NULL;
}

/* What it was judged by is known now, and not any more when others are told. */
static void repeat_report(struct replay *p, struct known *t, int64_t k,
                          const struct heard *h)
{
    search_reported(p->study->search, k, h->step, h->value);
    if (!t)
        return;
    note_end(t, h);
    if (t->end)
        t->why = study_search_judged(p->study, t->k, h);
}

static int repeat_one(struct replay *p, const struct heard *h, struct err *err)
{
    struct search *search = p->study->search;
    struct known *t = find(p, h->trial);
    int64_t k = study_search_id(p->study, h->trial);
    switch (h->kind) {
    case HEARD_ASKED:
        search_placed(search, k, t ? point_of(p, t) : NULL);
        if (t && p->study->plan->early.kind == EARLY_MEDIAN)
            return recall(p, t, err);
        break;
    case HEARD_PROMOTED:
        search_promoted(search, k);
        if (t)
            t->told = false;
        break;
    case HEARD_REPORT:
        repeat_report(p, t, k, h);
        break;
    case HEARD_DECIDED:
        if (t)
            note_end(t, h);
        break;
    case HEARD_BROKEN:
        vec_push(&p->broken, h->value);
        break;
    case HEARD_TOLD:
        if (h->state != STATE_PAUSED || !is_external(p))
            tell(p, k, t, h->state, h->value);
        break;
    }
    return 0;
}

/* ---- what happened while nobody ran ------------------------------------ */

static int tell_late(struct replay *p, int64_t trial, struct known *t,
                     struct err *err)
{
    struct heard h = {.kind = HEARD_TOLD,
                      .trial = trial,
                      .step = -1,
                      .state = t ? t->state : STATE_KILLED,
                      .value = t ? t->value : NAN};
    run_dirty(&p->study->run);
    tell(p, study_search_id(p->study, trial), t, h.state, h.value);
    return store_heard_add(p->study->store, &h, err);
}

static int tell_ended(struct replay *p, struct err *err)
{
    for (size_t i = 0; i < p->list.len; i++) {
        struct known *t = &p->list.p[i];
        bool news = state_final(t->state) && !t->told;
        if (news && tell_late(p, t->id, t, err))
            return -1;
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Trials that were asked for, never told, and are gone. */
static int tell_removed(struct replay *p, struct err *err)
{
    VEC(int64_t) asked = {0}, told = {0};
    int rc = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct heard *h = &p->heard[i];
        if (find(p, h->trial))
            continue;
        if (h->kind == HEARD_ASKED)
            vec_push(&asked, h->trial);
        else if (h->kind == HEARD_TOLD && state_final(h->state))
            vec_push(&told, h->trial);
    }
    if (told.len)
        qsort(told.p, told.len, sizeof(*told.p), by_number);
    for (size_t i = 0; !rc && i < asked.len; i++)
        if (!told.len ||
            !bsearch(&asked.p[i], told.p, told.len, sizeof(*told.p), by_number))
            rc = tell_late(p, asked.p[i], NULL, err);
    vec_done(&asked);
    vec_done(&told);
    return rc;
}

/* ---- reports ---------------------------------------------------------- */

static int recall_all(struct replay *p, bool keeps, struct err *err)
{
    enum early_kind kind = p->study->plan->early.kind;
    if (kind == EARLY_NONE || kind == EARLY_RULE)
        return 0;
    for (size_t i = 0; i < p->list.len; i++) {
        struct known *t = &p->list.p[i];
        bool over = state_final(t->state),
             rest = kind == EARLY_MEDIAN && !keeps;
        if (!t->recalled && (!over || rest) && recall(p, t, err))
            return -1;
        if (over && rest)
            tell(p, t->k, t, t->state, t->value);
    }
    return 0;
}

/* A program of a person's own hears of each trial once: of those that go on,
 * that they do, and of those that are paused, that they are. */
static void tell_open(struct replay *p)
{
    if (!is_external(p))
        return;
    for (size_t i = 0; i < p->list.len; i++) {
        struct known *t = &p->list.p[i];
        bool paused = t->state == STATE_PAUSED;
        if (!state_final(t->state) && t->k > 0)
            tell(p, t->k, t, paused ? STATE_PAUSED : STATE_RUNNING,
                 paused ? t->value : NAN);
    }
}

/* The tables of median are filled from the metrics, and tell only now. */
static void remember_doomed(struct replay *p)
{
    struct study *s = p->study;
    for (size_t i = 0; i < p->list.len; i++) {
        const struct known *t = &p->list.p[i];
        struct doomed d = {.trial = t->id, .why = t->why};
        if (!t->end)
            continue;
        if (t->end->kind == HEARD_DECIDED)
            d.why = study_search_judged(s, t->k, t->end);
        vec_push(&s->doomed, d);
    }
}

static int repeat_all(struct replay *p, struct err *err)
{
    struct study *s = p->study;
    bool keeps = !search_foresees(s->search);
    if (store_heard(s->store, p->arena, &p->heard, &p->count, err) ||
        read_trials(p, err))
        return -1;
    if (keeps)
        tell_unwritten(p);
    for (size_t i = 0; i < p->count; i++)
        if (repeat_one(p, &p->heard[i], err))
            return -1;
    if (recall_all(p, keeps, err))
        return -1;
    remember_doomed(p);
    tell_open(p);
    return keeps && (tell_ended(p, err) || tell_removed(p, err)) ? -1 : 0;
}

/* What the study was started with; it comes before all else. */
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

int study_search_resume(struct study *s, struct err *err)
{
    struct replay p;
    if (!study_search_listens(s))
        return 0;
    if (tell_warm_start(s, err))
        return -1;
    if (s->created)
        return 0;
    replay_init(&p, s);
    int rc = repeat_all(&p, err);
    replay_done(&p);
    return rc;
}

/* ---- the whole run once more ------------------------------------------- */

static bool same_point(const struct known *t, const struct value *point)
{
    struct buf b;
    buf_init(&b);
    json_print_sorted(&b, point);
    bool same = str_eq(buf_str(&b), t->text);
    buf_done(&b);
    return same;
}

/* Asks again what was asked then. */
static int ask_again(struct replay *p, const struct heard *h, struct arena *a,
                     bool *same, struct err *err)
{
    struct search *search = p->study->search;
    struct known *t = find(p, h->trial);
    struct suggestion got = {0};
    *same = false;
    if (h->kind == HEARD_PROMOTED) {
        enum search_answer answer = search_promote(search, &got);
        *same = answer == SEARCH_HERE && got.budget == h->step &&
                added_trial(&p->study->added, got.replaces) == h->trial;
        return 0;
    }
    int64_t k = study_search_id(p->study, h->trial);
    enum search_answer answer = search_ask(search, k, a, &got, err);
    if (answer == SEARCH_ERROR)
        return -1;
    *same = answer == SEARCH_HERE && t && same_point(t, got.point);
    return 0;
}

static void count_answer(struct study_replay *out, int64_t trial, bool same)
{
    out->asked++;
    out->same += same;
    if (!same && !out->first_other)
        out->first_other = trial;
}

/* Nobody wrote down what was asked, as nothing depends on when it was. */
static int compare_foreseen(struct replay *p, struct study_replay *out,
                            struct err *err)
{
    struct arena *a = arena_new();
    int rc = 0;
    for (size_t i = 0; !rc && i < p->list.len; i++) {
        const struct known *t = &p->list.p[i];
        const struct heard asked = {.kind = HEARD_ASKED, .trial = t->id};
        bool same;
        if (t->k < 1)
            continue;
        arena_reset(a);
        rc = ask_again(p, &asked, a, &same, err);
        if (!rc)
            count_answer(out, t->id, same);
    }
    arena_free(a);
    return rc;
}

static int compare_all(struct replay *p, struct study_replay *out,
                       struct err *err)
{
    if (search_foresees(p->study->search))
        return compare_foreseen(p, out, err);
    for (size_t i = 0; i < p->count; i++) {
        const struct heard *h = &p->heard[i];
        bool asked = h->kind == HEARD_ASKED || h->kind == HEARD_PROMOTED;
        bool same;
        if (!asked && repeat_one(p, h, err))
            return -1;
        if (!asked)
            continue;
        if (ask_again(p, h, p->arena, &same, err))
            return -1;
        count_answer(out, h->trial, same);
    }
    return 0;
}

int study_replay(const struct plan *plan, struct store *store,
                 struct study_replay *out, struct err *err)
{
    struct study s = {.plan = plan, .store = store, .arena = arena_new()};
    struct replay p;
    *out = (struct study_replay){0};
    if (plan->strategy->asks)
        return err_set(err, ERR_INPUT,
                       "only the program of method external knows why it "
                       "suggested what");
    replay_init(&p, &s);
    int rc = added_read(&s.added, store, err) || study_search_recall(&s, err) ||
             study_search_open(&s, err) || tell_warm_start(&s, err) ||
             store_heard(store, p.arena, &p.heard, &p.count, err) ||
             read_trials(&p, err) || compare_all(&p, out, err);
    search_free(s.search);
    added_done(&s.added);
    replay_done(&p);
    arena_free(s.arena);
    return rc ? -1 : 0;
}
