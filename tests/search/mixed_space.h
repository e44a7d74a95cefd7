/* mixed_space.h - the fixture of tests that need one mixed space
 *
 * Included once, by a test program. */
#ifndef THRONG_TESTS_SEARCH_MIXED_SPACE_H
#define THRONG_TESTS_SEARCH_MIXED_SPACE_H

#include "spaces.h"

static struct arena *arena;
static struct space space;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    space = space_of(mixed_text, arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#endif
