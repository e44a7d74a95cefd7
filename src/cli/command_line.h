/* command_line.h - a trial as a line that can be pasted into a shell */
#ifndef THRONG_CLI_COMMAND_LINE_H
#define THRONG_CLI_COMMAND_LINE_H

#include "cli/cli.h"

/* Appends the line: a scratch folder with the parameters, the protocol's
 * variables, the command. Nothing of the real trial's files is touched when
 * it is run. */
int command_line_print(struct buf *b, struct store *store,
                       const struct plan *plan, const char *home,
                       const struct trial *t, struct arena *a, struct err *err);

#endif
