/* lowering.h - how operations become launches
 *
 * Inside nn/cuda only: what lower.c and the files beside it share. */
#ifndef THRONG_NN_CUDA_LOWERING_H
#define THRONG_NN_CUDA_LOWERING_H

#include "nn/cuda/lower.h"

#define MOST_BLOCKS 1024 /* of a kernel whose threads take several numbers */

enum {
    GEMM_TILE = 64,
    WIDE_TILE = 128,
    WIDE_LEAST = 96,
    STEPS_TILE = GPU_STRIP, /* kernels_steps.inc */
    STEPS_RUN = 8,
    /* Weights and moments of a tile, sums of half of it. */
    STEPS_OWN_BYTES = (48 << 10) + 16 * 4 * 16 * 10,
    STEPS_A_BYTES = 16 * 16 * 18, /* a slice of inputs */
    STEPS_B_BYTES = 16 * 16 * 17, /* a slice of the strip */
    STEPS_GATE_BYTES = 16,
    STEPS_ROOM = 112 << 10, /* two blocks share a multiprocessor */
    STEPS_LEAST = 3,
    STEPS_MOST = 8,
    TENSOR_TILE = 64, /* columns of a tile of 8,192 sums: gemm_tensor.inc */
    TENSOR_FEW = 32,
    TALL_TILE = 128,
    TALL_COLUMNS = 64,
    TALL_FEW = 32,
    TALL_LEAST = 16,
    DEEP_ROWS = 144,
    DEEP_COLUMNS = 64,
    PART_PLACES = 2048,
    MOST_PARTS = 32,
    FEW_UNDER = 16,
    FEW_COLUMNS = 32,
    FEW_TAPS = 64,
    GATHER_EACH = 16, /* numbers of a thread */
    MOST_TAPS = 256,
    MOST_TOUCHED = 32, /* taps: kernels_deep.inc */
    FEW_EACH = 16,     /* windows of a thread */
    UNITS_MOST = 16,   /* kernels_units.inc */
    UNITS_LEAST = 64,
    UNITS_MOST_ROWS = 1024,
    UNITS_ROWS = 64,
    UNITS_INPUTS = 128,
    PART_INPUTS = 512,
    FEW_TILES = 4, /* whose depth is shared by blocks, where it is much */
    MOST_DENSE_PARTS = 16,
    COLUMNS = 8,
    RECURRENT_ROWS = 4,
    NORM_ABREAST = 8,     /* threads: kernels_norm.inc */
    NORM_BLOCKS = 512,    /* that share the rows of a batch norm */
    NORM_PART_ROWS = 128, /* at least */
    NORM_EACH_ROWS = 256, /* of a block that sums nothing */
    DEPTH_SIDE = 3,       /* kernels_depthwise.inc */
    DEPTH_BESIDE = 4,
    DEPTH_COLUMNS = 32,
    DEPTH_BLOCKS = 512,
    DEPTH_PART_RUNS = 64,
    UNDER_MOST = 160, /* kernels_under.inc */
    UNDER_TILE = 32,
    UNDER_WINDOWS = 128, /* of a block */
    UNDER_BLOCKS = 528,
    PART_BLOCKS = 198, /* of gradients of one layer's weights, at least */
    PART_LEAST = 256,  /* places of a part, then */
    WARP = 32,
    WORD_BLOCKS = 32,
    LOOK_EACH = 4096, /* numbers of a block */
    PREPARE_BLOCKS = 2
};

static inline const struct nn_shape *shape_of(const struct lowered *l,
                                              int tensor)
{
    return &l->program.graph->tensors.p[tensor].shape;
}

static inline int last_axis(const struct lowered *l, int tensor)
{
    const struct nn_shape *s = shape_of(l, tensor);
    return s->rank ? (int)s->dim[s->rank - 1] : 1;
}

static inline int64_t count_of(const struct lowered *l, int tensor)
{
    return nn_shape_count(shape_of(l, tensor));
}

static inline void launch(struct gpu_list *list, enum gpu_kernel kernel,
                          int64_t blocks, const struct gpu_op *op)
{
    struct gpu_launch one = {.kernel = kernel,
                             .blocks = blocks < 1 ? 1 : (int)blocks,
                             .threads = GPU_THREADS,
                             .op = *op};
    vec_push(list, one);
}

/* One thread for each number, or for several. */
static inline void launch_each(struct gpu_list *list, enum gpu_kernel kernel,
                               int64_t numbers, const struct gpu_op *op)
{
    int64_t blocks = (numbers + GPU_THREADS - 1) / GPU_THREADS;
    launch(list, kernel, blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks, op);
}

/* One for each four. */
static inline void launch_fours(struct gpu_list *list, enum gpu_kernel kernel,
                                int64_t numbers, const struct gpu_op *op)
{
    launch_each(list, kernel, (numbers + 3) / 4, op);
}

/* A block for each tile of sums. */
static inline void launch_tiles(struct gpu_list *list, enum gpu_kernel kernel,
                                int64_t rows, int64_t down, int64_t columns,
                                int64_t across, const struct gpu_op *op)
{
    launch(list, kernel,
           (rows + down - 1) / down * ((columns + across - 1) / across), op);
}

static inline void launch_product(struct gpu_list *list, enum gpu_kernel kernel,
                                  int64_t rows, int64_t columns,
                                  const struct gpu_op *op)
{
    launch_tiles(list, kernel, rows, GEMM_TILE, columns, GEMM_TILE, op);
}

static inline void launch_columns(struct gpu_list *list, enum gpu_kernel kernel,
                                  int64_t columns, const struct gpu_op *op)
{
    launch(list, kernel, (columns + COLUMNS - 1) / COLUMNS, op);
}

/* What is lowered now, and where to. */
struct at {
    const struct lowered *l;
    const struct nn_op *op;
    const struct nn_back *back;
    struct gpu_list *list;
    int64_t batch;
    bool masked;
};

static inline int64_t param_at(const struct at *a, int which)
{
    int param = a->op->param[which];
    return param < 0 ? -1 : a->l->program.graph->params.p[param].offset;
}

/* Where the tokens are that say how long the rows of a tensor are. */
static inline void set_lengths(const struct at *a, struct gpu_op *o, int tensor)
{
    int tokens = a->l->program.graph->tensors.p[tensor].lengths;
    o->tokens = tokens < 0 ? -1 : a->l->layout.value[tokens];
}

/* Products by gemm_tensor.inc, in tiles of `tile` columns. */
static inline void launch_tensor(struct gpu_list *list, enum gpu_kernel kernel,
                                 int64_t rows, int64_t columns, int tile,
                                 const struct gpu_op *op)
{
    const int down = 8192 / tile, slice = 16 * (down + tile);
    launch_tiles(list, kernel, rows, down, columns, tile, op);
    list->p[list->len - 1].threads = GPU_FEW;
    list->p[list->len - 1].fast_bytes = (size_t)(4 * slice) * sizeof(float);
}

typedef void lower_fn(const struct at *a, struct gpu_op *o);

/* lower.c: what makes the gradient of parameter `which` and may take the
 * step. */
struct gpu_op lower_stepping(const struct at *a, const struct gpu_op *o,
                             int which);
void lower_bias(const struct at *a, const struct gpu_op *o);
/* The operation that alone takes a tensor, which no head reads; or NULL. */
const struct nn_op *lower_only_taker(const struct lowered *l, int tensor);
/* The operation whose activation and dropout this one undoes in the gradient of
 * its input; or NULL. */
const struct nn_op *lower_undone(const struct lowered *l,
                                 const struct nn_op *op);
/* Undoes activation and dropout, where nobody has. */
void lower_unfinish(const struct at *a, const struct gpu_op *o);

/* lower_window.c. Parts that gradients of a convolution's weights are summed
 * in, each of enough places; 1: all at once. */
int lower_parts(const struct lowered *l, const struct nn_op *op);
lower_fn lower_conv_forward, lower_conv_backward;
lower_fn lower_deconv_forward, lower_deconv_backward;
lower_fn lower_pool_forward, lower_pool_backward;
/* The dropout that a pooling does at once: what alone takes its output, in
 * whose memory it lies; or NULL. */
const struct nn_op *lower_pool_dropout(const struct lowered *l,
                                       const struct nn_op *op);
lower_fn lower_pool_all_forward, lower_pool_all_backward;
lower_fn lower_upsample_forward, lower_upsample_backward;

/* lower_norm.c. */
lower_fn lower_batch_norm_forward, lower_batch_norm_backward;
lower_fn lower_layer_norm_forward, lower_layer_norm_backward;
/* Numbers that blocks leave for the one that adds them. */
int64_t lower_norm_spare(const struct lowered *l, const struct nn_op *op);
/* The activation that a batch norm does at once: what alone takes its output;
 * or NULL. */
const struct nn_op *lower_norm_activation(const struct lowered *l,
                                          const struct nn_op *op);

/* lower_recurrent.c. */
lower_fn lower_recurrent_forward, lower_recurrent_backward;
/* Recurrent layers of one input that follow each other, as the two directions
 * of one do, need nothing of each other: the steps of both, which fill no GPU,
 * run side by side, among launches from `first` on. */
void lower_pair_steps(struct gpu_list *list, size_t first);
/* Fast memory that steps need before any weights. */
size_t lower_recurrent_bytes(int64_t units, int64_t gates, bool back);

#endif
