/* follow.h - printing the logs of trials while they grow */
#ifndef THRONG_CLI_FOLLOW_H
#define THRONG_CLI_FOLLOW_H

#include <sys/types.h>
#include "cli/cli.h"

/* Prints until all have ended, or nobody runs their study (which is said).
 * Several have titles. -1 with c->err. */
int logs_follow(struct call *c, const struct place_of_study *where,
                const int64_t *trials, size_t count);

/* ---- pieces ----------------------------------------------------------- */

/* Prints a log from *at to its end, and sets *at there. */
int log_print_from(struct call *c, int fd, off_t *at);
/* "==> trial 7 <==" */
void log_title(const struct call *c, int64_t trial);

#endif
