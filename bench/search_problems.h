/* search_problems.h - functions to search on, with their spaces
 *
 * The first ones are those that bench/search compares on with other programs'
 * published medians; the rest are of the same kinds, to see that what holds
 * for the first holds elsewhere. Constants of the methods were chosen on all
 * but zakharov5, styblinski6, griewank4, powell8 and vectors4c, which only
 * confirm them. All are minimised. */
#ifndef THRONG_BENCH_SEARCH_PROBLEMS_H
#define THRONG_BENCH_SEARCH_PROBLEMS_H

#include "terms/space.h"

struct problem {
    const char *name;
    bool compared; /* medians of other programs are known */
    const char *parameters;
    double (*f)(const struct value *point);
    double least;
};

extern const struct problem problems[];
extern const size_t problem_count;

/* The problem of that name, or NULL. */
const struct problem *problem_find(const char *name);
/* The space's text, as terms/space has it. */
struct value *problem_space_text(const struct problem *p, struct arena *a,
                                 struct err *err);

#endif
