/* series.c - the points of one metric, ready to draw
 *
 * Rows come by attempt, then source, then chunk, all ascending. Within an
 * attempt only its best source counts; of equal steps the last one in this
 * order wins, which is the newest attempt's. When an attempt has been read to
 * its end, what does not count goes: of its own points those that one which
 * began anew later takes back, and of earlier attempts' those behind its last
 * step.
 *
 * Changes that wait for a disk that failed count as if their rows were
 * there: a trial may end meanwhile, and has the value of all its points. */
#include "store/metrics.h"

#include "store/change.h"

struct point {
    int64_t step, time_ms;
    double value;
    size_t order;
};

/* From `step` on, points of attempts before `attempt` do not count: so says
 * the row of attempt `number`. */
struct cut {
    int64_t number, attempt, step;
};

/* Points of one attempt and source that came one after another. */
struct batch {
    int64_t attempt, source;
    size_t count;
    const void *steps, *values; /* 8 bytes each */
    const int64_t *times;       /* NULL: all at time_ms */
    int64_t time_ms;
};

struct gathered {
    VEC(struct point) points;
    VEC(struct cut) cuts;
    VEC(const struct arrived *) waiting; /* in the order of rows */
    size_t waiting_at;                   /* those before it are taken in */
    size_t attempt_at; /* where the points of the attempt begin */
    size_t added;      /* points, those that went counted too */
    int64_t attempt, source;
};

static int by_step(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- what counts ------------------------------------------------------ */

/* A row replaces the one of the same number. */
static void put_cut(struct gathered *g, struct cut cut)
{
    for (size_t i = 0; i < g->cuts.len; i++)
        if (g->cuts.p[i].number == cut.number) {
            g->cuts.p[i] = cut;
            return;
        }
    vec_push(&g->cuts, cut);
}

static int read_cuts(struct store *s, int64_t trial, struct gathered *g,
                     struct err *err)
{
    static const char sql[] = "SELECT number, anew, first_step FROM attempts"
                              " WHERE trial = ? AND anew > 0";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    int row;
    while ((row = db_row(s, st, "read the attempts of", err)) == 1) {
        struct cut cut = {sqlite3_column_int64(st, 0),
                          sqlite3_column_int64(st, 1),
                          sqlite3_column_int64(st, 2)};
        vec_push(&g->cuts, cut);
    }
    for (size_t i = 0; s->suspended && i < s->redo.len; i++) {
        const struct attempt *a = attempt_written(&s->redo.p[i]);
        if (a && a->trial == trial)
            put_cut(g, (struct cut){a->number, a->anew, a->first_step});
    }
    return row;
}

/* The first step of the attempt that does not count. */
static int64_t cut_of(const struct gathered *g)
{
    int64_t step = INT64_MAX;
    for (size_t i = 0; i < g->cuts.len; i++)
        if (g->cuts.p[i].attempt > g->attempt && g->cuts.p[i].step < step)
            step = g->cuts.p[i].step;
    return step;
}

/* Takes out the points from one place up to another whose step is `step` or
 * more. */
static void drop_from(struct gathered *g, size_t from, size_t to, int64_t step)
{
    size_t kept = from;
    for (size_t i = from; i < g->points.len; i++)
        if (i >= to || g->points.p[i].step < step)
            g->points.p[kept++] = g->points.p[i];
    g->points.len = kept;
}

/* All points of an attempt are there. */
static void end_attempt(struct gathered *g)
{
    int64_t last = INT64_MIN, cut = cut_of(g);
    if (cut < INT64_MAX)
        drop_from(g, g->attempt_at, g->points.len, cut);
    if (g->attempt_at == 0 || g->attempt_at == g->points.len)
        return;
    for (size_t i = g->attempt_at; i < g->points.len; i++)
        if (g->points.p[i].step > last)
            last = g->points.p[i].step;
    if (last < INT64_MAX)
        drop_from(g, 0, g->attempt_at, last + 1);
}

/* ---- reading ---------------------------------------------------------- */

static void add_batch(struct gathered *g, const struct batch *b)
{
    if (b->attempt != g->attempt) {
        end_attempt(g);
        g->attempt_at = g->points.len;
    } else if (b->source != g->source) {
        g->points.len = g->attempt_at;
    }
    g->attempt = b->attempt;
    g->source = b->source;
    vec_reserve(&g->points, g->points.len + b->count);
    for (size_t i = 0; i < b->count; i++) {
        struct point p = {.time_ms = b->times ? b->times[i] : b->time_ms,
                          .order = g->added++};
        memcpy(&p.step, (const char *)b->steps + 8 * i, 8);
        memcpy(&p.value, (const char *)b->values + 8 * i, 8);
        g->points.p[g->points.len++] = p;
    }
}

/* -1, 0, 1: points that arrived come before, with or behind those. */
static int compare(const struct arrived *a, int64_t attempt, int64_t source)
{
    if (a->key.attempt != attempt)
        return a->key.attempt < attempt ? -1 : 1;
    return a->key.source < source ? -1 : a->key.source > source;
}

/* Finds the points that wait, each behind all that come before it or came
 * earlier. */
static void find_waiting(const struct store *s, int64_t trial, struct str name,
                         int64_t first, int64_t last, struct gathered *g)
{
    for (size_t i = 0; s->suspended && i < s->redo.len; i++) {
        const struct arrived *a = metrics_arrived(&s->redo.p[i]);
        if (!a || a->key.trial != trial || !str_eq(a->name, name) ||
            a->key.attempt < first || a->key.attempt > last)
            continue;
        vec_push(&g->waiting, a);
        const struct arrived **p = g->waiting.p;
        for (size_t k = g->waiting.len - 1;
             k && compare(p[k - 1], a->key.attempt, a->key.source) > 0; k--) {
            p[k] = p[k - 1];
            p[k - 1] = a;
        }
    }
}

/* Takes in those that wait and come before rows of this attempt and source. */
static void add_waiting(struct gathered *g, int64_t attempt, int64_t source)
{
    for (; g->waiting_at < g->waiting.len; g->waiting_at++) {
        const struct arrived *a = g->waiting.p[g->waiting_at];
        if (compare(a, attempt, source) >= 0)
            return;
        add_batch(g, &(struct batch){.attempt = a->key.attempt,
                                     .source = a->key.source,
                                     .count = a->count,
                                     .steps = a->steps,
                                     .values = a->values,
                                     .time_ms = a->time_ms});
    }
}

static int add_row(struct store *s, struct packer *packer, sqlite3_stmt *st,
                   struct gathered *g, struct err *err)
{
    int64_t steps[PACK_POINTS_MAX], times[PACK_POINTS_MAX];
    double values[PACK_POINTS_MAX];
    struct batch b = {.attempt = sqlite3_column_int64(st, 0),
                      .source = sqlite3_column_int64(st, 1),
                      .steps = steps,
                      .values = values,
                      .times = times};
    const void *p = sqlite3_column_blob(st, 2);
    size_t len = (size_t)sqlite3_column_bytes(st, 2);
    int count = packer_unpack(packer, str_n(p, len), steps, times, values);
    if (count < 0)
        return err_set(err, ERR_CORRUPT, "%s holds damaged metric points",
                       s->path);
    b.count = (size_t)count;
    add_waiting(g, b.attempt, b.source);
    add_batch(g, &b);
    return 0;
}

/* Of all attempts from `first` to `last`. */
static int gather(struct store *s, int64_t trial, int64_t name, int64_t first,
                  int64_t last, struct gathered *g, struct err *err)
{
    static const char sql[] =
        "SELECT attempt, source, points FROM metrics WHERE trial = ?"
        " AND name = ? AND attempt BETWEEN ? AND ?"
        " ORDER BY attempt, source, chunk";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    sqlite3_bind_int64(st, 2, name);
    sqlite3_bind_int64(st, 3, first);
    sqlite3_bind_int64(st, 4, last);
    struct packer *packer = packer_new();
    int row;
    while ((row = db_row(s, st, "read metrics of", err)) == 1)
        if (add_row(s, packer, st, g, err)) {
            sqlite3_reset(st);
            row = -1;
            break;
        }
    packer_free(packer);
    add_waiting(g, INT64_MAX, INT64_MAX);
    end_attempt(g);
    return row;
}

static void sort_points(struct gathered *g)
{
    bool sorted = true;
    for (size_t i = 1; i < g->points.len && sorted; i++)
        sorted = g->points.p[i - 1].step < g->points.p[i].step;
    if (!sorted)
        qsort(g->points.p, g->points.len, sizeof *g->points.p, by_step);
}

static void hand_over(const struct gathered *g, struct arena *a,
                      struct series *out)
{
    size_t n = g->points.len, count = 0;
    out->steps = arena_array(a, n, sizeof *out->steps);
    out->times_ms = arena_array(a, n, sizeof *out->times_ms);
    out->values = arena_array(a, n, sizeof *out->values);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && g->points.p[i + 1].step == g->points.p[i].step)
            continue;
        out->steps[count] = g->points.p[i].step;
        out->times_ms[count] = g->points.p[i].time_ms;
        out->values[count++] = g->points.p[i].value;
    }
    out->count = count;
    out->source =
        g->source < 0 ? METRIC_FROM_FILE_NUMBER : (enum metric_source)g->source;
}

static int read_series(struct store *s, int64_t trial, const char *name,
                       int64_t first, int64_t last, struct arena *a,
                       struct series *out, struct err *err)
{
    int64_t id;
    if (change_flush(s, err) || metrics_name_find(s, str_of(name), &id, err))
        return -1;
    struct gathered g = {.attempt = -1, .source = -1};
    find_waiting(s, trial, str_of(name), first, last, &g);
    bool any = id || g.waiting.len;
    int rc = any && first != last ? read_cuts(s, trial, &g, err) : 0;
    if (rc == 0 && any)
        rc = gather(s, trial, id, first, last, &g, err);
    if (rc == 0) {
        sort_points(&g);
        hand_over(&g, a, out);
    }
    vec_done(&g.points);
    vec_done(&g.cuts);
    vec_done(&g.waiting);
    return rc;
}

int store_series(struct store *s, int64_t trial, const char *name,
                 struct arena *a, struct series *out, struct err *err)
{
    return read_series(s, trial, name, 0, INT64_MAX, a, out, err);
}

int store_attempt_series(struct store *s, int64_t trial, uint32_t attempt,
                         const char *name, struct arena *a, struct series *out,
                         struct err *err)
{
    return read_series(s, trial, name, attempt, attempt, a, out, err);
}

static bool is_named(const char *const *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

const char **store_metric_names(struct store *s, int64_t trial, struct arena *a,
                                struct err *err)
{
    static const char of_study[] = "SELECT name FROM names ORDER BY id";
    static const char of_trial[] =
        "SELECT name FROM names WHERE EXISTS (SELECT 1 FROM metrics"
        " WHERE trial = ? AND metrics.name = names.id) ORDER BY id";
    if (change_flush(s, err))
        return NULL;
    sqlite3_stmt *st = db_stmt(s, trial ? of_trial : of_study, err);
    if (!st)
        return NULL;
    if (trial)
        sqlite3_bind_int64(st, 1, trial);
    VEC(const char *) names = {0};
    int row;
    while ((row = db_row(s, st, "read metrics of", err)) == 1) {
        const char *name = arena_cstr(a, db_column_str(st, 0));
        vec_push(&names, name);
    }
    for (size_t i = 0; s->suspended && i < s->redo.len; i++) {
        const struct arrived *p = metrics_arrived(&s->redo.p[i]);
        if (p && (!trial || p->key.trial == trial) &&
            !is_named(names.p, names.len, p->name))
            vec_push(&names, arena_cstr(a, p->name));
    }
    const char **list = row == 0 ? vec_to_arena(a, &names) : NULL;
    vec_done(&names);
    return list;
}
