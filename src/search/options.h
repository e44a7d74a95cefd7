/* options.h - a method's own options: `tpe: {candidates: 24}`
 *
 * Inside search only. */
#ifndef THRONG_SEARCH_OPTIONS_H
#define THRONG_SEARCH_OPTIONS_H

#include "base/err.h"
#include "base/value.h"

struct option {
    const char *name;
    bool whole; /* an integer */
    double min, max;
    double *to; /* holds the default before */
};

/* Reads the object (NULL: nothing said). An unknown name, another kind of
 * value and a number out of range are errors that name method and option. */
int options_read(const struct value *options, const char *method,
                 const struct option *table, size_t count, struct err *err);

#endif
