/* state.h - the states of trials and how attempts end */
#ifndef THRONG_TERMS_STATE_H
#define THRONG_TERMS_STATE_H

#include "base/str.h"

/* The numbers are stored: never renumber. */
enum state {
    STATE_WAITING = 0,
    STATE_RUNNING = 1,
    STATE_PAUSED = 2,
    STATE_DONE = 3,
    STATE_FAILED = 4,
    STATE_INVALID = 5,
    STATE_STOPPED = 6,
    STATE_TIMED_OUT = 7,
    STATE_KILLED = 8,
    STATE_DIVERGED = 9,
    STATE_COUNT
};
const char *state_name(enum state s); /* "timed_out" */
bool state_parse(struct str s, enum state *state);
bool state_final(enum state s); /* nothing more will happen */
bool state_bad(enum state s); /* failed, invalid, timed_out, killed, diverged */

/* What a person wants of a trial that has not ended. The numbers are stored:
 * never renumber. */
enum wish {
    WISH_NONE = 0,
    WISH_STOP = 1, /* finish early: its value counts */
    WISH_KILL = 2, /* end: it does not */
};

/* How one attempt ended. */
enum outcome {
    OUTCOME_NONE = 0, /* not ended yet */
    OUTCOME_DONE = 1,
    OUTCOME_FAILED = 2,  /* exit code or signal of its own */
    OUTCOME_INVALID = 3, /* exit code 78 */
    OUTCOME_STOPPED = 4, /* finished early because it was asked to */
    OUTCOME_TIMED_OUT = 5,
    OUTCOME_KILLED = 6, /* by the user */
    OUTCOME_DIVERGED = 7,
    OUTCOME_LOST = 8,         /* its machine or worker went away */
    OUTCOME_CHECKPOINTED = 9, /* exit code 85 */
    OUTCOME_MEMORY = 10,      /* used more than its grant: counts as failed */
    OUTCOME_SPAWN = 11,       /* could not be started: counts as failed */
    OUTCOME_UNSTARTED = 12,   /* handed out but never started: only its number
                                 is used up */
    OUTCOME_INTERRUPTED = 13, /* ended because the conductor ended; not
                                 counted as a loss */
    OUTCOME_COUNT
};
const char *outcome_name(enum outcome o);
bool outcome_parse(struct str s, enum outcome *outcome);
/* It came to an end of its own, or of a person's, that has no value. */
bool outcome_is_bad(enum outcome o);

#define EXIT_CODE_CHECKPOINTED 85
#define EXIT_CODE_INVALID 78

#endif
