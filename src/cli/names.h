/* names.h - the names that trials of a study can be asked for */
#ifndef THRONG_CLI_NAMES_H
#define THRONG_CLI_NAMES_H

#include "cli/cli.h"

/* 0 when the name is a parameter or a metric of the study, or when the study
 * has no trial yet; else -1 with c->err, which names the nearest one. */
int name_check(struct call *c, struct store *store, const char *name);
/* The same for every name in a filter; NULL has none. */
int names_check_filter(struct call *c, struct store *store, const char *where);

#endif
