/* room.h - a ledger of what a machine has and what is taken
 *
 * The engine uses it to know what can ever run and how much to hand out,
 * the worker to start only what fits. Pure bookkeeping. */
#ifndef THRONG_TERMS_ROOM_H
#define THRONG_TERMS_ROOM_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "terms/needs.h"

#define ROOM_GPUS_MAX 64

struct room_gpu {
    struct str id; /* what CUDA_VISIBLE_DEVICES takes */
    struct str name;
    double capability; /* 8.0 */
    uint64_t memory_bytes;
    unsigned number; /* what people call it */
    double free;     /* 1: untouched … 0: all taken */
    bool elsewhere;  /* somebody else on the machine has it */
};
struct room {
    double cpus, free_cpus;
    double lent_cpus; /* of these, left to others on the machine for now */
    uint64_t memory_bytes, free_memory_bytes; /* 0 in all: not counted */
    uint64_t disk_bytes, free_disk_bytes;     /* 0 in all: not counted */
    uint32_t parallel, running; /* tasks at once; 0: no such limit */
    struct room_gpu gpus[ROOM_GPUS_MAX];
    size_t gpu_count;
};
/* What one task holds. */
struct grant {
    struct needs needs;
    size_t gpu_count;
    uint8_t gpus[ROOM_GPUS_MAX]; /* indices */
};

/* True when part stands somewhere in the name of a GPU, whatever the case. */
bool room_gpu_named(struct str name, const char *part);
void room_init(struct room *r, double cpus, uint64_t memory_bytes,
               uint32_t parallel);
/* It is such as the task asks for, whoever has it now. */
bool room_gpu_fits(const struct room_gpu *g, const struct needs *n);
void room_add_gpu(struct room *r, const struct room_gpu *gpu);
/* 0 when an empty room would hold it; else -1 and the reason for people:
 * which need, how much was asked, how much there is. */
int room_check(const struct room *r, const struct needs *n, struct err *err);
/* True and *g filled when it fits now. While nothing runs here one task may
 * take cpus that are lent: everybody has at least one slot. Whole GPUs are
 * never shared with fractions; a fraction goes to the fullest GPU that can take
 * it. */
bool room_take(struct room *r, const struct needs *n, struct grant *g);
void room_give_back(struct room *r, const struct grant *g);
/* How many tasks of these needs fit at once in the empty room. */
uint32_t room_slots(const struct room *r, const struct needs *n);
/* "id,id" for CUDA_VISIBLE_DEVICES. */
void room_print_gpus(struct buf *b, const struct room *r,
                     const struct grant *g);
/* Text form, for the worker's command line:
 * cpus=2;memory=8589934592;parallel=4;gpu=ID/NAME/8.0/BYTES/NUMBER;gpu=…
 * (disk=BYTES where it is counted; % ; / in an id or a name as %25 %3B %2F) */
void room_print(struct buf *b, const struct room *r);
int room_parse(struct room *r, struct str text, struct arena *a,
               struct err *err);

#endif
