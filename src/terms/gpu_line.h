/* gpu_line.h - what nvidia-smi prints of one GPU
 *
 * Where NVML cannot be loaded its program is asked instead, for a line a GPU:
 * INDEX, UUID, PERCENT, MIB, WATTS. It stands in brackets what a GPU does not
 * tell ("[N/A]", "[Not Supported]"), and may print anything else in between. */
#ifndef THRONG_TERMS_GPU_LINE_H
#define THRONG_TERMS_GPU_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

/* What it is asked for. */
#define GPU_LINE_QUERY                                                         \
    "--query-gpu=index,uuid,utilization.gpu,memory.used,power.draw"
#define GPU_LINE_FORMAT "--format=csv,noheader,nounits"

struct gpu_line {
    uint64_t index;
    struct str uuid; /* points into the line */
    double busy;     /* from 0 to 1; NaN: it does not tell */
    double watts;    /* NaN: the same */
    bool known;      /* the next one is */
    uint64_t used_bytes;
};

/* False: it is no such line. */
bool gpu_line_parse(struct str line, struct gpu_line *l);
/* True when CUDA_VISIBLE_DEVICES means this GPU by the id: its number, its UUID
 * or the beginning of that. A slice of a GPU has no line. */
bool gpu_line_is_of(const struct gpu_line *l, struct str id);

#endif
