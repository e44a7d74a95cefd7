/* comparison.c - in what trials differ */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

struct side {
    struct trial trial;
    struct value *point, *summary;
    struct attempt *attempts;
    size_t attempt_count;
};
struct comparing {
    struct comparison *out;
    struct store *store;
    struct side sides[COMPARISON_MAX];
    size_t count;
    struct study_goal goal;
    bool all; /* also what is the same */
    struct arena *arena;
    struct err *err;
};

/* ---- lines ------------------------------------------------------------ */

/* One line of cells, JSON texts or "" where there is none; only when they
 * differ, or with all. */
static void add_line(struct comparing *k, const char *section, struct str name,
                     char *const *cells)
{
    bool differ = false;
    for (size_t i = 1; i < k->count; i++)
        differ |= strcmp(cells[i], cells[0]) != 0;
    if (!differ && !k->all)
        return;
    struct comparison_line line = {.section = section,
                                   .name = arena_str(k->arena, name)};
    memcpy(line.cells, cells, k->count * sizeof(*cells));
    vec_push(&k->out->lines, line);
}

static char *text_of(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b);
    if (v)
        strict_value(&b, v);
    char *text = arena_cstr(a, buf_str(&b));
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

static int compare_params(struct comparing *k)
{
    struct arena *a = k->arena;
    struct point_columns names;
    struct str *written;
    size_t count;
    if (point_columns_written(k->store, a, &written, &count, k->err))
        return -1;
    point_columns_init(&names, a);
    for (size_t i = 0; i < k->count; i++)
        point_columns_add(&names, k->sides[i].point);
    point_columns_order(&names, written, count);
    for (size_t n = 0; n < names.names.len; n++) {
        char *cells[COMPARISON_MAX];
        for (size_t i = 0; i < k->count; i++)
            cells[i] =
                text_of(a, point_flat_get(k->sides[i].point, names.names.p[n]));
        add_line(k, "params", names.names.p[n], cells);
    }
    point_columns_done(&names);
    return 0;
}

static void compare_metric(struct comparing *k, struct str name)
{
    struct arena *a = k->arena;
    char *last[COMPARISON_MAX], *best[COMPARISON_MAX];
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

static void compare_metrics(struct comparing *k)
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

static void compare_rest(struct comparing *k)
{
    struct arena *a = k->arena;
    enum { STATE, VALUE, REASON, ATTEMPTS, SECONDS, MEMORY, HOST, ROWS };
    static const char *const names[ROWS] = {
        "state",   "value",         "reason", "attempts",
        "seconds", "max_rss_bytes", "host"};
    char *cells[ROWS][COMPARISON_MAX];
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

/* ---- the trials ------------------------------------------------------- */

/* The trials that a selector names, as many as there is room for. */
static int find_sides(struct comparing *k, const char *selector, int64_t *ids,
                      size_t *count)
{
    size_t room = COMPARISON_MAX - k->count;
    struct query q = {.selector = selector, .limit = (int64_t)room + 1};
    struct trial t;
    int got = -1;
    *count = 0;
    if (store_selector_check(selector, k->err))
        return -1;
    struct rows *rows = store_rows(k->store, &q, k->err);
    while (rows && (got = rows_next(rows, &t, k->err)) > 0)
        if ((*count)++ < room)
            ids[*count - 1] = t.id;
    rows_close(rows);
    if (got < 0)
        return -1;
    if (!*count)
        return no_such_trials(k->store, selector, k->arena, k->err);
    if (*count > room)
        return err_set(k->err, ERR_USAGE, "these are more than %d trials",
                       COMPARISON_MAX);
    return 0;
}

static int read_side(struct comparing *k, int64_t id)
{
    struct side *s = &k->sides[k->count];
    k->out->trials[k->count] = id;
    if (store_trial(k->store, id, k->arena, &s->trial, k->err) ||
        store_attempts(k->store, id, k->arena, &s->attempts, &s->attempt_count,
                       k->err))
        return -1;
    s->point = json_parse(k->arena, s->trial.point, "point", true, k->err);
    if (!s->point)
        return -1;
    if (s->trial.summary.len)
        s->summary =
            json_parse(k->arena, s->trial.summary, "summary", true, NULL);
    k->count++;
    return 0;
}

static int read_sides(struct comparing *k, const char *selector)
{
    int64_t ids[COMPARISON_MAX];
    size_t count;
    if (find_sides(k, selector, ids, &count))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (read_side(k, ids[i]))
            return -1;
    return 0;
}

int comparison_read(struct comparison *c, struct store *store,
                    const char *const *selectors, size_t count, bool all,
                    struct arena *a, struct err *err)
{
    struct comparing k = {
        .out = c, .store = store, .all = all, .arena = a, .err = err};
    *c = (struct comparison){0};
    if (study_goal_read(store, a, &k.goal, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (read_sides(&k, selectors[i]))
            return -1;
    if (k.count < 2)
        return err_set(err, ERR_USAGE,
                       "`%s` names one trial; name two (%d at most)",
                       selectors[0], COMPARISON_MAX);
    c->count = k.count;
    if (compare_params(&k))
        return -1;
    compare_metrics(&k);
    compare_rest(&k);
    return 0;
}

void comparison_done(struct comparison *c)
{
    vec_done(&c->lines);
}

/* ---- JSON ------------------------------------------------------------- */

static void line_json(struct buf *b, const struct comparison *c, size_t at)
{
    const struct comparison_line *l = &c->lines.p[at];
    const char *before = at ? c->lines.p[at - 1].section : NULL;
    if (before != l->section)
        buf_addf(b, "%s\"%s\":{", before ? "}," : ",", l->section);
    else
        buf_addc(b, ',');
    json_string(b, l->name);
    buf_adds(b, ":[");
    for (size_t i = 0; i < c->count; i++)
        buf_addf(b, "%s%s", i ? "," : "", *l->cells[i] ? l->cells[i] : "null");
    buf_addc(b, ']');
}

void comparison_json(struct buf *b, const struct comparison *c,
                     const char *study, double as_of)
{
    buf_adds(b, "{\"schema\":\"throng.diff/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(study));
    buf_adds(b, ",\"trials\":[");
    for (size_t i = 0; i < c->count; i++)
        buf_addf(b, "%s%lld", i ? "," : "", (long long)c->trials[i]);
    buf_addc(b, ']');
    for (size_t i = 0; i < c->lines.len; i++)
        line_json(b, c, i);
    buf_adds(b, c->lines.len ? "}}\n" : "}\n");
}
