/* remind.c - wishes that a job hears of when it is begun again
 *
 * A job that shares no disk with us reads what is asked of its tasks when it
 * begins. So it is begun again when somebody asks for something: what has ended
 * in it, and what its tasks have saved, is kept then. Where others in it would
 * lose long work that they cannot save, it is left until its next start. */
#include <math.h>
#include "engine/jobs.h"
#include "terms/bundle.h"

/* Work that may be lost for the sake of a wish. */
#define LOSS_SECONDS 600.0
/* For how long a job is seen to wait before it is believed that it has not
 * begun to fetch its files, an older wish among them, and reads this one. */
#define FETCH_NS (300 * 1000000000ll)

void jobs_wish(struct bundle *b)
{
    b->remind = true;
    b->remind_ns = clock_mono_ns();
}

static const struct out_task *find(const struct bundle *b, uint64_t id)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->tasks[i].id == id)
            return &b->tasks[i];
    return NULL;
}

/* True when the task runs on for all that is asked, and cannot save. */
static bool would_lose(const struct bundle *b, const struct record *r,
                       struct arena *a)
{
    const struct out_task *t = find(b, r->task);
    struct task task;
    if (!t || !t->held || t->stop || t->kill ||
        task_parse(&task, r->payload, a, NULL))
        return false;
    return !pieces_saves(&task);
}

/* A task of the bundle that loses its work when the job is begun again; 0:
 * there is none. */
static uint64_t who_loses(const struct bundle *b)
{
    struct arena *a = arena_new();
    struct buf text;
    struct record r;
    size_t used;
    uint64_t found = 0;
    buf_init(&text);
    file_read(bundle_tasks(b->stem, a), 0, &text, NULL);
    struct str rest = buf_str(&text);
    while (!found && rest.len && bundle_next(rest, &r, &used, NULL) > 0) {
        found = would_lose(b, &r, a) ? r.task : 0;
        rest = str_n(rest.p + used, rest.len - used);
    }
    buf_done(&text);
    arena_free(a);
    return found;
}

/* True when nothing in it can have run for long. Since when the tasks of a job
 * run that an earlier conductor submitted is not known. */
static bool is_short(const struct jobs *j, const struct bundle *b)
{
    double ran = b->began_wall > 0 ? clock_wall() - b->began_wall : 0;
    return !b->of->loaded && j->longest_s >= 0 &&
           fmax(j->longest_s, ran) < LOSS_SECONDS;
}

static void remind(struct jobs *j, struct bundle *b)
{
    uint64_t loser = is_short(j, b) ? 0 : who_loses(b);
    struct buf name;
    b->remind = false;
    if (!loser) {
        j->scheduler->remind(j->at, b->of->job, b->index);
        return;
    }
    buf_init(&name);
    jobs_name(j, b, &name);
    log_to(j->given->log, LOG_NOTICE,
           "%s hears of a wish only as it is begun again, and trial %llu in it "
           "would lose its work: the wish waits for its next start",
           name.p, (unsigned long long)loser);
    buf_done(&name);
}

void jobs_remind(struct jobs *j)
{
    int64_t now = clock_mono_ns();
    if (!j->scheduler->remind || j->wishes.len)
        return;
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            struct bundle *b = &j->list.p[i]->bundles[k];
            if (b->stage == JOB_WAITS && now - b->remind_ns > FETCH_NS)
                b->remind = false;
            if (b->remind && b->open && b->stage == JOB_RUNS && !b->cancelled &&
                !b->cancel_ns)
                remind(j, b);
        }
}
