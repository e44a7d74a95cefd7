/* pace.h - how fast trials end, and how long the rest will take */
#ifndef THRONG_STUDY_PACE_H
#define THRONG_STUDY_PACE_H

#include "study/study.h"

#define PACE_ENDS 101 /* of the last trials, the median counts */

/* What the conductor remembers of the trials that ended last. */
struct pace {
    double seconds[PACE_ENDS]; /* how long each took */
    double beside[PACE_ENDS];  /* how many ran when it ended, itself too */
    size_t ends;               /* in all */
    int64_t began_ns;          /* when trials could begin */
    int64_t first_ns, last_ns; /* when the first and the last one ended */
};
void pace_begin(struct pace *p, int64_t now_ns);
void pace_end(struct pace *p, double seconds, int64_t running, int64_t now_ns);
void pace_now(const struct pace *p, int64_t now_ns, struct study_pace *now);
/* Keeps it in the store for who watches. */
int pace_write(struct store *store, const struct pace *p, struct err *err);

#endif
