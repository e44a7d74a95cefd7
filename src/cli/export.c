/* export.c - trials, for other programs */
#include "cli/cli.h"

/* A filter may leave nothing over; trials that were named must be there. */
static int check_selector(struct call *c, struct store *store,
                          const char *selector)
{
    struct query q = {.selector = selector, .limit = 1};
    struct trial t;
    if (!c->arg_count || !strcmp(selector, "all"))
        return 0;
    struct rows *rows = store_rows(store, &q, &c->err);
    int got = rows ? rows_next(rows, &t, &c->err) : -1;
    rows_close(rows);
    if (got == 0)
        return no_such_trials(store, selector, c->arena, &c->err);
    return got < 0 ? -1 : 0;
}

static void put_csv(void *context, struct str text)
{
    put_data(context, text);
}

/* JSON writes control characters as letters of its own. */
static void put_json(void *context, struct str text)
{
    (void)context;
    put(text);
}

static int copy_files(struct call *c, struct store *store,
                      const struct query *q, const char *folder)
{
    int64_t copied;
    if (export_files(store, q, folder, &copied, &c->err))
        return -1;
    say("throng export: the files of %lld trial%s are in %s\n",
        (long long)copied, copied == 1 ? "" : "s", folder);
    return 0;
}

static int export_all(struct call *c, struct store *store, const char *files)
{
    struct query q = {.selector = c->arg_count ? c->args[0] : "all",
                      .where = call_option(c, "where"),
                      .with_texts = true};
    bool csv = !call_flag(c, "jsonl");
    if (names_check_filter(store, q.where, c->arena, &c->err) ||
        check_selector(c, store, q.selector))
        return -1;
    if (files)
        return copy_files(c, store, &q, files);
    int (*export)(struct store *, const struct query *, bool, view_put_fn *,
                  void *, struct err *) =
        call_flag(c, "attempts")  ? export_attempts
        : call_flag(c, "history") ? export_history
                                  : export_trials;
    return export(store, &q, csv, csv ? put_csv : put_json, c, &c->err);
}

static int run(struct call *c)
{
    struct place_of_study where;
    const char *files = call_option(c, "files");
    int forms = call_flag(c, "csv") + call_flag(c, "jsonl") + (files != NULL);
    if (call_flag(c, "history") && files)
        return call_usage(c, "--history goes with --csv or --jsonl");
    if (call_flag(c, "attempts") && !call_flag(c, "history"))
        return call_usage(c, "--attempts goes with --history");
    if (forms > 1)
        return call_usage(c, "choose one of --csv, --jsonl and --files");
    struct store *store = open_named_study(c, true, &where);
    if (!store)
        return call_fail(c);
    int code = export_all(c, store, files) ? call_fail(c) : EXIT_OK;
    store_close(store);
    return code;
}

VERB(export) = {
    .name = "export",
    .args = "[STUDY] [TRIALS]",
    .summary = "Write trials for other programs",
    .text = "As CSV, or with --jsonl one trial a line: id, state, value, "
            "params, metrics\n(last and best of each), attempts, seconds, "
            "tags, note.\n--history gives every point of every metric "
            "instead: trial, step, time, metric\nand value, as CSV or with "
            "--jsonl as JSON lines; time is when it reached the\nstudy. With "
            "--attempts also those that do not count, each with its "
            "attempt.\n--files copies what trials wrote (log, output, "
            "checkpoint) to "
            "DIR/TRIAL, also\nwhere a large study has packed it.\n",
    .options =
        (const struct option_spec[]){
            {"csv", 0, NULL, "comma separated, with a header (default)"},
            {"jsonl", 0, NULL, "one JSON object a line"},
            {"history", 0, NULL, "the learning curves, a point a line"},
            {"attempts", 0, NULL, "with --history: of every attempt"},
            {"files", 0, "DIR", "the files of trials, each in a folder"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {0}},
    .run = run,
    .pages = true,
};
