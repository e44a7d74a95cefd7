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
struct log;

struct cgroups {
    struct arena *arena;
    const char *own;  /* the cgroup that we were in; NULL: not usable */
    const char *leaf; /* below it: where we are now */
    pid_t self;
    pid_t conductor; /* it came along into the leaf; 0: it did not */
    bool enabled;    /* we gave the controller to the children of own */
    bool tried;
};
/* The one of an attempt. */
struct cgroup {
    const char *path; /* NULL: none */
};

/* Tries to become able to limit tasks: moves this process into a leaf of the
 * cgroup `own` (NULL: the one that it is in), because a cgroup with processes
 * of its own cannot give a controller to its children, and enables the memory
 * controller there. The conductor (0: none) comes along when nobody else is
 * there. False, and all is as before, when that is refused. */
bool cgroups_open(struct cgroups *c, const char *own, pid_t conductor,
                  const struct log *log);
/* Removes what was made, and moves back. */
void cgroups_done(struct cgroups *c);
/* Makes the cgroup of an attempt that has a memory need. */
void cgroup_begin(struct attempt *a);
/* Puts the main process into it. */
void cgroup_enter(struct attempt *a);
/* Ends all processes in it and removes it. True when the kernel had to end
 * processes because the limit was reached. */
bool cgroup_end(struct attempt *a);

#endif
