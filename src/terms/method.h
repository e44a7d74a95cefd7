/* method.h - what a method of search is, for whoever reads or explains one
 *
 * The methods themselves are search's; others are handed the list. */
#ifndef THRONG_TERMS_METHOD_H
#define THRONG_TERMS_METHOD_H

#include "base/str.h"

enum learning {
    LEARNS_NOT,    /* its points do not depend on results */
    LEARNS_IF_AIM, /* where there is a metric */
    LEARNS,        /* it needs a metric */
};

/* What it does with the points that a study lists. */
enum point_list {
    LIST_REFUSED,
    LIST_BEGINS,   /* it begins with them */
    LIST_IS,       /* they are its points, all of them */
    LIST_COMBINED, /* each of them is combined with all of its own */
};

struct method_option {
    const char *name, *text;
};

struct method {
    const char *name, *text;
    enum learning learns;
    bool objectives; /* it looks at all of several, not at the first alone */
    const struct method_option *options; /* ended by {0}; NULL: none */
    const char *limit; /* the option that may change between runs, since its
                          points are the same; NULL: none */
    enum point_list listing;
    bool exhausts;     /* it goes through all values that a space lists */
    bool descends;     /* its trials go on from each other's checkpoints */
    bool asks;         /* a program of the person's own decides */
    bool picks_best;   /* a trial counts by its best value, unless it is said */
    const char *inner; /* what of its methods, the option `method`, results go
                          to if none is said; NULL: it has none */
    const char *widths; /* the option for the widths of changes that the file of
                           a space has; NULL: none */
    const char *linear; /* the option that is `linear` for a file whose space is
                           halved so; NULL: none */
};
#define METHOD_OPTIONS(...) ((const struct method_option[]){__VA_ARGS__, {0}})

/* The one of that name in a list that NULL ends, or NULL. */
const struct method *method_find(const struct method *const *list,
                                 struct str name);
/* The one whose points are those that a study lists, or NULL. */
const struct method *method_of_list(const struct method *const *list);

#endif
