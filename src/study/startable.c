/* startable.c - whether what a study starts is there
 *
 * Only what is certain is said: a word with a parameter or a variable in it,
 * or one that a shell will read, is left alone. */
#include "study/study.h"

#include "engine/engine.h"

#include "study/checks.h"
#include "study/git.h"
#include "study/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct looking {
    const struct plan *plan;
    struct problems *problems;
    struct arena *arena;
    const char *home; /* the study file's folder */
    const char *path; /* PATH of tasks */
};

static const struct value *place_of(const struct looking *l, const char *key)
{
    return value_get(l->plan->root, str_of(key));
}

static void missing(const struct looking *l, const char *key, const char *hint,
                    const char *what)
{
    const struct plan *p = l->plan;
    const struct value *at = place_of(l, key);
    bool unsure = p->setup.len || p->conda.len;
    problems_add(l->problems, unsure ? PROBLEM_WARNING : PROBLEM_ERROR, p->file,
                 at ? at->line : 0, at ? at->column : 0, str_of(hint), "%s",
                 what);
}

/* ---- where tasks look --------------------------------------------------- */

static char *venv_folder(const struct looking *l)
{
    struct arena *a = l->arena;
    char *venv = arena_cstr(a, l->plan->venv);
    const char *home = getenv("HOME");
    if (venv[0] == '~' && venv[1] == '/' && home)
        return path_join(a, home, venv + 2);
    return path_join(a, l->home, venv);
}

static const char *task_path(const struct looking *l)
{
    const char *own = getenv("PATH");
    const struct plan *p = l->plan;
    if (p->container.len)
        return NULL; /* the image's own */
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "PATH"))
            return NULL; /* known only where it runs */
    if (!p->venv.len)
        return own ? own : "";
    return arena_printf(l->arena, "%s/bin:%s", venv_folder(l), own ? own : "");
}

static void looking_init(struct looking *l, const struct plan *p,
                         struct problems *problems)
{
    struct arena *a = problems->arena;
    const char *file = path_absolute(a, arena_cstr(a, p->file));
    *l = (struct looking){.plan = p,
                          .problems = problems,
                          .arena = a,
                          .home = path_folder(a, file)};
    l->path = task_path(l);
}

/* ---- one word ----------------------------------------------------------- */

static bool is_plain(struct str word)
{
    return word.len && str_find(word, '{') < 0 && str_find(word, '$') < 0;
}

/* What the first line of a script names, `#!/usr/bin/env python3` too. */
static void look_for_interpreter(const struct looking *l, const char *key,
                                 struct str name, const char *path)
{
    char head[256] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head) - 1);
    struct str line = str_n(head, n > 0 ? (size_t)n : 0), rest, word, second;
    if (fd >= 0)
        close(fd);
    if (!str_starts(line, STR("#!")) || str_find(line, '\n') < 0)
        return;
    str_split(&line, '\n', &rest);
    rest = str_trim(str_n(rest.p + 2, rest.len - 2));
    str_split(&rest, ' ', &word);
    rest = str_trim(rest);
    bool here = file_exists(arena_cstr(l->arena, word));
    if (here && str_is(word, "/usr/bin/env") && rest.len && l->path) {
        str_split(&rest, ' ', &second);
        word = second;
        here = word.p[0] == '-' ||
               path_program(l->arena, arena_cstr(l->arena, word), l->path);
    }
    if (!here)
        missing(l, key, "mend its first line, or install it",
                arena_printf(l->arena,
                             "%s: %.*s asks for %.*s, which is not "
                             "here",
                             key, STRF(name), STRF(word)));
}

/* A file that a task reads or runs by this name. */
static void look_for_file(const struct looking *l, const char *key,
                          struct str name, bool runs)
{
    char *path = path_join(l->arena, l->home, arena_cstr(l->arena, name));
    bool inside = l->plan->container.len > 0;
    if (!is_plain(name) || plan_makes(l->plan, name) ||
        (inside && name.p[0] == '/'))
        return;
    if (!file_exists(path))
        missing(
            l, key, "files are seen from the study file's folder",
            arena_printf(l->arena, "%s: there is no %.*s", key, STRF(name)));
    else if (runs && inside && access(path, X_OK) == 0)
        return;
    else if (runs && access(path, X_OK) == 0)
        look_for_interpreter(l, key, name, path);
    else if (runs)
        missing(l, key, arena_printf(l->arena, "chmod +x %.*s", STRF(name)),
                arena_printf(l->arena, "%s: %.*s may not be executed", key,
                             STRF(name)));
}

static void look_for_program(const struct looking *l, struct str name)
{
    char *word = arena_cstr(l->arena, name);
    if (!is_plain(name))
        return;
    if (str_find(name, '/') >= 0) {
        look_for_file(l, "command", name, true);
        return;
    }
    if (l->path && !path_program(l->arena, word, l->path))
        missing(
            l, "command",
            "install it, name its whole path, or load it in `setup:`",
            arena_printf(l->arena, "command: no program `%s` on PATH", word));
}

static void look_for_python(const struct looking *l)
{
    const char *key = place_of(l, "command") ? "command" : "program";
    if (!l->path || path_program(l->arena, "python", l->path) ||
        path_program(l->arena, "python3", l->path))
        return;
    missing(l, key, "install one, or say `venv:`, `conda:` or `command:`",
            "neither python nor python3 is on PATH here");
}

/* ---- the command -------------------------------------------------------- */

/* `env` and what stands before the program's name. */
static bool comes_before(const struct command_part *part)
{
    struct str t = part->text;
    return part->kind == COMMAND_ENV ||
           (part->kind == COMMAND_TEXT &&
            (str_is(t, "env") || str_is(t, "/usr/bin/env") ||
             (str_find(t, '=') > 0 && str_find(t, '/') < 0)));
}

/* `python train.py`: the script behind its interpreter. Behind options nobody
 * knows which word it is. */
static void look_for_script(const struct looking *l, size_t at)
{
    const struct plan *p = l->plan;
    struct str next = at < p->command_count ? p->command[at].text : STR("");
    bool script = next.len && next.p[0] != '-' && !p->workdir_trial &&
                  p->command[at].kind == COMMAND_TEXT &&
                  memrchr(next.p, '.', next.len);
    if (script)
        look_for_file(l, "command", next, false);
}

static bool has_part(const struct plan *p, enum command_kind kind)
{
    for (size_t i = 0; i < p->command_count; i++)
        if (p->command[i].kind == kind)
            return true;
    return false;
}

/* Adds an error for a virtual environment without a Python. */
static void startable_venv(const struct plan *p, struct problems *problems)
{
    struct looking l;
    if (!p->venv.len)
        return;
    looking_init(&l, p, problems);
    const struct value *at = place_of(&l, "venv");
    char *python = path_join(l.arena, venv_folder(&l), "bin/python");
    if (access(python, X_OK) != 0)
        problems_add(problems, PROBLEM_ERROR, p->file, at ? at->line : 0,
                     at ? at->column : 0,
                     STR("make it with python3 -m venv, or name another"),
                     "venv: there is no Python at %s", python);
}

/* On a cluster its nodes may have what is not here. */
static void absent(const struct plan *p, struct problems *problems,
                   const char *key, const char *hint, const char *what)
{
    const struct value *at = value_get(p->root, str_of(key));
    problems_add(problems,
                 place_is_here(p->site.engine) ? PROBLEM_ERROR
                                               : PROBLEM_WARNING,
                 p->file, at ? at->line : 0, at ? at->column : 0, str_of(hint),
                 "%s", what);
}

static bool on_path(const struct looking *l, const char *program)
{
    const char *path = getenv("PATH");
    return path_program(l->arena, program, path ? path : "") != NULL;
}

static void look_for_image(const struct looking *l)
{
    struct str image = plan_container(l->plan, l->home, l->arena);
    if (!plan_image_is_file(image) || str_find(image, '$') >= 0 ||
        file_exists(arena_cstr(l->arena, image)))
        return;
    absent(l->plan, l->problems, "container",
           "make it with `apptainer build IMAGE.sif docker://…`",
           arena_printf(l->arena, "container: there is no image %.*s",
                        STRF(image)));
}

/* Between these apptainer reads where a folder goes, and how. */
static void look_at_names(const struct looking *l)
{
    const struct value *at = place_of(l, "container");
    if (strpbrk(l->home, ":,"))
        problems_add(l->problems, PROBLEM_ERROR, l->plan->file,
                     at ? at->line : 0, at ? at->column : 0,
                     STR("move the study to another folder"),
                     "container: %s cannot be shown inside, because of the "
                     "colon or comma in its name",
                     l->home);
}

static void say_no_git(const struct looking *l)
{
    const struct value *at = place_of(l, "code");
    problems_add(l->problems, PROBLEM_ERROR, l->plan->file, at ? at->line : 0,
                 at ? at->column : 0,
                 STR("make it one (git init), or say copy"),
                 "code: %s is in no git repository", l->home);
}

/* Adds an error for what is to run containers or ranks and is not here, or an
 * image that is not; a warning where tasks run on other machines. */
static void startable_around(const struct plan *p, struct problems *problems)
{
    static const char *const ranks[] = {"ranks", "nodes", "ranks_per_node"};
    struct looking l;
    bool spread = false;
    looking_init(&l, p, problems);
    bool ours = engine_place_is_live(arena_cstr(l.arena, p->site.engine));
    if (p->container.len && ours && !on_path(&l, "apptainer") &&
        !on_path(&l, "singularity"))
        absent(p, problems, "container",
               "install apptainer, or run without a container",
               "container: neither apptainer nor singularity is on PATH here");
    if (p->container.len && ours) {
        look_for_image(&l);
        look_at_names(&l);
    }
    if (p->code == CODE_GIT && !git_is_around(l.home))
        say_no_git(&l);
    for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++)
        spread |= value_get(p->resources, str_of(ranks[i])) != NULL;
    bool itself = p->command_count && is_rank_starter(p->command[0].text);
    if (spread && !itself && place_is_here(p->site.engine) &&
        !on_path(&l, "mpiexec"))
        absent(p, problems, "resources",
               "install an MPI, or run on a cluster (engine: slurm)",
               "resources: ranks are started by mpiexec here, which is not on "
               "PATH");
}

/* Adds an error for a program, a script or an interpreter that is not there,
 * as seen from the study file; a warning where setup lines or a conda
 * environment may still bring it. */
static void startable_check(const struct plan *p, struct problems *problems)
{
    struct looking l;
    size_t i = 0;
    if (p->model_root || !p->command_count || str_is(p->protocol, "candle"))
        return;
    looking_init(&l, p, problems);
    while (i < p->command_count && comes_before(&p->command[i]))
        i++;
    if (i == p->command_count)
        return;
    const struct command_part *first = &p->command[i];
    if (first->kind != COMMAND_PROGRAM && has_part(p, COMMAND_PROGRAM))
        look_for_file(&l, "program", p->program, false);
    if (first->kind == COMMAND_INTERPRETER)
        look_for_python(&l);
    else if (first->kind == COMMAND_PROGRAM)
        look_for_file(&l, "program", p->program, true);
    else if (first->kind == COMMAND_TEXT)
        look_for_program(&l, first->text);
    if (first->kind == COMMAND_INTERPRETER || plan_takes_script(first->text))
        look_for_script(&l, i + 1);
}

/* ---- rows ---------------------------------------------------------------- */

static void look_for_one(const struct looking *l, const char *key,
                         const struct value *said, struct str file)
{
    const char *path = path_join(l->arena, l->home, arena_cstr(l->arena, file));
    if (!file_exists(path))
        problems_add(l->problems, PROBLEM_ERROR, l->plan->file, said->line,
                     said->column, STR("all trials ask for its rows"),
                     "task.%s: there is no %.*s", key, STRF(file));
}

/* FILE, or NAME=FILE,NAME=FILE. A parameter may say which: of each trial
 * another. */
static void look_for_rows(const struct looking *l, const char *key)
{
    const struct value *v = value_get(l->plan->kind_options, str_of(key));
    struct str rest = value_text(v), one, name;
    if (!rest.len || str_find(rest, '$') >= 0)
        return;
    if (str_find(rest, '=') < 0) {
        look_for_one(l, key, v, rest);
        return;
    }
    while (str_split(&rest, ',', &one)) {
        str_split(&one, '=', &name);
        if (one.p)
            look_for_one(l, key, v, one);
    }
}

static void startable_rows(const struct plan *p, struct problems *problems)
{
    struct looking l;
    if (!p->kind || strcmp(p->kind->name, "infer") || p->predict)
        return;
    looking_init(&l, p, problems);
    look_for_rows(&l, "data");
    look_for_rows(&l, "labels");
}

/* ---- all of it ----------------------------------------------------------- */

void check_to_run(struct plan *p, struct problems *problems)
{
    unready_check(p, problems);
    startable_venv(p, problems);
    startable_around(p, problems);
    travel_check(p, problems);
    output_check(p, problems);
    model_check(p, false, problems);
}

void check_to_look(struct plan *p, struct problems *problems)
{
    unready_check(p, problems);
    startable_venv(p, problems);
    startable_around(p, problems);
    startable_check(p, problems);
    startable_rows(p, problems);
    travel_check(p, problems);
    output_check(p, problems);
    model_check(p, true, problems);
}
