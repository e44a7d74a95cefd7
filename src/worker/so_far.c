/* so_far.c - what an attempt has used so far, said while it runs */
#include "worker/so_far.h"

#include "worker/worker.h"

#define FIRST_NS 5000000000ll
#define MOST_NS 60000000000ll

bool so_far_is_due(int64_t began_ns, int64_t now_ns, int64_t *next_ns)
{
    int64_t ran = now_ns - began_ns;
    if (ran < FIRST_NS || now_ns < *next_ns)
        return false;
    *next_ns = now_ns + (ran < MOST_NS ? ran : MOST_NS);
    return true;
}

void so_far_look(struct attempt *a, int64_t now_ns)
{
    struct buf *b = &a->worker->payload;
    if (a->trainer || !use_is_known(&a->use) ||
        !so_far_is_due(a->started_ns, now_ns, &a->so_far_ns))
        return;
    struct record_use u = {.seconds = (double)(now_ns - a->started_ns) * 1e-9,
                           .cpu_seconds = a->cpu_s + census_cpu_s(a->worker, a),
                           .use = a->use};
    buf_reset(b);
    record_use_print(b, &u);
    worker_say(a, RECORD_USE, buf_str(b));
}
