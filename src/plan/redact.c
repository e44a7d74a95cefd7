/* redact.c - texts without the secrets in them
 *
 * What is stored of a study (its file, the diff of its repository, the last
 * lines of a trial) is text of many kinds: YAML, JSON, source code, shell. In
 * all of them a secret stands behind a telling name: `api_key=…`,
 * `api_key: …`, `"api_key": "…"`, or as the word behind `--password`. A few
 * need no name: passwords of URLs, private keys, and what secret_place.c
 * knows. */
#include "plan/reading.h"

#include "base/chars.h"
#include "base/json.h"

#define SECRET_LEN_LEAST 4 /* shorter values are found by their names only */

struct scan {
    const struct plan *plan;
    struct buf *out;
    struct str rest;
    bool yaml;          /* a bare scalar is replaced by a quoted one */
    struct str program; /* of this line, as in secret_place.c */
    bool login;         /* inside of login(…) */
};

/* How a secret is written. */
enum written {
    WRITTEN_WORD,  /* `name=…`: a blank ends it */
    WRITTEN_VALUE, /* `name: …`: to the end of the line, or of the item */
    WRITTEN_ITEM,  /* an item of a list of words */
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
    return is_word(c) || c == '-';
}

static size_t name_len(struct str s)
{
    size_t n = 0;

    while (n < s.len && name_char(s.p[n]))
        n++;
    return n;
}

bool name_only(struct str s)
{
    return name_len(s) == s.len;
}

/* ---- how long a secret is ---------------------------------------------- */

/* To the quote that closes it. */
static size_t quoted_len(struct str s, char quote)
{
    size_t n = 0;

    for (; n < s.len && s.p[n] != quote; n++)
        if (s.p[n] == '\\' && quote == '"')
            n++;
    return n < s.len ? n : s.len;
}

/* To the next \" of a text that is itself in quotes, or to their end. */
static size_t inner_quoted_len(struct str s)
{
    size_t n = 0;

    for (; n < s.len && s.p[n] != '"'; n++) {
        if (s.p[n] != '\\')
            continue;
        if (n + 1 < s.len && s.p[n + 1] == '"')
            break;
        n++;
    }
    return n < s.len ? n : s.len;
}

/* To what ends a word, or an item of a list. */
static size_t bare_len(struct str s, enum written written)
{
    size_t n = 0;

    for (; n < s.len && !memchr("\n,]}\"'", s.p[n], 6); n++) {
        if (s.p[n] == '\\' && n + 1 < s.len && memchr(" \t", s.p[n + 1], 2))
            n++;
        else if (written != WRITTEN_VALUE && memchr(" \t;&|)", s.p[n], 6))
            break;
    }
    n = n < s.len ? n : s.len;
    if (n > 1 && s.p[n - 1] == '\\')
        n--; /* it belongs to the quote behind */
    if (n > 1 && n < s.len && s.p[n - 1] == ':' && s.p[n] == ' ')
        n--; /* a message goes on: "cannot start A_KEY=x: No such file" */
    return n;
}

/* Replaces the secret at the current place. A macro is none: it names one
 * that is elsewhere. */
static void replace(struct scan *s, enum written written)
{
    char quote = 0;
    bool inner = str_starts(s->rest, STR("\\\""));
    size_t len;

    if (inner)
        pass(s, 1);
    if (peek(s) == '"' || peek(s) == '\'') {
        quote = peek(s);
        pass(s, 1);
    }
    len = inner   ? inner_quoted_len(s->rest)
          : quote ? quoted_len(s->rest, quote)
                  : bare_len(s->rest, written);
    if (len == 0 || str_starts(s->rest, STR("${"))) {
        pass(s, len);
        return;
    }
    buf_adds(s->out,
             s->yaml && !quote && written != WRITTEN_WORD ? "'***'" : "***");
    s->rest = str_n(s->rest.p + len, s->rest.len - len);
}

/* ---- finding them ------------------------------------------------------ */

/* The next word of a command line, or the next item of a list of words. */
static void replace_next(struct scan *s)
{
    size_t mark = s->out->len;
    bool item;

    pass_any(s, "\\\"' \t,\n");
    item = memchr(s->out->p + mark, ',', s->out->len - mark) ||
           memchr(s->out->p + mark, '\n', s->out->len - mark);
    /* Also in a diff, whose lines begin with + or -. */
    while (item && (str_starts(s->rest, STR("- ")) || peek(s) == '+')) {
        pass(s, 1);
        pass_any(s, " \t");
    }
    replace(s, item ? WRITTEN_ITEM : WRITTEN_WORD);
}

/* The quote here closes the name, as in ["--token:", "…"]: it opens no
 * secret. */
static bool closes(const struct scan *s)
{
    char c = s->rest.len > 1 ? s->rest.p[1] : '\n';

    return (peek(s) == '"' || peek(s) == '\'') && strchr(",] \t\n", c);
}

/* ---- those without a name ---------------------------------------------- */

static void hide(struct scan *s, size_t len)
{
    buf_adds(s->out, "***");
    s->rest = str_n(s->rest.p + len, s->rest.len - len);
}

/* https://name:secret@host */
static void take_url(struct scan *s)
{
    size_t len = 0, from;

    pass(s, 3);
    from = secret_user(s->rest);
    if (from > 0)
        hide(s, from);
    from = secret_in_url(s->rest, &len);
    pass(s, from);
    if (from > 0 && s->rest.p[0] != '$' && s->rest.p[0] != '{')
        hide(s, len);
}

/* -----BEGIN RSA PRIVATE KEY----- to its end, or that of the text. */
static void take_private_key(struct scan *s)
{
    struct str begin = STR("-----BEGIN "), end = STR("-----END ");
    long line = str_find(s->rest, '\n');
    size_t len = line < 0 ? s->rest.len : (size_t)line;
    bool private = memmem(s->rest.p, len, "PRIVATE KEY-----", 16) != NULL;
    const char *close;

    if (!private) {
        pass(s, begin.len);
        return;
    }
    close = memmem(s->rest.p, len, "PRIVATE KEY-----", 16);
    pass(s, (size_t)(close - s->rest.p) + 16);
    close = memmem(s->rest.p, s->rest.len, end.p, end.len);
    hide(s, close ? (size_t)(close - s->rest.p) : s->rest.len);
}

/* `Bearer …`, and options of programs that take a secret there. */
static bool take_known_place(struct scan *s, struct str name)
{
    size_t word = bare_len(s->rest, WRITTEN_WORD), from;
    struct secret_next next =
        secret_option(s->program, str_n(s->rest.p, word), &from);

    if (secret_token(name)) {
        hide(s, name.len);
    } else if (from > 0) {
        pass(s, from);
        if (from < word)
            replace(s, WRITTEN_WORD);
    } else if (next.is && next.least == 0) {
        pass(s, name.len);
        if (!next.user) {
            replace_next(s);
            return true;
        }
        pass_any(s, "\\\"' \t,");
        word = bare_len(s->rest, WRITTEN_WORD);
        from = secret_behind_user(str_n(s->rest.p, word));
        pass(s, from);
        if (from < word)
            replace(s, WRITTEN_WORD);
    } else {
        return false;
    }
    return true;
}

/* Bearer and a token, wandb login and a key: prose has no such long words. */
static bool announces_token(const struct scan *s, struct str name)
{
    struct str rest = str_n(s->rest.p + name.len, s->rest.len - name.len);
    size_t from;

    if (!str_is(name, "Bearer") &&
        secret_option(s->program, name, &from).least == 0)
        return false;
    return rest.len > 1 && rest.p[0] == ' ' &&
           bare_len(str_n(rest.p + 1, rest.len - 1), WRITTEN_WORD) >= 16;
}

/* key= is a secret of login(…) only. */
static bool is_of_login(const struct scan *s, struct str name)
{
    static const char *const names[] = {"key", "pat", "pass", "pwd", NULL};

    return s->login && str_among(name, names);
}

/* A text that begins here is an argument of login(…) without a name. */
static bool is_login_text(const struct scan *s)
{
    size_t n = s->out->len;

    if (!s->login || !memchr("\"'", peek(s), 2))
        return false;
    while (n > 0 && memchr(" \t\n+-", s->out->p[n - 1], 5))
        n--; /* in a diff lines begin with + or - */
    return n > 0 && memchr("(,", s->out->p[n - 1], 2);
}

static void note_name(struct scan *s, struct str name)
{
    struct str program = secret_program(name);
    char next = s->rest.len > name.len ? s->rest.p[name.len] : 0;

    if (program.len > 0)
        s->program = program;
    if (next == '(')
        s->login = str_ends(name, STR("login")) || str_ends(name, STR("Login"));
}

static void take_name(struct scan *s)
{
    struct str name = str_n(s->rest.p, name_len(s->rest));
    bool option = name.len > 2 && name.p[0] == '-';
    bool quoted =
        s->out->len > 0 && memchr("\"'", s->out->p[s->out->len - 1], 2);

    if (take_known_place(s, name))
        return;
    if (announces_token(s, name)) {
        pass(s, name.len + 1);
        replace(s, WRITTEN_WORD);
        return;
    }
    note_name(s, name);
    pass(s, name.len);
    if (!secret_name(s->plan, name) && !is_of_login(s, name))
        return;
    size_t mark = s->out->len;
    struct str before = s->rest;
    pass_any(s, "\\\"' \t]");
    if (peek(s) == '=' || peek(s) == ':') {
        enum written written = peek(s) == ':' ? WRITTEN_VALUE : WRITTEN_WORD;
        pass(s, 1);
        if (quoted && closes(s)) {
            replace_next(s);
            return;
        }
        pass_any(s, " \t");
        replace(s, written);
        return;
    }
    /* Undo: only behind an option is the next word the secret. */
    s->out->len = mark;
    s->out->p[mark] = 0;
    s->rest = before;
    if (option)
        replace_next(s);
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

/* A command ends with its line, but for one that is a list of items. */
static void forget(struct scan *s)
{
    size_t i = 1;

    s->login = s->login && peek(s) != ')';
    if (peek(s) == '\n') {
        while (i < s->rest.len && memchr(" \t+", s->rest.p[i], 3))
            i++;
        if (i + 1 < s->rest.len && s->rest.p[i] == '-')
            return;
    }
    if (peek(s) && memchr("\n;|", peek(s), 3))
        s->program = STR("");
}

static void scan_text(struct scan *s)
{
    while (s->rest.len > 0) {
        size_t known = known_secret(s);

        if (known > 0) {
            buf_adds(s->out, "***");
            s->rest = str_n(s->rest.p + known, s->rest.len - known);
        } else if (str_starts(s->rest, STR("------BEGIN "))) {
            pass(s, 1); /* a line that a diff takes away */
        } else if (str_starts(s->rest, STR("-----BEGIN "))) {
            take_private_key(s);
        } else if (str_starts(s->rest, STR("://"))) {
            take_url(s);
        } else if (is_login_text(s)) {
            replace(s, WRITTEN_WORD);
            pass(s, s->rest.len > 0); /* the quote that closes it */
        } else if (name_char(peek(s))) {
            take_name(s);
        } else {
            forget(s);
            pass(s, 1);
        }
    }
}

void plan_redact(struct buf *b, const struct plan *p, struct str text)
{
    struct scan s = {.plan = p, .out = b, .rest = text};

    scan_text(&s);
}

/* ---- the study file ---------------------------------------------------- */

static bool reads_as(struct str text, const struct value *expected,
                     struct arena *a)
{
    struct problems problems;
    const struct value *v;
    bool same;

    problems_init(&problems, a);
    v = plan_yaml(text, "study", a, &problems);
    same = v && problems.errors == 0 && value_eq(v, expected);
    return same;
}

void plan_redact_study(struct buf *b, const struct plan *p)
{
    struct buf text;
    struct scan s = {.plan = p, .out = &text, .rest = p->text, .yaml = true};

    buf_init(&text);
    scan_text(&s);
    if (!str_eq(buf_str(&text), p->text)) {
        struct arena *a = arena_new();
        const struct value *v = plan_redacted(p, p->root, a);

        if (!reads_as(buf_str(&text), v, a)) {
            buf_reset(&text);
            json_print(&text, v);
            buf_addc(&text, '\n');
        }
        arena_free(a);
    }
    buf_addstr(b, buf_str(&text));
    buf_done(&text);
}
