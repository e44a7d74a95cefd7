/* job.h - a job of a scheduler, as a file tells of it
 *
 * jobs/<n>/state of a study has a line with the name of the scheduler and the
 * number of the array, then one for each of its jobs. The place that follows
 * the jobs writes it whenever something has changed; whoever looks at the study
 * reads it, also when nobody runs the study any more. */
#ifndef THRONG_TERMS_JOB_H
#define THRONG_TERMS_JOB_H

#include <stdint.h>
#include "base/buf.h"

/* Where a job is. */
enum job_stage { JOB_WAITS, JOB_RUNS, JOB_OVER };

struct job_line {
    uint32_t index; /* of the array's jobs */
    enum job_stage stage;
    bool again;       /* it waits, and has begun before: nothing of it runs */
    struct str tasks; /* "3-7,9": what was put into it */
    /* In the scheduler's own words; empty: it did not say. */
    struct str state;  /* "PENDING"; empty: nothing was said of it yet */
    struct str reason; /* "Resources" */
    struct str node;
    struct str by;    /* who removed it */
    struct str words; /* what state and reason mean, for people; or empty */
    int exit_code;    /* of its worker; -1: unknown */
};

/* The first line. */
struct job_head {
    struct str scheduler; /* "Slurm" */
    uint64_t job;         /* the number of the array */
    struct str class;     /* its length by name; empty: it has none */
    double time_s;        /* of one job; 0: not said */
};
/* "12_3" of Slurm, "12.3" of HTCondor: job `index` of the array. */
void job_id_print(struct buf *b, struct str scheduler, uint64_t job,
                  uint32_t index);
void job_head_print(struct buf *b, const struct job_head *h);
bool job_head_parse(struct str line, struct job_head *h);
void job_line_print(struct buf *b, const struct job_line *l);
/* False: it is no such line. Texts point into it. */
bool job_line_parse(struct str line, struct job_line *l);
/* "3-7,9" of the numbers of tasks, those that follow each other joined. */
void job_tasks_print(struct buf *b, const uint64_t *ids, size_t count);
bool job_tasks_have(struct str tasks, uint64_t id);
uint64_t job_tasks_count(struct str tasks);

#endif
