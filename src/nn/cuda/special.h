/* special.h - kernels compiled for the shapes of one model
 *
 * Inside nn/cuda only. What a kernel works on follows from the model (struct
 * gpu_op), and a compiler that knows it leaves out most of what a kernel
 * computes beside the numbers themselves: places, ends of loops, ways that are
 * not taken. Where NVIDIA's run-time compiler is there (libnvrtc), a cohort
 * that trains for a while gets such kernels. They are compiled by a process of
 * its own meanwhile, kept in the person's cache, and taken between two rounds:
 * they come to the same bits as the others. */
#ifndef THRONG_NN_CUDA_SPECIAL_H
#define THRONG_NN_CUDA_SPECIAL_H

#include "base/buf.h"
#include "nn/cuda/lower.h"

/* Numbers the launches that are worth it, the same work the same, and adds the
 * text that nvcc makes their kernels of (kernels.inc is in it); how many. */
int special_source(struct lowered *l, struct buf *text);
/* Those of one cohort. */
struct special;
/* Changes the launches. NULL in `to`: there will be none. Fails only where they
 * were asked for (special.c). */
int special_open(struct special **to, struct gpu_machine *g, struct lowered *l,
                 struct err *err);
/* Between two rounds: takes them when they are there, and has them compiled
 * when the cohort has trained for long enough. */
void special_turn(struct special *s);
void special_close(struct special *s); /* NULL is accepted */

#endif
