/* nvrtc.h - NVIDIA's compiler as a library, where there is one
 *
 * Inside nn/cuda only. */
#ifndef THRONG_NN_CUDA_NVRTC_H
#define THRONG_NN_CUDA_NVRTC_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Compiles CUDA C++ for `kind` ("sm_90") as nvcc compiles kernels.inc. Only a
 * library of the version that throng was built with will do: others may make
 * other bits of the same functions. */
int nvrtc_compile(const char *text, const char *kind, struct buf *program,
                  struct err *err);
/* How, but for `kind`: a blank and an option, for each. */
void nvrtc_options(struct buf *b);
/* Whether there is one, its path or why there is none to `b`. */
bool nvrtc_find(struct buf *b);

#endif
