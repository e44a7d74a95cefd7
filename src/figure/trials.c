/* trials.c - results of a study as columns */
#include "figure/trials.h"

#include <math.h>
#include "base/json.h"
#include "view/view.h"

#define LOG_RATIO 100.0

int trials_space(struct store *store, struct space *space, struct arena *a,
                 struct err *err)
{
    struct str text;
    struct err why = {0};
    *space = (struct space){0};
    if (store_fact(store, "space", a, &text, err))
        return -1;
    struct value *v =
        text.len ? json_parse(a, text, "space", true, &why) : NULL;
    if (text.len && (!v || space_from_value(space, v, a, &why)))
        return store_damaged(store, why.text, err);
    return 0;
}

/* ---- what is read -------------------------------------------------------- */

struct reading {
    struct trials *t;
    struct store *store;
    struct arena *arena, *work;
    struct goal goal;
    size_t cap;
};

static int choose_metric(struct reading *r, const struct figure_asked *asked,
                         struct err *err)
{
    struct study_goal goal;
    struct trials *t = r->t;
    if (study_goal_read(asked->store, r->arena, &goal, err))
        return -1;
    r->goal = goal.all;
    if (!asked->metric && !goal.name.len)
        return err_set(err, ERR_INPUT,
                       "this study names no metric; use --metric NAME");
    t->is_objective =
        !asked->metric || str_eq(goal.name, str_of(asked->metric));
    t->metric = asked->metric ? asked->metric : arena_cstr(r->arena, goal.name);
    t->minimize = t->is_objective
                      ? goal.minimize
                      : goal_minimizes(&goal.all, str_of(t->metric));
    return t->is_objective
               ? 0
               : metric_check(asked->store, t->metric, r->arena, err);
}

static bool is_logarithmic(enum dist d)
{
    return d == DIST_LOG_UNIFORM || d == DIST_Q_LOG_UNIFORM ||
           d == DIST_LOG_UNIFORM_VALUES || d == DIST_Q_LOG_UNIFORM_VALUES ||
           d == DIST_INV_LOG_UNIFORM || d == DIST_INV_LOG_UNIFORM_VALUES ||
           d == DIST_LOG_NORMAL || d == DIST_Q_LOG_NORMAL;
}

static const char *text_of(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b);
    point_cell(&b, v);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static double choice_of(struct trial_param *k, const char *text,
                        struct arena *a)
{
    size_t i = 0;
    while (i < k->found.len && strcmp(k->found.p[i], text))
        i++;
    if (i == k->found.len)
        vec_push(&k->found, arena_cstr(a, str_of(text)));
    return (double)i;
}

/* What the study's space says of it: choices in its order, or a scale. */
static void declare(struct reading *r, struct trial_param *k,
                    const struct param *p)
{
    k->log = is_logarithmic(p->dist);
    k->declared = true;
    if (p->dist != DIST_CATEGORICAL)
        return;
    for (size_t i = 0; i < p->values->count; i++)
        choice_of(k, text_of(r->arena, p->values->items[i]), r->arena);
}

static int open_params(struct reading *r, const char *const *names,
                       size_t count, struct err *err)
{
    struct space space;
    struct trials *t = r->t;
    if (trials_space(r->store, &space, r->arena, err))
        return -1;
    t->params = arena_array(r->arena, count + 1, sizeof(*t->params));
    t->param_count = count;
    for (size_t i = 0; i < count; i++) {
        t->params[i].name = names[i];
        long at = space_find(&space, str_of(names[i]));
        if (at >= 0)
            declare(r, &t->params[i], &space.params[at]);
        else if (value_name_check(r->store, names[i], r->arena, err))
            return -1;
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------- */

static void grow(struct reading *r)
{
    struct trials *t = r->t;
    if (t->count < r->cap)
        return;
    size_t cap = r->cap ? 4 * r->cap : 4096;
    void **columns[] = {(void **)&t->ids, (void **)&t->values,
                        (void **)&t->states, (void **)&t->broken};
    const size_t sizes[] = {sizeof(double), sizeof(double), 1, sizeof(bool)};
    for (size_t i = 0; i < 4 + t->param_count; i++) {
        void **column = i < 4 ? columns[i] : (void **)&t->params[i - 4].numbers;
        size_t size = i < 4 ? sizes[i] : sizeof(double);
        void *more = arena_array(r->arena, cap, size);
        if (t->count)
            memcpy(more, *column, t->count * size);
        *column = more;
    }
    r->cap = cap;
}

/* A number that turned out to be one choice among texts. */
static void make_choices(struct reading *r, struct trial_param *k)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < r->t->count; i++) {
        if (isnan(k->numbers[i]))
            continue;
        buf_reset(&b);
        plot_number(&b, k->numbers[i], 12);
        k->numbers[i] = choice_of(k, b.p, r->arena);
    }
    buf_done(&b);
}

static double param_number(struct reading *r, struct trial_param *k,
                           const struct value *v)
{
    bool choices = k->found.len > 0;
    if (!v || v->kind == VALUE_NULL)
        return NAN;
    if (!choices && value_is_number(v))
        return value_number(v);
    if (!choices && !k->declared)
        make_choices(r, k);
    if (!choices && k->declared)
        return NAN; /* a text where a number was declared */
    return choice_of(k, text_of(r->work, v), r->arena);
}

double trials_number(const struct trial *row, const char *name)
{
    double said = summary_number(row->summary, str_of(name));
    return isnan(said) && !strcmp(name, "seconds") ? row->seconds : said;
}

bool trials_break(const struct goal *goal, const struct trial *row,
                  struct arena *work)
{
    if (!goal->bound_count)
        return false;
    const struct value *summary =
        row->summary.len ? json_parse(work, row->summary, "", false, NULL)
                         : NULL;
    return goal_broken(goal, summary, NULL) > 0;
}

static void take(struct reading *r, const struct trial *row)
{
    struct trials *t = r->t;
    t->total++;
    if (!state_final(row->state) || state_bad(row->state)) {
        *(state_final(row->state) ? &t->bad : &t->open) += 1;
        return;
    }
    arena_reset(r->work);
    double value = t->is_objective ? row->value : trials_number(row, t->metric);
    if (!isfinite(value)) {
        t->valueless++;
        return;
    }
    grow(r);
    size_t i = t->count;
    const struct value *point =
        t->param_count ? json_parse(r->work, row->point, "", false, NULL)
                       : NULL;
    t->ids[i] = (double)row->id;
    t->states[i] = (uint8_t)row->state;
    t->values[i] = value;
    t->broken[i] = trials_break(&r->goal, row, r->work);
    for (size_t k = 0; k < t->param_count; k++)
        t->params[k].numbers[i] = param_number(
            r, &t->params[k],
            point ? point_flat_get(point, str_of(t->params[k].name)) : NULL);
    t->count++;
}

static int read_rows(struct reading *r, const struct figure_asked *asked,
                     struct err *err)
{
    bool texts = !r->t->is_objective || r->goal.bound_count;
    struct query q = {.selector = asked->trials,
                      .where = asked->where,
                      .results = strcmp(r->t->metric, "seconds") != 0,
                      .with_texts = texts};
    struct trial row;
    if (names_check_filter(asked->store, asked->where, r->arena, err))
        return -1;
    struct rows *rows = store_rows(asked->store, &q, err);
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &row, err)) > 0)
        take(r, &row);
    rows_close(rows);
    return got;
}

static bool all_whole(const double *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(list[i]) && list[i] != floor(list[i]))
            return false;
    return true;
}

static int check_any(const struct trials *t, struct err *err)
{
    if (t->count)
        return 0;
    if (!t->total)
        return err_set(err, ERR_MISSING, "no trial is left to draw");
    return err_set(err, ERR_MISSING,
                   "no trial has a value of `%s` to draw: of %lld, %lld have "
                   "not ended, %lld failed, %lld ended without a finite value",
                   t->metric, (long long)t->total, (long long)t->open,
                   (long long)t->bad, (long long)t->valueless);
}

int trials_read(struct trials *t, const struct figure_asked *asked,
                const char *const *names, size_t count, struct plot *p,
                struct err *err)
{
    struct reading r = {
        .t = t, .store = asked->store, .arena = p->arena, .work = arena_new()};
    *t = (struct trials){0};
    int rc = choose_metric(&r, asked, err) ||
                     open_params(&r, names, count, err) ||
                     read_rows(&r, asked, err) || check_any(t, err)
                 ? -1
                 : 0;
    for (size_t i = 0; t->params && i < t->param_count; i++) {
        struct trial_param *k = &t->params[i];
        k->choice_count = k->found.len;
        k->whole = all_whole(k->numbers, t->count);
        if (k->found.len)
            k->choices = vec_to_arena(p->arena, &k->found);
        else if (!k->declared && !rc)
            k->log = trials_want_log(k->numbers, t->count);
        vec_done(&k->found);
    }
    if (!r.goal.bound_count)
        t->broken = NULL;
    arena_free(r.work);
    return rc;
}

/* ---- in words ------------------------------------------------------------ */

const char *trials_chosen(const struct figure_asked *asked, struct arena *a)
{
    return arena_printf(a, "%s%s%s", asked->where ? " where " : "",
                        asked->where ? asked->where : "",
                        asked->trials ? ", chosen" : "");
}

void trials_say_left(struct plot *p, int64_t bad, int64_t valueless,
                     int64_t open)
{
    const struct {
        int64_t count;
        const char *what;
    } left[] = {{bad, "failed"},
                {valueless, "without a finite value"},
                {open, "not ended"}};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < 3; i++)
        if (left[i].count)
            buf_addf(&b, "%s%s %s", b.len ? ", " : "",
                     plot_count(p->arena, (uint64_t)left[i].count),
                     left[i].what);
    if (b.len)
        plot_note(p, "not drawn: %s", b.p);
    buf_done(&b);
}

void trials_title(const struct trials *t, const struct figure_asked *asked,
                  struct plot *p, const char *what)
{
    struct arena *a = p->arena;
    p->title = arena_printf(a, "%s: %s", asked->study, what);
    p->subtitle = arena_printf(
        a, "%s (%s), %s trial%s%s", t->metric,
        t->minimize ? "minimize" : "maximize", plot_count(a, t->count),
        t->count == 1 ? "" : "s", trials_chosen(asked, a));
    trials_say_left(p, t->bad, t->valueless, t->open);
}

void trials_table(const struct trials *t, struct plot *p)
{
    const char **states = arena_array(p->arena, t->count + 1, sizeof(*states));
    for (size_t i = 0; i < t->count; i++)
        states[i] = state_name((enum state)t->states[i]);
    p->rows = t->count;
    plot_numbers(p, "trial", t->ids);
    plot_texts(p, "state", states);
    plot_numbers(p, t->metric, t->values);
}

void trials_param_column(const struct trials *t, const struct trial_param *k,
                         struct plot *p)
{
    if (!k->choices) {
        plot_numbers(p, k->name, k->numbers);
        return;
    }
    const char **texts = arena_array(p->arena, t->count + 1, sizeof(*texts));
    for (size_t i = 0; i < t->count; i++)
        texts[i] =
            isnan(k->numbers[i]) ? NULL : k->choices[(size_t)k->numbers[i]];
    plot_texts(p, k->name, texts);
}

/* ---- axes ---------------------------------------------------------------- */

bool trials_want_log(const double *list, size_t count)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(list[i]))
            continue;
        if (list[i] <= 0)
            return false;
        low = fmin(low, list[i]);
        high = fmax(high, list[i]);
    }
    return high > 0 && high / low >= LOG_RATIO;
}

struct plot_axis trials_metric_axis(const struct trials *t,
                                    const struct figure_asked *asked)
{
    bool log = asked->scale ? !strcmp(asked->scale, "log")
                            : trials_want_log(t->values, t->count);
    return (struct plot_axis){.label = t->metric,
                              .scale = log ? PLOT_LOG : PLOT_LINEAR};
}

struct plot_axis trials_param_axis(const struct trial_param *k)
{
    if (k->choices)
        return (struct plot_axis){.label = k->name,
                                  .scale = PLOT_CHOICE,
                                  .choices = k->choices,
                                  .choice_count = k->choice_count};
    return (struct plot_axis){.label = k->name,
                              .whole = k->whole,
                              .scale = k->log ? PLOT_LOG : PLOT_LINEAR};
}
