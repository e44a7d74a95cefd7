/* settle.c - what becomes of the attempts that an earlier run had out
 *
 * First each is offered to its place, which may have outlived that run; then,
 * when last words were heard, those that nobody has answered for are ended:
 * as lost where they may be what ended throng (blame.c), else as interrupted.
 */
#include "study/run.h"

/* A machine that went down took everything with it, whoever ran there. */
static bool is_to_blame(const struct live *l)
{
    return strcmp(l->a.boot_id, process_boot_id()) == 0;
}

static bool may_have_run(const struct run *r, const struct live *l)
{
    return r->source.may_have_run(r->source.context, l);
}

static void settle_one(struct run *r, struct live *l, bool wanted,
                       bool presumed, uint32_t company)
{
    bool begun = l->a.started > 0 || !engine_outlives(r->engine);
    l->a.presumed = begun && presumed;
    if (!begun)
        attempt_gone(r, l, OUTCOME_UNSTARTED, "");
    else if (presumed)
        attempt_gone(r, l, OUTCOME_INTERRUPTED,
                     "another throng took the study over while it ran");
    else if (!may_have_run(r, l))
        attempt_gone(r, l, OUTCOME_INTERRUPTED,
                     "it did not run when throng and its worker ended");
    else if (wanted || !is_to_blame(l))
        attempt_gone(r, l, OUTCOME_INTERRUPTED, "throng ended while it ran");
    else
        attempt_lost(r, (uint64_t)l->t.id, l->a.number, LOSS_GONE, company,
                     "throng and its worker ended while it ran");
}

void run_offer(struct run *r)
{
    uint64_t id;
    void *live;
    for (size_t at = 0; idmap_next(r->lives, &at, &id, &live);) {
        struct live *l = live;
        if (live_is_out(l))
            l->lives_on = r->source.lives_on(r->source.context, l);
    }
}

void run_settle(struct run *r, bool wanted, bool presumed)
{
    uint64_t id;
    void *live;
    VEC(struct live *) out = {0};
    uint32_t company = 0;
    for (size_t at = 0; idmap_next(r->lives, &at, &id, &live);) {
        struct live *l = live;
        if (!live_is_out(l) || l->lives_on)
            continue;
        vec_push(&out, l);
        company += may_have_run(r, l);
    }
    for (size_t i = 0; i < out.len; i++)
        settle_one(r, out.p[i], wanted, presumed, company);
    vec_done(&out);
}
