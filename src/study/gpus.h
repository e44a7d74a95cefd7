/* gpus.h - whether anything has come onto a GPU; internal to src/study */
#ifndef THRONG_STUDY_GPUS_H
#define THRONG_STUDY_GPUS_H

#include "sys/sys.h"

#define GPU_CONTEXT_BYTES (32ull << 20) /* less than any CUDA context takes */

/* True when nothing has come onto the GPU since `before`, in which the least
 * memory in use is kept. False also where nobody knows. */
bool gpu_is_as_before(struct gpu_use *before, const struct gpu_use *now);

#endif
