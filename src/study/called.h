/* called.h - files of ours under the names that a person knows */
#ifndef THRONG_STUDY_CALLED_H
#define THRONG_STUDY_CALLED_H

#include "study/study.h"

/* Has an error about files of models say what a person calls these. */
void models_call(const struct models *m, struct err *err);

#endif
