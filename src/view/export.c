/* export.c - trials for other programs: CSV, JSON lines, or their files */
#include <math.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 20)

struct exporter {
    struct store *store;
    const struct query *query;
    view_put_fn *put;
    void *context;
    struct study_goal goal;
    struct provenance code;
    struct point_columns params, metrics, about;
    struct buf out;
    struct arena *arena; /* for one trial */
    struct err *err;
};
typedef void trial_fn(struct exporter *e, const struct trial *t);

static void flush(struct exporter *e)
{
    e->put(e->context, buf_str(&e->out));
    buf_reset(&e->out);
}

static int each(struct exporter *e, trial_fn *fn)
{
    struct rows *rows = store_rows(e->store, e->query, e->err);
    if (!rows)
        return -1;
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, e->err)) > 0) {
        arena_reset(e->arena);
        fn(e, &t);
        if (e->out.len > FLUSH_BYTES)
            flush(e);
    }
    rows_close(rows);
    flush(e);
    return got;
}

static void json_line(struct exporter *e, const struct trial *t)
{
    trial_json(&e->out, t, &e->goal.all, e->code.commit, e->arena);
    buf_addc(&e->out, '\n');
}

/* ---- CSV -------------------------------------------------------------- */

static void collect(struct exporter *e, const struct trial *t)
{
    struct json_scan scan;
    struct str raw;
    point_columns_text(&e->params, t->point);
    if (t->about.len)
        point_columns_text(&e->about, t->about);
    json_scan_init(&scan, t->summary);
    if (!t->summary.len || json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return;
    while (json_scan_next(&scan) == JSON_KEY) {
        struct buf name;
        buf_init(&name);
        json_unescape(&name, scan.text);
        point_columns_name(&e->metrics, buf_str(&name));
        buf_done(&name);
        if (json_scan_pass(&scan, &raw))
            return;
    }
}

static void number_field(struct buf *b, double v)
{
    buf_addc(b, ',');
    if (!isnan(v))
        num_print(b, v);
}

/* A metric that was reported as NaN is nan; one that was not is not there. */
static void metric_field(struct buf *b, double v, bool reported)
{
    if (isnan(v) && reported)
        buf_adds(b, ",nan");
    else
        number_field(b, v);
}

static void csv_header(struct exporter *e)
{
    buf_adds(&e->out, "id,state,value");
    for (size_t i = 0; i < e->params.names.len; i++) {
        buf_addc(&e->out, ',');
        csv_field(&e->out, e->params.names.p[i], ',');
    }
    for (size_t i = 0; i < e->metrics.names.len; i++) {
        struct buf name;
        buf_init(&name);
        buf_addc(&e->out, ',');
        buf_addf(&name, "%.*s.last", STRF(e->metrics.names.p[i]));
        csv_field(&e->out, buf_str(&name), ',');
        buf_reset(&name);
        buf_addc(&e->out, ',');
        buf_addf(&name, "%.*s.best", STRF(e->metrics.names.p[i]));
        csv_field(&e->out, buf_str(&name), ',');
        buf_done(&name);
    }
    buf_adds(&e->out, ",attempts,seconds,started,ended,reason,created,run_id,"
                      "parent,budget,note,tags,commit");
    for (size_t i = 0; i < e->about.names.len; i++) {
        buf_addc(&e->out, ',');
        csv_field(&e->out, e->about.names.p[i], ',');
    }
    buf_addc(&e->out, '\n');
}

static void text_field(struct buf *b, struct str text)
{
    buf_addc(b, ',');
    csv_field(b, text, ',');
}

static void count_field(struct buf *b, int64_t n)
{
    buf_addc(b, ',');
    if (n > 0)
        num_print_int(b, n);
}

/* Unix time in whole milliseconds, as in JSON. */
static void time_field(struct buf *b, double wall)
{
    number_field(b, wall > 0 ? num_round(wall, 3) : NAN);
}

/* What the user and people wrote on it, and where it comes from. */
static void csv_words(struct exporter *e, const struct trial *t)
{
    struct buf *b = &e->out, tags;
    buf_init(&tags);
    for (size_t i = 0; i < t->tag_count; i++)
        buf_addf(&tags, "%s%.*s", i ? ";" : "", STRF(t->tags[i]));
    text_field(b, t->run_id);
    count_field(b, t->parent);
    count_field(b, t->budget);
    text_field(b, t->note);
    text_field(b, buf_str(&tags));
    text_field(b, e->code.commit);
    buf_done(&tags);
}

static void csv_about(struct exporter *e, const struct trial *t)
{
    struct buf cell;
    const struct value *about =
        t->about.len ? json_parse(e->arena, t->about, "", false, NULL) : NULL;
    buf_init(&cell);
    for (size_t i = 0; i < e->about.names.len; i++) {
        buf_reset(&cell);
        point_cell(&cell, point_flat_get(about, e->about.names.p[i]));
        text_field(&e->out, buf_str(&cell));
    }
    buf_done(&cell);
}

static void csv_line(struct exporter *e, const struct trial *t)
{
    struct buf *b = &e->out, cell;
    struct value *point = json_parse(e->arena, t->point, "", false, NULL);
    struct value *summary =
        t->summary.len ? json_parse(e->arena, t->summary, "", false, NULL)
                       : NULL;
    buf_init(&cell);
    buf_addf(b, "%lld,%s", (long long)t->id, state_name(t->state));
    number_field(b, t->value);
    for (size_t i = 0; i < e->params.names.len; i++) {
        buf_reset(&cell);
        point_cell(&cell, point_flat_get(point, e->params.names.p[i]));
        text_field(b, buf_str(&cell));
    }
    for (size_t i = 0; i < e->metrics.names.len; i++) {
        struct str name = e->metrics.names.p[i];
        double last, best;
        summary_values(summary, name, &e->goal.all, &last, &best);
        metric_field(b, last, value_get(summary, name));
        metric_field(b, best, value_get(summary, name));
    }
    buf_addf(b, ",%u", t->attempts);
    number_field(b, num_round(t->seconds, 6));
    time_field(b, t->started);
    time_field(b, t->ended);
    text_field(b, t->reason);
    time_field(b, t->created);
    csv_words(e, t);
    csv_about(e, t);
    buf_addc(b, '\n');
    buf_done(&cell);
}

static int export_csv(struct exporter *e, struct arena *a)
{
    if (each(e, collect))
        return -1;
    struct str *written;
    size_t count;
    if (point_columns_written(e->store, a, &written, &count, e->err))
        return -1;
    point_columns_order(&e->params, written, count);
    point_columns_sort(&e->metrics);
    point_columns_sort(&e->about);
    csv_header(e);
    return each(e, csv_line);
}

int export_trials(struct store *store, const struct query *q, bool csv,
                  view_put_fn *put, void *context, struct err *err)
{
    struct arena *a = arena_new();
    struct exporter e = {.store = store,
                         .query = q,
                         .put = put,
                         .context = context,
                         .arena = arena_new(),
                         .err = err};
    buf_init(&e.out);
    point_columns_init(&e.params, a);
    point_columns_init(&e.metrics, a);
    point_columns_init(&e.about, a);
    int rc = study_goal_read(store, a, &e.goal, err);
    if (!rc)
        rc = provenance_read(store, a, &e.code, err);
    if (!rc)
        rc = csv ? export_csv(&e, a) : each(&e, json_line);
    point_columns_done(&e.params);
    point_columns_done(&e.metrics);
    point_columns_done(&e.about);
    buf_done(&e.out);
    arena_free(e.arena);
    arena_free(a);
    return rc;
}

/* ---- files ------------------------------------------------------------ */

struct copying {
    struct store *store;
    const char *folder; /* where to */
    struct packs *packs;
    struct arena *arena; /* for one trial */
};

/* What a trial wrote, into DIR/<trial>; whether it is packed does not show. */
static int copy_trial(const struct copying *e, int64_t trial, int64_t *copied,
                      struct err *err)
{
    struct arena *a = e->arena;
    char *from = store_trial_folder(e->store, trial, a);
    char *to =
        path_join(a, e->folder, arena_printf(a, "%lld", (long long)trial));
    struct packed *packed;
    size_t count;
    if (packs_list(e->packs, trial, a, &packed, &count, err))
        return -1;
    bool plain = file_is_dir(from);
    if (!plain && !count)
        return 0;
    if (file_exists(to))
        return err_set(err, ERR_BUSY,
                       "%s is there already; name another folder", to);
    ++*copied;
    if (plain && (dir_make(e->folder, err) || dir_copy(from, to, err)))
        return -1;
    return packs_restore(e->packs, trial, to, false, err);
}

int export_files(struct store *store, const struct query *q, const char *folder,
                 int64_t *copied, struct err *err)
{
    struct copying e = {.store = store, .folder = folder, .arena = arena_new()};
    struct rows *rows = store_rows(store, q, err);
    struct trial t;
    int got = rows ? 0 : -1;
    *copied = 0;
    e.packs = packs_open(store_folder(store));
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(e.arena);
        if (copy_trial(&e, t.id, copied, err)) {
            got = -1;
            break;
        }
    }
    packs_close(e.packs);
    rows_close(rows);
    arena_free(e.arena);
    return got;
}
