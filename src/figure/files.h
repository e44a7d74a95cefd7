/* files.h - numbers from files of trials, or of other programs */
#ifndef THRONG_FIGURE_FILES_H
#define THRONG_FIGURE_FILES_H

#include "figure/figure.h"

/* Columns of a table. */
struct file_column {
    const char *const *names; /* any of these, NULL-terminated */
    bool texts;               /* else numbers */
    const char **text;
    double *numbers; /* NaN: an empty cell */
};
/* Fills the columns, all of which must be there, with the same number of rows,
 * from CSV (by name), npz (an array each, by name) or npy (one array, in their
 * order). `name` stands in errors. In the arena. */
int file_columns(struct str bytes, const char *name,
                 struct file_column *columns, size_t count, size_t *rows,
                 struct arena *a, struct err *err);

/* The text of asked->file, or of the first of these files (NULL-terminated)
 * that a trial has: the one that asked->trials names, or the best. *where says
 * which, for titles. Appends to b. */
int figure_file(const struct figure_asked *asked, const char *const *names,
                struct buf *b, const char **where, struct arena *a,
                struct err *err);

#endif
