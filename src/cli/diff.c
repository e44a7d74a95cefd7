/* diff.c - in what trials differ */
#include "cli/cli.h"

static void print_table(const struct call *c, const struct comparison *k)
{
    struct table *t = table_new();
    table_column(t, "", false);
    for (size_t i = 0; i < k->count; i++)
        table_column(
            t, arena_printf(c->arena, "trial %lld", (long long)k->trials[i]),
            true);
    for (size_t n = 0; n < k->lines.len; n++) {
        table_cell(t, "%.*s", STRF(k->lines.p[n].name));
        for (size_t i = 0; i < k->count; i++) {
            struct str text = str_of(k->lines.p[n].cells[i]);
            if (text.len > 1 && text.p[0] == '"')
                text = str_n(text.p + 1, text.len - 2);
            table_cell(t, "%.*s", STRF(text));
        }
        table_row(t);
    }
    table_print(t, c);
    table_free(t);
}

static void print_json(const struct comparison *k, const char *study,
                       double as_of)
{
    struct buf b;
    buf_init(&b);
    comparison_json(&b, k, study, as_of);
    put(buf_str(&b));
    buf_done(&b);
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct comparison k;
    const char *what = NULL;
    if (c->arg_count && (store_selector_check(c->args[0], NULL) ||
                         (c->arg_count > 2 && names_study(c->args[0])))) {
        what = c->args[0];
        c->args++;
        c->arg_count--;
    }
    if (c->arg_count < 1 || c->arg_count > COMPARISON_MAX)
        return call_usage(c, "name two trials (%d at most)", COMPARISON_MAX);
    struct store *store = locate_study(c->arena, what, &where, &c->err)
                              ? NULL
                              : store_open(where.folder, false, &c->err);
    if (!store)
        return call_fail(c);
    say_age(store_as_of(store));
    if (!what)
        say_study_used_last(c, &where);
    int rc = comparison_read(&k, store, c->args, c->arg_count,
                             call_flag(c, "all"), c->arena, &c->err);
    if (!rc && call_flag(c, "json"))
        print_json(&k, where.name, store_as_of(store));
    else if (!rc && k.lines.len)
        print_table(c, &k);
    else if (!rc)
        say("throng diff: they do not differ\n");
    comparison_done(&k);
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(diff) = {
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
