/* names.h - the names that trials of a study can be asked for */
#ifndef THRONG_CLI_NAMES_H
#define THRONG_CLI_NAMES_H

#include "cli/cli.h"

/* 0 when the name is a parameter or a metric of the study, or when the study
 * has no trial yet; else -1 with c->err, which names the nearest one. */
int name_check(struct call *c, struct store *store, const char *name);
/* The same for every name in a filter; NULL has none. */
int names_check_filter(struct call *c, struct store *store, const char *where);

/* The same for the parameters that `rank --over` names, joined by commas. */
int names_check_over(struct call *c, struct store *store, const char *over);

/* Sets c->err: no trial of the study is what the selector names; with what
 * there is. Returns -1. */
int no_such_trials(struct call *c, struct store *store, const char *selector);

#endif
