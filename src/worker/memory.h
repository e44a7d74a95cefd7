/* memory.h - a task that uses more memory than its grant is ended */
#ifndef THRONG_WORKER_MEMORY_H
#define THRONG_WORKER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* True when some running attempt has a memory need. */
bool memory_is_watched(const struct worker *w);
/* Compares every such attempt, by the census just taken, with its grant, and
 * ends those above it. Returns how long to wait before the next look. */
int64_t memory_watch(struct worker *w);

#endif
