/* fake_nvml.c - a library that answers as NVML does, for tests
 *
 * Three GPUs, of which the last is lost, and a slice of the first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    unsigned long long total, free, used;
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
int nvmlDeviceGetCudaComputeCapability(struct device *d, int *major,
                                       int *minor);
int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m);
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *mig, void **device);

int nvmlInit_v2(void)
{
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
    *device = &slice;
    return strcmp(uuid, slice.uuid) == 0 ? 0 : 6;
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

int nvmlDeviceGetCudaComputeCapability(struct device *d, int *major, int *minor)
{
    *major = d->major;
    *minor = d->minor;
    return d->major ? 0 : 3;
}

int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m)
{
    *m = (struct memory){.total = d->memory};
    return d->memory ? 0 : 15;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *mig, void **device)
{
    *device = &devices[0];
    return mig == &slice ? 0 : 2;
}
