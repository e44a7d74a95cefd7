/* warm.c - results from elsewhere, known before the first trial
 *
 * They come from another study or from a CSV file, and are kept in the store
 * when the study is made: what happens to their source later changes nothing.
 * Each is {"point":…,"state":…,"values":[…],"broken":[…]}; a strategy hears
 * of it as of a result that it did not suggest. */
#include <math.h>
#include <stdio.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "search/search.h"
#include "study/study.h"
#include "terms/state.h"

#define CSV_BYTES_MAX ((size_t)1 << 30)

struct warming {
    const struct plan *plan;
    struct arena *arena; /* of the list */
    struct value *list;
    const struct value **given; /* of one result, by parameter */
    double *values, *broken;    /* of one result */
    enum state state;
    size_t left_out;
    struct err first; /* why the first of these was */
};

/* ---- one result ------------------------------------------------------- */

/* The point in the space of the plan that the given values make. Values of
 * parameters that do not count there are no mistake: the other study may have
 * had other conditions. */
static struct value *point_of(struct warming *w, struct err *err)
{
    const struct space *s = &w->plan->space;
    struct arena *a = w->arena;
    size_t *order = arena_array(a, s->count + 1, sizeof(*order));
    struct value **values = arena_array(a, s->count + 1, sizeof(*values));
    if (space_order(s, order, err))
        return NULL;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = order[k];
        const struct param *p = &s->params[i];
        if (!space_active(s, i, values))
            continue;
        if (w->given[i])
            values[i] = study_param_value(p, w->given[i], false, a, err);
        else if (p->dist == DIST_CONSTANT)
            values[i] = value_copy(a, p->constant);
        else
            err_set(err, ERR_INPUT, "%.*s is missing", STRF(p->name));
        if (!values[i])
            return NULL;
    }
    return space_point(s, values, a);
}

static struct value *numbers(struct arena *a, const double *v, size_t count)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < count; i++)
        value_list_add(a, list, value_double(a, v[i]));
    return list;
}

static void leave_out(struct warming *w, const struct err *why)
{
    if (!w->left_out++)
        w->first = *why;
}

static void take(struct warming *w)
{
    const struct goal *g = &w->plan->goal;
    struct arena *a = w->arena;
    struct err err = {0};
    if (!state_bad(w->state) && !isfinite(w->values[0])) {
        err_set(&err, ERR_INPUT, "it has no value of %.*s",
                STRF(g->objectives[0].name));
        leave_out(w, &err);
        return;
    }
    struct value *point = point_of(w, &err);
    if (!point) {
        leave_out(w, &err);
        return;
    }
    struct value *one = value_object(a);
    value_set(a, one, STR("point"), point);
    value_set(a, one, STR("state"),
              value_string(a, str_of(state_name(w->state))));
    value_set(a, one, STR("values"), numbers(a, w->values, g->objective_count));
    if (g->bound_count)
        value_set(a, one, STR("broken"), numbers(a, w->broken, g->bound_count));
    value_list_add(a, w->list, one);
}

/* ---- from a study ----------------------------------------------------- */

static void take_trial(struct warming *w, const struct trial *t,
                       struct arena *a)
{
    const struct plan *p = w->plan;
    const struct value *point = json_parse(a, t->point, "point", true, NULL);
    const struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "summary", true, NULL)
                       : NULL;
    for (size_t i = 0; i < p->space.count; i++)
        w->given[i] = point ? point_get(point, &p->space.params[i]) : NULL;
    w->state = t->state;
    goal_values(&p->goal, summary, w->values);
    goal_broken(&p->goal, summary, w->broken);
    take(w);
}

static int read_study(struct warming *w, const char *folder, struct err *err)
{
    struct store *store = store_open(folder, false, err);
    struct query q = {.selector = "finished", .with_texts = true};
    struct rows *rows = store ? store_rows(store, &q, err) : NULL;
    struct arena *a = arena_new();
    struct trial t;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        take_trial(w, &t, a);
    }
    arena_free(a);
    rows_close(rows);
    store_close(store);
    return got;
}

/* ---- from a CSV file -------------------------------------------------- */

static long column(const struct csv *c, struct str name)
{
    for (size_t i = 0; i < c->fields.len; i++)
        if (str_eq(str_trim(c->fields.p[i]), name))
            return (long)i;
    return -1;
}

/* The column of a metric: by its name, as `export` writes it, or, of the
 * first one, `value`. */
static long metric_column(const struct csv *c, struct arena *a, struct str name,
                          bool first)
{
    long at = column(c, name);
    if (at < 0)
        at = column(c, str_of(arena_printf(a, "%.*s.last", STRF(name))));
    return at < 0 && first ? column(c, STR("value")) : at;
}

struct columns {
    long *params, *objectives, *bounds, state;
};

static struct columns find_columns(struct warming *w, const struct csv *c)
{
    const struct plan *p = w->plan;
    struct arena *a = w->arena;
    struct columns x = {
        .params = arena_array(a, p->space.count + 1, sizeof(long)),
        .objectives = arena_array(a, p->goal.objective_count + 1, sizeof(long)),
        .bounds = arena_array(a, p->goal.bound_count + 1, sizeof(long)),
        .state = column(c, STR("state"))};
    for (size_t i = 0; i < p->space.count; i++)
        x.params[i] = column(c, p->space.params[i].name);
    for (size_t i = 0; i < p->goal.objective_count; i++)
        x.objectives[i] =
            metric_column(c, a, p->goal.objectives[i].name, i == 0);
    for (size_t i = 0; i < p->goal.bound_count; i++)
        x.bounds[i] = metric_column(c, a, p->goal.bounds[i].name, false);
    return x;
}

static struct str cell(const struct csv *c, long at)
{
    if (at < 0 || (size_t)at >= c->fields.len)
        return str_n("", 0);
    return str_trim(c->fields.p[at]);
}

static double number_cell(const struct csv *c, long at)
{
    double d = NAN;
    return num_double(cell(c, at), &d) ? d : NAN;
}

static void take_row(struct warming *w, const struct csv *c,
                     const struct columns *x)
{
    const struct goal *g = &w->plan->goal;
    struct str state = cell(c, x->state);
    for (size_t i = 0; i < w->plan->space.count; i++) {
        struct str text = cell(c, x->params[i]);
        w->given[i] = text.len ? value_string(w->arena, text) : NULL;
    }
    if (!state_parse(state, &w->state) || !state_final(w->state))
        w->state = STATE_DONE;
    for (size_t i = 0; i < g->objective_count; i++)
        w->values[i] = number_cell(c, x->objectives[i]);
    for (size_t i = 0; i < g->bound_count; i++) {
        const struct bound *b = &g->bounds[i];
        double v = number_cell(c, x->bounds[i]);
        double by = b->is_max ? v - b->limit : b->limit - v;
        w->broken[i] = isnan(by) ? INFINITY : by;
    }
    take(w);
}

static int read_csv(struct warming *w, const char *path, struct err *err)
{
    struct buf text;
    struct csv c;
    buf_init(&text);
    if (file_read(path, CSV_BYTES_MAX, &text, err)) {
        buf_done(&text);
        return -1;
    }
    csv_init(&c, buf_str(&text), ',');
    int got = csv_next(&c, err);
    struct columns x = {0};
    if (got >= 0) {
        x = find_columns(w, &c);
        if (x.objectives[0] < 0)
            got = err_set(err, ERR_INPUT, "%s has no column `%.*s`", path,
                          STRF(w->plan->goal.objectives[0].name));
    }
    while (got > 0 && (got = csv_next(&c, err)) > 0)
        take_row(w, &c, &x);
    csv_done(&c);
    buf_done(&text);
    return got;
}

/* ---- reading ---------------------------------------------------------- */

/* A CSV file, the folder of a study, or its name, or its file's. */
static int read_source(struct warming *w, const char *home, struct err *err)
{
    struct arena *a = w->arena;
    char *said = arena_cstr(a, w->plan->warm_start);
    char *path = path_join(a, home, said);
    if (file_exists(path_join(a, path, "study.db")))
        return read_study(w, path, err);
    bool yaml = str_ends(str_of(said), STR(".yaml")) ||
                str_ends(str_of(said), STR(".yml"));
    if (file_exists(path) && !file_is_dir(path) && !yaml)
        return read_csv(w, path, err);
    char *beside = yaml ? path_folder(a, path) : (char *)(uintptr_t)home;
    char *name = yaml ? arena_cstr(a, path_stem(said)) : said;
    char *folder = path_join(a, path_join(a, beside, ".throng"), name);
    if (file_exists(path_join(a, folder, "study.db")))
        return read_study(w, folder, err);
    return err_set(err, ERR_INPUT,
                   "there is no file %s and no study %s in %s/.throng", path,
                   name, beside);
}

static void say(const struct warming *w, const struct log *log)
{
    if (w->left_out)
        log_to(log, LOG_WARN,
               "warm_start: %zu result%s of %.*s %s left out: %s%s",
               w->left_out, w->left_out == 1 ? "" : "s",
               STRF(w->plan->warm_start), w->left_out == 1 ? "is" : "are",
               w->first.text, w->left_out == 1 ? "" : " (the first of them)");
    log_to(log, LOG_NOTICE,
           "warm_start: %zu result%s of %.*s %s known before the first trial",
           w->list->count, w->list->count == 1 ? "" : "s",
           STRF(w->plan->warm_start), w->list->count == 1 ? "is" : "are");
}

struct value *study_warm_read(const struct plan *p, const char *home,
                              const struct log *log, struct arena *a,
                              struct err *err)
{
    struct warming w = {
        .plan = p,
        .arena = a,
        .list = value_list(a),
        .given = arena_array(a, p->space.count + 1, sizeof(*w.given)),
        .values = arena_array(a, p->goal.objective_count + 1, sizeof(double)),
        .broken = arena_array(a, p->goal.bound_count + 1, sizeof(double)),
    };
    if (!p->goal.objective_count) {
        err_set(err, ERR_INPUT, "warm_start needs a metric");
        return NULL;
    }
    if (read_source(&w, home, err)) {
        err_wrap(err, "warm_start");
        return NULL;
    }
    say(&w, log);
    return w.list;
}

/* ---- telling ---------------------------------------------------------- */

static const double *read_numbers(const struct value *list, struct arena *a)
{
    if (!list || !list->count)
        return NULL;
    double *v = arena_array(a, list->count, sizeof(*v));
    for (size_t i = 0; i < list->count; i++)
        v[i] = value_number(list->items[i]);
    return v;
}

void study_warm_tell(const struct value *known, struct search *search)
{
    struct arena *a = arena_new();
    for (size_t i = 0; i < known->count; i++) {
        const struct value *one = known->items[i];
        const struct value *values = value_get(one, STR("values"));
        const struct value *broken = value_get(one, STR("broken"));
        enum state state = STATE_DONE;
        arena_reset(a);
        state_parse(value_text(value_get(one, STR("state"))), &state);
        struct result r = {
            .trial = foreign_number(FOREIGN_WARM, (int64_t)i),
            .point = value_get(one, STR("point")),
            .state = (int)state,
            .value = NAN,
        };
        const double *v = read_numbers(values, a);
        if (v && !state_bad(state)) {
            r.value = v[0];
            r.values = values->count > 1 ? v : NULL;
            r.value_count = values->count > 1 ? values->count : 0;
            r.constraints = read_numbers(broken, a);
            r.constraint_count = r.constraints ? broken->count : 0;
        }
        search_tell(search, &r);
    }
    arena_free(a);
}
