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
};
#define METHOD_OPTIONS(...) ((const struct method_option[]){__VA_ARGS__, {0}})

/* The one of that name in a list that NULL ends, or NULL. */
const struct method *method_find(const struct method *const *list,
                                 struct str name);

#endif
