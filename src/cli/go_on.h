/* go_on.h - the command that goes on with a study */
#ifndef THRONG_CLI_GO_ON_H
#define THRONG_CLI_GO_ON_H

#include "cli/cli.h"

/* "throng run mine.yaml", with --new and --fix where the study was begun with
 * them, so that it can be pasted in the folder where the caller is. Lives in
 * the call's arena. */
const char *go_on_command(struct call *c, const struct place_of_study *where);

#endif
