/* sweep.h - ends the processes that a dead worker has left behind
 *
 * They are known by their environment, which holds the study's mark; by their
 * session, where its leader was written down; or by having become children of
 * this process, which must be a subreaper. Private to this folder. */
#ifndef THRONG_ENGINE_SWEEP_H
#define THRONG_ENGINE_SWEEP_H

#include "base/err.h"
#include "base/vec.h"
#include "engine/mark.h"
#include "engine/sessions.h"
#include "sys/sys.h"

struct sweep {
    struct mark mark;
    struct sessions sessions; /* whose members are ended too */
    /* Orphans of this worker are ended even without the mark. pid 0: only
     * marked processes are. */
    struct process_id worker;
    VEC(struct process_id) kin; /* children of ours that are no orphans */
    unsigned quiet;             /* rounds in a row that found nothing */
    pid_t seen;                 /* one of those found last, for messages */
    bool denied;                /* which we may not end */
};

void sweep_init(struct sweep *s, const struct mark *mark);
void sweep_done(struct sweep *s);
/* Notes the children that this process has while the worker lives, or before
 * there is one. The worker is a subreaper too, so none of them can be an
 * orphan of it. Does nothing once the worker is dead. */
void sweep_note_kin(struct sweep *s);
/* One round: SIGKILL to all that belong to the worker. True when nothing is
 * left; else call it again in some milliseconds. */
bool sweep_round(struct sweep *s);
/* Rounds until nothing is left; quiet ones that were before count too. -1 when
 * something is after `seconds`. */
int sweep_all(struct sweep *s, double seconds, struct err *err);

/* How many living processes have the mark, besides this one and its
 * ancestors, and how many of them are workers. */
size_t sweep_marked(const struct mark *mark, size_t *workers);

/* Lets some milliseconds pass, for those who wait outside of a loop. */

#endif
