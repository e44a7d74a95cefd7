/* waiting.c - trials that wait to go out: a heap, the next one first */
#include "study/run.h"

static bool before(const struct live *a, const struct live *b)
{
    if (a->ready_ns != b->ready_ns)
        return a->ready_ns < b->ready_ns;
    /* Those that may be guilty let the others go first. */
    if (a->suspicion.losses != b->suspicion.losses)
        return a->suspicion.losses < b->suspicion.losses;
    return a->t.id < b->t.id;
}

void run_wait(struct run *r, struct live *l)
{
    live_enter(r, l, LIVE_WAITS);
    vec_push(&r->waiting, l);
    struct live **heap = r->waiting.p;
    size_t i = r->waiting.len - 1;
    while (i > 0 && before(heap[i], heap[(i - 1) / 2])) {
        struct live *up = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = heap[i];
        heap[i] = up;
        i = (i - 1) / 2;
    }
}

static void sift_down(struct live **heap, size_t len, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < len && before(heap[child], heap[least]))
                least = child;
        if (least == i)
            return;
        struct live *down = heap[i];
        heap[i] = heap[least];
        heap[least] = down;
        i = least;
    }
}

struct live *run_pop_ready(struct run *r, int64_t now_ns)
{
    if (!r->waiting.len || r->waiting.p[0]->ready_ns > now_ns)
        return NULL;
    struct live *first = r->waiting.p[0];
    r->waiting.p[0] = r->waiting.p[--r->waiting.len];
    sift_down(r->waiting.p, r->waiting.len, 0);
    live_enter(r, first, LIVE_AT_HAND);
    return first;
}

void run_order_waiting(struct run *r)
{
    for (size_t k = r->waiting.len / 2 + 1; k-- > 0;)
        sift_down(r->waiting.p, r->waiting.len, k);
}

void run_unwait(struct run *r, struct live *l)
{
    live_enter(r, l, LIVE_AT_HAND);
    for (size_t i = 0; i < r->waiting.len; i++) {
        if (r->waiting.p[i] != l)
            continue;
        r->waiting.p[i] = r->waiting.p[--r->waiting.len];
        run_order_waiting(r);
        return;
    }
}
