/* ranking.h - the table of the best trials, for `rank` and after `run` */
#ifndef THRONG_CLI_RANKING_H
#define THRONG_CLI_RANKING_H

#include "cli/cli.h"

/* Prints to standard output; -1 with c->err. */
int ranking_print(struct call *c, struct store *store, const struct ranking *r,
                  bool json);
/* The same where there are several objectives, or bounds, and no `by`. */
int ranking_fronts(struct call *c, struct ranks *ranks, bool json);

#endif
