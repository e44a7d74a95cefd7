/* faulty_gpu.c - a GPU that fails when a test wants it to
 *
 * Stands between the device cuda and the machine that runs its kernels
 * (nn/cuda/gpu.h). The file that THRONG_TEST_GPU names says what is wrong, a
 * word each: `lost` once, as a GPU that fell off the bus, after which the
 * file is gone; `off=GPU`, the same of that one for good: no trainer that sees
 * it (CUDA_VISIBLE_DEVICES) finds a GPU; `bytes=N`, no more memory than that in
 * all; `bytes=N taken=M`, of which another process has so much; `bytes=N
 * late=M`, the same from when it was seen that all are free; `absent=WHY`.
 * Nor is there one where numbers of GPUs would not be those of NVML
 * (CUDA_DEVICE_ORDER).
 * Steps that are given go into the file that THRONG_TEST_GPU_STEPS names: the
 * cohort's machine, how many, and of how many members. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nn/cuda/gpu.h"

/* The linker gives both names; nobody else declares them. */
void __real_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times);
void __wrap_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times);
uint64_t __real_gpu_free_bytes(void);
uint64_t __wrap_gpu_free_bytes(void);
uint64_t __real_gpu_all_bytes(void);
uint64_t __wrap_gpu_all_bytes(void);
void *__real_gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err);
void *__wrap_gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err);
void __real_gpu_release(struct gpu_machine *g, void *memory);
void __wrap_gpu_release(struct gpu_machine *g, void *memory);
const char *__real_gpu_absent(void);
const char *__wrap_gpu_absent(void);

static bool fault(char *text, size_t size)
{
    const char *path = getenv("THRONG_TEST_GPU");
    FILE *f = path ? fopen(path, "re") : NULL;
    bool read = f && fgets(text, (int)size, f);
    if (f)
        fclose(f);
    if (read)
        text[strcspn(text, "\n")] = 0;
    return read;
}

/* This process sees the GPU that fell off. */
static bool is_off(const char *text)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && strncmp(text, "off=", 4) == 0 &&
           strcmp(text + 4, visible) == 0;
}

static void note_steps(const struct gpu_machine *g, int64_t times, int members)
{
    const char *path = getenv("THRONG_TEST_GPU_STEPS");
    FILE *f = path ? fopen(path, "ae") : NULL;
    if (!f)
        return;
    fprintf(f, "%p %lld %d\n", (const void *)g, (long long)times, members);
    fclose(f);
}

void __wrap_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times)
{
    char text[128];
    if (fault(text, sizeof(text)) &&
        (is_off(text) || (strcmp(text, "lost") == 0 &&
                          unlink(getenv("THRONG_TEST_GPU")) == 0))) {
        fprintf(stderr, "the GPU failed: it has fallen off the bus\n");
        _Exit(70);
    }
    if (times > 1)
        note_steps(g, times, slot_count);
    __real_gpu_run(g, list, slots, slot_count, times);
}

static uint64_t in_use;
static bool refused; /* what others took late is seen now */

/* False: it has what it has. */
static bool limits(uint64_t *all, uint64_t *taken, uint64_t *late)
{
    char text[128];
    if (!fault(text, sizeof(text)) || strncmp(text, "bytes=", 6) != 0)
        return false;
    const char *by_others = strstr(text, "taken="),
               *later = strstr(text, "late=");
    *all = strtoull(text + 6, NULL, 10);
    *taken = by_others ? strtoull(by_others + 6, NULL, 10) : 0;
    *late = later ? strtoull(later + 5, NULL, 10) : 0;
    return true;
}

static uint64_t left_of(uint64_t all, uint64_t taken)
{
    return all > in_use + taken ? all - in_use - taken : 1;
}

void *__wrap_gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err)
{
    uint64_t all, taken, late;
    void *p = NULL;
    if (!limits(&all, &taken, &late) || bytes <= left_of(all, taken + late))
        p = __real_gpu_alloc(g, bytes, err);
    else
        err_set(err, ERR_LIMIT, "the GPU has no room for %zu bytes", bytes);
    refused |= !p;
    in_use += p ? malloc_usable_size(p) : 0;
    return p;
}

void __wrap_gpu_release(struct gpu_machine *g, void *memory)
{
    in_use -= memory ? malloc_usable_size(memory) : 0;
    __real_gpu_release(g, memory);
}

uint64_t __wrap_gpu_free_bytes(void)
{
    uint64_t all, taken, late;
    if (!limits(&all, &taken, &late))
        return __real_gpu_free_bytes();
    return left_of(all, taken + (refused ? late : 0));
}

uint64_t __wrap_gpu_all_bytes(void)
{
    uint64_t all, taken, late;
    return limits(&all, &taken, &late) ? all : __real_gpu_all_bytes();
}

const char *__wrap_gpu_absent(void)
{
    static char text[128];
    const char *order = getenv("CUDA_DEVICE_ORDER");
    if (!order || strcmp(order, "PCI_BUS_ID") != 0)
        return "GPU 0 is the fastest one, not NVML's";
    bool faulty = fault(text, sizeof(text));
    if (faulty && strncmp(text, "absent=", 7) == 0)
        return text + 7;
    if (faulty && is_off(text))
        return "no NVIDIA GPU can be seen";
    return __real_gpu_absent();
}
