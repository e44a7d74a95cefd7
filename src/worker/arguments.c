/* arguments.c - the argument vector of a task */
#include "terms/setup.h"
#include "worker/worker.h"

/* `python`, or python3 where there is no python. Tasks of a study share
 * their PATH, so one lookup serves them all. */
static const char *interpreter(struct environment *e, const char *path)
{
    if (e->python && strcmp(e->python_path, path) == 0)
        return e->python;
    char *found = path_program(e->arena, "python", path);
    e->python_path = arena_cstr(e->arena, str_of(path));
    e->python = found ? "python" : "python3";
    return e->python;
}

static const char *argument(struct attempt *a, const struct arg *arg,
                            const char *const *env, struct err *err)
{
    const char *path = environment_get(env, STR("PATH"));
    switch (arg->kind) {
    case ARG_TEXT:
        return arena_cstr(a->arena, arg->text);
    case ARG_EXPAND:
        return environment_expand(a->arena, arg->text, env, err);
    case ARG_INTERPRETER:
        return interpreter(&a->worker->environment, path ? path : "");
    case ARG_PARAMS_FILE:
        return path_join(a->arena, a->folder.path, "params.json");
    }
    err_set(err, ERR_CORRUPT, "argument of an unknown kind %d", arg->kind);
    return NULL;
}

/* The shell runs the setup lines and then becomes the command. What people
 * put there (source, module, conda) is bash's more often than not. */
static size_t put_setup(struct attempt *a, const char *path, const char **argv)
{
    const char *bash = path_program(a->arena, "bash", path);
    struct buf script;
    buf_init(&script);
    setup_script(&script, a->task.setup, bash != NULL);
    argv[0] = bash ? bash : "/bin/sh";
    argv[1] = "-c";
    argv[2] = arena_cstr(a->arena, buf_str(&script));
    argv[3] = "setup";
    buf_done(&script);
    return 4;
}

const char *const *arguments_make(struct attempt *a, const char *const *env,
                                  struct err *err)
{
    const struct task *t = &a->task;
    const char **argv = arena_array(a->arena, t->argc + 5, sizeof *argv);
    size_t at = 0;
    if (t->argc == 0) {
        err_set(err, ERR_INPUT, "the command is empty");
        return NULL;
    }
    if (t->setup.len > 0)
        at = put_setup(a, environment_get(env, STR("PATH")), argv);
    for (size_t i = 0; i < t->argc; i++)
        if (!(argv[at++] = argument(a, &t->argv[i], env, err)))
            return NULL;
    return argv;
}
