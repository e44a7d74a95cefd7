/* errors.c - failures, grouped by what they say */
#include "cli/cli.h"

#define SHOWN_IDS 5

static void print_ids(struct buf *b, const struct error_group *f, size_t most)
{
    for (size_t i = 0; i < f->ids.len && i < most; i++)
        buf_addf(b, "%s%lld", i ? "," : "", (long long)f->ids.p[i]);
    if ((int64_t)most < f->count)
        buf_adds(b, ",…");
}

static void print_table(const struct call *c, const struct errors *e,
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
    for (size_t i = 0; i < e->groups.len && i < most; i++) {
        const struct error_group *f = e->groups.p[i];
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
static void print_hints(const struct call *c, const struct errors *e,
                        size_t most)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < e->groups.len && i < most; i++) {
        const struct error_group *f = e->groups.p[i];
        bool said = !f->hint;
        for (size_t k = 0; k < i && !said; k++)
            said = e->groups.p[k]->hint == f->hint;
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

static int show(struct call *c, struct store *store, const char *name)
{
    struct errors e = {0};
    struct buf b;
    int64_t most;
    if (call_int(c, "number", 20, &most))
        return -1;
    int rc = errors_read(&e, store, c->arena, &c->err);
    size_t shown = most ? (size_t)most : e.groups.len;
    if (!rc && call_flag(c, "json")) {
        buf_init(&b);
        errors_json(&b, &e, shown, name, c->as_of);
        put(buf_str(&b));
        buf_done(&b);
    } else if (!rc && !e.groups.len) {
        say("throng errors: no trial has failed\n");
    } else if (!rc) {
        print_table(c, &e, shown);
        print_hints(c, &e, shown);
    }
    errors_done(&e);
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

VERB(errors) = {
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
