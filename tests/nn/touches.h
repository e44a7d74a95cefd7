/* touches.h - what kernels do that a GPU may do in another order
 *
 * While it looks on, every read and write of a kernel that runs here
 * (nn/cuda/host_kernels.c, compiled so that they are told) is compared with
 * those of other threads: it is a fault where one of two writes and nothing,
 * no barrier, no gate, no end of a launch, says which is first. So it is when
 * something is looked at before it was fetched, when a gate is used that may
 * not be made yet, when what FROM_SLOW reads is written by the same launch, and
 * when memory is touched that is not the device's, or not as its size wants it.
 */
#ifndef THRONG_TESTS_NN_TOUCHES_H
#define THRONG_TESTS_NN_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "nn/cuda/work.h"

/* Before anything is allocated there. */
void touches_begin(void);
/* How many faults there were; the first of each kind in words. */
size_t touches_end(struct buf *faults);
/* That this kernel was looked at, at some time. */
bool touches_seen(enum gpu_kernel k);

#endif
