/* crew_gpus.h - which GPU of the room a member is trained on
 *
 * Each GPU has a trainer of its own, and members go to the one with the fewest.
 * One whose trainer has ended because it failed rests, longer each time, as
 * long as there is another; one that cannot be seen any more is gone. */
#ifndef THRONG_WORKER_CREW_GPUS_H
#define THRONG_WORKER_CREW_GPUS_H

#include "terms/room.h"

/* How a trainer ends whose GPU has failed (nn/cuda/gpu.cu), and one that was
 * told to leave where there is none. */
#define CREW_EXIT_FAILED 70
#define CREW_EXIT_ABSENT 69

struct crew_gpu {
    size_t members;    /* on it now */
    unsigned failures; /* in a row, no member having ended well between */
    int64_t rests_ns;  /* until then others are better */
    bool gone;
};
struct crew_gpus {
    struct crew_gpu list[ROOM_GPUS_MAX];
    char absent[256]; /* why the last that left did so; "": none has */
    bool told;        /* that the cpu takes its place */
};

/* One of those that were granted, or, where none of them can be used, of the
 * room's that are such as was asked for; -1: there is none. The best of what
 * there is, though it may be gone. */
int crew_gpus_choose(const struct crew_gpus *g, const struct room *r,
                     const struct grant *granted, int64_t now_ns);
/* There is another one, which is not gone. */
bool crew_gpus_has_other(const struct crew_gpus *g, const struct room *r,
                         const struct grant *granted, int at);
/* Its trainer ended because of it. */
void crew_gpu_failed(struct crew_gpu *g, int64_t now_ns);
/* Another study has it. */
void crew_gpu_taken(struct crew_gpu *g, int64_t now_ns);
/* A member ended well there. */
void crew_gpu_served(struct crew_gpu *g);

#endif
