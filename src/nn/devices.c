/* devices.c - the table of devices, and what they have room for */
#include "base/buf.h"
#include "nn/kernels.h"

#define DEVICE_AT(name, ...) [DEVICE_##name] = &nn_device_##name,
static const struct nn_device *const table[DEVICE_COUNT_ALL] = {
    DEVICES(DEVICE_AT) DEVICES_APART(DEVICE_AT)};

const struct nn_device *nn_device_find(struct str name)
{
    for (size_t i = 0; i < DEVICE_COUNT_ALL; i++)
        if (str_is(name, devices[i].name) &&
            (!table[i]->kernels || table[i]->kernels()) &&
            (!table[i]->absent || !table[i]->absent()))
            return table[i];
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
             wanted->facts->name, refuses, devices[0].name);
    return table[0];
}

const char *nn_device_absent(const char *device)
{
    for (size_t i = 0; i < DEVICE_COUNT_ALL; i++)
        if (str_is(str_of(device), devices[i].name) && table[i]->absent)
            return table[i]->absent();
    return NULL;
}

static void describe(const struct nn_device *d, struct buf *b)
{
    const char *why = d->absent ? d->absent() : NULL;
    if (d->describe)
        d->describe(b);
    else
        buf_addf(b, "%s %s\n", why ? "--" : "ok", why ? why : d->facts->about);
}

void nn_device_describe(const char *device, struct buf *b)
{
    for (size_t i = 0; i < DEVICE_COUNT_ALL; i++)
        if (str_is(str_of(device), devices[i].name))
            describe(table[i], b);
}

bool nn_device_together(const char *device)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d && d->runner->together;
}

const char *nn_device_for(const char *device, const struct nn_model *like,
                          struct buf *why)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? nn_device_choose(d, like, why)->facts->name : NULL;
}

uint64_t nn_trainer_bytes(const char *device, const struct nn_model *like,
                          size_t capacity)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? d->runner->bytes(d, like, capacity) : 0;
}

uint64_t nn_trainer_room(const char *device)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? d->runner->free_bytes() : 0;
}

uint64_t nn_trainer_room_in_all(const char *device)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d && d->runner->all_bytes ? d->runner->all_bytes() : 0;
}
