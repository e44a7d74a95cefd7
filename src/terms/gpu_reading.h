/* gpu_reading.h - what a look at the GPUs of a machine has found
 *
 * The program that runs tasks cannot ask for it where it is static; who can
 * tells it (RECORD_GPUS), a line for each GPU of its room, in that order. */
#ifndef THRONG_TERMS_GPU_READING_H
#define THRONG_TERMS_GPU_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

struct gpu_reading {
    double busy;   /* part of the last moments; NaN: nobody can tell */
    double joules; /* since the driver was loaded; NaN: the same */
    bool known;    /* the next one is */
    uint64_t used_bytes;
};

void gpu_reading_print(struct buf *b, const struct gpu_reading *r);
/* Takes the next off the payload; false: there is none, or it is damaged. */
bool gpu_reading_next(struct bytes *in, struct gpu_reading *r);

#endif
