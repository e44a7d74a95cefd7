/* columns.h - how much a model needs each column, for evaluate */
#ifndef THRONG_CLI_COLUMNS_H
#define THRONG_CLI_COLUMNS_H

#include "base/value.h"
#include "cli/cli.h"

/* What --groups and --repeats say: groups NULL, or repeats 0, without it.
 * EXIT_OK, or another code after a word about it. */
int columns_check(struct call *c, struct value **groups, int64_t *repeats);
/* Adds what --groups and --repeats say to the options of a task, which becomes
 * one of the kind importance; lives as long as the call. -1 after a word about
 * it. */
int columns_options(struct call *c, struct str *options);
/* What the worker wrote into a task's folder, the worst loss first; NULL and
 * the call's err. */
struct value *columns_read(struct call *c, const char *folder);
void columns_print(struct call *c, const struct value *v);

#endif
