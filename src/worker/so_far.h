/* so_far.h - what an attempt has used so far, said while it runs
 *
 * So that a person hears why a GPU is idle before hours have gone: the first
 * time after some seconds, then less and less often, down to once a minute. A
 * program's is said here, a member's by its trainer (spent.c). */
#ifndef THRONG_WORKER_SO_FAR_H
#define THRONG_WORKER_SO_FAR_H

#include <stdbool.h>
#include <stdint.h>

struct attempt;

/* True when it is time, of one that began then; the next time is noted. */
bool so_far_is_due(int64_t began_ns, int64_t now_ns, int64_t *next_ns);
/* Says it of a program of which something is known, if it is time. */
void so_far_look(struct attempt *a, int64_t now_ns);

#endif
