/* mbo.c - search spaces of the mlrMBO workflow, written in R
 *
 * The part of R that such files need: one makeParamSet of makeDiscreteParam,
 * makeIntegerParam and makeNumericParam, with values in c() or list(), bounds
 * and a trafo of the form base^x. The text is taken apart by a scanner and a
 * parser of its own; what is not in that part is refused at its place, and
 * nothing is run. */
#include "candle/space.h"

#include <math.h>
#include "base/chars.h"
#include "base/num.h"

#define POWERS_MAX 1000 /* values of an integer with a trafo */

enum token {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_SIGN, /* one or two characters */
    TOKEN_BAD,  /* a problem was added */
};

struct rtext {
    struct space_reading *space;
    const char *p, *end;
    uint32_t line, column; /* of `counted` */
    const char *counted;
    bool quiet; /* only looks ahead */
    /* The token at hand. */
    enum token token;
    struct str text; /* of a name, a sign; a string's, unescaped */
    double number;
    bool suffix; /* the number ends in L */
    uint32_t at_line, at_column;
    bool failed;
    bool found; /* a makeParamSet */
};

/* ---- the scanner ------------------------------------------------------ */

static void count_place(struct rtext *t)
{
    for (; t->counted < t->p; t->counted++) {
        t->line += *t->counted == '\n';
        t->column = *t->counted == '\n'
                        ? 1
                        : t->column + ((*t->counted & 0xc0) != 0x80);
    }
    t->at_line = t->line;
    t->at_column = t->column;
}

/* A problem at the token at hand; only the first one counts, since what
 * follows would be read out of step. */
__attribute__((format(printf, 3, 4))) static void *
refuse(struct rtext *t, const char *hint, const char *fmt, ...)
{
    struct reading *r = &t->space->reading;
    va_list ap;

    t->token = TOKEN_BAD;
    if (t->failed || t->quiet)
        return NULL;
    t->failed = true;
    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){.level = PROBLEM_ERROR,
                                   .file = r->file,
                                   .line = t->at_line,
                                   .column = t->at_column,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
    return NULL;
}

static void skip(struct rtext *t)
{
    for (; t->p < t->end; t->p++) {
        if (*t->p == '#')
            while (t->p + 1 < t->end && t->p[1] != '\n')
                t->p++;
        else if (!strchr(" \t\r\f\n", *t->p))
            break;
    }
}

static bool is_name_letter(char c)
{
    return is_letter(c) || c == '.' || c == '_' || (unsigned char)c >= 0x80;
}

static void scan_name(struct rtext *t)
{
    const char *begin = t->p;

    while (t->p < t->end && (is_name_letter(*t->p) || is_digit(*t->p)))
        t->p++;
    t->token = TOKEN_NAME;
    t->text = str_n(begin, (size_t)(t->p - begin));
}

static void scan_number(struct rtext *t)
{
    const char *begin = t->p;
    struct str s;
    uint64_t hex = 0;

    if (*t->p == '0' && t->p + 1 < t->end && (t->p[1] | 0x20) == 'x')
        for (t->p += 2;
             t->p < t->end && strchr("0123456789abcdefABCDEF", *t->p) &&
             hex < (uint64_t)1 << 52;
             t->p++)
            hex = hex * 16 + (uint64_t)(is_digit(*t->p)
                                            ? *t->p - '0'
                                            : (*t->p | 0x20) - 'a' + 10);
    else
        while (t->p < t->end &&
               (is_digit(*t->p) || *t->p == '.' || (*t->p | 0x20) == 'e' ||
                ((*t->p == '-' || *t->p == '+') && t->p > begin &&
                 (t->p[-1] | 0x20) == 'e')))
            t->p++;
    s = str_n(begin, (size_t)(t->p - begin));
    t->token = TOKEN_NUMBER;
    t->number = (double)hex;
    if (!(s.len > 2 && (s.p[1] | 0x20) == 'x') && !num_double(s, &t->number)) {
        refuse(t, NULL, "%s is no number", shown(t->space->reading.arena, s));
        return;
    }
    t->suffix = t->p < t->end && *t->p == 'L';
    t->p += t->suffix;
    if (t->p < t->end && is_name_letter(*t->p))
        refuse(t, NULL, "a number cannot go on with %c", *t->p);
}

static bool escape(struct rtext *t, struct buf *b)
{
    static const char from[] = "nrt0\\\"'`ab", to[] = "\n\r\t\0\\\"'`\a\b";
    const char *found = *t->p ? strchr(from, *t->p) : NULL;

    if (!found || *t->p == '0') {
        refuse(t, "write the character itself",
               "the escape \\%c is not read here", *t->p);
        return false;
    }
    buf_addc(b, to[found - from]);
    t->p++;
    return true;
}

static void scan_string(struct rtext *t)
{
    char quote = *t->p++;
    struct buf b;

    buf_init(&b);
    while (t->p < t->end && *t->p != quote && *t->p != '\n') {
        if (*t->p != '\\') {
            buf_addc(&b, *t->p++);
            continue;
        }
        t->p++;
        if (t->p == t->end || !escape(t, &b))
            break;
    }
    if (t->p == t->end || *t->p != quote) {
        refuse(t, NULL, "the text that begins here has no end");
    } else {
        t->p++;
        t->token = TOKEN_STRING;
        t->text = arena_str(t->space->reading.arena, buf_str(&b));
    }
    buf_done(&b);
}

static void scan_sign(struct rtext *t)
{
    static const char *const pairs[] = {
        "<-", "::", "**", "->", "==", "<=", ">=", "!=", "|>"};
    size_t len = 1;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (t->end - t->p >= 2 && !memcmp(t->p, pairs[i], 2))
            len = 2;
    t->token = TOKEN_SIGN;
    t->text = str_n(t->p, len);
    t->p += len;
}

static void next(struct rtext *t)
{
    if (t->failed) {
        t->token = TOKEN_BAD;
        return;
    }
    skip(t);
    count_place(t);
    t->text = STR("");
    if (t->p == t->end)
        t->token = TOKEN_END;
    else if (*t->p == '"' || *t->p == '\'')
        scan_string(t);
    else if (is_digit(*t->p) ||
             (*t->p == '.' && t->p + 1 < t->end && is_digit(t->p[1])))
        scan_number(t);
    else if (is_name_letter(*t->p))
        scan_name(t);
    else
        scan_sign(t);
}

/* The scanner behind the next token; mistakes there are not said yet. */
static struct rtext look_ahead(const struct rtext *t)
{
    struct rtext ahead = *t;

    ahead.quiet = true;
    next(&ahead);
    return ahead;
}

/* ---- the parser: small things ----------------------------------------- */

static bool is_sign(const struct rtext *t, const char *sign)
{
    return t->token == TOKEN_SIGN && str_is(t->text, sign);
}

static bool is_name(const struct rtext *t, const char *name)
{
    return t->token == TOKEN_NAME && str_is(t->text, name);
}

static const char *token_words(struct rtext *t)
{
    struct arena *a = t->space->reading.arena;

    switch (t->token) {
    case TOKEN_END:
        return "the end of the file";
    case TOKEN_STRING:
        return arena_printf(a, "\"%s\"", shown(a, t->text));
    case TOKEN_NUMBER:
        return arena_printf(a, "%.17g", t->number);
    default:
        return shown(a, t->text);
    }
}

static bool expect(struct rtext *t, const char *sign)
{
    if (is_sign(t, sign)) {
        next(t);
        return true;
    }
    refuse(t, NULL, "expected %s before %s", sign, token_words(t));
    return false;
}

static struct value *placed(const struct rtext *t, struct value *v)
{
    v->line = t->at_line;
    v->column = t->at_column;
    return v;
}

/* ---- the parser: values ----------------------------------------------- */

/* The argument of a constructor. */
struct argument {
    struct value *value; /* a scalar or a list; NULL: not given */
    double base;         /* of a trafo base^x; 0: none */
};

static struct value *number_value(struct rtext *t, double d)
{
    struct arena *a = t->space->reading.arena;

    return d == floor(d) && fabs(d) <= 0x1p53 ? value_int(a, (int64_t)d)
                                              : value_double(a, d);
}

static struct value *take_number(struct rtext *t, double sign)
{
    struct value *v = placed(t, number_value(t, sign * t->number));

    next(t);
    return v;
}

static struct value *read_word(struct rtext *t)
{
    struct arena *a = t->space->reading.arena;
    struct value *v = NULL;

    if (is_name(t, "TRUE") || is_name(t, "T"))
        v = value_bool(a, true);
    else if (is_name(t, "FALSE") || is_name(t, "F"))
        v = value_bool(a, false);
    if (!v)
        return refuse(t,
                      str_starts(t->text, STR("make"))
                          ? "is a ) missing before it?"
                          : "nothing in the file is run: write the value "
                            "itself",
                      "%s is not among what is read here: numbers, texts, "
                      "TRUE, FALSE, c(), list() and a:b",
                      token_words(t));
    placed(t, v);
    next(t);
    return v;
}

static struct value *read_scalar(struct rtext *t)
{
    struct arena *a = t->space->reading.arena;
    struct value *v;

    if (is_sign(t, "-") || is_sign(t, "+")) {
        double sign = is_sign(t, "-") ? -1 : 1;

        next(t);
        if (t->token != TOKEN_NUMBER)
            return refuse(t, NULL, "expected a number before %s",
                          token_words(t));
        return take_number(t, sign);
    }
    if (t->token == TOKEN_NUMBER)
        return take_number(t, 1);
    if (t->token == TOKEN_STRING) {
        v = placed(t, value_string(a, t->text));
        next(t);
        return v;
    }
    return read_word(t);
}

/* first:last, with the first read already. */
static struct value *read_sequence(struct rtext *t, struct value *first)
{
    struct arena *a = t->space->reading.arena;
    struct value *list = value_list(a), *last;
    int64_t i, step;

    list->line = first->line;
    list->column = first->column;
    next(t);
    last = read_scalar(t);
    if (!last)
        return NULL;
    if (first->kind != VALUE_INT || last->kind != VALUE_INT ||
        llabs(first->i - last->i) >= POWERS_MAX)
        return refuse(t, NULL,
                      "a:b is read for whole numbers, at most %d of them",
                      POWERS_MAX);
    step = first->i <= last->i ? 1 : -1;
    for (i = first->i; i != last->i + step; i += step) {
        struct value *v = value_int(a, i);

        v->line = first->line;
        v->column = first->column;
        value_list_add(a, list, v);
    }
    return list;
}

static bool is_operator(const struct rtext *t)
{
    static const char *const signs[] = {
        "+", "-",  "*", "/", "^",  "**", "%", "<",
        ">", "==", "|", "&", "|>", "[",  "$"};
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (is_sign(t, signs[i]))
            return true;
    return false;
}

/* A scalar or a sequence; no calculation. */
static struct value *read_plain(struct rtext *t)
{
    struct value *v = read_scalar(t);

    if (v && is_sign(t, ":"))
        v = read_sequence(t, v);
    if (v && is_operator(t))
        return refuse(t, "write the result of the calculation",
                      "nothing is calculated here: %s", token_words(t));
    return v;
}

/* R's c() makes all of one type: text, else numbers, else truth values. */
static void unify(struct rtext *t, struct value *list)
{
    struct arena *a = t->space->reading.arena;
    bool text = false, real = false;
    struct buf b;

    for (size_t i = 0; i < list->count; i++) {
        text |= list->items[i]->kind == VALUE_STRING;
        real |= list->items[i]->kind == VALUE_DOUBLE;
    }
    buf_init(&b);
    for (size_t i = 0; i < list->count; i++) {
        struct value *v = list->items[i], *made = v;

        if (text && v->kind == VALUE_BOOL)
            made = value_string(a, v->boolean ? STR("TRUE") : STR("FALSE"));
        else if (text && v->kind != VALUE_STRING) {
            buf_reset(&b);
            value_python_str(&b, v);
            made = value_string(a, buf_str(&b));
        } else if (real && v->kind == VALUE_INT)
            made = value_double(a, (double)v->i);
        made->line = v->line;
        made->column = v->column;
        list->items[i] = made;
    }
    buf_done(&b);
}

static bool add_part(struct rtext *t, struct value *list, struct value *v)
{
    struct arena *a = t->space->reading.arena;

    if (!v)
        return false;
    if (v->kind != VALUE_LIST)
        value_list_add(a, list, v);
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++)
        value_list_add(a, list, v->items[i]);
    return true;
}

/* What stands behind "c(" or "list(". */
static struct value *read_vector(struct rtext *t)
{
    struct value *list = placed(t, value_list(t->space->reading.arena));
    bool same = is_name(t, "c");

    next(t);
    if (!expect(t, "("))
        return NULL;
    while (!is_sign(t, ")")) {
        if (list->count && !expect(t, ","))
            return NULL;
        if (t->token == TOKEN_NAME && !is_name(t, "TRUE") &&
            !is_name(t, "FALSE") && !is_name(t, "T") && !is_name(t, "F"))
            return refuse(t, "write the values alone",
                          "values with names, and other calls, are not read "
                          "here: %s",
                          token_words(t));
        if (!add_part(t, list, read_plain(t)))
            return NULL;
    }
    next(t);
    if (same)
        unify(t, list);
    return list;
}

/* ---- the parser: trafo ------------------------------------------------ */

static void *refuse_trafo(struct rtext *t)
{
    return refuse(t, "as in trafo = function(x) 2^x",
                  "a trafo is read only as a number to the power of its "
                  "argument; here is %s",
                  token_words(t));
}

/* "function(x) 2^x" or "\(x) 2^x", also in braces or parentheses. */
static bool read_trafo(struct rtext *t, double *base)
{
    struct str name;
    size_t open = 0;
    bool braces[8];

    if (!is_name(t, "function") && !is_sign(t, "\\"))
        return refuse_trafo(t);
    next(t);
    if (!expect(t, "("))
        return false;
    name = t->text;
    if (t->token != TOKEN_NAME)
        return refuse_trafo(t);
    next(t);
    if (!expect(t, ")"))
        return false;
    for (; open < 8 && (is_sign(t, "{") || is_sign(t, "(")); next(t))
        braces[open++] = is_sign(t, "{");
    *base = t->number;
    if (t->token != TOKEN_NUMBER || !(*base > 0) || *base == 1)
        return refuse_trafo(t);
    next(t);
    if (!is_sign(t, "^") && !is_sign(t, "**"))
        return refuse_trafo(t);
    next(t);
    if (t->token != TOKEN_NAME || !str_eq(t->text, name))
        return refuse_trafo(t);
    next(t);
    while (open > 0)
        if (!expect(t, braces[--open] ? "}" : ")"))
            return false;
    return !is_operator(t) || refuse_trafo(t);
}

/* ---- the parser: constructors ----------------------------------------- */

enum { ID, LOWER, UPPER, VALUES, TRAFO, DEFAULT, ARGUMENTS };
static const char *const argument_names[] = {
    "id", "lower", "upper", "values", "trafo", "default", NULL};

static const struct constructor {
    const char *name;
    int places[4]; /* what arguments without a name mean; -1 ends them */
    enum { CHOICE, INTEGERS, REALS, LOGICAL } kind;
} constructors[] = {
    {"makeDiscreteParam", {ID, VALUES, -1}, CHOICE},
    {"makeIntegerParam", {ID, LOWER, UPPER, -1}, INTEGERS},
    {"makeNumericParam", {ID, LOWER, UPPER, -1}, REALS},
    {"makeLogicalParam", {ID, -1}, LOGICAL},
};
#define CONSTRUCTORS (sizeof(constructors) / sizeof(*constructors))

static int argument_index(struct rtext *t, const struct constructor *c)
{
    struct arena *a = t->space->reading.arena;
    bool bounds = c->kind == INTEGERS || c->kind == REALS;

    for (int i = 0; i < ARGUMENTS; i++) {
        bool fits = i == LOWER || i == UPPER || i == TRAFO ? bounds
                    : i == VALUES                          ? c->kind == CHOICE
                                                           : true;
        if (fits && str_is(t->text, argument_names[i]))
            return i;
    }
    refuse(t, "read are id, lower, upper, values and trafo",
           "the argument '%s' of %s is not read here", shown(a, t->text),
           c->name);
    return -1;
}

/* True when the name at hand is that of an argument: "=" follows. */
static bool is_named(const struct rtext *t)
{
    struct rtext ahead = look_ahead(t);

    return t->token == TOKEN_NAME && is_sign(&ahead, "=");
}

static bool read_argument(struct rtext *t, const struct constructor *c,
                          size_t *place, struct argument *list)
{
    int i;

    if (is_named(t)) {
        i = argument_index(t, c);
        if (i < 0)
            return false;
        if (list[i].value || list[i].base > 0) {
            refuse(t, NULL, "%s is given twice", argument_names[i]);
            return false;
        }
        next(t);
        next(t);
    } else { /* as R does it: names first, then what is left, in order */
        while (c->places[*place] >= 0 && list[c->places[*place]].value)
            ++*place;
        i = c->places[*place];
        if (i < 0) {
            refuse(t,
                   str_starts(t->text, STR("make"))
                       ? "is a ) missing before it?"
                       : "name the arguments, as in lower = 1",
                   "%s has too many arguments without a name", c->name);
            return false;
        }
        ++*place;
    }
    if (i == TRAFO)
        return read_trafo(t, &list[i].base);
    list[i].value =
        is_name(t, "c") || is_name(t, "list") ? read_vector(t) : read_plain(t);
    return list[i].value != NULL;
}

/* ---- from arguments to a parameter ------------------------------------ */

static struct value *made(const struct value *at, struct value *v)
{
    v->line = at->line;
    v->column = at->column;
    return v;
}

/* Whole powers as a list in order: neighbours are alike. */
static struct value *power_list(struct rtext *t, const struct value *low,
                                const struct value *high, double base,
                                const struct value *at)
{
    struct space_reading *s = t->space;
    struct arena *a = s->reading.arena;
    struct value *list = made(at, value_list(a)), *param;

    if (high->i - low->i >= POWERS_MAX ||
        fabs(pow(base, (double)low->i)) > 0x1p53 ||
        fabs(pow(base, (double)high->i)) > 0x1p53) {
        problem_at(&s->reading, PROBLEM_ERROR, high,
                   "bounds of a parameter with a trafo are exponents",
                   "%.9g to this power is too large", base);
        return NULL;
    }
    for (int64_t i = low->i; i <= high->i; i++)
        value_list_add(a, list,
                       made(at, number_value(t, pow(base, (double)i))));
    unify(t, list);
    param = space_choice(s, list, at);
    if (list->count > 1)
        space_put(s, param, "ordered", value_bool(a, true), at);
    return param;
}

static bool check_bounds(struct rtext *t, const struct constructor *c,
                         const struct value *at, const struct argument *list)
{
    struct reading *r = &t->space->reading;

    for (int i = LOWER; i <= UPPER; i++) {
        const struct value *v = list[i].value;

        if (v && value_is_number(v) &&
            (c->kind == REALS || v->kind == VALUE_INT))
            continue;
        problem_at(r, PROBLEM_ERROR, v ? v : at, "as in lower = 1, upper = 10",
                   "%s of %s must be a %snumber", argument_names[i], c->name,
                   c->kind == INTEGERS ? "whole " : "");
        return false;
    }
    if (value_number(list[LOWER].value) <= value_number(list[UPPER].value))
        return true;
    problem_at(r, PROBLEM_ERROR, list[LOWER].value, "exchange them",
               "lower is above upper");
    return false;
}

static struct value *range_of(struct rtext *t, const struct constructor *c,
                              const struct value *at,
                              const struct argument *list)
{
    struct space_reading *s = t->space;
    struct arena *a = s->reading.arena;
    struct value *low = list[LOWER].value, *high = list[UPPER].value;
    double base = list[TRAFO].base, x, y;

    if (!check_bounds(t, c, at, list))
        return NULL;
    if (base > 0 && c->kind == INTEGERS)
        return power_list(t, low, high, base, at);
    if (c->kind == INTEGERS)
        return space_integers(s, low, high, at);
    if (!(base > 0))
        return space_reals(s, "uniform", low, high, at);
    x = pow(base, value_number(low));
    y = pow(base, value_number(high));
    if (!isfinite(fmax(x, y)) || !(fmin(x, y) > 0)) {
        problem_at(&s->reading, PROBLEM_ERROR, high,
                   "bounds of a parameter with a trafo are exponents",
                   "%.9g to this power is no number", base);
        return NULL;
    }
    return space_reals(s, "log_uniform_values",
                       made(low, value_double(a, fmin(x, y))),
                       made(high, value_double(a, fmax(x, y))), at);
}

static struct value *choice_of(struct rtext *t, const struct value *at,
                               struct value *values)
{
    struct value *list = values;
    struct reading *r = &t->space->reading;

    if (!values || (values->kind == VALUE_LIST && values->count == 0)) {
        problem_at(r, PROBLEM_ERROR, values ? values : at,
                   "as in values = c(\"adam\", \"sgd\")",
                   "makeDiscreteParam needs values");
        return NULL;
    }
    if (values->kind != VALUE_LIST) {
        list = made(values, value_list(r->arena));
        value_list_add(r->arena, list, values);
    }
    return space_choice(t->space, list, at);
}

static struct value *truth_values(struct rtext *t, const struct value *at)
{
    struct arena *a = t->space->reading.arena;
    struct value *list = made(at, value_list(a));

    value_list_add(a, list, made(at, value_bool(a, false)));
    value_list_add(a, list, made(at, value_bool(a, true)));
    return space_choice(t->space, list, at);
}

static struct value *param_of(struct rtext *t, const struct constructor *c,
                              const struct value *at,
                              const struct argument *list)
{
    if (c->kind == LOGICAL)
        return truth_values(t, at);
    return c->kind == CHOICE ? choice_of(t, at, list[VALUES].value)
                             : range_of(t, c, at, list);
}

static bool make_param(struct rtext *t, const struct constructor *c,
                       const struct value *at, const struct argument *list)
{
    const struct value *id = list[ID].value;

    if (!id || id->kind != VALUE_STRING || id->s.len == 0) {
        problem_at(&t->space->reading, PROBLEM_ERROR, id ? id : at,
                   "as in makeIntegerParam(\"epochs\", lower = 1, upper = 5)",
                   "the first argument of %s must be the name of the "
                   "parameter",
                   c->name);
        return false;
    }
    space_add(t->space, id, param_of(t, c, at, list));
    return true;
}

/* ---- the parser: the whole -------------------------------------------- */

static const struct constructor *find_constructor(struct rtext *t)
{
    struct arena *a = t->space->reading.arena;
    const char *names[CONSTRUCTORS + 1] = {0};
    const char *near, *hint = "read are makeDiscreteParam, makeIntegerParam, "
                              "makeNumericParam and makeLogicalParam";

    for (size_t i = 0; i < CONSTRUCTORS; i++) {
        names[i] = constructors[i].name;
        if (is_name(t, names[i]))
            return &constructors[i];
    }
    if (t->token != TOKEN_NAME)
        return refuse(t, hint, "expected a parameter before %s",
                      token_words(t));
    near = str_nearest(t->text, names);
    if (near)
        hint = arena_printf(a, "did you mean %s?", near);
    return refuse(t, hint, "%s is not read here", token_words(t));
}

/* A name, without the "package::" in front of it. */
static void skip_package(struct rtext *t)
{
    struct rtext ahead = look_ahead(t);

    if (t->token != TOKEN_NAME || !is_sign(&ahead, "::"))
        return;
    next(t);
    next(t);
}

static bool read_param(struct rtext *t)
{
    struct argument list[ARGUMENTS] = {{0}};
    const struct constructor *c;
    struct value *at;
    size_t place = 0;
    bool first = true;

    skip_package(t);
    at = placed(t, value_null(t->space->reading.arena));
    c = find_constructor(t);
    if (!c)
        return false;
    next(t);
    if (!expect(t, "("))
        return false;
    for (; !is_sign(t, ")"); first = false)
        if ((!first && !expect(t, ",")) || !read_argument(t, c, &place, list))
            return false;
    next(t);
    return make_param(t, c, at, list);
}

static bool read_set(struct rtext *t)
{
    bool first = true;

    if (t->found) {
        refuse(t, "put all parameters into one",
               "there is a makeParamSet before this one");
        return false;
    }
    t->found = true;
    next(t);
    if (!expect(t, "("))
        return false;
    for (; !is_sign(t, ")"); first = false)
        if ((!first && !expect(t, ",")) || !read_param(t))
            return false;
    next(t);
    return true;
}

/* library(ParamHelpers) does nothing here. */
static bool read_library(struct rtext *t)
{
    next(t);
    if (!expect(t, "("))
        return false;
    if (t->token != TOKEN_NAME && t->token != TOKEN_STRING) {
        refuse(t, NULL, "expected the name of a package before %s",
               token_words(t));
        return false;
    }
    next(t);
    return expect(t, ")");
}

static bool read_statement(struct rtext *t)
{
    struct rtext ahead;

    if (is_sign(t, ";")) {
        next(t);
        return true;
    }
    if (is_name(t, "library") || is_name(t, "require"))
        return read_library(t);
    ahead = look_ahead(t);
    if (t->token == TOKEN_NAME &&
        (is_sign(&ahead, "<-") || is_sign(&ahead, "="))) {
        next(t);
        next(t);
    }
    skip_package(t);
    if (is_name(t, "makeParamSet"))
        return read_set(t);
    refuse(t, "as in param.set <- makeParamSet(…)",
           "expected makeParamSet before %s", token_words(t));
    return false;
}

void space_read_r(struct space_reading *s)
{
    struct rtext t = {.space = s,
                      .p = s->text.p,
                      .end = s->text.p + s->text.len,
                      .line = 1,
                      .column = 1,
                      .counted = s->text.p};

    next(&t);
    while (t.token != TOKEN_END && t.token != TOKEN_BAD && read_statement(&t))
        ;
    if (!t.failed && !t.found && s->reading.problems->errors == 0)
        problem_whole(&s->reading, PROBLEM_ERROR,
                      "as in param.set <- makeParamSet(…)",
                      "there is no makeParamSet in the file");
}
