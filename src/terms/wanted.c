/* wanted.c - a value of a known kind, or in words what it must be */
#include "terms/wanted.h"

#include <math.h>

#define SHOWN_MAX 60 /* bytes of an offending text that are shown */

/* ---- words ------------------------------------------------------------ */

void shown_print(struct buf *b, struct str s)
{
    size_t len = s.len < SHOWN_MAX ? s.len : SHOWN_MAX;
    while (len < s.len && len > 0 && ((unsigned char)s.p[len] & 0xc0) == 0x80)
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        buf_addc(b, c < 0x20 || c == 0x7f ? '?' : s.p[i]);
    }
    buf_adds(b, len < s.len ? "…" : "");
}

void value_words_print(struct buf *b, const struct value *v)
{
    switch (v->kind) {
    case VALUE_LIST:
        buf_adds(b, "a list");
        break;
    case VALUE_OBJECT:
        buf_adds(b, "an object");
        break;
    case VALUE_STRING:
        buf_addc(b, '\'');
        shown_print(b, v->s);
        buf_addc(b, '\'');
        break;
    case VALUE_NULL:
        buf_adds(b, "nothing");
        break;
    case VALUE_BOOL:
        buf_adds(b, v->boolean ? "true" : "false");
        break;
    default:
        value_python_str(b, v);
    }
}

/* "must be X, not V"; false. */
static bool refuse(const struct value *v, const char *wanted, struct err *why)
{
    struct buf words;
    buf_init(&words);
    value_words_print(&words, v);
    err_set(why, ERR_INPUT, "must be %s, not %s", wanted, words.p);
    buf_done(&words);
    return false;
}

/* ---- values ----------------------------------------------------------- */

static bool whole(const struct value *v, int64_t *out)
{
    if (v->kind == VALUE_INT) {
        *out = v->i;
        return true;
    }
    if (v->kind != VALUE_DOUBLE || !(fabs(v->d) <= 0x1p53) ||
        v->d != floor(v->d))
        return false;
    *out = (int64_t)v->d;
    return true;
}

bool want_int(const struct value *v, int64_t min, int64_t max, int64_t *out,
              struct err *why)
{
    int64_t i;
    if (!whole(v, &i))
        return refuse(v, "a whole number", why);
    if (i < min || i > max) {
        err_set(why, ERR_INPUT, "must be at %s %lld, not %lld",
                i < min ? "least" : "most", (long long)(i < min ? min : max),
                (long long)i);
        return false;
    }
    *out = i;
    return true;
}

bool want_number(const struct value *v, double min, double max, double *out,
                 struct err *why)
{
    double d = value_number(v);
    if (!value_is_number(v) || !isfinite(d))
        return refuse(v, "a finite number", why);
    if (d < min || d > max) {
        err_set(why, ERR_INPUT, "must be at %s %g, not %g",
                d < min ? "least" : "most", d < min ? min : max, d);
        return false;
    }
    *out = d;
    return true;
}

bool want_bool(const struct value *v, bool *out, struct err *why)
{
    if (v->kind != VALUE_BOOL)
        return refuse(v, "true or false", why);
    *out = v->boolean;
    return true;
}

bool want_text(const struct value *v, struct str *out, struct err *why)
{
    if (v->kind != VALUE_STRING)
        return refuse(v, "text", why);
    if (!v->s.len) {
        err_set(why, ERR_INPUT, "must be text, not empty");
        return false;
    }
    *out = v->s;
    return true;
}
