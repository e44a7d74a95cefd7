/* model_file.h - model files on the command line */
#ifndef THRONG_CLI_MODEL_FILE_H
#define THRONG_CLI_MODEL_FILE_H

#include "cli/cli.h"

/* Reads a model file and replaces ${NAME} by the NAME=VALUE of `words`
 * (NULL-terminated). NULL: c->err says why. */
struct value *model_file_read(struct call *c, const char *file,
                              const char *const *words);
/* The value that a path such as layers[3].filters names, or the nearest one
 * above it. */
const struct value *model_file_at(const struct value *model, struct str path);
/* Prints problems as "file:line:column: path text". */
void model_file_problems(const struct value *model, const char *file,
                         const struct problems *problems);
/* Prints one as the same: `text` names the path. */
void model_file_fault(const struct value *model, const char *file,
                      struct str path, struct str text);

#endif
