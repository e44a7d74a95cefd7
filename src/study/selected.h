/* selected.h - trials that a selector names, while they are changed
 *
 * The rows of a query must not change under its feet: the numbers are read
 * first, then each trial by itself. */
#ifndef THRONG_STUDY_SELECTED_H
#define THRONG_STUDY_SELECTED_H

#include "store/store.h"

/* The numbers, in the arena. */
int selected_ids(struct store *store, const char *selector, struct arena *a,
                 int64_t **ids, size_t *count, struct err *err);
/* Calls fn for each until it does not give 0. The trial is valid during the
 * call. */
typedef int selected_fn(void *context, const struct trial *t, struct err *err);
int selected_each(struct store *store, const char *selector, selected_fn *fn,
                  void *context, struct err *err);

#endif
