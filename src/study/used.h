/* used.h - how long a trial has run, over all that it goes on from
 *
 * As worker/used.h counts it, which keeps it in a file beside the checkpoint;
 * here by the attempts of the store. */
#ifndef THRONG_STUDY_USED_H
#define THRONG_STUDY_USED_H

#include "study/run.h"

/* Seconds of the attempts that the newest goes on from. */
int used_before(struct store *s, const struct live *l, double *seconds,
                struct err *err);
/* Seconds of the newest, which is gone, and of whose end nobody has heard: what
 * its worker had kept of it before it died as well. */
int used_untold(struct store *s, const struct live *l, double *seconds,
                struct err *err);

#endif
