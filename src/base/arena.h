/* arena.h - memory that dies together
 *
 * Allocations are aligned to 16 bytes and zeroed. */
#ifndef THRONG_BASE_ARENA_H
#define THRONG_BASE_ARENA_H

#include <stddef.h>
#include "base/str.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
/* Forgets all allocations but keeps the memory for the next ones. */
void arena_reset(struct arena *a);

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size); /* checked */
char *arena_cstr(struct arena *a, struct str s);     /* a C string copy */
struct str arena_str(struct arena *a, struct str s); /* copy, NUL behind */
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
