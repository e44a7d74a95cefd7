/* curves.c - learning curves in as many points as a picture has
 *
 * A curve of a million points is cut into parts of equal length, and of each
 * the least and the greatest stay, in their order, so that no spike is lost. */
#include "view/view.h"

#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"

struct picked {
    size_t *at; /* of the series, ascending */
    size_t count;
};

static void pick(struct picked *p, size_t at)
{
    if (!p->count || p->at[p->count - 1] < at)
        p->at[p->count++] = at;
}

/* The places of the least and the greatest number in a part, in order; of a
 * part without a number its first. */
static void pick_part(struct picked *p, const double *values, size_t from,
                      size_t to)
{
    size_t least = from, most = from;
    for (size_t i = from + 1; i < to; i++) {
        if (isnan(values[least]) || values[i] < values[least])
            least = i;
        if (isnan(values[most]) || values[i] > values[most])
            most = i;
    }
    pick(p, least < most ? least : most);
    pick(p, least < most ? most : least);
}

static struct picked pick_points(const struct series *s, size_t points,
                                 struct arena *a)
{
    size_t parts = points / 2 ? points / 2 : 1;
    struct picked p = {
        .at = arena_array(
            a, s->count < 2 * parts + 2 ? s->count + 1 : 2 * parts + 2,
            sizeof(*p.at))};
    if (s->count <= points) {
        for (size_t i = 0; i < s->count; i++)
            p.at[p.count++] = i;
        return p;
    }
    pick(&p, 0);
    for (size_t k = 0; k < parts; k++)
        pick_part(&p, s->values, s->count * k / parts,
                  s->count * (k + 1) / parts);
    pick(&p, s->count - 1);
    return p;
}

static void add_curve(struct buf *b, int64_t trial, const struct series *s,
                      const struct picked *p)
{
    buf_addf(b, "{\"trial\":%lld,\"points\":%zu,\"steps\":[", (long long)trial,
             s->count);
    for (size_t i = 0; i < p->count; i++)
        buf_addf(b, "%s%lld", i ? "," : "", (long long)s->steps[p->at[i]]);
    buf_adds(b, "],\"times\":[");
    for (size_t i = 0; i < p->count; i++) {
        buf_adds(b, i ? "," : "");
        if (s->times_ms[p->at[i]])
            strict_seconds(b, (double)s->times_ms[p->at[i]] / 1000);
        else
            buf_adds(b, "null");
    }
    buf_adds(b, "],\"values\":[");
    for (size_t i = 0; i < p->count; i++) {
        buf_adds(b, i ? "," : "");
        strict_number(b, s->values[p->at[i]]);
    }
    buf_adds(b, "]}");
}

struct curves {
    struct buf *b;
    struct store *store;
    const char *metric;
    size_t points, count;
    struct arena *work; /* of one curve */
};

static int add_trial(struct curves *k, int64_t trial, struct err *err)
{
    struct series s;
    arena_reset(k->work);
    if (store_series(k->store, trial, k->metric, k->work, &s, err))
        return -1;
    struct picked p = pick_points(&s, k->points, k->work);
    buf_adds(k->b, k->count++ ? "," : "");
    add_curve(k->b, trial, &s, &p);
    return 0;
}

int curves_json(struct buf *b, struct store *store, const char *selector,
                const char *metric, size_t points, struct arena *a,
                struct err *err)
{
    struct query q = {.selector = selector, .limit = CURVES_MAX + 1};
    struct curves k = {.b = b,
                       .store = store,
                       .metric = metric,
                       .points = points,
                       .work = arena_new()};
    struct trial t;
    if (name_check(store, metric, a, err))
        return arena_free(k.work), -1;
    buf_adds(b, "{\"schema\":\"throng.curves/1\",\"metric\":");
    json_string(b, str_of(metric));
    buf_adds(b, ",\"curves\":[");
    struct rows *rows = store_rows(store, &q, err);
    int got = rows ? 1 : -1;
    while (got > 0 && k.count < CURVES_MAX &&
           (got = rows_next(rows, &t, err)) > 0)
        if (add_trial(&k, t.id, err))
            got = -1;
    bool cut = got > 0 && rows_next(rows, &t, NULL) > 0;
    rows_close(rows);
    arena_free(k.work);
    buf_addf(b, "],\"cut\":%s}\n", cut ? "true" : "false");
    return got < 0 ? -1 : 0;
}
