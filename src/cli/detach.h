/* detach.h - going on as a process in the background */
#ifndef THRONG_CLI_DETACH_H
#define THRONG_CLI_DETACH_H

#include "cli/cli.h"

struct detached {
    int fd;    /* to the parent; -1: not detached, or ready already */
    bool away; /* the streams lead to the log file */
};

/* Forks. In the child, a session leader without a terminal, returns 0; its
 * standard streams stay until detach_ready. The parent waits for that, or
 * for the child's end: returns 1 and *code. -1: c->err. */
int detach(struct call *c, struct detached *d, int *code, pid_t *pid);
/* All went well: the streams lead to the log file from now on, and the
 * parent may go. */
int detach_ready(struct detached *d, const char *log, struct err *err);

#endif
