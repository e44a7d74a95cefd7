/* retry_rerun.c - retry: bad trials wait again; rerun: a point as a new trial
 */
#include "cli/change.h"
#include "view/view.h"

/* ---- retry ------------------------------------------------------------ */

static int count_bad(struct call *c, struct store *store, int64_t *bad)
{
    struct query q = {.selector = c->args[0]};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = -1;
    *bad = 0;
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0)
        *bad += state_bad(t.state);
    rows_close(rows);
    return got;
}

static void say_run(struct call *c, const struct place_of_study *where,
                    enum acted acted)
{
    if (acted == ACT_DONE)
        say("throng: nobody runs %s now; `%s` goes on with it\n", where->name,
            resume_command(c->arena, where));
    else if (acted == ACT_ASKED)
        say("throng: " ACT_NO_ANSWER "\n");
}

static int run_retry(struct call *c)
{
    struct place_of_study where;
    int64_t count, bad = 0;
    struct request_answer answer;
    struct store *store = open_for_trials(c, &where, &count);
    if (!store)
        return call_fail(c);
    int rc = count_bad(c, store, &bad);
    store_close(store);
    if (rc)
        return call_fail(c);
    if (!bad) {
        say("throng retry: no trial of `%s` in %s failed; `throng rerun` "
            "makes new trials of the same points\n",
            c->args[0], where.name);
        return EXIT_ERROR;
    }
    enum acted acted = act(c, &where, "retry", c->args[0], NULL, &answer);
    if (acted == ACT_FAILED)
        return call_fail(c);
    say("throng retry: %lld trial%s of %s wait%s again", (long long)bad,
        bad == 1 ? "" : "s", where.name, bad == 1 ? "s" : "");
    if (bad < count)
        say("; %lld of those named did not fail and stay as they "
            "are",
            (long long)(count - bad));
    say("\n");
    say_run(c, &where, acted);
    return EXIT_OK;
}

VERB(retry) = {
    .name = "retry",
    .args = "[STUDY] TRIALS",
    .summary = "Try trials again that failed",
    .text = "Trials that failed, were invalid, timed out, were killed or "
            "diverged wait again,\nwith all their retries and their last "
            "checkpoint. A running study takes them up\nat once; else the "
            "next `throng run` does. Trials that did not fail stay as they\n"
            "are.\n\n    throng retry failed\n    throng retry mine 7,12-15\n",
    .options = (const struct option_spec[]){{0}},
    .run = run_retry,
};

/* ---- rerun ------------------------------------------------------------ */

static int run_rerun(struct call *c)
{
    struct place_of_study where;
    struct request_answer answer;
    int64_t count, times;
    struct store *store = open_for_trials(c, &where, &count);
    if (!store)
        return call_fail(c);
    store_close(store);
    if (call_int(c, "times", 1, &times))
        return call_fail(c);
    if (!times || times > STUDY_TIMES_MAX)
        return call_usage(c, "--times takes a number from 1 to %d",
                          STUDY_TIMES_MAX);
    struct value *args = value_object(c->arena);
    value_set(c->arena, args, STR("times"), value_int(c->arena, times));
    enum acted acted = act(c, &where, "rerun", c->args[0], args, &answer);
    if (acted == ACT_FAILED)
        return call_fail(c);
    int64_t made = acted == ACT_ASKED ? count * times : answer.changed;
    if (answer.first && made == 1)
        say("throng rerun: trial %lld of %s waits\n", (long long)answer.first,
            where.name);
    else
        say("throng rerun: %lld new trial%s of %s wait%s\n", (long long)made,
            made == 1 ? "" : "s", where.name, made == 1 ? "s" : "");
    say_run(c, &where, acted);
    return EXIT_OK;
}

VERB(rerun) = {
    .name = "rerun",
    .args = "[STUDY] TRIALS",
    .summary = "Run the same points again, as new trials",
    .text = "Each trial's parameters become a new trial with a seed of its "
            "own; the old one\nstays. `throng rank --over seed` counts them "
            "as repeats of the same point. To\ntry a failed trial again, use "
            "`throng retry`.\n\n    throng rerun best:3 --times 5\n",
    .options = (const struct option_spec[]){{"times", 0, "N",
                                             "new trials of each (1)"},
                                            {0}},
    .run = run_rerun,
};
