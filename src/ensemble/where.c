/* where.c - a condition on the columns of a row
 *
 *   either := both { ("or" | "||") both }
 *   both   := single { ("and" | "&&") single }
 *   single := ("not" | "!") single | "(" either ")" | number OP number
 *   number := a column | a number        OP: = == != < <= > >=
 *
 * The numeric part of the language in which trials are chosen, with its
 * meaning: a comparison with what is not a number is false, but that nan equals
 * nan. A column that there is none of is a mistake, since all rows have the
 * same. */
#include <math.h>

#include "base/chars.h"
#include "base/num.h"
#include "ensemble/keep.h"

#define DEPTH_MAX 100
#define TEXT_MAX 4096

enum where_op { EITHER, BOTH, NOT, EQ, NE, LE, LT, GE, GT };

struct operand {
    struct str name; /* empty: a number */
    double number;
    size_t column;
};

struct where {
    enum where_op op;
    struct where *left, *right;
    struct operand a, b;
};

struct reader {
    struct str all;
    size_t at;
    int depth;
    struct arena *arena;
    struct err *err;
};

static struct where *expected(struct reader *r, const char *what)
{
    err_set(r->err, ERR_INPUT, "where: column %zu: expected %s in \"%.*s\"",
            r->at + 1, what, r->all.len < 200 ? (int)r->all.len : 200,
            r->all.p);
    return NULL;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->all.len && is_blank(r->all.p[r->at]))
        r->at++;
}

static bool in_word(char c)
{
    return is_word(c) || c == '.' || c == '-' || c == '+' || c == '/' ||
           (unsigned char)c >= 128;
}

static struct str word_at(const struct reader *r)
{
    size_t end = r->at;
    while (end < r->all.len && in_word(r->all.p[end]))
        end++;
    return str_n(r->all.p + r->at, end - r->at);
}

/* Takes the word or the sign, where it stands here. */
static bool take(struct reader *r, const char *text)
{
    struct str rest = str_n(r->all.p + r->at, r->all.len - r->at);
    size_t len = strlen(text);
    bool is = in_word(text[0]) ? str_is(word_at(r), text)
                               : str_starts(rest, str_of(text));
    if (is) {
        r->at += len;
        skip_blanks(r);
    }
    return is;
}

static bool read_quoted(struct reader *r, struct operand *o)
{
    size_t from = r->at + 1, end = from;
    while (end < r->all.len && r->all.p[end] != '`')
        end++;
    if (end == r->all.len || end == from)
        return false;
    o->name = str_n(r->all.p + from, end - from);
    r->at = end + 1;
    return true;
}

static bool read_operand(struct reader *r, struct operand *o)
{
    struct str word = word_at(r);
    if (r->at < r->all.len && r->all.p[r->at] == '`') {
        if (!read_quoted(r, o))
            return false;
    } else if (!word.len) {
        return false;
    } else {
        if (!num_double(word, &o->number))
            o->name = word;
        r->at += word.len;
    }
    skip_blanks(r);
    return true;
}

static struct where *read_test(struct reader *r)
{
    static const char *const signs[] = {"==", "=", "!=", "<=", "<", ">=", ">"};
    static const enum where_op ops[] = {EQ, EQ, NE, LE, LT, GE, GT};
    struct where *w = arena_new_of(r->arena, struct where);
    if (!read_operand(r, &w->a))
        return expected(r, "a column or a number");
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
        if (take(r, signs[i])) {
            w->op = ops[i];
            return read_operand(r, &w->b) ? w
                                          : expected(r, "a column or a number");
        }
    return expected(r, "= != < <= > or >=");
}

static struct where *read_either(struct reader *r);

static struct where *read_single(struct reader *r)
{
    struct where *w = NULL;
    if (++r->depth > DEPTH_MAX)
        return expected(r, "fewer parentheses");
    if (take(r, "(")) {
        w = read_either(r);
        if (w && !take(r, ")"))
            w = expected(r, ")");
    } else if (take(r, "not") || take(r, "!")) {
        struct where *inner = read_single(r);
        w = inner ? arena_new_of(r->arena, struct where) : NULL;
        if (w)
            *w = (struct where){.op = NOT, .left = inner};
    } else {
        w = read_test(r);
    }
    r->depth--;
    return w;
}

static struct where *join(struct reader *r, enum where_op op,
                          struct where *left, struct where *right)
{
    struct where *w = arena_new_of(r->arena, struct where);
    *w = (struct where){.op = op, .left = left, .right = right};
    return right ? w : NULL;
}

static struct where *read_both(struct reader *r)
{
    struct where *w = read_single(r);
    while (w && (take(r, "and") || take(r, "&&")))
        w = join(r, BOTH, w, read_single(r));
    return w;
}

static struct where *read_either(struct reader *r)
{
    struct where *w = read_both(r);
    while (w && (take(r, "or") || take(r, "||")))
        w = join(r, EITHER, w, read_both(r));
    return w;
}

struct where *where_read(struct str text, struct arena *a, struct err *err)
{
    struct reader r = {.all = arena_str(a, text), .arena = a, .err = err};
    if (text.len > TEXT_MAX) {
        err_set(err, ERR_INPUT, "where: it has more than %d characters",
                TEXT_MAX);
        return NULL;
    }
    skip_blanks(&r);
    struct where *w = read_either(&r);
    if (w && r.at < r.all.len)
        return expected(&r, "and, or, or the end");
    return w;
}

static int bind_operand(struct operand *o, const char *const *columns,
                        size_t count, struct err *err)
{
    long at = o->name.len ? keep_column(o->name, columns, count, err) : 0;
    o->column = at < 0 ? 0 : (size_t)at;
    return at < 0 ? -1 : 0;
}

int where_bind(struct where *w, const char *const *columns, size_t count,
               struct err *err)
{
    if (w->op >= EQ)
        return bind_operand(&w->a, columns, count, err) ||
                       bind_operand(&w->b, columns, count, err)
                   ? -1
                   : 0;
    if (where_bind(w->left, columns, count, err))
        return -1;
    return w->right ? where_bind(w->right, columns, count, err) : 0;
}

static double number_of(const struct operand *o, const double *values)
{
    return o->name.len ? values[o->column] : o->number;
}

static bool compares(enum where_op op, double a, double b)
{
    switch (op) {
    case EQ:
        return a == b || (isnan(a) && isnan(b));
    case NE:
        return a != b && !(isnan(a) && isnan(b));
    case LE:
        return a <= b;
    case LT:
        return a < b;
    case GE:
        return a >= b;
    default:
        return a > b;
    }
}

bool where_test(const struct where *w, const double *values)
{
    if (w->op == NOT)
        return !where_test(w->left, values);
    if (w->op == BOTH)
        return where_test(w->left, values) && where_test(w->right, values);
    if (w->op == EITHER)
        return where_test(w->left, values) || where_test(w->right, values);
    return compares(w->op, number_of(&w->a, values), number_of(&w->b, values));
}
