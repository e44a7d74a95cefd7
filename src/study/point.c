/* point.c - a point that a person wrote, checked against the space
 *
 * Names may be flat ("opt.lr") or nested. Each value becomes what the
 * parameter's own values are: a text that looks like a number turns into
 * one, 1 into 1.0 where floats are drawn, 64 into "64" where the list holds
 * texts. Constants need not be given. */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "study/study.h"

#define SHOWN_VALUES 12

/* ---- what a parameter takes, in words --------------------------------- */

static void print_values(struct buf *b, const struct value *list)
{
    for (size_t i = 0; i < list->count && i < SHOWN_VALUES; i++) {
        buf_adds(b, i ? ", " : "one of ");
        json_print(b, list->items[i]);
    }
    if (list->count > SHOWN_VALUES)
        buf_adds(b, ", …");
}

static bool has_bounds(enum dist d)
{
    return d != DIST_NORMAL && d != DIST_Q_NORMAL && d != DIST_LOG_NORMAL &&
           d != DIST_Q_LOG_NORMAL && d != DIST_BETA && d != DIST_Q_BETA;
}

static bool bounds_are_exponents(enum dist d)
{
    return d == DIST_LOG_UNIFORM || d == DIST_Q_LOG_UNIFORM;
}

void study_param_print(struct buf *b, const struct param *p)
{
    if (p->dist == DIST_CONSTANT) {
        buf_adds(b, "always ");
        json_print(b, p->constant);
        return;
    }
    if (p->dist == DIST_CATEGORICAL) {
        print_values(b, p->values);
        return;
    }
    buf_adds(b, dist_name(p->dist));
    if (!has_bounds(p->dist))
        return;
    bool exponents = bounds_are_exponents(p->dist);
    buf_addc(b, ' ');
    num_print_short(b, exponents ? exp(p->min) : p->min, 6);
    buf_adds(b, " to ");
    num_print_short(b, exponents ? exp(p->max) : p->max, 6);
}

static int refuse(const struct param *p, const struct value *v,
                  const char *what, struct err *err)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    buf_adds(&b, what);
    study_param_print(&b, p);
    err_set(err, ERR_INPUT, "%.*s: %.600s", STRF(p->name), b.p);
    buf_done(&b);
    return -1;
}

/* ---- one value -------------------------------------------------------- */

static bool same_text(const struct value *listed, const struct value *v)
{
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    value_python_str(&x, listed);
    value_python_str(&y, v);
    bool same = str_eq(buf_str(&x), buf_str(&y));
    if (!same && (buf_reset(&x), listed->kind != VALUE_STRING)) {
        json_print(&x, listed);
        same = str_eq(buf_str(&x), buf_str(&y));
    }
    buf_done(&x);
    buf_done(&y);
    return same;
}

/* The listed value that is meant: the same one, else one of the same text. */
static const struct value *listed_value(const struct value *list,
                                        const struct value *v)
{
    for (size_t i = 0; i < list->count; i++)
        if (value_eq(list->items[i], v))
            return list->items[i];
    for (size_t i = 0; i < list->count; i++)
        if (same_text(list->items[i], v))
            return list->items[i];
    return NULL;
}

static bool takes_integers(const struct param *p)
{
    bool rounded = !strncmp(dist_name(p->dist), "q_", 2);
    return p->dist == DIST_INT_UNIFORM || (rounded && p->q_integer);
}

static struct value *number_for(const struct param *p, const struct value *v,
                                struct arena *a)
{
    double d = value_number(v);
    if (v->kind == VALUE_STRING && !num_double(v->s, &d))
        return NULL;
    if (isnan(d))
        return NULL;
    if (!takes_integers(p))
        return value_double(a, d);
    if (d != floor(d) || fabs(d) > 0x1p53)
        return NULL;
    return v->kind == VALUE_INT ? value_int(a, v->i) : value_int(a, (int64_t)d);
}

struct value *study_param_value(const struct param *p, const struct value *v,
                                bool outside, struct arena *a, struct err *err)
{
    if (p->dist == DIST_CONSTANT || p->dist == DIST_CATEGORICAL) {
        struct value one = {.kind = VALUE_LIST, .count = 1};
        struct value *item = p->constant ? value_copy(a, p->constant) : NULL;
        one.items = &item;
        const struct value *found =
            listed_value(p->dist == DIST_CATEGORICAL ? p->values : &one, v);
        if (!found && !outside) {
            refuse(p, v, " is not what it takes: ", err);
            return NULL;
        }
        return value_copy(a, found ? found : v);
    }
    struct value *number = number_for(p, v, a);
    if (!number) {
        refuse(p, v,
               takes_integers(p) ? " is no whole number, for "
                                 : " is no number, for ",
               err);
        return NULL;
    }
    if (!outside && param_position(p, number) < 0) {
        refuse(p, v, " is outside of ", err);
        return NULL;
    }
    return number;
}

/* ---- names ------------------------------------------------------------ */

static int unknown_name(const struct space *s, struct str name, struct arena *a,
                        struct err *err)
{
    const char **names = arena_array(a, s->count + 1, sizeof(*names));
    struct buf b;
    for (size_t i = 0; i < s->count; i++)
        names[i] = arena_cstr(a, s->params[i].name);
    const char *near = str_nearest(name, names);
    if (near)
        return err_set(err, ERR_INPUT,
                       "there is no parameter `%.*s`; did you mean `%s`?",
                       STRF(name), near);
    buf_init(&b);
    for (size_t i = 0; i < s->count; i++)
        buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
    err_set(err, ERR_INPUT, "there is no parameter `%.*s`; there are: %.700s",
            STRF(name), b.p);
    buf_done(&b);
    return -1;
}

/* Finds each given leaf in the space; values[i] gets what is given for
 * parameter i. */
static int match_names(const struct space *s, const struct value *given,
                       struct str outer, const struct value **values,
                       struct arena *a, struct err *err)
{
    for (size_t i = 0; i < given->count; i++) {
        struct str name = given->keys[i];
        if (outer.len)
            name = str_of(arena_printf(a, "%.*s.%.*s", STRF(outer),
                                       STRF(given->keys[i])));
        long at = space_find(s, name);
        if (at >= 0)
            values[at] = given->items[i];
        else if (given->items[i]->kind != VALUE_OBJECT)
            return unknown_name(s, name, a, err);
        else if (match_names(s, given->items[i], name, values, a, err))
            return -1;
    }
    return 0;
}

/* ---- the point -------------------------------------------------------- */

static int inactive(const struct space *s, size_t i, struct err *err)
{
    const struct param *p = &s->params[i];
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; k < p->condition_count; k++) {
        buf_addf(&b, "%s%.*s is ", k ? " and " : "",
                 STRF(p->conditions[k].name));
        print_values(&b, p->conditions[k].values);
    }
    err_set(err, ERR_INPUT, "%.*s only counts when %.700s; leave it out",
            STRF(p->name), b.p);
    buf_done(&b);
    return -1;
}

static int missing(const struct param *p, struct err *err)
{
    struct buf b;
    buf_init(&b);
    study_param_print(&b, p);
    err_set(err, ERR_INPUT, "%.*s is missing (%.600s)", STRF(p->name), b.p);
    buf_done(&b);
    return -1;
}

/* Fills values[i] of one parameter whose conditions' parameters are known. */
static int settle(const struct space *s, size_t i, const struct value *given,
                  const struct value *like, bool outside, struct value **values,
                  struct arena *a, struct err *err)
{
    const struct param *p = &s->params[i];
    if (!space_active(s, i, values))
        return given ? inactive(s, i, err) : 0;
    const struct value *base = like ? point_get(like, p) : NULL;
    if (given)
        values[i] = study_param_value(p, given, outside, a, err);
    else if (base)
        values[i] = value_copy(a, base);
    else if (p->dist == DIST_CONSTANT)
        values[i] = value_copy(a, p->constant);
    else
        return missing(p, err);
    return values[i] ? 0 : -1;
}

/* All that is wrong with a point is said at once. */
static void also(struct err *err, size_t before, const struct err *one)
{
    struct err all = {0};
    if (err && before)
        all = *err;
    err_set(err, one->kind, "%s%s%s", all.text, before ? "; " : "", one->text);
}

struct value *study_point(const struct space *s, const struct value *given,
                          const struct value *like, bool outside,
                          struct arena *a, struct err *err)
{
    if (!given || given->kind != VALUE_OBJECT) {
        err_set(err, ERR_INPUT, "a point is names with values");
        return NULL;
    }
    const struct value **matched =
        arena_array(a, s->count + 1, sizeof(*matched));
    struct value **values = arena_array(a, s->count + 1, sizeof(*values));
    size_t *order = arena_array(a, s->count + 1, sizeof(*order));
    if (match_names(s, given, STR(""), matched, a, err) ||
        space_order(s, order, err))
        return NULL;
    size_t faults = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct err one = {0};
        if (settle(s, order[i], matched[order[i]], like, outside, values, a,
                   &one))
            also(err, faults++, &one);
    }
    return faults ? NULL : space_point(s, values, a);
}

/* ---- studies whose points were listed --------------------------------- */

/* No space says what a point has: the first trial's point does. */
struct value *study_point_as(const struct value *model,
                             const struct value *given,
                             const struct value *like, struct arena *a,
                             struct err *err)
{
    const char **names = arena_array(a, model->count + 1, sizeof(*names));
    struct value *point = value_object(a);
    for (size_t i = 0; i < model->count; i++)
        names[i] = arena_cstr(a, model->keys[i]);
    for (size_t i = 0; i < given->count; i++) {
        if (value_get(model, given->keys[i]))
            continue;
        const char *near = str_nearest(given->keys[i], names);
        err_set(err, ERR_INPUT, "no point has a `%.*s`%s%s%s",
                STRF(given->keys[i]), near ? "; did you mean `" : "",
                near ? near : "", near ? "`?" : "");
        return NULL;
    }
    for (size_t i = 0; i < model->count; i++) {
        const struct value *v = value_get(given, model->keys[i]);
        if (!v)
            v = value_get(like, model->keys[i]);
        if (!v) {
            err_set(err, ERR_INPUT, "%s is missing", names[i]);
            return NULL;
        }
        value_set(a, point, model->keys[i], value_copy(a, v));
    }
    return point;
}
