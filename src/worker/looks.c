/* looks.c - what programs have of GPUs and wait for, as seen from outside
 *
 * An attempt waits for disks when one of its threads does and none computes:
 * with nothing to compute the others wait for what that one reads. */
#include "worker/looks.h"

#include <math.h>
#include "base/buf.h"
#include "sys/sys.h"
#include "terms/gpu_reading.h"
#include "worker/worker.h"

#define PROCESSES_NS 1000000000ll
#define PROCESSES_SHARE 200 /* of the time, looks are at most one part */
/* What a look finds stands for no more time than this, however long ago the
 * last one was: this worker, or who looks for it, may have been stopped. */
#define STANDS_NS 5000000000ll

/* What runs in a trainer, which says itself what it does, is none. */
static bool is_program(const struct attempt *a)
{
    return a->phase == ATTEMPT_RUNNING && a->process.pid > 0 && !a->trainer;
}

/* Since the last look, or since it began. */
static int64_t time_of(const struct attempt *a, int64_t last_ns, int64_t now_ns)
{
    return now_ns - (a->started_ns > last_ns ? a->started_ns : last_ns);
}

static double stands_s(int64_t time_ns, int64_t most_ns)
{
    return (double)(time_ns < most_ns ? time_ns : most_ns) * 1e-9;
}

/* ---- GPUs -------------------------------------------------------------- */

static bool is_on(const struct attempt *a, size_t gpu)
{
    for (size_t i = 0; i < a->grant.gpu_count; i++)
        if (a->grant.gpus[i] == gpu)
            return a->phase == ATTEMPT_RUNNING;
    return false;
}

static size_t count_on(const struct worker *w, size_t gpu)
{
    size_t count = 0;
    for (size_t i = 0; i < w->running.len; i++)
        count += is_on(w->running.p[i], gpu);
    return count;
}

/* One part of `parts` that are equal, of the time that it was there. */
static void share_out(struct attempt *a, const struct looked_gpu *before,
                      const struct gpu_reading *r, size_t parts, int64_t now)
{
    int64_t last = a->worker->looks.gpus_ns;
    int64_t there = time_of(a, last, now);
    if (there <= 0)
        return;
    if (!isnan(r->busy)) {
        a->use.gpu_busy_s += r->busy * stands_s(there, STANDS_NS);
        a->use.gpu_seen_s += stands_s(there, STANDS_NS);
    }
    if (last && r->joules > before->joules)
        a->use.joules += (r->joules - before->joules) / (double)parts *
                         ((double)there / (double)(now - last));
    if (r->known && before->known && r->used_bytes > before->others_bytes)
        a->gpu_bytes_now += (r->used_bytes - before->others_bytes) / parts;
}

static void look_at(struct worker *w, size_t gpu, const struct gpu_reading *r,
                    int64_t now)
{
    struct looked_gpu *g = &w->looks.gpus[gpu];
    size_t parts = count_on(w, gpu);
    for (size_t i = 0; parts && i < w->running.len; i++)
        if (is_on(w->running.p[i], gpu) && is_program(w->running.p[i]))
            share_out(w->running.p[i], g, r, parts, now);
    if (r->known && (!parts || !g->known)) {
        /* What a scheduler grants is nobody else's, where the first look comes
         * when tasks are there. */
        g->others_bytes = parts && w->granted ? 0 : r->used_bytes;
        g->known = true;
    }
    g->joules = r->joules;
}

void looks_gpus(struct worker *w, struct str payload)
{
    struct bytes in = bytes_of(payload);
    struct gpu_reading r;
    int64_t now = clock_mono_ns();
    for (size_t i = 0; i < w->running.len; i++)
        w->running.p[i]->gpu_bytes_now = 0;
    for (size_t gpu = 0; gpu < w->room.gpu_count && gpu_reading_next(&in, &r);
         gpu++)
        look_at(w, gpu, &r, now);
    for (size_t i = 0; i < w->running.len; i++) {
        struct attempt *a = w->running.p[i];
        if (a->gpu_bytes_now > a->use.gpu_bytes)
            a->use.gpu_bytes = a->gpu_bytes_now;
    }
    w->looks.gpus_ns = now;
}

/* ---- processes ---------------------------------------------------------- */

static bool waits_for_disk(const struct worker *w, const struct attempt *a)
{
    const struct census *c = &w->census;
    bool waits = false;
    for (size_t i = 0; i < c->table.rows.len; i++) {
        const struct process_info *row = &c->table.rows.p[i];
        if (c->owners.p[i] != a->serial || row->state == 'Z')
            continue;
        char state = row->state == 'R' ? 'R' : process_activity(row->pid);
        if (state == 'R')
            return false;
        waits |= state == 'D';
    }
    return waits;
}

void looks_processes(struct worker *w)
{
    struct looks *l = &w->looks;
    int64_t now = clock_mono_ns(), last = l->processes_ns;
    int64_t wait = PROCESSES_SHARE * l->cost_ns;
    if (last && now - last < (wait > PROCESSES_NS ? wait : PROCESSES_NS))
        return;
    for (size_t i = 0; i < w->running.len; i++) {
        struct attempt *a = w->running.p[i];
        int64_t there = time_of(a, last, now);
        if (is_program(a) && there > 0 && waits_for_disk(w, a))
            a->use.blocked_s += stands_s(there, STANDS_NS + 2 * wait);
    }
    l->processes_ns = now;
    l->cost_ns = clock_mono_ns() - now;
}
