/* gpu.cu - a GPU as the machine that runs kernels
 *
 * Everything of a machine goes through one stream; several machines work at
 * the same time. A list of launches that is given again and again becomes a
 * graph, so that a step is one call. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/cuda/kernels.inc"

/* C++ has another word for it. */
#define _Noreturn __attribute__((noreturn))
extern "C" {
#include "nn/cuda/gpu.h"
}

#define GRAPHS 24     /* that are kept, the longest unused goes first */
#define LEAST_MAJOR 8 /* compute capability 8.0: Ampere */
#define FAST_NAMED 8192 /* bytes of fast memory for what kernels name */
#define KEPT_BYTES ((uint64_t)256 << 20) /* of what is released, for the next */

struct graph {
    const struct gpu_launch *list;
    size_t len;
    const struct gpu_slot *slots;
    int slot_count;
    cudaGraphExec_t exec;
    uint64_t used;
};

/* What loads programs: the driver has it, its runtime library not in all
 * versions. */
struct driver {
    CUresult (*load)(CUmodule *m, const void *program);
    CUresult (*unload)(CUmodule m);
    CUresult (*find)(CUfunction *f, CUmodule m, const char *name);
    CUresult (*set)(CUfunction f, CUfunction_attribute a, int value);
    CUresult (*launch)(CUfunction f, unsigned x, unsigned y, unsigned z,
                       unsigned tx, unsigned ty, unsigned tz, unsigned fast,
                       CUstream stream, void **arguments, void **more);
};

/* Kernels for the shapes of one model. */
struct special_kernels {
    struct driver driver;
    CUmodule module;
    CUfunction *function; /* NULL: there are none */
    int count;
};

struct gpu_machine {
    cudaStream_t stream;
    cudaStream_t side; /* for launches beside others */
    cudaEvent_t fork, join;
    cudaEvent_t pace[2];
    int turn;
    struct graph graphs[GRAPHS];
    uint64_t uses;
    struct special_kernels special;
};

static const void *const kernels[GPU_KERNEL_COUNT] = {
#define KERNEL_ROW(name, waits, special) (const void *)kernel_##name,
    GPU_KERNELS(KERNEL_ROW)};

/* Those that are launched with fast memory of any size. */
static const enum gpu_kernel with_fast[] = {
    GPU_small_epoch,         GPU_small_judge,        GPU_tensor_steps,
    GPU_tensor_forward,      GPU_tensor_inputs,      GPU_tensor_parts,
    GPU_tensor_conv_forward, GPU_tensor_conv_inputs, GPU_lstm_forward,
    GPU_lstm_backward,       GPU_gru_forward,        GPU_gru_backward};

/* After an error nothing on the device can be believed, and nothing of the
 * process be used again: it ends, and whoever started it begins its members
 * anew elsewhere, from their checkpoints. */
static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "the GPU failed: %s: %s\n", what, cudaGetErrorString(e));
    fflush(stderr);
    _Exit(70);
}

/* True: it is out of memory, which is forgotten. Any other error ends the
 * process. */
static bool is_full(cudaError_t e, const char *what)
{
    if (e != cudaErrorMemoryAllocation) {
        check(e, what);
        return false;
    }
    cudaGetLastError();
    return true;
}

/* ---- what is there ------------------------------------------------------- */

static bool read_kind(int *major, int *minor)
{
    return cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor,
                                  0) == cudaSuccess &&
           cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor,
                                  0) == cudaSuccess;
}

/* Why none of the kernels can run on it; NULL: they can. For a GPU that nvcc has
 * not compiled them for the driver does, if it understands what nvcc has left
 * it. Any other error, such as no memory, says nothing of them. */
static const char *look_at_kernels(int major, int minor)
{
    static char text[256];
    cudaFuncAttributes a;
    const char *why = NULL;
    cudaError_t e = cudaFuncGetAttributes(&a, kernels[0]);
    if (e != cudaSuccess)
        cudaGetLastError();
    if (e == cudaErrorNoKernelImageForDevice ||
        e == cudaErrorInvalidDeviceFunction)
        why = "it has to be built for that, with a CUDA that knows it";
    if (e == cudaErrorUnsupportedPtxVersion || e == cudaErrorInvalidPtx)
        why = "the driver of this machine is too old to make some";
    if (e == cudaErrorJitCompilerNotFound ||
        e == cudaErrorJitCompilationDisabled)
        why = "the driver of this machine cannot make some";
    if (!why)
        return NULL;
    snprintf(text, sizeof(text),
             "throng-worker-cuda has no kernels for this GPU (sm_%d%d), and %s",
             major, minor, why);
    return text;
}

static const char *say_old(int major, int minor)
{
    static char text[128];
    snprintf(text, sizeof(text),
             "the GPU is older than compute capability 8.0 (Ampere): it has "
             "%d.%d, which programs can use",
             major, minor);
    return text;
}

static const char *look(void)
{
    int driver = 0, count = 0, major = 0, minor = 0;
    cudaDriverGetVersion(&driver);
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e != cudaSuccess)
        cudaGetLastError();
    if (driver == 0)
        return "this machine has no NVIDIA driver (libcuda.so.1): it has to be "
               "installed, or the container to be started with its GPUs";
    if (e == cudaErrorInsufficientDriver)
        return "the NVIDIA driver of this machine is older than the CUDA that "
               "throng-worker-cuda was built with: update it, or build "
               "throng with an older CUDA";
    if (e == cudaErrorNoDevice || (e == cudaSuccess && count == 0))
        return "no NVIDIA GPU can be seen (there is none, or "
               "CUDA_VISIBLE_DEVICES or a container hides it)";
    if (e != cudaSuccess)
        return cudaGetErrorString(e);
    if (!read_kind(&major, &minor) || major < LEAST_MAJOR)
        return say_old(major, minor);
    return look_at_kernels(major, minor);
}

extern "C" const char *gpu_absent(void)
{
    static const char *why;
    static bool known;
    if (!known) {
        why = look();
        known = true;
    }
    return why;
}

extern "C" bool gpu_describe(struct buf *b)
{
    cudaDeviceProp p;
    int driver = 0;
    cudaError_t e = cudaGetDeviceProperties(&p, 0);
    if (e != cudaSuccess) {
        buf_addf(b, "the GPU does not say what it is: %s",
                 cudaGetErrorString(e));
        return false;
    }
    cudaDriverGetVersion(&driver);
    buf_addf(b, "%s, %zu GiB, compute capability %d.%d, driver for CUDA %d.%d",
             p.name, p.totalGlobalMem >> 30, p.major, p.minor, driver / 1000,
             driver % 1000 / 10);
    return true;
}

/* Asking takes memory, too, the first time: others may have left too little of
 * it. */
extern "C" uint64_t gpu_free_bytes(void)
{
    size_t left = 0, all = 0;
    cudaError_t e = gpu_absent() ? cudaErrorNoDevice
                                 : cudaMemGetInfo(&left, &all);
    if (e != cudaSuccess)
        cudaGetLastError();
    return e == cudaSuccess || e == cudaErrorMemoryAllocation ? left + 1 : 0;
}

extern "C" uint64_t gpu_all_bytes(void)
{
    cudaDeviceProp p;
    if (gpu_absent() || cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 0;
    return p.totalGlobalMem;
}

extern "C" size_t gpu_fast_bytes(void)
{
    int bytes = 0;
    if (gpu_absent() ||
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               0) != cudaSuccess)
        return 0;
    return bytes > FAST_NAMED ? (size_t)(bytes - FAST_NAMED) : 0;
}

/* ---- memory -------------------------------------------------------------- */

/* Members come and go by the thousand: asking the driver for each array would
 * take longer than to train some. */
static void keep_released(void)
{
    cudaMemPool_t pool;
    uint64_t kept = KEPT_BYTES;
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "memory");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
          "memory");
}

/* The first use of a kernel takes memory for it, and so does the first of the
 * GPU: all that can be used is asked for something, while there is some. */
static bool load_is_full(void)
{
    cudaFuncAttributes a;
    bool full = is_full(cudaFree(NULL), "the GPU");
    for (int i = 0; i < GPU_KERNEL_COUNT; i++)
        full = full ||
               is_full(cudaFuncGetAttributes(&a, kernels[i]), "a kernel");
    for (size_t i = 0; i < sizeof(with_fast) / sizeof(with_fast[0]); i++)
        full = full ||
               is_full(cudaFuncSetAttribute(
                           kernels[with_fast[i]],
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           (int)gpu_fast_bytes()),
                       "fast memory");
    return full;
}

static bool stream_is_full(cudaStream_t *stream)
{
    return is_full(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                   "a stream");
}

static bool event_is_full(cudaEvent_t *event, unsigned flags)
{
    return is_full(
        cudaEventCreateWithFlags(event, cudaEventDisableTiming | flags),
        "an event");
}

extern "C" struct gpu_machine *gpu_open(struct err *err)
{
    if (gpu_absent()) {
        err_set(err, ERR_MISSING, "%s", gpu_absent());
        return NULL;
    }
    struct gpu_machine *g = (struct gpu_machine *)calloc(1, sizeof(*g));
    if (!g)
        abort();
    if (load_is_full() || stream_is_full(&g->stream) ||
        stream_is_full(&g->side) || event_is_full(&g->fork, 0) ||
        event_is_full(&g->join, 0) ||
        event_is_full(&g->pace[0], cudaEventBlockingSync) ||
        event_is_full(&g->pace[1], cudaEventBlockingSync)) {
        gpu_close(g);
        err_set(err, ERR_LIMIT, "the GPU has no memory left to begin with");
        return NULL;
    }
    keep_released();
    return g;
}

static void close_event(cudaEvent_t event)
{
    if (event)
        cudaEventDestroy(event);
}

static void forget_graphs(struct gpu_machine *g)
{
    for (int i = 0; i < GRAPHS; i++)
        if (g->graphs[i].exec)
            cudaGraphExecDestroy(g->graphs[i].exec);
    memset(g->graphs, 0, sizeof(g->graphs));
}

static void close_special(struct gpu_machine *g)
{
    struct special_kernels *k = &g->special;
    if (!k->function)
        return;
    k->driver.unload(k->module);
    free(k->function);
    *k = {};
}

/* As far as it was opened. What was released is the GPU's again only when
 * somebody waits for a stream: the next who plans must see it. */
extern "C" void gpu_close(struct gpu_machine *g)
{
    if (!g)
        return;
    if (g->stream)
        cudaStreamSynchronize(g->stream);
    forget_graphs(g);
    close_special(g);
    close_event(g->fork);
    close_event(g->join);
    close_event(g->pace[0]);
    close_event(g->pace[1]);
    if (g->side)
        cudaStreamDestroy(g->side);
    if (g->stream)
        cudaStreamDestroy(g->stream);
    free(g);
}

extern "C" void *gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err)
{
    void *p = NULL;
    if (is_full(cudaMallocAsync(&p, bytes ? bytes : 1, g->stream), "memory")) {
        err_set(err, ERR_LIMIT, "the GPU has no memory for %zu bytes", bytes);
        return NULL;
    }
    gpu_zero(g, p, bytes);
    return p;
}

extern "C" void gpu_release(struct gpu_machine *g, void *memory)
{
    if (memory)
        check(cudaFreeAsync(memory, g->stream), "memory");
}

extern "C" void *gpu_alloc_here(struct gpu_machine *g, size_t bytes,
                                struct err *err)
{
    void *p = NULL;
    (void)g;
    if (cudaMallocHost(&p, bytes ? bytes : 1) != cudaSuccess) {
        cudaGetLastError();
        err_set(err, ERR_LIMIT, "no memory for %zu bytes beside the GPU",
                bytes);
        return NULL;
    }
    memset(p, 0, bytes);
    return p;
}

extern "C" void gpu_release_here(struct gpu_machine *g, void *memory)
{
    (void)g;
    if (memory)
        check(cudaFreeHost(memory), "memory");
}

extern "C" void gpu_put(struct gpu_machine *g, void *to, const void *from,
                        size_t bytes)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, g->stream),
          "a copy to it");
}

extern "C" void gpu_take(struct gpu_machine *g, void *to, const void *from,
                         size_t bytes)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, g->stream),
          "a copy from it");
    check(cudaStreamSynchronize(g->stream), "waiting");
}

extern "C" void gpu_copy(struct gpu_machine *g, void *to, const void *from,
                         size_t bytes)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, g->stream),
          "a copy");
}

extern "C" void gpu_zero(struct gpu_machine *g, void *to, size_t bytes)
{
    check(cudaMemsetAsync(to, 0, bytes, g->stream), "memory");
}

extern "C" void gpu_finish(struct gpu_machine *g)
{
    check(cudaStreamSynchronize(g->stream), "waiting");
}

extern "C" void gpu_finish_all(void)
{
    check(cudaDeviceSynchronize(), "waiting");
}

/* ---- launches ------------------------------------------------------------ */

/* The op is a constant of such a kernel. */
static void give_special(const struct special_kernels *k,
                         const struct gpu_launch *l, struct gpu_slot *slots,
                         int slot_count, cudaStream_t stream)
{
    void *arguments[] = {&slots};
    CUresult rc = k->driver.launch(
        k->function[l->special - 1], (unsigned)l->blocks, (unsigned)slot_count,
        1, (unsigned)l->threads, 1, 1, (unsigned)l->fast_bytes, stream,
        arguments, NULL);
    check(rc == CUDA_SUCCESS ? cudaSuccess : cudaErrorLaunchFailure,
          "a kernel for this model");
}

static void give_one(const struct gpu_machine *g, const struct gpu_launch *l,
                     struct gpu_slot *slots, int slot_count,
                     cudaStream_t stream)
{
    if (l->special && g->special.function) {
        give_special(&g->special, l, slots, slot_count, stream);
        return;
    }
    struct gpu_op op = l->op;
    void *arguments[] = {&op, &slots};
    check(cudaLaunchKernel(kernels[l->kernel],
                           dim3((unsigned)l->blocks, (unsigned)slot_count),
                           dim3((unsigned)l->threads), arguments, l->fast_bytes,
                           stream),
          "a kernel");
}

/* Beside the launch before it, since `fork`. */
static void give_beside(struct gpu_machine *g, const struct gpu_launch *l,
                        struct gpu_slot *slots, int slot_count)
{
    check(cudaStreamWaitEvent(g->side, g->fork, 0), "an event");
    give_one(g, l, slots, slot_count, g->side);
    check(cudaEventRecord(g->join, g->side), "an event");
    check(cudaStreamWaitEvent(g->stream, g->join, 0), "an event");
}

static void give(struct gpu_machine *g, const struct gpu_list *list,
                 struct gpu_slot *slots, int slot_count)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct gpu_launch *l = &list->p[i];
        if (i + 1 < list->len && l[1].beside)
            check(cudaEventRecord(g->fork, g->stream), "an event");
        if (l->beside)
            give_beside(g, l, slots, slot_count);
        else
            give_one(g, l, slots, slot_count, g->stream);
    }
}

static bool is_of(const struct graph *k, const struct gpu_list *list,
                  const struct gpu_slot *slots, int slot_count)
{
    return k->exec && k->list == list->p && k->len == list->len &&
           k->slots == slots && k->slot_count == slot_count;
}

static struct graph *oldest(struct gpu_machine *g)
{
    struct graph *old = &g->graphs[0];
    for (int i = 1; i < GRAPHS; i++)
        if (g->graphs[i].used < old->used)
            old = &g->graphs[i];
    return old;
}

/* NULL: the GPU has no memory for it, now. */
static cudaGraphExec_t make_graph(struct gpu_machine *g,
                                  const struct gpu_list *list,
                                  struct gpu_slot *slots, int slot_count)
{
    cudaGraph_t captured;
    cudaGraphExec_t exec = NULL;
    check(cudaStreamBeginCapture(g->stream, cudaStreamCaptureModeRelaxed),
          "a graph");
    give(g, list, slots, slot_count);
    check(cudaStreamEndCapture(g->stream, &captured), "a graph");
    bool full = is_full(cudaGraphInstantiate(&exec, captured, 0), "a graph");
    check(cudaGraphDestroy(captured), "a graph");
    if (full)
        return NULL;
    /* Takes the memory that launches need. */
    if (is_full(cudaGraphUpload(exec, g->stream), "a graph")) {
        check(cudaGraphExecDestroy(exec), "a graph");
        return NULL;
    }
    return exec;
}

/* The same. */
static struct graph *graph_of(struct gpu_machine *g,
                              const struct gpu_list *list,
                              struct gpu_slot *slots, int slot_count)
{
    for (int i = 0; i < GRAPHS; i++)
        if (is_of(&g->graphs[i], list, slots, slot_count))
            return &g->graphs[i];
    struct graph *k = oldest(g);
    if (k->exec)
        check(cudaGraphExecDestroy(k->exec), "a graph");
    *k = (struct graph){list->p, list->len, slots, slot_count, NULL, 0};
    k->exec = make_graph(g, list, slots, slot_count);
    return k->exec ? k : NULL;
}

/* What there is no memory for a graph of is given launch by launch: slower, and
 * the same. The next call tries again. */
extern "C" void gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                        struct gpu_slot *slots, int slot_count, int64_t times)
{
    struct graph *k =
        times > 1 ? graph_of(g, list, slots, slot_count) : NULL;
    if (k)
        k->used = ++g->uses;
    for (int64_t i = 0; i < times; i++)
        if (!k || is_full(cudaGraphLaunch(k->exec, g->stream), "a graph"))
            give(g, list, slots, slot_count);
}

extern "C" void gpu_keep_pace(struct gpu_machine *g)
{
    check(cudaEventRecord(g->pace[g->turn], g->stream), "an event");
    g->turn ^= 1;
    check(cudaEventSynchronize(g->pace[g->turn]), "waiting");
}

/* The last call recorded the event that the next one waits for. */
extern "C" bool gpu_is_busy(const struct gpu_machine *g)
{
    cudaError_t e = cudaEventQuery(g->pace[g->turn ^ 1]);
    if (e != cudaErrorNotReady)
        check(e, "waiting");
    return e == cudaErrorNotReady;
}

/* ---- kernels for the shapes of one model --------------------------------- */

extern "C" const char *gpu_special_for(void)
{
    static char kind[16];
    int major = 0, minor = 0;
    if (gpu_absent() || !read_kind(&major, &minor))
        return NULL;
    snprintf(kind, sizeof(kind), "sm_%d%d", major, minor);
    return kind;
}

extern "C" void gpu_special_version(int *major, int *minor)
{
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
}

static bool find_driver(struct driver *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&d->load = dlsym(library, "cuModuleLoadData");
    *(void **)&d->unload = dlsym(library, "cuModuleUnload");
    *(void **)&d->find = dlsym(library, "cuModuleGetFunction");
    *(void **)&d->set = dlsym(library, "cuFuncSetAttribute");
    *(void **)&d->launch = dlsym(library, "cuLaunchKernel");
    return d->load && d->unload && d->find && d->set && d->launch;
}

/* As much fast memory as there is. It is refused of those that name much of it,
 * as a value, and they ask for no more; any other error, such as no memory for
 * the kernel, would be met when it is launched, which ends the process. */
static bool give_fast(const struct driver *d, CUfunction f)
{
    CUresult rc = d->set(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         (int)gpu_fast_bytes());
    return rc == CUDA_SUCCESS || rc == CUDA_ERROR_INVALID_VALUE;
}

static bool find_kernels(struct special_kernels *k)
{
    for (int i = 0; i < k->count; i++) {
        char name[32];
        snprintf(name, sizeof(name), GPU_SPECIAL_NAME, i + 1);
        if (k->driver.find(&k->function[i], k->module, name) != CUDA_SUCCESS ||
            !give_fast(&k->driver, k->function[i]))
            return false;
    }
    return true;
}

/* What was made of the general kernels until now is forgotten. */
extern "C" bool gpu_special_take(struct gpu_machine *g, struct str program,
                                 int count)
{
    struct special_kernels k = {};
    if (g->special.function || !find_driver(&k.driver) ||
        k.driver.load(&k.module, program.p) != CUDA_SUCCESS)
        return false;
    k.count = count;
    k.function = (CUfunction *)calloc((size_t)count + 1, sizeof(CUfunction));
    if (!k.function || !find_kernels(&k)) {
        k.driver.unload(k.module);
        free(k.function);
        return false;
    }
    check(cudaStreamSynchronize(g->stream), "waiting");
    forget_graphs(g);
    g->special = k;
    return true;
}
