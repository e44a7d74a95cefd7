/* one_arena.h - the fixture of tests that need nothing but an arena
 *
 * Included once, by a test program. */
#ifndef THRONG_TESTS_ONE_ARENA_H
#define THRONG_TESTS_ONE_ARENA_H

#include "base/arena.h"

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#endif
