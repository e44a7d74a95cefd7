/* mended.c - what may change in a study file that has run
 *
 * A changed command makes another study of trials that have ended well, and of
 * none where none has. A metric only ranks, where no strategy has learned from
 * its values, and where there are none it has taught nothing. */
#include <math.h>
#include "study/conductor.h"
#include "study/selected.h"

static bool learns(const struct plan *p)
{
    return study_method_learns(p) ||
           (p->early.kind != EARLY_NONE && p->early.kind != EARLY_RULE);
}

static bool is_of_task(struct str line)
{
    return str_starts(line, STR("command:")) ||
           str_starts(line, STR("program:")) || str_starts(line, STR("model:"));
}

static bool is_of_metric(struct str line)
{
    return str_starts(line, STR("metric.")) || str_starts(line, STR("metric:"));
}

int study_changes(const struct plan *p, struct store *store,
                  struct study_changes *c, struct err *err)
{
    struct arena *a = arena_new();
    struct str stored, rest, line;
    struct counts n = {0};
    struct buf now;
    buf_init(&now);
    int rc = store_fact(store, "identity", a, &stored, err);
    if (!rc)
        rc = store_counts(store, &n, err);
    if (!rc && stored.p) {
        plan_identity_as(&now, p, stored);
        plan_identity_diff(&c->lines, p, stored, buf_str(&now));
    }
    bool good = n.by_state[STATE_DONE] + n.by_state[STATE_STOPPED] +
                    n.by_state[STATE_PAUSED] >
                0;
    bool valued = !rc && store_best(store, true) != 0;
    c->mends = true;
    for (rest = buf_str(&c->lines);
         rest.len && str_split(&rest, '\n', &line);) {
        c->task |= is_of_task(line);
        c->metric |= is_of_metric(line);
        c->mends &= line.len == 0 || (is_of_task(line) && !good) ||
                    (is_of_metric(line) && (!valued || !learns(p)));
    }
    buf_done(&now);
    arena_free(a);
    return rc;
}

/* ---- taking them in ---------------------------------------------------------
 */

static int rank_anew(void *context, const struct trial *t, struct err *err)
{
    struct study *s = context;
    const struct plan_metric *m = &s->plan->metric;
    struct summary summary = {0};
    struct trial now = *t;
    int rc = summary_rebuild(&summary, s->store, t->id, err);
    const struct summary_entry *e = rc ? NULL : summary_find(&summary, m->name);
    now.value = !e                     ? NAN
                : m->pick != PICK_BEST ? e->last
                : m->minimize          ? e->min
                                       : e->max;
    if (!isfinite(now.value))
        now.value = NAN;
    if (!rc)
        rc = store_trial_update(s->store, &now, err);
    summary_done(&summary);
    return rc;
}

static int try_anew(void *context, const struct trial *t, struct err *err)
{
    struct study *s = context;
    struct trial again = *t;
    struct packs *packs = packs_open(s->setup.folder);
    again.state = STATE_WAITING;
    again.failures = 0;
    again.ended = 0;
    again.value = NAN;
    again.reason = STR("");
    int rc = study_unpack(packs, s->setup.folder, t->id, err);
    packs_close(packs);
    return rc ? rc : store_trial_update(s->store, &again, err);
}

int study_mend(struct study *s, const struct study_changes *c, struct err *err)
{
    struct counts n;
    if (store_counts(s->store, &n, err))
        return -1;
    long long failed = (long long)n.by_state[STATE_FAILED];
    if (c->metric && selected_each(s->store, "done,stopped", rank_anew, s, err))
        return -1;
    if (c->metric)
        log_to(s->setup.log, LOG_NOTICE,
               "the metric is another one: stored trials are ranked by it");
    if (!c->task)
        return 0;
    if (failed)
        log_to(s->setup.log, LOG_NOTICE,
               "what runs is another command, and no trial had ended well: "
               "%lld that failed %s tried again",
               failed, failed == 1 ? "is" : "are");
    return selected_each(s->store, "failed", try_anew, s, err);
}
