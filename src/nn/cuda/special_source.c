/* special_source.c - the text of kernels for the shapes of one model
 *
 * Each is a body of kernels.inc (KERNEL_FOR) with its op as a constant. The op
 * stands there as the words that it is in memory, so that no field of it can be
 * forgotten. Blocks have as many threads as are launched, and the compiler is
 * told so, and for how many blocks a multiprocessor has fast memory. */
#include "nn/cuda/special.h"

#include <string.h>

#include "base/vec.h"
#include "nn/cuda/nvrtc.h"

/* Of a multiprocessor: compute capability 9.0; one with less has fewer blocks
 * than was said, which is no fault. */
#define FAST_OF_ALL ((size_t)228 << 10)
#define FAST_OF_BLOCK 1024 /* which the driver takes */
#define REGISTERS 65536
#define REGISTERS_LEAST 128 /* of a thread; fewer would not do */

static const struct {
    const char *name;
    bool special;
} kernels[GPU_KERNEL_COUNT] = {
#define KERNEL_ROW(name, waits, special) {#name, special},
    GPU_KERNELS(KERNEL_ROW)};

/* kernels.inc with all that it includes: tools/flatten. */
extern const char gpu_kernels_text[], gpu_kernels_text_end[];

/* How many blocks share a multiprocessor: of a small network as many as there
 * is room for, of others as the general kernel says (0). */
static int blocks_of(const struct gpu_launch *l)
{
    if (l->kernel != GPU_small_epoch && l->kernel != GPU_small_judge)
        return 0;
    size_t most = REGISTERS / REGISTERS_LEAST / (size_t)l->threads;
    size_t fit = FAST_OF_ALL / (l->fast_bytes + FAST_OF_BLOCK);
    fit = fit > most ? most : fit;
    return fit < 1 ? 1 : (int)fit;
}

static void add_op(struct buf *b, const struct gpu_launch *l, int number)
{
    uint64_t words[sizeof(l->op) / sizeof(uint64_t)];
    _Static_assert(sizeof(words) == sizeof(l->op), "an op is whole words");
    memcpy(words, &l->op, sizeof(words));
    buf_addf(b, "static __device__ const union words op_%d = {{", number);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        buf_addf(b, "%s0x%llx", i ? "," : "", (unsigned long long)words[i]);
    buf_adds(b, "}};\n");
}

static void add_kernel(struct buf *b, const struct gpu_launch *l, int number)
{
    const char *name = kernels[l->kernel].name;
    add_op(b, l, number);
    buf_addf(b, "extern \"C\" __global__ void __launch_bounds__(%d, ",
             l->threads);
    if (blocks_of(l))
        buf_addf(b, "%d", blocks_of(l));
    else
        buf_addf(b, "blocks_of_%s", name);
    buf_addf(b,
             ") " GPU_SPECIAL_NAME "(struct gpu_slot *slots)\n{\n"
             "    __builtin_assume(blockDim.x == %d);\n"
             "    __builtin_assume(threadIdx.x < %d);\n"
             "    __builtin_assume(gridDim.x == %d);\n"
             "    body_of_%s(op_%d.op, slots);\n}\n",
             number, l->threads, l->threads, l->blocks, name, number);
}

static bool is_same(const struct gpu_launch *a, const struct gpu_launch *b)
{
    return a->kernel == b->kernel && a->blocks == b->blocks &&
           a->threads == b->threads && a->fast_bytes == b->fast_bytes &&
           memcmp(&a->op, &b->op, sizeof(a->op)) == 0;
}

struct known {
    const struct gpu_launch **p;
    size_t len, cap;
};

static int number_of(struct known *known, const struct gpu_launch *l,
                     struct buf *text)
{
    for (size_t i = 0; i < known->len; i++)
        if (is_same(known->p[i], l))
            return (int)i + 1;
    vec_push(known, l);
    add_kernel(text, l, (int)known->len);
    return (int)known->len;
}

int special_source(struct lowered *l, struct buf *text)
{
    struct gpu_list *small[] = {&l->small, &l->small_judge};
    struct gpu_list *large[] = {&l->train, &l->judge, &l->blind};
    struct gpu_list **lists = l->small.len ? small : large;
    size_t count = l->small.len ? 2 : 3;
    struct known known = {0};
    int major, minor;
    gpu_special_version(&major, &minor);
    buf_addf(text, "// CUDA %d.%d", major, minor);
    nvrtc_options(text); /* what is kept was made with these */
    buf_adds(text, "\n#define GPU_SPECIAL\n");
    buf_add(text, gpu_kernels_text,
            (size_t)(gpu_kernels_text_end - gpu_kernels_text));
    buf_adds(text, "union words {\n"
                   "    uint64_t all[sizeof(gpu_op) / sizeof(uint64_t)];\n"
                   "    gpu_op op;\n};\n");
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < lists[k]->len; i++) {
            struct gpu_launch *one = &lists[k]->p[i];
            if (kernels[one->kernel].special)
                one->special = number_of(&known, one, text);
        }
    int all = (int)known.len;
    vec_done(&known);
    return all;
}
