/* value.c - a tree of JSON-like values in an arena */
#include "base/value.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/num.h"

static struct value *new_value(struct arena *a, enum value_kind kind)
{
    struct value *v = arena_new_of(a, struct value);
    v->kind = kind;
    return v;
}

struct value *value_null(struct arena *a)
{
    return new_value(a, VALUE_NULL);
}

struct value *value_bool(struct arena *a, bool b)
{
    struct value *v = new_value(a, VALUE_BOOL);
    v->boolean = b;
    return v;
}

struct value *value_int(struct arena *a, int64_t i)
{
    struct value *v = new_value(a, VALUE_INT);
    v->i = i;
    return v;
}

struct value *value_double(struct arena *a, double d)
{
    struct value *v = new_value(a, VALUE_DOUBLE);
    v->d = d;
    return v;
}

struct value *value_string(struct arena *a, struct str s)
{
    struct value *v = new_value(a, VALUE_STRING);
    v->s = arena_str(a, s);
    return v;
}

struct value *value_list(struct arena *a)
{
    return new_value(a, VALUE_LIST);
}

struct value *value_object(struct arena *a)
{
    return new_value(a, VALUE_OBJECT);
}

/* A larger copy of an array of v's; the old one stays in the arena. */
static void *grown(struct arena *a, const void *old, const struct value *v,
                   size_t cap, size_t size)
{
    void *p = arena_array(a, cap, size);
    if (v->count)
        memcpy(p, old, v->count * size);
    return p;
}

static void make_room(struct arena *a, struct value *v)
{
    if (v->count < v->cap)
        return;
    size_t cap = v->cap ? v->cap * 2 : 4;
    v->items = grown(a, v->items, v, cap, sizeof(*v->items));
    if (v->kind == VALUE_OBJECT)
        v->keys = grown(a, v->keys, v, cap, sizeof(*v->keys));
    if (v->key_lines) {
        v->key_lines = grown(a, v->key_lines, v, cap, sizeof(uint32_t));
        v->key_columns = grown(a, v->key_columns, v, cap, sizeof(uint32_t));
    }
    v->cap = cap;
}

void value_list_add(struct arena *a, struct value *list, struct value *item)
{
    require(list->kind == VALUE_LIST);
    make_room(a, list);
    list->items[list->count++] = item;
}

static void set_mark(struct arena *a, struct value *object, size_t i,
                     uint32_t line, uint32_t column)
{
    if (!object->key_lines) {
        if (line == 0)
            return;
        object->key_lines = arena_array(a, object->cap, sizeof(uint32_t));
        object->key_columns = arena_array(a, object->cap, sizeof(uint32_t));
    }
    object->key_lines[i] = line;
    object->key_columns[i] = column;
}

void value_add_at(struct arena *a, struct value *object, struct str key,
                  struct value *item, uint32_t line, uint32_t column)
{
    require(object->kind == VALUE_OBJECT);
    make_room(a, object);
    size_t i = object->count++;
    object->keys[i] = key;
    object->items[i] = item;
    set_mark(a, object, i, line, column);
}

void value_set_at(struct arena *a, struct value *object, struct str key,
                  struct value *item, uint32_t line, uint32_t column)
{
    require(object->kind == VALUE_OBJECT);
    long i = value_index(object, key);
    if (i < 0) {
        value_add_at(a, object, arena_str(a, key), item, line, column);
        return;
    }
    object->items[i] = item;
    set_mark(a, object, (size_t)i, line, column);
}

void value_set(struct arena *a, struct value *object, struct str key,
               struct value *item)
{
    value_set_at(a, object, key, item, 0, 0);
}

static void drop_mark(uint32_t *marks, size_t at, size_t behind)
{
    if (marks)
        memmove(marks + at, marks + at + 1, behind * sizeof(*marks));
}

void value_drop(struct value *object, struct str key)
{
    long i = value_index(object, key);
    if (i < 0)
        return;
    size_t at = (size_t)i, behind = --object->count - at;
    memmove(object->items + at, object->items + at + 1,
            behind * sizeof(*object->items));
    memmove(object->keys + at, object->keys + at + 1,
            behind * sizeof(*object->keys));
    drop_mark(object->key_lines, at, behind);
    drop_mark(object->key_columns, at, behind);
}

struct value *value_copy(struct arena *a, const struct value *v)
{
    if (!v)
        return NULL;
    struct value *copy = new_value(a, v->kind);
    *copy = *v;
    if (v->kind == VALUE_STRING)
        copy->s = arena_str(a, v->s);
    if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT)
        return copy;
    copy->items = NULL;
    copy->keys = NULL;
    copy->key_lines = copy->key_columns = NULL;
    copy->count = copy->cap = 0;
    for (size_t i = 0; i < v->count; i++) {
        struct value *item = value_copy(a, v->items[i]);
        if (v->kind == VALUE_LIST)
            value_list_add(a, copy, item);
        else
            value_add_at(a, copy, arena_str(a, v->keys[i]), item,
                         v->key_lines ? v->key_lines[i] : 0,
                         v->key_columns ? v->key_columns[i] : 0);
    }
    return copy;
}

void value_join(struct arena *a, struct value *object, const struct value *more)
{
    for (size_t i = 0; i < more->count; i++) {
        struct value *there = value_get(object, more->keys[i]);
        if (!there)
            value_set(a, object, more->keys[i], more->items[i]);
        else if (there->kind == VALUE_OBJECT &&
                 more->items[i]->kind == VALUE_OBJECT)
            value_join(a, there, more->items[i]);
    }
}

long value_index(const struct value *object, struct str key)
{
    if (!object || object->kind != VALUE_OBJECT)
        return -1;
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->keys[i], key))
            return (long)i;
    return -1;
}

struct value *value_get(const struct value *object, struct str key)
{
    long i = value_index(object, key);
    return i < 0 ? NULL : object->items[i];
}

struct value *value_at(const struct value *list, size_t i)
{
    if (!list || list->kind != VALUE_LIST || i >= list->count)
        return NULL;
    return list->items[i];
}

bool value_is_number(const struct value *v)
{
    return v && (v->kind == VALUE_INT || v->kind == VALUE_DOUBLE);
}

double value_number(const struct value *v)
{
    if (!value_is_number(v))
        return NAN;
    return v->kind == VALUE_INT ? (double)v->i : v->d;
}

struct str value_text(const struct value *v)
{
    return v && v->kind == VALUE_STRING ? v->s : STR("");
}

static int cmp_double(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

/* Exact, also where the integer is no double. */
static int cmp_int_double(int64_t i, double d)
{
    if (isnan(d) || d >= 0x1p63)
        return -1;
    if (d < -0x1p63)
        return 1;
    int64_t whole = (int64_t)d;
    if (i != whole)
        return i < whole ? -1 : 1;
    return cmp_double((double)whole, d);
}

static int cmp_number(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_INT && b->kind == VALUE_INT)
        return (a->i > b->i) - (a->i < b->i);
    if (a->kind == VALUE_INT)
        return cmp_int_double(a->i, b->d);
    if (b->kind == VALUE_INT)
        return -cmp_int_double(b->i, a->d);
    return cmp_double(a->d, b->d);
}

static int cmp_list(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int c = value_cmp(a->items[i], b->items[i]);
        if (c)
            return c;
    }
    return (a->count > b->count) - (a->count < b->count);
}

static int cmp_members(const void *left, const void *right, void *object)
{
    const struct value *v = object;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int c = str_cmp(v->keys[a], v->keys[b]);
    return c ? c : (a > b) - (a < b);
}

size_t *value_sorted(const struct value *object)
{
    size_t *order = xmalloc(object->count * sizeof(*order));
    bool sorted = true;
    for (size_t i = 0; i < object->count; i++) {
        order[i] = i;
        sorted &= i == 0 || str_cmp(object->keys[i - 1], object->keys[i]) < 0;
    }
    if (!sorted)
        qsort_r(order, object->count, sizeof(*order), cmp_members,
                (void *)(uintptr_t)object);
    return order;
}

/* The order of members does not count: both are gone through by key. */
static int cmp_object(const struct value *a, const struct value *b)
{
    size_t *left = value_sorted(a), *right = value_sorted(b);
    int c = 0;
    for (size_t i = 0; !c && i < a->count && i < b->count; i++) {
        c = str_cmp(a->keys[left[i]], b->keys[right[i]]);
        if (!c)
            c = value_cmp(a->items[left[i]], b->items[right[i]]);
    }
    free(left);
    free(right);
    return c ? c : (a->count > b->count) - (a->count < b->count);
}

/* INT and DOUBLE share their place in the order. */
static int rank(const struct value *v)
{
    return v->kind == VALUE_DOUBLE ? VALUE_INT : (int)v->kind;
}

int value_cmp(const struct value *a, const struct value *b)
{
    if (rank(a) != rank(b))
        return rank(a) < rank(b) ? -1 : 1;
    switch (a->kind) {
    case VALUE_NULL:
        return 0;
    case VALUE_BOOL:
        return (int)a->boolean - (int)b->boolean;
    case VALUE_INT:
    case VALUE_DOUBLE:
        return cmp_number(a, b);
    case VALUE_STRING:
        return str_cmp(a->s, b->s);
    case VALUE_LIST:
        return cmp_list(a, b);
    case VALUE_OBJECT:
        return cmp_object(a, b);
    }
    return 0;
}

bool value_eq(const struct value *a, const struct value *b)
{
    if (!a || !b)
        return a == b;
    if ((a->kind == VALUE_LIST || a->kind == VALUE_OBJECT) &&
        (a->kind != b->kind || a->count != b->count))
        return false;
    return value_cmp(a, b) == 0;
}

const char *value_kind_name(enum value_kind kind)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",       [VALUE_BOOL] = "true or false",
        [VALUE_INT] = "an integer",  [VALUE_DOUBLE] = "a number",
        [VALUE_STRING] = "a string", [VALUE_LIST] = "a list",
        [VALUE_OBJECT] = "an object"};
    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind]
                                                             : "a value";
}

/* Appends one character of a quoted string; returns its length in s. */
static size_t repr_char(struct buf *b, struct str s, char quote)
{
    static const char *const names[] = {
        ['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
    unsigned char c = (unsigned char)s.p[0];
    if (c == (unsigned char)quote || c == '\\') {
        buf_addc(b, '\\');
        buf_addc(b, s.p[0]);
        return 1;
    }
    if (c < sizeof(names) / sizeof(names[0]) && names[c]) {
        buf_adds(b, names[c]);
        return 1;
    }
    size_t len = str_utf8_next(s);
    if (len == 0 || c < 0x20 || c == 0x7F) {
        buf_addf(b, "\\x%02x", c);
        return 1;
    }
    /* U+0080 to U+00A0 and the soft hyphen are not printable in Python. */
    unsigned char second = len == 2 ? (unsigned char)s.p[1] : 0;
    if (c == 0xC2 && (second <= 0xA0 || second == 0xAD))
        buf_addf(b, "\\x%02x", second);
    else
        buf_add(b, s.p, len);
    return len;
}

static void repr_string(struct buf *b, struct str s)
{
    char quote = str_find(s, '\'') >= 0 && str_find(s, '"') < 0 ? '"' : '\'';
    buf_addc(b, quote);
    while (s.len) {
        size_t n = repr_char(b, s, quote);
        s = str_n(s.p + n, s.len - n);
    }
    buf_addc(b, quote);
}

static void repr_items(struct buf *b, const struct value *v)
{
    for (size_t i = 0; i < v->count; i++) {
        if (i > 0)
            buf_adds(b, ", ");
        if (v->kind == VALUE_OBJECT) {
            repr_string(b, v->keys[i]);
            buf_adds(b, ": ");
        }
        value_python_repr(b, v->items[i]);
    }
}

void value_python_repr(struct buf *b, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        buf_adds(b, "None");
        break;
    case VALUE_BOOL:
        buf_adds(b, v->boolean ? "True" : "False");
        break;
    case VALUE_INT:
        num_print_int(b, v->i);
        break;
    case VALUE_DOUBLE:
        num_print(b, v->d);
        break;
    case VALUE_STRING:
        repr_string(b, v->s);
        break;
    case VALUE_LIST:
        buf_addc(b, '[');
        repr_items(b, v);
        buf_addc(b, ']');
        break;
    case VALUE_OBJECT:
        buf_addc(b, '{');
        repr_items(b, v);
        buf_addc(b, '}');
        break;
    }
}

void value_python_str(struct buf *b, const struct value *v)
{
    if (v->kind == VALUE_STRING)
        buf_addstr(b, v->s);
    else
        value_python_repr(b, v);
}

const struct value *value_along(const struct value *v, struct str path)
{
    while (path.len && v) {
        size_t n = 0;
        const struct value *next = NULL;
        if (path.p[0] == '[') {
            int64_t i;
            while (n < path.len && path.p[n] != ']')
                n++;
            if (!num_int(str_n(path.p + 1, n - 1), &i) || i < 0)
                return v;
            next = value_at(v, (size_t)i);
            n += n < path.len;
        } else {
            while (n < path.len && path.p[n] != '.' && path.p[n] != '[')
                n++;
            next = value_get(v, str_n(path.p, n));
        }
        if (!next)
            return v;
        v = next;
        n += n < path.len && path.p[n] == '.';
        path = str_n(path.p + n, path.len - n);
    }
    return v;
}
