/* inferences.c - what inferences over many rows did, and how fast
 *
 * A line for each study whose trials are shards. What counts is what has ended
 * well. The time is that in which any of its attempts ran, so that a study that
 * was stopped for a night has not run that night; a slot's time is the sum over
 * attempts, of which the most that ran at once are its slots. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "view/view.h"

/* ---- one study ------------------------------------------------------------
 */

struct edge {
    double time;
    int change;
};

/* Times are stored to the microsecond; what subtracting and adding them leaves
 * behind that says nothing. */
static void round_times(struct inference_line *l)
{
    l->seconds = num_round(l->seconds, 6);
    l->slot_seconds = num_round(l->slot_seconds, 6);
}

/* An end comes before a beginning of the same moment: one slot served both. */
static int by_time(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    return a->change - b->change;
}

static void add_edges(struct inference_line *l, struct edge *edges,
                      size_t count)
{
    int64_t now = 0;
    qsort(edges, count, sizeof(*edges), by_time);
    for (size_t i = 0; i < count; i++) {
        if (now > 0)
            l->seconds += edges[i].time - edges[i - 1].time;
        now += edges[i].change;
        if (now > l->slots)
            l->slots = now;
    }
}

static int read_times(struct inference_line *l, struct store *store,
                      struct arena *a, struct err *err)
{
    struct load_spans spans;
    if (load_spans_read(&spans, store, a, err))
        return -1;
    struct edge *edges = xcalloc(2 * spans.spans.len + 1, sizeof(*edges));
    for (size_t i = 0; i < spans.spans.len; i++) {
        const struct load_span *s = &spans.spans.p[i];
        edges[2 * i] = (struct edge){s->from, 1};
        edges[2 * i + 1] = (struct edge){s->to, -1};
        l->slot_seconds += s->to - s->from;
    }
    add_edges(l, edges, 2 * spans.spans.len);
    round_times(l);
    free(edges);
    load_spans_done(&spans);
    return 0;
}

/* A metric of a trial; NULL: it has none of this name. */
static const struct value *last_of(const struct trial *t, const char *metric,
                                   struct arena *a)
{
    const struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "summary", true, NULL)
                       : NULL;
    return value_get(value_get(summary, str_of(metric)), STR("last"));
}

/* A trial that is done. */
static void add_done(struct inference_line *l, const struct trial *t,
                     uint64_t rows, double passes, struct arena *a)
{
    const struct value *image = last_of(t, INFERENCE_SECONDS, a);
    const struct value *bad = last_of(t, INFERENCE_BAD, a);
    double predictions = (double)rows * passes;
    l->done++;
    l->rows += rows;
    l->bad_rows += bad ? (uint64_t)value_number(bad) : 0;
    l->predictions += predictions;
    if (!image)
        return;
    l->timed += predictions;
    l->asked_seconds += value_number(image) * predictions;
}

static void add_shard(struct inference_line *l, const struct shards *shards,
                      const struct trial *t, struct arena *a)
{
    const struct value *point = json_parse(a, t->point, "point", true, NULL);
    const struct value *number = value_get(point, STR("shard"));
    struct task_shard shard;
    if (number && number->kind == VALUE_INT &&
        !shards_at(shards, number->i, &shard, NULL))
        add_done(l, t, shard.count, l->passes, a);
}

/* One that names its model says how many rows it had. */
static void add_asked(struct inference_line *l, const struct bulk_told *told,
                      const struct trial *t, struct arena *a)
{
    const struct value *point = json_parse(a, t->point, "point", true, NULL);
    const struct value *rows = last_of(t, INFERENCE_ROWS, a);
    int64_t samples = infer_samples(told->options, point, a);
    l->samples = l->done && samples != l->samples ? -1 : samples;
    add_done(l, t, rows ? (uint64_t)value_number(rows) : 0,
             (double)(samples ? samples : 1), a);
}

/* Those that are done; shards, or what trials are told that name their models,
 * are NULL. */
static int read_done(struct inference_line *l, struct store *store,
                     const struct shards *shards, const struct bulk_told *told,
                     struct err *err)
{
    struct query q = {.selector = "done", .results = true, .with_texts = true};
    struct rows *rows = store_rows(store, &q, err);
    struct arena *a = arena_new();
    struct trial t;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        if (shards)
            add_shard(l, shards, &t, a);
        else
            add_asked(l, told, &t, a);
    }
    rows_close(rows);
    arena_free(a);
    return got;
}

/* What was told of shards is in the line. */
static int read_shards(struct inference_line *l, struct store *store,
                       const char *folder, struct err *err)
{
    struct shards *shards = shards_open(folder, err);
    int rc = shards ? read_done(l, store, shards, NULL, err) : -1;
    shards_close(shards);
    return rc;
}

static void take_told(struct inference_line *l, const struct bulk_told *told)
{
    l->shards = told->shards;
    l->models = told->models;
    l->samples = told->samples;
    l->dropout_least = told->dropout_least;
    l->dropout_most = told->dropout_most;
    l->passes = (double)(told->models ? told->models : 1) *
                (double)(told->samples ? told->samples : 1);
}

/* Of trials that name their models nobody knows how many there will be. */
static int read_counts(struct inference_line *l, struct store *store,
                       bool is_bulk, struct err *err)
{
    struct counts counts;
    if (store_counts(store, &counts, err))
        return -1;
    if (!is_bulk)
        l->shards = (uint64_t)counts.total;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_bad((enum state)i))
            l->failed += (uint64_t)counts.by_state[i];
    return 0;
}

static int read_from(struct inference_line *l, struct store *store,
                     const char *folder, struct arena *a, struct err *err)
{
    struct bulk_told told;
    int rc = bulk_told(folder, &told, a, err);
    bool is_bulk = rc == 0;
    if (rc > 0)
        rc = infer_told(store, folder, &told, a, err);
    if (rc)
        return rc;
    take_told(l, &told);
    rc = is_bulk ? read_shards(l, store, folder, err)
                 : read_done(l, store, NULL, &told, err);
    return rc || read_counts(l, store, is_bulk, err) ||
                   read_times(l, store, a, err)
               ? -1
               : 0;
}

int inference_read(struct inference_line *l, const char *name,
                   const char *folder, struct arena *a, struct err *err)
{
    struct store *store = store_open(folder, false, err);
    *l = (struct inference_line){.name = name};
    int rc = store ? read_from(l, store, folder, a, err) : -1;
    store_close(store);
    return rc;
}

/* ---- all of them ----------------------------------------------------------
 */

struct inference_line inferences_total(const struct inference_line *list,
                                       size_t count)
{
    struct inference_line all = {
        .name = "total", .dropout_least = NAN, .dropout_most = NAN};
    for (size_t i = 0; i < count; i++) {
        const struct inference_line *l = &list[i];
        all.shards += l->shards;
        all.done += l->done;
        all.failed += l->failed;
        all.rows += l->rows;
        all.bad_rows += l->bad_rows;
        all.predictions += l->predictions;
        all.seconds += l->seconds;
        all.slot_seconds += l->slot_seconds;
        all.timed += l->timed;
        all.asked_seconds += l->asked_seconds;
        all.slots = l->slots > all.slots ? l->slots : all.slots;
    }
    round_times(&all);
    return all;
}

static double rate(double count, const struct inference_line *l)
{
    return l->slot_seconds > 0 ? count / l->slot_seconds : NAN;
}

static double t_image(const struct inference_line *l)
{
    return l->timed > 0 ? l->asked_seconds / l->timed : NAN;
}

/* ---- for people -----------------------------------------------------------
 */

static void add_dropout(struct tabled *t, const struct inference_line *l)
{
    struct buf b;
    buf_init(&b);
    if (!isnan(l->dropout_least))
        num_print_short(&b, l->dropout_least, 4);
    if (l->dropout_most > l->dropout_least) {
        buf_adds(&b, " to ");
        num_print_short(&b, l->dropout_most, 4);
    }
    tabled_text(t, "%s", b.p);
    buf_done(&b);
}

static void add_some(struct tabled *t, uint64_t count)
{
    if (count)
        tabled_count(t, (int64_t)count);
    else
        tabled_number(t, NAN);
}

static void add_line(struct tabled *t, const struct inference_line *l)
{
    tabled_text(t, "%s", l->name);
    tabled_count(t, (int64_t)l->shards);
    tabled_count(t, (int64_t)l->done);
    tabled_count(t, (int64_t)l->failed);
    tabled_count(t, (int64_t)l->rows);
    tabled_count(t, (int64_t)l->bad_rows);
    add_some(t, l->models);
    add_some(t, l->samples > 0 ? (uint64_t)l->samples : 0);
    tabled_count(t, (int64_t)l->predictions);
    tabled_number(t, l->seconds);
    tabled_count(t, l->slots);
    tabled_number(t, rate(l->predictions, l));
    tabled_number(t, rate((double)l->rows, l));
    add_dropout(t, l);
    tabled_number(t, t_image(l));
}

void inferences_table(struct tabled *t, const struct inference_line *list,
                      size_t count)
{
    static const char *const titles[] = {
        "study", "shards",        "done",    "failed",      "rows",
        "bad",   "models",        "samples", "predictions", "seconds",
        "slots", "predictions/s", "rows/s",  "dropout",     "t_image"};
    struct inference_line total = inferences_total(list, count);
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        tabled_title(t, titles[i]);
    for (size_t i = 0; i < count; i++)
        add_line(t, &list[i]);
    if (count)
        add_line(t, &total);
}

/* ---- for programs ---------------------------------------------------------
 */

static void print_number(struct buf *b, const char *key, double x)
{
    buf_addf(b, ",\"%s\":", key);
    strict_number_or_null(b, x);
}

static void print_line(struct buf *b, const struct inference_line *l)
{
    buf_addf(b, "\"shards\":%llu,\"done\":%llu,\"failed\":%llu,\"rows\":%llu",
             (unsigned long long)l->shards, (unsigned long long)l->done,
             (unsigned long long)l->failed, (unsigned long long)l->rows);
    buf_addf(b, ",\"bad_rows\":%llu", (unsigned long long)l->bad_rows);
    buf_addf(b, ",\"predictions\":%.0f", l->predictions);
    print_number(b, "seconds", l->seconds);
    buf_addf(b, ",\"slots\":%lld", (long long)l->slots);
    print_number(b, "slot_seconds", l->slot_seconds);
    print_number(b, "predictions_per_second", rate(l->predictions, l));
    print_number(b, "rows_per_second", rate((double)l->rows, l));
    print_number(b, "t_image", t_image(l));
}

static void print_own(struct buf *b, const struct inference_line *l)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(l->name));
    buf_addf(b, ",\"models\":%llu,\"samples\":", (unsigned long long)l->models);
    if (l->samples < 0)
        buf_adds(b, "null,");
    else
        buf_addf(b, "%lld,", (long long)(l->samples ? l->samples : 1));
    print_line(b, l);
    buf_adds(b, ",\"dropout\":");
    if (isnan(l->dropout_least)) {
        buf_adds(b, "null}");
        return;
    }
    buf_addc(b, '[');
    strict_number(b, l->dropout_least);
    buf_addc(b, ',');
    strict_number(b, l->dropout_most);
    buf_adds(b, "]}");
}

void inferences_json(struct buf *b, const struct inference_line *list,
                     size_t count)
{
    struct inference_line total = inferences_total(list, count);
    buf_adds(b, "{\"schema\":\"throng.inferences/1\",\"inferences\":[");
    for (size_t i = 0; i < count; i++) {
        buf_adds(b, i ? "," : "");
        print_own(b, &list[i]);
    }
    buf_adds(b, "],\"total\":{");
    print_line(b, &total);
    buf_adds(b, "}}\n");
}
