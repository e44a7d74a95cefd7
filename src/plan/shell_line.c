/* shell_line.c - a text for a shell with the values of a point in it
 *
 * A value never becomes a shell's code. Letters that mean nothing to any
 * shell stand in the text as they are. Any other value stands once, in quotes,
 * at the very beginning of the text, as that of a variable, and where it is
 * wanted stands the variable: expanding one is the last thing that a shell
 * does, whatever quotes are around it. Where a variable would not do, because
 * the text is arithmetic, code of another shell or a here-document that
 * expands nothing, such a value is refused. */
#include "plan/reading.h"

#include <stdio.h>

#include "base/shown.h"
#include "plan/shell.h"

struct line {
    const struct plan *plan;
    const struct value *point;
    struct arena *arena;
    struct shell_scan scan;
    struct buf text;
    struct buf variables; /* throng1='…'; throng2='…'; */
    size_t count;
    bool all_code; /* not sh's language: only harmless values */
    struct err *err;
    int rc;
};

/* ---- quoting ----------------------------------------------------------- */

static void quote_inside(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\'')
            buf_adds(b, "'\\''");
        else
            buf_addc(b, s.p[i]);
    }
}

/* What a terminal would obey is left to the shell to make: the line can be
 * looked at, and pasted. Gives how many bytes it stands for. */
static size_t quote_controls(struct buf *b, struct str s)
{
    size_t n = 0;

    buf_adds(b, "'\"$(printf '");
    do {
        buf_addf(b, "\\%03o", (unsigned char)s.p[n++]);
    } while (n < s.len && shown_plain(str_n(s.p + n, s.len - n)) == 0);
    buf_adds(b, "')\"'");
    return n;
}

/* --lr=0.1 is one of many such words and easier to read without quotes. */
static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] != '=' && !shell_harmless(str_n(s.p + i, 1)))
            return false;
    return s.len > 0;
}

void shell_quote(struct buf *b, struct str s)
{
    if (is_plain(s)) {
        buf_addstr(b, s);
        return;
    }
    buf_addc(b, '\'');
    while (s.len > 0) {
        size_t len = shown_plain(s);

        quote_inside(b, str_n(s.p, len));
        s = str_n(s.p + len, s.len - len);
        len = s.len > 0 ? quote_controls(b, s) : 0;
        s = str_n(s.p + len, s.len - len);
    }
    buf_addc(b, '\'');
}

/* ---- a value ------------------------------------------------------------ */

static void add_variable(struct buf *b, struct str name, enum shell_place place)
{
    if (place == SHELL_SINGLE)
        buf_addf(b, "'\"${%.*s}\"'", STRF(name));
    else if (place == SHELL_DOUBLE)
        buf_addf(b, "${%.*s}", STRF(name));
    else
        buf_addf(b, "\"${%.*s}\"", STRF(name));
}

static void refuse(struct line *l, struct str text, const char *why)
{
    struct str shown = text.len > 60 ? str_n(text.p, 60) : text;

    if (l->rc == 0)
        l->rc = err_set(l->err, ERR_INPUT,
                        "command: the value '%.*s%s' %s, where only letters, "
                        "digits and _-+.,/:@%% may stand; let what runs there "
                        "read THRONG_P_… of its environment instead",
                        STRF(shown), shown.len < text.len ? "…" : "", why);
}

/* In a here-document blanks and brackets are text, too. */
static bool fixed_harmless(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!memchr(" []", text.p[i], 3) &&
            !shell_harmless(str_n(text.p + i, 1)))
            return false;
    return true;
}

/* `2>file` is a redirection of 2, and `a=b command` sets a. */
static bool may_stand(struct str text, bool word, enum shell_place place,
                      char next)
{
    if (place == SHELL_BARE && memchr("<>(", next, 3))
        return false;
    return word ? is_plain(text) : shell_harmless(text);
}

static void define(struct line *l, struct str text, enum shell_place place)
{
    char name[32];

    snprintf(name, sizeof(name), "throng%zu", ++l->count);
    buf_addf(&l->variables, "%s='", name);
    quote_inside(&l->variables, text);
    buf_adds(&l->variables, "'; ");
    add_variable(&l->text, str_of(name), place);
}

/* Puts a text into the line; `word`: as a word that throng made, --a=b. */
static void add_text(struct line *l, struct str text, bool word, char next)
{
    enum shell_place place =
        l->all_code ? SHELL_CODE : shell_scan_place(&l->scan);

    if (text.len == 0) {
        if (place == SHELL_BARE)
            buf_adds(&l->text, "''");
        return;
    }
    if (may_stand(text, word, place, next)) {
        buf_addstr(&l->text, text);
        return;
    }
    switch (place) {
    case SHELL_COMMENT:
        return;
    case SHELL_NUMBER:
        refuse(l, text, "stands in arithmetic, which a shell evaluates");
        return;
    case SHELL_CODE:
        refuse(l, text, "would be taken for code by another shell");
        return;
    case SHELL_FIXED:
        if (fixed_harmless(text))
            buf_addstr(&l->text, text);
        else
            refuse(l, text, "stands in a here-document with a quoted end");
        return;
    default:
        define(l, text, place);
    }
}

/* ---- macros -------------------------------------------------------------- */

static enum shell_place variable_place(const struct line *l)
{
    enum shell_place place = shell_scan_place(&l->scan);

    return place == SHELL_SINGLE || place == SHELL_BARE ? place : SHELL_DOUBLE;
}

static void add_words(struct line *l, enum command_kind kind, char next)
{
    const struct arg *args;
    size_t count;

    command_args(l->plan, l->arena, kind, l->point, &args, &count);
    for (size_t i = 0; i < count; i++) {
        struct str name;

        if (i > 0)
            buf_addc(&l->text, ' ');
        if (args[i].kind == ARG_EXPAND && macro_envvar(args[i].text, &name))
            add_variable(&l->text, name, variable_place(l));
        else
            add_text(l, args[i].text, true, i + 1 < count ? ' ' : next);
    }
}

static void add_macro(struct line *l, enum command_kind kind, char next)
{
    switch (kind) {
    case COMMAND_ENV:
        buf_adds(&l->text, "/usr/bin/env");
        return;
    case COMMAND_INTERPRETER:
        buf_adds(&l->text, "$(command -v python || command -v python3)");
        return;
    case COMMAND_PROGRAM:
        add_text(l, l->plan->program, true, next);
        return;
    case COMMAND_ARGS_JSON_FILE:
        add_variable(&l->text, STR("THRONG_PARAMS"), variable_place(l));
        return;
    default:
        add_words(l, kind, next);
    }
}

/* ---- the whole ----------------------------------------------------------- */

/* Puts the value of {name} or of a macro that stands here into the line;
 * gives how many bytes it stands for, 0 when there is none. */
static size_t add_here(struct line *l)
{
    struct str rest =
        str_n(l->scan.text.p + l->scan.at, l->scan.text.len - l->scan.at);
    struct str name, macro = macro_at(rest);
    const struct value *v;
    enum command_kind kind;
    size_t len = command_brace(rest, &name);
    struct buf text;

    if (macro.len > 0 && macro_find(macro, &kind)) {
        add_macro(l, kind, macro.len < rest.len ? rest.p[macro.len] : '\n');
        return macro.len;
    }
    if (len == 0 || !command_lookup(l->plan, l->point, name, &v))
        return 0;
    if (v) {
        buf_init(&text);
        value_python_str(&text, v);
        add_text(l, buf_str(&text), false, len < rest.len ? rest.p[len] : '\n');
        buf_done(&text);
    }
    return len;
}

int shell_line(struct buf *b, const struct plan *p, struct arena *a,
               const struct command_part *part, const struct value *point,
               struct err *err)
{
    struct line l = {.plan = p,
                     .point = point,
                     .arena = a,
                     .all_code = part->kind == COMMAND_CODE,
                     .err = err};
    size_t own_end = 0; /* up to here the shell's own ${…} stands */

    shell_scan_init(&l.scan, part->text);
    buf_init(&l.text);
    buf_init(&l.variables);
    while (l.scan.at < part->text.len) {
        size_t from = l.scan.at, len = 0;
        size_t escaped =
            command_escaped(str_n(part->text.p + from, part->text.len - from));

        if (escaped > 0) { /* without its first $ it is the shell's own */
            shell_scan_skip(&l.scan, 1);
            own_end = from++ + escaped;
        }
        if (from >= own_end)
            len = add_here(&l);
        if (len > 0) {
            shell_scan_skip(&l.scan, len);
            continue;
        }
        shell_scan_step(&l.scan);
        buf_add(&l.text, part->text.p + from, l.scan.at - from);
    }
    buf_addstr(b, buf_str(&l.variables));
    buf_addstr(b, buf_str(&l.text));
    buf_done(&l.text);
    buf_done(&l.variables);
    return l.rc;
}
