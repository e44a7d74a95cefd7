/* options.c - a method's own options */
#include "search/options.h"

#include <math.h>

enum { MOST_OPTIONS = 16 };

static int refuse_name(struct str name, const char *method,
                       const struct option *table, size_t count,
                       struct err *err)
{
    const char *names[MOST_OPTIONS + 1] = {0};
    for (size_t i = 0; i < count && i < MOST_OPTIONS; i++)
        names[i] = table[i].name;
    const char *near = str_nearest(name, names);
    if (near)
        return err_set(err, ERR_INPUT,
                       "method %s has no option '%.*s'; did you mean %s?",
                       method, STRF(name), near);
    if (!count)
        return err_set(err, ERR_INPUT,
                       "method %s has no options, but '%.*s' "
                       "is said",
                       method, STRF(name));
    return err_set(err, ERR_INPUT, "method %s has no option '%.*s'", method,
                   STRF(name));
}

static int read_one(const struct option *o, const struct value *v,
                    const char *method, struct err *err)
{
    double x = value_is_number(v) ? value_number(v) : NAN;
    if (!(x >= o->min && x <= o->max) || (o->whole && x != floor(x)))
        return err_set(err, ERR_INPUT,
                       "%s: %s must be a %snumber from %g to %g", method,
                       o->name, o->whole ? "whole " : "", o->min, o->max);
    *o->to = x;
    return 0;
}

int options_read(const struct value *options, const char *method,
                 const struct option *table, size_t count, struct err *err)
{
    if (!options || options->kind == VALUE_NULL)
        return 0;
    if (options->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "the options of %s must be an object",
                       method);
    for (size_t k = 0; k < options->count; k++) {
        size_t i = 0;
        while (i < count && !str_is(options->keys[k], table[i].name))
            i++;
        if (i == count)
            return refuse_name(options->keys[k], method, table, count, err);
        if (read_one(&table[i], options->items[k], method, err))
            return -1;
    }
    return 0;
}
