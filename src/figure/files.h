/* files.h - numbers from files of trials, or of other programs */
#ifndef THRONG_FIGURE_FILES_H
#define THRONG_FIGURE_FILES_H

#include "figure/figure.h"

/* Columns of a CSV file by name. */
struct csv_column {
    const char *const *names; /* any of these, NULL-terminated */
    bool texts;               /* else numbers */
    const char **text;
    double *numbers; /* NaN: an empty cell */
};
/* Fills the columns, all of which must be there, with the same number of rows.
 * `name` stands in errors. In the arena. */
int csv_columns(struct str text, const char *name, struct csv_column *columns,
                size_t count, size_t *rows, struct arena *a, struct err *err);

/* The text of asked->file, or of the file of this name among those of a trial:
 * the one that asked->trials names, or the best. *where says which, for
 * titles. Appends to b. */
int figure_file(const struct figure_asked *asked, const char *name,
                struct buf *b, const char **where, struct arena *a,
                struct err *err);

#endif
