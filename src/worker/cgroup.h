/* cgroup.h - the kernel's own memory limit, where we may set it
 *
 * Where a cgroup v2 with a memory controller can be made below our own, each
 * task with a memory need gets one. Elsewhere nothing happens here, and the
 * watching of memory.h is the only limit. */
#ifndef THRONG_WORKER_CGROUP_H
#define THRONG_WORKER_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"

struct attempt;

struct cgroups {
    struct arena *arena;
    const char *path; /* our own folder below our cgroup; NULL: not usable */
    bool tried;
};
/* The one of an attempt. */
struct cgroup {
    const char *path; /* NULL: none */
};

void cgroups_done(struct cgroups *c); /* removes what was made */
/* Makes the cgroup of an attempt that has a memory need. */
void cgroup_begin(struct attempt *a);
/* Puts the main process into it. */
void cgroup_enter(struct attempt *a);
/* Ends all processes in it and removes it. True when the kernel had to end
 * processes because the limit was reached. */
bool cgroup_end(struct attempt *a);

#endif
