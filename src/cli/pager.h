/* pager.h - long output on a terminal, through a pager, as git does it */
#ifndef THRONG_CLI_PAGER_H
#define THRONG_CLI_PAGER_H

#include "cli/cli.h"

/* True when the verb's output goes to a terminal that a pager can use. */
bool pager_wanted(const struct call *c);
/* Runs the verb in a process of its own with the pager behind it; its exit
 * code. Without a pager the verb is run as it is. */
int pager_run(struct call *c);

#endif
