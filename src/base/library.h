/* library.h - libraries that are loaded when somebody needs them
 *
 * A static program can load none: the C library in it may be another than the
 * machine's, which whatever is loaded would bring along. */
#ifndef THRONG_BASE_LIBRARY_H
#define THRONG_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stddef.h>

/* As dlopen has it; NULL: it is not here, or this program cannot load any. */
static inline void *library_open(const char *name)
{
#ifdef THRONG_STATIC
    (void)name;
    return NULL;
#else
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}

#endif
