/* machine_limits.h - what /proc and cgroups grant; internal to src/sys
 *
 * `root` stands in front of /proc and /sys, so that tests can give trees of
 * their own; "" is this machine. */
#ifndef THRONG_SYS_MACHINE_LIMITS_H
#define THRONG_SYS_MACHINE_LIMITS_H

#include <stdint.h>

/* cpus, cut by the quotas of our cgroup and its parents; never 0. */
unsigned limit_cpus(const char *root, unsigned cpus);
/* Bytes: the least of MemTotal and the limits of our cgroup and its parents;
 * 0 when nothing tells. */
uint64_t limit_memory(const char *root);
/* Of these, what can be had now: MemAvailable where that is less. */
uint64_t limit_memory_free(const char *root);

#endif
