/* sizes.h - how many tasks go into one job, and how many jobs now
 *
 * Pure. Private to this folder. */
#ifndef THRONG_ENGINE_SIZES_H
#define THRONG_ENGINE_SIZES_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

struct sizes {
    size_t waiting;       /* tasks that are in no job yet */
    uint32_t slots;       /* tasks that run at once on the cluster */
    uint32_t job_slots;   /* tasks at once in one job */
    size_t out, queued;   /* jobs that have not ended; of these, not begun */
    size_t out_max;       /* jobs that may be out */
    double task_s;        /* how long a task takes; below 0: nobody knows … */
    double longest_s;     /* … but one has run for so long by now */
    double bundle_time_s; /* how long a job should take */
    double job_time_s;    /* how long it may; 0: nobody says */
};
struct cut {
    size_t jobs, tasks; /* so many jobs, of so many tasks each */
};

/* Tasks that fill a job, by the measured time; 1 where nobody knows. */
size_t sizes_full(const struct sizes *s);
/* What shall be submitted now; jobs 0: nothing, it is better to wait. */
struct cut sizes_cut(const struct sizes *s);

#endif
