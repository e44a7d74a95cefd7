/* export.c - all trials, for other programs: CSV or JSON lines */
#include <math.h>
#include <stdio.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/export_history.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 20)

struct exporter {
    struct call *call;
    struct store *store;
    struct query query;
    struct study_goal goal;
    struct provenance code;
    struct point_columns params, metrics, about;
    struct buf out;
    struct arena *arena; /* for one trial */
    const char *files;   /* --files: where to */
    struct packs *packs;
    int64_t copied; /* trials */
};
typedef void trial_fn(struct exporter *e, const struct trial *t);

/* JSON writes control characters as letters of its own. */
static void flush(struct exporter *e)
{
    if (!call_flag(e->call, "jsonl"))
        put_data(e->call, buf_str(&e->out));
    else
        put(buf_str(&e->out));
    buf_reset(&e->out);
}

static int each(struct exporter *e, trial_fn *fn)
{
    struct err *err = &e->call->err;
    struct rows *rows = store_rows(e->store, &e->query, err);
    if (!rows)
        return -1;
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0) {
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

static int export_csv(struct exporter *e)
{
    if (each(e, collect))
        return -1;
    struct str *written;
    size_t count;
    if (point_columns_written(e->store, e->call->arena, &written, &count,
                              &e->call->err))
        return -1;
    point_columns_order(&e->params, written, count);
    point_columns_sort(&e->metrics);
    point_columns_sort(&e->about);
    csv_header(e);
    return each(e, csv_line);
}

/* ---- files ------------------------------------------------------------ */

/* What a trial wrote, into DIR/<trial>; whether it is packed does not show. */
static int copy_trial(struct exporter *e, int64_t trial, struct err *err)
{
    struct arena *a = e->arena;
    char *from = store_trial_folder(e->store, trial, a);
    char *to =
        path_join(a, e->files, arena_printf(a, "%lld", (long long)trial));
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
    e->copied++;
    if (plain && (dir_make(e->files, err) || dir_copy(from, to, err)))
        return -1;
    return packs_restore(e->packs, trial, to, false, err);
}

static int export_files(struct exporter *e)
{
    struct err *err = &e->call->err;
    struct rows *rows = store_rows(e->store, &e->query, err);
    struct trial t;
    int got = rows ? 0 : -1;
    e->packs = packs_open(store_folder(e->store));
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(e->arena);
        if (copy_trial(e, t.id, err)) {
            got = -1;
            break;
        }
    }
    packs_close(e->packs);
    rows_close(rows);
    if (!got)
        say("throng export: the files of %lld trial%s are in %s\n",
            (long long)e->copied, e->copied == 1 ? "" : "s", e->files);
    return got;
}

/* A filter may leave nothing over; trials that were named must be there. */
static int check_selector(struct exporter *e)
{
    struct call *c = e->call;
    struct query q = {.selector = e->query.selector, .limit = 1};
    struct trial t;
    if (!c->arg_count || str_is(str_of(q.selector), "all"))
        return 0;
    struct rows *rows = store_rows(e->store, &q, &c->err);
    int got = rows ? rows_next(rows, &t, &c->err) : -1;
    rows_close(rows);
    if (got == 0)
        return no_such_trials(e->store, q.selector, c->arena, &c->err);
    return got < 0 ? -1 : 0;
}

/* ---- the verb --------------------------------------------------------- */

static int export_all(struct exporter *e)
{
    struct call *c = e->call;
    if (study_goal_read(e->store, c->arena, &e->goal, &c->err) ||
        provenance_read(e->store, c->arena, &e->code, &c->err) ||
        names_check_filter(e->store, e->query.where, c->arena, &c->err) ||
        check_selector(e))
        return -1;
    if (e->files)
        return export_files(e);
    if (call_flag(c, "history"))
        return export_history(c, e->store, &e->query, !call_flag(c, "jsonl"));
    return call_flag(c, "jsonl") ? each(e, json_line) : export_csv(e);
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct exporter e = {.call = c, .files = call_option(c, "files")};
    int forms = call_flag(c, "csv") + call_flag(c, "jsonl") + (e.files != NULL);
    if (call_flag(c, "history") && e.files)
        return call_usage(c, "--history goes with --csv or --jsonl");
    if (forms > 1)
        return call_usage(c, "choose one of --csv, --jsonl and --files");
    e.store = open_named_study(c, true, &where);
    if (!e.store)
        return call_fail(c);
    e.query = (struct query){.selector = c->arg_count ? c->args[0] : "all",
                             .where = call_option(c, "where"),
                             .with_texts = true};
    e.arena = arena_new();
    buf_init(&e.out);
    point_columns_init(&e.params, c->arena);
    point_columns_init(&e.metrics, c->arena);
    point_columns_init(&e.about, c->arena);
    int code = export_all(&e) ? call_fail(c) : EXIT_OK;
    point_columns_done(&e.params);
    point_columns_done(&e.metrics);
    point_columns_done(&e.about);
    buf_done(&e.out);
    arena_free(e.arena);
    store_close(e.store);
    return code;
}

const struct verb verb_export = {
    .name = "export",
    .args = "[STUDY] [TRIALS]",
    .summary = "Write trials for other programs",
    .text = "As CSV, or with --jsonl one trial a line: id, state, value, "
            "params, metrics\n(last and best of each), attempts, seconds, "
            "tags, note.\n--history gives every point of every metric "
            "instead: trial, step, time, metric\nand value, as CSV or with "
            "--jsonl as JSON lines; time is when it reached the\nstudy. "
            "--files copies what trials wrote (log, output, checkpoint) to "
            "DIR/TRIAL,\nalso where a large study has packed it.\n",
    .options =
        (const struct option_spec[]){
            {"csv", 0, NULL, "comma separated, with a header (default)"},
            {"jsonl", 0, NULL, "one JSON object a line"},
            {"history", 0, NULL, "the learning curves, a point a line"},
            {"files", 0, "DIR", "the files of trials, each in a folder"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {0}},
    .run = run,
    .pages = true,
};
