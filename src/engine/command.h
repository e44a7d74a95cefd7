/* command.h - programs of a scheduler, run as child processes from the loop
 *
 * One at a time, in the order in which they were asked for; never a shell.
 * What they print is kept whole and handed over when they have ended. Private
 * to this folder. */
#ifndef THRONG_ENGINE_COMMAND_H
#define THRONG_ENGINE_COMMAND_H

#include "base/err.h"
#include "sys/sys.h"

struct commands;

/* How a command ended. Valid while its function runs. */
struct command_end {
    int code;           /* exit code; -1: it did not come to its end */
    struct str printed; /* on standard output */
    struct str said;    /* on standard error, trimmed */
    struct err why;     /* when the code is not 0: which command, how it ended
                           and what it said, in one line for people */
};
typedef void command_fn(void *context, const struct command_end *end);

struct commands_setup {
    struct loop *loop;
    const char *const *env; /* NULL: this process's; outlives the commands */
    double limit_s;         /* a command that takes longer is ended */
};

struct commands *commands_new(const struct commands_setup *setup);
/* Ends what runs; nobody is called back. */
void commands_free(struct commands *c);
/* Copies argv and returns at once; fn is called from the loop. */
void commands_add(struct commands *c, const char *const *argv, command_fn *fn,
                  void *context);
/* Runs it now and returns when fn was called: for what must be known before
 * the loop turns, or when it does not turn any more. */
void commands_wait(struct commands *c, const char *const *argv, command_fn *fn,
                   void *context);
/* Brings the one that runs, if any, to its end, without the loop. */
void commands_drain(struct commands *c);

#endif
