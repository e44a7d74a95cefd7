/* order.c - which results a suggestion may depend on
 *
 * `jobs` is there only when results are held back; each remembers its trial,
 * and its result from its end until it was passed on. */
#include "search/order.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

/* A result with copies of all that it points to. */
struct held {
    struct arena *arena;
    struct result result;
};
struct job {
    int64_t trial;
    struct held *held;
};

struct order {
    enum search_order kind;
    int64_t size;
    int64_t count; /* jobs so far */
    int64_t out;
    int64_t passed; /* jobs from 1 on whose results were passed on */
    VEC(struct job) jobs;
    struct idmap *open; /* trial -> its job that has not ended (number) */
};

struct order *order_new(enum search_order kind, int64_t size)
{
    struct order *o = xcalloc(1, sizeof(*o));
    o->kind = kind;
    o->size = size;
    o->open = idmap_new();
    return o;
}

static void held_free(struct held *h)
{
    if (!h)
        return;
    arena_free(h->arena);
    free(h);
}

void order_free(struct order *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->jobs.len; i++)
        held_free(o->jobs.p[i].held);
    vec_done(&o->jobs);
    idmap_free(o->open);
    free(o);
}

int64_t order_next(const struct order *o)
{
    return o->count + 1;
}

int64_t order_out(const struct order *o)
{
    return o->out;
}

int64_t order_limit(const struct order *o, int64_t job)
{
    if (o->kind == SEARCH_LAG)
        return job - o->size;
    if (o->kind == SEARCH_BATCH)
        return (job - 1) / o->size * o->size + 1;
    return INT64_MAX;
}

bool order_ready(struct order *o, order_fn *pass, void *context)
{
    if (o->kind == SEARCH_FREE)
        return true;
    int64_t limit = order_limit(o, o->count + 1);
    while (o->passed + 1 < limit) {
        struct job *job = &o->jobs.p[o->passed];
        if (!job->held)
            return false;
        pass(context, &job->held->result);
        held_free(job->held);
        job->held = NULL;
        o->passed++;
    }
    return true;
}

/* Numbers are kept where pointers go, so that a job costs nothing more. */
static void *as_pointer(int64_t number)
{
    return (void *)(uintptr_t)number;
}

int64_t order_job(struct order *o, int64_t trial)
{
    o->count++;
    o->out++;
    idmap_set(o->open, (uint64_t)trial, as_pointer(o->count));
    if (o->kind != SEARCH_FREE)
        vec_push(&o->jobs, (struct job){.trial = trial});
    return o->count;
}

static const double *copy_numbers(struct arena *a, const double *from,
                                  size_t count)
{
    if (!from)
        return NULL;
    double *to = arena_array(a, count + 1, sizeof(*to));
    memcpy(to, from, count * sizeof(*to));
    return to;
}

static struct held *hold(const struct result *r)
{
    struct held *h = xcalloc(1, sizeof(*h));
    h->arena = arena_new();
    h->result = *r;
    if (r->point)
        h->result.point = value_copy(h->arena, r->point);
    h->result.values = copy_numbers(h->arena, r->values, r->value_count);
    h->result.constraints =
        copy_numbers(h->arena, r->constraints, r->constraint_count);
    return h;
}

/* A trial that nobody asked for here (it ran before the order was kept) is
 * passed on at once. */
void order_end(struct order *o, const struct result *r, order_fn *pass,
               void *context)
{
    int64_t job = (int64_t)(uintptr_t)idmap_del(o->open, (uint64_t)r->trial);
    if (job)
        o->out--;
    if (!job || o->kind == SEARCH_FREE)
        pass(context, r);
    else
        o->jobs.p[job - 1].held = hold(r);
}
