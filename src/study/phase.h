/* phase.h - how far a run is, and where each of its trials stands */
#ifndef THRONG_STUDY_PHASE_H
#define THRONG_STUDY_PHASE_H

#include <stdbool.h>

/* In the order in which a run goes through them; it may leave some out. */
enum run_phase {
    RUN_SETTLES,    /* takes over what earlier runs left; nothing starts */
    RUN_STARTS,     /* trials are made, and start */
    RUN_DOUBTS,     /* none starts until one of those that run gets on */
    RUN_DRAINS,     /* it ends: no more start, those that run finish, … */
    RUN_PARTS,      /* … or are left at a place that outlives us, … */
    RUN_INTERRUPTS, /* … or are ended */
    RUN_IDLE,       /* nothing is out; the last results are not committed */
    RUN_OVER,       /* all that can be is committed */
    RUN_BROKEN,     /* something broke for good; nothing is committed */
    RUN_PHASES
};

/* True when a run may go from one phase to the other. */
bool run_phase_leads(enum run_phase from, enum run_phase to);
const char *run_phase_name(enum run_phase phase);

/* Where a trial stands that is not final. */
enum live_phase {
    LIVE_AT_HAND, /* new, taken out of those that wait, or back from its place:
                     about to go elsewhere, or to end */
    LIVE_WAITS,   /* in the list of those that do */
    LIVE_OUT,     /* its attempt is written, and may be on its way or run */
    LIVE_READS,   /* the same of one that only reads what another left */
    LIVE_READ,    /* that is done: about to end */
    LIVE_PHASES
};

bool live_phase_leads(enum live_phase from, enum live_phase to);
const char *live_phase_name(enum live_phase phase);

struct run;
struct live;
/* The only way from one phase to another; it must be a legal one. */
void run_enter(struct run *r, enum run_phase phase);
void live_enter(struct run *r, struct live *l, enum live_phase phase);

#endif
