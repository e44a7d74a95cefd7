/* file.c - the file that lists the members of an ensemble
 *
 * One line of JSON, and behind it the bytes of those members that lie inside:
 *
 *   {"format": "throng.ensemble/1", "combine": "mean", "chosen": "best:3",
 *    "members": [{"weights": "a.safetensors", "sha256": "…", "weight": 0.5,
 *                 "study": "digits", "trial": 7},
 *                {"at": 0, "bytes": 9000, "sha256": "…", "weight": 0.5}]}
 *
 * `rows` are those that members were chosen or weighed by, as weights name
 * those that they were trained on (data/trained.c).
 *
 * With `stacking` it has a `stack`, too (stack.c); where that was fitted by
 * settings (settings.c) a member says its `setting`. */
#include <math.h>

#include "base/json.h"
#include "ensemble/ensemble.h"

#define BEGINNING 256 /* bytes in which the format must be named */

/* Weights begin with a length of eight bytes. */
bool ensemble_is(struct str bytes)
{
    static const char format[] = "\"throng.ensemble/";
    size_t some = bytes.len < BEGINNING ? bytes.len : BEGINNING;
    return some && bytes.p[0] == '{' &&
           memmem(bytes.p, some, format, sizeof(format) - 1);
}

static struct str first_line(struct str bytes)
{
    long end = str_find(bytes, '\n');
    return end < 0 ? bytes : str_n(bytes.p, (size_t)end);
}

static struct str behind(struct str bytes)
{
    size_t line = first_line(bytes).len;
    size_t from = line < bytes.len ? line + 1 : line;
    return str_n(bytes.p + from, bytes.len - from);
}

static bool is_sha256(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("0123456789abcdef", s.p[i]))
            return false;
    return s.len == 64;
}

static bool whole(const struct value *v, uint64_t most, uint64_t *to)
{
    if (!v || v->kind != VALUE_INT || v->i < 0 || (uint64_t)v->i > most)
        return false;
    *to = (uint64_t)v->i;
    return true;
}

/* What is wrong with it; NULL: nothing. */
static const char *read_member(const struct value *v, struct str inside,
                               struct ensemble_member *m, struct arena *a)
{
    const struct value *weight = value_get(v, STR("weight"));
    const struct value *trial = value_get(v, STR("trial"));
    m->weights = arena_str(a, value_text(value_get(v, STR("weights"))));
    m->sha256 = arena_str(a, value_text(value_get(v, STR("sha256"))));
    m->study = arena_str(a, value_text(value_get(v, STR("study"))));
    m->trial = trial && trial->kind == VALUE_INT ? trial->i : 0;
    m->setting = 0;
    whole(value_get(v, STR("setting")), UINT32_MAX, &m->setting);
    m->weight = weight ? value_number(weight) : 1;
    if (!(m->weight >= 0) || isinf(m->weight))
        return "its weight is no number from 0";
    if (!is_sha256(m->sha256))
        return "it has no sha256 of 64 digits";
    if (m->weights.len)
        return NULL;
    if (!whole(value_get(v, STR("at")), INT64_MAX, &m->at) ||
        !whole(value_get(v, STR("bytes")), INT64_MAX, &m->bytes))
        return "it has neither weights nor a place inside of the file";
    return m->at > inside.len || m->bytes > inside.len - m->at
               ? "its bytes are not all there: the file is cut off"
               : NULL;
}

static int read_members(struct ensemble *e, const struct value *list,
                        struct str inside, const char *path, struct arena *a,
                        struct err *err)
{
    double sum = 0;
    if (!list || list->kind != VALUE_LIST || !list->count)
        return err_set(err, ERR_INPUT, "%s: it has no members", path);
    struct ensemble_member *all =
        arena_array(a, list->count, sizeof(*e->members));
    for (size_t i = 0; i < list->count; i++) {
        const char *why = read_member(list->items[i], inside, &all[i], a);
        if (why)
            return err_set(err, ERR_INPUT, "%s: member %zu: %s", path, i + 1,
                           why);
        sum += all[i].weight;
    }
    if (!(sum > 0) || isinf(sum))
        return err_set(err, ERR_INPUT, "%s: the weights of all members %s",
                       path, sum > 0 ? "add up to no finite number" : "are 0");
    for (size_t i = 0; i < list->count; i++)
        all[i].weight /= sum;
    e->members = all;
    e->count = list->count;
    return 0;
}

/* Whether it goes with what its members predict is seen when they are read. */
static int read_stack(struct ensemble *e, const struct value *v,
                      const char *path, struct arena *a, struct err *err)
{
    e->stack = value_copy(a, v);
    if ((e->how == COMBINE_STACKING) == (v && v->kind == VALUE_LIST))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s: `stack` goes with stacking, and stacking with it",
                   path);
}

static int read_how(struct ensemble *e, const struct value *v, const char *path,
                    struct err *err)
{
    struct str said = v ? value_text(v) : STR("mean");
    for (size_t i = 0; combine_names[i]; i++)
        if (str_is(said, combine_names[i])) {
            e->how = (enum combine)i;
            return 0;
        }
    return err_set(
        err, ERR_INPUT,
        "%s: combine is \"%.*s\"; it can be mean, median, vote or stacking",
        path, STRF(said));
}

int ensemble_parse(struct ensemble *e, struct str bytes, const char *path,
                   struct arena *a, struct err *err)
{
    struct ensemble found = {0};
    const struct value *v = json_parse(a, first_line(bytes), path, true, err);
    if (!v)
        return -1;
    struct str format = value_text(value_get(v, STR("format")));
    if (!str_is(format, ENSEMBLE_FORMAT))
        return err_set(err, ERR_INPUT,
                       "%s: its format is \"%.*s\", this throng reads %s", path,
                       STRF(format), ENSEMBLE_FORMAT);
    found.chosen = arena_str(a, value_text(value_get(v, STR("chosen"))));
    found.rows = arena_str(a, value_text(value_get(v, STR("rows"))));
    if (read_how(&found, value_get(v, STR("combine")), path, err) ||
        read_stack(&found, value_get(v, STR("stack")), path, a, err) ||
        read_members(&found, value_get(v, STR("members")), behind(bytes), path,
                     a, err))
        return -1;
    *e = found;
    return 0;
}

struct str ensemble_inside(const struct ensemble_member *m, struct str bytes)
{
    return str_n(behind(bytes).p + m->at, (size_t)m->bytes);
}

static struct value *member_value(struct arena *a,
                                  const struct ensemble_member *m)
{
    struct value *v = value_object(a);
    if (m->weights.len) {
        value_set(a, v, STR("weights"), value_string(a, m->weights));
    } else {
        value_set(a, v, STR("at"), value_int(a, (int64_t)m->at));
        value_set(a, v, STR("bytes"), value_int(a, (int64_t)m->bytes));
    }
    value_set(a, v, STR("sha256"), value_string(a, m->sha256));
    value_set(a, v, STR("weight"), value_double(a, m->weight));
    if (m->study.len) {
        value_set(a, v, STR("study"), value_string(a, m->study));
        value_set(a, v, STR("trial"), value_int(a, m->trial));
    }
    if (m->setting)
        value_set(a, v, STR("setting"), value_int(a, (int64_t)m->setting));
    return v;
}

void ensemble_print(struct buf *b, const struct ensemble *e)
{
    struct arena *a = arena_new();
    struct value *v = value_object(a), *members = value_list(a);
    value_set(a, v, STR("format"), value_string(a, STR(ENSEMBLE_FORMAT)));
    value_set(a, v, STR("combine"),
              value_string(a, str_of(combine_names[e->how])));
    if (e->chosen.len)
        value_set(a, v, STR("chosen"), value_string(a, e->chosen));
    if (e->rows.len)
        value_set(a, v, STR("rows"), value_string(a, e->rows));
    if (e->stack)
        value_set(a, v, STR("stack"), value_copy(a, e->stack));
    for (size_t i = 0; i < e->count; i++)
        value_list_add(a, members, member_value(a, &e->members[i]));
    value_set(a, v, STR("members"), members);
    json_print(b, v);
    buf_addc(b, '\n');
    arena_free(a);
}
