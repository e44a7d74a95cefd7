/* export_history.h - every point of every metric, for other programs */
#ifndef THRONG_CLI_EXPORT_HISTORY_H
#define THRONG_CLI_EXPORT_HISTORY_H

#include "cli/cli.h"

/* Prints the points of all trials of a query as CSV or as JSON lines, by
 * trial, metric and step, while they are read: no more than one metric of one
 * trial is in memory. -1 with c->err. */
int export_history(struct call *c, struct store *store, const struct query *q,
                   bool csv);

#endif
