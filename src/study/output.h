/* output.h - what is written takes the place of nothing that models, or an
 * inference, read */
#ifndef THRONG_STUDY_OUTPUT_H
#define THRONG_STUDY_OUTPUT_H

#include "study/study.h"

/* As output_spares, of the files that weights were trained on, whose names are
 * seen from here, from the folder of the weights, or from home (NULL: nowhere
 * else). `who`: whose data they are, to a person. What is no weights of ours
 * names none. */
int output_spares_data(const char *output, const char *weights, const char *who,
                       const char *home, struct arena *a, struct err *err);
/* Adds what is wrong with the place of an inference's table. */
void output_check(const struct plan *p, struct problems *problems);

#endif
