/* ls.c - the studies that are here */
#include "base/num.h"
#include "cli/cli.h"

/* ---- printing --------------------------------------------------------- */

static void print_best(struct buf *b, const struct study_entry *e)
{
    if (!e->now.best.id)
        return;
    buf_addf(b, "%.*s=", STRF(e->now.goal.name));
    num_print_short(b, e->now.best.value, 5);
    buf_addf(b, " (trial %lld)", (long long)e->now.best.id);
}

static void print_state(struct buf *b, const struct study_entry *e)
{
    if (e->now.jobs_out == 1)
        buf_adds(b, "1 job out");
    else if (e->now.jobs_out)
        buf_addf(b, "%llu jobs out", (unsigned long long)e->now.jobs_out);
    else
        buf_adds(b, study_entry_state(e));
    if (e->as_of > 0)
        buf_adds(b, ", ");
    age_print(b, e->as_of);
}

static void print_entry(struct table *t, const struct study_entry *e,
                        bool where)
{
    struct buf b;
    buf_init(&b);
    table_cell(t, "%s%s", e->is_stage ? "  " : "", e->name);
    print_state(&b, e);
    table_cell(t, "%s", b.p);
    buf_reset(&b);
    if (e->fault)
        table_cell(t, "%s", "");
    else if (e->campaign)
        table_cell(t, "%zu/%zu stages", e->stages_done, e->stages);
    else if (e->now.total >= 0)
        table_cell(t, "%lld/%lld", (long long)e->now.finished,
                   (long long)e->now.total);
    else
        table_cell(t, "%lld", (long long)e->now.finished);
    table_cell(t, "%lld", (long long)e->now.bad);
    print_best(&b, e);
    table_cell(t, "%s", b.p);
    buf_reset(&b);
    if (e->changed > 0)
        clock_print(&b, e->changed, false);
    else
        buf_addc(&b, '-'); /* it may not be looked at, or is none yet */
    table_cell(t, "%s", b.p);
    if (where)
        table_cell(t, "%s", e->folder);
    table_row(t);
    buf_done(&b);
}

/* ---- the verb --------------------------------------------------------- */

static void list_json(struct call *c, const struct studies *s)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.ls/1\",\"studies\":[");
    for (size_t i = 0; i < s->list.len; i++) {
        if (i)
            buf_addc(&b, ',');
        study_entry_json(&b, studies_read(s, i, c->arena));
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static void list_text(struct call *c, const struct studies *s)
{
    static const char *const titles[] = {"study", "state",   "trials", "failed",
                                         "best",  "changed", "folder"};
    struct table *t = table_new();
    bool descend = call_flag(c, "recursive");
    for (size_t i = 0; i < (descend ? 7 : 6); i++)
        table_column(t, titles[i], i == 2 || i == 3);
    if (descend)
        table_whole(t);
    for (size_t i = 0; i < s->list.len; i++) {
        struct study_entry *e = studies_read(s, i, c->arena);
        print_entry(t, e, descend);
        if (e->fault)
            say("throng ls: %s: %s\n", e->name, e->fault);
    }
    if (s->list.len)
        table_print(t, c);
    else if (descend)
        say("throng ls: there is no study here, nor in the folders below\n");
    else
        say("throng ls: there is no study here yet; `throng init` writes "
            "one to begin with, `throng ls -r` looks into the folders below\n");
    table_free(t);
}

static void say_closed(const struct err *why)
{
    say("throng ls: %s\n", why->text);
}

static int run(struct call *c)
{
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    const char *here = c->arg_count ? c->args[0] : ".";
    if (!file_is_dir(here)) {
        if (file_exists(here))
            err_set(&c->err, ERR_MISSING,
                    "%s is no folder; `throng status %s` says how its study "
                    "stands",
                    here, here);
        else
            err_set(&c->err, ERR_MISSING, "there is no folder %s", here);
        return call_fail(c);
    }
    struct studies s;
    int rc = studies_find(&s, here, call_flag(c, "recursive"), say_closed,
                          c->arena, &c->err);
    if (!rc)
        (call_flag(c, "json") ? list_json : list_text)(c, &s);
    studies_done(&s);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(ls) = {
    .name = "ls",
    .args = "[FOLDER]",
    .summary = "List the studies that are here",
    .text =
        "Each with its state, how many of its trials are finished and "
        "failed, and its\nbest trial. `broken off`: whoever ran it ended "
        "without a word; `throng run` goes\non. `jobs out`: nobody runs it, "
        "and jobs of it go on at a scheduler;\n`throng run` collects what they "
        "do, `throng kill` cancels them. With -r also\nthose in the folders "
        "below, eight deep, and where each lies; links and hidden\nfolders are "
        "passed over. The stages of a campaign stand below it.\n",
    .options =
        (const struct option_spec[]){
            {"recursive", 'r', NULL, "look into the folders below, too"},
            {"json", 0, NULL, "for programs: schema throng.ls/1"},
            {0}},
    .run = run,
    .pages = true,
};
