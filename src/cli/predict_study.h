/* predict_study.h - `predict --study`: an inference as a study of shards */
#ifndef THRONG_CLI_PREDICT_STUDY_H
#define THRONG_CLI_PREDICT_STUDY_H

#include "cli/cli.h"

/* Writes the study file that the words mean, and runs it; an exit code. */
int predict_study(struct call *c);
/* Refuses words that mean nothing without it. */
int predict_without_study(struct call *c);

#endif
