/* gathered.h - which trials failed, and the best so far, of a large study
 *
 * The store has no index for these, and reading a million trials takes
 * seconds. So they are gathered from the newest trial backwards, a bit with
 * each look, and from then on only new and open trials are read. */
#ifndef THRONG_VIEW_GATHERED_H
#define THRONG_VIEW_GATHERED_H

#include "view/view.h"

struct gathered {
    bool minimize;
    bool begun;
    int64_t top, low; /* trials above low and up to top have been read */
    VEC(struct record_trial) records; /* by id, each better than the last */
    VEC(int64_t) bad;                 /* by id */
    VEC(int64_t) open;                /* not final when last read, by id */
    double restarted;                 /* unix time */
};

void gathered_done(struct gathered *h);
/* Goes on for at most budget_s of processor time; counts were read just
 * before. */
int gathered_update(struct gathered *h, struct store *s, const struct counts *c,
                    double budget_s, struct err *err);
/* The part of the trials that was gone through, 0 to 1. */
double gathered_part(const struct gathered *h);
/* Takes a trial that may be better than all before it. */
void gathered_record(struct gathered *h, int64_t id, double value);

#endif
