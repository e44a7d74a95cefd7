/* point_space.c - the space that a list of points covers
 *
 * A list says no ranges, but its columns are parameters all the same: numbers
 * reach from the least to the greatest that is there, anything else is a
 * choice between the values that are. */
#include <math.h>
#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"
#include "study/point_space.h"

enum {
    MOST_CHOICES = 32, /* of more different words each says too little */
    FEW_NUMBERS = 8,   /* up to so many are choices with a line each */
    WIDE = 100         /* the greatest so many times the least: logarithmic */
};

struct column {
    struct str name;
    struct str *path;
    size_t path_len;
    struct value *values; /* different ones: at most one more than choices */
    bool numbers, whole;  /* all of them are */
    double min, max;
};

struct point_space {
    struct arena *arena;
    struct map *by_name;
    VEC(struct column *) columns;
    VEC(struct str) path; /* to the value that is being looked at */
};

struct point_space *point_space_new(struct arena *a)
{
    struct point_space *p = xcalloc(1, sizeof(*p));
    p->arena = a;
    p->by_name = map_new();
    return p;
}

void point_space_free(struct point_space *p)
{
    if (!p)
        return;
    map_free(p->by_name);
    vec_done(&p->columns);
    vec_done(&p->path);
    free(p);
}

/* ---- looking at points ------------------------------------------------ */

static struct column *column_at_path(struct point_space *p)
{
    struct buf name;
    buf_init(&name);
    for (size_t i = 0; i < p->path.len; i++)
        buf_addf(&name, "%s%.*s", i ? "." : "", STRF(p->path.p[i]));
    struct column *c = map_get(p->by_name, buf_str(&name));
    if (!c) {
        c = arena_new_of(p->arena, struct column);
        c->name = arena_str(p->arena, buf_str(&name));
        c->path = arena_array(p->arena, p->path.len, sizeof(*c->path));
        for (size_t i = 0; i < p->path.len; i++)
            c->path[i] = arena_str(p->arena, p->path.p[i]);
        c->path_len = p->path.len;
        c->values = value_list(p->arena);
        c->numbers = c->whole = true;
        c->min = INFINITY;
        c->max = -INFINITY;
        map_set(p->by_name, c->name, c);
        vec_push(&p->columns, c);
    }
    buf_done(&name);
    return c;
}

/* null is an empty cell: the point has no such parameter. */
static void look_at_value(struct point_space *p, const struct value *v)
{
    if (v->kind == VALUE_NULL)
        return;
    struct column *c = column_at_path(p);
    c->numbers &= value_is_number(v) && isfinite(value_number(v));
    c->whole &= v->kind == VALUE_INT;
    c->min = fmin(c->min, value_number(v));
    c->max = fmax(c->max, value_number(v));
    for (size_t i = 0; i < c->values->count; i++)
        if (value_eq(c->values->items[i], v))
            return;
    if (c->values->count <= MOST_CHOICES)
        value_list_add(p->arena, c->values, value_copy(p->arena, v));
}

void point_space_add(struct point_space *p, const struct value *point)
{
    for (size_t i = 0; i < point->count; i++) {
        const struct value *v = point->items[i];
        vec_push(&p->path, point->keys[i]);
        if (v->kind == VALUE_OBJECT && v->count)
            point_space_add(p, v);
        else
            look_at_value(p, v);
        p->path.len--;
    }
}

/* ---- the space -------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
    return value_cmp(*(struct value *const *)x, *(struct value *const *)y);
}

static enum dist range_of(const struct column *c)
{
    bool wide = c->min > 0 && c->max >= WIDE * c->min;
    if (c->whole)
        return wide ? DIST_Q_LOG_UNIFORM_VALUES : DIST_INT_UNIFORM;
    return wide ? DIST_LOG_UNIFORM_VALUES : DIST_UNIFORM;
}

static struct param param_of(const struct column *c)
{
    struct value *all = c->values;
    struct param p = {.name = c->name,
                      .path = c->path,
                      .path_len = c->path_len,
                      .dist = DIST_CATEGORICAL,
                      .values = all,
                      .constant = all->items[0],
                      .min = c->min,
                      .max = c->max,
                      .q = 1,
                      .q_integer = true};
    if (all->count == 1)
        p.dist = DIST_CONSTANT;
    else if (c->numbers && all->count > FEW_NUMBERS)
        p.dist = range_of(c);
    else
        qsort(all->items, all->count, sizeof(*all->items), by_value);
    return p;
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const struct param *)x)->name,
                   ((const struct param *)y)->name);
}

size_t point_space_make(struct point_space *p, struct space *space)
{
    struct param *params =
        arena_array(p->arena, p->columns.len + 1, sizeof(*params));
    size_t count = 0;
    for (size_t i = 0; i < p->columns.len; i++) {
        const struct column *c = p->columns.p[i];
        if (c->numbers || c->values->count <= MOST_CHOICES)
            params[count++] = param_of(c);
    }
    qsort(params, count, sizeof(*params), by_name);
    *space = (struct space){.params = params, .count = count};
    return p->columns.len - count;
}
