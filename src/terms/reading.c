/* reading.c - one value of a known kind, or a problem that says what was
 * expected */
#include "terms/reading.h"

#include <math.h>
#include "base/num.h"

#define NAMES_SHOWN_MAX 30

/* ---- problems --------------------------------------------------------- */

void problem_at(const struct reading *r, enum problem_level level,
                const struct value *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){.level = level,
                                   .file = r->file,
                                   .line = at ? at->line : 0,
                                   .column = at ? at->column : 0,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

void problem_at_key(const struct reading *r, enum problem_level level,
                    const struct value *object, size_t i, const char *hint,
                    const char *fmt, ...)
{
    va_list ap;
    bool known = object->key_lines && object->key_columns;

    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){
                      .level = level,
                      .file = r->file,
                      .line = known ? object->key_lines[i] : object->line,
                      .column = known ? object->key_columns[i] : object->column,
                      .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

void problem_whole(const struct reading *r, enum problem_level level,
                   const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(
        r->problems,
        (struct problem){.level = level, .file = r->file, .hint = str_of(hint)},
        fmt, ap);
    va_end(ap);
}

bool problems_full(const struct reading *r)
{
    return r->problems->list.len >= PROBLEMS_MAX;
}

/* The text of a buffer moves into the arena. */
static const char *moved(struct arena *a, struct buf *b)
{
    const char *text = arena_cstr(a, buf_str(b));

    buf_done(b);
    return text;
}

static const char *one_of(const struct reading *r, const char *const *names)
{
    struct buf b;

    if (!*names)
        return NULL;
    buf_init(&b);
    buf_adds(&b, "one of: ");
    for (size_t i = 0; names[i]; i++) {
        if (i == NAMES_SHOWN_MAX) {
            buf_adds(&b, " …");
            break;
        }
        buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    return moved(r->arena, &b);
}

const char *hint_nearest(const struct reading *r, struct str s,
                         const char *const *names)
{
    const char *near;

    if (problems_full(r))
        return NULL;
    near = str_nearest(s, names);
    if (near)
        return arena_printf(r->arena, "did you mean '%s'?", near);
    return one_of(r, names);
}

const char *shown(struct arena *a, struct str s)
{
    struct buf b;

    buf_init(&b);
    shown_print(&b, s);
    return moved(a, &b);
}

const char *value_words(const struct reading *r, const struct value *v)
{
    struct buf b;

    buf_init(&b);
    value_words_print(&b, v);
    return moved(r->arena, &b);
}

/* ---- values ----------------------------------------------------------- */

static bool refused(const struct reading *r, const struct value *v,
                    const char *what, const char *hint, const struct err *why)
{
    problem_at(r, PROBLEM_ERROR, v, hint, "%s %s", what, why->text);
    return false;
}

bool read_text(const struct reading *r, const struct value *v, const char *what,
               struct str *out)
{
    struct err why;

    if (want_text(v, out, &why))
        return true;
    return refused(r, v, what,
                   v->kind == VALUE_BOOL || value_is_number(v)
                       ? "put it in quotes to make it text"
                       : NULL,
                   &why);
}

bool read_bool(const struct reading *r, const struct value *v, const char *what,
               bool *out)
{
    struct err why;

    return want_bool(v, out, &why) || refused(r, v, what, NULL, &why);
}

bool read_int(const struct reading *r, const struct value *v, const char *what,
              int64_t min, int64_t max, int64_t *out)
{
    struct err why;

    return want_int(v, min, max, out, &why) || refused(r, v, what, NULL, &why);
}

bool read_number(const struct reading *r, const struct value *v,
                 const char *what, double *out)
{
    struct err why;
    double d;

    if (want_number(v, -INFINITY, INFINITY, out, &why))
        return true;
    return refused(r, v, what,
                   v->kind == VALUE_STRING && num_double(str_trim(v->s), &d)
                       ? "write it without quotes"
                       : NULL,
                   &why);
}

bool read_seconds(const struct reading *r, const struct value *v,
                  const char *what, double *out)
{
    double d = value_number(v);

    if (v->kind == VALUE_STRING && !num_seconds(v->s, &d))
        d = NAN;
    if (!(d >= 0 && d <= 1e10)) {
        problem_at(r, PROBLEM_ERROR, v, "as in 90, 90s, 5m, 2h 30m, 1:30:00",
                   "%s must be a time, not %s", what, value_words(r, v));
        return false;
    }
    *out = d;
    return true;
}

bool read_bytes(const struct reading *r, const struct value *v,
                const char *what, uint64_t *out)
{
    uint64_t n = 0;
    bool ok = false;

    if (v->kind == VALUE_STRING) {
        ok = num_bytes(v->s, &n);
    } else if (value_is_number(v) && value_number(v) >= 0 &&
               value_number(v) < 0x1p62) {
        n = (uint64_t)value_number(v);
        ok = true;
    }
    if (!ok) {
        problem_at(r, PROBLEM_ERROR, v, "as in 4G, 512M, 100 MiB",
                   "%s must be a number of bytes, not %s", what,
                   value_words(r, v));
        return false;
    }
    *out = n;
    return true;
}

int read_choice(const struct reading *r, const struct value *v,
                const char *what, const char *const *choices)
{
    struct str s = value_text(v);
    int found = v->kind == VALUE_STRING ? str_index(s, choices) : -1;

    if (found >= 0)
        return found;
    problem_at(r, PROBLEM_ERROR, v, hint_nearest(r, s, choices),
               "%s cannot be %s", what, value_words(r, v));
    return -1;
}

bool read_object(const struct reading *r, const struct value *v,
                 const char *what)
{
    if (v->kind == VALUE_OBJECT)
        return true;
    problem_at(r, PROBLEM_ERROR, v, NULL,
               "%s must be an object (key: value lines), not %s", what,
               value_words(r, v));
    return false;
}

void read_known_keys(const struct reading *r, const struct value *object,
                     const char *what, const char *const *names)
{
    for (size_t i = 0; i < object->count; i++) {
        if (!str_among(object->keys[i], names))
            problem_at_key(r, PROBLEM_ERROR, object, i,
                           hint_nearest(r, object->keys[i], names),
                           "%s has no key '%s'", what,
                           shown(r->arena, object->keys[i]));
    }
}

bool read_texts(const struct reading *r, const struct value *v,
                const char *what, const struct str **out, size_t *count)
{
    size_t n = v->kind == VALUE_LIST ? v->count : 1;
    struct str *texts = arena_array(r->arena, n, sizeof(*texts));
    bool ok = true;

    if (v->kind != VALUE_LIST)
        ok = read_text(r, v, what, &texts[0]);
    for (size_t i = 0; v->kind == VALUE_LIST && i < n; i++)
        ok = read_text(r, v->items[i], what, &texts[i]) && ok;
    if (!ok)
        return false;
    *out = texts;
    *count = n;
    return true;
}
