/* needs.h - what one task asks of a machine */
#ifndef THRONG_TERMS_NEEDS_H
#define THRONG_TERMS_NEEDS_H

#include <stdint.h>
#include "base/err.h"
#include "base/value.h"

struct needs {
    double cpus;           /* default 1 */
    uint64_t memory_bytes; /* 0: not said, not enforced */
    uint64_t disk_bytes;   /* 0: not said */
    double gpus;           /* 0, 0.25, 1, 2 … a fraction is below 1 */
    char gpu_name[32];     /* "a100": part of the name, no case; "": any */
    double gpu_minimum_capability, gpu_maximum_capability; /* 0: not said */
    uint64_t gpu_minimum_memory_bytes;
    uint32_t nodes, ranks, ranks_per_node; /* 0: not said */
    double time_s;                         /* of one trial; 0: no limit */
};

/* How a task is laid out that is several processes: MPI's ranks. What it needs
 * is for all of them together. */
struct spread {
    uint32_t nodes, ranks;
    uint32_t ranks_per_node; /* at most */
};

void needs_init(struct needs *n);
/* A program that starts ranks itself, such as mpirun, by its name or path: a
 * command that begins with it is started once. */
bool is_rank_starter(struct str program);
/* False: nothing is said of nodes and ranks, it is one process. Of nodes, ranks
 * and ranks per node, what is not said follows from the others. */
bool needs_spread(const struct needs *n, struct spread *s);
/* On how many nodes it is. */
uint32_t needs_nodes(const struct needs *n);
/* -1 when nodes, ranks and what they need cannot be laid out. */
int needs_spread_check(const struct needs *n, struct err *err);
/* What it needs of one node: all, where it is not spread. */
struct needs needs_of_node(const struct needs *n);
/* What so many of these, on one node, need together. A GPU that is shared is
 * needed whole. */
struct needs needs_times(const struct needs *n, uint32_t times);
/* How many of these share one GPU; 1: none is shared. */
uint32_t needs_per_gpu(const struct needs *n);
bool needs_eq(const struct needs *a, const struct needs *b);
/* Reads one member ("cpus", "gpus", "time" …) as study files write it
 * (numbers, "4G", "a100:2", "2h 30m"). On failure n is as before. */
int needs_set(struct needs *n, struct str key, const struct value *v,
              struct err *err);
/* True when the memory of a GPU is a number without a unit that is too small
 * to be bytes: it is read as MiB, which schedulers mean by it. */
bool needs_in_megabytes(struct str key, const struct value *v);
extern const char *const needs_keys[]; /* NULL-terminated */
/* "2 cpus, 4 GiB, 1 gpu (a100)" for people. */
void needs_print(struct buf *b, const struct needs *n);
struct value *needs_to_value(struct arena *a, const struct needs *n);
int needs_from_value(struct needs *n, const struct value *v, struct err *err);

#endif
