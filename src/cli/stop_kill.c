/* stop_kill.c - stop and kill: of a whole study, or of some trials */
#include "cli/cancel.h"
#include "cli/change.h"
#include "engine/engine.h"
#include "study/study.h"
#include "view/view.h"

/* With nobody running: what becomes of those that cannot be ended now. A job
 * hears of it from a conductor alone. */
static void say_wished(const char *verb, const char *folder,
                       const struct request_answer *answer, struct arena *a)
{
    bool one = answer->wished == 1;
    say("throng %s: %lld trial%s ended; %lld ", verb,
        (long long)answer->changed, answer->changed == 1 ? "" : "s",
        (long long)answer->wished);
    if (study_jobs_out(folder, a))
        say("%s in jobs that go on, and hear%s of it from the next run\n",
            one ? "is" : "are", one ? "s" : "");
    else
        say("%s cut off while running, and end%s with the next run\n",
            one ? "was" : "were", one ? "s" : "");
}

/* Of some trials. `late` is said where what is asked is heard later. */
static int end_trials(struct call *c, const struct place_of_study *where,
                      const char *selector, const char *late)
{
    const char *verb = c->verb->name;
    struct request_answer answer;
    enum acted acted = act(c, where, verb, selector, NULL, &answer);
    if (acted == ACT_FAILED)
        return -1;
    if (acted == ACT_DONE && answer.wished)
        say_wished(verb, where->folder, &answer, c->arena);
    else if (acted == ACT_DONE)
        say("throng %s: %lld trial%s ended%s\n", verb,
            (long long)answer.changed, answer.changed == 1 ? "" : "s",
            answer.changed ? "" : ": all of them had ended before");
    else
        say("throng %s: asked the study %s to %s trial%s %s%s%s\n", verb,
            where->name, verb,
            selector[strspn(selector, "0123456789")] ? "s" : "", selector,
            acted == ACT_ASKED ? "; " ACT_NO_ANSWER : "", late);
    return 0;
}

/* Of the study itself: nothing could be refused. */
static int end_study(struct call *c, const struct place_of_study *where,
                     const char *verb)
{
    if (store_request_put(where->folder, verb, "", NULL, &c->err))
        return -1;
    say("throng %s: asked the study %s to end%s\n", verb, where->name,
        strcmp(verb, "stop") ? " at once" : " when its running trials have");
    return 0;
}

/* The trials that a selector names. */
struct named {
    int64_t count, open; /* open: not ended */
    int64_t first;       /* one of them … */
    enum state state;    /* … and its state */
};

/* ERR_MISSING when it names no trial at all. */
static int read_named(struct call *c, struct store *store, const char *selector,
                      struct named *n)
{
    struct query q = {.selector = selector, .results = true};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, &c->err)) > 0) {
        if (!n->count++) {
            n->first = t.id;
            n->state = t.state;
        }
        n->open += !state_final(t.state);
    }
    rows_close(rows);
    if (!got && !n->count)
        return no_such_trials(store, selector, c->arena, &c->err);
    return got;
}

/* There is nothing to ask for. */
static void say_ended(const char *verb, const struct named *n)
{
    if (n->count == 1)
        say("throng %s: trial %lld has ended already (%s)\n", verb,
            (long long)n->first, state_name(n->state));
    else
        say("throng %s: all %lld trials had ended before\n", verb,
            (long long)n->count);
}

/* Of a whole study, whether or not it runs; of a campaign that nobody runs,
 * its stages may go on all the same. */
static int end_whole(struct call *c, const struct place_of_study *where)
{
    const char *verb = c->verb->name;
    struct lease lease = {0};
    struct store *store = store_open(where->folder, false, &c->err);
    int rc = store ? store_lease_read(store, &lease, &c->err) : -1;
    bool jobs = !rc && study_place_outlives(study_place(store, c->arena));
    const char **stages = rc ? NULL : campaign_studies(store, c->arena);
    store_close(store);
    if (rc)
        return -1;
    if (lease.live)
        return end_study(c, where, verb);
    if (jobs)
        return c->verb == &verb_kill ? cancel_jobs(c, where)
                                     : cancel_conductor(c, where);
    say("throng %s: the study %s is not running\n", verb, where->name);
    for (; !rc && *stages; stages++) {
        struct place_of_study stage = *where;
        stage.name = arena_printf(c->arena, "%s/%s", where->name, *stages);
        stage.folder = path_join(c->arena, where->folder, *stages);
        rc = end_whole(c, &stage);
    }
    return rc;
}

static int end(struct call *c)
{
    struct place_of_study where;
    struct named named = {0};
    const char *verb = c->verb->name;
    struct store *store = open_named_study(c, true, &where);
    if (!store)
        return call_fail(c);
    const char *late = engine_place_is_live(study_place(store, c->arena))
                           ? ""
                           : "; what runs hears of it when its job is begun "
                             "again, and its answer comes when that ends";
    const char *selector = c->arg_count ? c->args[0] : "";
    int rc = *selector ? read_named(c, store, selector, &named) : 0;
    store_close(store);
    if (!rc)
        rc = study_access(c->arena, where.folder, STORE_ACT, &c->err);
    if (rc)
        return call_fail(c);
    if (!*selector)
        rc = end_whole(c, &where);
    else if (!named.open)
        say_ended(verb, &named);
    else
        rc = end_trials(c, &where, selector, late);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(stop) = {
    .name = "stop",
    .args = "[STUDY] [TRIALS]",
    .summary = "Let a study, or some trials, finish early",
    .text = "Without TRIALS: no new trial starts, running ones finish, the "
            "study ends and\ngoes on with the next `throng run`. With "
            "TRIALS: those are asked to finish, and\ntheir results count.\n",
    .options = (const struct option_spec[]){{0}},
    .run = end,
};

VERB(kill) = {
    .name = "kill",
    .args = "[STUDY] [TRIALS]",
    .summary = "End a study, or some trials, at once",
    .text = "Without TRIALS: running trials are ended and go on with the "
            "next `throng run`;\njobs that a scheduler has are cancelled, also "
            "when nobody runs the study.\nWith TRIALS: those end as killed, "
            "for good.\n",
    .options = (const struct option_spec[]){{0}},
    .run = end,
};
