/* table_out.h - a table that is written, as CSV or as an array of NumPy
 *
 * Whoever has rows gives them as CSV, names of columns first. The table is at
 * its path when it has ended, and not before. */
#ifndef THRONG_STUDY_TABLE_OUT_H
#define THRONG_STUDY_TABLE_OUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct table_out;
struct table_out *table_begin(const char *path, bool npy, struct err *err);
/* Some whole rows. */
int table_add(struct table_out *t, struct str text, struct err *err);
/* Frees t whether it succeeds or not. */
int table_end(struct table_out *t, struct err *err);
/* Leaves what was at the path. NULL is accepted. */
void table_drop(struct table_out *t);

#endif
