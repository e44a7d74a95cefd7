/* gpu.h - the machine that runs kernels
 *
 * Inside nn/cuda only. Two implement it: a GPU (gpu.cu), and this process
 * (host.c), which runs every thread of every block one after another, for tests
 * where there is no GPU. Everything given to it is done in order; what it
 * allocates is its own memory, which nobody else may touch. A GPU that fails
 * ends the process. */
#ifndef THRONG_NN_CUDA_GPU_H
#define THRONG_NN_CUDA_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "nn/cuda/work.h"

struct gpu_machine;

/* Why there is none, in words; NULL: there is one. */
const char *gpu_absent(void);
/* What it is: "NVIDIA H200, 139 GiB, compute capability 9.0, driver for CUDA
 * 13.0". False: it does not say, and why. */
bool gpu_describe(struct buf *b);
uint64_t gpu_free_bytes(void); /* now; 0: nobody knows */
uint64_t gpu_all_bytes(void);  /* whoever has them; 0: the same */
/* Fast memory that one block may have. */
size_t gpu_fast_bytes(void);

/* NULL and err: there is none, or no room. */
struct gpu_machine *gpu_open(struct err *err);
void gpu_close(struct gpu_machine *g);

/* Zeroed. NULL and err: there is no room. */
void *gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err);
void gpu_release(struct gpu_machine *g, void *memory); /* NULL is accepted */
/* Memory of the host that is copied from and to at full speed, zeroed; NULL and
 * err: there is no room. */
void *gpu_alloc_here(struct gpu_machine *g, size_t bytes, struct err *err);
void gpu_release_here(struct gpu_machine *g, void *memory);
/* `from` may be changed at once, unless it is gpu_alloc_here's. */
void gpu_put(struct gpu_machine *g, void *to, const void *from, size_t bytes);
void gpu_take(struct gpu_machine *g, void *to, const void *from, size_t bytes);
void gpu_copy(struct gpu_machine *g, void *to, const void *from, size_t bytes);
void gpu_zero(struct gpu_machine *g, void *to, size_t bytes);
/* Waits until all is done that was given to this machine, or to any of this
 * process: before that another must not read what this one writes, nor may it
 * be released. */
void gpu_finish(struct gpu_machine *g);
void gpu_finish_all(void);

/* One kernel on all slots: `blocks` of `threads` threads for each. */
struct gpu_launch {
    enum gpu_kernel kernel;
    int blocks, threads;
    size_t fast_bytes; /* of fast memory, beside what the kernel names */
    bool beside;       /* the launch before it, which needs nothing of it */
    int special;       /* its kernel for this model, from 1 on; 0: none */
    struct gpu_op op;
};
/* Launches that are given together many times. */
struct gpu_list {
    struct gpu_launch *p;
    size_t len, cap;
};
/* Gives the list `times` times. `list` is remembered by its place and length:
 * it may not change as long as `g` is open, and `slots` neither. */
void gpu_run(struct gpu_machine *g, const struct gpu_list *list,
             struct gpu_slot *slots, int slot_count, int64_t times);
/* Lets the host be at most this far ahead: waits until what was given before
 * the last call of it is done. */
void gpu_keep_pace(struct gpu_machine *g);
/* It would wait now. */
bool gpu_is_busy(const struct gpu_machine *g);

/* ---- kernels for the shapes of one model: special.h ---------------------- */

/* What they are compiled for here, "sm_90"; NULL: there are none here. */
const char *gpu_special_for(void);
/* The compiler's version that comes to the same bits as the general kernels;
 * 0: nothing has to. */
void gpu_special_version(int *major, int *minor);
/* How kernel number 1, 2, … is called. */
#define GPU_SPECIAL_NAME "special_%d"
/* From now on launches with a number have the kernel of that number of such a
 * program, of `count`. False: it cannot be used. */
bool gpu_special_take(struct gpu_machine *g, struct str program, int count);

#endif
