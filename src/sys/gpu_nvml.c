/* gpu_nvml.c - GPUs as NVIDIA's management library knows them
 *
 * The library comes with the driver and is loaded when we ask, so that the
 * same program runs on machines without one. Its types are declared here by
 * hand: they are a fixed binary interface, and its header is not everywhere.
 *
 * CUDA_VISIBLE_DEVICES is read as CUDA does: a list of numbers or UUIDs (or
 * beginnings of them), which ends at the first entry that names nothing. */
#include "sys/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/library.h"
#include "base/num.h"

#define SLICES_MOST 16 /* of one GPU; today it is 7 */

struct nvml_memory {
    unsigned long long total, free, used;
};

/* Percents of the time since the driver looked last, less than a second ago. */
struct nvml_utilization {
    unsigned gpu, memory;
};

/* Of the second and third version of the list; the first one is shorter. */
struct nvml_process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
typedef int processes_fn(void *device, unsigned *count,
                         struct nvml_process *list);

/* NVML's functions by their own names; 0 is success. */
struct nvml {
    int (*nvmlInit_v2)(void);
    int (*nvmlShutdown)(void);
    int (*nvmlDeviceGetCount_v2)(unsigned *count);
    int (*nvmlDeviceGetHandleByIndex_v2)(unsigned index, void **device);
    int (*nvmlDeviceGetHandleByUUID)(const char *uuid, void **device);
    int (*nvmlDeviceGetIndex)(void *device, unsigned *index);
    int (*nvmlDeviceGetName)(void *device, char *name, unsigned len);
    int (*nvmlDeviceGetUUID)(void *device, char *uuid, unsigned len);
    int (*nvmlDeviceGetCudaComputeCapability)(void *device, int *major,
                                              int *minor);
    int (*nvmlDeviceGetMemoryInfo)(void *device, struct nvml_memory *memory);
    /* Only newer drivers have it. */
    int (*nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(void *mig,
                                                        void **device);
    int (*nvmlDeviceGetMigMode)(void *device, unsigned *now, unsigned *next);
    int (*nvmlDeviceGetMaxMigDeviceCount)(void *device, unsigned *count);
    int (*nvmlDeviceGetMigDeviceHandleByIndex)(void *device, unsigned index,
                                               void **mig);
    processes_fn *nvmlDeviceGetComputeRunningProcesses_v3;
    processes_fn *nvmlDeviceGetComputeRunningProcesses_v2;
    /* A slice of a GPU does not tell. */
    int (*nvmlDeviceGetUtilizationRates)(void *device,
                                         struct nvml_utilization *rates);
    /* Thousandths of a joule; not before Volta. */
    int (*nvmlDeviceGetTotalEnergyConsumption)(void *device,
                                               unsigned long long *energy);
};

static bool find(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof(p));
    return p != NULL;
}

#define FIND(name) find(library, #name, &n->name)

static bool find_all(void *library, struct nvml *n)
{
    FIND(nvmlDeviceGetDeviceHandleFromMigDeviceHandle);
    FIND(nvmlDeviceGetMigMode);
    FIND(nvmlDeviceGetMaxMigDeviceCount);
    FIND(nvmlDeviceGetMigDeviceHandleByIndex);
    FIND(nvmlDeviceGetComputeRunningProcesses_v3);
    FIND(nvmlDeviceGetComputeRunningProcesses_v2);
    FIND(nvmlDeviceGetUtilizationRates);
    FIND(nvmlDeviceGetTotalEnergyConsumption);
    return FIND(nvmlInit_v2) && FIND(nvmlShutdown) &&
           FIND(nvmlDeviceGetCount_v2) && FIND(nvmlDeviceGetHandleByIndex_v2) &&
           FIND(nvmlDeviceGetHandleByUUID) && FIND(nvmlDeviceGetIndex) &&
           FIND(nvmlDeviceGetName) && FIND(nvmlDeviceGetUUID) &&
           FIND(nvmlDeviceGetCudaComputeCapability) &&
           FIND(nvmlDeviceGetMemoryInfo);
}

/* ---- one device ------------------------------------------------------ */

/* A slice of a GPU has the capability and the number of the whole. */
static void read_whole(const struct nvml *n, void *device, struct gpu *g)
{
    void *whole;
    if (n->nvmlDeviceGetDeviceHandleFromMigDeviceHandle &&
        n->nvmlDeviceGetDeviceHandleFromMigDeviceHandle(device, &whole) == 0)
        device = whole;
    if (n->nvmlDeviceGetCudaComputeCapability(device, &g->capability_major,
                                              &g->capability_minor) != 0)
        g->capability_major = g->capability_minor = 0;
    if (n->nvmlDeviceGetIndex(device, &g->number) != 0)
        g->number = 0;
}

/* False when the device is lost or not ours to use. */
static bool read_device(const struct nvml *n, void *device, struct gpu *g)
{
    struct nvml_memory memory;
    *g = (struct gpu){0};
    if (n->nvmlDeviceGetUUID(device, g->uuid, sizeof(g->uuid)) != 0 ||
        n->nvmlDeviceGetMemoryInfo(device, &memory) != 0)
        return false;
    if (n->nvmlDeviceGetName(device, g->name, sizeof(g->name)) != 0)
        g->name[0] = 0;
    g->memory_bytes = memory.total;
    read_whole(n, device, g);
    return true;
}

static bool read_index(const struct nvml *n, unsigned index, struct gpu *g)
{
    void *device;
    return n->nvmlDeviceGetHandleByIndex_v2(index, &device) == 0 &&
           read_device(n, device, g);
}

/* ---- GPUs that are cut ------------------------------------------------- */

/* How many slices a GPU may have that is cut into some; 0: it is whole. */
static unsigned slices_of(const struct nvml *n, void *device)
{
    unsigned now = 0, next, count = 0;
    if (!n->nvmlDeviceGetMigMode || !n->nvmlDeviceGetMaxMigDeviceCount ||
        !n->nvmlDeviceGetMigDeviceHandleByIndex ||
        n->nvmlDeviceGetMigMode(device, &now, &next) != 0 || !now ||
        n->nvmlDeviceGetMaxMigDeviceCount(device, &count) != 0)
        return 0;
    return count < SLICES_MOST ? count : SLICES_MOST;
}

/* A GPU that is cut into slices cannot be used as a whole. */
static size_t read_one(const struct nvml *n, unsigned index, struct gpu *gpus)
{
    void *device, *mig;
    size_t used = 0;
    if (n->nvmlDeviceGetHandleByIndex_v2(index, &device) != 0)
        return 0;
    unsigned slices = slices_of(n, device);
    if (!slices)
        return read_device(n, device, gpus);
    for (unsigned i = 0; i < slices; i++)
        if (n->nvmlDeviceGetMigDeviceHandleByIndex(device, i, &mig) == 0)
            used += read_device(n, mig, &gpus[used]);
    return used;
}

/* ---- CUDA_VISIBLE_DEVICES -------------------------------------------- */

/* Of one that is cut CUDA takes the first slice, which others call by its own
 * name. */
static bool read_named(const struct nvml *n, unsigned index, struct gpu *g)
{
    struct gpu gpus[SLICES_MOST];
    if (!read_one(n, index, gpus))
        return false;
    *g = gpus[0];
    return true;
}

/* The device whose UUID begins with prefix; false unless there is just one. */
static bool read_uuid(const struct nvml *n, unsigned count, struct str prefix,
                      struct gpu *g)
{
    unsigned matches = 0, at = 0;
    for (unsigned i = 0; i < count; i++) {
        struct gpu one;
        if (read_index(n, i, &one) && str_starts(str_of(one.uuid), prefix)) {
            at = i;
            matches++;
        }
    }
    return matches == 1 && read_named(n, at, g);
}

static bool read_slice(const struct nvml *n, struct str name, struct gpu *g)
{
    char uuid[96];
    void *device;
    if (name.len >= sizeof(uuid))
        return false;
    memcpy(uuid, name.p, name.len);
    uuid[name.len] = 0;
    return n->nvmlDeviceGetHandleByUUID(uuid, &device) == 0 &&
           read_device(n, device, g);
}

static bool read_entry(const struct nvml *n, unsigned count, struct str entry,
                       struct gpu *g)
{
    uint64_t index;
    if (str_starts(entry, STR("MIG-")))
        return read_slice(n, entry, g);
    if (str_starts(entry, STR("GPU-")))
        return read_uuid(n, count, entry, g);
    return num_uint(entry, &index) && index < count &&
           read_named(n, (unsigned)index, g);
}

static bool listed(const struct gpu *gpus, size_t count, const char *uuid)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(gpus[i].uuid, uuid) == 0)
            return true;
    return false;
}

static size_t read_visible(const struct nvml *n, unsigned count,
                           const char *visible, struct gpu *gpus, size_t room)
{
    struct str rest = str_of(visible), entry;
    size_t used = 0;
    while (used < room && str_split(&rest, ',', &entry)) {
        if (!read_entry(n, count, str_trim(entry), &gpus[used]))
            break;
        /* CUDA sees no device at all when one is named twice. */
        if (listed(gpus, used, gpus[used].uuid))
            return 0;
        used++;
    }
    return used;
}

/* ---- all of them ----------------------------------------------------- */

static void read_all(const struct nvml *n, const char *visible, struct arena *a,
                     struct gpu_list *list)
{
    unsigned count;
    if (n->nvmlDeviceGetCount_v2(&count) != 0)
        return;
    /* Slices are not counted as devices. */
    size_t room = (size_t)count * SLICES_MOST;
    for (const char *p = visible; p && *p; p++)
        room += *p == ',';
    struct gpu *gpus = arena_array(a, room + 1, sizeof(*gpus));
    size_t used = 0;
    if (visible)
        used = read_visible(n, count, visible, gpus, room + 1);
    for (unsigned i = 0; !visible && i < count; i++)
        used += read_one(n, i, &gpus[used]);
    *list = (struct gpu_list){.gpus = gpus, .count = used};
}

/* Asks the driver for nothing. */
bool gpu_nvml_is_there(const char *library)
{
    void *handle = library_open(library);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

int gpu_nvml_read(const char *library, const char *visible, struct arena *a,
                  struct gpu_list *list, struct err *err)
{
    (void)err;
    struct nvml n = {0};
    *list = (struct gpu_list){0};
    void *handle = library_open(library);
    if (!handle)
        return 0;
    if (find_all(handle, &n) && n.nvmlInit_v2() == 0) {
        read_all(&n, visible, a, list);
        n.nvmlShutdown();
    }
    dlclose(handle);
    return 0;
}

/* ---- what is on them ------------------------------------------------- */

struct gpu_nvml {
    void *library;
    struct nvml functions;
};

struct gpu_nvml *gpu_nvml_open(const char *library)
{
    void *handle = library_open(library);
    if (!handle)
        return NULL;
    struct gpu_nvml *n = xcalloc(1, sizeof(*n));
    n->library = handle;
    if (find_all(handle, &n->functions) && n->functions.nvmlInit_v2() == 0)
        return n;
    dlclose(handle);
    free(n);
    return NULL;
}

void gpu_nvml_close(struct gpu_nvml *n)
{
    if (!n)
        return;
    n->functions.nvmlShutdown();
    dlclose(n->library);
    free(n);
}

static double busy_of(const struct nvml *f, void *device)
{
    struct nvml_utilization rates;
    if (!f->nvmlDeviceGetUtilizationRates ||
        f->nvmlDeviceGetUtilizationRates(device, &rates) != 0)
        return NAN;
    return rates.gpu / 100.0;
}

static double joules_of(const struct nvml *f, void *device)
{
    unsigned long long energy;
    if (!f->nvmlDeviceGetTotalEnergyConsumption ||
        f->nvmlDeviceGetTotalEnergyConsumption(device, &energy) != 0)
        return NAN;
    return (double)energy * 1e-3;
}

void gpu_nvml_use(struct gpu_nvml *n, const char *uuid, struct gpu_use *u)
{
    const struct nvml *f = &n->functions;
    processes_fn *list = f->nvmlDeviceGetComputeRunningProcesses_v3
                             ? f->nvmlDeviceGetComputeRunningProcesses_v3
                             : f->nvmlDeviceGetComputeRunningProcesses_v2;
    struct nvml_process processes[GPU_PIDS_MAX];
    struct nvml_memory memory;
    unsigned count = GPU_PIDS_MAX;
    void *device;
    *u = (struct gpu_use){.busy = NAN, .joules = NAN};
    if (f->nvmlDeviceGetHandleByUUID(uuid, &device) != 0)
        return;
    u->busy = busy_of(f, device);
    u->joules = joules_of(f, device);
    if (!list || f->nvmlDeviceGetMemoryInfo(device, &memory) != 0 ||
        list(device, &count, processes) != 0)
        return;
    for (unsigned i = 0; i < count && i < GPU_PIDS_MAX; i++)
        u->pids[u->pid_count++] = processes[i].pid;
    u->used_bytes = memory.used;
    u->known = true;
}
