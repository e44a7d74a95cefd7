/* answers.c - what a bundle's worker says reaches the disk, or it is told
 *
 * A disk in the network may say only when asked to keep it that it has no room
 * for what was written. So the link holds everything until then, and writes it
 * once more to the same place. */
#include "worker/answers.h"

#include "worker/worker.h"

#define MS 1000000ll
#define SYNC_NS (1000 * MS)
#define SYNC_BYTES (8u << 20) /* not kept longer than that */
#define RETRY_LEAST_NS (100 * MS)
#define RETRY_MOST_NS (5000 * MS)
#define GIVE_UP_NS (10000 * MS)

/* After a try. Told once for as long as it lasts. */
static void note(struct worker *w)
{
    struct answers *s = &w->answers;
    if (w->link.error == 0) {
        if (s->retry_ns)
            log_to(w->log, LOG_NOTICE, "%s can be written again",
                   w->bundle.said);
        s->retry_ns = s->wait_ns = 0;
        return;
    }
    if (s->wait_ns == 0)
        log_to(w->log, LOG_WARN, "write %s: %s; it is tried again",
               w->bundle.said, strerror(w->link.error));
    s->wait_ns = s->wait_ns ? s->wait_ns * 2 : RETRY_LEAST_NS;
    if (s->wait_ns > RETRY_MOST_NS)
        s->wait_ns = RETRY_MOST_NS;
    s->retry_ns = clock_mono_ns() + s->wait_ns;
    worker_wake(w, s->retry_ns);
}

void answers_write(struct worker *w)
{
    struct answers *s = &w->answers;
    int64_t now = clock_mono_ns();
    if (now < s->retry_ns)
        return;
    link_flush(&w->link);
    note(w);
    if (s->sync_ns == 0 && link_held(&w->link) > link_waiting(&w->link)) {
        s->sync_ns = now + SYNC_NS;
        worker_wake(w, s->sync_ns);
    }
    if (link_held(&w->link) > SYNC_BYTES)
        answers_sync(w);
}

void answers_sync(struct worker *w)
{
    w->answers.sync_ns = 0;
    if (w->link.error)
        return;
    link_sync(&w->link);
    note(w);
}

void answers_sync_if_due(struct worker *w)
{
    int64_t now = clock_mono_ns();
    if (w->answers.retry_ns && now >= w->answers.retry_ns)
        answers_write(w);
    if (w->answers.sync_ns && now >= w->answers.sync_ns)
        answers_sync(w);
}

int64_t answers_next_ns(const struct worker *w)
{
    const struct answers *s = &w->answers;
    if (s->retry_ns && (!s->sync_ns || s->retry_ns < s->sync_ns))
        return s->retry_ns;
    return s->sync_ns;
}

bool answers_given_up(struct worker *w)
{
    struct answers *s = &w->answers;
    int64_t now = clock_mono_ns();
    if (w->running.len > 0 || w->link.error == 0) {
        s->idle_ns = 0;
        return false;
    }
    if (s->idle_ns == 0)
        s->idle_ns = now;
    int64_t until = s->idle_ns + GIVE_UP_NS, end = w->warned.end_ns;
    if (end > 0 && end < until)
        until = end;
    worker_wake(w, until);
    return now >= until;
}

int answers_check(const struct worker *w, struct err *err)
{
    struct record r;
    size_t used, ends = 0;
    struct str rest = link_unacknowledged(&w->link);
    if (rest.len == 0)
        return 0;
    size_t bytes = rest.len;
    for (; record_parse(rest, &r, &used, NULL) > 0;
         rest = str_n(rest.p + used, rest.len - used))
        ends += r.type == RECORD_ENDED;
    return err_set(err, ERR_FULL,
                   "write %s: %s; the last %zu bytes of the answers, with the "
                   "ends of %zu task%s, are lost: make room there, and the "
                   "tasks will be run again",
                   w->bundle.said, strerror(w->link.error), bytes, ends,
                   ends == 1 ? "" : "s");
}
