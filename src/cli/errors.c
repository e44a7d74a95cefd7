/* errors.c - failures, grouped by what they say */
#include <stdlib.h>
#include "base/json.h"
#include "base/map.h"
#include "base/strict_json.h"
#include "cli/cli.h"
#include "view/view.h"

#define SHOWN_IDS 5
#define JSON_IDS 1000

struct family {
    struct str line; /* of the first one, as it was */
    enum state state;
    const char *hint;
    int64_t count;
    VEC(int64_t) ids; /* the first ones */
};
struct gathering {
    struct arena *arena;
    struct map *by_text;
    VEC(struct family *) list;
    struct buf key;
    int64_t total;
};

static void gather(void *context, const struct trial_failure *f)
{
    struct gathering *g = context;
    struct str line = failure_line(f);
    buf_reset(&g->key);
    buf_addf(&g->key, "%d ", (int)f->state);
    failure_normal(&g->key, line, f->point);
    struct family *one = map_get(g->by_text, buf_str(&g->key));
    if (!one) {
        one = arena_new_of(g->arena, struct family);
        one->line = arena_str(g->arena, line);
        one->state = f->state;
        one->hint = failure_hint(f);
        map_set(g->by_text, buf_str(&g->key), one);
        vec_push(&g->list, one);
    }
    one->count++;
    g->total++;
    if (one->ids.len < JSON_IDS)
        vec_push(&one->ids, f->trial);
}

static int by_count(const void *a, const void *b)
{
    const struct family *x = *(struct family *const *)a;
    const struct family *y = *(struct family *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->ids.p[0] < y->ids.p[0] ? -1 : 1;
}

static void print_ids(struct buf *b, const struct family *f, size_t most)
{
    for (size_t i = 0; i < f->ids.len && i < most; i++)
        buf_addf(b, "%s%lld", i ? "," : "", (long long)f->ids.p[i]);
    if ((int64_t)most < f->count)
        buf_adds(b, ",…");
}

static void print_table(const struct call *c, const struct gathering *g,
                        size_t most)
{
    struct table *t = table_new();
    struct buf ids;
    buf_init(&ids);
    table_column(t, "count", true);
    table_column(t, "state", false);
    table_column(t, "trials", false);
    table_column(t, "message", false);
    table_whole(t);
    for (size_t i = 0; i < g->list.len && i < most; i++) {
        const struct family *f = g->list.p[i];
        buf_reset(&ids);
        print_ids(&ids, f, SHOWN_IDS);
        table_cell(t, "%lld", (long long)f->count);
        table_cell(t, "%s", state_name(f->state));
        table_cell(t, "%s", ids.p);
        table_cell(t, "%.*s", STRF(f->line));
        table_row(t);
    }
    table_print(t, c);
    table_free(t);
    buf_done(&ids);
}

/* Each hint once. On a terminal they stand below the table, also in a pager;
 * else on standard error: the table stays a table. */
static void print_hints(const struct call *c, const struct gathering *g,
                        size_t most)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < g->list.len && i < most; i++) {
        const struct family *f = g->list.p[i];
        bool said = !f->hint;
        for (size_t k = 0; k < i && !said; k++)
            said = g->list.p[k]->hint == f->hint;
        if (!said)
            buf_addf(&b, "%strial %lld: %s\n",
                     c->terminal ? "" : "throng: ", (long long)f->ids.p[0],
                     f->hint);
    }
    if (c->terminal && b.len)
        put(STR("\n"));
    if (c->terminal)
        put_report(c, buf_str(&b));
    else
        say("%s", b.p);
    buf_done(&b);
}

static void print_json(const struct call *c, const struct gathering *g,
                       const char *name, size_t most)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.errors/1\"");
    age_json(&b, c->as_of);
    buf_adds(&b, ",\"study\":");
    json_string(&b, str_of(name));
    buf_addf(&b, ",\"failures\":%lld,\"groups\":[", (long long)g->total);
    for (size_t i = 0; i < g->list.len && i < most; i++) {
        const struct family *f = g->list.p[i];
        buf_addf(&b, "%s{\"count\":%lld,\"state\":\"%s\",\"message\":",
                 i ? "," : "", (long long)f->count, state_name(f->state));
        json_string(&b, f->line);
        buf_addf(&b, ",\"example\":%lld,\"hint\":", (long long)f->ids.p[0]);
        if (f->hint)
            json_string(&b, str_of(f->hint));
        else
            buf_adds(&b, "null");
        buf_adds(&b, ",\"trials\":[");
        for (size_t k = 0; k < f->ids.len; k++)
            buf_addf(&b, "%s%lld", k ? "," : "", (long long)f->ids.p[k]);
        buf_adds(&b, "]}");
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static int show(struct call *c, struct store *store, const char *name)
{
    struct gathering g = {.arena = c->arena, .by_text = map_new()};
    int64_t most;
    buf_init(&g.key);
    int rc = call_int(c, "number", 20, &most);
    if (!rc)
        rc = store_failures(store, gather, &g, &c->err);
    if (!rc) {
        if (g.list.len)
            qsort(g.list.p, g.list.len, sizeof(*g.list.p), by_count);
        size_t shown = most ? (size_t)most : g.list.len;
        if (call_flag(c, "json"))
            print_json(c, &g, name, shown);
        else if (!g.list.len)
            say("throng errors: no trial has failed\n");
        else {
            print_table(c, &g, shown);
            print_hints(c, &g, shown);
        }
    }
    for (size_t i = 0; i < g.list.len; i++)
        vec_done(&g.list.p[i]->ids);
    vec_done(&g.list);
    map_free(g.by_text);
    buf_done(&g.key);
    return rc;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    int rc = show(c, store, where.name);
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

const struct verb verb_errors = {
    .name = "errors",
    .args = "[STUDY]",
    .summary = "Show failures, grouped by their message",
    .text = "Trials that failed, were invalid, timed out, were killed or "
            "diverged, the most\nfrequent message first. Messages that "
            "differ only in numbers, addresses, values\nof parameters or the "
            "folders of paths are one group; the message shown is\nthat of "
            "its first trial.\n"
            "`throng explain N` says more about one of them, `throng retry "
            "N` tries again.\n",
    .options =
        (const struct option_spec[]){
            {"number", 'n', "N", "groups to show (20; 0: all)"},
            {"json", 0, NULL, "for programs: schema throng.errors/1"},
            {0}},
    .run = run,
    .pages = true,
};
