/* looks.h - what programs have of GPUs and wait for, as seen from outside
 *
 * Nobody asks a program what it does: its GPUs and its processes are looked at
 * from time to time, and what a look finds stands for the time since the one
 * before. One look is for all attempts. What comes of it goes into an
 * attempt's struct use; a program that is gone before the first look has
 * none. */
#ifndef THRONG_WORKER_LOOKS_H
#define THRONG_WORKER_LOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "terms/room.h"

struct worker;

struct looked_gpu {
    bool known;
    uint64_t others_bytes; /* in use while no task was on it */
    double joules;         /* at the last look; NaN: not known */
};
struct looks {
    int64_t gpus_ns, processes_ns; /* the last ones; 0: none yet */
    int64_t cost_ns;               /* of the last one at processes */
    struct looked_gpu gpus[ROOM_GPUS_MAX];
};

/* Takes the payload of a RECORD_GPUS, or the same from gpu_watch.c. The energy
 * of a GPU, and its memory above what was in use before, are shared out equally
 * among those who are on it. */
void looks_gpus(struct worker *w, struct str payload);
/* After a census: who waits for disks? Looks at most once a second, and less
 * often where that is dear. */
void looks_processes(struct worker *w);

#endif
