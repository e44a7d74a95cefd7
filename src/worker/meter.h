/* meter.h - what the GPU of a trainer takes, shared out among its members
 *
 * NVML says it of the whole GPU: what else runs there counts, too. Each member
 * that is there has an equal part of every moment. */
#ifndef THRONG_WORKER_METER_H
#define THRONG_WORKER_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meter;

/* Before anything is taken of the GPU. NULL: nobody can tell. */
struct meter *meter_open(void);
void meter_close(struct meter *m); /* NULL is accepted, as by all of these */
/* Looks again, unless it did a moment ago; `members` have been there since.
 * What went while nobody was is nobody's. */
bool meter_is_due(const struct meter *m);
void meter_look(struct meter *m, size_t members);
/* Of a member that was there from the beginning: what counts is how much this
 * has grown. */
double meter_joules(const struct meter *m);
/* Of a GPU's memory, above what was in use at first: one member's part at the
 * last look. */
uint64_t meter_bytes(const struct meter *m);

#endif
