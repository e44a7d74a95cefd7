/* blame.c - which trial it was that took its worker down
 *
 * When a worker, or a trainer, is lost, all that ran on it is lost, and any of
 * it may be the cause. One loss in company may be anybody's fault, also
 * nobody's: nothing changes. After a second one a trial is a suspect: it runs
 * again with a quarter of the company that it was lost with, and so on, until
 * it ends by itself or is lost alone. Then there is nobody else to blame: three
 * such losses are a failure. So an innocent neighbour is never blamed, and a
 * guilty one is found after a few losses, also among a thousand.
 *
 * When conductor and worker are killed together, the worker's file of leaders
 * (sys/leaders.c) tells who ran: what was only handed out is nobody's company.
 *
 * Who kills the conductor alone is not blamed: the worker lives to end it as
 * interrupted, and a person, a batch system or the kernel may have done the
 * same to a run that had one trial at a time. It is only said who ran then.
 *
 * At a place whose jobs are apart from each other, who was alone in one has no
 * company to be kept from: others go on beside it while it is tried again.
 *
 * A trial whose checkpoint has changed since it was lost before is getting
 * on: it begins with a clean sheet. */
#include "study/run.h"

#define COMPANY_SHARE 4 /* a suspect's next company is smaller by this */

/* What losses make of a trial. */
static void clear(struct suspicion *s)
{
    *s = (struct suspicion){0};
}

/* Without a number of others it was alone as far as anybody knows. */
static void weigh(struct suspicion *s, const struct attempt *a, bool jobs_apart)
{
    if (s->was_lost && s->lost_digest != a->checkpoint_digest)
        clear(s);
    s->was_lost = true;
    s->lost_digest = a->checkpoint_digest;
    if (a->company <= 1) {
        s->losses++;
        if (a->company && !jobs_apart)
            s->apart = 1;
    } else if (++s->crowded > 1) {
        s->apart = a->company / COMPANY_SHARE;
        s->apart = s->apart ? s->apart : 1;
    }
}

static void list_suspect(struct run *r, struct live *l)
{
    size_t at = 0;
    while (at < r->suspects.len && r->suspects.p[at] != l)
        at++;
    if (l->suspicion.apart && at == r->suspects.len)
        vec_push(&r->suspects, l);
    else if (!l->suspicion.apart && at < r->suspects.len)
        r->suspects.p[at] = r->suspects.p[--r->suspects.len];
}

void blame_clear(struct run *r, struct live *l)
{
    clear(&l->suspicion);
    list_suspect(r, l);
}

void blame_loss(struct run *r, struct live *l, const struct attempt *a)
{
    weigh(&l->suspicion, a, engine_outlives(r->engine));
    list_suspect(r, l);
}

bool blame_allows(const struct run *r, const struct live *l)
{
    uint32_t company = r->out + 1;
    if (l->suspicion.apart && company > l->suspicion.apart)
        return false;
    for (size_t i = 0; i < r->suspects.len; i++) {
        const struct live *other = r->suspects.p[i];
        if (live_is_out(other) && company > other->suspicion.apart)
            return false;
    }
    return true;
}

/* ---- the same, of a stored study ---------------------------------------- */

size_t blame_first(const struct attempt *list, size_t count)
{
    while (count && (list[count - 1].outcome == OUTCOME_LOST ||
                     list[count - 1].outcome == OUTCOME_INTERRUPTED))
        count--;
    return count;
}

uint32_t study_kept_apart(const struct attempt *list, size_t count,
                          bool jobs_apart)
{
    struct suspicion s = {0};
    if (count && list[count - 1].outcome == OUTCOME_NONE)
        count--; /* it runs now */
    for (size_t i = blame_first(list, count); i < count; i++)
        if (list[i].outcome == OUTCOME_LOST)
            weigh(&s, &list[i], jobs_apart);
    return s.apart;
}

/* ---- who only was there ------------------------------------------------- */

static bool is_cut_off(const struct attempt *a)
{
    return (a->outcome == OUTCOME_INTERRUPTED || a->outcome == OUTCOME_LOST) &&
           str_starts(a->reason, STR("throng "));
}

size_t study_cut_off(const struct attempt *list, size_t count)
{
    size_t found = 0;
    uint64_t digest = 0;
    for (size_t i = count; i-- > 0;) {
        const struct attempt *a = &list[i];
        if (a->outcome == OUTCOME_NONE || a->outcome == OUTCOME_UNSTARTED ||
            (a->outcome == OUTCOME_INTERRUPTED && !a->reason.len))
            continue;
        if (!is_cut_off(a) ||
            (digest && a->checkpoint_digest && digest != a->checkpoint_digest))
            break;
        digest = a->checkpoint_digest ? a->checkpoint_digest : digest;
        found++;
    }
    return found;
}
