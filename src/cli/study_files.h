/* study_files.h - the study files that lie about, for who named none */
#ifndef THRONG_CLI_STUDY_FILES_H
#define THRONG_CLI_STUDY_FILES_H

#include "cli/cli.h"

/* For a verb that wants one study file and got none, or too many words: says
 * so with the command that was probably meant. */
int study_file_usage(struct call *c);
/* Adds to c->err, which says that `file` cannot be read, what may have been
 * meant: another file here, or the file of a study of this name. */
void study_file_hint(struct call *c, const char *file);

#endif
