/* scalars.c - one value of a known kind, or a problem that says what was
 * expected */
#include "plan/reading.h"

#include <math.h>
#include "base/num.h"

bool read_text(struct reading *r, const struct value *v, const char *what,
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

bool read_bool(struct reading *r, const struct value *v, const char *what,
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

/* A double that is a whole number counts as one: 1e3 is how people write a
 * thousand. */
static bool whole(const struct value *v, int64_t *i)
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

bool read_int(struct reading *r, const struct value *v, const char *what,
              int64_t min, int64_t max, int64_t *out)
{
    int64_t i;

    if (!whole(v, &i)) {
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

bool read_number(struct reading *r, const struct value *v, const char *what,
                 double *out)
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

bool read_seconds(struct reading *r, const struct value *v, const char *what,
                  double *out)
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

bool read_bytes(struct reading *r, const struct value *v, const char *what,
                uint64_t *out)
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

int read_choice(struct reading *r, const struct value *v, const char *what,
                const char *const *choices)
{
    struct str s = value_text(v);

    for (int i = 0; v->kind == VALUE_STRING && choices[i]; i++)
        if (str_is(s, choices[i]))
            return i;
    problem_at(r, PROBLEM_ERROR, v, hint_nearest(r, s, choices),
               "%s cannot be %s", what, value_words(r, v));
    return -1;
}

bool read_object(struct reading *r, const struct value *v, const char *what)
{
    if (v->kind == VALUE_OBJECT)
        return true;
    problem_at(r, PROBLEM_ERROR, v, NULL,
               "%s must be an object (key: value lines), not %s", what,
               value_words(r, v));
    return false;
}

void read_known_keys(struct reading *r, const struct value *object,
                     const char *what, const char *const *names)
{
    for (size_t i = 0; i < object->count; i++) {
        bool known = false;

        for (size_t k = 0; names[k] && !known; k++)
            known = str_is(object->keys[i], names[k]);
        if (!known)
            problem_at_key(r, PROBLEM_ERROR, object, i,
                           hint_nearest(r, object->keys[i], names),
                           "%s has no key '%s'", what,
                           shown(r->arena, object->keys[i]));
    }
}

bool read_texts(struct reading *r, const struct value *v, const char *what,
                const struct str **out, size_t *count)
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
