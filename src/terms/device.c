/* device.c - what models are trained on, or asked */
#include "terms/device.h"

#define MIB ((uint64_t)1 << 20)
#define DEVICE_FACTS(name, members, mib, bytes, gpu, about)                    \
    [DEVICE_##name] = {#name, members, (mib)*MIB, bytes, gpu, about},

const struct device devices[DEVICE_COUNT_ALL] = {
    DEVICES(DEVICE_FACTS) DEVICES_APART(DEVICE_FACTS)};

#define DEVICE_TEXT(name, ...) #name,

const char *device_called(struct str name)
{
    static const char *const words[] = {"gpu", "GPU", "nvidia", "CUDA"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_starts(name, str_of(words[i])))
            return devices[DEVICE_cuda].name;
    return NULL;
}

const struct device *device_find(struct str name, struct err *err)
{
    static const char *const names[] = {DEVICES(DEVICE_TEXT) NULL};
    if (!name.len || str_is(name, "auto"))
        return &devices[0];
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (str_is(name, devices[i].name))
            return &devices[i];
    const char *near = device_called(name);
    if (!near)
        near = str_nearest(name, names);
    err_set(err, ERR_INPUT, "there is no device %.*s%s%s%s; use %s", STRF(name),
            near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
            DEVICE_NAMES);
    return NULL;
}

size_t device_capacity(const struct device *d, uint64_t member_numbers)
{
    uint64_t fit = d->cohort_bytes / (member_numbers * d->number_bytes + 1);
    uint64_t most = (uint64_t)d->members;
    return fit < 1 ? 1 : fit > most ? (size_t)most : (size_t)fit;
}
