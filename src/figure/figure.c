/* figure.c - the list of kinds, and what all of them check */
#include "figure/figure.h"

#define FIGURE_POINTER(name) &figure_##name,
const struct figure_kind *const figure_kinds[] = {FIGURES(FIGURE_POINTER) NULL};

const struct figure_kind *figure_kind_of(const char *name, struct err *err)
{
    const char *names[FIGURE_COUNT + 1] = {NULL};
    struct buf all;
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        names[i] = figure_kinds[i]->name;
        if (!strcmp(name, names[i]))
            return figure_kinds[i];
    }
    const char *near = str_nearest(str_of(name), names);
    buf_init(&all);
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (near)
        err_set(err, ERR_USAGE, "there is no figure `%s`; did you mean %s?",
                name, near);
    else
        err_set(err, ERR_USAGE, "there is no figure `%s`; there are %s", name,
                all.p);
    buf_done(&all);
    return NULL;
}

static bool takes(const struct figure_kind *kind, const char *option)
{
    struct str rest = str_of(kind->takes), word;
    while (rest.len && str_split(&rest, ' ', &word))
        if (str_is(word, option))
            return true;
    return false;
}

static int check(const struct figure_kind *kind,
                 const struct figure_asked *asked, struct err *err)
{
    const struct {
        const char *name, *value;
    } options[] = {
        {"metric", asked->metric}, {"x", asked->x},
        {"y", asked->y},           {"group", asked->group},
        {"params", asked->params}, {"where", asked->where},
        {"trials", asked->trials}, {"from", asked->file},
        {"stat", asked->stat},     {"scale", asked->scale},
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (options[i].value && !takes(kind, options[i].name))
            return err_set(err, ERR_USAGE, "the figure %s takes no --%s",
                           kind->name, options[i].name);
    if (asked->scale && strcmp(asked->scale, "log") &&
        strcmp(asked->scale, "linear"))
        return err_set(err, ERR_USAGE, "--scale takes log or linear, not `%s`",
                       asked->scale);
    if (asked->x && asked->y && !strcmp(asked->x, asked->y))
        return err_set(err, ERR_USAGE,
                       "--x and --y both name `%s`; two are needed", asked->x);
    return 0;
}

int figure_make(const struct figure_kind *kind,
                const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    if (check(kind, asked, err))
        return -1;
    return kind->make(asked, p, err);
}
