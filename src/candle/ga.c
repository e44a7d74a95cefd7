/* ga.c - search spaces of CANDLE's GA and PBT workflows
 *
 * A JSON list of objects, one for each parameter: name, type, and what the
 * type needs. Numbers may be quoted. Keys that mean nothing (a comment) are
 * passed over, as CANDLE does; an unknown type is not. */
#include "candle/space.h"

#include <math.h>
#include "base/num.h"

static const char *const entry_keys[] = {"name",   "type",         "value",
                                         "values", "element_type", "lower",
                                         "upper",  "sigma",        NULL};

/* One entry of the list. */
struct entry {
    struct space_reading *space;
    const struct value *object;
    const char *name; /* for messages */
};

static struct value *get(const struct entry *e, const char *key)
{
    struct reading *r = &e->space->reading;
    struct value *v = value_get(e->object, str_of(key));

    if (!v)
        problem_at(r, PROBLEM_ERROR, e->object, NULL,
                   "parameter '%s' lacks its %s", e->name, key);
    return v;
}

/* A number, also as text; the value itself when it is one already. */
static struct value *number_of(struct space_reading *s, struct value *v)
{
    struct value *n = NULL;
    int64_t i;
    double d;

    if (value_is_number(v))
        return v;
    if (v->kind == VALUE_STRING && num_int(str_trim(v->s), &i))
        n = value_int(s->reading.arena, i);
    else if (v->kind == VALUE_STRING && num_double(str_trim(v->s), &d))
        n = value_double(s->reading.arena, d);
    if (n) {
        n->line = v->line;
        n->column = v->column;
    }
    return n;
}

static struct value *get_number(const struct entry *e, const char *key)
{
    struct reading *r = &e->space->reading;
    struct value *v = get(e, key), *n = v ? number_of(e->space, v) : NULL;

    if (v && !n)
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "parameter '%s': %s must be a number, not %s", e->name, key,
                   value_words(r, v));
    return n;
}

/* The step of a mutation, by default a tenth of the width. */
static bool add_sigma(const struct entry *e, double width)
{
    struct space_reading *s = e->space;
    struct reading *r = &s->reading;
    struct value *v = value_get(e->object, STR("sigma"));
    struct value *n = v ? number_of(s, v) : NULL;
    double sigma = v ? value_number(n) : width / 10;

    if (v && !(sigma >= 0 && isfinite(sigma))) {
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "parameter '%s': sigma must be a number of at least 0, not "
                   "%s",
                   e->name, value_words(r, v));
        return false;
    }
    value_add_at(r->arena, s->sigma, value_get(e->object, STR("name"))->s,
                 value_double(r->arena, sigma), 0, 0);
    return true;
}

/* ---- one type each ---------------------------------------------------- */

static struct value *read_constant(const struct entry *e)
{
    struct value *v = get(e, "value"), *param;

    if (!v)
        return NULL;
    param = space_param(e->space, e->object);
    space_put(e->space, param, "value", v, v);
    return param;
}

static bool is_whole(const struct value *v)
{
    double d = value_number(v);

    return d == floor(d) && fabs(d) <= 0x1p53;
}

static struct value *whole(struct space_reading *s, struct value *v)
{
    struct value *i = value_int(s->reading.arena, (int64_t)value_number(v));

    i->line = v->line;
    i->column = v->column;
    return i;
}

static struct value *read_range(const struct entry *e, bool integers)
{
    struct space_reading *s = e->space;
    struct reading *r = &s->reading;
    struct value *low = get_number(e, "lower"), *high = get_number(e, "upper");
    struct value *bad;

    if (!low || !high)
        return NULL;
    if (value_number(low) > value_number(high)) {
        problem_at(r, PROBLEM_ERROR, low, "exchange them",
                   "parameter '%s': lower is above upper", e->name);
        return NULL;
    }
    bad = !is_whole(low) ? low : !is_whole(high) ? high : NULL;
    if (integers && bad) {
        problem_at(r, PROBLEM_ERROR, bad, "or write \"type\": \"float\"",
                   "parameter '%s': a bound of type int must be a whole "
                   "number, not %s",
                   e->name, value_words(r, bad));
        return NULL;
    }
    if (value_number(low) < value_number(high) &&
        !add_sigma(e, value_number(high) - value_number(low)))
        return NULL;
    if (integers)
        return space_integers(s, whole(s, low), whole(s, high), e->object);
    return space_reals(s, "uniform", low, high, e->object);
}

static struct value *read_int_range(const struct entry *e)
{
    return read_range(e, true);
}

static struct value *read_float_range(const struct entry *e)
{
    return read_range(e, false);
}

static struct value *read_logical(const struct entry *e)
{
    struct arena *a = e->space->reading.arena;
    struct value *list = value_list(a);

    list->line = e->object->line;
    list->column = e->object->column;
    value_list_add(a, list, value_bool(a, false));
    value_list_add(a, list, value_bool(a, true));
    return space_choice(e->space, list, e->object);
}

static const char *const element_types[] = {"int", "float", "string", "logical",
                                            NULL};

/* The value as its element_type has it, or NULL. */
static struct value *element(struct space_reading *s, struct value *v, int type)
{
    struct value *n = type < 2 ? number_of(s, v) : NULL;

    switch (type) {
    case 0:
        if (!n || !is_whole(n))
            return NULL;
        return n->kind == VALUE_INT ? n : whole(s, n);
    case 1:
        return n;
    case 2:
        return v->kind == VALUE_STRING ? v : NULL;
    default:
        return v->kind == VALUE_BOOL ? v : NULL;
    }
}

/* The list of values, each as element_type says; NULL when one is not. */
static struct value *read_list(const struct entry *e)
{
    struct reading *r = &e->space->reading;
    struct value *said = value_get(e->object, STR("element_type"));
    struct value *list = get(e, "values"), *out = value_list(r->arena), *v;
    int type = -1;

    if (said &&
        (type = read_choice(r, said, "element_type", element_types)) < 0)
        return NULL;
    if (!list)
        return NULL;
    if (list->kind != VALUE_LIST || list->count == 0) {
        problem_at(r, PROBLEM_ERROR, list, "as in [16, 32, 64]",
                   "parameter '%s': values must be a list with something in "
                   "it",
                   e->name);
        return NULL;
    }
    out->line = list->line;
    out->column = list->column;
    for (size_t i = 0; i < list->count; i++) {
        v = list->items[i];
        if (type >= 0)
            v = element(e->space, v, type);
        if (!v) {
            problem_at(r, PROBLEM_ERROR, list->items[i], NULL,
                       "parameter '%s': %s is not of element_type %s", e->name,
                       value_words(r, list->items[i]), element_types[type]);
            return NULL;
        }
        value_list_add(r->arena, out, v);
    }
    return out;
}

static struct value *read_categorical(const struct entry *e)
{
    struct value *list = read_list(e);

    return list ? space_choice(e->space, list, e->object) : NULL;
}

static struct value *read_ordered(const struct entry *e)
{
    struct value *list = read_list(e), *param;
    struct arena *a = e->space->reading.arena;

    if (!list)
        return NULL;
    param = space_choice(e->space, list, e->object);
    if (list->count == 1)
        return param;
    if (!add_sigma(e, (double)list->count))
        return NULL;
    space_put(e->space, param, "ordered", value_bool(a, true), e->object);
    return param;
}

static const struct {
    const char *name;
    struct value *(*read)(const struct entry *e);
    const char *uses[4]; /* besides name and type */
} types[] = {
    {"constant", read_constant, {"value"}},
    {"int", read_int_range, {"lower", "upper", "sigma"}},
    {"float", read_float_range, {"lower", "upper", "sigma"}},
    {"logical", read_logical, {NULL}},
    {"categorical", read_categorical, {"values", "element_type"}},
    {"ordered", read_ordered, {"values", "element_type", "sigma"}},
};
#define TYPES (sizeof(types) / sizeof(types[0]))

/* ---- the list --------------------------------------------------------- */

static bool uses(size_t type, struct str key)
{
    for (size_t i = 0; i < 4 && types[type].uses[i]; i++)
        if (str_is(key, types[type].uses[i]))
            return true;
    return str_is(key, "name") || str_is(key, "type");
}

/* A key that the type has no use for, or that nearly is one. */
static void warn_keys(const struct entry *e, size_t type)
{
    struct reading *r = &e->space->reading;

    for (size_t i = 0; i < e->object->count; i++) {
        struct str key = e->object->keys[i];
        const char *near = str_nearest(key, entry_keys);

        if (!near || uses(type, key))
            continue;
        problem_at_key(r, PROBLEM_WARNING, e->object, i,
                       str_is(key, near)
                           ? NULL
                           : arena_printf(r->arena, "did you mean '%s'?", near),
                       "parameter '%s': '%s' means nothing for type %s",
                       e->name, shown(r->arena, key), types[type].name);
    }
}

static size_t find_type(struct reading *r, const struct value *v)
{
    const char *names[TYPES + 1] = {0};
    int found;

    for (size_t i = 0; i < TYPES; i++)
        names[i] = types[i].name;
    found = read_choice(r, v, "type", names);
    return found < 0 ? TYPES : (size_t)found;
}

static void read_entry(struct space_reading *s, const struct value *object)
{
    struct reading *r = &s->reading;
    const struct value *name = value_get(object, STR("name"));
    const struct value *type = value_get(object, STR("type"));
    struct entry e = {.space = s, .object = object};
    size_t found;

    if (object->kind != VALUE_OBJECT || !name || !type) {
        problem_at(r, PROBLEM_ERROR, object,
                   "as in {\"name\": \"epochs\", \"type\": \"int\", "
                   "\"lower\": 1, \"upper\": 5}",
                   object->kind != VALUE_OBJECT ? "a parameter must be an "
                                                  "object"
                   : name                       ? "a parameter lacks its type"
                                                : "a parameter lacks its name");
        return;
    }
    if (name->kind != VALUE_STRING || name->s.len == 0) {
        problem_at(r, PROBLEM_ERROR, name, NULL,
                   "the name of a parameter must be text, not %s",
                   value_words(r, name));
        return;
    }
    e.name = shown(r->arena, name->s);
    found = find_type(r, type);
    if (found == TYPES)
        return;
    warn_keys(&e, found);
    space_add(s, name, types[found].read(&e));
}

void space_read_ga(struct space_reading *s)
{
    struct value *list = space_json(s);

    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        read_entry(s, list->items[i]);
}
