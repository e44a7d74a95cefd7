/* options.c - a method's own options */
#include "search/options.h"

#include "terms/wanted.h"

enum { MOST_OPTIONS = 16 };

const char *const no_or_yes[] = {"false", "true", NULL};

static size_t list_names(const struct options *o, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < o->number_count && count < MOST_OPTIONS; i++)
        names[count++] = o->numbers[i].name;
    for (size_t i = 0; i < o->word_count && count < MOST_OPTIONS; i++)
        names[count++] = o->words[i].name;
    for (size_t i = 0; i < o->tree_count && count < MOST_OPTIONS; i++)
        names[count++] = o->trees[i].name;
    return count;
}

static int refuse_name(struct str name, const char *method,
                       const struct options *known, struct err *err)
{
    const char *names[MOST_OPTIONS + 1] = {0};
    size_t count = list_names(known, names);
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
    struct buf all;
    buf_init(&all);
    for (size_t i = 0; i < count; i++)
        buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
    err_set(err, ERR_INPUT, "method %s has no option '%.*s'; it has: %s",
            method, STRF(name), all.p);
    buf_done(&all);
    return -1;
}

static int read_one(const struct option *o, const struct value *v,
                    const char *method, struct err *err)
{
    struct err why;
    int64_t whole = 0;
    double x = 0;
    bool good =
        o->whole ? want_int(v, (int64_t)o->min, (int64_t)o->max, &whole, &why)
                 : want_number(v, o->min, o->max, &x, &why);
    if (!good)
        return err_set(err, ERR_INPUT, "%s: %s %s", method, o->name, why.text);
    *o->to = o->whole ? (double)whole : x;
    return 0;
}

static int read_word(const struct word_option *o, const struct value *v,
                     const char *method, struct err *err)
{
    struct str text = value_text(v);
    struct buf all;
    if (v->kind == VALUE_BOOL)
        text = v->boolean ? STR("true") : STR("false");
    int found = str_index(text, o->words);
    if (found >= 0) {
        *o->to = (size_t)found;
        return 0;
    }
    buf_init(&all);
    for (size_t i = 0; o->words[i]; i++) {
        if (i)
            buf_adds(&all, o->words[i + 1] ? ", " : " or ");
        buf_adds(&all, o->words[i]);
    }
    err_set(err, ERR_INPUT, "%s: %s must be %s", method, o->name, all.p);
    buf_done(&all);
    return -1;
}

static int read_member(struct str key, const struct value *v,
                       const char *method, const struct options *known,
                       struct err *err)
{
    for (size_t i = 0; i < known->number_count; i++)
        if (str_is(key, known->numbers[i].name))
            return read_one(&known->numbers[i], v, method, err);
    for (size_t i = 0; i < known->word_count; i++)
        if (str_is(key, known->words[i].name))
            return read_word(&known->words[i], v, method, err);
    for (size_t i = 0; i < known->tree_count; i++)
        if (str_is(key, known->trees[i].name)) {
            *known->trees[i].to = v;
            return 0;
        }
    return refuse_name(key, method, known, err);
}

int options_read_all(const struct value *options, const char *method,
                     const struct options *known, struct err *err)
{
    if (!options || options->kind == VALUE_NULL)
        return 0;
    if (options->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "the options of %s must be an object",
                       method);
    for (size_t k = 0; k < options->count; k++)
        if (read_member(options->keys[k], options->items[k], method, known,
                        err))
            return -1;
    return 0;
}

int options_read(const struct value *options, const char *method,
                 const struct option *table, size_t count, struct err *err)
{
    struct options known = {.numbers = table, .number_count = count};
    return options_read_all(options, method, &known, err);
}
