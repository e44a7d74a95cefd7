/* bands.c - how a metric goes over very many trials: quantiles at some steps
 *
 * The steps from the first to the last that was reported are cut into equal
 * parts; at each the trials count that got so far, with the last value they had
 * reported by then. What has no order (NaN) does not count. */
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"

#define GROUPS_MAX 8

static const double quantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};
#define QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

struct band_group {
    const char *name; /* JSON; NULL: it has none */
    VEC(struct series) curves;
};

struct bands {
    struct store *store;
    struct arena *arena;
    const char *metric, *by;
    struct band_group groups[GROUPS_MAX + 1]; /* the last: all others */
    size_t group_count;
    int64_t first, last; /* steps */
    size_t total, used;
};

static struct band_group *group_of(struct bands *k, struct str point)
{
    if (!k->by) {
        k->group_count = 1;
        return &k->groups[0];
    }
    const struct value *all = json_parse(k->arena, point, "point", true, NULL);
    const struct value *v = all ? point_flat_get(all, str_of(k->by)) : NULL;
    struct buf b;
    buf_init(&b);
    if (v)
        strict_value(&b, v);
    else
        buf_adds(&b, "null");
    struct band_group *found = &k->groups[GROUPS_MAX];
    size_t i = 0;
    while (i < k->group_count && strcmp(k->groups[i].name, b.p))
        i++;
    if (i < GROUPS_MAX) {
        found = &k->groups[i];
        if (i == k->group_count) {
            found->name = arena_cstr(k->arena, buf_str(&b));
            k->group_count++;
        }
    }
    buf_done(&b);
    return found;
}

static int take_trial(struct bands *k, const struct trial *t, struct err *err)
{
    struct series s;
    if (store_series(k->store, t->id, k->metric, k->arena, &s, err))
        return -1;
    if (!s.count)
        return 0;
    if (!k->used || s.steps[0] < k->first)
        k->first = s.steps[0];
    if (!k->used || s.steps[s.count - 1] > k->last)
        k->last = s.steps[s.count - 1];
    k->used++;
    vec_push(&group_of(k, t->point)->curves, s);
    return 0;
}

static int64_t count_trials(struct store *store, const char *where,
                            struct err *err)
{
    struct query q = {.where = where, .results = true};
    struct counts all;
    struct trial t;
    if (!where)
        return store_counts(store, &all, err) ? -1 : all.total;
    struct rows *rows = store_rows(store, &q, err);
    int64_t count = 0;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        count++;
    rows_close(rows);
    return got < 0 ? -1 : count;
}

static int read_all(struct bands *k, const char *where, struct err *err)
{
    struct query q = {.where = where, .results = true};
    int64_t total = count_trials(k->store, where, err);
    if (total < 0)
        return -1;
    k->total = (size_t)total;
    size_t every = (k->total + BANDS_TRIALS_MAX - 1) / BANDS_TRIALS_MAX, at = 0;
    struct rows *rows = store_rows(k->store, &q, err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        if (at++ % (every ? every : 1) == 0 && take_trial(k, &t, err))
            got = -1;
    rows_close(rows);
    return got;
}

/* ---- JSON -------------------------------------------------------------- */

/* The last value at or before a step; NaN: none, or it did not get there. */
static double value_by(const struct series *s, int64_t step)
{
    size_t low = 0, high = s->count;
    if (step > s->steps[s->count - 1])
        return NAN;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->steps[middle] <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? s->values[low - 1] : NAN;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* As numpy's default: between two neighbours in a straight line. */
static double quantile_of(const double *sorted, size_t n, double part)
{
    double at = part * (double)(n - 1);
    size_t low = (size_t)at;
    if (low + 1 >= n)
        return sorted[n - 1];
    double share = at - (double)low;
    return share > 0 ? sorted[low] * (1 - share) + sorted[low + 1] * share
                     : sorted[low];
}

static int64_t grid_step(const struct bands *k, size_t i, size_t points)
{
    if (points < 2)
        return k->last;
    double part = (double)i / (double)(points - 1);
    return k->first + (int64_t)llround(part * (double)(k->last - k->first));
}

static void add_step(struct buf *b, const struct band_group *g, int64_t step,
                     double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < g->curves.len; i++) {
        double v = value_by(&g->curves.p[i], step);
        if (!isnan(v))
            values[n++] = v;
    }
    if (n)
        qsort(values, n, sizeof(*values), ascending);
    buf_addf(b, "[%zu", n);
    for (size_t q = 0; q < QUANTILES; q++) {
        buf_addc(b, ',');
        if (n)
            strict_number(b, quantile_of(values, n, quantiles[q]));
        else
            buf_adds(b, "null");
    }
    buf_addc(b, ']');
}

static void add_group(struct buf *b, const struct bands *k,
                      const struct band_group *g, size_t points)
{
    double *values = arena_array(k->arena, g->curves.len + 1, sizeof(*values));
    buf_addf(b, "{\"value\":%s,\"trials\":%zu,\"bands\":[",
             g->name ? g->name : "null", g->curves.len);
    for (size_t i = 0; i < points; i++) {
        buf_adds(b, i ? "," : "");
        add_step(b, g, grid_step(k, i, points), values);
    }
    buf_adds(b, "]}");
}

static void print_bands(struct buf *b, const struct bands *k, size_t points)
{
    size_t span = (size_t)(k->last - k->first) + 1;
    size_t n = !k->used ? 0 : span < points ? span : points;
    buf_adds(b, "{\"schema\":\"throng.bands/1\",\"metric\":");
    json_string(b, str_of(k->metric));
    buf_adds(b, ",\"by\":");
    strict_string_or_null(b, str_of(k->by ? k->by : ""));
    buf_addf(b, ",\"total\":%zu,\"used\":%zu,\"quantiles\":[", k->total,
             k->used);
    for (size_t q = 0; q < QUANTILES; q++) {
        buf_adds(b, q ? "," : "");
        strict_number(b, quantiles[q]);
    }
    buf_adds(b, "],\"steps\":[");
    for (size_t i = 0; i < n; i++)
        buf_addf(b, "%s%lld", i ? "," : "", (long long)grid_step(k, i, n));
    buf_adds(b, "],\"groups\":[");
    bool first = true;
    for (size_t i = 0; i <= GROUPS_MAX; i++) {
        if (!k->groups[i].curves.len)
            continue;
        buf_adds(b, first ? "" : ",");
        first = false;
        add_group(b, k, &k->groups[i], n);
    }
    buf_adds(b, "]}\n");
}

int bands_json(struct buf *b, struct store *store, const char *where,
               const char *metric, const char *by, size_t points,
               struct arena *a, struct err *err)
{
    struct bands k = {.store = store, .arena = a, .metric = metric, .by = by};
    int rc = name_check(store, metric, a, err) ||
                     (by && name_check(store, by, a, err)) ||
                     names_check_filter(store, where, a, err) ||
                     read_all(&k, where, err)
                 ? -1
                 : 0;
    if (!rc)
        print_bands(b, &k, points);
    for (size_t i = 0; i <= GROUPS_MAX; i++)
        vec_done(&k.groups[i].curves);
    return rc;
}
