/* assignments.c - names with values, as people write them in a line */
#include "base/json.h"
#include "study/study.h"

/* ---- reading ---------------------------------------------------------- */

/* Length of the text up to a comma that is not inside of brackets or
 * quotes. */
static size_t piece_len(struct str s)
{
    char quote = 0;
    int depth = 0;
    size_t i = 0;
    for (; i < s.len; i++) {
        char c = s.p[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        else if (c == ',' && depth <= 0)
            break;
    }
    return i;
}

/* A value as a study file would have it. */
static struct value *parse_value(struct str text, struct arena *a)
{
    struct problems problems;
    struct value *v = NULL;
    if (!text.len)
        return value_string(a, text);
    char *line = arena_printf(a, "v: %.*s\n", STRF(text));
    problems_init(&problems, a);
    struct value *root = plan_yaml(str_of(line), "", a, &problems);
    if (root && !problems.errors)
        v = value_get(root, STR("v"));
    return v ? v : value_string(a, text);
}

/* True for "0.01;bs=16" and "0.01 bs=16", which would be one odd value. */
static bool holds_another(struct str text)
{
    long equals = str_find(text, '=');
    if (equals < 1 || strchr("\"'[{", text.p[0]))
        return false;
    for (long i = 0; i < equals; i++)
        if (text.p[i] == ';' || text.p[i] == ' ')
            return true;
    return false;
}

static int parse_piece(struct str piece, struct value *out, struct arena *a,
                       struct err *err)
{
    piece = str_trim(piece);
    long equals = str_find(piece, '=');
    if (equals < 1)
        return err_set(err, ERR_USAGE, "`%.*s` is not of the form NAME=VALUE",
                       STRF(piece));
    struct str name = str_trim(str_n(piece.p, (size_t)equals));
    struct str text =
        str_trim(str_n(piece.p + equals + 1, piece.len - (size_t)equals - 1));
    if (value_get(out, name))
        return err_set(err, ERR_USAGE, "`%.*s` is given twice", STRF(name));
    if (!text.len)
        return err_set(err, ERR_USAGE,
                       "`%.*s` has no value; an empty text is %.*s=''",
                       STRF(piece), STRF(name));
    if (holds_another(text))
        return err_set(err, ERR_USAGE,
                       "`%.*s`: names with values are joined by commas, as in "
                       "lr=0.01,bs=16 (a value that holds this stands in "
                       "quotes)",
                       STRF(piece));
    value_set(a, out, name, parse_value(text, a));
    return 0;
}

struct value *parse_assignments(const char *text, struct arena *a,
                                struct err *err)
{
    struct str rest = str_trim(str_of(text));
    if (rest.len && rest.p[0] == '{')
        return json_parse(a, rest, "point", true, err);
    struct value *out = value_object(a);
    while (rest.len) {
        size_t n = piece_len(rest);
        if (parse_piece(str_n(rest.p, n), out, a, err))
            return NULL;
        rest = str_n(rest.p + n, rest.len - n);
        if (rest.len)
            rest = str_n(rest.p + 1, rest.len - 1);
    }
    if (!out->count) {
        err_set(err, ERR_USAGE, "`%s` names no parameter", text);
        return NULL;
    }
    return out;
}

/* ---- fixing ----------------------------------------------------------- */

static int unknown(const struct space *s, struct str name, struct arena *a,
                   struct err *err)
{
    const char **names = arena_array(a, s->count + 1, sizeof(*names));
    for (size_t i = 0; i < s->count; i++)
        names[i] = arena_cstr(a, s->params[i].name);
    const char *near = str_nearest(name, names);
    return err_set(err, ERR_USAGE, "there is no parameter `%.*s`%s%s%s",
                   STRF(name), near ? "; did you mean `" : "", near ? near : "",
                   near ? "`?" : "");
}

int fix_parameters(struct plan *p, const struct value *fixed, struct arena *a,
                   struct err *err)
{
    struct param *params = arena_array(a, p->space.count + 1, sizeof(*params));
    if (p->points)
        return err_set(err, ERR_USAGE,
                       "a study of listed points has no parameter to fix");
    if (p->space.count)
        memcpy(params, p->space.params, p->space.count * sizeof(*params));
    for (size_t i = 0; i < fixed->count; i++) {
        long at = space_find(&p->space, fixed->keys[i]);
        if (at < 0)
            return unknown(&p->space, fixed->keys[i], a, err);
        struct value *v =
            study_param_value(&params[at], fixed->items[i], true, a, err);
        if (!v)
            return -1;
        params[at].dist = DIST_CONSTANT;
        params[at].constant = v;
        params[at].values = NULL;
        params[at].probabilities = NULL;
    }
    p->space.params = params;
    return 0;
}
