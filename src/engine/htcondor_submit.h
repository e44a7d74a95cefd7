/* htcondor_submit.h - the submit description of an array of bundles
 *
 * Private to this folder. */
#ifndef THRONG_ENGINE_HTCONDOR_SUBMIT_H
#define THRONG_ENGINE_HTCONDOR_SUBMIT_H

#include "engine/engine.h"
#include "engine/scheduler.h"

/* The attribute by which an array is found again. */
#define CONDOR_RUN_ATTRIBUTE "ThrongRun"
/* The one with the machines that a job avoids, "a,b". */
#define CONDOR_AVOID_ATTRIBUTE "ThrongAvoid"
#define CONDOR_LOG "events.log"

/* What stays the same between orders. */
struct condor_submit {
    const struct engine_setup *given;
    const struct nodes *nodes;
};

/* Seconds that a job has between SIGTERM and SIGKILL. */
double condor_vacate_s(const struct value *site);
/* The value of that attribute, as an ad has it. */
void condor_avoided(const struct job_order *order, struct buf *b);
/* -1 where a file of that name cannot go to the pool. */
int condor_name_check(const char *name, struct err *err);
/* -1 where a path or name of it cannot stand in a submit description. */
int condor_submit_check(const struct condor_submit *s, struct err *err);
void condor_submit_print(const struct condor_submit *s,
                         const struct job_order *order, struct buf *b);

#endif
