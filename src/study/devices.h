/* devices.h - which device `auto` is; internal to src/study */
#ifndef THRONG_STUDY_DEVICES_H
#define THRONG_STUDY_DEVICES_H

#include "sys/sys.h"
#include "terms/device_cost.h"

struct device_asked {
    const struct machine *machine;
    const char *worker, *cuda_worker;
    const char *scratch; /* a file to be made meanwhile */
};
/* False: one of them is not there, or makes no sense. */
bool device_paces(const struct device_asked *q, struct device_pace *cpu,
                  struct device_pace *gpu);

#endif
