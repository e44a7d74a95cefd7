/* space.c - parameters together: conditions, points, random points */
#include "terms/space.h"

#include <stdlib.h>
#include "base/chars.h"

long space_find(const struct space *s, struct str name)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = str_cmp(s->params[mid].name, name);
        if (order == 0)
            return (long)mid;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return -1;
}

static bool has_conditions(const struct space *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->params[i].condition_count)
            return true;
    return false;
}

/* True when every parameter that i's conditions name is in the order. */
static bool ready(const struct space *s, size_t i, const bool *placed)
{
    const struct param *p = &s->params[i];
    for (size_t c = 0; c < p->condition_count; c++)
        if (!placed[space_find(s, p->conditions[c].name)])
            return false;
    return true;
}

static int check_names(const struct space *s, struct err *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct param *p = &s->params[i];
        for (size_t c = 0; c < p->condition_count; c++) {
            struct str name = p->conditions[c].name;
            if (space_find(s, name) < 0)
                return err_set(err, ERR_INPUT,
                               "%.*s depends on '%.*s', which is no parameter",
                               STRF(p->name), STRF(name));
        }
    }
    return 0;
}

/* Of the parameters that are ready the first by name goes first, so that
 * without conditions the order is that of the names. */
int space_order(const struct space *s, size_t *order, struct err *err)
{
    if (check_names(s, err))
        return -1;
    bool *placed = xcalloc(s->count + 1, sizeof(*placed));
    size_t count = 0, first = 0;
    while (count < s->count) {
        while (placed[first])
            first++;
        size_t i = first;
        while (i < s->count && (placed[i] || !ready(s, i, placed)))
            i++;
        if (i == s->count)
            break;
        placed[i] = true;
        order[count++] = i;
    }
    free(placed);
    if (count < s->count)
        return err_set(err, ERR_INPUT,
                       "%.*s depends, through its conditions, on itself",
                       STRF(s->params[first].name));
    return 0;
}

static bool holds(const struct condition *c, const struct value *v)
{
    for (size_t i = 0; i < c->values->count; i++)
        if (value_eq(c->values->items[i], v))
            return true;
    return false;
}

bool space_active(const struct space *s, size_t i, struct value *const *values)
{
    const struct param *p = &s->params[i];
    for (size_t c = 0; c < p->condition_count; c++) {
        long on = space_find(s, p->conditions[c].name);
        if (on < 0 || !values[on] || !holds(&p->conditions[c], values[on]))
            return false;
    }
    return true;
}

static void point_put(struct value *point, const struct param *p,
                      struct value *v, struct arena *a)
{
    for (size_t i = 0; i + 1 < p->path_len; i++) {
        struct value *inner = value_get(point, p->path[i]);
        if (!inner) {
            inner = value_object(a);
            value_set(a, point, p->path[i], inner);
        }
        require(inner->kind == VALUE_OBJECT);
        point = inner;
    }
    value_set(a, point, p->path[p->path_len - 1], v);
}

struct value *space_point(const struct space *s, struct value *const *values,
                          struct arena *a)
{
    struct value *point = value_object(a);
    for (size_t i = 0; i < s->count; i++)
        if (values[i])
            point_put(point, &s->params[i], values[i], a);
    return point;
}

struct value *point_get(const struct value *point, const struct param *p)
{
    struct value *v = value_get(point, p->path[0]);
    for (size_t i = 1; v && i < p->path_len; i++)
        v = value_get(v, p->path[i]);
    return v;
}

struct value *space_sample(const struct space *s, struct rng *r,
                           struct arena *a)
{
    double *u = arena_array(a, s->count, sizeof(*u));
    struct value **values = arena_array(a, s->count, sizeof(*values));
    size_t *order = NULL;
    for (size_t i = 0; i < s->count; i++)
        u[i] = rng_uniform(r);
    if (has_conditions(s)) {
        order = arena_array(a, s->count, sizeof(*order));
        require(space_order(s, order, NULL) == 0);
    }
    for (size_t k = 0; k < s->count; k++) {
        size_t i = order ? order[k] : k;
        if (space_active(s, i, values))
            values[i] = param_at(&s->params[i], u[i], a);
    }
    return space_point(s, values, a);
}

bool param_name_valid(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool later = is_digit(c) || c == '.' || c == '-';

        if (!(later ? i > 0 : is_word(c)))
            return false;
    }
    return name.len > 0;
}
