/* nodes.h - the machines of a cluster, as far as its scheduler tells
 *
 * How many tasks run there at once, and whether one ever can. Private to this
 * folder. */
#ifndef THRONG_ENGINE_NODES_H
#define THRONG_ENGINE_NODES_H

#include <stdint.h>
#include "base/err.h"
#include "base/vec.h"
#include "terms/needs.h"

#define NODE_GPU_KINDS 4

struct node {
    const char *name; /* outlives it, as all texts here do */
    bool usable;      /* it is up, or will be without anybody's help */
    uint32_t cpus;
    uint64_t memory_bytes; /* 0: unknown */
    struct {
        struct str type; /* "a100"; empty: the scheduler does not say */
        uint32_t count;
    } gpus[NODE_GPU_KINDS];
    size_t gpu_kinds;
};
struct nodes {
    VEC(struct node) list;
};

/* -1 when no node, or too few for a task on several, usable now or not, can run
 * such a task; says which comes nearest. A cluster whose nodes are unknown can
 * run anything. */
int nodes_check(const struct nodes *nodes, const struct needs *n,
                struct err *err);
/* How many such tasks the usable ones hold at once. */
uint32_t nodes_slots(const struct nodes *nodes, const struct needs *n);
/* The same for the node that holds most, usable or not; 1 of a task that is
 * spread over ranks, which has a job for itself. */
uint32_t nodes_most(const struct nodes *nodes, const struct needs *n);
/* All GPUs of the cluster. */
uint32_t nodes_gpus(const struct nodes *nodes);
/* The type of GPU, as the scheduler writes it, that a task asks for; empty:
 * any will do. */
struct str nodes_gpu_type(const struct nodes *nodes, const struct needs *n);

#endif
