/* faulty_kernels.h - kernels with a fault each, and the same without it */
#ifndef THRONG_TESTS_NN_FAULTY_KERNELS_H
#define THRONG_TESTS_NN_FAULTY_KERNELS_H

#include "nn/cuda/host.h"

struct faulty {
    struct gpu_kernel_here kernel;
    int blocks, threads;
    const char *fault; /* what is said of it; NULL: it has none */
};
extern const struct faulty faulty_kernels[]; /* then one without a name */

enum { FAULTY_FAST = 4096 }; /* bytes of fast memory */

#endif
