/* asking.h - what a scheduler was asked, and has not answered yet
 *
 * A scheduler is asked by its commands. Each question that has an answer for
 * somebody is kept here until that was given, so that none is forgotten when
 * the scheduler is closed. Private to this folder. */
#ifndef THRONG_ENGINE_ASKING_H
#define THRONG_ENGINE_ASKING_H

#include "engine/command.h"
#include "engine/scheduler.h"

struct asking;

struct askings {
    struct commands *commands;
    bool waits; /* what is asked is answered before the function returns */
    VEC(struct asking *) open;
};

/* A question; a scheduler's own one begins with it. */
struct asking {
    struct askings *all;
    job_receipt_fn *receipt; /* NULL: it is no order */
    void *context;
    struct arena *arena;             /* its strings */
    void (*forget)(struct asking *); /* frees what is not in there; or NULL */
};

/* Ends what runs; nobody is called back. */
void askings_close(struct askings *all);
/* Runs a command; `fn` gets `context`. */
void askings_run(struct askings *all, const char *const *argv, command_fn *fn,
                 void *context);
/* `size` bytes, all zero, that begin with an asking. */
void *asking_new(struct askings *all, size_t size, void *context);
/* It has its answer. */
void asking_done(struct asking *a);
/* Passes the receipt on; then it is done. */
void asking_answer(struct asking *a, const struct job_receipt *r);
/* A command that ended well did not say what it should. */
int asking_unheard(const struct command_end *end, const char *command,
                   struct err *err);

#endif
