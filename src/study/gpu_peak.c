/* gpu_peak.c - how much of a GPU's memory trials that are tried take
 *
 * The GPUs are looked at again and again while trials run. What counts is what
 * lies above the least that was in use meanwhile: who was there before is not
 * ours, and who leaves takes it along. Somebody else who comes cannot be told
 * apart from a trial: in a container the numbers of processes mean nothing. */
#include <stdlib.h>
#include "study/gpus.h"
#include "study/study.h"

#define LOOK_S 0.05

struct gpu_peak {
    struct gpu_scout *scout;
    struct loop_source *timer;
    size_t count;
    uint64_t *least;
    bool *known;
    uint64_t most; /* of any of them, above its least */
};

static void look(struct gpu_peak *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct gpu_use now;
        gpu_scout_look(p->scout, i, &now);
        if (!now.known)
            continue;
        if (!p->known[i] || now.used_bytes < p->least[i])
            p->least[i] = now.used_bytes;
        p->known[i] = true;
        if (now.used_bytes - p->least[i] > p->most)
            p->most = now.used_bytes - p->least[i];
    }
}

static void on_look(void *context)
{
    struct gpu_peak *p = context;
    look(p);
    loop_timer_in(p->timer, LOOK_S);
}

struct gpu_peak *gpu_peak_open(struct loop *loop, const struct machine *m)
{
    struct gpu_peak *p = xcalloc(1, sizeof *p);
    p->scout = gpu_scout_open(m, getenv("THRONG_GPUS_USE"));
    p->count = m->gpu_count;
    p->least = xcalloc(p->count + 1, sizeof *p->least);
    p->known = xcalloc(p->count + 1, sizeof *p->known);
    look(p);
    p->timer = loop_timer(loop, on_look, p);
    loop_timer_in(p->timer, LOOK_S);
    return p;
}

void gpu_peak_close(struct gpu_peak *p, struct measure *m)
{
    bool known = false;
    if (!p)
        return;
    gpu_scout_await(p->scout);
    look(p);
    for (size_t i = 0; i < p->count; i++)
        known |= p->known[i];
    if (m) {
        m->gpu_unknown = p->count > 0 && !known;
        m->gpu_bytes = p->most < GPU_CONTEXT_BYTES ? 0 : p->most;
    }
    loop_remove(p->timer);
    gpu_scout_close(p->scout);
    free(p->least);
    free(p->known);
    free(p);
}
