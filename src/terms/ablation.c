/* ablation.c - one change at a time */
#include "terms/ablation.h"

#include <stdlib.h>
#include "base/vec.h"

/* Values of one parameter. */
#define CHANGES_MAX 100000

struct change {
    size_t param;
    struct value *value;
};
struct ablation {
    const struct space *space;
    struct arena *arena;
    struct value **base; /* by parameter; NULL: it is of the rest */
    struct value *flat;  /* the same as an object */
    VEC(struct change) changes;
    struct space rest;
    uint64_t rest_count;
    size_t *order; /* in which conditions can be looked at */
};

/* A baseline may be written as points are, nested, or with flat names. */
static const struct value *said_of(const struct value *baseline,
                                   const struct param *p)
{
    const struct value *v = value_get(baseline, p->name);
    return v ? v : point_get(baseline, p);
}

static int check_names(const struct space *space, const struct value *baseline,
                       struct err *err)
{
    if (!baseline || baseline->kind != VALUE_OBJECT || !baseline->count)
        return err_set(err, ERR_INPUT,
                       "an ablation needs a baseline, such as baseline: {lr: "
                       "0.1, opt: sgd}");
    for (size_t i = 0; i < baseline->count; i++) {
        struct str name = baseline->keys[i];
        bool found = false;
        for (size_t k = 0; k < space->count; k++)
            found |= str_eq(space->params[k].name, name) ||
                     str_eq(space->params[k].path[0], name);
        if (!found)
            return err_set(err, ERR_INPUT,
                           "the baseline names `%.*s`, which is no parameter",
                           STRF(name));
    }
    return 0;
}

static int add_changes(struct ablation *b, size_t at, struct err *err)
{
    const struct param *p = &b->space->params[at];
    const char *why = "";
    uint64_t count = param_grid_count(p, &why);
    if (!count)
        return err_set(err, ERR_INPUT,
                       "parameter %.*s cannot be changed step by step: %s; "
                       "give it `values`, or leave it out of the baseline",
                       STRF(p->name), why);
    if (count > CHANGES_MAX)
        return err_set(err, ERR_LIMIT,
                       "parameter %.*s has %llu values to change to, more than "
                       "%d; give it `values`, or leave it out of the baseline",
                       STRF(p->name), (unsigned long long)count, CHANGES_MAX);
    for (uint64_t i = 0; i < count; i++) {
        struct change c = {at, param_grid_at(p, i, b->arena)};
        if (!value_eq(c.value, b->base[at]))
            vec_push(&b->changes, c);
    }
    return 0;
}

/* The parameters of the baseline that its own values leave without a value: a
 * change of one would be the baseline again. What depends on the rest stays. */
static struct value **active_in_baseline(const struct ablation *b)
{
    const struct space *space = b->space;
    struct param *params = arena_array(b->arena, space->count, sizeof(*params));
    struct space known = {params, space->count};
    struct value **values =
        arena_array(b->arena, space->count + 1, sizeof(*values));
    memset(values, 0, (space->count + 1) * sizeof(*values));
    for (size_t i = 0; i < space->count; i++) {
        struct condition *c = arena_array(
            b->arena, space->params[i].condition_count + 1, sizeof(*c));
        params[i] = space->params[i];
        params[i].conditions = c;
        params[i].condition_count = 0;
        for (size_t k = 0; k < space->params[i].condition_count; k++) {
            long on = space_find(space, space->params[i].conditions[k].name);
            if (on < 0 || b->base[on])
                c[params[i].condition_count++] = space->params[i].conditions[k];
        }
    }
    for (size_t n = 0; n < space->count; n++)
        if (b->base[b->order[n]] && space_active(&known, b->order[n], values))
            values[b->order[n]] = b->base[b->order[n]];
    return values;
}

static int take_changes(struct ablation *b, struct err *err)
{
    struct value **active = active_in_baseline(b);
    for (size_t i = 0; i < b->space->count; i++) {
        if (!active[i])
            continue;
        value_set(b->arena, b->flat, b->space->params[i].name, b->base[i]);
        if (add_changes(b, i, err))
            return -1;
    }
    if (!b->changes.len)
        return err_set(err, ERR_INPUT,
                       "no parameter of the baseline has another value to "
                       "change to");
    return 0;
}

static int lay_out(struct ablation *b, const struct value *baseline,
                   struct err *err)
{
    const struct space *space = b->space;
    struct param *rest = arena_array(b->arena, space->count, sizeof(*rest));
    b->base = arena_array(b->arena, space->count, sizeof(*b->base));
    b->flat = value_object(b->arena);
    b->rest.params = rest;
    for (size_t i = 0; i < space->count; i++) {
        const struct value *v = said_of(baseline, &space->params[i]);
        b->base[i] = v ? value_copy(b->arena, v) : NULL;
        if (!v)
            rest[b->rest.count++] = space->params[i];
    }
    b->order = arena_array(b->arena, space->count, sizeof(*b->order));
    if (space_order(space, b->order, err) || take_changes(b, err))
        return -1;
    b->rest_count = b->rest.count ? space_grid_count(&b->rest, err) : 1;
    if (!b->rest_count)
        return err_wrap(err, "what the baseline does not name");
    if (b->rest_count > ((uint64_t)1 << 62) / (b->changes.len + 1))
        return err_set(err, ERR_LIMIT,
                       "the ablation has more than 2^62 points");
    return 0;
}

struct ablation *ablation_new(const struct space *space,
                              const struct value *baseline, struct err *err)
{
    if (check_names(space, baseline, err))
        return NULL;
    struct ablation *b = xcalloc(1, sizeof(*b));
    b->space = space;
    b->arena = arena_new();
    if (lay_out(b, baseline, err)) {
        ablation_free(b);
        return NULL;
    }
    return b;
}

void ablation_free(struct ablation *b)
{
    if (!b)
        return;
    vec_done(&b->changes);
    arena_free(b->arena);
    free(b);
}

size_t ablation_changes(const struct ablation *b)
{
    return b->changes.len;
}

struct str ablation_change(const struct ablation *b, size_t i,
                           const struct value **value)
{
    require(i < b->changes.len);
    *value = b->changes.p[i].value;
    return b->space->params[b->changes.p[i].param].name;
}

const struct value *ablation_baseline(const struct ablation *b)
{
    return b->flat;
}

const struct space *ablation_rest(const struct ablation *b)
{
    return &b->rest;
}

uint64_t ablation_count(const struct ablation *b)
{
    return b->rest_count * (b->changes.len + 1);
}

struct value *ablation_point(const struct ablation *b, uint64_t k,
                             struct arena *a)
{
    const struct space *space = b->space;
    uint64_t variant = k % (b->changes.len + 1);
    struct value *rest =
        b->rest.count ? space_grid_spread(&b->rest, k / (b->changes.len + 1), a)
                      : NULL;
    struct value **values = arena_array(a, space->count + 1, sizeof(*values));
    memset(values, 0, (space->count + 1) * sizeof(*values));
    for (size_t n = 0; n < space->count; n++) {
        size_t i = b->order[n];
        struct value *v = b->base[i];
        if (variant && b->changes.p[variant - 1].param == i)
            v = b->changes.p[variant - 1].value;
        if (!v)
            v = rest ? point_get(rest, &space->params[i]) : NULL;
        if (v && space_active(space, i, values))
            values[i] = value_copy(a, v);
    }
    return space_point(space, values, a);
}
