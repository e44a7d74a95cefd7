/* external.h - a strategy that is a program of the person's own
 *
 * The program hears requests on its standard input and answers on its
 * standard output (terms/talk.h); what it says on standard error goes to
 * external.log in the study's folder. The conductor never waits for it:
 * a point that has not come yet is "wait", and its answer wakes the loop. */
#ifndef THRONG_STUDY_EXTERNAL_H
#define THRONG_STUDY_EXTERNAL_H

#include "base/log.h"
#include "plan/plan.h"
#include "search/search.h"
#include "sys/sys.h"

struct external;

struct external_setup {
    const struct plan *plan;
    const char *home;         /* where it runs */
    const char *python;       /* goes onto its PYTHONPATH; NULL: nothing */
    const char *log_path;     /* where its standard error goes */
    const char *leaders_path; /* where it is written down; NULL: nowhere */
    const mode_t *mask;       /* its umask; NULL: ours */
    struct loop *loop;
    int64_t parallel; /* points that may be out at once */
    void *context;
    /* It cannot go on: it died, hangs, or said what it must not. Called
     * once. */
    void (*failed)(void *context, const struct err *why);
    /* Its answer to a report of trial k, other than to continue. */
    void (*decided)(void *context, int64_t k, enum decision d);
};

/* What the setup points to must live as long. */
struct external *external_new(const struct external_setup *setup);
/* Starts the program and tells it of the study. */
int external_start(struct external *x, struct err *err);
/* What a search of method external asks; lives as long as x. */
const struct search_outside *external_outside(struct external *x);
/* True when the program has paused the running trial of suggestion k. */
bool external_pauses(const struct external *x, int64_t k);
/* Closes its input, gives it a little time to end, and ends it. */
void external_free(struct external *x);

#endif
