/* literal.c - Python literals, and nothing else of Python
 *
 * CANDLE hands each value of a parameter file to eval(). Here nothing is
 * evaluated: strings, numbers, True, False, None, lists, tuples (which become
 * lists) and dictionaries are read; an expression, a call or a bare word is
 * refused with its place. */
#include "candle/keyword.h"

#include <math.h>

#include <stdio.h>
#include "base/chars.h"
#include "base/num.h"

#define DEPTH_MAX 100 /* as deep as JSON can be written and read again */

struct literal {
    struct arena *arena;
    const char *begin, *p, *end;
    unsigned depth; /* open brackets */
    enum literal_rule rule;
    struct literal_fault *fault;
    struct buf string;
};

static struct value *read_value(struct literal *l);

__attribute__((format(printf, 4, 5))) static struct value *
fault(struct literal *l, const char *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(l->fault->text, sizeof(l->fault->text), fmt, ap);
    va_end(ap);
    l->fault->at = (size_t)(at - l->begin);
    l->fault->hint = hint;
    return NULL;
}

/* ---- blanks and words ------------------------------------------------- */

static bool is_name(char c)
{
    return is_word(c) || (c & 0x80);
}

/* Skips blanks and comments; line ends only where Python does. */
static void skip(struct literal *l, bool lines)
{
    for (; l->p < l->end; l->p++) {
        char c = *l->p;
        if (c == '#')
            while (l->p + 1 < l->end && l->p[1] != '\n')
                l->p++;
        else if (c == '\\' && l->p + 1 < l->end && l->p[1] == '\n')
            l->p++;
        else if (!(c == ' ' || c == '\t' || c == '\f' || c == '\r' ||
                   (c == '\n' && (lines || l->depth > 0))))
            break;
    }
}

static char peek(const struct literal *l)
{
    return l->p < l->end ? *l->p : 0;
}

static struct str word_at(const struct literal *l)
{
    const char *q = l->p;

    while (q < l->end && is_name(*q))
        q++;
    return str_n(l->p, (size_t)(q - l->p));
}

/* ---- numbers ---------------------------------------------------------- */

static struct value *bad_number(struct literal *l, struct str token,
                                const char *hint)
{
    return fault(l, token.p, hint, "%s is not a number of Python's",
                 shown(l->arena, token));
}

/* All that could belong to a number: letters too, so that 3x is one token. */
static struct str number_token(struct literal *l)
{
    const char *q = l->p;
    bool hex = q + 1 < l->end && *q == '0' && (q[1] | 0x20) == 'x';

    while (q < l->end && (is_name(*q) || *q == '.')) {
        bool exponent = !hex && (*q | 0x20) == 'e';
        q++;
        if (exponent && q + 1 < l->end && (*q == '+' || *q == '-') &&
            is_digit(q[1]))
            q++;
    }
    struct str token = str_n(l->p, (size_t)(q - l->p));
    l->p = q;
    return token;
}

/* Takes the underscores out; false when one stands where Python has none. */
static bool without_underscores(struct literal *l, struct str token, bool based)
{
    struct buf *b = &l->string;

    buf_reset(b);
    for (size_t i = 0; i < token.len; i++) {
        char before = i > 0 ? token.p[i - 1] : 0;
        char after = i + 1 < token.len ? token.p[i + 1] : 0;
        if (token.p[i] != '_')
            buf_addc(b, token.p[i]);
        else if (based ? before == '_' || !is_name(after) || after == '_'
                       : !is_digit(before) || !is_digit(after))
            return false;
    }
    return true;
}

static struct value *integer(struct literal *l, struct str token, uint64_t n,
                             bool negative)
{
    if (n > (uint64_t)INT64_MAX + negative)
        return fault(l, token.p, "write it as a float or as text",
                     "the integer %s needs more than 64 bits",
                     shown(l->arena, token));
    return value_int(l->arena, negative ? (int64_t)(0 - n) : (int64_t)n);
}

/* 0x10, 0o17, 0b11 */
static struct value *based_number(struct literal *l, struct str token, int base,
                                  bool negative)
{
    uint64_t n = 0;

    if (token.len < 3 || !without_underscores(l, token, true))
        return bad_number(l, token, NULL);
    for (size_t i = 2; i < l->string.len; i++) {
        int digit = hex_digit(l->string.p[i]);
        if (digit < 0 || digit >= base)
            return bad_number(l, token, NULL);
        if (n > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return integer(l, token, UINT64_MAX, negative);
        n = n * (uint64_t)base + (uint64_t)digit;
    }
    return integer(l, token, n, negative);
}

static struct value *decimal(struct literal *l, struct str token, bool negative)
{
    double d;
    int64_t i;
    bool is_int;
    uint64_t n;

    if (!without_underscores(l, token, false))
        return bad_number(l, token, NULL);
    struct str s = buf_str(&l->string);
    if (num_scan(s, &d, &i, &is_int) != s.len)
        return bad_number(l, token, NULL);
    bool digits = true, zero = true;
    for (size_t at = 0; at < s.len; at++) {
        digits &= is_digit(s.p[at]);
        zero &= s.p[at] == '0';
    }
    if (!digits)
        return value_double(l->arena, negative ? -d : d);
    if (*s.p == '0' && !zero)
        return bad_number(l, token, "leave out the leading zeros");
    return integer(l, token, num_uint(s, &n) ? n : UINT64_MAX, negative);
}

static struct value *read_number_token(struct literal *l, bool negative)
{
    struct str token = number_token(l);
    char kind = token.len > 1 && *token.p == '0' ? token.p[1] | 0x20 : 0;

    if (kind == 'x')
        return based_number(l, token, 16, negative);
    if (kind == 'o')
        return based_number(l, token, 8, negative);
    if (kind == 'b')
        return based_number(l, token, 2, negative);
    /* Nearly every number is a short integer. */
    if (token.len <= 18 && *token.p != '0') {
        int64_t n = 0;
        size_t i = 0;
        for (; i < token.len && is_digit(token.p[i]); i++)
            n = n * 10 + (token.p[i] - '0');
        if (i == token.len)
            return value_int(l->arena, negative ? -n : n);
    }
    return decimal(l, token, negative);
}

static struct value *signed_number(struct literal *l)
{
    const char *at = l->p;
    bool negative = *l->p++ == '-';

    skip(l, false);
    if (!is_digit(peek(l)) && peek(l) != '.')
        return fault(l, at, "a value is written out; nothing is evaluated",
                     "a sign must stand before a number");
    return read_number_token(l, negative);
}

/* base**exponent, which scripts write for 1e-2; l->p stands on the first *. */
static struct value *power(struct literal *l, const struct value *base)
{
    const char *at = l->p;
    struct value *exponent;
    double x = fabs(value_number(base)), y;

    l->p += 2;
    skip(l, false);
    bool sign = peek(l) == '-' || peek(l) == '+';
    if (!sign && !is_digit(peek(l)) && peek(l) != '.')
        return fault(l, at, "as in 10.0**-2", "a power must be a number");
    exponent = sign ? signed_number(l) : read_number_token(l, false);
    if (!exponent)
        return NULL;
    y = pow(x, value_number(exponent));
    if (value_number(base) < 0)
        y = -y; /* the sign binds less */
    if (base->kind == VALUE_INT && exponent->kind == VALUE_INT &&
        exponent->i >= 0 && fabs(y) < 0x1p53)
        return value_int(l->arena, (int64_t)y);
    if (!isfinite(y))
        return fault(l, at, NULL, "this power is no number");
    return value_double(l->arena, y);
}

static struct value *with_power(struct literal *l, struct value *number)
{
    const char *at = l->p;

    if (!number || l->rule != LITERAL_POWERS)
        return number;
    skip(l, false);
    if (l->end - l->p >= 2 && l->p[0] == '*' && l->p[1] == '*')
        return power(l, number);
    l->p = at;
    return number;
}

/* ---- strings ---------------------------------------------------------- */

static void add_utf8(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_addc(b, (char)c);
        return;
    }
    if (c < 0x800) {
        buf_addc(b, (char)(0xc0 | c >> 6));
    } else {
        if (c < 0x10000) {
            buf_addc(b, (char)(0xe0 | c >> 12));
        } else {
            buf_addc(b, (char)(0xf0 | c >> 18));
            buf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
        }
        buf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
    }
    buf_addc(b, (char)(0x80 | (c & 0x3f)));
}

/* A character by its number, `count` digits of a base (fewer for octal). */
static bool numbered(struct literal *l, const char *at, int base,
                     unsigned count)
{
    uint32_t c = 0;
    unsigned n = 0;

    for (; n < count && l->p < l->end &&
           (unsigned)hex_digit(*l->p) < (unsigned)base;
         n++)
        c = c * (uint32_t)base + (uint32_t)hex_digit(*l->p++);
    if (base == 16 && n < count)
        fault(l, at, NULL, "this escape needs %u hexadecimal digits", count);
    else if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        fault(l, at, NULL, "this escape is no character that text can hold");
    else {
        add_utf8(&l->string, c);
        return true;
    }
    return false;
}

/* What follows a backslash; l->p stands behind it. */
static bool escape(struct literal *l)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    const char *at = l->p - 1;
    char c = *l->p++;
    const char *known = c ? strchr(from, c) : NULL;

    if (known)
        buf_addc(&l->string, to[known - from]);
    else if (c >= '0' && c <= '7')
        return l->p--, numbered(l, at, 8, 3);
    else if (c == 'x' || c == 'u' || c == 'U')
        return numbered(l, at, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    else if (c == 'N' && peek(l) == '{')
        return fault(l, at, "write the character itself",
                     "characters by name are not read"),
               false;
    else if (c != '\n') {
        buf_addc(&l->string, '\\');
        buf_addc(&l->string, c);
    }
    return true;
}

/* One % of "%%"; l->p stands behind the first. */
static bool percent(struct literal *l)
{
    if (l->rule == LITERAL_PERCENT && peek(l) == '(')
        return fault(l, l->p - 1, "write the value out",
                     "references to other keys are not read"),
               false;
    if (l->rule == LITERAL_PERCENT && peek(l) != '%')
        return fault(l, l->p - 1, "write %% for one percent sign",
                     "a percent sign must be doubled"),
               false;
    l->p += l->rule == LITERAL_PERCENT;
    buf_addc(&l->string, '%');
    return true;
}

/* The string whose opening quotes begin at l->p goes to l->string. */
static bool read_quoted(struct literal *l, bool raw)
{
    const char *at = l->p;
    char quote = *l->p;
    size_t quotes =
        l->end - l->p >= 3 && l->p[1] == quote && l->p[2] == quote ? 3 : 1;
    const char ends[3] = {quote, quote, quote};

    l->p += quotes;
    while (l->p < l->end && (*l->p != '\n' || quotes == 3)) {
        if ((size_t)(l->end - l->p) >= quotes && !memcmp(l->p, ends, quotes)) {
            l->p += quotes;
            return true;
        }
        char c = *l->p++;
        bool good = true;
        if (c == '%')
            good = percent(l);
        else if (c != '\\' || l->p == l->end)
            buf_addc(&l->string, c);
        else if (!raw)
            good = escape(l);
        else {
            buf_addc(&l->string, c);
            buf_addc(&l->string, *l->p++);
        }
        if (!good)
            return false;
    }
    fault(l, at, "close it with the quote that opened it",
          "this string has no end");
    return false;
}

/* Length of the prefix of a string that begins here, -1 when none does. */
static int prefix_length(const struct literal *l)
{
    for (int n = 0; n <= 2 && l->end - l->p > n; n++) {
        char c = l->p[n];
        if (c == '\'' || c == '"')
            return n;
        if (!c || !strchr("rRuUbBfF", c))
            return -1;
    }
    return -1;
}

static bool read_piece(struct literal *l, int prefix)
{
    bool raw = false;

    for (int i = 0; i < prefix; i++) {
        char c = l->p[i] | 0x20;
        raw |= c == 'r';
        if (c == 'b' || c == 'f' || (c == 'u' && prefix > 1)) {
            fault(l, l->p, "a plain string is written 'text'",
                  "strings marked %.*s are not read", prefix, l->p);
            return false;
        }
    }
    l->p += prefix;
    return read_quoted(l, raw);
}

/* One string or several side by side, which are one. */
static struct value *read_string(struct literal *l)
{
    buf_reset(&l->string);
    for (int n = prefix_length(l); n >= 0; n = prefix_length(l)) {
        if (!read_piece(l, n))
            return NULL;
        skip(l, false);
    }
    return value_string(l->arena, buf_str(&l->string));
}

/* ---- lists, tuples, dictionaries -------------------------------------- */

static struct value *no_end(struct literal *l, const char *open)
{
    if (l->p == l->end)
        return fault(l, open,
                     "lines that go on with a value begin with a blank",
                     "this %c is never closed", *open);
    return fault(l, l->p, NULL, "expected a comma or %c before %s",
                 *open == '['   ? ']'
                 : *open == '(' ? ')'
                                : '}',
                 shown(l->arena,
                       str_n(l->p, str_utf8_next(
                                       str_n(l->p, (size_t)(l->end - l->p))))));
}

/* The items up to `close`; *commas says how many there were. */
static struct value *read_items(struct literal *l, char close, size_t *commas)
{
    const char *open = l->p++;
    struct value *list = value_list(l->arena);

    for (*commas = 0;; ++*commas) {
        skip(l, true);
        if (peek(l) == close)
            break;
        if (l->p == l->end)
            return no_end(l, open);
        struct value *item = read_value(l);
        if (!item)
            return NULL;
        value_list_add(l->arena, list, item);
        skip(l, true);
        if (peek(l) == close)
            break;
        if (peek(l) != ',')
            return no_end(l, open);
        l->p++;
    }
    l->p++;
    return list;
}

/* ( ) is an empty tuple, (1) is 1, (1,) a tuple of one. */
static struct value *read_tuple(struct literal *l)
{
    size_t commas;
    struct value *list = read_items(l, ')', &commas);

    return list && list->count == 1 && commas == 0 ? list->items[0] : list;
}

static bool read_member(struct literal *l, struct value *object,
                        struct map *seen)
{
    const char *at = l->p;
    struct value *key = read_value(l), *item;

    if (!key)
        return false;
    if (key->kind != VALUE_STRING)
        return fault(l, at, NULL, "a key of a dictionary must be a string"),
               false;
    if (map_set(seen, key->s, l))
        return fault(l, at, NULL, "the key '%s' stands here twice",
                     shown(l->arena, key->s)),
               false;
    skip(l, true);
    if (peek(l) != ':')
        return fault(l, l->p, NULL, "expected a colon behind the key"), false;
    l->p++;
    skip(l, true);
    item = read_value(l);
    if (item)
        value_add_at(l->arena, object, key->s, item, 0, 0);
    return item != NULL;
}

static struct value *read_members(struct literal *l, struct map *seen)
{
    const char *open = l->p++;
    struct value *object = value_object(l->arena);

    for (;;) {
        skip(l, true);
        if (peek(l) == '}')
            break;
        if (l->p == l->end)
            return no_end(l, open);
        if (!read_member(l, object, seen))
            return NULL;
        skip(l, true);
        if (peek(l) == '}')
            break;
        if (peek(l) != ',')
            return no_end(l, open);
        l->p++;
    }
    l->p++;
    return object;
}

static struct value *read_dictionary(struct literal *l)
{
    struct map *seen = map_new();
    struct value *object = read_members(l, seen);

    map_free(seen);
    return object;
}

static struct value *read_bracket(struct literal *l)
{
    struct value *v;
    size_t commas;

    if (l->depth == DEPTH_MAX)
        return fault(l, l->p, NULL, "nested deeper than %d", DEPTH_MAX);
    l->depth++;
    if (*l->p == '[')
        v = read_items(l, ']', &commas);
    else if (*l->p == '(')
        v = read_tuple(l);
    else
        v = read_dictionary(l);
    l->depth--;
    return v;
}

/* ---- words ------------------------------------------------------------ */

static const char *word_hint(struct str word)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {
        {"true", "write True"},   {"TRUE", "write True"},
        {"false", "write False"}, {"FALSE", "write False"},
        {"none", "write None"},   {"null", "write None"},
        {"inf", "write 1e400"},
    };
    for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
        if (str_is(word, hints[i].word))
            return hints[i].hint;
    return "text stands in quotes";
}

static struct value *expression(struct literal *l, const char *at)
{
    struct str all = str_n(l->begin, (size_t)(l->end - l->begin));

    return fault(l, at, "write the result; nothing is evaluated",
                 "an expression where a literal belongs: %s",
                 shown(l->arena, str_trim(all)));
}

static struct value *read_word(struct literal *l)
{
    struct str word = word_at(l);
    struct arena *a = l->arena;
    const char *at = l->p;

    if (at == l->end)
        return fault(l, at, NULL, "the text ends where a value belongs");
    l->p += word.len;
    if (str_is(word, "True") || str_is(word, "False"))
        return value_bool(a, *word.p == 'T');
    if (str_is(word, "None"))
        return value_null(a);
    skip(l, false);
    if (word.len > 0 && l->p < l->end && memchr("(.[+-*/", *l->p, 7))
        return expression(l, at);
    if (word.len == 0)
        return fault(l, at, NULL, "expected a value, not %s",
                     shown(a, str_n(at, 1)));
    return fault(l, at, word_hint(word), "%s is not a literal", shown(a, word));
}

/* ---- values ----------------------------------------------------------- */

static struct value *read_any(struct literal *l)
{
    char c = peek(l);

    if (c == '[' || c == '(' || c == '{')
        return read_bracket(l);
    if (is_digit(c) || (c == '.' && l->p + 1 < l->end && is_digit(l->p[1])))
        return with_power(l, read_number_token(l, false));
    if (c == '-' || c == '+')
        return with_power(l, signed_number(l));
    if (prefix_length(l) >= 0)
        return read_string(l);
    return read_word(l);
}

static struct value *read_value(struct literal *l)
{
    size_t at = (size_t)(l->p - l->begin);
    struct value *v = read_any(l);

    if (v)
        v->column = (uint32_t)at;
    return v;
}

/* 1, 2 without parentheses is a tuple too. */
static struct value *read_rest(struct literal *l, struct value *first)
{
    struct value *list = value_list(l->arena), *item;

    value_list_add(l->arena, list, first);
    while (peek(l) == ',') {
        l->p++;
        skip(l, false);
        if (l->p == l->end || *l->p == '\n')
            break;
        item = read_value(l);
        if (!item)
            return NULL;
        value_list_add(l->arena, list, item);
        skip(l, false);
    }
    return list;
}

static struct value *left_over(struct literal *l)
{
    struct str rest = str_n(l->p, (size_t)(l->end - l->p));

    if (*l->p == ';')
        return fault(l, l->p, "a comment begins with #",
                     "; ends no value and begins no comment here");
    if (memchr("+-*/%<>=!&|^@.~[(", *l->p, 17) || is_name(*l->p))
        return expression(l, l->p);
    return fault(l, l->p, NULL, "expected the end of the value before %s",
                 shown(l->arena, rest));
}

static struct value *read_whole(struct literal *l)
{
    struct value *v;

    skip(l, true);
    if (l->p == l->end)
        return fault(l, l->begin, "None stands for no value",
                     "there is no value here");
    v = read_value(l);
    if (!v)
        return NULL;
    skip(l, false);
    if (peek(l) == ',')
        v = read_rest(l, v);
    if (!v)
        return NULL;
    skip(l, true);
    return l->p == l->end ? v : left_over(l);
}

struct value *literal_read(struct arena *a, struct str text,
                           enum literal_rule rule, struct literal_fault *f)
{
    struct literal l = {.arena = a,
                        .begin = text.p,
                        .p = text.p,
                        .end = text.p + text.len,
                        .rule = rule,
                        .fault = f};
    struct value *v;

    buf_init(&l.string);
    v = read_whole(&l);
    buf_done(&l.string);
    return v;
}

struct value *candle_literal(struct str text, struct arena *a, struct err *err)
{
    struct literal_fault f = {0};
    struct value *v = NULL;
    size_t bad = str_bad_byte(text);

    if (bad < text.len) {
        err_set(err, ERR_INPUT, "at byte %zu: this is not UTF-8 text", bad + 1);
        return NULL;
    }
    v = literal_read(a, text, LITERAL_PLAIN, &f);
    if (!v)
        err_set(err, ERR_INPUT, "at byte %zu: %s%s%s%s", f.at + 1, f.text,
                f.hint ? " (" : "", f.hint ? f.hint : "", f.hint ? ")" : "");
    return v;
}
