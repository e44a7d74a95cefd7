/* init.c - a study to begin with */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/init_text.h"

/* Only the points template needs a second file of its own. */
static const char work_script[] =
    "# Does the work of one trial. Replace it by yours.\n"
    "x=$1\n"
    "y=$2\n"
    "throng report result=$((x * y))\n";

struct file {
    const char *path, *text;
};

static const struct init_template *find(struct call *c, const char *name)
{
    const char *names[8];
    size_t n = 0;
    for (; init_templates[n].name; n++) {
        if (!strcmp(init_templates[n].name, name))
            return &init_templates[n];
        names[n] = init_templates[n].name;
    }
    names[n] = NULL;
    const char *near = str_nearest(str_of(name), names);
    if (near)
        err_set(&c->err, ERR_USAGE,
                "there is no template `%s`; did you mean `%s`?", name, near);
    else
        err_set(&c->err, ERR_USAGE,
                "there is no template `%s`; there are sweep, points, shell "
                "and wandb",
                name);
    return NULL;
}

/* The comments speak of study.yaml: they shall name the real file. */
static char *with_name(struct arena *a, const char *text, const char *name)
{
    static const char said[] = "study.yaml";
    struct buf b;
    buf_init(&b);
    for (const char *at; (at = strstr(text, said)); text = at + strlen(said)) {
        buf_add(&b, text, (size_t)(at - text));
        buf_adds(&b, name);
    }
    buf_adds(&b, text);
    char *result = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return result;
}

/* Never onto a file that is there. */
static int write_new(const struct file *f, struct err *err)
{
    int fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return err_set(err, ERR_INPUT,
                       "%s is there already, and nothing was overwritten; "
                       "name another file",
                       f->path);
    if (fd < 0)
        return err_errno(err, "write %s", f->path);
    int rc = fd_write_all(fd, f->text, strlen(f->text), err);
    close(fd);
    return rc ? err_wrap(err, "%s", f->path) : 0;
}

static int write_all(struct call *c, const struct file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (file_exists(files[i].path))
            return err_set(&c->err, ERR_INPUT,
                           "%s is there already, and nothing was written; "
                           "name another file or use another folder",
                           files[i].path);
    for (size_t i = 0; i < count; i++)
        if (write_new(&files[i], &c->err))
            return -1;
    return 0;
}

static int run(struct call *c)
{
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    const char *name = call_option(c, "template");
    const char *path = c->arg_count ? c->args[0] : "study.yaml";
    const struct init_template *t = find(c, name ? name : "sweep");
    if (!t)
        return call_fail(c);
    struct arena *a = c->arena;
    if (file_is_dir(path)) {
        err_set(&c->err, ERR_INPUT,
                "%s is a folder; name a file in it: `throng init %s`", path,
                path_join(a, path, "study.yaml"));
        return call_fail(c);
    }
    char *folder = path_folder(a, path);
    if (!file_is_dir(folder)) {
        err_set(&c->err, ERR_MISSING, "there is no folder %s", folder);
        return call_fail(c);
    }
    struct file files[3] = {
        {path, with_name(a, t->study, arena_cstr(a, path_name(path)))}};
    size_t count = 1;
    bool here = !strchr(path, '/');
    if (t->program_name)
        files[count++] = (struct file){
            here ? t->program_name : path_join(a, folder, t->program_name),
            t->program};
    if (!strcmp(t->name, "points"))
        files[count++] = (struct file){
            here ? "work.sh" : path_join(a, folder, "work.sh"), work_script};
    if (write_all(c, files, count))
        return call_fail(c);
    for (size_t i = 0; i < count; i++)
        say("throng init: wrote %s\n", files[i].path);
    say("throng init: next, `throng check %s` shows what it would run, "
        "`throng run %s` runs it\n",
        path, path);
    return EXIT_OK;
}

VERB(init) = {
    .name = "init",
    .args = "[FILE]",
    .summary = "Write a study to begin with",
    .text = "A commented study file (study.yaml if no FILE is named) that "
            "runs as it is, and\nthe small program or list that it needs. A "
            "file that is there already is never\noverwritten. The "
            "templates:\n\n  sweep   a search, with a Python program "
            "(default)\n  points  a list of points in a CSV file\n  shell   "
            "any command, every combination of its parameters\n  wandb   a "
            "W&B sweep file, with a script that says `import wandb`\n",
    .options = (const struct option_spec[]){{"template", 't', "NAME",
                                             "sweep, points, shell or wandb"},
                                            {0}},
    .run = run,
};
