/* device.c - what built-in training computes on */
#include "terms/device.h"

const struct device devices[DEVICE_COUNT] = {
    {"cpu", "the fastest code for this kind of CPU", 64},
    {"portable", "the same bits on every kind of CPU", 64},
    {"reference", "plain code in double precision", 64},
};

const struct device *device_find(struct str name, struct err *err)
{
    if (!name.len || str_is(name, "auto"))
        return &devices[0];
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        if (str_is(name, devices[i].name))
            return &devices[i];
    err_set(err, ERR_INPUT, "there is no device %.*s; use %s", STRF(name),
            DEVICE_NAMES);
    return NULL;
}
