/* arguments.c - the argument vector of a task */
#include "terms/setup.h"
#include "worker/launch.h"
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
        if (a->task.container.len > 0)
            return "python3"; /* what is on PATH in there, nobody knows */
        return interpreter(&a->worker->environment, path ? path : "");
    case ARG_PARAMS_FILE:
        return path_join(a->arena, a->folder.path, "params.json");
    }
    err_set(err, ERR_CORRUPT, "argument of an unknown kind %d", arg->kind);
    return NULL;
}

/* The shell runs the setup lines and then becomes the command. What people
 * put there (source, module, conda) is bash's more often than not; a container
 * has a shell, and maybe no bash. */
static void put_setup(struct attempt *a, const char *path, struct launch *l)
{
    const char *bash =
        a->task.container.len ? NULL : path_program(a->arena, "bash", path);
    struct buf script;
    buf_init(&script);
    setup_script(&script, a->task.setup, bash != NULL);
    l->argv[l->count++] = bash ? bash : "/bin/sh";
    l->argv[l->count++] = "-c";
    l->argv[l->count++] = arena_cstr(a->arena, buf_str(&script));
    l->argv[l->count++] = "setup";
    buf_done(&script);
}

const char *const *arguments_make(struct attempt *a, const char *const *env,
                                  struct err *err)
{
    const struct task *t = &a->task;
    const char *path = environment_get(env, STR("PATH"));
    struct launch l = {.room = launch_most(a)};
    l.argv = arena_array(a->arena, l.room + t->argc + 5, sizeof *l.argv);
    if (t->argc == 0) {
        err_set(err, ERR_INPUT, "the command is empty");
        return NULL;
    }
    if (launch_ranks(a, env, &l, err) || launch_container(a, env, &l, err))
        return NULL;
    if (t->setup.len > 0)
        put_setup(a, path ? path : "", &l);
    for (size_t i = 0; i < t->argc; i++)
        if (!(l.argv[l.count++] = argument(a, &t->argv[i], env, err)))
            return NULL;
    return l.argv;
}
