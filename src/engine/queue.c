/* queue.c - things that wait their turn: by priority, then by age
 *
 * A binary heap of pointers. Every node knows its position, so that one from
 * the middle can be taken out without a search: heap.p[n->at] == n for every
 * node in the queue. */
#include "engine/queue.h"
#include "base/err.h"
#include <stdbool.h>

static bool before(const struct queue_node *a, const struct queue_node *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->age < b->age;
}

static void put(struct queue *q, size_t at, struct queue_node *n)
{
    q->heap.p[at] = n;
    n->at = at;
}

static void rise(struct queue *q, size_t at)
{
    struct queue_node *n = q->heap.p[at];
    while (at > 0) {
        size_t up = (at - 1) / 2;
        if (!before(n, q->heap.p[up]))
            break;
        put(q, at, q->heap.p[up]);
        at = up;
    }
    put(q, at, n);
}

static void sink(struct queue *q, size_t at)
{
    struct queue_node *n = q->heap.p[at];
    for (;;) {
        size_t down = 2 * at + 1;
        if (down >= q->heap.len)
            break;
        if (down + 1 < q->heap.len &&
            before(q->heap.p[down + 1], q->heap.p[down]))
            down++;
        if (!before(q->heap.p[down], n))
            break;
        put(q, at, q->heap.p[down]);
        at = down;
    }
    put(q, at, n);
}

void queue_init(struct queue *q)
{
    *q = (struct queue){0};
}

void queue_done(struct queue *q)
{
    vec_done(&q->heap);
}

size_t queue_count(const struct queue *q)
{
    return q->heap.len;
}

void queue_push(struct queue *q, struct queue_node *n, int priority)
{
    n->priority = priority;
    n->age = q->pushed++;
    vec_push(&q->heap, n);
    n->at = q->heap.len - 1;
    rise(q, n->at);
}

struct queue_node *queue_first(const struct queue *q)
{
    return q->heap.len ? q->heap.p[0] : NULL;
}

void queue_remove(struct queue *q, struct queue_node *n)
{
    require(n->at < q->heap.len && q->heap.p[n->at] == n);
    struct queue_node *last = q->heap.p[--q->heap.len];
    if (last == n)
        return;
    put(q, n->at, last);
    rise(q, last->at);
    sink(q, last->at);
}
