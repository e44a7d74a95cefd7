/* secret.c - words and values without the secrets in them
 *
 * What has been read already is redacted piece by piece: a word of a command,
 * a member of an object, an item of a list. So what is printed of it later
 * is always whole, whatever the secret looks like. What is free text inside
 * of a piece (a script, a header) is left to redact.c. */
#include "plan/reading.h"

/* --api-key and API_KEY are the same name. */
bool secret_name(const struct plan *p, struct str name)
{
    static const char *const endings[] = {
        "_KEY",         "_TOKEN",      "_SECRET",       "_PAT",   "_PWD",
        "_PASS",        "APIKEY",      "PASSWORD",      "PASSWD", "PASSPHRASE",
        "_CREDENTIALS", "_CREDENTIAL", "AUTHORIZATION", NULL};
    /* Alone they are a word like others, PWD the folder. */
    static const char *const alone[] = {"_KEY", "_PAT", "_PWD", "_PASS", NULL};
    char upper[64] = "_";
    size_t n = 1;

    while (name.len > 0 && name.p[0] == '-')
        name = str_n(name.p + 1, name.len - 1);
    if (name.len == 0 || (p && plan_declares(p, name)))
        return false;
    /* The end of a long name decides. */
    if (name.len > sizeof(upper) - 2)
        name =
            str_n(name.p + name.len - (sizeof(upper) - 2), sizeof(upper) - 2);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i] == '-' ? '_' : name.p[i];

        upper[n++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    if (str_among(str_n(upper, n), alone))
        return false;
    for (size_t i = 0; endings[i]; i++)
        if (str_ends(str_n(upper, n), str_of(endings[i])))
            return true;
    return false;
}

/* ---- words of a command ----------------------------------------------- */

/* A macro is no secret: it names one that is elsewhere. */
static void add_secret(struct buf *b, struct str secret)
{
    if (secret.len == 0 || macro_at(secret).len == secret.len)
        buf_addstr(b, secret);
    else
        buf_adds(b, "***");
}

/* --token, --token: or token: with the secret as the next word. */
static bool announces(const struct plan *p, struct str word)
{
    bool option = word.len > 2 && word.p[0] == '-';
    bool colon = word.len > 1 && memchr(":=", word.p[word.len - 1], 2);

    if (colon)
        word = str_n(word.p, word.len - 1);
    return (option || colon) && secret_name(p, word);
}

/* The quote that a word of a line begins with is no part of a secret. */
static void add_from(struct buf *b, struct str word, size_t from)
{
    buf_add(b, word.p, from);
    add_secret(b, str_n(word.p + from, word.len - from));
}

void redact_word(struct buf *b, const struct plan *p, struct str word,
                 struct redaction *so_far)
{
    struct secret_next now = so_far->next;
    long equals = str_find(word, '=');
    size_t from;

    so_far->next = secret_option(so_far->program, word, &from);
    if (secret_program(word).len > 0)
        so_far->program = secret_program(word);
    if (now.is && word.len >= now.least) {
        add_from(b, word, now.user ? secret_behind_user(word) : 0);
    } else if (from > 0) {
        add_from(b, word, from);
    } else if (so_far->next.is) {
        buf_addstr(b, word);
    } else if (announces(p, word)) {
        so_far->next.is = true;
        buf_addstr(b, word);
    } else if (equals > 0 && name_only(str_n(word.p, (size_t)equals)) &&
               secret_name(p, str_n(word.p, (size_t)equals))) {
        buf_add(b, word.p, (size_t)equals + 1);
        add_secret(b,
                   str_n(word.p + equals + 1, word.len - (size_t)equals - 1));
    } else {
        plan_redact(b, p, word);
    }
}

static size_t shell_word_len(struct str s)
{
    char quote = 0;
    size_t i = 0;

    for (; i < s.len; i++) {
        char c = s.p[i];

        if (c == '\\' && quote != '\'')
            i++;
        else if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (memchr(" \t\n;&|", c, 6))
            break;
    }
    return i < s.len ? i : s.len;
}

void redact_line(struct buf *b, const struct plan *p, struct str line)
{
    struct redaction so_far = {0};

    while (line.len > 0) {
        size_t len = shell_word_len(line);

        if (len > 0)
            redact_word(b, p, str_n(line.p, len), &so_far);
        else
            buf_addc(b, line.p[len++]);
        if (line.p[0] == '\n' || line.p[0] == ';' || line.p[0] == '|')
            so_far.program = STR("");
        line = str_n(line.p + len, line.len - len);
    }
}

/* ---- values ----------------------------------------------------------- */

static bool is_scalar(const struct value *v)
{
    return v->kind != VALUE_LIST && v->kind != VALUE_OBJECT;
}

static struct value *hidden(struct arena *a, const struct value *v)
{
    struct buf b;
    struct value *copy;

    if (v->kind == VALUE_NULL)
        return value_null(a);
    buf_init(&b);
    if (v->kind == VALUE_STRING)
        add_secret(&b, v->s);
    else
        buf_adds(&b, "***");
    copy = value_string(a, buf_str(&b));
    buf_done(&b);
    return copy;
}

static struct value *redacted_text(const struct plan *p, struct str text,
                                   struct arena *a)
{
    struct buf b;
    struct value *copy;

    buf_init(&b);
    plan_redact(&b, p, text);
    copy = value_string(a, buf_str(&b));
    buf_done(&b);
    return copy;
}

/* An item of a list is taken for a word of a command, or for a script. */
static struct value *redacted_item(const struct plan *p,
                                   const struct value *list, size_t i,
                                   struct redaction *so_far, struct arena *a)
{
    const struct value *v = list->items[i];
    bool script = i > 0 && str_is(value_text(list->items[i - 1]), "-c");
    struct value *copy;
    struct buf b;

    if (v->kind != VALUE_STRING) {
        bool secret = so_far->next.is && is_scalar(v);

        so_far->next.is = false;
        return secret ? hidden(a, v) : plan_redacted(p, v, a);
    }
    buf_init(&b);
    if (script)
        redact_line(&b, p, v->s);
    else
        redact_word(&b, p, v->s, so_far);
    copy = value_string(a, buf_str(&b));
    buf_done(&b);
    return copy;
}

static struct value *redacted_list(const struct plan *p, const struct value *v,
                                   struct arena *a)
{
    struct value *copy = value_list(a);
    struct redaction so_far = {0};

    for (size_t i = 0; i < v->count; i++)
        value_list_add(a, copy, redacted_item(p, v, i, &so_far, a));
    return copy;
}

/* A list behind a secret name is a list of secrets. An object there is none:
 * it declares something of that name. */
static struct value *redacted_member(const struct plan *p, struct str key,
                                     const struct value *v, struct arena *a)
{
    struct value *copy;

    if (v->kind == VALUE_OBJECT || !secret_name(p, key))
        return plan_redacted(p, v, a);
    if (is_scalar(v))
        return hidden(a, v);
    copy = value_list(a);
    for (size_t i = 0; i < v->count; i++)
        value_list_add(a, copy, redacted_member(p, key, v->items[i], a));
    return copy;
}

struct value *plan_redacted(const struct plan *p, const struct value *v,
                            struct arena *a)
{
    struct value *copy;

    if (v->kind == VALUE_STRING)
        return redacted_text(p, v->s, a);
    if (v->kind == VALUE_LIST)
        return redacted_list(p, v, a);
    if (v->kind != VALUE_OBJECT)
        return value_copy(a, v);
    copy = value_object(a);
    for (size_t i = 0; i < v->count; i++)
        value_add_at(a, copy, arena_str(a, v->keys[i]),
                     redacted_member(p, v->keys[i], v->items[i], a), 0, 0);
    return copy;
}
