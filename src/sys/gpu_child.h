/* gpu_child.h - a process beside us that asks the driver; internal to src/sys
 *
 * A driver that hangs holds whoever asks it, for as long as it likes and
 * against any signal. So a child does: this program, forked. It has none of our
 * files open but the socket, since it may be there when we are gone, and hears
 * no signal but the last. */
#ifndef THRONG_SYS_GPU_CHILD_H
#define THRONG_SYS_GPU_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct gpu_child {
    pid_t pid; /* 0: there is none */
    int fd;    /* to it; -1: there is none */
};
/* `work` is called there with its end of the socket, and exits when it
 * returns. */
bool gpu_child_start(struct gpu_child *c, void (*work)(void *context, int fd),
                     void *context);
/* Ends it; one that its driver holds is left to whoever comes after us. */
void gpu_child_end(struct gpu_child *c);

#endif
