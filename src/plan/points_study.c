/* points_study.c - the list of points of a study: which one, and whether its
 * points are points of the declared space */
#include "plan/reading.h"

#define WARNED_MAX 20

struct seen {
    struct str name;
    long param; /* -1: none of the space */
};

/* Every declared parameter that a point has must be possible in the space.
 * Said once for each parameter, at its first point: a list of a million
 * points that all miss a bound has one mistake, not a million. */
struct fit {
    struct study_file *r;
    bool *warned;
    size_t left; /* warnings that may still be given */
    /* Which parameter stood at each position of the point before. */
    VEC(struct seen) seen;
};

static long param_at_position(struct fit *f, size_t position, struct str name)
{
    struct seen *seen;

    while (f->seen.len <= position)
        vec_push(&f->seen, ((struct seen){STR(""), -1}));
    seen = &f->seen.p[position];
    if (!str_eq(seen->name, name)) {
        seen->name = name;
        seen->param = space_find(&f->r->plan->space, name);
    }
    return seen->param;
}

static bool check_fit(void *context, uint64_t i, size_t position,
                      struct str name, const struct value *v)
{
    struct fit *f = context;
    long k = param_at_position(f, position, name);
    const struct param *p = k < 0 ? NULL : &f->r->plan->space.params[k];

    if (!p || f->warned[k] || p->dist == DIST_CONSTANT ||
        param_position(p, v) >= 0)
        return true;
    problem_at_param(
        f->r, PROBLEM_WARNING, (size_t)k, NULL,
        "point %llu of the list has %s for parameter '%.*s', which is "
        "outside of it",
        (unsigned long long)i + 1, value_words(&f->r->in, v), STRF(p->name));
    f->warned[k] = true;
    return --f->left > 0;
}

/* Parameters are read before points, so the space is there. */
static void fit_init(struct fit *f, struct study_file *r)
{
    *f = (struct fit){.r = r, .left = WARNED_MAX};
    f->warned =
        arena_array(r->in.arena, r->plan->space.count, sizeof(*f->warned));
}

/* ---- the file --------------------------------------------------------- */

static bool read_file(struct study_file *r, const struct value *v,
                      const char *path, struct str *text)
{
    struct err err = {0};

    if (!r->reader || !r->reader->files.read)
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "%s cannot be read here",
                   value_words(&r->in, v));
    else if (r->reader->files.read(r->reader->files.context, path, text, &err))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "%s", err.text);
    else
        return true;
    return false;
}

/* The method is not read yet: parameters come first. */
static bool says_grid(const struct study_file *r)
{
    const struct method *m = method_find(
        methods_of(r), r->reader && r->reader->method
                           ? str_of(r->reader->method)
                           : value_text(value_get(r->root, STR("method"))));
    return m && m->exhausts;
}

/* A space becomes part of the parameters; a list is kept for later. */
static void find_in_file(struct study_file *r, const struct value *v)
{
    const char *path = arena_cstr(r->in.arena, v->s);
    struct str text = STR("");
    const struct dialect *dialect = r->plan->dialect;
    const struct space_file *space;

    if (!read_file(r, v, path, &text))
        return;
    if (!text.p)
        text = STR("");
    space = dialect ? dialect->space(text, path, says_grid(r), r->in.arena,
                                     r->in.problems)
                    : NULL;
    if (!space) {
        r->list_text = text;
        return;
    }
    if (r->plan->space_file) {
        problem_at(&r->in, PROBLEM_ERROR, v, "leave one of them out",
                   "points and parameters_file both name a space");
        return;
    }
    r->plan->space_file = space;
    r->space_at = v;
    r->plan->run_cap = space->samples;
}

void find_space_file(struct study_file *r)
{
    static const char *const keys[] = {"points", "parameters_file"};

    for (size_t i = 0; i < 2; i++) {
        const struct value *v = value_get(r->root, str_of(keys[i]));

        if (v && v->kind == VALUE_STRING && v->s.len > 0)
            find_in_file(r, v);
    }
    if (r->plan->space_file && !value_get(r->root, STR("parameters")))
        read_parameters(r, NULL);
}

static void open_list(struct study_file *r, const struct value *v,
                      bool unrolled)
{
    const char *path = arena_cstr(r->in.arena, v->s);
    struct fit fit;
    struct points_watch w = {check_fit, &fit};

    if (!r->list_text.p || v == r->space_at)
        return;
    fit_init(&fit, r);
    r->plan->points =
        points_open_text(r->list_text, path, unrolled, r->in.arena,
                         r->in.problems, r->plan->space.count > 0 ? &w : NULL);
    vec_done(&fit.seen);
}

void read_points(struct study_file *r, const struct value *v)
{
    struct fit fit;
    struct points_watch w = {check_fit, &fit};

    if (v->kind == VALUE_STRING && v->s.len > 0) {
        open_list(r, v, false);
        return;
    }
    fit_init(&fit, r);
    r->plan->points = points_open_value(v, arena_cstr(r->in.arena, r->in.file),
                                        r->in.arena, r->in.problems, &w);
    vec_done(&fit.seen);
}

void read_parameters_file(struct study_file *r, const struct value *v)
{
    struct str path;

    if (value_get(r->root, STR("points")) && !r->space_at)
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "give points or parameters_file, not both");
    else if (read_text(&r->in, v, "parameters_file", &path))
        open_list(r, v, true);
}

/* True when a list is given, be it a broken one; a file that cannot be read
 * might be a space. */
static bool gives_list(const struct study_file *r, const struct value *v)
{
    if (!v || (r->plan->space_file && !r->plan->points))
        return false;
    return v->kind != VALUE_STRING || r->list_text.p;
}

/* What a listed point and a grid both say, one of them would say in vain. */
static void check_apart(struct study_file *r, const struct value *at)
{
    const struct space *s = &r->plan->space;

    for (size_t i = 0; i < s->count; i++)
        if (points_has_name(r->plan->points, s->params[i].name))
            problem_at(&r->in, PROBLEM_ERROR, at,
                       "leave it out of one of the two",
                       "'%s' is a parameter of the grid and of the points that "
                       "it is combined with",
                       shown(r->in.arena, s->params[i].name));
}

void check_points(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *v = value_get(r->root, STR("points"));

    if (!v)
        v = value_get(r->root, STR("parameters_file"));
    enum point_list listing = p->strategy->listing;
    if (!v && listing == LIST_IS)
        problem_at(&r->in, PROBLEM_ERROR, value_get(r->root, STR("method")),
                   "as in points: list.csv", "method %.*s needs points",
                   STRF(p->method));
    if (p->space_file && !p->points && listing == LIST_IS)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "leave method out, or say random, tpe, ga …",
                   "%s holds a space, and method %.*s needs a list",
                   value_words(&r->in, v), STRF(p->method));
    else if (gives_list(r, v) && p->method_said && listing == LIST_REFUSED)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "leave method out, or say points, or grid to combine each "
                   "of them with a grid",
                   "points are given, but the method is %.*s", STRF(p->method));
    if (!p->points)
        return;
    if (listing == LIST_COMBINED)
        check_apart(r, v);
    points_bind(p->points, &p->space);
}
