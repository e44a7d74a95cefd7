/* gpu_use.c - what is on the GPUs of this machine now
 *
 * NVML says it, through a library that stays loaded meanwhile. For GPUs that
 * are only described (THRONG_GPUS) a file does: lines "GPU PID BYTES", GPU
 * from 0, "GPU busy PERCENT" and "GPU joules J"; without one nobody knows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "sys/gpu.h"

/* Present only in programs that link dep_sys_gpu. */
#pragma weak gpu_nvml_open
#pragma weak gpu_nvml_use
#pragma weak gpu_nvml_close

struct gpu_looker {
    const struct machine *machine;
    bool described;
    const char *file; /* of described GPUs; NULL: none */
    struct gpu_nvml *nvml;
};

struct gpu_looker *gpu_looker_open(const struct machine *m, bool described,
                                   const char *file)
{
    struct gpu_looker *l = xcalloc(1, sizeof(*l));
    l->machine = m;
    l->described = described;
    l->file = file;
    if (!described && gpu_nvml_open)
        l->nvml = gpu_nvml_open(GPU_NVML_LIBRARY);
    return l;
}

void gpu_looker_close(struct gpu_looker *l)
{
    if (l && l->nvml)
        gpu_nvml_close(l->nvml);
    free(l);
}

static void add_pid(struct gpu_use *u, uint32_t pid)
{
    if (u->pid_count < GPU_PIDS_MAX)
        u->pids[u->pid_count++] = pid;
    else
        u->known = false; /* more than anybody can compare */
}

static void read_described(const struct gpu_looker *l, size_t gpu,
                           struct gpu_use *u)
{
    FILE *f = l->file ? fopen(l->file, "re") : NULL;
    char line[128];
    u->known = f != NULL;
    while (f && fgets(line, sizeof(line), f)) {
        unsigned long long at, bytes;
        unsigned pid;
        double percent, joules;
        if (sscanf(line, "%llu %u %llu", &at, &pid, &bytes) == 3 && at == gpu) {
            u->used_bytes += bytes;
            add_pid(u, pid);
        } else if (sscanf(line, "%llu busy %lf", &at, &percent) == 2 &&
                   at == gpu)
            u->busy = percent / 100;
        else if (sscanf(line, "%llu joules %lf", &at, &joules) == 2 &&
                 at == gpu)
            u->joules = joules;
    }
    if (f)
        fclose(f);
}

void gpu_look(struct gpu_looker *l, size_t gpu, struct gpu_use *u)
{
    *u = (struct gpu_use){.busy = NAN, .joules = NAN};
    if (l->described)
        read_described(l, gpu, u);
    else if (l->nvml)
        gpu_nvml_use(l->nvml, l->machine->gpus[gpu].uuid, u);
}
