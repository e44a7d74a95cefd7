/* reading.c - one value of a known kind, or a problem that says what was
 * expected */
#include "terms/reading.h"

#include <math.h>
#include "base/num.h"

#define NAMES_SHOWN_MAX 30
#define SHOWN_MAX 60 /* bytes of an offending text that are shown */

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

static const char *one_of(const struct reading *r, const char *const *names)
{
    struct buf b;
    const char *hint;

    buf_init(&b);
    buf_adds(&b, "one of: ");
    for (size_t i = 0; names[i]; i++) {
        if (i == NAMES_SHOWN_MAX) {
            buf_adds(&b, " …");
            break;
        }
        buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    hint = arena_cstr(r->arena, buf_str(&b));
    buf_done(&b);
    return hint;
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
    size_t len = s.len < SHOWN_MAX ? s.len : SHOWN_MAX;
    char *text;

    while (len < s.len && len > 0 && ((unsigned char)s.p[len] & 0xc0) == 0x80)
        len--;
    text = arena_printf(a, "%.*s%s", (int)len, len ? s.p : "",
                        len < s.len ? "…" : "");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return text;
}

const char *value_words(const struct reading *r, const struct value *v)
{
    struct buf b;
    const char *words;

    if (v->kind == VALUE_LIST)
        return "a list";
    if (v->kind == VALUE_OBJECT)
        return "an object";
    if (v->kind == VALUE_STRING)
        return arena_printf(r->arena, "'%s'", shown(r->arena, v->s));
    if (v->kind == VALUE_NULL)
        return "nothing";
    if (v->kind == VALUE_BOOL)
        return v->boolean ? "true" : "false";
    buf_init(&b);
    value_python_str(&b, v);
    words = arena_cstr(r->arena, buf_str(&b));
    buf_done(&b);
    return words;
}

/* ---- values ----------------------------------------------------------- */

bool read_text(const struct reading *r, const struct value *v, const char *what,
               struct str *out)
{
    const char *hint = NULL;

    if (v->kind == VALUE_STRING && v->s.len > 0) {
        *out = v->s;
        return true;
    }
    if (v->kind == VALUE_BOOL || value_is_number(v))
        hint = "put it in quotes to make it text";
    problem_at(r, PROBLEM_ERROR, v, hint, "%s must be text, not %s", what,
               v->kind == VALUE_STRING ? "empty" : value_words(r, v));
    return false;
}

bool read_bool(const struct reading *r, const struct value *v, const char *what,
               bool *out)
{
    if (v->kind != VALUE_BOOL) {
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "%s must be true or false, not %s", what, value_words(r, v));
        return false;
    }
    *out = v->boolean;
    return true;
}

bool value_whole(const struct value *v, int64_t *i)
{
    if (v->kind == VALUE_INT) {
        *i = v->i;
        return true;
    }
    if (v->kind != VALUE_DOUBLE || !(fabs(v->d) <= 0x1p53) ||
        v->d != floor(v->d))
        return false;
    *i = (int64_t)v->d;
    return true;
}

bool read_int(const struct reading *r, const struct value *v, const char *what,
              int64_t min, int64_t max, int64_t *out)
{
    int64_t i;

    if (!value_whole(v, &i)) {
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "%s must be a whole number, not %s", what,
                   value_words(r, v));
        return false;
    }
    if (i < min) {
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "%s must be at least %lld, not %lld", what, (long long)min,
                   (long long)i);
        return false;
    }
    if (i > max) {
        problem_at(r, PROBLEM_ERROR, v, NULL,
                   "%s must be at most %lld, not %lld", what, (long long)max,
                   (long long)i);
        return false;
    }
    *out = i;
    return true;
}

bool read_number(const struct reading *r, const struct value *v,
                 const char *what, double *out)
{
    double d;
    const char *hint = NULL;

    if (value_is_number(v) && isfinite(value_number(v))) {
        *out = value_number(v);
        return true;
    }
    if (v->kind == VALUE_STRING && num_double(str_trim(v->s), &d))
        hint = "write it without quotes";
    problem_at(r, PROBLEM_ERROR, v, hint, "%s must be a finite number, not %s",
               what, value_words(r, v));
    return false;
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
