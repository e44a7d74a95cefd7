/* shortage.c - fewer at once, where the machine refuses more
 *
 * A machine may be short of something that no study file counts: descriptors,
 * processes, room on a disk. Then some tasks cannot begin although there is
 * room for them, while others run. That is no reason to end the study, nor to
 * try the same again each second: fewer go out at once, as many as run or half
 * of what was handed out, and slowly more again. Only where nothing runs, and
 * nothing could be started for a while, nothing can be. */
#include "study/run.h"

#define REFUSED_MAX                                                            \
    30 /* tries in a row, a second apart, with nothing running */
#define REFUSED_WAIT_NS 1000000000
#define GROW_NS 10000000000

/* Of those that were handed out together only the first one says anything. */
static bool is_news(struct run *r, const struct live *l)
{
    if (l->turn <= r->refused_turn)
        return false;
    r->refused_turn = r->turns;
    return true;
}

int shortage_refused(struct run *r, const struct live *l, const char *reason,
                     struct err *err)
{
    if (r->phase == RUN_SETTLES ||
        !is_news(r, l)) /* an earlier run's is no news either */
        return 0;
    int64_t running = r->counts.by_state[STATE_RUNNING];
    int64_t most = (r->out + 1) / 2; /* l is not out any more */
    /* Those that run have what they need, unless one of them had not. */
    if (l->a.pid == 0 && most < running)
        most = running;
    r->most = most < 1 ? 1 : (uint32_t)most;
    r->grow_ns = clock_mono_ns() + GROW_NS;
    if (!running)
        r->again_ns = clock_mono_ns() + REFUSED_WAIT_NS;
    if (!running && ++r->refused > REFUSED_MAX)
        return err_set(err, ERR_SYSTEM, "nothing can be started: %s", reason);
    if (!r->said_short)
        log_to(r->log, LOG_WARN,
               "trial %lld waits: %s; for now no more than %u run at once",
               (long long)l->t.id, reason, r->most);
    r->said_short = true;
    return 0;
}

bool shortage_allows(struct run *r)
{
    int64_t now = clock_mono_ns();
    if (r->most && now >= r->grow_ns) {
        r->most += 1 + r->most / 8;
        r->grow_ns = now + GROW_NS;
    }
    return !r->most || (r->out < r->most && now >= r->again_ns);
}
