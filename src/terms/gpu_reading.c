/* gpu_reading.c - what a look at the GPUs of a machine has found */
#include "terms/gpu_reading.h"

#include <math.h>

void gpu_reading_print(struct buf *b, const struct gpu_reading *r)
{
    buf_add_f64(b, r->busy);
    buf_add_f64(b, r->joules);
    buf_add_u8(b, r->known);
    buf_add_u64(b, r->used_bytes);
}

/* A driver may say anything. */
static double at_least_0(double x)
{
    return isfinite(x) && x >= 0 ? x : NAN;
}

bool gpu_reading_next(struct bytes *in, struct gpu_reading *r)
{
    struct gpu_reading read = {0};
    read.busy = at_least_0(bytes_f64(in));
    read.joules = at_least_0(bytes_f64(in));
    read.known = bytes_u8(in) != 0;
    read.used_bytes = bytes_u64(in);
    if (in->bad)
        return false;
    if (read.busy > 1)
        read.busy = 1;
    *r = read;
    return true;
}
