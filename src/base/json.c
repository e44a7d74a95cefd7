/* json.c - JSON in and out
 *
 * The scanner is the only reader; the parser builds values from its tokens.
 * The scanner's state is what may come next (`expect`) and, per depth, one bit
 * that says object or list. It checks everything: a text whose last token is
 * JSON_END is valid from end to end, escapes and UTF-8 included.
 *
 * What the printer writes the reader reads: bytes that are not UTF-8, and
 * NULs, are printed as U+FFFD. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/chars.h"
#include "base/num.h"

enum { DEPTH_MOST = 128 };

enum expect {
    EXPECT_VALUE,
    EXPECT_ITEM_OR_CLOSE, /* behind '[' */
    EXPECT_KEY_OR_CLOSE,  /* behind '{' */
    EXPECT_KEY,           /* behind ',' in an object */
    EXPECT_COMMA_OR_CLOSE,
    EXPECT_END,
};

void json_scan_init(struct json_scan *s, struct str text)
{
    *s = (struct json_scan){.p = text.p, .expect = EXPECT_VALUE};
    if (!text.p)
        s->p = "";
    s->end = s->p + text.len;
    s->at = s->p;
}

static enum json_token bad(struct json_scan *s, const char *at, const char *why)
{
    s->at = s->p = at;
    s->why = why;
    return JSON_BAD;
}

static bool in_object(const struct json_scan *s)
{
    unsigned d = s->depth - 1;
    return s->in_object[d / 64] >> (d % 64) & 1;
}

static void after_value(struct json_scan *s)
{
    s->expect = s->depth ? EXPECT_COMMA_OR_CLOSE : EXPECT_END;
}

static enum json_token open(struct json_scan *s, bool object)
{
    if (s->depth == DEPTH_MOST)
        return bad(s, s->at, "at most 128 levels of nesting");
    unsigned d = s->depth++;
    uint64_t bit = UINT64_C(1) << (d % 64);
    s->p++;
    if (object) {
        s->in_object[d / 64] |= bit;
        s->expect = EXPECT_KEY_OR_CLOSE;
        return JSON_OBJECT_OPEN;
    }
    s->in_object[d / 64] &= ~bit;
    s->expect = EXPECT_ITEM_OR_CLOSE;
    return JSON_LIST_OPEN;
}

static enum json_token close(struct json_scan *s)
{
    bool object = in_object(s);
    s->p++;
    s->depth--;
    after_value(s);
    return object ? JSON_OBJECT_CLOSE : JSON_LIST_CLOSE;
}

/* The four hexadecimal digits behind "\u" at p, or -1. */
static long hex4(const char *p, const char *end)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
    long v = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* What the escape at p stands for; *len is its length. -1 for a bad one. */
static long escape_code(const char *p, const char *end, size_t *len)
{
    static const char plain[] = "\"\\/bfnrt";
    static const char stands[] = "\"\\/\b\f\n\r\t";
    *len = 2;
    if (end - p < 2)
        return -1;
    if (p[1] != 'u') {
        const char *at = p[1] ? strchr(plain, p[1]) : NULL;
        return at ? stands[at - plain] : -1;
    }
    long code = hex4(p, end);
    *len = 6;
    if (code <= 0 || (code & 0xFC00) == 0xDC00)
        return -1;
    if ((code & 0xFC00) != 0xD800)
        return code;
    long low = hex4(p + 6, end);
    *len = 12;
    if (low < 0 || (low & 0xFC00) != 0xDC00)
        return -1;
    return 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
}

/* 1 for the bytes of a string that need no look: not '"', '\\', control
 * characters or parts of longer characters. */
#define R8(x) x, x, x, x, x, x, x, x
static const unsigned char plain_byte[256] = {
    R8(0), R8(0), R8(0), R8(0), 1,     1,     0, 1, 1, 1, 1, 1, /* up to '\'' */
    R8(1), R8(1), R8(1), R8(1), R8(1), R8(1), 1, 1, 1, 1, 0, 1,
    1,     1,     R8(1), R8(1), R8(1), R8(1)};
#undef R8

/* True when one of the 8 bytes is not plain. A byte is special when it is
 * below 0x20, has its top bit set, or becomes 0 by xor with '"' or '\\'; the
 * borrow of a subtraction shows in the top bit. */
static bool eight_special(const char *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    uint64_t w;
    memcpy(&w, p, sizeof(w));
    uint64_t quote = (w ^ ones * '"') - ones;
    uint64_t slash = (w ^ ones * '\\') - ones;
    uint64_t control = w - ones * 0x20;
    return ((w | quote | slash | control) & tops) != 0;
}

static const char *skip_plain(const char *p, const char *end)
{
    while (end - p >= 8 && !eight_special(p))
        p += 8;
    while (p < end && plain_byte[(unsigned char)*p])
        p++;
    return p;
}

/* Reads the string whose opening quote is at s->p; false after bad(). */
static bool scan_string(struct json_scan *s)
{
    const char *start = s->p + 1, *p = start;
    s->escaped = false;
    for (;;) {
        p = skip_plain(p, s->end);
        if (p == s->end)
            return bad(s, s->at, "a closing '\"' for this one") != JSON_BAD;
        if (*p == '"')
            break;
        size_t n;
        if (*p == '\\') {
            s->escaped = true;
            if (escape_code(p, s->end, &n) < 0)
                return bad(s, p, "a valid escape") != JSON_BAD;
        } else if ((unsigned char)*p < 0x20) {
            return bad(s, p, "control characters escaped") != JSON_BAD;
        } else {
            n = str_utf8_next(str_n(p, (size_t)(s->end - p)));
            if (n == 0)
                return bad(s, p, "valid UTF-8") != JSON_BAD;
        }
        p += n;
    }
    s->text = str_n(start, (size_t)(p - start));
    s->p = p + 1;
    return true;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

static enum json_token scan_key(struct json_scan *s)
{
    if (*s->p != '"')
        return bad(s, s->p,
                   s->expect == EXPECT_KEY ? "a key in '\"'"
                                           : "a key in '\"' or '}'");
    if (!scan_string(s))
        return JSON_BAD;
    const char *p = skip_blanks(s->p, s->end);
    if (p == s->end || *p != ':')
        return bad(s, p, "':'");
    s->p = p + 1;
    s->expect = EXPECT_VALUE;
    return JSON_KEY;
}

/* JSON wants a digit before and behind the point and no needless zeros. */
static bool strict_number(const char *p, size_t len, bool is_int)
{
    const char *end = p + len;
    p += *p == '-';
    if (!is_digit(*p) || (*p == '0' && end - p > 1 && is_digit(p[1])))
        return false;
    const char *point = is_int ? NULL : memchr(p, '.', (size_t)(end - p));
    return !point || (point + 1 < end && is_digit(point[1]));
}

static enum json_token scan_number(struct json_scan *s)
{
    bool is_int;
    struct str text = str_n(s->p, (size_t)(s->end - s->p));
    size_t len = num_scan(text, &s->d, &s->i, &is_int);
    if (len == 0 || !strict_number(s->p, len, is_int))
        return bad(s, s->at, "a number");
    if (isinf(s->d))
        return bad(s, s->at, "a number that a double can hold");
    s->p += len;
    after_value(s);
    return is_int ? JSON_INT : JSON_DOUBLE;
}

struct word {
    struct str text;
    enum json_token token;
    double d;
};

static enum json_token scan_word(struct json_scan *s)
{
    static const struct word words[] = {
        {{"true", 4}, JSON_TRUE, 0},
        {{"false", 5}, JSON_FALSE, 0},
        {{"null", 4}, JSON_NULL, 0},
        {{"NaN", 3}, JSON_DOUBLE, NAN},
        {{"Infinity", 8}, JSON_DOUBLE, INFINITY},
        {{"-Infinity", 9}, JSON_DOUBLE, -INFINITY}};
    struct str rest = str_n(s->p, (size_t)(s->end - s->p));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!str_starts(rest, words[i].text))
            continue;
        s->p += words[i].text.len;
        s->d = words[i].d;
        after_value(s);
        return words[i].token;
    }
    return bad(s, s->at, "a value");
}

static enum json_token scan_value(struct json_scan *s)
{
    switch (*s->p) {
    case '{':
        return open(s, true);
    case '[':
        return open(s, false);
    case '"':
        if (!scan_string(s))
            return JSON_BAD;
        after_value(s);
        return JSON_STRING;
    case '-':
        if (s->end - s->p > 1 && s->p[1] == 'I')
            return scan_word(s);
        return scan_number(s);
    default:
        return is_digit(*s->p) ? scan_number(s) : scan_word(s);
    }
}

static enum json_token at_end(struct json_scan *s)
{
    if (s->expect == EXPECT_END)
        return JSON_END;
    if (s->depth == 0)
        return bad(s, s->p, "a value");
    return bad(s, s->p,
               in_object(s) ? "the '}' of an object" : "the ']' of a list");
}

enum json_token json_scan_next(struct json_scan *s)
{
    const char *p = skip_blanks(s->p, s->end);
    if (s->expect == EXPECT_COMMA_OR_CLOSE && p < s->end && *p == ',') {
        s->expect = in_object(s) ? EXPECT_KEY : EXPECT_VALUE;
        p = skip_blanks(p + 1, s->end);
    }
    s->p = s->at = p;
    if (p == s->end)
        return at_end(s);
    switch (s->expect) {
    case EXPECT_VALUE:
        return scan_value(s);
    case EXPECT_ITEM_OR_CLOSE:
        return *p == ']' ? close(s) : scan_value(s);
    case EXPECT_KEY_OR_CLOSE:
        return *p == '}' ? close(s) : scan_key(s);
    case EXPECT_KEY:
        return scan_key(s);
    case EXPECT_COMMA_OR_CLOSE:
        if (*p == (in_object(s) ? '}' : ']'))
            return close(s);
        return bad(s, p, in_object(s) ? "',' or '}'" : "',' or ']'");
    default:
        return bad(s, p, "the end of the text");
    }
}

/* Where the object or list that opens at p ends, or `end`. */
static const char *behind_nested(const char *p, const char *end)
{
    static const signed char kinds[256] = {
        ['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1, ['"'] = 2};
    int depth = 0;
    for (; p < end; p++) {
        int kind = kinds[(unsigned char)*p];
        if (kind == 0)
            continue;
        if (kind == 2) {
            for (p++; p < end && *p != '"'; p++)
                p += *p == '\\';
            continue;
        }
        depth += kind;
        if (depth == 0)
            return p + 1;
    }
    return end;
}

static const char *behind_plain(const char *p, const char *end)
{
    while (p < end && *p != ',' && *p != '}' && *p != ']' &&
           (unsigned char)*p > ' ')
        p++;
    return p;
}

int json_scan_pass(struct json_scan *s, struct str *raw)
{
    const char *p = skip_blanks(s->p, s->end);
    s->p = s->at = p;
    if (p == s->end || s->expect != EXPECT_VALUE)
        return -1;
    if (*p == '{' || *p == '[')
        s->p = behind_nested(p, s->end);
    else if (*p != '"')
        s->p = behind_plain(p, s->end);
    else if (!scan_string(s))
        return -1;
    *raw = str_n(p, (size_t)(s->p - p));
    after_value(s);
    return raw->len ? 0 : -1;
}

int json_scan_skip(struct json_scan *s, enum json_token token)
{
    if (token == JSON_BAD || token == JSON_END)
        return -1;
    if (token == JSON_KEY)
        token = json_scan_next(s);
    if (token != JSON_OBJECT_OPEN && token != JSON_LIST_OPEN)
        return token == JSON_BAD ? -1 : 0;
    unsigned outside = s->depth - 1;
    while (s->depth > outside) {
        if (json_scan_next(s) == JSON_BAD)
            return -1;
    }
    return 0;
}

static void add_utf8(struct buf *b, long code)
{
    char out[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(lead[n] | code);
    buf_add(b, out, n);
}

int json_unescape(struct buf *b, struct str text)
{
    const char *p = text.p, *end = text.len ? p + text.len : p;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        const char *stop = slash ? slash : end;
        buf_add(b, p, (size_t)(stop - p));
        p = stop;
        if (p == end)
            break;
        size_t n;
        long code = escape_code(p, end, &n);
        if (code < 0)
            return -1;
        add_utf8(b, code);
        p += n;
    }
    return 0;
}

struct parser {
    struct arena *arena;
    struct json_scan scan;
    const char *name;
    bool copy, flat; /* flat: see is_flat */
    struct buf scratch;
    const char *seen; /* line and column are those of this place */
    uint32_t line, column;
};

/* Moves the mark forward to `at`. Columns count characters. */
static void move_mark(struct parser *p, const char *at)
{
    if (p->flat && p->seen < at) {
        p->column += (uint32_t)(at - p->seen);
        p->seen = at;
    }
    for (; p->seen < at; p->seen++) {
        if (*p->seen == '\n') {
            p->line++;
            p->column = 1;
        } else if (((unsigned char)*p->seen & 0xC0) != 0x80) {
            p->column++;
        }
    }
}

static int parse_error(struct parser *p, struct err *err)
{
    const struct json_scan *s = &p->scan;
    move_mark(p, s->at);
    char found[32] = "the end";
    if (s->at < s->end) {
        struct str rest = str_n(s->at, (size_t)(s->end - s->at));
        size_t n = str_utf8_next(rest);
        unsigned char c = (unsigned char)*s->at;
        if (n == 0 || c < 0x20)
            snprintf(found, sizeof(found), "the byte 0x%02x", c);
        else
            snprintf(found, sizeof(found), "'%.*s'", (int)n, s->at);
    }
    return err_set(err, ERR_INPUT, "%s:%u:%u: expected %s, found %s", p->name,
                   p->line, p->column, s->why, found);
}

/* The scanner's text as the value keeps it. */
static struct str kept_text(struct parser *p)
{
    struct str text = p->scan.text;
    if (p->scan.escaped) {
        buf_reset(&p->scratch);
        json_unescape(&p->scratch, text);
        return arena_str(p->arena, buf_str(&p->scratch));
    }
    return p->copy ? arena_str(p->arena, text) : text;
}

static struct value *parse_value(struct parser *p, enum json_token token,
                                 struct err *err);

static bool keys_rise(const struct value *object)
{
    for (size_t i = 1; i < object->count; i++)
        if (str_cmp(object->keys[i - 1], object->keys[i]) >= 0)
            return false;
    return true;
}

/* Finds a key that stands twice: the later place of the first such pair in
 * the order of the text, or -1. Small objects are compared pair by pair; what
 * we wrote ourselves is sorted. */
static long duplicate_key(const struct value *object)
{
    if (keys_rise(object))
        return -1;
    if (object->count <= 12) {
        for (size_t i = 1; i < object->count; i++)
            for (size_t j = 0; j < i; j++)
                if (str_eq(object->keys[i], object->keys[j]))
                    return (long)i;
        return -1;
    }
    size_t *order = value_sorted(object);
    long found = -1;
    for (size_t i = 1; i < object->count; i++) {
        if (!str_eq(object->keys[order[i - 1]], object->keys[order[i]]))
            continue;
        if (found < 0 || (long)order[i] < found)
            found = (long)order[i];
    }
    free(order);
    return found;
}

static int parse_object(struct parser *p, struct value *object, struct err *err)
{
    for (;;) {
        enum json_token token = json_scan_next(&p->scan);
        if (token == JSON_OBJECT_CLOSE)
            break;
        if (token == JSON_BAD)
            return parse_error(p, err);
        move_mark(p, p->scan.at);
        uint32_t line = p->line, column = p->column;
        struct str key = kept_text(p);
        struct value *item = parse_value(p, json_scan_next(&p->scan), err);
        if (!item)
            return -1;
        value_add_at(p->arena, object, key, item, line, column);
    }
    long twice = duplicate_key(object);
    if (twice < 0)
        return 0;
    return err_set(err, ERR_INPUT, "%s:%u:%u: the key \"%.*s\" stands twice",
                   p->name, object->key_lines[twice],
                   object->key_columns[twice], STRF(object->keys[twice]));
}

static int parse_list(struct parser *p, struct value *list, struct err *err)
{
    for (;;) {
        enum json_token token = json_scan_next(&p->scan);
        if (token == JSON_LIST_CLOSE)
            return 0;
        struct value *item = parse_value(p, token, err);
        if (!item)
            return -1;
        value_list_add(p->arena, list, item);
    }
}

static struct value *parse_value(struct parser *p, enum json_token token,
                                 struct err *err)
{
    if (token == JSON_BAD) {
        parse_error(p, err);
        return NULL;
    }
    move_mark(p, p->scan.at);
    struct value *v = arena_new_of(p->arena, struct value);
    v->line = p->line;
    v->column = p->column;
    switch (token) {
    case JSON_OBJECT_OPEN:
        v->kind = VALUE_OBJECT;
        return parse_object(p, v, err) ? NULL : v;
    case JSON_LIST_OPEN:
        v->kind = VALUE_LIST;
        return parse_list(p, v, err) ? NULL : v;
    case JSON_STRING:
        v->kind = VALUE_STRING;
        v->s = kept_text(p);
        break;
    case JSON_INT:
        v->kind = VALUE_INT;
        v->i = p->scan.i;
        break;
    case JSON_DOUBLE:
        v->kind = VALUE_DOUBLE;
        v->d = p->scan.d;
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        v->kind = VALUE_BOOL;
        v->boolean = token == JSON_TRUE;
        break;
    default:
        break; /* null */
    }
    return v;
}

static void parser_init(struct parser *p, struct arena *a, struct str text,
                        const char *name)
{
    *p = (struct parser){
        .arena = a, .name = name ? name : "JSON", .line = 1, .column = 1};
    json_scan_init(&p->scan, text);
    p->seen = p->scan.p;
    buf_init(&p->scratch);
}

/* One line of ASCII: places are counted without looking. */
static bool is_flat(struct str text)
{
    unsigned char other = 0;
    for (size_t i = 0; i < text.len; i++)
        other |= (unsigned char)((text.p[i] & 0x80) | (text.p[i] == '\n'));
    return !other;
}

struct value *json_parse(struct arena *a, struct str text, const char *name,
                         bool copy, struct err *err)
{
    struct parser p;
    parser_init(&p, a, text, name);
    p.copy = copy;
    p.flat = is_flat(text);
    struct value *v = parse_value(&p, json_scan_next(&p.scan), err);
    if (v && json_scan_next(&p.scan) != JSON_END) {
        parse_error(&p, err);
        v = NULL;
    }
    buf_done(&p.scratch);
    return v;
}

struct value *json_parse_next(struct arena *a, struct str *rest,
                              const char *name, struct err *err)
{
    struct parser p;
    parser_init(&p, a, *rest, name);
    struct value *v = parse_value(&p, json_scan_next(&p.scan), err);
    if (v) {
        const char *next = skip_blanks(p.scan.p, p.scan.end);
        *rest = str_n(next, (size_t)(p.scan.end - next));
    }
    buf_done(&p.scratch);
    return v;
}

/* Appends one character that is not plain; returns its length in s. */
static size_t print_special(struct buf *b, struct str s)
{
    static const char *const names[] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f",
        ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\"};
    unsigned char c = (unsigned char)s.p[0];
    size_t n = str_utf8_next(s);
    if (n == 0 || c == 0) {
        buf_adds(b, "\xEF\xBF\xBD");
        return 1;
    }
    if (n > 1)
        buf_add(b, s.p, n);
    else if (names[c])
        buf_adds(b, names[c]);
    else
        buf_addf(b, "\\u%04x", c);
    return n;
}

void json_string(struct buf *b, struct str s)
{
    const char *p = s.p, *end = s.len ? p + s.len : p;
    buf_addc(b, '"');
    while (p < end) {
        const char *stop = skip_plain(p, end);
        buf_add(b, p, (size_t)(stop - p));
        p = stop;
        if (p < end)
            p += print_special(b, str_n(p, (size_t)(end - p)));
    }
    buf_addc(b, '"');
}

void json_number(struct buf *b, double d)
{
    num_print_json(b, d);
}

static void print_value(struct buf *b, const struct value *v, bool sorted);

static void print_items(struct buf *b, const struct value *v, bool sorted)
{
    bool object = v->kind == VALUE_OBJECT;
    size_t *order = object && sorted ? value_sorted(v) : NULL;
    buf_addc(b, object ? '{' : '[');
    for (size_t i = 0; i < v->count; i++) {
        size_t at = order ? order[i] : i;
        if (i > 0)
            buf_addc(b, ',');
        if (object) {
            json_string(b, v->keys[at]);
            buf_addc(b, ':');
        }
        print_value(b, v->items[at], sorted);
    }
    buf_addc(b, object ? '}' : ']');
    free(order);
}

static void print_value(struct buf *b, const struct value *v, bool sorted)
{
    switch (v->kind) {
    case VALUE_NULL:
        buf_adds(b, "null");
        break;
    case VALUE_BOOL:
        buf_adds(b, v->boolean ? "true" : "false");
        break;
    case VALUE_INT:
        num_print_int(b, v->i);
        break;
    case VALUE_DOUBLE:
        num_print_json(b, v->d);
        break;
    case VALUE_STRING:
        json_string(b, v->s);
        break;
    case VALUE_LIST:
    case VALUE_OBJECT:
        print_items(b, v, sorted);
        break;
    }
}

void json_print(struct buf *b, const struct value *v)
{
    print_value(b, v, false);
}

void json_print_sorted(struct buf *b, const struct value *v)
{
    print_value(b, v, true);
}
