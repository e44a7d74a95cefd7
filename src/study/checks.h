/* checks.h - what check_to_run and check_to_look of study.h are made of */
#ifndef THRONG_STUDY_CHECKS_H
#define THRONG_STUDY_CHECKS_H

#include "study/study.h"

/* Adds a problem for each key that is read and checked, but that this
 * version does not act on: an error where the study would not be the one
 * that was asked for, else a notice. Fits plan_reader.check. */
void unready_check(const struct plan *p, struct problems *problems);
/* Reads the model, with the data that it names, for a few points of the space
 * (both ends, some in between) or of the list. A fault that all of them have
 * is an error, one that only some have is a warning: those trials would be
 * invalid. `notices`: what the data has a notice of is one, too. Nothing for a
 * study without a model. */
void model_check(struct plan *p, bool notices, struct problems *problems);
/* Adds what is wrong with a study of a place whose machines see nothing of this
 * one: files that are mentioned and do not go there, paths of this machine, and
 * what needs to hear of trials while they run. */
void travel_check(const struct plan *p, struct problems *problems);

#endif
