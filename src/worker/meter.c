/* meter.c - what the GPU of a trainer takes, shared out among its members */
#include "worker/meter.h"

#include <math.h>
#include <stdlib.h>

#include "sys/sys.h"

#define LOOK_NS 100000000ll

struct meter {
    struct arena *arena;
    struct machine machine;
    struct gpu_looker *looker;
    size_t gpu;           /* of the machine's */
    int64_t looked_ns;    /* 0: not since it was opened */
    uint64_t first_bytes; /* in use before there was a member */
    double last_joules;   /* of the GPU; NAN: it does not tell */
    double joules;        /* one member's part until now */
    uint64_t bytes;
};

/* The first GPU that can be seen is the trainer's. Those that are only
 * described are all listed, by their numbers. */
static size_t own_gpu(const struct machine *m)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    for (size_t i = 0; visible && m->gpus_described && i < m->gpu_count; i++)
        if (strcmp(m->gpus[i].uuid, visible) == 0)
            return i;
    return 0;
}

struct meter *meter_open(void)
{
    struct meter *m = xcalloc(1, sizeof(*m));
    struct gpu_use use = {0};
    m->arena = arena_new();
    if (machine_read_here(&m->machine, getenv("THRONG_GPUS"), m->arena, NULL) ==
            0 &&
        m->machine.gpu_count) {
        m->looker = gpu_looker_open(&m->machine, m->machine.gpus_described,
                                    getenv("THRONG_GPUS_USE"));
        m->gpu = own_gpu(&m->machine);
        gpu_look(m->looker, m->gpu, &use);
    }
    if (!use.known) {
        meter_close(m);
        return NULL;
    }
    m->first_bytes = use.used_bytes;
    m->last_joules = use.joules;
    return m;
}

void meter_close(struct meter *m)
{
    if (!m)
        return;
    gpu_looker_close(m->looker);
    arena_free(m->arena);
    free(m);
}

bool meter_is_due(const struct meter *m)
{
    return m && (!m->looked_ns || clock_mono_ns() - m->looked_ns >= LOOK_NS);
}

void meter_look(struct meter *m, size_t members)
{
    struct gpu_use use;
    if (!meter_is_due(m))
        return;
    gpu_look(m->looker, m->gpu, &use);
    m->looked_ns = clock_mono_ns();
    if (members && use.joules > m->last_joules)
        m->joules += (use.joules - m->last_joules) / (double)members;
    m->last_joules = use.joules;
    if (members && use.known && use.used_bytes > m->first_bytes)
        m->bytes = (use.used_bytes - m->first_bytes) / members;
}

double meter_joules(const struct meter *m)
{
    return m ? m->joules : 0;
}

uint64_t meter_bytes(const struct meter *m)
{
    return m ? m->bytes : 0;
}
