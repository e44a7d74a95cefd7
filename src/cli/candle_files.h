/* candle_files.h - where the files of a CANDLE model are looked for */
#ifndef THRONG_CLI_CANDLE_FILES_H
#define THRONG_CLI_CANDLE_FILES_H

#include "candle/candle.h"

/* Reads what a parameter file names. Lives in the arena. */
struct file_reader candle_files(struct arena *a, const char *model_file);
/* A problem for each file of data that a model made from `params` needs but
 * that is not in the folder: CANDLE's are fetched by its own programs. */
void candle_files_missing(const struct value *model, const struct value *params,
                          struct str file, const char *folder,
                          struct problems *problems);

#endif
