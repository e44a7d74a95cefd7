/* fake_nvml.c - a library that answers as NVML does, for tests
 *
 * Three GPUs, of which the last is lost, and a slice of the first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {
    unsigned long long total, free, used;
};

struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

struct device {
    const char *uuid, *name;
    int major, minor;
    unsigned long long memory;
};

static struct device devices[] = {
    {"GPU-aaaa1111-0000", "NVIDIA A100-SXM4-40GB", 8, 0, 40ull << 30},
    {"GPU-aabb2222-0000", "NVIDIA H100", 9, 0, 80ull << 30},
    {"GPU-lost", NULL, 0, 0, 0},
};
static struct device slice = {"MIG-cccc-1", "NVIDIA A100 MIG 1g.5gb", 0, 0,
                              5ull << 30};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetName(struct device *d, char *name, unsigned len);
int nvmlDeviceGetUUID(struct device *d, char *uuid, unsigned len);
int nvmlDeviceGetIndex(struct device *d, unsigned *index);
int nvmlDeviceGetCudaComputeCapability(struct device *d, int *major,
                                       int *minor);
int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m);
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *mig, void **device);
int nvmlDeviceGetMigMode(struct device *d, unsigned *now, unsigned *next);
int nvmlDeviceGetMaxMigDeviceCount(struct device *d, unsigned *count);
int nvmlDeviceGetMigDeviceHandleByIndex(struct device *d, unsigned index,
                                        void **mig);
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *d, unsigned *count,
                                            struct process *list);

struct utilization {
    unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(struct device *d, struct utilization *u);

int nvmlInit_v2(void)
{
    while (getenv("FAKE_NVML_HANGS"))
        pause();
    return getenv("FAKE_NVML_NO_DRIVER") ? 9 : 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = sizeof(devices) / sizeof(*devices);
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    if (index >= sizeof(devices) / sizeof(*devices))
        return 2;
    *device = &devices[index];
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = NULL;
    if (strcmp(uuid, slice.uuid) == 0)
        *device = &slice;
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        if (strcmp(uuid, devices[i].uuid) == 0)
            *device = &devices[i];
    return *device ? 0 : 6;
}

int nvmlDeviceGetName(struct device *d, char *name, unsigned len)
{
    snprintf(name, len, "%s", d->name);
    return 0;
}

int nvmlDeviceGetUUID(struct device *d, char *uuid, unsigned len)
{
    snprintf(uuid, len, "%s", d->uuid);
    return 0;
}

int nvmlDeviceGetIndex(struct device *d, unsigned *index)
{
    for (*index = 0; *index < sizeof(devices) / sizeof(*devices); ++*index)
        if (d == &devices[*index])
            return 0;
    return 2;
}

int nvmlDeviceGetCudaComputeCapability(struct device *d, int *major, int *minor)
{
    *major = d->major;
    *minor = d->minor;
    return d->major ? 0 : 3;
}

int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m)
{
    *m = (struct memory){.total = d->memory, .used = d->memory / 8};
    return d->memory ? 0 : 15;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *mig, void **device)
{
    *device = &devices[0];
    return mig == &slice ? 0 : 2;
}

/* The first GPU may be cut into slices, of which there is one; the second is
 * one that cannot be. */
int nvmlDeviceGetMigMode(struct device *d, unsigned *now, unsigned *next)
{
    *now = *next = d == &devices[0] && getenv("FAKE_NVML_SLICES");
    return d == &devices[0] ? 0 : 3;
}

int nvmlDeviceGetMaxMigDeviceCount(struct device *d, unsigned *count)
{
    *count = d == &devices[0] ? 7 : 0;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(struct device *d, unsigned index,
                                        void **mig)
{
    *mig = &slice;
    return d == &devices[0] && index == 2 ? 0 : 6;
}

/* A slice does not tell. */
int nvmlDeviceGetUtilizationRates(struct device *d, struct utilization *u)
{
    *u = (struct utilization){.gpu = 42, .memory = 7};
    return d == &slice ? 3 : 0;
}

/* Two on the first GPU; the second one does not tell. */
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *d, unsigned *count,
                                            struct process *list)
{
    if (d != &devices[0] || *count < 2)
        return d == &devices[0] ? 7 : 3;
    *count = 2;
    list[0] = (struct process){.pid = 4242, .memory = 1 << 20};
    list[1] = (struct process){.pid = 4343, .memory = 1 << 20};
    return 0;
}
