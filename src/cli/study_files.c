/* study_files.c - the study files that lie about, for who named none */
#include "cli/study_files.h"

#include <stdio.h>
#include "view/view.h"

#define SHOWN 6

static const char *listed(struct arena *a, const char **names, size_t count)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
    if (count > SHOWN)
        buf_adds(&b, ", …");
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

int study_file_usage(struct call *c)
{
    size_t count;
    const char **names = study_files(c->arena, ".", &count);
    const char *verb = c->verb->name;
    if (c->arg_count > 1)
        return call_usage(c,
                          "`%s` is one argument too many: one study file "
                          "at a time",
                          c->args[1]);
    if (!count)
        return call_usage(c, "name one study file; none is here, and `throng "
                             "init` writes one");
    if (count == 1)
        return call_usage(c, "name one study file: `throng %s %s`", verb,
                          names[0]);
    return call_usage(c, "name one study file of those here: %s",
                      listed(c->arena, names, count));
}

/* Behind what the error says already; it is left out where it does not fit. */
static void add_hint(struct err *err, const char *before, const char *text,
                     const char *after)
{
    size_t n = strlen(err->text), room = sizeof(err->text) - n;
    int len = snprintf(err->text + n, room, "%s%s%s", before, text, after);
    if (len < 0 || (size_t)len >= room)
        err->text[n] = 0;
}

/* By their names without the ending, which says nothing. */
static const char *nearest_file(struct arena *a, struct str file,
                                const char **names, size_t count)
{
    const char **stems = arena_array(a, count + 1, sizeof(*stems));
    for (size_t i = 0; i < count; i++)
        stems[i] = arena_cstr(a, path_stem(names[i]));
    stems[count] = NULL;
    const char *near = str_nearest(path_stem(arena_cstr(a, file)), stems);
    for (size_t i = 0; near && i < count; i++)
        if (stems[i] == near)
            return names[i];
    return NULL;
}

void study_file_hint(struct call *c, const char *file)
{
    struct arena *a = c->arena;
    struct place_of_study where;
    size_t count;
    if (file_is_dir(file)) {
        const char **names = study_files(a, file, &count);
        add_hint(&c->err, "; name a study file in it", count ? ": " : "",
                 count ? listed(a, names, count) : "");
        return;
    }
    if (file_exists(file))
        return;
    if (!strchr(file, '/') && file_is_dir(path_join(a, ".throng", file)) &&
        !locate_study(a, file, &where, NULL)) {
        add_hint(&c->err, ", but a study of this name; `",
                 resume_command(c->arena, &where), "` goes on with it");
        return;
    }
    const char *folder = strchr(file, '/') ? path_folder(a, file) : ".";
    const char **names = study_files(a, folder, &count);
    if (!count)
        return;
    const char *near = nearest_file(a, path_name(file), names, count);
    if (near)
        add_hint(&c->err, "; did you mean ", near, "?");
    else
        add_hint(&c->err, "; study files here: ", listed(a, names, count), "");
}
