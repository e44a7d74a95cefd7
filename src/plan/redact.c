/* redact.c - texts without the secrets in them
 *
 * What is stored of a study (its file, its identity, the diff of its
 * repository) is text of many kinds: YAML, JSON, source code, shell. In all
 * of them a secret stands behind a telling name: `api_key=…`, `api_key: …`,
 * `"api_key": "…"`, or as the word behind `--password`. */
#include "plan/reading.h"

#define SECRET_LEN_LEAST 4 /* shorter values are found by their names only */

struct scan {
    const struct plan *plan;
    struct buf *out;
    struct str rest;
};

static char peek(const struct scan *s)
{
    return s->rest.len > 0 ? s->rest.p[0] : 0;
}

/* Copies n bytes. */
static void pass(struct scan *s, size_t n)
{
    buf_add(s->out, s->rest.p, n);
    s->rest = str_n(s->rest.p + n, s->rest.len - n);
}

static void pass_any(struct scan *s, const char *set)
{
    while (s->rest.len > 0 && s->rest.p[0] && strchr(set, s->rest.p[0]))
        pass(s, 1);
}

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static size_t name_len(struct str s)
{
    size_t n = 0;

    while (n < s.len && name_char(s.p[n]))
        n++;
    return n;
}

/* How long the secret is that begins here: to its quote, or to what ends a
 * word. */
static size_t secret_len(struct str s, char quote, bool words)
{
    size_t n = 0;

    for (; n < s.len; n++) {
        char c = s.p[n];

        if (c == '\\' && quote == '"' && n + 1 < s.len)
            n++;
        else if (quote ? c == quote
                       : memchr("\n,]}\"'", c, 6) ||
                             (!words && memchr(" \t;&|)", c, 6)))
            break;
    }
    return n < s.len ? n : s.len;
}

/* Replaces the value at the current place. A macro is no secret: it names
 * one that is elsewhere. */
static void replace(struct scan *s, bool words)
{
    char quote = 0;
    size_t len;

    if (str_starts(s->rest, STR("\\\"")))
        pass(s, 1); /* a quote within a quoted text */
    if (peek(s) == '"' || peek(s) == '\'') {
        quote = peek(s);
        pass(s, 1);
    }
    len = secret_len(s->rest, quote, words);
    if (len == 0 || str_starts(s->rest, STR("${"))) {
        pass(s, len);
        return;
    }
    if (len > 1 && s->rest.p[len - 1] == '\\')
        len--; /* it belongs to the quote behind */
    buf_adds(s->out, "***");
    s->rest = str_n(s->rest.p + len, s->rest.len - len);
}

static void take_name(struct scan *s)
{
    struct str name = str_n(s->rest.p, name_len(s->rest));
    bool option = name.len > 2 && name.p[0] == '-';

    pass(s, name.len);
    if (!secret_name(s->plan, name))
        return;
    size_t mark = s->out->len;
    struct str before = s->rest;
    pass_any(s, "\\\"' \t]");
    if (peek(s) == '=' || peek(s) == ':') {
        bool words = peek(s) == ':';
        pass(s, 1);
        pass_any(s, " \t");
        replace(s, words);
        return;
    }
    /* Undo: only behind an option is the next word the secret. */
    s->out->len = mark;
    s->out->p[mark] = 0;
    s->rest = before;
    if (!option)
        return;
    pass_any(s, "\\\"' \t,\n");
    if (str_starts(s->rest, STR("- ")))
        pass(s, 2);
    replace(s, false);
}

/* The length of a known secret value that stands here, or 0. */
static size_t known_secret(const struct scan *s)
{
    const struct plan *p = s->plan;

    for (size_t i = 0; i < p->env_count; i++) {
        struct str value = p->env[i].value;

        if (value.len >= SECRET_LEN_LEAST && str_starts(s->rest, value) &&
            secret_name(p, p->env[i].name) && !str_starts(value, STR("${")))
            return value.len;
    }
    return 0;
}

void plan_redact(struct buf *b, const struct plan *p, struct str text)
{
    struct scan s = {p, b, text};

    while (s.rest.len > 0) {
        size_t known = known_secret(&s);

        if (known > 0) {
            buf_adds(b, "***");
            s.rest = str_n(s.rest.p + known, s.rest.len - known);
        } else if (name_char(peek(&s))) {
            take_name(&s);
        } else {
            pass(&s, 1);
        }
    }
}
