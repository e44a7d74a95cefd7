/* importance.c - which parameters matter, and where they are good */
#include "cli/cli.h"

struct asking {
    struct call *call;
    const char *study;
    struct inquiry answer;
    struct buf out;
};

/* ---- the verb --------------------------------------------------------- */

static int choose_method(struct asking *q)
{
    const char *said = call_option(q->call, "method");
    q->answer.method = "ped-anova";
    if (!said || !strcmp(said, "ped-anova") || !strcmp(said, "ped"))
        return 0;
    q->answer.method = "fanova";
    if (!strcmp(said, "fanova"))
        return 0;
    return err_set(&q->call->err, ERR_USAGE,
                   "--method takes ped-anova or fanova, not `%s`", said);
}

/* *other: the metric is not the one that ranks. */
static int choose_metric(struct asking *q, struct store *store, bool *other)
{
    struct call *c = q->call;
    struct study_goal goal;
    const char *by = call_option(c, "by");
    if (study_goal_read(store, c->arena, &goal, &c->err))
        return -1;
    if (!by && !goal.name.len)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric; use --by NAME");
    q->answer.metric = by ? str_of(by) : goal.name;
    q->answer.minimize =
        by ? goal_minimizes(&goal.all, q->answer.metric) : goal.minimize;
    *other = by && !str_eq(q->answer.metric, goal.name);
    return by ? metric_check(store, by, c->arena, &c->err) : 0;
}

static int answer(struct asking *q, struct store *store)
{
    struct call *c = q->call;
    bool other = false;
    if (choose_method(q) || choose_metric(q, store, &other) ||
        inquiry_read(&q->answer, store, other, c->arena, &c->err))
        return -1;
    if (call_flag(c, "json"))
        inquiry_json(&q->out, &q->answer, q->study, c->as_of);
    else
        inquiry_print(&q->out, &q->answer, q->study);
    put(buf_str(&q->out));
    return 0;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    struct asking q = {.call = c, .study = where.name};
    buf_init(&q.out);
    int code = answer(&q, store) ? call_fail(c) : EXIT_OK;
    inquiry_done(&q.answer);
    buf_done(&q.out);
    store_close(store);
    return code;
}

VERB(importance) = {
    .name = "importance",
    .args = "[STUDY]",
    .summary = "Say which parameters matter, and where they are good",
    .text =
        "How much each parameter decides (PED-ANOVA: how the best tenth of "
        "the results\ndiffers from all; fanova: the part of the variance that "
        "it explains alone), what\na random forest expects of each part of "
        "its range, and which parts are good or\nbad.\n",
    .options =
        (const struct option_spec[]){
            {"method", 0, "M", "ped-anova (default) or fanova"},
            {"by", 0, "METRIC", "instead of the study's own metric"},
            {"json", 0, NULL, "for programs: schema throng.importance/1"},
            {0}},
    .run = run,
    .pages = true,
};
