/* load.h - how much of a place some tasks take, all together
 *
 * An estimate for deciding how much to hand out: the worker does the exact
 * matching of tasks with CPUs, memory and GPUs. Exact when all tasks need
 * the same. Private to this folder. */
#ifndef THRONG_ENGINE_LOAD_H
#define THRONG_ENGINE_LOAD_H

#include <stdint.h>
#include "base/vec.h"
#include "terms/needs.h"
#include "terms/room.h"

/* Tasks of equal needs. */
struct load_class {
    struct needs needs;
    size_t count;
};
struct load {
    VEC(struct load_class) classes;
    size_t count; /* of all tasks */
    double cpus, gpus;
    double memory_bytes, disk_bytes;
};

void load_init(struct load *l);
void load_done(struct load *l);
void load_add(struct load *l, const struct needs *n);
void load_remove(struct load *l, const struct needs *n); /* added before */
/* How many more tasks of these needs fit into a room that holds nothing else;
 * below 0: that many too many. */
int64_t load_free(const struct load *l, const struct room *r,
                  const struct needs *n);
/* True when some of the tasks have other needs than these. */
bool load_mixed(const struct load *l, const struct needs *n);

#endif
