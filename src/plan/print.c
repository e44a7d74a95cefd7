/* print.c - an argument vector as a line for people, without secrets */
#include "plan/reading.h"

/* ---- what is secret --------------------------------------------------- */

/* --api-key and API_KEY are the same name. */
bool secret_name(const struct plan *p, struct str name)
{
    static const char *const endings[] = {"_KEY", "_TOKEN", "_SECRET",
                                          "PASSWORD", NULL};
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
    if (n == 4 && memcmp(upper, "_KEY", 4) == 0)
        return false;
    for (size_t i = 0; endings[i]; i++)
        if (str_ends(str_n(upper, n), str_of(endings[i])))
            return true;
    return false;
}

/* Appends a word; what follows a secret name's = is left out. *next says
 * that the word before was a bare secret name, so this one is the secret. */
static void redact_word(struct buf *b, const struct plan *p, struct str word,
                        bool *next)
{
    long equals = str_find(word, '=');

    if (*next) {
        *next = false;
        buf_adds(b, "***");
        return;
    }
    if (equals > 0 && secret_name(p, str_n(word.p, (size_t)equals))) {
        buf_add(b, word.p, (size_t)equals + 1);
        buf_adds(b, "***");
        return;
    }
    *next =
        equals < 0 && word.len > 2 && word.p[0] == '-' && secret_name(p, word);
    buf_addstr(b, word);
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

/* A line for a shell is redacted word by word. */
static void redact_line(struct buf *b, const struct plan *p, struct str line)
{
    bool next = false;

    while (line.len > 0) {
        size_t len = shell_word_len(line);

        if (len > 0)
            redact_word(b, p, str_n(line.p, len), &next);
        else
            buf_addc(b, line.p[len++]);
        line = str_n(line.p + len, line.len - len);
    }
}

/* ---- printing --------------------------------------------------------- */

/* ${envvar:NAME} becomes "$NAME", which a shell expands. */
static void print_expanded(struct buf *b, struct str text)
{
    size_t from = 0;

    for (size_t i = 0; i < text.len; i++) {
        struct str name, macro = macro_at(str_n(text.p + i, text.len - i));

        if (macro.len == 0 || !macro_envvar(macro, &name))
            continue;
        if (i > from)
            shell_quote(b, str_n(text.p + from, i - from));
        buf_addf(b, "\"$%.*s\"", STRF(name));
        i += macro.len - 1;
        from = i + 1;
    }
    if (from < text.len)
        shell_quote(b, str_n(text.p + from, text.len - from));
}

static void print_arg(struct buf *b, const struct arg *arg, struct str text)
{
    if (arg->kind == ARG_INTERPRETER)
        buf_adds(b, "python");
    else if (arg->kind == ARG_PARAMS_FILE)
        buf_adds(b, "\"$THRONG_PARAMS\"");
    else if (arg->kind == ARG_EXPAND)
        print_expanded(b, text);
    else
        shell_quote(b, text);
}

void plan_print_command(struct buf *b, const struct plan *p,
                        const struct arg *argv, size_t argc, bool redact)
{
    struct buf text;
    bool next = false;

    buf_init(&text);
    for (size_t i = 0; i < argc; i++) {
        bool script = i > 0 && str_is(argv[i - 1].text, "-c");

        buf_reset(&text);
        if (redact && script)
            redact_line(&text, p, argv[i].text);
        else if (redact)
            redact_word(&text, p, argv[i].text, &next);
        else
            buf_addstr(&text, argv[i].text);
        if (i > 0)
            buf_addc(b, ' ');
        print_arg(b, &argv[i], buf_str(&text));
    }
    buf_done(&text);
}
