/* model_file.h - model files on the command line */
#ifndef THRONG_CLI_MODEL_FILE_H
#define THRONG_CLI_MODEL_FILE_H

#include "cli/cli.h"

/* As model_file_read, printing its problems. NULL: c->err says why. */
struct value *model_file_load(struct call *c, const char *file,
                              const char *const *words);
/* Prints problems as "file:line:column: path text". */
void model_file_problems(const struct value *model, const char *file,
                         const struct problems *problems);
/* Prints one as the same: `text` names the path. */
void model_file_fault(const struct value *model, const char *file,
                      struct str path, struct str text);

#endif
