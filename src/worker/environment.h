/* environment.h - the environment and the argument vector of a task */
#ifndef THRONG_WORKER_ENVIRONMENT_H
#define THRONG_WORKER_ENVIRONMENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "worker/tools.h"

struct attempt;

/* What every task of this worker gets. */
struct environment {
    struct arena *arena;
    VEC(const char *) base; /* the worker's own, less the protocol's names */
    const struct runner *runner; /* of containers, on runner_path; or NULL */
    const char *runner_path;
    VEC(const char *) ranks; /* of these, what tasks with ranks see alone */
    bool job;                /* what base says of a job is not a task's */
    const char *mark;        /* "THRONG_STORE=…"; NULL: none */
    struct tools *tools;     /* first on PATH and PYTHONPATH; NULL: none */
    const char *python_path; /* the PATH that `python` was looked up on */
    const char *python;      /* what was found there */
};
/* `job`: it is that of a job of a scheduler (granted.h). */
void environment_init(struct environment *e, const char *const *own,
                      const char *mark, bool job);
void environment_done(struct environment *e);

/* The environment of one attempt, in its arena, NULL-terminated. On failure
 * a->verdict may be set to OUTCOME_INVALID: never try again. */
const char *const *environment_make(struct attempt *a, struct err *err);
/* Its argument vector, setup lines included. */
const char *const *arguments_make(struct attempt *a, const char *const *env,
                                  struct err *err);
/* The value of a name, or NULL. */
const char *environment_get(const char *const *env, struct str name);
/* Replaces each ${envvar:NAME}; a name that is not set is an error. */
char *environment_expand(struct arena *a, struct str text,
                         const char *const *env, struct err *err);

#endif
