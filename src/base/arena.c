/* arena.c - memory that dies together
 *
 * A list of chunks, newest first; allocations are cut from the newest. Chunks
 * double up to CHUNK_MOST; what is larger than a quarter of the next chunk
 * gets a chunk of its own behind the newest one, so that the rest of that one
 * is not lost.
 *
 * Chunks come zeroed. `fresh` says that a chunk still is, so that only memory
 * used again after a reset needs clearing.
 *
 * Under the address sanitizer everything not handed out is poisoned and a gap
 * stays behind every allocation, so overruns are found here as in malloc. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define GAP 16
#define POISON(p, size) __asan_poison_memory_region((p), (size))
#define UNPOISON(p, size) __asan_unpoison_memory_region((p), (size))
#else
#define GAP 0
#define POISON(p, size) ((void)0)
#define UNPOISON(p, size) ((void)0)
#endif

enum {
    ALIGN = 16,
    CHUNK_LEAST = 4 << 10,
    CHUNK_MOST = 1 << 20,
    KEEP_MOST = 64 << 20, /* kept by a reset */
};

struct chunk {
    struct chunk *next;
    size_t size; /* of data */
    size_t used;
    size_t fresh; /* data from here on is still zero */
    _Alignas(ALIGN) char data[];
};

struct arena {
    struct chunk *chunks;
    size_t next_size;
};

static struct chunk *chunk_new(size_t size)
{
    struct chunk *c = xcalloc(1, sizeof(*c) + size);
    c->size = size;
    POISON(c->data, size);
    return c;
}

static void chunks_free(struct arena *a)
{
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        UNPOISON(c->data, c->size);
        free(c);
    }
    a->chunks = NULL;
}

struct arena *arena_new(void)
{
    struct arena *a = xcalloc(1, sizeof(*a));
    a->next_size = CHUNK_LEAST;
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    chunks_free(a);
    free(a);
}

/* Several chunks become one that holds as much, so that a loop that resets
 * settles on a single chunk whatever the order of its allocations. */
void arena_reset(struct arena *a)
{
    struct chunk *c = a->chunks;
    if (!c)
        return;
    if (c->next || c->size > KEEP_MOST) {
        size_t total = 0;
        for (; c; c = c->next)
            total += c->size;
        chunks_free(a);
        a->chunks = chunk_new(total < KEEP_MOST ? total : KEEP_MOST);
        return;
    }
    if (c->fresh < c->used)
        c->fresh = c->used;
    c->used = 0;
    POISON(c->data, c->size);
}

/* Makes room for size bytes and returns the chunk that has it. */
static struct chunk *chunk_for(struct arena *a, size_t size)
{
    struct chunk *first = a->chunks;
    if (first && size > a->next_size / 4) {
        struct chunk *own = chunk_new(size);
        own->next = first->next;
        first->next = own;
        return own;
    }
    struct chunk *c = chunk_new(size > a->next_size ? size : a->next_size);
    c->next = first;
    a->chunks = c;
    if (a->next_size < CHUNK_MOST)
        a->next_size *= 2;
    return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
    require(size <= PTRDIFF_MAX / 2);
    size_t need = ((size ? size : 1) + ALIGN - 1) / ALIGN * ALIGN + GAP;
    struct chunk *c = a->chunks;
    if (!c || c->size - c->used < need)
        c = chunk_for(a, need);
    char *p = c->data + c->used;
    UNPOISON(p, size);
    if (c->used < c->fresh)
        memset(p, 0, size);
    c->used += need;
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    size_t total;
    require(!__builtin_mul_overflow(count, size, &total));
    return arena_alloc(a, total);
}

char *arena_cstr(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(p, s.p, s.len);
    return p;
}

struct str arena_str(struct arena *a, struct str s)
{
    return str_n(arena_cstr(a, s), s.len);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    require(n >= 0);
    if ((size_t)n < sizeof(small))
        return arena_cstr(a, str_n(small, (size_t)n));
    char *p = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}
