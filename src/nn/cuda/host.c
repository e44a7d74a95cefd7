/* host.c - runs the kernels of the device cuda without a GPU, for tests
 *
 * Every thread of every block, one after another. Threads that wait for each
 * other run on stacks of their own: who waits lets the next one go on, until
 * all of the warp or the block have come there. What is fetched is there at
 * once: whether anybody looks at it too early says who looks on (host.h). */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "nn/cuda/host.h"
#include "nn/cuda/kernel.h"
#include "sys/sys.h"

/* Some lines of cache more than a power of two: at equal distances from it the
 * ends of all stacks would be in the same few lines. */
#define STACK_BYTES (((size_t)64 << 10) + 17 * 64)

struct gpu_where gpu_where;
struct four *gpu_fast;
const struct gpu_watcher *gpu_watcher;

#define TELL(call)                                                             \
    do {                                                                       \
        if (gpu_watcher)                                                       \
            gpu_watcher->call;                                                 \
    } while (0)

enum standing { GOES, WAITS_FOR_WARP, WAITS, OVER };

/* The threads of the block that runs now. Each stays for the next block: a
 * jump to where it stands costs less than to begin it anew. */
static struct {
    jmp_buf main, threads[GPU_MANY];
    bool begun;
    enum standing stands[GPU_MANY];
    const struct gpu_kernel_here *kernel;
    const struct gpu_launch *launch;
    struct gpu_slot *slots;
} block;

/* Back to run_waiting_block; it comes here again with the thread's next turn.
 */
static void leave_thread(void)
{
    int thread = gpu_where.thread;
    if (_setjmp(block.threads[thread]) == 0)
        _longjmp(block.main, 1);
    gpu_where.thread = thread;
}

void gpu_wait_for_warp(void)
{
    block.stands[gpu_where.thread] = WAITS_FOR_WARP;
    leave_thread();
}

void gpu_wait(void)
{
    block.stands[gpu_where.thread] = WAITS;
    leave_thread();
}

/* ---- what is fetched, and gates ------------------------------------------ */

void gpu_fetch_four(void *to, const void *from)
{
    TELL(fetch(to, from, __builtin_return_address(0)));
    if (from)
        memcpy(to, from, sizeof(struct four));
    else
        memset(to, 0, sizeof(struct four));
}

void gpu_ask_for_lot(void)
{
    TELL(lot());
}

void gpu_wait_for_lots(int but)
{
    TELL(fetched(but));
}

void gpu_make_gate(struct gate *g, int reached)
{
    *g = (struct gate){0, (uint16_t)reached, 0};
    TELL(gate_made(g, __builtin_return_address(0)));
}

static void reach(struct gate *g, bool fetched, const void *code)
{
    TELL(gate_reached(g, fetched, code));
    if (++g->reached < g->all)
        return;
    TELL(gate_over(g, g->turn));
    g->reached = 0;
    g->turn ^= 1;
}

void gpu_reach_gate(struct gate *g)
{
    reach(g, false, __builtin_return_address(0));
}

void gpu_reach_gate_when_fetched(struct gate *g)
{
    reach(g, true, __builtin_return_address(0));
}

void gpu_pass_gate(const struct gate *g, int turn)
{
    while (g->turn == turn)
        leave_thread();
    TELL(gate_passed(g, turn, __builtin_return_address(0)));
}

void gpu_take_from_slow(const void *p, size_t size)
{
    TELL(slow(p, size, __builtin_return_address(0)));
}

void gpu_keep_least(unsigned *to, unsigned x)
{
    if (x < *to)
        *to = x;
}

/* ---- units for matrices -------------------------------------------------- */

/* As the units for matrices take it. */
static float of_11_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~0u << 13;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef float eight_floats __attribute__((vector_size(32)));

enum { MOST_GIVEN = 96 };

/* The products that each thread has given and that are not made yet. */
static struct given {
    int count;
    float *d[MOST_GIVEN], a[MOST_GIVEN][4], b[MOST_GIVEN][2];
} given[GPU_MANY];

void gpu_tensor_product(float d[4], const float a[4], const float b[2])
{
    struct given *mine = &given[gpu_where.thread];
    const int n = mine->count++;
    require(n < MOST_GIVEN);
    mine->d[n] = d;
    for (int i = 0; i < 4; i++)
        mine->a[n][i] = of_11_bits(a[i]);
    for (int i = 0; i < 2; i++)
        mine->b[n][i] = of_11_bits(b[i]);
}

/* The numbers of a warp's threads as the matrices that they are. */
static void make_product(const struct given *warp, int number)
{
    float a[16][8];
    eight_floats b[8], d[16];
    for (int t = 0; t < WARP_THREADS; t++)
        for (int i = 0; i < 4; i++) {
            const int g = t / 4, q = t % 4;
            a[g + i % 2 * 8][q + i / 2 * 4] = warp[t].a[number][i];
            d[g + i / 2 * 8][2 * q + i % 2] = warp[t].d[number][i];
            if (i < 2)
                b[q + i * 4][g] = warp[t].b[number][i];
        }
    for (int m = 0; m < 16; m++)
        for (int k = 0; k < 8; k++)
            d[m] += a[m][k] * b[k];
    for (int t = 0; t < WARP_THREADS; t++)
        for (int i = 0; i < 4; i++)
            warp[t].d[number][i] = d[t / 4 + i / 2 * 8][2 * (t % 4) + i % 2];
}

/* All threads of a warp come here, and have given as many; the first that goes
 * on multiplies for all of them. */
void gpu_tensor_made(void)
{
    leave_thread();
    struct given *warp = &given[gpu_where.thread / WARP_THREADS * WARP_THREADS];
    const int count = given[gpu_where.thread].count;
    for (int i = 0; i < count; i++)
        make_product(warp, i);
    for (int t = 0; t < WARP_THREADS && count > 0; t++) {
        require(warp[t].count == count);
        warp[t].count = 0;
    }
}

/* ---- threads ------------------------------------------------------------- */

static void run_threads(void)
{
    for (;;) {
        leave_thread();
        block.kernel->run(block.launch->op, block.slots);
        block.stands[gpu_where.thread] = OVER;
    }
}

/* They live as long as the process, as those of a machine do. */
static void begin_threads(void)
{
    static ucontext_t begin;
    char *stacks = xcalloc(GPU_MANY, STACK_BYTES);
    for (volatile int i = 0; i < GPU_MANY; i++) {
        gpu_where.thread = i;
        getcontext(&begin);
        begin.uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
        begin.uc_stack.ss_size = STACK_BYTES;
        makecontext(&begin, run_threads, 0);
        if (_setjmp(block.main) == 0)
            setcontext(&begin);
    }
    block.begun = true;
}

static void go_on(int thread)
{
    gpu_where.thread = thread;
    if (_setjmp(block.main) == 0)
        _longjmp(block.threads[thread], 1);
}

/* Those of threads `first` to `end` - 1 that stand so. */
static int count_of(enum standing standing, int first, int end)
{
    int count = 0;
    for (int i = first; i < end; i++)
        count += block.stands[i] == standing;
    return count;
}

static void let_go(enum standing standing, int first, int end)
{
    for (int i = first; i < end; i++)
        if (block.stands[i] == standing)
            block.stands[i] = GOES;
}

/* Lets warps go on all threads of which have come there. */
static void end_waits_of_warps(int threads)
{
    for (int first = 0; first < threads; first += WARP_THREADS) {
        int end =
            first + WARP_THREADS < threads ? first + WARP_THREADS : threads;
        if (!count_of(WAITS_FOR_WARP, first, end) || count_of(GOES, first, end))
            continue;
        /* On a GPU they would wait for each other for ever. */
        require(!count_of(WAITS, first, end));
        TELL(warp_waits(first / WARP_THREADS));
        let_go(WAITS_FOR_WARP, first, end);
    }
}

static void run_waiting_block(void)
{
    const int threads = block.launch->threads;
    if (!block.begun)
        begin_threads();
    for (int i = 0; i < threads; i++)
        block.stands[i] = GOES;
    while (count_of(OVER, 0, threads) < threads) {
        for (int i = 0; i < threads; i++)
            if (block.stands[i] == GOES)
                go_on(i);
        end_waits_of_warps(threads);
        if (count_of(GOES, 0, threads))
            continue;
        TELL(all_wait());
        let_go(WAITS, 0, threads);
    }
}

static void run_block(void)
{
    TELL(block());
    /* Fast memory begins with anything in it. */
    memset(gpu_fast, 0x7f, block.launch->fast_bytes);
    if (block.kernel->waits) {
        run_waiting_block();
        return;
    }
    for (int i = 0; i < block.launch->threads; i++) {
        gpu_where.thread = i;
        block.kernel->run(block.launch->op, block.slots);
    }
}

static struct four *make_fast(size_t bytes)
{
    size_t unit = sizeof(struct four);
    struct four *p = aligned_alloc(unit, (bytes / unit + 1) * unit);
    require(p != NULL);
    return p;
}

void gpu_run_here(const struct gpu_kernel_here *k, const struct gpu_launch *l,
                  struct gpu_slot *slots, int slot_count)
{
    gpu_fast = make_fast(l->fast_bytes);
    block.kernel = k;
    block.launch = l;
    block.slots = slots;
    TELL(launch(k, l));
    for (int slot = 0; slot < slot_count; slot++)
        for (int i = 0; i < l->blocks; i++) {
            gpu_where = (struct gpu_where){.threads = l->threads,
                                           .block = i,
                                           .blocks = l->blocks,
                                           .slot = slot};
            run_block();
        }
    TELL(launched());
    free(gpu_fast);
}

void gpu_run(struct gpu_machine *g, const struct gpu_list *list,
             struct gpu_slot *slots, int slot_count, int64_t times)
{
    (void)g;
    for (int64_t n = 0; n < times; n++)
        for (size_t i = 0; i < list->len; i++)
            gpu_run_here(&gpu_kernels_here[list->p[i].kernel], &list->p[i],
                         slots, slot_count);
}

/* ---- the rest is this process's memory ---------------------------------- */

struct gpu_machine {
    int nothing;
};

const char *gpu_absent(void)
{
    return NULL;
}

bool gpu_describe(struct buf *b)
{
    buf_adds(b, "no GPU: its kernels run on a cpu, one thread after another");
    return true;
}

uint64_t gpu_free_bytes(void)
{
    return machine_memory_free();
}

uint64_t gpu_all_bytes(void)
{
    return 0;
}

size_t gpu_fast_bytes(void)
{
    return (size_t)160 << 10;
}

struct gpu_machine *gpu_open(struct err *err)
{
    (void)err;
    return xcalloc(1, sizeof(struct gpu_machine));
}

void gpu_close(struct gpu_machine *g)
{
    free(g);
}

void *gpu_alloc(struct gpu_machine *g, size_t bytes, struct err *err)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    (void)g;
    if (!p)
        err_set(err, ERR_LIMIT, "no memory for %zu bytes of a model", bytes);
    else
        TELL(allocated(p, bytes));
    return p;
}

void gpu_release(struct gpu_machine *g, void *memory)
{
    (void)g;
    TELL(released(memory));
    free(memory);
}

void *gpu_alloc_here(struct gpu_machine *g, size_t bytes, struct err *err)
{
    return gpu_alloc(g, bytes, err);
}

void gpu_release_here(struct gpu_machine *g, void *memory)
{
    gpu_release(g, memory);
}

void gpu_put(struct gpu_machine *g, void *to, const void *from, size_t bytes)
{
    gpu_copy(g, to, from, bytes);
}

void gpu_take(struct gpu_machine *g, void *to, const void *from, size_t bytes)
{
    gpu_copy(g, to, from, bytes);
}

void gpu_copy(struct gpu_machine *g, void *to, const void *from, size_t bytes)
{
    (void)g;
    if (bytes)
        memcpy(to, from, bytes);
}

void gpu_zero(struct gpu_machine *g, void *to, size_t bytes)
{
    (void)g;
    memset(to, 0, bytes);
}

void gpu_finish(struct gpu_machine *g)
{
    (void)g;
}

void gpu_finish_all(void)
{
}

void gpu_keep_pace(struct gpu_machine *g)
{
    (void)g;
}

bool gpu_is_busy(const struct gpu_machine *g)
{
    (void)g;
    return false;
}

/* ---- kernels for the shapes of one model: a GPU's alone -------------------
 */

const char *gpu_special_for(void)
{
    return NULL;
}

void gpu_special_version(int *major, int *minor)
{
    *major = *minor = 0;
}

bool gpu_special_take(struct gpu_machine *g, struct str program, int count)
{
    (void)g;
    (void)program;
    (void)count;
    return false;
}
