/* use.h - what an attempt had of a device, and how its time went
 *
 * Of built-in training the trainer says it: what it did while the attempt was
 * one of its members. Of a program the processes and the GPUs are looked at
 * from outside. What nobody knows is 0. */
#ifndef THRONG_TERMS_USE_H
#define THRONG_TERMS_USE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/* What the time of a trainer went into. */
enum spent {
    SPENT_INPUT,         /* reading models and rows, bringing them there */
    SPENT_COMPUTING,     /* training and judging */
    SPENT_SYNCHRONISING, /* reports, checkpoints, waiting for decisions */
    SPENT_IDLE,          /* nothing was there to train */
    SPENT_COUNT
};

struct use {
    char device[12];           /* of built-in training; "": not known */
    double spent[SPENT_COUNT]; /* seconds, of the same */
    uint64_t gpu_bytes; /* of a GPU's memory, its part of what was used */
    double joules;      /* of a GPU, shared out by time */
    double gpu_busy_s;  /* of a program: its GPUs computed, … */
    double gpu_seen_s;  /* … of the time that they were looked at */
    double blocked_s;   /* of the same: its processes waited for disks */
};

/* False: nothing is known of it. */
bool use_is_known(const struct use *u);
/* How the time on a GPU went: into what, as parts of the trainer's time, or
 * NaN; and the part of it that the GPU was busy for a program, or NaN. */
void use_gpu_shares(const struct use *u, double spent[SPENT_COUNT],
                    double *busy);
/* As a part of a record. */
void use_print(struct buf *b, const struct use *u);
/* False: it is damaged. */
bool use_parse(struct bytes *in, struct use *u);

/* One sentence of how busy a GPU was and, where it was not, of why, and what
 * may help; without a GPU, of a program that mostly waits for disks. Nothing
 * where there is nothing to say, or nobody knows. `seconds` is how long the
 * attempts ran, `cpu_seconds` what they took of cpus. */
void use_verdict(struct buf *b, const struct use *u, double seconds,
                 double cpu_seconds);
/* The same of a program that was given so many cpus and left half of them or
 * more idle. */
void use_cpus_verdict(struct buf *b, double seconds, double cpu_seconds,
                      double cpus);

#endif
