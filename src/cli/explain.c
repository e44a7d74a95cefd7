/* explain.c - why a trial waits, runs or failed */
#include "cli/cli.h"

static int run(struct call *c)
{
    struct place_of_study where;
    struct buf b;
    bool json = call_flag(c, "json");
    struct store *store = open_named_study(c, true, &where);
    if (!store)
        return call_fail(c);
    buf_init(&b);
    int rc =
        explain_print(&b, store, &where, c->arg_count ? c->args[0] : "last",
                      json, c->arena, &c->err);
    if (!rc && json)
        put(buf_str(&b));
    else if (!rc)
        put_report(c, buf_str(&b));
    buf_done(&b);
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(explain) = {
    .name = "explain",
    .args = "[STUDY] [TRIALS]",
    .summary = "Say why a trial waits, or why it failed",
    .text = "Waiting: a retry's delay, no room, the study is stopping or does "
            "not run.\nFailed: the reason, its last lines, and what may "
            "help. On a cluster: its job,\nwhat the scheduler says of it, and "
            "what was submitted. Without TRIALS: the last\none.\n",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "for programs: schema throng.explain/1"}, {0}},
    .run = run,
    .pages = true,
};
