/* load.c - how much of a place some tasks take, all together
 *
 * Sums over everything that can be counted, and besides a count for every
 * set of needs that occurs, because sums alone do not see that three tasks
 * of 0.4 GPU do not fit on one. A study has one set of needs or few, so the
 * classes are a plain list. */
#include "engine/load.h"
#include <math.h>

/* Tasks that ask for nothing fit without end; more than this at once helps
 * nobody. */
#define SLOTS_MAX 4096
/* So many classes are kept before empty ones are used again. */
#define CLASSES_KEPT 32

void load_init(struct load *l)
{
    *l = (struct load){0};
}

void load_done(struct load *l)
{
    vec_done(&l->classes);
}

static struct load_class *find(const struct load *l, const struct needs *n)
{
    for (size_t i = 0; i < l->classes.len; i++)
        if (needs_eq(&l->classes.p[i].needs, n))
            return &l->classes.p[i];
    return NULL;
}

static struct load_class *find_empty(const struct load *l)
{
    if (l->classes.len < CLASSES_KEPT)
        return NULL;
    for (size_t i = 0; i < l->classes.len; i++)
        if (l->classes.p[i].count == 0)
            return &l->classes.p[i];
    return NULL;
}

static struct load_class *find_or_add(struct load *l, const struct needs *n)
{
    struct load_class *c = find(l, n);
    if (c)
        return c;
    struct load_class fresh = {.needs = *n};
    c = find_empty(l);
    if (c) {
        *c = fresh;
        return c;
    }
    vec_push(&l->classes, fresh);
    return &vec_last(&l->classes);
}

static void add_sums(struct load *l, const struct needs *n, double sign)
{
    l->cpus += sign * n->cpus;
    l->gpus += sign * n->gpus;
    l->memory_bytes += sign * (double)n->memory_bytes;
    l->disk_bytes += sign * (double)n->disk_bytes;
}

void load_add(struct load *l, const struct needs *n)
{
    find_or_add(l, n)->count++;
    l->count++;
    add_sums(l, n, 1);
}

void load_remove(struct load *l, const struct needs *n)
{
    struct load_class *c = find(l, n);
    require(c && c->count > 0);
    c->count--;
    l->count--;
    add_sums(l, n, -1);
    /* Adding and taking away fractions leaves crumbs. */
    if (l->count == 0)
        l->cpus = l->gpus = l->memory_bytes = l->disk_bytes = 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How often `need` goes into what is left of `total`. */
static int64_t times(double total, double used, double need)
{
    if (need <= 0)
        return INT32_MAX;
    double n = floor((total - used) / need + 1e-6);
    return n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : (int64_t)n;
}

int64_t load_free(const struct load *l, const struct room *r,
                  const struct needs *n)
{
    const struct load_class *c = find(l, n);
    int64_t fit = least(room_slots(r, n), SLOTS_MAX);
    fit -= c ? (int64_t)c->count : 0;
    fit = least(fit, times(r->cpus, l->cpus, n->cpus));
    if (r->memory_bytes)
        fit = least(fit, times((double)r->memory_bytes, l->memory_bytes,
                               (double)n->memory_bytes));
    if (r->disk_bytes)
        fit = least(fit, times((double)r->disk_bytes, l->disk_bytes,
                               (double)n->disk_bytes));
    fit = least(fit, times((double)r->gpu_count, l->gpus, n->gpus));
    if (r->parallel)
        fit = least(fit, (int64_t)r->parallel - (int64_t)l->count);
    return fit;
}

bool load_mixed(const struct load *l, const struct needs *n)
{
    const struct load_class *c = find(l, n);
    return l->count > (c ? c->count : 0);
}
