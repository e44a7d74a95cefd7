/* trust.c - the verb that allows studies in folders of others */
#include <limits.h>
#include <stdlib.h>
#include "cli/cli.h"
#include "study/study.h"

static size_t place_in(const char **list, const char *path)
{
    size_t i = 0;
    while (list[i] && strcmp(list[i], path) != 0)
        i++;
    return i;
}

/* A folder that is gone can still be taken off the list, as it was written
 * there. */
static int real_folder(struct call *c, const char *given, bool must_be_there,
                       const char **path)
{
    char real[PATH_MAX];
    bool there = realpath(given, real) != NULL;
    if (!there && must_be_there)
        return err_set(&c->err, ERR_MISSING, "there is no folder %s", given);
    if (must_be_there && !file_is_dir(real))
        return err_set(&c->err, ERR_USAGE, "%s is no folder", given);
    if (there && strchr(real, '\n'))
        return err_set(&c->err, ERR_INPUT,
                       "a folder with a line feed in its name cannot be "
                       "listed");
    *path = there ? arena_cstr(c->arena, str_of(real))
                  : path_absolute(c->arena, given);
    return 0;
}

static const char **with_one_more(struct call *c, const char **list,
                                  const char *path)
{
    size_t count = place_in(list, path);
    if (list[count])
        return list;
    const char **more = arena_array(c->arena, count + 2, sizeof *more);
    for (size_t i = 0; i < count; i++)
        more[i] = list[i];
    more[count] = path;
    return more;
}

static int take_off(struct call *c, const char **list, const char *path)
{
    size_t i = place_in(list, path);
    if (!list[i])
        return err_set(&c->err, ERR_MISSING,
                       "%s is not on the list of trusted folders; `throng "
                       "trust` shows it",
                       path);
    for (; list[i]; i++)
        list[i] = list[i + 1];
    return 0;
}

/* What is on the disk is said, not what is meant to be. */
static int change(struct call *c, const char **list)
{
    bool off = call_flag(c, "remove");
    const char **paths = arena_array(c->arena, c->arg_count + 1, sizeof *paths);
    for (size_t i = 0; i < c->arg_count; i++) {
        if (real_folder(c, c->args[i], !off, &paths[i]))
            return -1;
        if (!off)
            list = with_one_more(c, list, paths[i]);
        else if (take_off(c, list, paths[i]))
            return -1;
    }
    if (trusted_write(c->arena, (const char *const *)list, &c->err))
        return -1;
    for (size_t i = 0; i < c->arg_count; i++)
        say("throng trust: studies in %s are %s\n", paths[i],
            off ? "no longer trusted" : "trusted now, whoever owns them");
    return 0;
}

static int run(struct call *c)
{
    if (call_flag(c, "remove") && !c->arg_count)
        return call_usage(c, "--remove: name a folder");
    const char **list = trusted_read(c->arena, &c->err);
    if (!list)
        return call_fail(c);
    if (c->arg_count)
        return change(c, list) ? call_fail(c) : EXIT_OK;
    for (; *list; list++)
        put(str_of(arena_printf(c->arena, "%s\n", *list)));
    return EXIT_OK;
}

VERB(trust) = {
    .name = "trust",
    .args = "[DIR…]",
    .summary = "Allow studies in a folder that others own or may write",
    .text = "throng starts no program, and writes nothing, in a .throng folder "
            "that another\nuser owns or that everyone may write: they could "
            "make it run programs as you.\nIn DIR, and all below it, it does "
            "then all the same. Without DIR: the folders\nthat are trusted, "
            "one a line. The list is yours alone and lies in\n"
            "~/.config/throng/trusted.\n\n    throng trust /data/lab/study\n"
            "    throng trust --remove /data/lab/study\n",
    .options = (const struct option_spec[]){{"remove", 0, NULL,
                                             "trust DIR no longer"},
                                            {0}},
    .run = run,
};
