/* space_text.c - the text form of a space
 *
 * {"version":1,"parameters":[{"name":"opt.lr","path":["opt","lr"],
 *  "distribution":"uniform","min":0.0,"max":1.0,
 *  "when":[{"name":"opt.kind","values":["adam"]}]}]}
 *
 * `path` is left out where it is just the name. Reading checks everything
 * that the other functions rely on. */
#include "terms/space.h"

#include <math.h>
#include <stdlib.h>

enum { SPACE_VERSION = 1 };

/* What a distribution is described by. */
enum uses {
    USES_BOUNDS = 1,
    USES_NORMAL = 2,
    USES_BETA = 4,
    USES_Q = 8,
    USES_POSITIVE = 16, /* bounds are above 0 */
    USES_INTEGERS = 32, /* bounds are integers */
};

static const unsigned char uses[DIST_COUNT] = {
    [DIST_INT_UNIFORM] = USES_BOUNDS | USES_INTEGERS,
    [DIST_UNIFORM] = USES_BOUNDS,
    [DIST_Q_UNIFORM] = USES_BOUNDS | USES_Q,
    [DIST_LOG_UNIFORM] = USES_BOUNDS,
    [DIST_Q_LOG_UNIFORM] = USES_BOUNDS | USES_Q,
    [DIST_LOG_UNIFORM_VALUES] = USES_BOUNDS | USES_POSITIVE,
    [DIST_Q_LOG_UNIFORM_VALUES] = USES_BOUNDS | USES_Q | USES_POSITIVE,
    [DIST_INV_LOG_UNIFORM] = USES_BOUNDS,
    [DIST_INV_LOG_UNIFORM_VALUES] = USES_BOUNDS | USES_POSITIVE,
    [DIST_NORMAL] = USES_NORMAL,
    [DIST_Q_NORMAL] = USES_NORMAL | USES_Q,
    [DIST_LOG_NORMAL] = USES_NORMAL,
    [DIST_Q_LOG_NORMAL] = USES_NORMAL | USES_Q,
    [DIST_BETA] = USES_BETA,
    [DIST_Q_BETA] = USES_BETA | USES_Q,
};

static void put(struct arena *a, struct value *object, const char *key,
                struct value *v)
{
    value_set(a, object, str_of(key), v);
}

static struct value *path_to_value(const struct param *p, struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < p->path_len; i++)
        value_list_add(a, list, value_string(a, p->path[i]));
    return list;
}

static struct value *when_to_value(const struct param *p, struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < p->condition_count; i++) {
        struct value *c = value_object(a);
        put(a, c, "name", value_string(a, p->conditions[i].name));
        put(a, c, "values", value_copy(a, p->conditions[i].values));
        value_list_add(a, list, c);
    }
    return list;
}

static void put_numbers(const struct param *p, struct value *v, struct arena *a)
{
    unsigned u = uses[p->dist];
    if (u & USES_BOUNDS) {
        put(a, v, "min", value_double(a, p->min));
        put(a, v, "max", value_double(a, p->max));
    }
    if (u & USES_NORMAL) {
        put(a, v, "mu", value_double(a, p->mu));
        put(a, v, "sigma", value_double(a, p->sigma));
    }
    if (u & USES_BETA) {
        put(a, v, "a", value_double(a, p->a));
        put(a, v, "b", value_double(a, p->b));
    }
    if (u & USES_Q)
        put(a, v, "q",
            p->q_integer ? value_int(a, (int64_t)p->q) : value_double(a, p->q));
}

static void put_values(const struct param *p, struct value *v, struct arena *a)
{
    put(a, v, "values", value_copy(a, p->values));
    if (p->ordered)
        put(a, v, "ordered", value_bool(a, true));
    if (!p->probabilities)
        return;
    struct value *list = value_list(a);
    for (size_t i = 0; i < p->values->count; i++)
        value_list_add(a, list, value_double(a, p->probabilities[i]));
    put(a, v, "probabilities", list);
}

static struct value *param_to_value(const struct param *p, struct arena *a)
{
    struct value *v = value_object(a);
    put(a, v, "name", value_string(a, p->name));
    if (p->path_len != 1 || !str_eq(p->path[0], p->name))
        put(a, v, "path", path_to_value(p, a));
    put(a, v, "distribution", value_string(a, str_of(dist_name(p->dist))));
    if (p->dist == DIST_CONSTANT)
        put(a, v, "value", value_copy(a, p->constant));
    else if (p->dist == DIST_CATEGORICAL)
        put_values(p, v, a);
    else
        put_numbers(p, v, a);
    if (p->condition_count)
        put(a, v, "when", when_to_value(p, a));
    return v;
}

struct value *space_to_value(const struct space *s, struct arena *a)
{
    struct value *v = value_object(a), *list = value_list(a);
    put(a, v, "version", value_int(a, SPACE_VERSION));
    put(a, v, "parameters", list);
    for (size_t i = 0; i < s->count; i++)
        value_list_add(a, list, param_to_value(&s->params[i], a));
    return v;
}

static int wrong(const struct param *p, const char *what, struct err *err)
{
    return err_set(err, ERR_CORRUPT, "parameter '%.*s': %s", STRF(p->name),
                   what);
}

/* A finite number of the object, or NaN. */
static double number(const struct value *v, const char *key)
{
    double x = value_number(value_get(v, str_of(key)));
    return isfinite(x) ? x : NAN;
}

static int read_bounds(struct param *p, const struct value *v, struct err *err)
{
    unsigned u = uses[p->dist];
    p->min = number(v, "min");
    p->max = number(v, "max");
    if (!(p->min <= p->max))
        return wrong(p, "it needs a min and a max, min the smaller", err);
    if (u & USES_POSITIVE && !(p->min > 0))
        return wrong(p, "min must be above 0", err);
    bool whole = p->min == floor(p->min) && p->max == floor(p->max) &&
                 fabs(p->min) <= 0x1p53 && fabs(p->max) <= 0x1p53;
    if (u & USES_INTEGERS && !whole)
        return wrong(p, "min and max must be integers below 2^53", err);
    return 0;
}

static int read_q(struct param *p, const struct value *v, struct err *err)
{
    const struct value *q = value_get(v, STR("q"));
    p->q = number(v, "q");
    if (!(p->q > 0))
        return wrong(p, "q must be above 0", err);
    p->q_integer = q->kind == VALUE_INT;
    return 0;
}

static int read_numbers(struct param *p, const struct value *v, struct err *err)
{
    unsigned u = uses[p->dist];
    if (u & USES_BOUNDS && read_bounds(p, v, err))
        return -1;
    if (u & USES_NORMAL) {
        p->mu = number(v, "mu");
        p->sigma = number(v, "sigma");
        if (isnan(p->mu) || !(p->sigma > 0))
            return wrong(p, "it needs mu, and a sigma above 0", err);
    }
    if (u & USES_BETA) {
        p->a = number(v, "a");
        p->b = number(v, "b");
        if (!(p->a > 0) || !(p->b > 0))
            return wrong(p, "it needs a and b, both above 0", err);
    }
    return u & USES_Q ? read_q(p, v, err) : 0;
}

static int read_probabilities(struct param *p, const struct value *list,
                              struct arena *a, struct err *err)
{
    double total = 0;
    if (list->kind != VALUE_LIST || list->count != p->values->count)
        return wrong(p, "it needs as many probabilities as values", err);
    double *probabilities = arena_array(a, list->count, sizeof(double));
    for (size_t i = 0; i < list->count; i++) {
        double x = value_number(list->items[i]);
        if (!(x >= 0) || !isfinite(x))
            return wrong(p, "a probability is not a number above 0", err);
        total += probabilities[i] = x;
    }
    if (!(total > 0) || !isfinite(total))
        return wrong(p, "its probabilities do not add up to 1", err);
    p->probabilities = probabilities;
    return 0;
}

static int read_values(struct param *p, const struct value *v, struct arena *a,
                       struct err *err)
{
    const struct value *values = value_get(v, STR("values"));
    const struct value *list = value_get(v, STR("probabilities"));
    const struct value *ordered = value_get(v, STR("ordered"));
    p->ordered = ordered && ordered->kind == VALUE_BOOL && ordered->boolean;
    if (!values || values->kind != VALUE_LIST || !values->count)
        return wrong(p, "it needs a list of values", err);
    p->values = value_copy(a, values);
    return list ? read_probabilities(p, list, a, err) : 0;
}

static int read_when(struct param *p, const struct value *when, struct arena *a,
                     struct err *err)
{
    if (when->kind != VALUE_LIST)
        return wrong(p, "its conditions are no list", err);
    struct condition *conditions =
        arena_array(a, when->count, sizeof(*conditions));
    for (size_t i = 0; i < when->count; i++) {
        const struct value *name = value_get(when->items[i], STR("name"));
        const struct value *values = value_get(when->items[i], STR("values"));
        if (!name || name->kind != VALUE_STRING || !values ||
            values->kind != VALUE_LIST)
            return wrong(p, "a condition needs a name and values", err);
        conditions[i].name = arena_str(a, name->s);
        conditions[i].values = value_copy(a, values);
    }
    p->conditions = conditions;
    p->condition_count = when->count;
    return 0;
}

static int read_path(struct param *p, const struct value *path, struct arena *a,
                     struct err *err)
{
    size_t count = path ? path->count : 1;
    if (path && (path->kind != VALUE_LIST || !count))
        return wrong(p, "its path is no list of names", err);
    struct str *names = arena_array(a, count, sizeof(*names));
    names[0] = p->name;
    for (size_t i = 0; path && i < count; i++) {
        if (path->items[i]->kind != VALUE_STRING || !path->items[i]->s.len)
            return wrong(p, "its path is no list of names", err);
        names[i] = arena_str(a, path->items[i]->s);
    }
    p->path = names;
    p->path_len = count;
    return 0;
}

static int read_param(struct param *p, const struct value *v, struct arena *a,
                      struct err *err)
{
    *p = (struct param){0};
    struct str name = value_text(value_get(v, STR("name")));
    if (!name.len)
        return err_set(err, ERR_CORRUPT, "a parameter has no name");
    p->name = arena_str(a, name);
    struct str dist = value_text(value_get(v, STR("distribution")));
    if (!dist_parse(dist, &p->dist))
        return wrong(p, "its distribution is not known", err);
    if (read_path(p, value_get(v, STR("path")), a, err))
        return -1;
    const struct value *when = value_get(v, STR("when"));
    if (when && read_when(p, when, a, err))
        return -1;
    if (p->dist == DIST_CATEGORICAL)
        return read_values(p, v, a, err);
    if (p->dist != DIST_CONSTANT)
        return read_numbers(p, v, err);
    const struct value *constant = value_get(v, STR("value"));
    if (!constant)
        return wrong(p, "it needs a value", err);
    p->constant = value_copy(a, constant);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    const struct param *x = a, *y = b;
    return str_cmp(x->name, y->name);
}

/* True when one path starts with the other, so that a point cannot hold
 * both. */
static bool paths_clash(const struct param *a, const struct param *b)
{
    size_t len = a->path_len < b->path_len ? a->path_len : b->path_len;
    for (size_t i = 0; i < len; i++)
        if (!str_eq(a->path[i], b->path[i]))
            return false;
    return true;
}

static int check_space(const struct space *s, struct arena *a, struct err *err)
{
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (str_eq(s->params[i].name, s->params[i + 1].name))
            return wrong(&s->params[i], "there are two of that name", err);
        for (size_t j = i + 1; j < s->count; j++)
            if (paths_clash(&s->params[i], &s->params[j]))
                return wrong(&s->params[i], "it is both a value and an object",
                             err);
    }
    size_t *order = arena_array(a, s->count, sizeof(*order));
    return space_order(s, order, err);
}

static int check_version(const struct value *v, struct err *err)
{
    const struct value *version = value_get(v, STR("version"));
    if (!version || version->kind != VALUE_INT || version->i < 1)
        return err_set(err, ERR_CORRUPT, "a stored space has no version");
    if (version->i > SPACE_VERSION)
        return err_set(err, ERR_CORRUPT,
                       "a stored space has version %lld, this program knows "
                       "versions up to %d: use a newer throng",
                       (long long)version->i, SPACE_VERSION);
    return 0;
}

int space_from_value(struct space *s, const struct value *v, struct arena *a,
                     struct err *err)
{
    if (check_version(v, err))
        return -1;
    const struct value *list = value_get(v, STR("parameters"));
    if (!list || list->kind != VALUE_LIST)
        return err_set(err, ERR_CORRUPT, "a stored space has no parameters");
    struct param *params = arena_array(a, list->count, sizeof(*params));
    for (size_t i = 0; i < list->count; i++)
        if (read_param(&params[i], list->items[i], a, err))
            return -1;
    if (list->count)
        qsort(params, list->count, sizeof(*params), compare_names);
    struct space read = {params, list->count};
    if (check_space(&read, a, err))
        return -1;
    *s = read;
    return 0;
}
