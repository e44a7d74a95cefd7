/* here.h - this machine, as the room of a place
 *
 * A place that runs its tasks here has a struct here as its first member, so
 * that these functions are its operations as they are. Private to this
 * folder. */
#ifndef THRONG_ENGINE_HERE_H
#define THRONG_ENGINE_HERE_H

#include "engine/place.h"

struct here {
    struct arena *arena;
    struct machine machine;
    struct room room;
    const struct engine_setup *given; /* whose `parallel` may change */
    struct gpu_scout *scout;          /* NULL: nobody has looked yet */
    uint64_t told;                    /* its answers that are in readings */
};

void here_open(struct here *h, const struct engine_setup *setup);
void here_close(struct here *h);

/* Of struct place. */
int here_check(const void *place, const struct needs *n, struct err *err);
uint32_t here_slots(const void *place, const struct needs *n);
int64_t here_want(const void *place, const struct needs *n,
                  const struct load *held);
size_t here_gpus(const void *place);
void here_look(void *place, size_t gpu, struct gpu_use *use);

/* A look at all GPUs of the room: the payload of a RECORD_GPUS. False: it found
 * nothing that is newer than the last one. */
bool here_readings(struct here *h, struct buf *payload);

#endif
