/* value.h - a tree of JSON-like values in an arena
 *
 * Objects keep the order in which their members were added. A value that
 * was read from a text knows its line and column (from 1; 0: unknown).
 * Values are built once and then read; they share freely. */
#ifndef THRONG_BASE_VALUE_H
#define THRONG_BASE_VALUE_H

#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum value_kind {
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,    /* int64_t */
    VALUE_DOUBLE, /* also NaN and infinities */
    VALUE_STRING,
    VALUE_LIST,
    VALUE_OBJECT,
};

struct value {
    enum value_kind kind;
    uint32_t line, column;
    union {
        bool boolean;
        int64_t i;
        double d;
        struct str s;
        struct {
            struct value **items; /* LIST and OBJECT */
            struct str *keys;     /* OBJECT only */
            uint32_t *key_lines;  /* OBJECT: line of each key, or NULL */
            uint32_t *key_columns;
            size_t count, cap;
        };
    };
};

struct value *value_null(struct arena *a);
struct value *value_bool(struct arena *a, bool b);
struct value *value_int(struct arena *a, int64_t i);
struct value *value_double(struct arena *a, double d);
struct value *value_string(struct arena *a, struct str s); /* copied */
struct value *value_list(struct arena *a);
struct value *value_object(struct arena *a);
void value_list_add(struct arena *a, struct value *list, struct value *item);
/* Adds a member, or replaces the one of that name. The key is copied. */
void value_set(struct arena *a, struct value *object, struct str key,
               struct value *item);
/* As value_set but remembers where the key stood in the text. */
void value_set_at(struct arena *a, struct value *object, struct str key,
                  struct value *item, uint32_t line, uint32_t column);
/* The member of that name, if there is one, is no longer in it. */
void value_drop(struct value *object, struct str key);
/* As value_set_at for a reader that knows the key to be new and its text to
 * live as long as the value: no search, no copy. */
void value_add_at(struct arena *a, struct value *object, struct str key,
                  struct value *item, uint32_t line, uint32_t column);
struct value *value_copy(struct arena *a, const struct value *v); /* deep */

/* Adds the members of `more` that the object does not have, also inside of
 * objects that both have; those are shared. */
void value_join(struct arena *a, struct value *object,
                const struct value *more);

/* NULL when absent or when object is NULL or no object. */
struct value *value_get(const struct value *object, struct str key);
struct value *value_at(const struct value *list, size_t i);
/* What a path such as layers[3].filters names in it, or the nearest one above
 * that. */
const struct value *value_along(const struct value *v, struct str path);
long value_index(const struct value *object, struct str key); /* -1: none */
/* The object's member numbers by key; yours to free. */
size_t *value_sorted(const struct value *object);
bool value_is_number(const struct value *v); /* INT or DOUBLE */
double value_number(const struct value *v);  /* of a number, else NaN */
/* The text of a STRING, else an empty str. */
struct str value_text(const struct value *v);
/* 1 == 1.0, NaN == NaN, true != 1; the order of members does not count. */
bool value_eq(const struct value *a, const struct value *b);
/* A total order: null < bool < number < string < list < object; NaN last
 * among numbers. */
int value_cmp(const struct value *a, const struct value *b);
const char *value_kind_name(enum value_kind kind); /* "a number", … */

/* Python's str() of a value (strings bare) and repr() (strings quoted), as
 * W&B prints arguments: True, None, 1e-05, {'lr': 0.01}, [1, 'a']. */
void value_python_str(struct buf *b, const struct value *v);
void value_python_repr(struct buf *b, const struct value *v);

#endif
