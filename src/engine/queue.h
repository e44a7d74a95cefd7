/* queue.h - things that wait their turn: by priority, then by age
 *
 * Intrusive: put a `struct queue_node` first into what waits. Private to
 * this folder. */
#ifndef THRONG_ENGINE_QUEUE_H
#define THRONG_ENGINE_QUEUE_H

#include <stdint.h>
#include "base/vec.h"

struct queue_node {
    int priority; /* higher goes first */
    uint64_t age; /* set by queue_push: older goes first */
    size_t at;    /* where it stands in the heap */
};
struct queue {
    VEC(struct queue_node *) heap;
    uint64_t pushed;
};

void queue_init(struct queue *q);
void queue_done(struct queue *q); /* the nodes are the caller's */
size_t queue_count(const struct queue *q);
void queue_push(struct queue *q, struct queue_node *n, int priority);
struct queue_node *queue_first(const struct queue *q); /* NULL: empty */
/* Takes n out, wherever it stands. */
void queue_remove(struct queue *q, struct queue_node *n);

#endif
