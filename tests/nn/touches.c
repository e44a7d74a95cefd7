/* touches.c - the touches of each word of memory, and their order
 *
 * A thread has a clock, which moves on whenever others may learn how far it has
 * come, and knows of every other thread up to which of its times all that it
 * did is done. Copies that the device makes by itself are a second thread of
 * each. A word remembers its last write and who has read it since; a touch must
 * know of those that it could disturb. Of a word that is touched in parts each
 * byte does so by itself. Words of fast memory forget all when a block begins,
 * the others when a launch does that is not beside the last one: blocks wait
 * for nobody. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "nn/cuda/host.h"
#include "nn/cuda/kernel.h"
#include "sys/sys.h"
#include "touches.h"

enum {
    WHO = 2 * GPU_MANY, /* threads, then what each has asked for */
    PAGE_WORDS = 4096,
    PAGES = 1 << 16,
    LOTS = 64,        /* that a thread waits for, at most */
    STACK = 80 << 10, /* of a thread, at most */
    FAULTS = 12,      /* in words */
    ALL_BYTES = 15,   /* of a word, a bit each */
    BLOCKS_MANY = -1
};

/* Whose, when, and where in the program. */
struct touch {
    uint32_t block, clock; /* clock 0: none */
    uint32_t code;
    uint16_t who;
};
enum how { READS, WRITES, TAKES_FROM_SLOW };

/* Who has read it is said by the first of these that is not 0. */
struct word {
    uint32_t stamp;
    struct touch write, read;
    uint32_t readers; /* where the clocks of all of them are */
    uint32_t warps;   /* a bit each: of these threads, at the clock of `read` */
    uint32_t parts;   /* where its bytes are, if each is by itself */
    bool slow;        /* it was read as what nobody writes */
};
struct parts {
    struct word bytes[4];
};

struct page {
    uintptr_t number;
    struct word words[PAGE_WORDS];
};

struct range {
    uintptr_t from, to;
};

static struct {
    bool on, looked[GPU_KERNEL_COUNT];
    struct page *pages[PAGES]; /* by number, the next free place */
    struct page *last;
    VEC(struct range) ranges;
    VEC(uint32_t) readers; /* WHO clocks for each word that needs them */
    VEC(struct parts) parts;

    const struct gpu_kernel_here *kernel;
    struct range fast;
    uint32_t stamp, fast_stamp, stamps;
    uint32_t block, barriers;
    bool apart; /* some thread has waited for less than the block */

    /* Of each thread: its clock, what it has asked for and which of that is
     * there; and what it knows of others, where that is more than `known`. */
    uint32_t clock[GPU_MANY], asked[GPU_MANY], fetched[GPU_MANY];
    uint32_t lots[GPU_MANY], lot_ends[GPU_MANY][LOTS];
    uint32_t known[WHO];
    bool has_own[GPU_MANY];
    uint32_t own[GPU_MANY][WHO];
    VEC(struct gate_known *) gates;

    size_t count;
    struct {
        uint32_t code, other;
        const char *kind;
    } seen[FAULTS];
    size_t seen_count;
    struct buf words;
} t;

/* What those who reached it knew, and who has passed knows; by turn. */
struct gate_known {
    const void *gate;
    struct touch made;
    uint32_t reached[WHO], over[2][WHO];
};

/* ---- faults -------------------------------------------------------------- */

extern char __executable_start[];

static uint32_t code_of(const void *address)
{
    return (uint32_t)((uintptr_t)address - (uintptr_t)__executable_start);
}

static bool is_new(const char *kind, uint32_t code, uint32_t other)
{
    for (size_t i = 0; i < t.seen_count; i++)
        if (t.seen[i].kind == kind && t.seen[i].code == code &&
            t.seen[i].other == other)
            return false;
    if (t.seen_count == FAULTS)
        return false;
    t.seen[t.seen_count].kind = kind;
    t.seen[t.seen_count].code = code;
    t.seen[t.seen_count++].other = other;
    return true;
}

static void fault(const char *kind, uint32_t code, const struct touch *other)
{
    t.count++;
    if (!is_new(kind, code, other ? other->code : 0))
        return;
    buf_addf(&t.words, "%s, thread %d of block %d: %s; code at 0x%x",
             t.kernel->name, gpu_where.thread, gpu_where.block, kind, code);
    if (other)
        buf_addf(&t.words, ", of %s %d at 0x%x",
                 other->who < GPU_MANY ? "thread" : "what was fetched by",
                 other->who % GPU_MANY, other->code);
    buf_adds(&t.words, "\n");
}

/* ---- who knows of whom --------------------------------------------------- */

static uint32_t known_of(int thread, int who)
{
    if (who == GPU_MANY + thread)
        return t.fetched[thread];
    return t.has_own[thread] ? t.own[thread][who] : t.known[who];
}

/* That it knows is the past of what this thread does now. */
static bool is_known(int who, uint32_t clock)
{
    const int thread = gpu_where.thread;
    return who == thread || known_of(thread, who) >= clock;
}

static void learn(uint32_t *to, const uint32_t *from)
{
    for (int i = 0; i < WHO; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

static void make_own(int thread)
{
    if (!t.has_own[thread])
        memcpy(t.own[thread], t.known, sizeof t.known);
    t.has_own[thread] = true;
    t.own[thread][thread] = t.clock[thread];
    t.own[thread][GPU_MANY + thread] = t.fetched[thread];
}

static void see_block(void)
{
    const size_t threads = (size_t)gpu_where.threads;
    t.block++;
    t.fast_stamp = ++t.stamps;
    t.barriers = 1;
    t.apart = false;
    for (size_t i = 0; i < threads; i++) {
        t.clock[i] = t.asked[i] = 1;
        t.fetched[i] = t.lots[i] = 0;
        t.has_own[i] = false;
    }
    memset(t.known, 0, sizeof t.known);
    for (size_t i = 0; i < t.gates.len; i++)
        free(t.gates.p[i]);
    t.gates.len = 0;
}

static void see_all_wait(void)
{
    for (int i = 0; i < gpu_where.threads; i++)
        if (t.has_own[i])
            learn(t.known, t.own[i]);
    for (int i = 0; i < gpu_where.threads; i++) {
        uint32_t *fetched = &t.known[GPU_MANY + i];
        t.known[i] = t.clock[i]++;
        *fetched = t.fetched[i] > *fetched ? t.fetched[i] : *fetched;
        t.has_own[i] = false;
    }
    t.barriers++;
}

static void see_warp_waits(int warp)
{
    uint32_t all[WHO] = {0};
    const int first = warp * WARP_THREADS;
    t.apart = true;
    for (int i = first; i < first + WARP_THREADS; i++) {
        make_own(i);
        learn(all, t.own[i]);
    }
    for (int i = first; i < first + WARP_THREADS; i++) {
        memcpy(t.own[i], all, sizeof all);
        t.clock[i]++;
    }
}

static struct gate_known *gate_of(const void *gate)
{
    for (size_t i = 0; i < t.gates.len; i++)
        if (t.gates.p[i]->gate == gate)
            return t.gates.p[i];
    return NULL;
}

static void see_gate_made(const void *gate, const void *where)
{
    const int thread = gpu_where.thread;
    struct gate_known *g = xcalloc(1, sizeof(*g));
    t.apart = true;
    g->gate = gate;
    g->made = (struct touch){.clock = t.clock[thread],
                             .code = code_of(where),
                             .who = (uint16_t)thread};
    vec_push(&t.gates, g);
}

/* Until its maker and this thread have waited for each other it is memory with
 * anything in it. */
static struct gate_known *use_gate(const void *gate, const void *where)
{
    struct gate_known *g = gate_of(gate);
    require(g != NULL);
    if (!is_known(g->made.who, g->made.clock))
        fault("uses a gate that may not be made yet", code_of(where), &g->made);
    return g;
}

static void see_gate_reached(const void *gate, bool fetched, const void *where)
{
    const int thread = gpu_where.thread;
    struct gate_known *g = use_gate(gate, where);
    if (fetched) {
        g->reached[GPU_MANY + thread] = t.asked[thread]++;
        return;
    }
    make_own(thread);
    learn(g->reached, t.own[thread]);
    t.clock[thread]++;
}

static void see_gate_over(const void *gate, int turn)
{
    struct gate_known *g = gate_of(gate);
    memcpy(g->over[turn], g->reached, sizeof g->reached);
}

static void see_gate_passed(const void *gate, int turn, const void *where)
{
    const int thread = gpu_where.thread;
    const struct gate_known *g = use_gate(gate, where);
    make_own(thread);
    learn(t.own[thread], g->over[turn]);
    t.fetched[thread] = t.own[thread][GPU_MANY + thread];
}

static void see_lot(void)
{
    const int thread = gpu_where.thread;
    t.lot_ends[thread][t.lots[thread]++ % LOTS] = t.asked[thread]++;
}

/* All was there already, or more than these lots are. */
static void see_fetched(int but)
{
    const int thread = gpu_where.thread;
    const uint32_t lots = t.lots[thread];
    uint32_t end = 0;
    if (but == ALL_LOTS)
        end = t.asked[thread]++;
    else if (lots > (uint32_t)but)
        end = t.lot_ends[thread][(lots - (uint32_t)but - 1) % LOTS];
    if (end > t.fetched[thread])
        t.fetched[thread] = end;
}

/* ---- words --------------------------------------------------------------- */

static struct page *page_of(uintptr_t number)
{
    size_t i = number * 0x9e3779b97f4a7c15u >> 48;
    if (t.last && t.last->number == number)
        return t.last;
    for (; t.pages[i]; i = (i + 1) % PAGES)
        if (t.pages[i]->number == number)
            return t.last = t.pages[i];
    t.last = t.pages[i] = xcalloc(1, sizeof(struct page));
    t.last->number = number;
    return t.last;
}

static struct word *word_of(uintptr_t address, uint32_t stamp)
{
    const uintptr_t number = address / 4;
    struct word *w = &page_of(number / PAGE_WORDS)->words[number % PAGE_WORDS];
    if (w->stamp != stamp)
        *w = (struct word){.stamp = stamp};
    return w;
}

static bool is_past(const struct touch *e, const struct touch *now)
{
    return !e->clock || (e->block == now->block && is_known(e->who, e->clock));
}

static uint32_t warp_of(int thread)
{
    return 1u << thread / WARP_THREADS;
}

static uint32_t *clocks_of(uint32_t readers)
{
    return t.readers.p + (size_t)(readers - 1) * WHO;
}

static uint32_t new_clocks(void)
{
    for (int i = 0; i < WHO; i++)
        vec_push(&t.readers, 0);
    return (uint32_t)(t.readers.len / WHO);
}

/* From now on each is known by itself. */
static uint32_t *readers_of(struct word *w)
{
    if (w->readers)
        return clocks_of(w->readers);
    w->readers = new_clocks();
    uint32_t *clocks = clocks_of(w->readers);
    for (int i = 0; i < gpu_where.threads; i++)
        if (w->warps & warp_of(i))
            clocks[i] = w->read.clock;
    clocks[w->read.who] = w->read.clock;
    return clocks;
}

static bool warps_are_past(const struct word *w)
{
    if (!t.apart)
        return w->read.clock < t.barriers;
    for (int i = 0; i < gpu_where.threads; i++)
        if (w->warps & warp_of(i) && !is_known(i, w->read.clock))
            return false;
    return true;
}

static bool readers_are_past(const struct word *w, const struct touch *now)
{
    if (w->read.clock && w->read.block != now->block)
        return false;
    if (!w->readers)
        return w->warps ? warps_are_past(w) : is_past(&w->read, now);
    const uint32_t *clocks = clocks_of(w->readers);
    for (int i = 0; i < WHO; i++)
        if (clocks[i] && !is_known(i, clocks[i]))
            return false;
    return true;
}

static void forget_readers(struct word *w)
{
    w->read.clock = w->readers = w->warps = 0;
}

static void write_word(struct word *w, const struct touch *now)
{
    if (w->slow)
        fault("writes what is read as if nobody wrote it", now->code, NULL);
    if (!is_past(&w->write, now))
        fault("writes what somebody writes at the same time", now->code,
              &w->write);
    if (!readers_are_past(w, now))
        fault("writes what somebody reads at the same time", now->code,
              &w->read);
    w->write = *now;
    forget_readers(w);
}

/* A further reader, of whom nothing says that he is later. As long as threads
 * have waited for the whole block only, the clocks of all are the same. */
static void add_reader(struct word *w, const struct touch *now)
{
    struct touch *r = &w->read;
    if (r->block != now->block)
        r->block = (uint32_t)BLOCKS_MANY;
    else if (t.apart || r->who >= GPU_MANY || now->who >= GPU_MANY)
        readers_of(w)[now->who] = now->clock;
    else
        w->warps |= warp_of(r->who) | warp_of(now->who);
}

static void read_word(struct word *w, const struct touch *now)
{
    struct touch *r = &w->read;
    if (!is_past(&w->write, now))
        fault("reads what somebody writes at the same time", now->code,
              &w->write);
    const bool alone = r->who == now->who && r->block == now->block &&
                       !w->readers && !w->warps;
    if (!w->readers && (alone || readers_are_past(w, now))) {
        forget_readers(w);
        *r = *now;
    } else {
        add_reader(w, now);
    }
}

static void take_from_slow(struct word *w, const struct touch *now)
{
    if (w->write.clock)
        fault("reads as if nobody wrote it what was written", now->code,
              &w->write);
    w->slow = true;
}

static void touch_word(struct word *w, const struct touch *now, enum how how)
{
    if (how == WRITES)
        write_word(w, now);
    else if (how == READS)
        read_word(w, now);
    else
        take_from_slow(w, now);
}

/* Each byte goes on with what the word remembers. */
static void make_parts(struct word *w)
{
    struct parts p = {{*w, *w, *w, *w}};
    for (int i = 1; i < 4 && w->readers; i++) {
        p.bytes[i].readers = new_clocks();
        memcpy(clocks_of(p.bytes[i].readers), clocks_of(w->readers),
               WHO * sizeof(uint32_t));
    }
    vec_push(&t.parts, p);
    w->parts = (uint32_t)t.parts.len;
}

static void touch_bytes(struct word *w, unsigned bytes, const struct touch *now,
                        enum how how)
{
    if (bytes != ALL_BYTES && !w->parts)
        make_parts(w);
    if (!w->parts) {
        touch_word(w, now, how);
        return;
    }
    struct parts *p = &t.parts.p[w->parts - 1];
    for (int i = 0; i < 4; i++)
        if (bytes >> i & 1)
            touch_word(&p->bytes[i], now, how);
}

static void touch_all(uintptr_t address, size_t size, uint32_t stamp,
                      const struct touch *now, enum how how)
{
    for (size_t done = 0, part; done < size; done += part) {
        const size_t from = (address + done) % 4;
        part = size - done < 4 - from ? size - done : 4 - from;
        touch_bytes(word_of(address + done, stamp), ((1u << part) - 1) << from,
                    now, how);
    }
}

/* ---- touches ------------------------------------------------------------- */

static bool is_in(const struct range *r, uintptr_t address, size_t size)
{
    return address >= r->from && address + size <= r->to;
}

static bool is_device_s(uintptr_t address, size_t size)
{
    for (size_t i = t.ranges.len; i-- > 0;)
        if (is_in(&t.ranges.p[i], address, size))
            return true;
    return false;
}

/* A thread's own variables, and what the program is made of. */
static bool is_own(uintptr_t address)
{
    extern char end[];
    const char here = 0;
    const struct range program = {(uintptr_t)__executable_start,
                                  (uintptr_t)end};
    return address - (uintptr_t)&here < STACK || is_in(&program, address, 1);
}

static bool is_fast(uintptr_t address, size_t size)
{
    const struct range named = {(uintptr_t)__start_gpu_fast_here,
                                (uintptr_t)__stop_gpu_fast_here};
    return is_in(&named, address, size) || is_in(&t.fast, address, size);
}

static void touch(uintptr_t address, size_t size, bool writes, int who,
                  uint32_t code)
{
    const bool fast = is_fast(address, size);
    const size_t line = size <= 16 ? size : 4; /* more: a struct of them */
    struct touch now = {.block = t.block, .code = code, .who = (uint16_t)who};
    if (!fast && is_own(address))
        return;
    if (!fast && !is_device_s(address, size)) {
        fault("touches memory that is not the device's", code, NULL);
        return;
    }
    if (address % line != 0)
        fault("touches what does not lie as its size wants it", code, NULL);
    now.clock = who < GPU_MANY ? t.clock[who] : t.asked[who - GPU_MANY];
    touch_all(address, size, fast ? t.fast_stamp : t.stamp, &now,
              writes ? WRITES : READS);
}

static void see_slow(const void *from, size_t size, const void *where)
{
    const uintptr_t address = (uintptr_t)from;
    if (is_fast(address, size) || !is_device_s(address, size)) {
        fault("asks for what is not the device's", code_of(where), NULL);
        return;
    }
    const struct touch now = {.block = t.block, .code = code_of(where)};
    touch_all(address, size, t.stamp, &now, TAKES_FROM_SLOW);
}

static void see_fetch(void *to, const void *from, const void *where)
{
    const uint32_t code = code_of(where);
    const int who = GPU_MANY + gpu_where.thread;
    if (from)
        touch((uintptr_t)from, sizeof(struct four), false, who, code);
    touch((uintptr_t)to, sizeof(struct four), true, who, code);
}

static void see_launch(const struct gpu_kernel_here *k,
                       const struct gpu_launch *l)
{
    t.kernel = k;
    if (k >= gpu_kernels_here && k < gpu_kernels_here + GPU_KERNEL_COUNT)
        t.looked[k - gpu_kernels_here] = true;
    t.fast = (struct range){(uintptr_t)gpu_fast,
                            (uintptr_t)gpu_fast + l->fast_bytes};
    if (!l->beside) {
        t.stamp = ++t.stamps;
        t.readers.len = t.parts.len = 0;
    }
    t.on = true;
}

static void see_launched(void)
{
    t.on = false;
}

static void see_allocated(const void *memory, size_t bytes)
{
    const uintptr_t from = (uintptr_t)memory;
    vec_push(&t.ranges, ((struct range){from, from + bytes}));
}

static void see_released(const void *memory)
{
    for (size_t i = 0; i < t.ranges.len; i++)
        if (t.ranges.p[i].from == (uintptr_t)memory) {
            t.ranges.p[i] = t.ranges.p[--t.ranges.len];
            return;
        }
}

static const struct gpu_watcher watcher = {
    .allocated = see_allocated,
    .released = see_released,
    .launch = see_launch,
    .launched = see_launched,
    .block = see_block,
    .all_wait = see_all_wait,
    .warp_waits = see_warp_waits,
    .fetch = see_fetch,
    .slow = see_slow,
    .lot = see_lot,
    .fetched = see_fetched,
    .gate_made = see_gate_made,
    .gate_reached = see_gate_reached,
    .gate_over = see_gate_over,
    .gate_passed = see_gate_passed,
};

void touches_begin(void)
{
    gpu_watcher = &watcher;
    buf_init(&t.words);
    t.count = t.seen_count = 0;
}

size_t touches_end(struct buf *faults)
{
    gpu_watcher = NULL;
    buf_add(faults, t.words.p, t.words.len);
    buf_done(&t.words);
    t.ranges.len = 0;
    return t.count;
}

bool touches_seen(enum gpu_kernel k)
{
    return t.looked[k];
}

/* ---- what the compiler calls: nobody else declares it -------------------- */

#define SEE(address, size, writes)                                             \
    do {                                                                       \
        if (t.on)                                                              \
            touch((uintptr_t)(address), size, writes, gpu_where.thread,        \
                  code_of(__builtin_return_address(0)));                       \
    } while (0)

#define SEES(size)                                                             \
    void __tsan_read##size(void *address);                                     \
    void __tsan_read##size(void *address)                                      \
    {                                                                          \
        SEE(address, size, false);                                             \
    }                                                                          \
    void __tsan_write##size(void *address);                                    \
    void __tsan_write##size(void *address)                                     \
    {                                                                          \
        SEE(address, size, true);                                              \
    }                                                                          \
    void __tsan_unaligned_read##size(void *address);                           \
    void __tsan_unaligned_read##size(void *address)                            \
    {                                                                          \
        SEE(address, size, false);                                             \
    }                                                                          \
    void __tsan_unaligned_write##size(void *address);                          \
    void __tsan_unaligned_write##size(void *address)                           \
    {                                                                          \
        SEE(address, size, true);                                              \
    }
SEES(1)
SEES(2)
SEES(4)
SEES(8)
SEES(16)

void __tsan_read_range(void *address, size_t size);
void __tsan_read_range(void *address, size_t size)
{
    SEE(address, size, false);
}

void __tsan_write_range(void *address, size_t size);
void __tsan_write_range(void *address, size_t size)
{
    SEE(address, size, true);
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_init(void);
void __tsan_init(void)
{
}
