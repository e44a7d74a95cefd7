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

/* One of some words; true and false are the words of their name. */
extern const char *const no_or_yes[]; /* the words of a size_t that is a bool */
struct word_option {
    const char *name;
    const char *const *words; /* NULL-terminated */
    size_t *to;               /* the word's number; the default before */
};

/* Anything else: handed on unread. */
struct tree_option {
    const char *name;
    const struct value **to;
};

struct options {
    const struct option *numbers;
    size_t number_count;
    const struct word_option *words;
    size_t word_count;
    const struct tree_option *trees;
    size_t tree_count;
};

/* Reads the object (NULL: nothing said). An unknown name, another kind of
 * value and a number out of range are errors that name method and option. */
int options_read(const struct value *options, const char *method,
                 const struct option *table, size_t count, struct err *err);
/* The same with options of every kind. */
int options_read_all(const struct value *options, const char *method,
                     const struct options *known, struct err *err);

#endif
