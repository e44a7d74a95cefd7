/* status.c - how a study stands */
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/job_conductor.h"

static void print_json(const struct call *c, const struct standing *s,
                       const struct place_of_study *where)
{
    struct buf b;
    buf_init(&b);
    standing_json(&b, s, where, c->arena, c->as_of);
    put(buf_str(&b));
    buf_done(&b);
}

static void print_text(struct call *c, const struct standing *s,
                       const struct place_of_study *where)
{
    struct buf now, b;
    buf_init(&now);
    buf_init(&b);
    if (!s->lease.live)
        job_conductor_waits(c, where, &now);
    standing_print(&b, s, where, now.p, c->terminal, c->arena);
    put_report(c, buf_str(&b));
    buf_done(&b);
    buf_done(&now);
}

static void print_diff(const struct call *c, const struct standing *s)
{
    if (!s->code.commit.len)
        say("throng status: the study was not begun in a git repository\n");
    else if (!s->code.diff.len)
        say("throng status: nothing was changed since the commit %.*s\n",
            STRF(s->code.commit));
    else
        put_data(c,
                 str_of(arena_printf(c->arena, "%.*s\n", STRF(s->code.diff))));
}

static void print_merits(const struct call *c, const struct merits *k)
{
    struct tabled l, epochs;
    struct buf b;
    buf_init(&b);
    tabled_init(&l, c->arena);
    tabled_init(&epochs, c->arena);
    if (call_flag(c, "json")) {
        merits_json(&b, k, c->as_of);
        put(buf_str(&b));
    } else {
        merits_table(k, &l);
        merits_epochs(k, &epochs);
        put_tabled(c, &l);
        put_tabled(c, &epochs);
        merits_words(&b, k);
        put_report(c, buf_str(&b));
    }
    tabled_done(&l);
    tabled_done(&epochs);
    buf_done(&b);
}

static int show_merit(struct call *c, struct store *store,
                      const struct place_of_study *where)
{
    const char *other = call_option(c, "against");
    struct merits k;
    int rc = merits_read(&k, store, where, c->arena, &c->err);
    if (!rc && other)
        rc = merits_against(&k, other, c->arena, &c->err);
    if (!rc)
        print_merits(c, &k);
    merits_done(&k);
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct standing s;
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    int code = EXIT_OK;
    if (call_flag(c, "merit") || call_option(c, "against"))
        return show_merit(c, store, &where);
    if (store_is_campaign(store)) {
        code = campaign_status(c, store, &where);
        store_close(store);
        return code;
    }
    if (standing_read(&s, store, c->arena, &c->err) ||
        standing_read_results(&s, store, c->arena, &c->err))
        code = call_fail(c);
    else if (call_flag(c, "diff"))
        print_diff(c, &s);
    else if (call_flag(c, "json"))
        print_json(c, &s, &where);
    else
        print_text(c, &s, &where);
    standing_done(&s);
    store_close(store);
    return code;
}

VERB(status) = {
    .name = "status",
    .args = "[STUDY]",
    .summary = "Say how a study stands",
    .text =
        "How many trials are in which state, who runs it, the best trial so "
        "far, and the\ncommit of the code that it was begun with; --diff "
        "prints what was changed and\nnot committed then. Of a campaign: its "
        "stages, as a tree. --merit says how much\nwork is done in a day, of "
        "a campaign by the harmonic mean over its stages.\n",
    .options =
        (const struct option_spec[]){
            {"diff", 0, NULL, "what the code had beyond its commit"},
            {"merit", 0, NULL, "models and units a day, t_epoch, FLOP/s"},
            {"against", 0, "OTHER", "… and its ratio to another's"},
            {"json", 0, NULL, "for programs: schema throng.status/1"},
            {0}},
    .run = run,
};
