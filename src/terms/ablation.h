/* ablation.h - one change at a time
 *
 * A baseline gives some of a space's parameters a value; a change is another
 * of the values that one of them may have. What the baseline does not name
 * (seeds, folds) is combined with the baseline and with each change. */
#ifndef THRONG_TERMS_ABLATION_H
#define THRONG_TERMS_ABLATION_H

#include "terms/space.h"

struct ablation;

/* The space must live as long. Errors name the parameter: one that the space
 * does not have, or that has no list of values to go through. */
struct ablation *ablation_new(const struct space *space,
                              const struct value *baseline, struct err *err);
void ablation_free(struct ablation *b);

size_t ablation_changes(const struct ablation *b);
/* The parameter of change i, and its value, which lives as long as b. */
struct str ablation_change(const struct ablation *b, size_t i,
                           const struct value **value);
/* The baseline as an object of flat names, and the names that it leaves free;
 * both live as long as b. */
const struct value *ablation_baseline(const struct ablation *b);
const struct space *ablation_rest(const struct ablation *b);

/* Points in all: each combination of the rest has the baseline first, then
 * every change. */
uint64_t ablation_count(const struct ablation *b);
struct value *ablation_point(const struct ablation *b, uint64_t k,
                             struct arena *a);

#endif
