/* series.c - the points of one metric, ready to draw
 *
 * Rows come by attempt, then source, then chunk, all ascending. Within an
 * attempt only its best source counts; of equal steps the last one in this
 * order wins, which is the newest attempt's. When an attempt has been read to
 * its end, what does not count goes: of its own points those that one which
 * began anew later takes back, and of earlier attempts' those behind its last
 * step. */
#include "store/metrics.h"

#include "store/change.h"

struct point {
    int64_t step, time_ms;
    double value;
    size_t order;
};

/* From `step` on, points of attempts before `attempt` do not count. */
struct cut {
    int64_t attempt, step;
};

struct gathered {
    VEC(struct point) points;
    VEC(struct cut) cuts;
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

static int read_cuts(struct store *s, int64_t trial, struct gathered *g,
                     struct err *err)
{
    static const char sql[] =
        "SELECT anew, first_step FROM attempts WHERE trial = ? AND anew > 0";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    int row;
    while ((row = db_row(s, st, "read the attempts of", err)) == 1) {
        struct cut cut = {sqlite3_column_int64(st, 0),
                          sqlite3_column_int64(st, 1)};
        vec_push(&g->cuts, cut);
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

static int add_row(struct store *s, struct packer *packer, sqlite3_stmt *st,
                   struct gathered *g, struct err *err)
{
    int64_t steps[PACK_POINTS_MAX], times[PACK_POINTS_MAX];
    double values[PACK_POINTS_MAX];
    int64_t attempt = sqlite3_column_int64(st, 0);
    int64_t source = sqlite3_column_int64(st, 1);
    const void *p = sqlite3_column_blob(st, 2);
    size_t len = (size_t)sqlite3_column_bytes(st, 2);
    int count = packer_unpack(packer, str_n(p, len), steps, times, values);
    if (count < 0)
        return err_set(err, ERR_CORRUPT, "%s holds damaged metric points",
                       s->path);
    if (attempt != g->attempt) {
        end_attempt(g);
        g->attempt_at = g->points.len;
    } else if (source != g->source) {
        g->points.len = g->attempt_at;
    }
    g->attempt = attempt;
    g->source = source;
    vec_reserve(&g->points, g->points.len + (size_t)count);
    for (int i = 0; i < count; i++) {
        struct point point = {steps[i], times[i], values[i], g->added++};
        g->points.p[g->points.len++] = point;
    }
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
    if (s->in_sql && metrics_flush(s, err))
        return -1;
    if (metrics_name_find(s, str_of(name), &id, err))
        return -1;
    struct gathered g = {.attempt = -1, .source = -1};
    int rc = id && first != last ? read_cuts(s, trial, &g, err) : 0;
    if (rc == 0 && id)
        rc = gather(s, trial, id, first, last, &g, err);
    if (rc == 0) {
        sort_points(&g);
        hand_over(&g, a, out);
    }
    vec_done(&g.points);
    vec_done(&g.cuts);
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

const char **store_metric_names(struct store *s, int64_t trial, struct arena *a,
                                struct err *err)
{
    static const char of_study[] = "SELECT name FROM names ORDER BY id";
    static const char of_trial[] =
        "SELECT name FROM names WHERE EXISTS (SELECT 1 FROM metrics"
        " WHERE trial = ? AND metrics.name = names.id) ORDER BY id";
    if (s->in_sql && metrics_flush(s, err))
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
    const char **list = row == 0 ? vec_to_arena(a, &names) : NULL;
    vec_done(&names);
    return list;
}
