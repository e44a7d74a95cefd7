/* python.c - which Python a task gets: venv and conda
 *
 * A virtual environment is a matter of variables: no shell is needed. One of
 * conda's runs scripts of its packages, so that conda itself is asked for the
 * lines, once for each task. */
#include "plan/reading.h"

/* Beginning with ~/ it is in the person's home where the task runs. */
static bool in_home(struct str path)
{
    return str_starts(path, STR("~/"));
}

void read_venv(struct study_file *r, const struct value *v)
{
    struct str path = STR("");

    if (!read_text(&r->in, v, "venv", &path))
        return;
    while (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    if (memchr(path.p, ':', path.len))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "venv: a folder whose name holds a colon cannot be on PATH");
    r->plan->venv = path;
}

void read_conda(struct study_file *r, const struct value *v)
{
    if (read_text(&r->in, v, "conda", &r->plan->conda) &&
        value_get(r->root, STR("venv")))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "give venv or conda, not both");
}

static struct str folder_of(const struct plan *p, const char *home,
                            struct arena *a)
{
    struct str path = p->venv;

    if (in_home(path))
        return str_of(arena_printf(a, "${envvar:HOME}%.*s", (int)path.len - 1,
                                   path.p + 1));
    if (path.p[0] == '/')
        return path;
    return str_of(arena_printf(a, "%s/%.*s", home, STRF(path)));
}

const struct assignment *plan_env(const struct plan *p, const char *home,
                                  struct arena *a, size_t *count)
{
    struct assignment *env;
    struct str folder;

    *count = p->env_count;
    if (!p->venv.len)
        return p->env;
    folder = folder_of(p, home, a);
    env = arena_array(a, p->env_count + 3, sizeof(*env));
    env[0] = (struct assignment){STR("VIRTUAL_ENV"), folder};
    env[1] = (struct assignment){
        STR("PATH"),
        str_of(arena_printf(a, "%.*s/bin:${envvar:PATH}", STRF(folder)))};
    env[2] = (struct assignment){STR("PYTHONHOME"), STR("")};
    for (size_t i = 0; i < p->env_count; i++)
        env[3 + i] = p->env[i];
    *count += 3;
    return env;
}

/* Before the person's own lines, on the first of them: they are counted. What
 * scripts of packages do on the way is theirs. */
struct str plan_setup(const struct plan *p, struct arena *a)
{
    struct buf name;
    struct str text;

    if (!p->conda.len)
        return p->setup;
    buf_init(&name);
    if (in_home(p->conda))
        buf_adds(&name, "\"$HOME\"");
    shell_quote(&name, in_home(p->conda)
                           ? str_n(p->conda.p + 1, p->conda.len - 1)
                           : p->conda);
    text = str_of(arena_printf(
        a,
        "throng_conda=$(\"${CONDA_EXE:-conda}\" shell.posix activate %s) || "
        "{ echo \"conda: cannot activate the environment \"%s >&2; exit 1; }; "
        "eval \"$throng_conda\" || :; unset throng_conda; %.*s",
        name.p, name.p, STRF(p->setup)));
    buf_done(&name);
    return text;
}
