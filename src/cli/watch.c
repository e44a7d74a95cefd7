/* watch.c - the verb that shows a study while it runs
 *
 * Off a terminal, or on one that can do nothing, it prints what it would
 * show, once. */
#include "watch/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/campaign.h"
#include "cli/cli.h"

static bool can_full_screen(const struct call *c)
{
    const char *term = getenv("TERM");
    return c->terminal && isatty(STDIN_FILENO) && term && *term &&
           strcmp(term, "dumb") && !call_flag(c, "once");
}

/* A study file whose study has not begun can be waited for. */
static int locate(struct call *c, bool wait, struct place_of_study *where)
{
    const char *what = c->arg_count ? c->args[0] : NULL;
    if (!locate_study(c->arena, what, where, &c->err))
        return 0;
    return wait && what && where->folder && c->err.kind == ERR_MISSING ? 0 : -1;
}

static int print_once(struct call *c, const struct watch_setup *setup)
{
    struct buf b;
    buf_init(&b);
    int rc = watch_print(setup, c->columns, &b, &c->err);
    if (!rc)
        put(buf_str(&b));
    buf_done(&b);
    return rc;
}

static bool campaign_is_there(const struct place_of_study *where)
{
    struct store *store = store_open(where->folder, false, NULL);
    bool is = store && store_is_campaign(store);
    store_close(store);
    return is;
}

/* *live: somebody runs it. */
static int show_campaign(struct call *c, const struct place_of_study *where,
                         bool full, bool *live)
{
    struct arena *a = arena_new();
    struct campaign_standing s;
    struct buf b;
    struct store *store = store_open(where->folder, false, &c->err);
    int rc = store ? campaign_read(&s, store, where, a, &c->err) : -1;
    buf_init(&b);
    if (!rc) {
        campaign_print(&b, &s);
        if (full)
            put_painted(STR("\033[H\033[2J"));
        put_report(c, buf_str(&b));
        fflush(stdout);
        *live = s.lease.live;
    }
    buf_done(&b);
    store_close(store);
    arena_free(a);
    return rc;
}

/* The tree of its stages, again and again as long as it runs. */
static int watch_campaign(struct call *c, const struct place_of_study *where,
                          bool full)
{
    bool live = false;
    int rc = show_campaign(c, where, full, &live);
    while (!rc && full && live) {
        clock_pause_ms(1000);
        rc = show_campaign(c, where, full, &live);
    }
    return rc;
}

static int watch(struct call *c, struct watch_setup *setup)
{
    struct place_of_study where = {0};
    bool full = can_full_screen(c), taken = false;
    if (locate(c, full, &where))
        return -1;
    if (campaign_is_there(&where))
        return watch_campaign(c, &where, full);
    setup->folder = where.folder;
    setup->study = where.name;
    if (full && watch_on_terminal(setup, &taken, &c->err))
        return -1;
    return taken ? 0 : print_once(c, setup);
}

static int run(struct call *c)
{
    struct watch_setup setup = {.curves = call_option(c, "curves"),
                                .colour = c->colour};
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    if (setup.curves && !str_among(str_of(setup.curves), watch_curves))
        return call_usage(c, "--curves is braille, blocks or ascii, not `%s`",
                          setup.curves);
    return watch(c, &setup) ? call_fail(c) : EXIT_OK;
}

VERB(watch) = {
    .name = "watch",
    .args = "[STUDY]",
    .summary = "Show a study on the full screen while it runs",
    .text =
        "How far it is, the best trials, those that run, those that failed, "
        "and curves\nof the best so far and of the chosen trial. It only "
        "reads: quitting (q or\nCtrl-C) never stops the study, and it works "
        "for one that runs in the background\n(run --detach), on another "
        "machine, has ended, or begins later. ? lists the\nkeys. Off a "
        "terminal, and where TERM is dumb, it prints once what it would "
        "show.\n",
    .options =
        (const struct option_spec[]){
            {"curves", 0, "KIND", "draw with braille, blocks or ascii"},
            {"once", '1', NULL, "print once, on a terminal too"},
            {0}},
    .run = run,
};
