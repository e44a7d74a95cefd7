/* export_history.c - every point of every metric, for other programs */
#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 18)

/* One metric of one trial. */
struct curve_of {
    int64_t trial;
    uint32_t attempt; /* 0: what counts of all of them */
    const char *metric;
    struct series series;
};

struct history_out {
    struct store *store;
    bool csv, attempts;
    view_put_fn *put;
    void *context;
    struct buf out;
    struct arena *names, *points; /* for one trial, for one metric of it */
};

/* ---- printing --------------------------------------------------------- */

static void flush(struct history_out *h)
{
    h->put(h->context, buf_str(&h->out));
    buf_reset(&h->out);
}

/* Unix time with its milliseconds. */
static void add_time(struct buf *b, int64_t ms)
{
    buf_addf(b, "%lld.%03lld", (long long)(ms / 1000), (long long)(ms % 1000));
}

static void csv_point(struct buf *b, const struct curve_of *k, size_t i)
{
    buf_addf(b, "%lld,", (long long)k->trial);
    if (k->attempt)
        buf_addf(b, "%u,", k->attempt);
    buf_addf(b, "%lld,", (long long)k->series.steps[i]);
    if (k->series.times_ms[i] > 0)
        add_time(b, k->series.times_ms[i]);
    buf_addc(b, ',');
    csv_field(b, str_of(k->metric), ',');
    buf_addc(b, ',');
    num_print(b, k->series.values[i]);
    buf_addc(b, '\n');
}

static void json_point(struct buf *b, const struct curve_of *k, size_t i)
{
    buf_addf(b, "{\"trial\":%lld,", (long long)k->trial);
    if (k->attempt)
        buf_addf(b, "\"attempt\":%u,", k->attempt);
    buf_addf(b, "\"step\":%lld,\"time\":", (long long)k->series.steps[i]);
    if (k->series.times_ms[i] > 0)
        add_time(b, k->series.times_ms[i]);
    else
        buf_adds(b, "null");
    buf_adds(b, ",\"metric\":");
    json_string(b, str_of(k->metric));
    buf_adds(b, ",\"value\":");
    strict_number(b, k->series.values[i]);
    buf_adds(b, "}\n");
}

static void print_curve(struct history_out *h, const struct curve_of *k)
{
    for (size_t i = 0; i < k->series.count; i++) {
        (h->csv ? csv_point : json_point)(&h->out, k, i);
        if (h->out.len > FLUSH_BYTES)
            flush(h);
    }
}

/* ---- reading ---------------------------------------------------------- */

static int each_attempt(struct history_out *h, int64_t trial,
                        const char *metric, uint32_t attempts, struct err *err)
{
    struct curve_of k = {.trial = trial, .metric = metric};
    for (k.attempt = 1; k.attempt <= attempts; k.attempt++) {
        arena_reset(h->points);
        if (store_attempt_series(h->store, trial, k.attempt, metric, h->points,
                                 &k.series, err))
            return -1;
        print_curve(h, &k);
    }
    return 0;
}

static int what_counts(struct history_out *h, int64_t trial, const char *metric,
                       struct err *err)
{
    struct curve_of k = {.trial = trial, .metric = metric};
    arena_reset(h->points);
    if (store_series(h->store, trial, metric, h->points, &k.series, err))
        return -1;
    print_curve(h, &k);
    return 0;
}

static int each_metric(struct history_out *h, const struct trial *t,
                       struct err *err)
{
    arena_reset(h->names);
    const char **names = store_metric_names(h->store, t->id, h->names, err);
    for (; names && *names; names++)
        if (h->attempts ? each_attempt(h, t->id, *names, t->attempts, err)
                        : what_counts(h, t->id, *names, err))
            return -1;
    return names ? 0 : -1;
}

static int each_trial(struct history_out *h, const struct query *q,
                      struct err *err)
{
    struct rows *rows = store_rows(h->store, q, err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        if (each_metric(h, &t, err))
            got = -1;
    rows_close(rows);
    return got;
}

static int export_points(struct history_out *h, const struct query *q,
                         struct err *err)
{
    struct query by_id = *q;
    by_id.with_texts = false;
    h->names = arena_new();
    h->points = arena_new();
    buf_init(&h->out);
    if (h->csv)
        buf_adds(&h->out, h->attempts ? "trial,attempt,step,time,metric,value\n"
                                      : "trial,step,time,metric,value\n");
    int rc = each_trial(h, &by_id, err);
    if (!rc)
        flush(h);
    buf_done(&h->out);
    arena_free(h->names);
    arena_free(h->points);
    return rc;
}

int export_history(struct store *store, const struct query *q, bool csv,
                   view_put_fn *put, void *context, struct err *err)
{
    struct history_out h = {
        .store = store, .csv = csv, .put = put, .context = context};
    return export_points(&h, q, err);
}

int export_attempts(struct store *store, const struct query *q, bool csv,
                    view_put_fn *put, void *context, struct err *err)
{
    struct history_out h = {.store = store,
                            .csv = csv,
                            .attempts = true,
                            .put = put,
                            .context = context};
    return export_points(&h, q, err);
}
