/* mixed_space.h - the fixture of tests that need one mixed space
 *
 * Included once, by a test program. */
#ifndef THRONG_TESTS_SEARCH_MIXED_SPACE_H
#define THRONG_TESTS_SEARCH_MIXED_SPACE_H

#include "../one_arena.h"
#include "spaces.h"

static struct space space;

static int setup_space(void **state)
{
    setup(state);
    space = space_of(mixed_text, arena);
    return 0;
}

#endif
