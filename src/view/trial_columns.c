/* trial_columns.c - what a person can ask to see of each trial, by name */
#include "view/view.h"

#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"

#define DIGITS 6 /* on a terminal */

/* ---- reading ---------------------------------------------------------- */

/* What every trial has; the numbers are columns of `own`. */
enum own_column {
    OWN_TRIAL,
    OWN_STATE,
    OWN_VALUE,
    OWN_SECONDS,
    OWN_ATTEMPTS,
    OWN_FAILURES,
    OWN_CREATED,
    OWN_STARTED,
    OWN_ENDED,
    OWN_REASON,
    OWN_NOTE,
    OWN_TAG,
    OWN_TAGS,
    OWN_HOST,
    OWN_RUN_ID,
    OWN_PARENT,
    OWN_BUDGET,
    OWN_COUNT,
};
static const char *const own[OWN_COUNT] = {
    "trial",   "state",   "value",  "seconds", "attempts", "failures",
    "created", "started", "ended",  "reason",  "note",     "tag",
    "tags",    "host",    "run_id", "parent",  "budget",
};

static const struct value *number(double v, struct arena *a)
{
    return isnan(v) ? NULL : value_double(a, v);
}

static const struct value *text(struct str s, struct arena *a)
{
    return s.len ? value_string(a, s) : NULL;
}

static const struct value *wall(double v, struct arena *a)
{
    return v > 0 ? value_double(a, num_round(v, 3)) : NULL;
}

static const struct value *tags(const struct trial *t, struct arena *a)
{
    struct value *list = t->tag_count ? value_list(a) : NULL;
    for (size_t i = 0; i < t->tag_count; i++)
        value_list_add(a, list, value_string(a, t->tags[i]));
    return list;
}

static const struct value *host(struct store *store, const struct trial *t,
                                struct arena *a)
{
    struct attempt *list;
    size_t count;
    if (store_attempts(store, t->id, a, &list, &count, NULL) || !count)
        return NULL;
    return text(str_of(list[count - 1].host), a);
}

static const struct value *own_value(enum own_column column,
                                     struct store *store, const struct trial *t,
                                     struct arena *a)
{
    switch (column) {
    case OWN_TRIAL:
        return value_int(a, t->id);
    case OWN_STATE:
        return value_string(a, str_of(state_name(t->state)));
    case OWN_VALUE:
        return number(t->value, a);
    case OWN_SECONDS:
        return value_double(a, num_round(t->seconds, 6));
    case OWN_ATTEMPTS:
        return value_int(a, t->attempts);
    case OWN_FAILURES:
        return value_int(a, t->failures);
    case OWN_CREATED:
        return wall(t->created, a);
    case OWN_STARTED:
        return wall(t->started, a);
    case OWN_ENDED:
        return wall(t->ended, a);
    case OWN_REASON:
        return text(t->reason, a);
    case OWN_NOTE:
        return text(t->note, a);
    case OWN_TAG:
    case OWN_TAGS:
        return tags(t, a);
    case OWN_HOST:
        return host(store, t, a);
    case OWN_RUN_ID:
        return text(t->run_id, a);
    case OWN_PARENT:
        return t->parent > 0 ? value_int(a, t->parent) : NULL;
    case OWN_BUDGET:
        return t->budget > 0 ? value_int(a, t->budget) : NULL;
    case OWN_COUNT:
        break;
    }
    return NULL;
}

static enum own_column own_at(const char *name)
{
    int i = 0;
    while (i < OWN_COUNT && strcmp(own[i], name))
        i++;
    return (enum own_column)i;
}

static bool is_time(const char *name)
{
    enum own_column i = own_at(name);
    return i == OWN_CREATED || i == OWN_STARTED || i == OWN_ENDED;
}

const struct value *trial_column(struct store *store, const struct trial *t,
                                 const struct value *point, const char *name,
                                 struct arena *a)
{
    /* A parameter may be called `state`: what the study says comes first. */
    const struct value *param = point_flat_get(point, str_of(name));
    if (param)
        return param;
    enum own_column i = own_at(name);
    if (i != OWN_COUNT)
        return own_value(i, store, t, a);
    double metric = summary_number(t->summary, str_of(name));
    if (!isnan(metric) || !t->about.len)
        return number(metric, a);
    return point_flat_get(json_parse(a, t->about, "", false, NULL),
                          str_of(name));
}

/* ---- which ------------------------------------------------------------ */

int trial_columns_parse(struct trial_columns *k, struct store *store,
                        const char *text, struct arena *a, struct err *err)
{
    struct str rest = str_of(text), part;
    *k = (struct trial_columns){0};
    while (str_split(&rest, ',', &part)) {
        const char *name = arena_cstr(a, str_trim(part));
        if (!*name)
            continue;
        if (own_at(name) == OWN_COUNT && name_check(store, name, a, err))
            return -1;
        vec_push(&k->names, name);
    }
    return 0;
}

void trial_columns_done(struct trial_columns *k)
{
    vec_done(&k->names);
}

/* ---- printing --------------------------------------------------------- */

static void add_list(struct buf *b, const struct value *list)
{
    for (size_t i = 0; i < list->count; i++) {
        buf_adds(b, i ? ", " : "");
        point_cell(b, list->items[i]);
    }
}

void trial_column_print(struct buf *b, const char *name, const struct value *v,
                        bool brief)
{
    if (v && v->kind == VALUE_DOUBLE && brief && !is_time(name)) {
        if (!isnan(v->d))
            num_print_short(b, v->d, DIGITS);
    } else if (v && brief && is_time(name)) {
        clock_print(b, value_number(v), false);
    } else if (v && v->kind == VALUE_LIST && own_at(name) != OWN_COUNT) {
        add_list(b, v);
    } else {
        point_cell(b, v);
    }
}

void trial_columns_json(struct buf *b, const struct trial_columns *k,
                        const struct value *const *values)
{
    buf_addc(b, '{');
    for (size_t i = 0; i < k->names.len; i++) {
        if (i)
            buf_addc(b, ',');
        json_string(b, str_of(k->names.p[i]));
        buf_addc(b, ':');
        if (values[i])
            strict_value(b, values[i]);
        else
            buf_adds(b, "null");
    }
    buf_addc(b, '}');
}
