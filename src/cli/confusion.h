/* confusion.h - which classes a model mistakes for which */
#ifndef THRONG_CLI_CONFUSION_H
#define THRONG_CLI_CONFUSION_H

#include "base/value.h"
#include "cli/cli.h"

/* What the worker wrote into a task's folder; NULL when it wrote nothing.
 * Lives as long as the call. */
struct value *confusion_read(struct call *c, const char *folder);
/* A table for each head: truths are rows, predictions columns. Nothing where
 * there are too many classes to be looked at. */
void confusion_print(struct call *c, const struct value *v);
/* A table for each head: rows, precision, recall and F1 of each class. */
void confusion_print_classes(struct call *c, const struct value *v);

#endif
