/* saving.h - a job that is begun again and again, so that its work is kept
 *
 * Where nothing that a job does reaches the conductor while it runs, all of it
 * is lost with the machine. So every now and then the worker exits with
 * WORKER_EXIT_AGAIN: the scheduler takes what there is, and begins the job
 * again. Tasks are not interrupted for it that would have to begin anew:
 *
 *   - built-in training always can go on;
 *   - a command that has something in THRONG_CHECKPOINT is asked (THRONG_STOP),
 *     one for all at first. When it ends with code 0 or 85 within its grace, it
 *     has answered: it goes on in the next start, and the others are asked. If
 *     not, the question is taken back, and it is not asked again;
 *   - for others it is waited until none of them runs, while nothing begins;
 *     but no longer than a quarter of the time between two savings. */
#ifndef THRONG_WORKER_SAVING_H
#define THRONG_WORKER_SAVING_H

#include <stdbool.h>
#include <stdint.h>

struct worker;
struct attempt;

struct saving {
    int64_t every_ns;   /* 0: never */
    int64_t due_ns;     /* when to begin with it; 0: never */
    int64_t give_up_ns; /* while it waits */
    bool waits;         /* nothing begins */
    bool answered;      /* somebody has ended for it: there is no way back */
};

void saving_init(struct worker *w, double every_s);
/* True while nothing may begin. */
bool saving_waits(const struct worker *w);
/* When saving_look has something to do; 0: never. */
int64_t saving_next_ns(const struct worker *w);
/* Does what is due; after each round. */
void saving_look(struct worker *w);
/* A command has ended by itself: true when that was its answer. */
bool saving_is_answer(struct attempt *a);

#endif
