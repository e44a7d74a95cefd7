/* output.h - what is written takes the place of nothing that is read, and there
 * is room for it where it shall lie */
#ifndef THRONG_STUDY_OUTPUT_H
#define THRONG_STUDY_OUTPUT_H

#include "study/study.h"

/* An error where the output is a file that is read, by whatever name; `what` is
 * what that is to a person. Either may be NULL. */
int output_spares(const char *output, const char *input, const char *what,
                  struct err *err);
/* The same of rows as --data takes them: FILE, or NAME=FILE,NAME=FILE. */
int output_spares_rows(const char *output, const char *rows, const char *what,
                       struct arena *a, struct err *err);
/* The same of the files that weights were trained on, whose names are seen from
 * here, from the folder of the weights, or from home (NULL: nowhere else).
 * `who`: whose data they are, to a person. What is no weights of ours names
 * none. */
int output_spares_data(const char *output, const char *weights, const char *who,
                       const char *home, struct arena *a, struct err *err);
/* The same of models, each of their files, and what these were trained on. */
int output_spares_models(const char *output, const struct models *m,
                         struct arena *a, struct err *err);
/* An error where no file could be written there, or no folder be made. */
int output_fits(const char *path, bool folder, struct arena *a,
                struct err *err);
/* Adds what of this is wrong with the table of an inference. */
void output_check(const struct plan *p, struct problems *problems);

#endif
