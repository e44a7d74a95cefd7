/* init.c - a study to begin with */
#include "cli/cli.h"
#include "study/study.h"

static int run(struct call *c)
{
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    const char *name = call_option(c, "template");
    const char *path = c->arg_count ? c->args[0] : "study.yaml";
    const struct study_template *t =
        study_template_find(name ? name : "sweep", &c->err);
    struct template_file files[TEMPLATE_FILES];
    size_t count;
    if (!t || study_template_write(t, path, c->arena, files, &count, &c->err))
        return call_fail(c);
    for (size_t i = 0; i < count; i++)
        say("throng init: wrote %s\n", files[i].name);
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
            "runs as it is, and\nwhat it needs. A file that is there already "
            "is never overwritten. The templates:\n\n"
            "  sweep      a search, with a Python program (default)\n"
            "  points     a list of points in a CSV file\n"
            "  shell      any command, every combination of its parameters\n"
            "  wandb      a W&B sweep file, with a script that says `import "
            "wandb`\n"
            "  search     a search over a network that throng trains, with "
            "data\n"
            "  ensemble   networks that answer together, and say how sure "
            "they are\n"
            "  uq         how sure is it? bootstrap beside dropout, calibrated "
            "and drawn\n"
            "  inference  the best networks of a search answer for files of "
            "new rows\n"
            "  factorial  settings, folds and draws of the data, every "
            "combination\n"
            "  campaign   raw rows, a search, an ensemble and a summary in one "
            "file\n",
    .options = (const struct option_spec[]){{"template", 't', "NAME",
                                             "which of them"},
                                            {0}},
    .run = run,
};
