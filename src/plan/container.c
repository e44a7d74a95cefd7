/* container.c - the container that tasks run inside of, and what it sees
 *
 * The image is a file or the URL of what a registry has (docker://, oras://,
 * library:// …). Folders are written as apptainer takes them,
 * SOURCE[:TARGET[:OPTIONS]]. */
#include "plan/reading.h"

/* What apptainer would take for the end of a path. */
static bool is_cut(struct str path)
{
    return memchr(path.p, ',', path.len) || memchr(path.p, '\n', path.len);
}

bool plan_image_is_file(struct str image)
{
    return !memmem(image.p, image.len, "://", 3);
}

void read_container(struct study_file *r, const struct value *v)
{
    struct str image;

    if (!read_text(&r->in, v, "container", &image))
        return;
    if (image.len == 0 || image.p[0] == '-')
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "a file such as env.sif, or docker://NAME:TAG",
                   "container: `%s` names no image", shown(r->in.arena, image));
    else if (value_get(r->root, STR("model")))
        problem_at(&r->in, PROBLEM_ERROR, v, "leave it out",
                   "container: built-in training is no program that a "
                   "container could hold");
    r->plan->container = image;
}

void read_bind(struct study_file *r, const struct value *v)
{
    const struct str *list = NULL;
    size_t count = 0;

    if (!read_texts(&r->in, v, "bind", &list, &count))
        return;
    if (!value_get(r->root, STR("container")))
        problem_at(&r->in, PROBLEM_ERROR, v, "say `container:`, too",
                   "bind: folders are shown to a container, and there is "
                   "none");
    for (size_t i = 0; i < count; i++)
        if (list[i].len == 0 || list[i].p[0] == ':' || is_cut(list[i]))
            problem_at(&r->in, PROBLEM_ERROR, v,
                       "as in /data, /data:/mnt or /data:/mnt:ro",
                       "bind: `%s` names no folder",
                       shown(r->in.arena, list[i]));
    r->plan->binds = list;
    r->plan->bind_count = count;
}

/* A name that begins with ~/ is of the person where the task runs. */
static struct str seen_from(struct str path, const char *home, struct arena *a)
{
    if (path.p[0] == '/' || path.p[0] == '$')
        return path;
    if (str_starts(path, STR("~/")))
        return str_of(arena_printf(a, "${envvar:HOME}%.*s", (int)path.len - 1,
                                   path.p + 1));
    return str_of(arena_printf(a, "%s/%.*s", home, STRF(path)));
}

struct str plan_container(const struct plan *p, const char *home,
                          struct arena *a)
{
    if (!p->container.len || !plan_image_is_file(p->container))
        return p->container;
    return seen_from(p->container, home, a);
}

struct str plan_binds(const struct plan *p, const char *home, struct arena *a)
{
    struct buf b;
    struct str lines;

    buf_init(&b);
    for (size_t i = 0; i < p->bind_count; i++) {
        struct str bind = seen_from(p->binds[i], home, a);
        buf_addf(&b, "%s%.*s", b.len ? "\n" : "", STRF(bind));
    }
    lines = arena_str(a, buf_str(&b));
    buf_done(&b);
    return lines;
}
