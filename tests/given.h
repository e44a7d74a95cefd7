/* given.h - what a test program is told by its environment
 *
 * tests/run and `meson test` say where the programs lie that a test starts.
 * One that is started by hand has to be told, too. */
#ifndef THRONG_TESTS_GIVEN_H
#define THRONG_TESTS_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* The test fails where the variable is not set. */
static inline const char *given(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        fail_msg("%s is not set: `tests/run unit` sets it", name);
    return value;
}

#endif
