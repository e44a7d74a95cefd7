/* crew_gpus.c - which GPU of the room a member is trained on */
#include "worker/crew_gpus.h"

#include "terms/device.h"

#define SECOND_NS 1000000000ll
#define REST_NS (10 * SECOND_NS) /* after the first failure */
#define REST_DOUBLED_MOST 6      /* times: some ten minutes */

/* The lower the better. */
enum fitness { USABLE, RESTS, TOO_OLD, GONE };

static enum fitness fitness_of(const struct crew_gpu *g,
                               const struct room_gpu *gpu, int64_t now_ns)
{
    if (g->gone)
        return GONE;
    /* A scheduler does not say what its GPUs are. */
    if (gpu->capability > 0 && gpu->capability < DEVICE_CUDA_CAPABILITY)
        return TOO_OLD;
    return now_ns < g->rests_ns ? RESTS : USABLE;
}

static bool is_granted(const struct grant *granted, size_t at)
{
    for (size_t i = 0; i < granted->gpu_count; i++)
        if (granted->gpus[i] == at)
            return true;
    return granted->gpu_count == 0;
}

static bool will_do(const struct room *r, const struct grant *granted,
                    size_t at)
{
    return is_granted(granted, at) ||
           room_gpu_fits(&r->gpus[at], &granted->needs);
}

/* The lower the better. One that was granted gives way to one that was not only
 * where it is less fit: a member has no more than a part of it. */
static int rank_of(const struct crew_gpus *g, const struct room *r,
                   const struct grant *granted, size_t at, int64_t now_ns)
{
    return 2 * (int)fitness_of(&g->list[at], &r->gpus[at], now_ns) +
           !is_granted(granted, at);
}

int crew_gpus_choose(const struct crew_gpus *g, const struct room *r,
                     const struct grant *granted, int64_t now_ns)
{
    int best = 0, chosen = -1;
    for (size_t i = 0; i < r->gpu_count; i++) {
        int rank = rank_of(g, r, granted, i, now_ns);
        if (!will_do(r, granted, i))
            continue;
        if (chosen < 0 || rank < best ||
            (rank == best && g->list[i].members < g->list[chosen].members)) {
            chosen = (int)i;
            best = rank;
        }
    }
    return chosen;
}

bool crew_gpus_has_other(const struct crew_gpus *g, const struct room *r,
                         const struct grant *granted, int at)
{
    for (size_t i = 0; i < r->gpu_count; i++)
        if ((int)i != at && will_do(r, granted, i) &&
            fitness_of(&g->list[i], &r->gpus[i], INT64_MAX) == USABLE)
            return true;
    return false;
}

void crew_gpu_failed(struct crew_gpu *g, int64_t now_ns)
{
    unsigned doubled =
        g->failures < REST_DOUBLED_MOST ? g->failures : REST_DOUBLED_MOST;
    g->failures++;
    g->rests_ns = now_ns + (REST_NS << doubled);
}

void crew_gpu_taken(struct crew_gpu *g, int64_t now_ns)
{
    g->rests_ns = now_ns + REST_NS;
}

void crew_gpu_served(struct crew_gpu *g)
{
    g->failures = 0;
}
