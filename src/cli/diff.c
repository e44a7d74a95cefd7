/* diff.c - in what trials differ */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/cli.h"
#include "view/view.h"

#define SIDES_MAX 16

struct side {
    struct trial trial;
    struct value *point, *summary;
    struct attempt *attempts;
    size_t attempt_count;
};
struct comparison {
    struct call *call;
    struct store *store;
    struct side sides[SIDES_MAX];
    size_t count;
    struct study_goal goal;
    bool all, json;
    struct table *table;
    struct buf out;
    bool any;            /* a line was written */
    const char *section; /* of JSON, that is open */
};

/* ---- lines ------------------------------------------------------------ */

/* One line of cells, JSON texts or "" where there is none; only when they
 * differ, or with --all. */
static void add_line(struct comparison *k, const char *section, struct str name,
                     char *const *cells)
{
    bool differ = false;
    for (size_t i = 1; i < k->count; i++)
        differ |= strcmp(cells[i], cells[0]) != 0;
    if (!differ && !k->all)
        return;
    k->any = true;
    if (!k->json) {
        table_cell(k->table, "%.*s", STRF(name));
        for (size_t i = 0; i < k->count; i++) {
            struct str text = str_of(cells[i]);
            if (text.len > 1 && text.p[0] == '"')
                text = str_n(text.p + 1, text.len - 2);
            table_cell(k->table, "%.*s", STRF(text));
        }
        table_row(k->table);
        return;
    }
    if (k->section != section) {
        buf_addf(&k->out, "%s\"%s\":{", k->section ? "}," : ",", section);
        k->section = section;
    } else {
        buf_addc(&k->out, ',');
    }
    json_string(&k->out, name);
    buf_adds(&k->out, ":[");
    for (size_t i = 0; i < k->count; i++)
        buf_addf(&k->out, "%s%s", i ? "," : "", *cells[i] ? cells[i] : "null");
    buf_addc(&k->out, ']');
}

static char *text_of(struct arena *a, const struct value *v)
{
    struct buf b;
    if (!v)
        return arena_cstr(a, STR(""));
    buf_init(&b);
    json_print(&b, v);
    struct buf strict;
    buf_init(&strict);
    strict_text(&strict, buf_str(&b));
    char *text = arena_cstr(a, buf_str(&strict));
    buf_done(&strict);
    buf_done(&b);
    return text;
}

static char *number_text(struct arena *a, double v, bool none)
{
    struct buf b;
    if (none)
        return arena_cstr(a, STR(""));
    buf_init(&b);
    strict_number(&b, v);
    char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static char *quoted(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b);
    json_string(&b, s);
    char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- what is compared ------------------------------------------------- */

static int compare_params(struct comparison *k)
{
    struct arena *a = k->call->arena;
    struct point_columns names;
    struct str *written;
    size_t count;
    if (point_columns_written(k->store, a, &written, &count, &k->call->err))
        return -1;
    point_columns_init(&names, a);
    for (size_t i = 0; i < k->count; i++)
        point_columns_add(&names, k->sides[i].point);
    point_columns_order(&names, written, count);
    for (size_t n = 0; n < names.names.len; n++) {
        char *cells[SIDES_MAX];
        for (size_t i = 0; i < k->count; i++)
            cells[i] =
                text_of(a, point_flat_get(k->sides[i].point, names.names.p[n]));
        add_line(k, "params", names.names.p[n], cells);
    }
    point_columns_done(&names);
    return 0;
}

static void compare_metric(struct comparison *k, struct str name)
{
    struct arena *a = k->call->arena;
    char *last[SIDES_MAX], *best[SIDES_MAX];
    for (size_t i = 0; i < k->count; i++) {
        const struct value *s = k->sides[i].summary;
        bool none = !value_get(s, name);
        double l = NAN, m = NAN;
        if (!none)
            summary_values(s, name, &k->goal.all, &l, &m);
        last[i] = number_text(a, l, none);
        best[i] = number_text(a, m, none);
    }
    add_line(k, "metrics", str_of(arena_printf(a, "%.*s.last", STRF(name))),
             last);
    add_line(k, "metrics", str_of(arena_printf(a, "%.*s.best", STRF(name))),
             best);
}

static void compare_metrics(struct comparison *k)
{
    struct map *known = map_new();
    for (size_t i = 0; i < k->count; i++) {
        const struct value *s = k->sides[i].summary;
        for (size_t n = 0; s && n < s->count; n++) {
            if (map_has(known, s->keys[n]))
                continue;
            map_set(known, s->keys[n], k);
            compare_metric(k, s->keys[n]);
        }
    }
    map_free(known);
}

static void compare_rest(struct comparison *k)
{
    struct arena *a = k->call->arena;
    enum { STATE, VALUE, REASON, ATTEMPTS, SECONDS, MEMORY, HOST, ROWS };
    static const char *const names[ROWS] = {
        "state",   "value",         "reason", "attempts",
        "seconds", "max_rss_bytes", "host"};
    char *cells[ROWS][SIDES_MAX];
    for (size_t i = 0; i < k->count; i++) {
        const struct side *s = &k->sides[i];
        const struct trial *t = &s->trial;
        const struct attempt *last =
            s->attempt_count ? &s->attempts[s->attempt_count - 1] : NULL;
        cells[STATE][i] = quoted(a, str_of(state_name(t->state)));
        cells[VALUE][i] = number_text(a, t->value, isnan(t->value));
        cells[REASON][i] =
            t->reason.len ? quoted(a, t->reason) : arena_cstr(a, STR(""));
        cells[ATTEMPTS][i] = arena_printf(a, "%u", t->attempts);
        cells[SECONDS][i] = arena_printf(a, "%.3f", t->seconds);
        cells[MEMORY][i] = arena_printf(
            a, "%llu", (unsigned long long)(last ? last->max_rss_bytes : 0));
        cells[HOST][i] =
            last ? quoted(a, str_of(last->host)) : arena_cstr(a, STR(""));
    }
    for (int r = 0; r < ROWS; r++)
        add_line(k, "trial", str_of(names[r]), cells[r]);
}

/* ---- the verb --------------------------------------------------------- */

/* The trials that a selector names, as many as there is room for. */
static int find_sides(struct comparison *k, const char *selector, int64_t *ids,
                      size_t *count)
{
    struct call *c = k->call;
    size_t room = SIDES_MAX - k->count;
    struct query q = {.selector = selector, .limit = (int64_t)room + 1};
    struct trial t;
    int got = -1;
    *count = 0;
    if (store_selector_check(selector, &c->err))
        return -1;
    struct rows *rows = store_rows(k->store, &q, &c->err);
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0)
        if ((*count)++ < room)
            ids[*count - 1] = t.id;
    rows_close(rows);
    if (got < 0)
        return -1;
    if (!*count)
        return no_such_trials(k->store, selector, c->arena, &c->err);
    if (*count > room)
        return err_set(&c->err, ERR_USAGE, "these are more than %d trials",
                       SIDES_MAX);
    return 0;
}

static int read_side(struct comparison *k, int64_t id)
{
    struct call *c = k->call;
    struct side *s = &k->sides[k->count];
    if (store_trial(k->store, id, c->arena, &s->trial, &c->err) ||
        store_attempts(k->store, id, c->arena, &s->attempts, &s->attempt_count,
                       &c->err))
        return -1;
    s->point = json_parse(c->arena, s->trial.point, "point", true, &c->err);
    if (!s->point)
        return -1;
    if (s->trial.summary.len)
        s->summary =
            json_parse(c->arena, s->trial.summary, "summary", true, NULL);
    k->count++;
    return 0;
}

static int read_sides(struct comparison *k, const char *selector)
{
    int64_t ids[SIDES_MAX];
    size_t count;
    if (find_sides(k, selector, ids, &count))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (read_side(k, ids[i]))
            return -1;
    return 0;
}

static void print_begin(struct comparison *k, const char *name)
{
    if (!k->json) {
        table_column(k->table, "", false);
        for (size_t i = 0; i < k->count; i++)
            table_column(k->table,
                         arena_printf(k->call->arena, "trial %lld",
                                      (long long)k->sides[i].trial.id),
                         true);
        return;
    }
    buf_adds(&k->out, "{\"schema\":\"throng.diff/1\"");
    age_json(&k->out, store_as_of(k->store));
    buf_adds(&k->out, ",\"study\":");
    json_string(&k->out, str_of(name));
    buf_adds(&k->out, ",\"trials\":[");
    for (size_t i = 0; i < k->count; i++)
        buf_addf(&k->out, "%s%lld", i ? "," : "",
                 (long long)k->sides[i].trial.id);
    buf_addc(&k->out, ']');
}

static int compare(struct comparison *k, const char *name)
{
    struct call *c = k->call;
    if (study_goal_read(k->store, c->arena, &k->goal, &c->err))
        return -1;
    for (size_t i = 0; i < c->arg_count; i++)
        if (read_sides(k, c->args[i]))
            return -1;
    if (k->count < 2)
        return err_set(&c->err, ERR_USAGE,
                       "`%s` names one trial; name two (%d at most)",
                       c->args[0], SIDES_MAX);
    print_begin(k, name);
    if (compare_params(k))
        return -1;
    compare_metrics(k);
    compare_rest(k);
    if (k->json) {
        buf_adds(&k->out, k->section ? "}}\n" : "}\n");
        put(buf_str(&k->out));
    } else if (k->any) {
        table_print(k->table, c);
    } else {
        say("throng diff: they do not differ\n");
    }
    return 0;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct comparison k = {
        .call = c, .all = call_flag(c, "all"), .json = call_flag(c, "json")};
    const char *what = NULL;
    if (c->arg_count && (store_selector_check(c->args[0], NULL) ||
                         (c->arg_count > 2 && names_study(c->args[0])))) {
        what = c->args[0];
        c->args++;
        c->arg_count--;
    }
    if (c->arg_count < 1 || c->arg_count > SIDES_MAX)
        return call_usage(c, "name two trials (%d at most)", SIDES_MAX);
    if (locate_study(c->arena, what, &where, &c->err) ||
        !(k.store = store_open(where.folder, false, &c->err)))
        return call_fail(c);
    say_age(store_as_of(k.store));
    if (!what)
        say_study_used_last(c, &where);
    k.table = table_new();
    buf_init(&k.out);
    int code = compare(&k, where.name) ? call_fail(c) : EXIT_OK;
    table_free(k.table);
    buf_done(&k.out);
    store_close(k.store);
    return code;
}

const struct verb verb_diff = {
    .name = "diff",
    .args = "[STUDY] A B [C …]",
    .summary = "Show in what trials differ",
    .text = "Parameters, metrics (last and best), state, attempts, time, "
            "memory and machine,\neach only where it differs.\n\n    throng "
            "diff 3 7\n    throng diff best:2\n    throng diff best:1 last\n",
    .options =
        (const struct option_spec[]){
            {"all", 'a', NULL, "also what is the same"},
            {"json", 0, NULL, "for programs: schema throng.diff/1"},
            {0}},
    .run = run,
    .pages = true,
};
