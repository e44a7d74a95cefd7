/* device.h - what built-in training computes on
 *
 * The names that study files, tasks and command lines use, and what must be
 * known of a device by whoever only plans. nn has what computes there. */
#ifndef THRONG_TERMS_DEVICE_H
#define THRONG_TERMS_DEVICE_H

#include "base/err.h"
#include "base/str.h"

struct device {
    const char *name;
    const char *about; /* one line for people */
    int members;       /* of a cohort at once, at most */
};

/* The first is the default. */
#define DEVICE_NAMES "cpu, portable or reference"
enum { DEVICE_COUNT = 3 };
extern const struct device devices[DEVICE_COUNT];

/* An empty name and "auto" are the default. NULL and err: there is none of
 * that name. */
const struct device *device_find(struct str name, struct err *err);

#endif
