/* command.h - of kinds whose task is a program of its own (kind.h)
 *
 * A process that leads a session, with its log, its metrics and its folder;
 * what a kind of them has to itself is the words that it is started by. */
#ifndef THRONG_WORKER_COMMAND_H
#define THRONG_WORKER_COMMAND_H

#include <sys/resource.h>

#include "base/err.h"
#include "terms/record.h"
#include "worker/attempt.h"

/* The argument vector, NULL-terminated, in the attempt's arena; env is the
 * environment that the program gets. NULL and err: it cannot be. */
typedef const char *const *
arguments_fn(struct attempt *a, const char *const *env, struct err *err);

/* Opens the attempt's files and starts the program. -1 leaves errno as the
 * call did that failed. */
int command_start(struct attempt *a, arguments_fn *arguments, struct err *err);
/* The files alone. */
int command_reread(struct attempt *a, struct err *err);
/* Asks it to stop, or ends it and all that it has started. */
void command_push(struct attempt *a, enum push how);
bool command_has_ended(const struct attempt *a);
/* Reads its files. */
void command_look(struct attempt *a, int64_t now_ns);
void command_exit(struct attempt *a, int status, const struct rusage *use);
/* What its exit status says. */
void command_judge(struct attempt *a, struct record_ended *e);
bool command_drain(struct attempt *a);

#endif
