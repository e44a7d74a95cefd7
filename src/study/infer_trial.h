/* infer_trial.h - the task of a trial that asks the model it names */
#ifndef THRONG_STUDY_INFER_TRIAL_H
#define THRONG_STUDY_INFER_TRIAL_H

#include "study/study.h"

/* Fills in what a task of the kind infer has, by the trial's point; files are
 * seen from `home`, and what is made of them lies in the study's folder. What a
 * person should know of what was made now is put into *notice (NULL: nothing),
 * which lives in the arena. */
int infer_trial(const struct plan *p, const char *home, const char *study,
                const struct value *point, struct task *t, const char **notice,
                struct arena *a, struct err *err);

#endif
