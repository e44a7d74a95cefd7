/* any_space.h - the methods that search any space by themselves
 *
 * All of the table but those that need a list or a program, that need a space
 * with an end, and the second name of gp: a new one is tested as all are. */
#ifndef THRONG_TESTS_ANY_SPACE_H
#define THRONG_TESTS_ANY_SPACE_H

#include "search/search.h"

static inline bool searches_any_space(const struct method *m)
{
    struct str name = str_of(m->name);
    return !str_is(name, "points") && !str_is(name, "external") &&
           !m->exhausts && !str_is(name, "bayes");
}

/* Method i of them, or NULL. */
static inline const char *method_at(size_t i)
{
    for (size_t m = 0; search_methods[m]; m++)
        if (searches_any_space(search_methods[m]) && i-- == 0)
            return search_methods[m]->name;
    return NULL;
}

#endif
