/* command.c - tasks that are a command */
#include "worker/kind.h"
#include "worker/worker.h"

static int prepare(struct attempt *a, struct spawn *s, struct err *err)
{
    const struct task *t = &a->task;
    const char *const *env = environment_make(a, err);
    if (!env)
        return -1;
    const char *const *argv = arguments_make(a, env, err);
    if (!argv)
        return -1;
    *s = (struct spawn){
        .argv = argv,
        .env = env,
        .cwd = t->workdir.len > 0 ? arena_cstr(a->arena, t->workdir)
                                  : a->folder.path,
        .in = a->worker->nothing,
        .out = a->folder.log,
        .err = a->folder.log,
        .keep_fd = -1,
        .session = true,
        .die_with_parent = true,
    };
    return 0;
}

const struct kind kind_command = {.name = "command", .prepare = prepare};
