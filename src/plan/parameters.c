/* parameters.c - the parameter space
 *
 * `parameters` is walked to a flat list of leaves, which is then sorted by
 * name and becomes the space. What one parameter says of another (`when`) is
 * looked at after all are known. */
#include "plan/reading.h"

#include <math.h>

#define PARAMETERS_MAX 10000

/* The `when` objects that hold for a leaf: its own and those of the groups
 * around it. `prefix` is the group in which it stands ("opt."). */
struct when {
    const struct value *object;
    struct str prefix;
    const struct when *outer;
};

struct leaf {
    struct param param;
    const struct value *at;
    struct str file; /* where `at` stands: the study file, or one of a space */
    const struct when *when;
    bool broken; /* only its name is known */
};
struct leaves {
    VEC(struct leaf) list;
    bool too_many;
};

/* The group that is being walked. */
struct group {
    const struct group *outer;
    struct str name;
    struct str prefix; /* "opt." or empty */
    size_t depth;      /* names in front of a leaf's own */
    const struct when *when;
};

void problem_at_param(struct study_file *r, enum problem_level level, size_t i,
                      const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(r->in.problems,
                  (struct problem){.level = level,
                                   .file = r->param_file[i],
                                   .line = r->param_at[i]->line,
                                   .column = r->param_at[i]->column,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

static const char *const param_keys[] = {"value",
                                         "values",
                                         "distribution",
                                         "min",
                                         "max",
                                         "mu",
                                         "sigma",
                                         "q",
                                         "a",
                                         "b",
                                         "probabilities",
                                         "parameters",
                                         "when",
                                         "ordered",
                                         NULL};

/* What each distribution takes. The bounds, where it has them, must be
 * there; mu, sigma and q have defaults. */
static const struct {
    const char *takes[4]; /* besides distribution and when */
    const char *needs[3];
} dist_takes[DIST_COUNT] = {
    [DIST_CONSTANT] = {{"value"}, {"value"}},
    [DIST_CATEGORICAL] = {{"values", "probabilities", "ordered"}, {"values"}},
    [DIST_INT_UNIFORM] = {{"min", "max"}, {"min", "max"}},
    [DIST_UNIFORM] = {{"min", "max"}, {"min", "max"}},
    [DIST_Q_UNIFORM] = {{"min", "max", "q"}, {"min", "max"}},
    [DIST_LOG_UNIFORM] = {{"min", "max"}, {"min", "max"}},
    [DIST_Q_LOG_UNIFORM] = {{"min", "max", "q"}, {"min", "max"}},
    [DIST_LOG_UNIFORM_VALUES] = {{"min", "max"}, {"min", "max"}},
    [DIST_Q_LOG_UNIFORM_VALUES] = {{"min", "max", "q"}, {"min", "max"}},
    [DIST_INV_LOG_UNIFORM] = {{"min", "max"}, {"min", "max"}},
    [DIST_INV_LOG_UNIFORM_VALUES] = {{"min", "max"}, {"min", "max"}},
    [DIST_NORMAL] = {{"mu", "sigma"}, {NULL}},
    [DIST_Q_NORMAL] = {{"mu", "sigma", "q"}, {NULL}},
    [DIST_LOG_NORMAL] = {{"mu", "sigma"}, {NULL}},
    [DIST_Q_LOG_NORMAL] = {{"mu", "sigma", "q"}, {NULL}},
    [DIST_BETA] = {{"a", "b"}, {"a", "b"}},
    [DIST_Q_BETA] = {{"a", "b", "q"}, {"a", "b"}},
};

/* ---- one leaf --------------------------------------------------------- */

static bool has(const struct value *v, const char *key)
{
    return value_get(v, str_of(key)) != NULL;
}

/* What Optuna, Ray and others call loguniform is that of the values, where
 * W&B's log_uniform is that of exponents. */
static const char *hint_dist(struct reading *r, const struct value *said)
{
    static const char *const logs[] = {"loguniform", "log-uniform", "log"};
    struct str word = value_text(said);
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
        if (str_is(word, logs[i]))
            return "log_uniform_values is it, for min and max themselves";
    return hint_nearest(r, word, dist_names);
}

/* The distribution that is said, or that follows from what is there. */
static bool find_dist(struct study_file *r, const struct value *v,
                      const char *name, enum dist *d)
{
    const struct value *said = value_get(v, STR("distribution"));
    const struct value *min = value_get(v, STR("min"));
    const struct value *max = value_get(v, STR("max"));

    if (said) {
        if (said->kind == VALUE_STRING && dist_parse(said->s, d))
            return true;
        problem_at(&r->in, PROBLEM_ERROR, said, hint_dist(&r->in, said),
                   "parameter '%s': no distribution %s", name,
                   value_words(&r->in, said));
        return false;
    }
    if (has(v, "value"))
        *d = DIST_CONSTANT;
    else if (has(v, "values"))
        *d = DIST_CATEGORICAL;
    else if (has(v, "q") && min && max)
        *d = DIST_Q_UNIFORM;
    else if (min && max)
        *d = min->kind == VALUE_INT && max->kind == VALUE_INT ? DIST_INT_UNIFORM
                                                              : DIST_UNIFORM;
    else {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "give value, values, min and max, or a distribution",
                   "parameter '%s' does not say its values%s", name,
                   min   ? ": max is missing"
                   : max ? ": min is missing"
                         : "");
        return false;
    }
    return true;
}

static bool dist_has(enum dist d, struct str key)
{
    for (size_t i = 0; i < 4 && dist_takes[d].takes[i]; i++)
        if (str_is(key, dist_takes[d].takes[i]))
            return true;
    return str_is(key, "distribution") || str_is(key, "when");
}

static bool check_dist_keys(struct study_file *r, const struct value *v,
                            const char *name, enum dist d)
{
    bool ok = true;

    for (size_t i = 0; i < v->count; i++) {
        if (dist_has(d, v->keys[i]))
            continue;
        if (dist_has(DIST_CATEGORICAL, v->keys[i]) ||
            dist_has(DIST_Q_UNIFORM, v->keys[i]) ||
            dist_has(DIST_NORMAL, v->keys[i]) ||
            dist_has(DIST_BETA, v->keys[i]) || str_is(v->keys[i], "value"))
            problem_at_key(&r->in, PROBLEM_ERROR, v, i, NULL,
                           "parameter '%s': the distribution %s takes no "
                           "'%.*s'",
                           name, dist_name(d), STRF(v->keys[i]));
    }
    for (size_t i = 0; i < 3 && dist_takes[d].needs[i]; i++) {
        if (has(v, dist_takes[d].needs[i]))
            continue;
        ok = false;
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "parameter '%s': the distribution %s needs '%s'", name,
                   dist_name(d), dist_takes[d].needs[i]);
    }
    return ok;
}

static int by_value(const void *a, const void *b)
{
    const struct value *const *x = a, *const *y = b;
    int order = value_cmp(*x, *y);

    if (order)
        return order;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return ((*x)->column > (*y)->column) - ((*x)->column < (*y)->column);
}

static void warn_duplicates(struct study_file *r, const struct value *list,
                            const char *name)
{
    const struct value **sorted =
        arena_array(r->in.arena, list->count, sizeof(*sorted));

    for (size_t i = 0; i < list->count; i++)
        sorted[i] = list->items[i];
    qsort(sorted, list->count, sizeof(*sorted), by_value);
    for (size_t i = 1; i < list->count; i++)
        if (sorted[i]->kind == sorted[i - 1]->kind &&
            value_eq(sorted[i], sorted[i - 1]))
            problem_at(&r->in, PROBLEM_WARNING, sorted[i], NULL,
                       "parameter '%s': the value %s stands there twice", name,
                       value_words(&r->in, sorted[i]));
}

static bool read_probabilities(struct study_file *r, const struct value *v,
                               const char *name, struct param *p)
{
    double *shares;
    double sum = 0;
    const char *what =
        arena_printf(r->in.arena, "parameter '%s': a probability", name);

    if (v->kind != VALUE_LIST || v->count != p->values->count) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "parameter '%s': probabilities must be a list of %zu "
                   "numbers, one for each value",
                   name, p->values->count);
        return false;
    }
    shares = arena_array(r->in.arena, v->count, sizeof(*shares));
    for (size_t i = 0; i < v->count; i++) {
        if (!read_number(&r->in, v->items[i], what, &shares[i]))
            return false;
        if (shares[i] < 0) {
            problem_at(&r->in, PROBLEM_ERROR, v->items[i], NULL,
                       "%s cannot be below 0", what);
            return false;
        }
        sum += shares[i];
    }
    if (!(fabs(sum - 1) <= 1e-6)) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "parameter '%s': the probabilities sum to %.9g, not 1", name,
                   sum);
        return false;
    }
    p->probabilities = shares;
    return true;
}

static bool read_values(struct study_file *r, const struct value *v,
                        const char *name, struct param *p)
{
    const struct value *list = value_get(v, STR("values"));
    const struct value *shares = value_get(v, STR("probabilities"));
    const struct value *ordered = value_get(v, STR("ordered"));

    if (list->kind != VALUE_LIST || list->count == 0) {
        problem_at(&r->in, PROBLEM_ERROR, list, "as in [1, 2, 3]",
                   "parameter '%s': values must be a list with something in "
                   "it, not %s",
                   name,
                   list->kind == VALUE_LIST ? "an empty one"
                                            : value_words(&r->in, list));
        return false;
    }
    p->values = list;
    if (ordered && !read_bool(&r->in, ordered, "ordered", &p->ordered))
        return false;
    warn_duplicates(r, list, name);
    return !shares || read_probabilities(r, shares, name, p);
}

static bool positive_bounds(enum dist d)
{
    return d == DIST_LOG_UNIFORM_VALUES || d == DIST_Q_LOG_UNIFORM_VALUES ||
           d == DIST_INV_LOG_UNIFORM_VALUES;
}

static bool check_bounds(struct study_file *r, const struct value *v,
                         const char *name, const struct param *p)
{
    const struct value *min = value_get(v, STR("min"));
    bool exponents = p->dist == DIST_LOG_UNIFORM ||
                     p->dist == DIST_Q_LOG_UNIFORM ||
                     p->dist == DIST_INV_LOG_UNIFORM;

    if (p->min > p->max) {
        problem_at(&r->in, PROBLEM_ERROR, min, NULL,
                   "parameter '%s': min %.9g is above max %.9g", name, p->min,
                   p->max);
        return false;
    }
    if (positive_bounds(p->dist) && p->min <= 0) {
        problem_at(&r->in, PROBLEM_ERROR, min, NULL,
                   "parameter '%s': min of %s must be above 0, not %.9g", name,
                   dist_name(p->dist), p->min);
        return false;
    }
    if (exponents && (fabs(p->min) > 700 || fabs(p->max) > 700)) {
        problem_at(&r->in, PROBLEM_ERROR, min,
                   "the bounds are exponents of e; for the values themselves "
                   "use log_uniform_values",
                   "parameter '%s': e to that power is no number", name);
        return false;
    }
    if (exponents && p->min > 0 && p->min < p->max && p->max < 1)
        problem_at(&r->in, PROBLEM_WARNING, min,
                   "for the values themselves use log_uniform_values",
                   "parameter '%s': the bounds of %s are exponents of e: this "
                   "is from %.4g to %.4g",
                   name, dist_name(p->dist), exp(p->min), exp(p->max));
    return true;
}

/* Bounds without a point are whole numbers' bounds, as W&B has it. Two
 * neighbours are rarely all that somebody wanted. The shards of an inference
 * are nobody's bounds. */
static void notice_neighbours(struct study_file *r, const struct value *v,
                              const char *name, const struct param *p)
{
    if (p->dist == DIST_INT_UNIFORM && p->max - p->min == 1 &&
        !has(v, "distribution") && !r->plan->predict)
        problem_at(&r->in, PROBLEM_WARNING, v,
                   arena_printf(r->in.arena,
                                "write min: %.0f.0, max: %.0f.0 for all that "
                                "is between, or values: [%.0f, %.0f]",
                                p->min, p->max, p->min, p->max),
                   "parameter '%s' is %.0f or %.0f: bounds without a point "
                   "are those of whole numbers",
                   name, p->min, p->max);
}

static bool read_bounds(struct study_file *r, const struct value *v,
                        const char *name, struct param *p)
{
    const struct value *min = value_get(v, STR("min"));
    const struct value *max = value_get(v, STR("max"));
    const char *what_min =
        arena_printf(r->in.arena, "parameter '%s': min", name);
    const char *what_max =
        arena_printf(r->in.arena, "parameter '%s': max", name);
    int64_t low = 0, high = 0, limit = (int64_t)1 << 53;
    bool ok;

    if (p->dist == DIST_INT_UNIFORM) {
        ok = read_int(&r->in, min, what_min, -limit, limit, &low);
        ok = read_int(&r->in, max, what_max, -limit, limit, &high) && ok;
        p->min = (double)low;
        p->max = (double)high;
    } else {
        ok = read_number(&r->in, min, what_min, &p->min);
        ok = read_number(&r->in, max, what_max, &p->max) && ok;
    }
    ok = ok && check_bounds(r, v, name, p);
    if (ok)
        notice_neighbours(r, v, name, p);
    return ok;
}

/* One number of a parameter that has a default or must be above 0. */
static bool read_shape(struct study_file *r, const struct value *v,
                       const char *name, const char *key, bool positive,
                       double *out)
{
    const struct value *item = value_get(v, str_of(key));
    const char *what =
        arena_printf(r->in.arena, "parameter '%s': %s", name, key);

    if (!item)
        return true;
    if (!read_number(&r->in, item, what, out))
        return false;
    if (!positive || *out > 0)
        return true;
    problem_at(&r->in, PROBLEM_ERROR, item, NULL, "%s must be above 0, not %s",
               what, value_words(&r->in, item));
    return false;
}

static bool read_dist(struct study_file *r, const struct value *v,
                      const char *name, struct param *p)
{
    const struct value *q = value_get(v, STR("q"));
    bool ok = true, rounds = dist_has(p->dist, STR("q"));

    /* What the distribution does not have stays 0: methods ask for it. */
    p->sigma = dist_has(p->dist, STR("sigma"));
    p->q = rounds;
    p->q_integer = rounds && (!q || q->kind == VALUE_INT);
    if (!check_dist_keys(r, v, name, p->dist))
        return false;
    p->constant = value_get(v, STR("value"));
    if (p->dist == DIST_CATEGORICAL)
        ok = read_values(r, v, name, p);
    if (dist_has(p->dist, STR("min")))
        ok = read_bounds(r, v, name, p) && ok;
    ok = read_shape(r, v, name, "mu", false, &p->mu) && ok;
    ok = read_shape(r, v, name, "sigma", true, &p->sigma) && ok;
    ok = read_shape(r, v, name, "a", true, &p->a) && ok;
    ok = read_shape(r, v, name, "b", true, &p->b) && ok;
    return read_shape(r, v, name, "q", true, &p->q) && ok;
}

/* ---- the tree of groups ----------------------------------------------- */

static const struct str *path_of(struct arena *a, const struct group *g,
                                 struct str own, size_t *len)
{
    struct str *path = arena_array(a, g->depth + 1, sizeof(*path));

    *len = g->depth + 1;
    path[g->depth] = own;
    for (size_t i = g->depth; i > 0; i--, g = g->outer)
        path[i - 1] = g->name;
    return path;
}

static const struct when *with_when(struct study_file *r, const struct group *g,
                                    const struct value *v)
{
    const struct value *object = value_get(v, STR("when"));
    struct when *w;

    if (!object)
        return g->when;
    if (object->kind != VALUE_OBJECT || object->count == 0) {
        problem_at(&r->in, PROBLEM_ERROR, object,
                   "as in when: {opt: [sgd, adam]}",
                   "when must name a parameter and its values");
        return g->when;
    }
    w = arena_new_of(r->in.arena, struct when);
    *w = (struct when){object, g->prefix, g->when};
    return w;
}

static void walk_group(struct study_file *r, const struct value *object,
                       const struct group *g, struct leaves *leaves);

static void walk_nested(struct study_file *r, const struct value *v,
                        const struct group *g, struct str own, struct str name,
                        struct leaves *leaves)
{
    struct group inner = {
        .outer = g,
        .name = own,
        .prefix = str_of(arena_printf(r->in.arena, "%.*s.", STRF(name))),
        .depth = g->depth + 1,
        .when = with_when(r, g, v)};
    const struct value *object = value_get(v, STR("parameters"));
    const char *what =
        arena_printf(r->in.arena, "parameter '%.*s': parameters", STRF(name));

    for (size_t i = 0; i < v->count; i++)
        if (!str_is(v->keys[i], "parameters") && !str_is(v->keys[i], "when"))
            problem_at_key(&r->in, PROBLEM_ERROR, v, i, NULL,
                           "parameter '%.*s' holds parameters; it cannot have "
                           "'%s' too",
                           STRF(name), shown(r->in.arena, v->keys[i]));
    if (!read_object(&r->in, object, what))
        return;
    if (object->count == 0)
        problem_at(&r->in, PROBLEM_ERROR, object, NULL, "%s has nothing in it",
                   what);
    walk_group(r, object, &inner, leaves);
}

static struct leaf broken_leaf(struct study_file *r, const struct group *g,
                               struct str own, struct str name,
                               const struct value *at)
{
    struct leaf leaf = {
        .at = at, .file = r->in.file, .param = {.name = name}, .broken = true};

    leaf.param.path = path_of(r->in.arena, g, own, &leaf.param.path_len);
    return leaf;
}

/* A parameter with a mistake stays known by its name, so that what refers to
 * it is not called a mistake too. */
static void push_leaf(struct study_file *r, struct leaves *leaves,
                      struct leaf leaf)
{
    if (leaf.broken) {
        leaf.param.dist = DIST_CONSTANT;
        leaf.param.constant = value_null(r->in.arena);
    }
    vec_push(&leaves->list, leaf);
}

static void walk_leaf(struct study_file *r, const struct value *v,
                      const struct group *g, struct str own, struct str name,
                      struct leaves *leaves)
{
    struct leaf leaf = broken_leaf(r, g, own, name, v);
    const char *text = arena_cstr(r->in.arena, name);

    if (leaves->list.len >= PARAMETERS_MAX) {
        if (!leaves->too_many)
            problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                       "more than %d parameters", PARAMETERS_MAX);
        leaves->too_many = true;
        return;
    }
    leaf.when = with_when(r, g, v);
    leaf.broken = !find_dist(r, v, text, &leaf.param.dist) ||
                  !read_dist(r, v, text, &leaf.param);
    push_leaf(r, leaves, leaf);
}

static void not_an_object(struct study_file *r, const struct value *v,
                          struct str name)
{
    const char *hint = "write its values as an object, as in {min: 0, max: 1}";

    if (v->kind == VALUE_LIST)
        hint = arena_printf(r->in.arena, "write %s: {values: […]}",
                            shown(r->in.arena, name));
    else if (v->kind != VALUE_NULL)
        hint = arena_printf(r->in.arena, "write %s: {value: %s}",
                            shown(r->in.arena, name), value_words(&r->in, v));
    problem_at(&r->in, PROBLEM_ERROR, v, hint,
               "parameter '%s' must be an object", shown(r->in.arena, name));
}

static void walk_group(struct study_file *r, const struct value *object,
                       const struct group *g, struct leaves *leaves)
{
    for (size_t i = 0; i < object->count; i++) {
        const struct value *v = object->items[i];
        struct str own = object->keys[i];
        struct str name = str_of(
            arena_printf(r->in.arena, "%.*s%.*s", STRF(g->prefix), STRF(own)));

        if (!param_name_valid(own)) {
            problem_at_key(&r->in, PROBLEM_ERROR, object, i,
                           "letters, digits and _ . - after a letter or _",
                           "'%s' cannot be the name of a parameter",
                           shown(r->in.arena, own));
        } else if (v->kind != VALUE_OBJECT) {
            not_an_object(r, v, name);
            push_leaf(r, leaves, broken_leaf(r, g, own, name, v));
        } else {
            const char *what =
                arena_printf(r->in.arena, "parameter '%.*s'", STRF(name));

            read_known_keys(&r->in, v, what, param_keys);
            if (has(v, "parameters"))
                walk_nested(r, v, g, own, name, leaves);
            else
                walk_leaf(r, v, g, own, name, leaves);
        }
    }
}

/* ---- from leaves to the space ----------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;

    return str_cmp(x->param.name, y->param.name);
}

static const char **names_of(struct study_file *r, const struct space *s)
{
    const char **names = arena_array(r->in.arena, s->count + 1, sizeof(*names));

    for (size_t i = 0; i < s->count; i++)
        names[i] = arena_cstr(r->in.arena, s->params[i].name);
    return names;
}

/* A name in a `when`: the whole name, or one of the same group. */
static long find_when_name(struct study_file *r, const struct space *s,
                           const struct when *w, struct str name)
{
    long found = space_find(s, name);

    if (found < 0 && w->prefix.len > 0)
        found =
            space_find(s, str_of(arena_printf(r->in.arena, "%.*s%.*s",
                                              STRF(w->prefix), STRF(name))));
    return found;
}

static void check_possible(struct study_file *r, const struct param *other,
                           const struct value *v)
{
    struct buf b;
    const char *hint = NULL;

    if (other->dist == DIST_CONSTANT ? value_eq(other->constant, v)
                                     : param_position(other, v) >= 0)
        return;
    if (other->dist == DIST_CATEGORICAL) {
        buf_init_max(&b, 200);
        value_python_str(&b, other->values);
        if (!b.full)
            hint = arena_printf(r->in.arena, "its values are %s", b.p);
        buf_done(&b);
    }
    problem_at(&r->in, PROBLEM_ERROR, v, hint,
               "when: parameter '%.*s' never has the value %s",
               STRF(other->name), value_words(&r->in, v));
}

/* The values of one condition as a list. */
static const struct value *condition_values(struct study_file *r,
                                            const struct value *v)
{
    struct value *list;

    if (v->kind == VALUE_LIST)
        return v;
    list = value_list(r->in.arena);
    list->line = v->line;
    list->column = v->column;
    value_list_add(r->in.arena, list, value_copy(r->in.arena, v));
    list->items[0]->line = v->line;
    list->items[0]->column = v->column;
    return list;
}

static void resolve_when(struct study_file *r, const struct space *s,
                         const struct leaf *leaf, const bool *broken,
                         struct param *p)
{
    struct condition *conditions;
    size_t room = 0, n = 0;

    for (const struct when *w = leaf->when; w; w = w->outer)
        room += w->object->count;
    if (room == 0)
        return;
    conditions = arena_array(r->in.arena, room, sizeof(*conditions));
    for (const struct when *w = leaf->when; w; w = w->outer) {
        for (size_t i = 0; i < w->object->count; i++) {
            struct str name = w->object->keys[i];
            long found = find_when_name(r, s, w, name);
            const struct value *list = condition_values(r, w->object->items[i]);

            if (found < 0) {
                problem_at_key(&r->in, PROBLEM_ERROR, w->object, i,
                               hint_nearest(&r->in, name, r->param_names),
                               "when: no parameter '%s'",
                               shown(r->in.arena, name));
                continue;
            }
            if (list->count == 0)
                problem_at(&r->in, PROBLEM_ERROR, list, NULL,
                           "when: '%s' has no values, so this parameter is "
                           "never active",
                           shown(r->in.arena, name));
            for (size_t k = 0; k < list->count && !broken[found]; k++)
                check_possible(r, &s->params[found], list->items[k]);
            conditions[n++] = (struct condition){s->params[found].name, list};
        }
    }
    p->conditions = conditions;
    p->condition_count = n;
}

/* Who waits for whom: the parameters that have a condition on parameter i are
 * list[start[i]] … list[start[i + 1] - 1]. */
struct waiting {
    size_t *start, *list;
    size_t *left; /* conditions of each parameter that are not settled yet */
};

static void find_waiting(struct study_file *r, const struct space *s,
                         struct waiting *w)
{
    size_t total = 0;
    size_t *fill = arena_array(r->in.arena, s->count + 1, sizeof(*fill));

    w->start = arena_array(r->in.arena, s->count + 2, sizeof(*w->start));
    w->left = arena_array(r->in.arena, s->count + 1, sizeof(*w->left));
    for (size_t i = 0; i < s->count; i++) {
        w->left[i] = s->params[i].condition_count;
        total += w->left[i];
        for (size_t k = 0; k < w->left[i]; k++)
            w->start[space_find(s, s->params[i].conditions[k].name) + 1]++;
    }
    for (size_t i = 0; i < s->count; i++)
        w->start[i + 1] += w->start[i];
    w->list = arena_array(r->in.arena, total + 1, sizeof(*w->list));
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < s->params[i].condition_count; k++) {
            long on = space_find(s, s->params[i].conditions[k].name);

            w->list[w->start[on] + fill[on]++] = i;
        }
    }
}

/* Parameters without conditions are settled, and each settles those that
 * waited for it; what is left over at the end waits for itself. */
static void check_cycles(struct study_file *r, const struct space *s)
{
    size_t *settled = arena_array(r->in.arena, s->count + 1, sizeof(*settled));
    struct waiting w;
    size_t count = 0;

    find_waiting(r, s, &w);
    for (size_t i = 0; i < s->count; i++)
        if (w.left[i] == 0)
            settled[count++] = i;
    for (size_t at = 0; at < count; at++) {
        size_t on = settled[at];

        for (size_t k = w.start[on]; k < w.start[on + 1]; k++)
            if (--w.left[w.list[k]] == 0)
                settled[count++] = w.list[k];
    }
    for (size_t i = 0; i < s->count; i++)
        if (w.left[i] > 0)
            problem_at_param(r, PROBLEM_ERROR, i, NULL,
                             "when: parameter '%.*s' depends on itself",
                             STRF(s->params[i].name));
}

/* The names in the order of the file. */
static const struct str *names_written(struct study_file *r,
                                       const struct leaves *leaves)
{
    size_t n = leaves->list.len;
    struct str *names = arena_array(r->in.arena, n, sizeof(*names));
    for (size_t i = 0; i < n; i++)
        names[i] = leaves->list.p[i].param.name;
    return names;
}

static void build_space(struct study_file *r, struct leaves *leaves)
{
    size_t n = leaves->list.len;
    struct param *params = arena_array(r->in.arena, n, sizeof(*params));
    bool *broken = arena_array(r->in.arena, n, sizeof(*broken));
    struct space *s = &r->plan->space;

    r->param_at = arena_array(r->in.arena, n, sizeof(*r->param_at));
    r->param_file = arena_array(r->in.arena, n, sizeof(*r->param_file));
    r->plan->written = names_written(r, leaves);
    if (n > 0)
        qsort(leaves->list.p, n, sizeof(*leaves->list.p), by_name);
    for (size_t i = 0; i < n; i++) {
        const struct leaf *leaf = &leaves->list.p[i];

        params[i] = leaf->param;
        r->param_at[i] = leaf->at;
        r->param_file[i] = leaf->file;
        broken[i] = leaf->broken;
        if (i > 0 && str_eq(params[i - 1].name, params[i].name))
            problem_at_param(r, PROBLEM_ERROR, i, NULL,
                             "parameter '%.*s' is declared twice, once nested",
                             STRF(params[i].name));
    }
    *s = (struct space){.params = params, .count = n};
    r->param_names = names_of(r, s);
    for (size_t i = 0; i < n; i++)
        resolve_when(r, s, &leaves->list.p[i], broken, &params[i]);
    check_cycles(r, s);
}

/* The parameters of a file that holds a space; what the study itself says of
 * one of them counts instead. */
static void walk_space_file(struct study_file *r, const struct value *said,
                            struct leaves *leaves)
{
    const struct value *object = r->plan->space_file->parameters;
    struct value *rest = value_object(r->in.arena);
    struct group top = {.prefix = STR("")};
    struct str study = r->in.file;

    for (size_t i = 0; i < object->count; i++)
        if (value_index(said, object->keys[i]) < 0)
            value_add_at(r->in.arena, rest, object->keys[i], object->items[i],
                         object->items[i]->line, object->items[i]->column);
    r->in.file = r->plan->space_file->file;
    walk_group(r, rest, &top, leaves);
    r->in.file = study;
}

void read_parameters(struct study_file *r, const struct value *v)
{
    struct leaves leaves = {0};
    struct group top = {.prefix = STR("")};

    if (v && !read_object(&r->in, v, "parameters"))
        return;
    if (v)
        walk_group(r, v, &top, &leaves);
    if (r->plan->space_file)
        walk_space_file(r, v, &leaves);
    build_space(r, &leaves);
    vec_done(&leaves.list);
}

/* ---- after all keys --------------------------------------------------- */

/* The variable THRONG_P_<variable> belongs to the first name that asks. */
static void claim_variable(struct study_file *r, struct map *seen,
                           struct str name, const struct value *at)
{
    char *variable = arena_cstr(r->in.arena, name);
    struct str *slot;

    for (char *p = variable; *p; p++)
        if (*p == '.' || *p == '-')
            *p = '_';
    slot = map_get(seen, str_of(variable));
    if (!slot) {
        slot = arena_new_of(r->in.arena, struct str);
        *slot = name;
        map_set(seen, str_of(variable), slot);
    } else if (!str_eq(*slot, name)) {
        problem_at(&r->in, PROBLEM_ERROR, at, "rename one",
                   "parameters '%.*s' and '%.*s' would both be THRONG_P_%s",
                   STRF(*slot), STRF(name), variable);
    }
}

/* THRONG_P_<name> of two different names must differ. The names of the space
 * and, when they are there, of the points. */
static void check_names_apart(struct study_file *r)
{
    const struct space *s = &r->plan->space;
    struct map *seen = map_new();
    const struct str *names;
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++) {
        r->in.file = r->param_file[i];
        claim_variable(r, seen, s->params[i].name, r->param_at[i]);
        if (s->params[i].path_len > 1)
            claim_variable(r, seen, s->params[i].path[0], r->param_at[i]);
        r->in.file = r->plan->file;
    }
    if (r->plan->points) {
        names = points_names(r->plan->points, r->in.arena, &count);
        for (size_t i = 0; i < count; i++)
            claim_variable(r, seen, names[i],
                           value_get(r->root, STR("points")));
    }
    map_free(seen);
}

/* Words that mean something where trials are listed and filtered. */
static void warn_reserved(struct study_file *r)
{
    static const char *const reserved[] = {
        "trial", "state", "attempt", "attempts", "seconds", "step",
        "tag",   "note",  "host",    "and",      "or",      "not",
        "in",    "true",  "false",   "null",     NULL};
    const struct space *s = &r->plan->space;

    for (size_t i = 0; i < s->count; i++) {
        if (str_among(s->params[i].name, reserved))
            problem_at_param(r, PROBLEM_WARNING, i,
                             "in a filter, write it as params.NAME",
                             "parameter '%.*s' is named like a word of ours",
                             STRF(s->params[i].name));
        if (str_eq(s->params[i].name, r->plan->metric.name))
            problem_at_param(r, PROBLEM_WARNING, i, NULL,
                             "parameter '%.*s' is named like the metric",
                             STRF(s->params[i].name));
    }
}

static void check_grid(struct study_file *r)
{
    const struct space *s = &r->plan->space;
    struct err err = {0};
    bool fits = s->count > 0;

    for (size_t i = 0; i < s->count; i++) {
        const char *why = "";

        if (param_grid_count(&s->params[i], &why) > 0)
            continue;
        fits = false;
        problem_at_param(r, PROBLEM_ERROR, i,
                         "use values or whole numbers, or another method",
                         "parameter '%.*s' cannot be in a grid: %s",
                         STRF(s->params[i].name), why);
    }
    if (fits && r->in.problems->errors == 0 && space_grid_count(s, &err) == 0)
        problem_whole(&r->in, PROBLEM_ERROR, NULL, "%s", err.text);
}

void check_parameters(struct study_file *r)
{
    check_names_apart(r);
    warn_reserved(r);
    if (r->plan->strategy->exhausts)
        check_grid(r);
}
