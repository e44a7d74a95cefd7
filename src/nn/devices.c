/* devices.c - the table of devices, and what they have room for */
#include "base/buf.h"
#include "nn/kernels.h"
#include "terms/device.h"

#define MIB ((uint64_t)1 << 20)

/* The last two are to compare them with the others. */
static const struct nn_device table[] = {
    {"cpu", &nn_stepwise, nn_kernels_cpu, 256 * MIB},
    {"portable", &nn_stepwise, nn_kernels_portable, 256 * MIB},
    {"reference", &nn_stepwise, nn_kernels_reference, 256 * MIB},
    {"avx2", &nn_stepwise, nn_kernels_avx2, 256 * MIB},
    {"avx512", &nn_stepwise, nn_kernels_avx512, 256 * MIB},
};

const struct nn_device *nn_device_find(struct str name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (str_is(name, table[i].name) &&
            (!table[i].kernels || table[i].kernels()))
            return &table[i];
    return NULL;
}

const struct nn_device *nn_device_choose(const struct nn_device *wanted,
                                         const struct nn_model *like,
                                         struct buf *why)
{
    const struct nn_runner *r = wanted->runner;
    const char *refuses = r->refuses ? r->refuses(wanted, like) : NULL;
    if (!refuses)
        return wanted;
    buf_addf(why,
             "the device %s cannot train this model: %s; it is trained on "
             "the %s",
             wanted->name, refuses, table[0].name);
    return &table[0];
}

const char *nn_device_for(const char *device, const struct nn_model *like,
                          struct buf *why)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? nn_device_choose(d, like, why)->name : NULL;
}

uint64_t nn_trainer_bytes(const char *device, const struct nn_model *like,
                          size_t capacity)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? d->runner->bytes(d, like, capacity) : 0;
}

size_t nn_trainer_capacity(const char *device, const struct nn_model *like)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    const struct device *known = device_find(str_of(device), NULL);
    if (!d || !known)
        return 1;
    uint64_t each = d->runner->bytes(d, like, 2) - d->runner->bytes(d, like, 1);
    uint64_t fit = d->cohort_bytes / (each + 1),
             most = (uint64_t)known->members;
    return fit < 1 ? 1 : fit > most ? (size_t)most : (size_t)fit;
}

uint64_t nn_trainer_room(const char *device)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? d->runner->free_bytes() : 0;
}
