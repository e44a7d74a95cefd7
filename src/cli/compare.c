/* compare.c - are these sets of trials different, or is it chance? */
#include "cli/cli.h"

static void print(const struct call *c, const struct compare *k)
{
    struct tabled l;
    struct buf b;
    buf_init(&b);
    tabled_init(&l, c->arena);
    if (call_flag(c, "json")) {
        compare_json(&b, k, c->as_of);
        put(buf_str(&b));
    } else {
        compare_table(k, &l);
        put_tabled(c, &l);
        compare_words(&b, k);
        say("%s", b.p);
    }
    tabled_done(&l);
    buf_done(&b);
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct compare k = {0};
    size_t arms = 0;
    while (arms < c->arg_count && strchr(c->args[c->arg_count - 1 - arms], '='))
        arms++;
    c->arg_count -= arms;
    if (!arms && c->arg_count > 1)
        return call_usage(c, "sets of trials are written as NAME=VALUE; in "
                             "what single trials differ is `throng diff 3 7`");
    struct compare_asked asked = {
        .paired = {.arms = c->args + c->arg_count,
                   .arm_count = arms,
                   .over = call_option(c, "over"),
                   .where = call_option(c, "where"),
                   .by = call_option(c, "by"),
                   .dataset = call_option(c, "datasets")}};
    if (compare_ratio(call_option(c, "ratio"), &asked.ratio, &c->err))
        return call_fail(c);
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    struct plan *plan =
        study_stored_plan(store, where.home, where.name, c->arena, &c->err);
    int rc = !plan || compare_ablation(&asked, plan, c->arena, &c->err) ||
             compare_read(&k, store, plan, &asked, c->arena, &c->err);
    if (!rc)
        print(c, &k);
    compare_done(&k);
    plan_close(plan);
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(compare) = {
    .name = "compare",
    .args = "[STUDY] [NAME=VALUE NAME=VALUE …]",
    .summary = "Test whether sets of trials differ by more than chance",
    .text = "Each NAME=VALUE is a set of trials (several names joined by "
            "commas); --over says\nin what they are paired.\n\n    throng "
            "compare ensemble --over fold template=3 template=7\n\nOver folds "
            "by the corrected resampled t test, which knows that folds share "
            "rows;\nover data sets by Wilcoxon's signed ranks, of six or more. "
            "What else varies\n(bootstraps) is averaged first. Of more than "
            "two sets each is compared\nwith each, and p adjusted as Holm "
            "does. Of a study of method ablate, without\nsets: every change "
            "with the baseline.\n",
    .options =
        (const struct option_spec[]){
            {"over", 0, "NAMES", "parameters that pair trials: fold,dataset"},
            {"by", 0, "NAME", "another metric than the study's"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {"ratio", 0, "R", "rows that judge for each that trains: 1/4"},
            {"datasets", 0, "NAME", "the parameter that says which data set"},
            {"json", 0, NULL, "for programs: schema throng.compare/1"},
            {0}},
    .run = run,
    .pages = true,
};
