/* dry_run.c - what `throng run` would run */
#include "cli/dry_run.h"

#include "base/json.h"
#include "search/search.h"
#include "study/study.h"

#define SHOWN 20

struct rehearsal {
    struct call *call;
    const struct plan *plan;
    struct table *table;
    int64_t shown;
    int64_t version; /* of the search that made what is stored; 0: none */
};

/* A row is a line. A line feed can only stand within single quotes, which are
 * left for it: so the line can still be pasted into a shell. */
static const char *one_line(struct arena *a, struct str text)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '\n')
            buf_adds(&b, "'$'\\n''");
        else
            buf_addc(&b, text.p[i]);
    }
    const char *line = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return line;
}

static int add_row(struct rehearsal *r, int64_t id, const char *state,
                   const struct value *point)
{
    struct call *c = r->call;
    const struct arg *argv;
    size_t argc;
    struct buf b;
    if (plan_command(r->plan, point, c->arena, &argv, &argc, &c->err))
        return err_wrap(&c->err, "trial %lld", (long long)id);
    buf_init(&b);
    preview_task(&b, r->plan, argv, argc);
    table_cell(r->table, "%lld", (long long)id);
    table_cell(r->table, "%s", state);
    table_cell(r->table, "%s", one_line(c->arena, buf_str(&b)));
    buf_reset(&b);
    json_print(&b, point);
    table_cell(r->table, "%s", b.p);
    table_row(r->table);
    buf_done(&b);
    r->shown++;
    return 0;
}

/* What an earlier run left. */
static int add_stored(struct rehearsal *r, struct store *store)
{
    struct call *c = r->call;
    struct query q = {.selector = "waiting,running,paused", .limit = SHOWN};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = -1;
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0) {
        struct value *point =
            json_parse(c->arena, t.point, "point", true, &c->err);
        if (!point || add_row(r, t.id, "goes on", point)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    return got;
}

static int add_new(struct rehearsal *r, int64_t id, int64_t k, int64_t count,
                   int64_t *total)
{
    struct call *c = r->call;
    struct point_source points;
    struct search *search =
        plan_search(r->plan, r->version, &points, c->arena, &c->err);
    if (!search)
        return -1;
    int rc = 0;
    *total = search_total(search);
    if (!search_foresees(search) && k > 1) {
        say("throng: method %.*s chooses new points when it knows "
            "more results\n",
            STRF(r->plan->method));
        count = 0;
    }
    for (int64_t i = 0; !rc && i < count; i++) {
        struct suggestion s = {0};
        enum search_answer got =
            search_ask(search, k + i, c->arena, &s, &c->err);
        if (got != SEARCH_HERE) {
            rc = got == SEARCH_ERROR ? -1 : 0;
            break;
        }
        rc = add_row(r, id + i, "new", s.point);
    }
    search_free(search);
    return rc;
}

static void say_rest(int64_t total, int64_t next, int64_t count, bool limited)
{
    int64_t left = total - (next - 1) - count;
    if (limited)
        return;
    if (total < 0)
        say("throng: and so on without end (run_cap, or --count N)\n");
    else if (left > 0)
        say("throng: and %lld more; --count N shows N of them\n",
            (long long)left);
}

int dry_run(struct call *c, const struct plan *plan, const char *folder,
            int64_t count)
{
    static const char *const titles[] = {"trial", "state", "command",
                                         "parameters"};
    struct rehearsal r = {.call = c, .plan = plan, .table = table_new()};
    int64_t id = 1, k = 1, total = -1;
    int64_t most = count ? count : SHOWN;
    struct err missing = {0};
    for (size_t i = 0; i < 4; i++)
        table_column(r.table, titles[i], i == 0);
    struct store *store = store_open(folder, false, &missing);
    int rc = 0;
    if (store) {
        rc = study_next(store, &id, &k, &c->err) ||
             study_search_version(store, &r.version, &c->err);
        if (!rc)
            rc = add_stored(&r, store);
    } else if (missing.kind != ERR_MISSING) {
        rc = err_set(&c->err, missing.kind, "%s", missing.text);
    }
    store_close(store);
    if (!rc)
        rc = add_new(&r, id, k, most, &total);
    if (!rc && r.shown)
        table_print(r.table, c);
    if (!rc && !r.shown)
        say("throng: nothing is left to do\n");
    if (!rc)
        say_rest(total, k, most, count > 0);
    table_free(r.table);
    return rc;
}
