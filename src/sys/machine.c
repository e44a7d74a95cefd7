/* machine.c - what this machine has */
#include "sys/sys.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "sys/gpu.h"
#include "sys/machine_limits.h"

/* Present only in programs that link dep_sys_gpu. */
#pragma weak gpu_nvml_read
#pragma weak gpu_nvml_is_there

/* The number of CPUs in our affinity mask. The kernel refuses a mask that is
 * shorter than its own, so it grows until it fits. */
static unsigned affinity_cpus(void)
{
    for (size_t cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        size_t size = CPU_ALLOC_SIZE(cpus);
        int count = -1;
        if (set && sched_getaffinity(0, size, set) == 0)
            count = CPU_COUNT_S(size, set);
        bool too_short = count < 0 && errno == EINVAL;
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
        if (!too_short)
            break;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

void machine_name(char *name, size_t size)
{
    if (gethostname(name, size))
        snprintf(name, size, "unknown");
    name[size - 1] = 0;
}

/* Beside the worker that THRONG_WORKER names, or where that one is looked for.
 * NULL: nowhere. */
static const char *lister(struct arena *a)
{
    const char *worker = getenv("THRONG_WORKER");
    return worker && *worker ? arena_printf(a, "%s-cuda", worker)
                             : path_of_ours(a, "throng-worker-cuda");
}

/* False: the driver does not answer. */
static bool ask_for_gpus(struct arena *a, struct gpu_list *list,
                         const char **unasked)
{
    if (gpu_nvml_read && !gpu_nvml_is_there(GPU_NVML_LIBRARY))
        *unasked = GPU_NVML_LIBRARY;
    if (gpu_nvml_read)
        return gpu_read_apart(GPU_NVML_LIBRARY, getenv("CUDA_VISIBLE_DEVICES"),
                              MACHINE_GPU_WAIT_S, a, list);
    const char *program = lister(a);
    if (!program || access(program, X_OK) != 0)
        *unasked = "throng-worker-cuda";
    return !program || gpu_read_by(program, MACHINE_GPU_WAIT_S, a, list);
}

static int read_rest(struct machine *m, const struct gpu_list *list,
                     struct err *err)
{
    machine_name(m->host, sizeof(m->host));
    m->cpus = limit_cpus("", affinity_cpus());
    m->memory_bytes = limit_memory("");
    if (m->memory_bytes == 0)
        return err_set(err, ERR_SYSTEM,
                       "cannot tell how much memory this machine has: "
                       "/proc/meminfo does not say");
    m->gpus = list->gpus;
    m->gpu_count = list->count;
    return 0;
}

int machine_read(struct machine *m, const char *gpus_text, struct arena *a,
                 struct err *err)
{
    struct gpu_list list = {0};
    struct machine read = {.gpus_described = gpus_text != NULL};
    if (gpus_text && gpu_parse(gpus_text, a, &list, err) < 0)
        return -1;
    if (!gpus_text)
        read.gpus_silent = !ask_for_gpus(a, &list, &read.gpus_unasked);
    if (read_rest(&read, &list, err))
        return -1;
    *m = read;
    return 0;
}

int machine_read_here(struct machine *m, const char *gpus_text, struct arena *a,
                      struct err *err)
{
    struct gpu_list list = {0};
    struct machine read = {.gpus_described = gpus_text != NULL};
    if (gpus_text && gpu_parse(gpus_text, a, &list, err) < 0)
        return -1;
    if (!gpus_text && gpu_nvml_read)
        gpu_nvml_read(GPU_NVML_LIBRARY, getenv("CUDA_VISIBLE_DEVICES"), a,
                      &list, err);
    if (read_rest(&read, &list, err))
        return -1;
    *m = read;
    return 0;
}

void machine_room(const struct machine *m, uint32_t parallel, struct arena *a,
                  struct room *r)
{
    room_init(r, m->cpus, m->memory_bytes, parallel);
    r->disk_bytes = r->free_disk_bytes = m->disk_bytes;
    for (size_t i = 0; i < m->gpu_count; i++) {
        const struct gpu *g = &m->gpus[i];
        struct room_gpu gpu = {
            .id = arena_str(a, str_of(g->uuid)),
            .name = arena_str(a, str_of(g->name)),
            .capability = g->capability_major + g->capability_minor / 10.0,
            .memory_bytes = g->memory_bytes,
            .number = g->number,
        };
        room_add_gpu(r, &gpu);
    }
}

uint64_t machine_memory_free(void)
{
    return limit_memory_free("");
}

/* "cpu  user nice system idle iowait irq softirq steal …", in ticks. */
double machine_busy_seconds(void)
{
    unsigned long long user, nice, system, idle, wait, irq, soft, steal;
    FILE *f = fopen("/proc/stat", "re");
    if (!f)
        return -1;
    int read = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user,
                      &nice, &system, &idle, &wait, &irq, &soft, &steal);
    fclose(f);
    if (read != 8)
        return -1;
    return (double)(user + nice + system + irq + soft) /
           (double)sysconf(_SC_CLK_TCK);
}
