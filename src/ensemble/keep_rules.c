/* keep_rules.c - which predictions are kept, as a file or a person says it */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "ensemble/keep.h"

#define MOST_ROWS 10000000  /* that a rule ranks: they stay in memory */
#define MOST_CELLS 10000000 /* of a histogram: the same */
#define MOST_RULES 64

struct reader {
    struct arena *arena;
    VEC(struct keep_rule) rules;
};

/* ---- one rule ------------------------------------------------------------ */

static int check_keys(const struct value *v, const char *name,
                      const char *const *keys, struct err *err)
{
    struct buf all;
    if (v->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "keep: %s must be {%s: …}", name,
                       keys[0]);
    for (size_t i = 0; i < v->count; i++) {
        if (str_among(v->keys[i], keys))
            continue;
        buf_init(&all);
        for (size_t k = 0; keys[k]; k++)
            buf_addf(&all, "%s%s", k ? ", " : "", keys[k]);
        err_set(err, ERR_INPUT, "keep: %s has no key %.*s; its keys are %s",
                name, STRF(v->keys[i]), all.p);
        buf_done(&all);
        return -1;
    }
    return 0;
}

static int read_where(struct reader *r, const struct value *v,
                      struct keep_rule *rule, struct err *err)
{
    if (!v)
        return 0;
    if (v->kind != VALUE_STRING)
        return err_set(err, ERR_INPUT,
                       "keep: where must be a text as \"sd < 0.1\"");
    rule->where = where_read(v->s, r->arena, err);
    return rule->where ? 0 : err_wrap(err, "keep");
}

static bool read_count(const struct value *v, int64_t most, size_t *to)
{
    if (!v || v->kind != VALUE_INT || v->i < 1 || v->i > most)
        return false;
    *to = (size_t)v->i;
    return true;
}

static int read_ranked(struct reader *r, const struct value *v,
                       const char *name, struct keep_rule *rule,
                       struct err *err)
{
    static const char *const keys[] = {"by", "n", "where", NULL};
    if (check_keys(v, name, keys, err))
        return -1;
    rule->kind = strcmp(name, "bottom") == 0 ? KEEP_BOTTOM : KEEP_TOP;
    rule->by = arena_str(r->arena, value_text(value_get(v, STR("by"))));
    if (!rule->by.len)
        return err_set(err, ERR_INPUT,
                       "keep: %s needs a column to go by: {by: mean, n: 1000}",
                       name);
    if (!read_count(value_get(v, STR("n")), MOST_ROWS, &rule->most))
        return err_set(err, ERR_INPUT,
                       "keep: %s: n must be a number of rows from 1 to %d; "
                       "where and all have no limit",
                       name, MOST_ROWS);
    return read_where(r, value_get(v, STR("where")), rule, err);
}

/* One of several axes has its own item of a list; one axis is no list. */
static const struct value *of_axis(const struct value *v, const char *key,
                                   size_t axis)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_LIST              ? value_at(x, axis)
           : axis == 0 || strcmp(key, "bins") == 0 ? x
                                                   : NULL;
}

static int read_axis(struct reader *r, const struct value *v, size_t at,
                     struct keep_axis *axis, struct err *err)
{
    const struct value *from = of_axis(v, "from", at);
    const struct value *to = of_axis(v, "to", at);
    axis->of = arena_str(r->arena, value_text(of_axis(v, "of", at)));
    axis->from = value_number(from);
    axis->to = value_number(to);
    if (!axis->of.len)
        return err_set(err, ERR_INPUT,
                       "keep: histogram needs of: COLUMN, or of: [COLUMN, "
                       "COLUMN]");
    if (!read_count(of_axis(v, "bins", at), 100000, &axis->bins))
        return err_set(err, ERR_INPUT,
                       "keep: histogram of %.*s: bins must be a number from 1 "
                       "to 100000",
                       STRF(axis->of));
    if (!(axis->from < axis->to) || isinf(axis->to - axis->from))
        return err_set(err, ERR_INPUT,
                       "keep: histogram of %.*s needs from and to, numbers of "
                       "which the second is larger: no shard knows what others "
                       "have",
                       STRF(axis->of));
    axis->decimals = keep_edge_decimals(axis);
    return 0;
}

static int read_histogram(struct reader *r, const struct value *v,
                          const char *name, struct keep_rule *rule,
                          struct err *err)
{
    static const char *const keys[] = {"of", "bins",  "from",
                                       "to", "where", NULL};
    const struct value *of = value_get(v, STR("of"));
    if (check_keys(v, name, keys, err))
        return -1;
    rule->kind = KEEP_HISTOGRAM;
    rule->axis_count = of && of->kind == VALUE_LIST ? of->count : 1;
    if (rule->axis_count < 1 || rule->axis_count > 2)
        return err_set(err, ERR_INPUT,
                       "keep: histogram is of one column or of two");
    size_t cells = 1;
    for (size_t i = 0; i < rule->axis_count; i++) {
        if (read_axis(r, v, i, &rule->axes[i], err))
            return -1;
        cells *= rule->axes[i].bins + 2;
    }
    if (cells > MOST_CELLS)
        return err_set(err, ERR_INPUT, "keep: histogram has more than %d cells",
                       MOST_CELLS);
    return read_where(r, value_get(v, STR("where")), rule, err);
}

/* ---- all of them --------------------------------------------------------- */

static int read_listed(struct reader *r, const struct value *v,
                       const char *name, struct keep_rule *rule,
                       struct err *err)
{
    rule->kind = KEEP_LISTED;
    if (strcmp(name, "where") == 0)
        return read_where(r, v, rule, err);
    if (v->kind != VALUE_BOOL || !v->boolean)
        return err_set(err, ERR_INPUT, "keep: all must be true");
    return 0;
}

static const struct {
    const char *key;
    int (*read)(struct reader *r, const struct value *v, const char *name,
                struct keep_rule *rule, struct err *err);
} readers[] = {{"top", read_ranked},   {"bottom", read_ranked},
               {"also", read_ranked},  {"histogram", read_histogram},
               {"where", read_listed}, {"all", read_listed}};
static const char *const rule_keys[] = {"top",   "bottom", "also", "histogram",
                                        "where", "all",    NULL};

/* top, then top_2. */
static int read_rule(struct reader *r, size_t kind, const struct value *v,
                     size_t number, struct err *err)
{
    struct keep_rule rule = {0};
    const char *key = readers[kind].key;
    if (r->rules.len == MOST_RULES)
        return err_set(err, ERR_INPUT, "keep: it has more than %d rules",
                       MOST_RULES);
    if (readers[kind].read(r, v, key, &rule, err))
        return -1;
    rule.name = str_of(
        number ? arena_printf(r->arena, "%s_%zu", key, number + 1) : key);
    rule.said = v;
    vec_push(&r->rules, rule);
    return 0;
}

static int read_rules(struct reader *r, const struct value *v, struct err *err)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct value *said = v->items[i];
        int kind = str_index(v->keys[i], rule_keys);
        size_t count = said->kind == VALUE_LIST ? said->count : 1;
        if (kind < 0)
            return err_set(err, ERR_INPUT,
                           "keep: there is no rule %.*s; there are top, "
                           "bottom, also, histogram, where and all",
                           STRF(v->keys[i]));
        for (size_t k = 0; k < count; k++)
            if (read_rule(r, (size_t)kind,
                          said->kind == VALUE_LIST ? said->items[k] : said, k,
                          err))
                return -1;
    }
    if (!r->rules.len)
        return err_set(err, ERR_INPUT,
                       "keep: nothing would be kept; say all, or {top: {by: "
                       "mean, n: 1000}}");
    return 0;
}

/* "top:mean:50000,bottom:sd:100", or "all", as an object. */
static struct value *from_text(struct arena *a, struct str text)
{
    struct value *v = value_object(a);
    struct str rest = text, one;
    while (str_split(&rest, ',', &one)) {
        struct str key, by;
        struct value *rule = value_object(a), *before;
        int64_t n = 0;
        str_split(&one, ':', &key);
        bool more = str_split(&one, ':', &by);
        if (more) {
            value_set(a, rule, STR("by"), value_string(a, by));
            if (num_int(one, &n))
                value_set(a, rule, STR("n"), value_int(a, n));
        } else {
            rule = value_bool(a, true);
        }
        before = value_get(v, str_trim(key));
        if (!before) {
            value_set(a, v, str_trim(key), value_list(a));
            before = value_get(v, str_trim(key));
        }
        value_list_add(a, before, rule);
    }
    return v;
}

static uint64_t hash_of(const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print_sorted(&b, v);
    uint64_t hash = hash64(buf_str(&b), 0);
    buf_done(&b);
    return hash;
}

struct keep_rules *keep_rules_read(const struct value *said, struct arena *a,
                                   struct err *err)
{
    struct reader r = {.arena = a};
    struct keep_rules *to = arena_new_of(a, struct keep_rules);
    const struct value *v =
        said->kind == VALUE_STRING ? from_text(a, said->s) : said;
    if (v->kind != VALUE_OBJECT) {
        err_set(err, ERR_INPUT,
                "keep: it must be all, or rules as {top: {by: mean, n: "
                "1000}}");
        return NULL;
    }
    int rc = read_rules(&r, v, err);
    to->hash = hash_of(v);
    to->count = r.rules.len;
    to->rules = vec_to_arena(a, &r.rules);
    return rc ? NULL : to;
}

/* ---- columns ------------------------------------------------------------- */

/* What several predict together is called predicted, and mostly is their
 * mean. */
static struct str called(struct str name, const char *const *columns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(name, columns[i]))
            return name;
    return str_is(name, "mean") ? STR("predicted") : name;
}

/* Those that there are, and the one that may have been meant. */
static void list_columns(struct buf *b, struct str said,
                         const char *const *columns, size_t count)
{
    const char **names = xcalloc(count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        names[i] = columns[i];
        if (i < 20)
            buf_addf(b, "%s%s", i ? ", " : "", columns[i]);
    }
    const char *near = str_nearest(said, names);
    if (count > 20)
        buf_adds(b, ", …");
    if (near)
        buf_addf(b, "; did you mean %s?", near);
    free(names);
}

long keep_column(struct str said, const char *const *columns, size_t count,
                 struct err *err)
{
    struct str name = called(said, columns, count);
    struct buf all;
    for (size_t i = 0; i < count; i++)
        if (str_is(name, columns[i]))
            return (long)i;
    buf_init(&all);
    list_columns(&all, said, columns, count);
    err_set(err, ERR_INPUT,
            "keep: predictions have no column %.*s; they have %s", STRF(said),
            all.p);
    buf_done(&all);
    return -1;
}

/* NULL, or the key whose column there is none of. */
static const char *bind_rule(struct keep_rule *r, const char *const *columns,
                             size_t count, struct err *err)
{
    long at = 0;
    if (keep_is_ranked(r) && (at = keep_column(r->by, columns, count, err)) < 0)
        return "by";
    r->column = (size_t)at;
    for (size_t i = 0; i < r->axis_count; i++) {
        if ((at = keep_column(r->axes[i].of, columns, count, err)) < 0)
            return "of";
        r->axes[i].column = (size_t)at;
    }
    return r->where && where_bind(r->where, columns, count, err) ? "where"
                                                                 : NULL;
}

int keep_rules_bind(struct keep_rules *r, const char *const *columns,
                    size_t count, struct err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        struct keep_rule *rule = &r->rules[i];
        const char *key = bind_rule(rule, columns, count, err);
        if (!key)
            continue;
        const struct value *part = value_get(rule->said, str_of(key));
        r->fault = part ? part : rule->said;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        r->hash = hash64(str_of(columns[i]), r->hash);
    r->columns = columns;
    r->column_count = count;
    return 0;
}

const struct value *keep_rules_fault(const struct keep_rules *r)
{
    return r->fault && r->fault->line ? r->fault : NULL;
}

bool keep_rules_list(const struct keep_rules *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->rules[i].kind == KEEP_LISTED)
            return true;
    return false;
}
