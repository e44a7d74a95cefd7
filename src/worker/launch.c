/* launch.c - what stands before a task's own words
 *
 *     srun --ntasks=8 …  apptainer exec --bind …  IMAGE  command …
 *
 * Ranks are started by the scheduler whose job this is, else by mpiexec, unless
 * the task's own words begin with a program that starts them. A
 * container sees the folders of the study, the tools of tasks and what its
 * `bind` names, all of them where they are outside, so that every path that the
 * task is told holds inside, too. */
#include "worker/launch.h"

#include <math.h>
#include <unistd.h>
#include "worker/worker.h"

#define FIXED_MOST 24 /* words that are not of a list */

static const struct runner {
    const char *program, *inside;
} runners[] = {
    {"apptainer", "APPTAINERENV_"},
    {"singularity", "SINGULARITYENV_"},
};
#define RUNNERS (sizeof runners / sizeof *runners)

static void word(struct launch *l, const char *text)
{
    require(l->count < l->room);
    l->argv[l->count++] = text;
}

static size_t count_lines(struct str text)
{
    struct str line;
    size_t count = 0;
    while (text.len > 0 && str_split(&text, '\n', &line))
        count++;
    return count;
}

size_t launch_most(const struct attempt *a)
{
    return FIXED_MOST + 2 * count_lines(a->task.binds);
}

/* ---- ranks --------------------------------------------------------------- */

static void put_srun(struct arena *a, const struct needs *n,
                     const struct spread *r, struct launch *l)
{
    word(l, "srun");
    word(l, arena_printf(a, "--nodes=%u", r->nodes));
    word(l, arena_printf(a, "--ntasks=%u", r->ranks));
    word(l, arena_printf(a, "--ntasks-per-node=%u", r->ranks_per_node));
    word(l, arena_printf(a, "--cpus-per-task=%.0f",
                         fmax(1, ceil(n->cpus / r->ranks - 1e-6))));
    word(l, "--export=ALL");
    word(l, "--kill-on-bad-exit=1");
}

int launch_ranks(struct attempt *a, const char *const *env, struct launch *l,
                 struct err *err)
{
    const struct needs *n = &a->task.needs;
    const char *path = environment_get(env, STR("PATH"));
    struct spread r;
    if (!needs_spread(n, &r) ||
        (a->task.argc && is_rank_starter(a->task.argv[0].text)))
        return 0;
    bool job = a->worker->granted;
    if (job) {
        put_srun(a->arena, n, &r, l);
    } else {
        word(l, "mpiexec");
        word(l, "-n");
        word(l, arena_printf(a->arena, "%u", r.ranks));
    }
    if (path_program(a->arena, job ? "srun" : "mpiexec", path ? path : ""))
        return 0;
    return err_set(err, ERR_INPUT,
                   "a task with ranks is started by %s, which is not on PATH "
                   "here",
                   job ? "srun" : "mpiexec");
}

/* ---- containers ---------------------------------------------------------- */

/* Which of them is here. Tasks of a study share their PATH, so that one look
 * serves them all. */
static const struct runner *find_runner(struct environment *e, const char *path)
{
    if (e->runner_path && strcmp(e->runner_path, path) == 0)
        return e->runner;
    e->runner_path = arena_cstr(e->arena, str_of(path));
    e->runner = NULL;
    for (size_t i = 0; !e->runner && i < RUNNERS; i++)
        if (path_program(e->arena, runners[i].program, path))
            e->runner = &runners[i];
    return e->runner;
}

const char *launch_inside(const struct attempt *a, const char *path)
{
    const struct runner *r = a->task.container.len
                                 ? find_runner(&a->worker->environment, path)
                                 : NULL;
    return r ? r->inside : NULL;
}

/* ${envvar:HOME} of an image or a folder is that of the machine it runs on. */
static const char *expanded(struct attempt *a, struct str text,
                            const char *const *env, struct err *err)
{
    return environment_expand(a->arena, text, env, err);
}

static int put_image(struct attempt *a, const char *const *env,
                     struct launch *l, struct err *err)
{
    const char *image = expanded(a, a->task.container, env, err);
    if (!image)
        return err_wrap(err, "container");
    if (!strstr(image, "://") && !file_exists(image))
        return err_set(err, ERR_INPUT, "container: there is no image %s on %s",
                       image, a->worker->host);
    word(l, image);
    return 0;
}

static void put_bind(struct launch *l, const char *path)
{
    word(l, "--bind");
    word(l, path);
}

static int put_binds(struct attempt *a, const char *const *env,
                     struct launch *l, struct err *err)
{
    const struct environment *e = &a->worker->environment;
    struct str rest = a->task.binds, line;
    while (rest.len > 0 && str_split(&rest, '\n', &line)) {
        const char *bind = expanded(a, line, env, err);
        if (!bind)
            return err_wrap(err, "bind");
        put_bind(l, bind);
    }
    bool tools = e->tools && e->tools->bin;
    if (tools)
        put_bind(l, path_folder(a->arena, e->tools->bin));
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (tools && n > 0)
        put_bind(l, arena_cstr(a->arena, str_n(self, (size_t)n)));
    return 0;
}

int launch_container(struct attempt *a, const char *const *env,
                     struct launch *l, struct err *err)
{
    const struct task *t = &a->task;
    const char *path = environment_get(env, STR("PATH"));
    if (!t->container.len)
        return 0;
    const struct runner *r =
        find_runner(&a->worker->environment, path ? path : "");
    if (!r)
        return err_set(err, ERR_INPUT,
                       "container: neither apptainer nor singularity is on "
                       "PATH on %s",
                       a->worker->host);
    word(l, r->program);
    word(l, "exec");
    if (t->needs.gpus > 0)
        word(l, "--nv");
    word(l, "--pwd");
    word(l, t->workdir.len ? arena_cstr(a->arena, t->workdir) : a->folder.path);
    if (put_binds(a, env, l, err))
        return -1;
    return put_image(a, env, l, err);
}
