/* shell.c - where in a text for a shell a value would stand
 *
 * A stack of frames says what is open. Frames of commands also follow the
 * words of the command, since some words make code of others. */
#include "plan/shell.h"

#include "base/chars.h"

/* ---- names of programs ------------------------------------------------- */

static struct str last_part(struct str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.p[i - 1] == '/')
            return str_n(path.p + i, path.len - i);
    return path;
}

bool shell_is_shell(struct str program)
{
    static const char *const names[] = {"sh",    "bash",    "dash",     "ash",
                                        "zsh",   "ksh",     "mksh",     "yash",
                                        "rbash", "$SHELL",  "${SHELL}", "$BASH",
                                        "$0",    "${BASH}", NULL};
    return str_among(last_part(program), names) ||
           str_is(program, "${envvar:SHELL}");
}

bool shell_is_other_shell(struct str program)
{
    static const char *const names[] = {"csh",   "tcsh", "fish",    "pwsh",
                                        "nu",    "su",   "runuser", "script",
                                        "flock", NULL};
    return str_among(last_part(program), names);
}

bool shell_is_remote(struct str program)
{
    static const char *const names[] = {
        "ssh",   "rsh",  "pdsh",      "clush", "mosh", "parallel",
        "watch", "tmux", "hyperfine", "bsub",  "entr", NULL};
    return str_among(last_part(program), names);
}

bool shell_is_python(struct str program)
{
    program = last_part(program);
    return str_starts(program, STR("python")) ||
           str_starts(program, STR("pypy"));
}

bool shell_runs_file(struct str program)
{
    static const char *const others[] = {"perl", "ruby",    "node",   "julia",
                                         "lua",  "Rscript", "octave", NULL};
    return shell_is_python(program) || shell_is_shell(program) ||
           str_among(last_part(program), others);
}

bool shell_is_interpreter(struct str program)
{
    static const char *const names[] = {
        "perl", "ruby", "node", "julia",   "lua",    "awk", "gawk",
        "mawk", "sed",  "R",    "Rscript", "octave", "php", NULL};
    program = last_part(program);
    return str_among(program, names) || shell_is_python(program);
}

bool shell_is_make(struct str program)
{
    program = last_part(program);
    return str_is(program, "make") || str_is(program, "gmake");
}

/* ---- options with code in them ----------------------------------------- */

static const struct {
    const char *program; /* NULL: whatever runs */
    char letter;
    const char *name;
    bool in_front; /* only before the first word that is no option */
} code_options[] = {
    {NULL, 0, "--wrap", false},
    {"env", 'S', "--split-string", true},
    {"make", 'E', "--eval", false},
    {"gmake", 'E', "--eval", false},
    {"su", 0, "--command", false},
    {"su", 0, "--session-command", false},
    {"runuser", 0, "--command", false},
    {"runuser", 0, "--session-command", false},
    {"script", 0, "--command", false},
    {"flock", 0, "--command", false},
    {"nix-shell", 0, "--run", false},
};
#define CODE_OPTIONS (sizeof(code_options) / sizeof(code_options[0]))

static enum shell_taken option_takes(size_t i, struct str word)
{
    struct str name = str_of(code_options[i].name);
    size_t n = 1;

    if (str_starts(word, name)) {
        if (word.len == name.len)
            return SHELL_TAKES_NEXT;
        return word.p[name.len] == '=' ? SHELL_TAKES_REST : SHELL_TAKES_NOTHING;
    }
    if (!code_options[i].letter || word.p[1] == '-')
        return SHELL_TAKES_NOTHING;
    while (n < word.len && word.p[n] >= 'A' && word.p[n] <= 'z' &&
           word.p[n] != code_options[i].letter)
        n++;
    if (n >= word.len || word.p[n] != code_options[i].letter)
        return SHELL_TAKES_NOTHING;
    return n + 1 == word.len ? SHELL_TAKES_NEXT : SHELL_TAKES_REST;
}

enum shell_taken shell_takers_ask(const struct shell_takers *t, struct str word)
{
    enum shell_taken taken = SHELL_TAKES_NOTHING;

    if (word.len < 2 || word.p[0] != '-')
        return taken;
    for (size_t i = 0; i < CODE_OPTIONS && !taken; i++)
        if (!code_options[i].program || (t->set & 1u << i))
            taken = option_takes(i, word);
    return taken;
}

void shell_takers_note(struct shell_takers *t, struct str word)
{
    bool option = word.len > 0 && word.p[0] == '-';
    bool value = t->value_next;

    t->value_next = str_is(word, "-u") || str_is(word, "-C") ||
                    str_is(word, "--unset") || str_is(word, "--chdir");
    if (option || value || str_find(word, '=') > 0)
        return;
    for (size_t i = 0; i < CODE_OPTIONS; i++) {
        if (code_options[i].in_front)
            t->set &= ~(1u << i);
        if (code_options[i].program &&
            str_is(last_part(word), code_options[i].program))
            t->set |= 1u << i;
    }
}

bool shell_takes_script(struct str word)
{
    return word.len > 1 && word.p[0] == '-' && word.p[1] != '-' &&
           memchr(word.p, 'c', word.len);
}

bool shell_harmless(struct str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.p[i];

        if (is_word(c) || memchr("-+.,/:@%", c, 8))
            continue;
        return false;
    }
    return value.len > 0;
}

/* ---- small things ------------------------------------------------------ */

static char at(const struct shell_scan *s, size_t i)
{
    return s->at + i < s->text.len ? s->text.p[s->at + i] : 0;
}

static bool at_text(const struct shell_scan *s, const char *text)
{
    return str_starts(str_n(s->text.p + s->at, s->text.len - s->at),
                      str_of(text));
}

static struct shell_frame *top(struct shell_scan *s)
{
    return &s->stack[s->depth];
}

/* So deep nobody nests: all of it is taken for code, and stays so. */
static struct shell_frame *push(struct shell_scan *s,
                                enum shell_frame_kind kind)
{
    if (s->depth + 1 == SHELL_DEPTH_MAX) {
        s->all_code = true;
        return top(s);
    }
    s->stack[++s->depth] = (struct shell_frame){.kind = kind};
    return top(s);
}

static void pop(struct shell_scan *s)
{
    if (s->depth > 0)
        s->depth--;
}

static bool holds_commands(const struct shell_frame *f)
{
    return f->kind == FRAME_COMMANDS || f->kind == FRAME_BACKTICK;
}

/* ---- words of a command ------------------------------------------------ */

static void end_command(struct shell_frame *f)
{
    f->begun = f->shell = f->interpreter = false;
    f->code_next = f->code_rest = f->program_next = false;
    f->declares = f->tests = f->sources = f->make = false;
    f->takers = (struct shell_takers){0};
}

/* Words that stand before a command, or open one. */
static bool comes_before(struct str word)
{
    static const char *const names[] = {
        "!",  "{",    "do",   "then",    "else",    "elif",  "if",  "while",
        "in", "time", "exec", "command", "builtin", "until", "for", NULL};
    return str_among(word, names);
}

static bool is_assignment(struct str word)
{
    long equals = str_find(word, '=');

    return equals > 0 && word.p[0] != '-';
}

static void note_first(struct shell_frame *f, struct str word)
{
    static const char *const code[] = {"eval",  "let",  "trap",    "alias",
                                       "unset", "read", "mapfile", "wait",
                                       "fc",    NULL};
    static const char *const names[] = {"declare", "typeset",  "local",
                                        "export",  "readonly", NULL};
    static const char *const tests[] = {"test", "[", "printf", NULL};

    f->code_rest = f->code_rest || str_among(word, code);
    f->declares = str_among(word, names);
    f->tests = str_among(word, tests);
    f->sources = str_is(word, ".") || str_is(word, "source");
    if (str_is(word, "case"))
        f->cases++;
    if (str_is(word, "esac") && f->cases > 0)
        f->cases--;
}

static void note_option(struct shell_scan *s, struct shell_frame *f,
                        struct str word)
{
    static const char *const takes[] = {"-c", "-e", "-E", "--eval", NULL};

    if (shell_takers_ask(&f->takers, word) == SHELL_TAKES_NEXT ||
        (f->shell && shell_takes_script(word)))
        f->code_next = true;
    if (f->declares && word.p[1] != '-' && memchr(word.p, 'i', word.len))
        s->integers = true;
    if (f->tests && (str_is(word, "-v") || str_is(word, "-R")))
        f->code_next = true;
    if (f->interpreter && str_among(word, takes))
        f->program_next = true;
}

/* Does the word name a thing that reads the shell's own input? */
static bool is_input(struct str word)
{
    return str_starts(word, STR("/dev/")) || str_starts(word, STR("/proc/"));
}

static void note_program(struct shell_frame *f, struct str word)
{
    if (shell_is_shell(word) || shell_is_other_shell(word) ||
        (f->sources && is_input(word)))
        f->shell = f->line_shell = true;
    if (shell_is_remote(word))
        f->code_rest = f->line_shell = true;
    f->make = f->make || shell_is_make(word);
    if (f->interpreter)
        f->line_program = f->line_program && str_is(word, "-");
    else if (shell_is_interpreter(word))
        f->interpreter = f->line_program = true;
}

/* A word has ended. */
static void note_word(struct shell_scan *s, struct shell_frame *f,
                      struct str word)
{
    bool option = word.len > 1 && word.p[0] == '-';

    shell_takers_note(&f->takers, word);
    if (option) {
        note_option(s, f, word);
        return;
    }
    f->code_next = f->program_next = false;
    if (!f->begun && (comes_before(word) || is_assignment(word)))
        return;
    if (!f->begun)
        note_first(f, word);
    f->begun = true;
    note_program(f, word);
}

/* "sh" and 'sh' are sh. */
static struct str unquoted(struct str word)
{
    if (word.len > 1 && (word.p[0] == '"' || word.p[0] == '\'') &&
        word.p[word.len - 1] == word.p[0])
        return str_n(word.p + 1, word.len - 2);
    return word;
}

static void end_word(struct shell_scan *s, struct shell_frame *f)
{
    if (!f->in_word)
        return;
    f->in_word = false;
    note_word(s, f, unquoted(str_n(s->text.p + f->word, s->at - f->word)));
}

static void begin_word(struct shell_scan *s, struct shell_frame *f)
{
    if (holds_commands(f) && !f->in_word) {
        f->in_word = true;
        f->word = s->at;
    }
}

/* ---- here-documents ---------------------------------------------------- */

/* The word behind << as written. */
static size_t end_len(struct str s)
{
    char quote = 0;
    size_t i = 0;

    for (; i < s.len; i++) {
        char c = s.p[i];

        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '\\')
            i++;
        else if (memchr(" \t\n;&|<>()", c, 11))
            break;
    }
    return i < s.len ? i : s.len;
}

static void take_here(struct shell_scan *s)
{
    struct shell_here h = {.tabs = at(s, 2) == '-'};

    s->at += h.tabs ? 3 : 2;
    while (at(s, 0) == ' ' || at(s, 0) == '\t')
        s->at++;
    h.end = str_n(s->text.p + s->at, s->text.len - s->at);
    h.end.len = end_len(h.end);
    s->at += h.end.len;
    for (size_t i = 0; i < h.end.len; i++)
        h.fixed = h.fixed || memchr("'\"\\", h.end.p[i], 3);
    if (s->here_count < SHELL_HERE_MAX)
        s->here[s->here_count++] = h;
    else
        s->all_code = true;
}

/* True when the line that begins here is the document's end; it goes on
 * behind it. */
static bool take_here_end(struct shell_scan *s, const struct shell_here *h)
{
    size_t i = s->at, k = 0;

    while (h->tabs && i < s->text.len && s->text.p[i] == '\t')
        i++;
    for (; k < h->end.len; k++) {
        if (memchr("'\"\\", h->end.p[k], 3))
            continue;
        if (i == s->text.len || s->text.p[i] != h->end.p[k])
            return false;
        i++;
    }
    if (i < s->text.len && s->text.p[i] != '\n')
        return false;
    s->at = i;
    return true;
}

/* Opens the first document that waits; its command is over. */
static void open_here(struct shell_scan *s)
{
    struct shell_here h;

    if (s->here_count == 0)
        return;
    h = s->here[0];
    s->here_count--;
    memmove(&s->here[0], &s->here[1], s->here_count * sizeof(s->here[0]));
    push(s, FRAME_HERE)->here = h;
}

static void new_line(struct shell_scan *s)
{
    struct shell_frame *f = top(s);

    for (size_t i = 0; i < s->here_count; i++) {
        s->here[i].code = s->here[i].code || f->line_shell;
        s->here[i].program = s->here[i].program || f->line_program;
    }
    f->line_shell = f->line_program = false;
    open_here(s);
}

/* ---- one step ---------------------------------------------------------- */

/* Arithmetic stands behind ${name[ and ${name:, a text behind ${name:- */
static bool param_is_number(struct str inside)
{
    size_t i = 0;

    while (i < inside.len && (memchr("!#@*?_", inside.p[i], 6) ||
                              (inside.p[i] >= '0' && inside.p[i] <= '9') ||
                              (inside.p[i] >= 'A' && inside.p[i] <= 'Z') ||
                              (inside.p[i] >= 'a' && inside.p[i] <= 'z')))
        i++;
    if (i >= inside.len)
        return false;
    if (inside.p[i] == ':')
        return i + 1 >= inside.len || !memchr("-=?+", inside.p[i + 1], 4);
    return inside.p[i] == '[';
}

/* $ and what it opens. */
static bool take_dollar(struct shell_scan *s, bool quoted)
{
    struct shell_frame *f;

    if (at_text(s, "$((")) {
        s->at += 3;
        push(s, FRAME_ARITH)->depth = 2;
    } else if (at_text(s, "$[")) {
        s->at += 2;
        f = push(s, FRAME_ARITH);
        f->depth = 1;
        f->bracket = true;
    } else if (at_text(s, "$(")) {
        s->at += 2;
        push(s, FRAME_COMMANDS);
    } else if (at_text(s, "${")) {
        s->at += 2;
        f = push(s, FRAME_PARAM);
        f->quoted = quoted;
        f->number =
            param_is_number(str_n(s->text.p + s->at, s->text.len - s->at));
    } else if (!quoted && at_text(s, "$'")) {
        s->at += 2;
        push(s, FRAME_ANSI);
    } else {
        return false;
    }
    return true;
}

/* A backtick closes the one that is open, whatever quotes are open in it. */
static void take_backtick(struct shell_scan *s)
{
    s->at++;
    for (size_t i = s->depth; i > 0; i--) {
        if (s->stack[i].kind == FRAME_BACKTICK) {
            s->depth = i - 1;
            return;
        }
        if (s->stack[i].kind == FRAME_COMMANDS)
            break;
    }
    push(s, FRAME_BACKTICK);
}

/* What opens something in most frames. */
static bool take_opening(struct shell_scan *s, bool quoted, bool single)
{
    char c = at(s, 0);

    if (c == '\\') {
        s->at += s->at + 1 < s->text.len ? 2 : 1;
    } else if (c == '`') {
        take_backtick(s);
    } else if (c == '$' && take_dollar(s, quoted)) {
        return true;
    } else if (c == '"') {
        s->at++;
        push(s, FRAME_DOUBLE);
    } else if (c == '\'' && single) {
        s->at++;
        push(s, FRAME_SINGLE);
    } else {
        return false;
    }
    return true;
}

/* Does [[ … compare numbers? Then bash evaluates both sides. */
static bool compares_numbers(struct str rest)
{
    static const char *const operators[] = {" -eq ", " -ne ", " -lt ", " -le ",
                                            " -gt ", " -ge ", " -v ",  NULL};
    const char *end = memmem(rest.p, rest.len, "]]", 2);
    size_t len = end ? (size_t)(end - rest.p) : rest.len;

    for (size_t i = 0; operators[i]; i++)
        if (memmem(rest.p, len, operators[i], strlen(operators[i])))
            return true;
    return false;
}

/* Is a shell among the words from here to the end of the command? */
static bool names_shell(struct str rest)
{
    for (size_t i = 0; i < rest.len && !memchr("\n;|&", rest.p[i], 4); i++) {
        size_t from = i;

        while (i < rest.len && !memchr(" \t\n;|&'\"", rest.p[i], 8))
            i++;
        if (shell_is_shell(str_n(rest.p + from, i - from)))
            return true;
        if (i < rest.len && memchr("\n;|&", rest.p[i], 4))
            return false;
    }
    return false;
}

/* <<< word, <(commands) and >(commands): what a shell reads there is code. */
static bool take_input(struct shell_scan *s, struct shell_frame *f)
{
    bool text = at_text(s, "<<<");

    if (!text && !at_text(s, "<(") && !at_text(s, ">("))
        return false;
    s->at += text ? 3 : 2;
    f->code_next =
        f->shell || f->sources ||
        (text && names_shell(str_n(s->text.p + s->at, s->text.len - s->at)));
    if (!text)
        push(s, FRAME_COMMANDS);
    return true;
}

static void take_operator(struct shell_scan *s, struct shell_frame *f)
{
    char c = at(s, 0);

    end_word(s, f);
    if (take_input(s, f)) {
        return;
    } else if (at_text(s, "<<")) {
        take_here(s);
    } else if (c == '<' || c == '>') {
        s->at++;
    } else if (at_text(s, "((") && !f->begun) {
        s->at += 2;
        push(s, FRAME_ARITH)->depth = 2;
    } else if (c == '(') {
        s->at++;
        end_command(f);
        push(s, FRAME_COMMANDS);
    } else if (c == ')') {
        s->at++;
        end_command(f);
        if (f->kind == FRAME_COMMANDS && f->cases == 0)
            pop(s);
    } else {
        s->at++;
        end_command(f);
        if (c == '\n')
            new_line(s);
    }
}

static void step_commands(struct shell_scan *s)
{
    struct shell_frame *f = top(s);
    char c = at(s, 0);

    if (c == ' ' || c == '\t') {
        end_word(s, f);
        s->at++;
    } else if (c == '#' && !f->in_word) {
        s->at++;
        push(s, FRAME_COMMENT);
    } else if (memchr(";&|<>()\n", c, 8)) {
        take_operator(s, f);
    } else {
        if (!f->in_word && (at_text(s, "[[ ") || at_text(s, "]] ") ||
                            at_text(s, "]];") || at_text(s, "]]\n")))
            f->compares =
                c == '[' &&
                compares_numbers(str_n(s->text.p + s->at, s->text.len - s->at));
        begin_word(s, f);
        if (!take_opening(s, false, true))
            s->at++;
    }
}

static void step_arithmetic(struct shell_scan *s)
{
    struct shell_frame *f = top(s);
    char c = at(s, 0);

    if (take_opening(s, false, true))
        return;
    s->at++;
    if (c == (f->bracket ? '[' : '('))
        f->depth++;
    else if (c == (f->bracket ? ']' : ')') && --f->depth == 0)
        pop(s);
}

static void step_here(struct shell_scan *s)
{
    const struct shell_here h = top(s)->here;
    bool line_begins = s->at == 0 || s->text.p[s->at - 1] == '\n';

    if (line_begins && take_here_end(s, &h)) {
        pop(s);
        if (s->here_count > 0 && s->at < s->text.len) {
            s->at++;
            open_here(s);
        }
        return;
    }
    if (!h.fixed && at(s, 0) != '"' && take_opening(s, true, false))
        return;
    s->at++;
}

static void step_quoted(struct shell_scan *s, char end, bool escapes)
{
    if (at(s, 0) == '\\' && escapes && s->at + 1 < s->text.len)
        s->at++;
    else if (at(s, 0) == end)
        pop(s);
    s->at++;
}

static void step_comment(struct shell_scan *s)
{
    bool backtick =
        s->depth > 0 && s->stack[s->depth - 1].kind == FRAME_BACKTICK;

    if (at(s, 0) == '\n' || (backtick && at(s, 0) == '`'))
        pop(s);
    else
        s->at++;
}

static void step_double(struct shell_scan *s)
{
    if (at(s, 0) == '"') {
        s->at++;
        pop(s);
    } else if (!take_opening(s, true, false)) {
        s->at++;
    }
}

static void step_param(struct shell_scan *s)
{
    const struct shell_frame *f = top(s);

    if (at(s, 0) == '}') {
        s->at++;
        pop(s);
    } else if (!take_opening(s, f->quoted, !f->quoted)) {
        s->at++;
    }
}

void shell_scan_step(struct shell_scan *s)
{
    if (s->at >= s->text.len)
        return;
    switch (top(s)->kind) {
    case FRAME_COMMANDS:
    case FRAME_BACKTICK:
        step_commands(s);
        return;
    case FRAME_DOUBLE:
        step_double(s);
        return;
    case FRAME_SINGLE:
        step_quoted(s, '\'', false);
        return;
    case FRAME_ANSI:
        step_quoted(s, '\'', true);
        return;
    case FRAME_PARAM:
        step_param(s);
        return;
    case FRAME_ARITH:
        step_arithmetic(s);
        return;
    case FRAME_COMMENT:
        step_comment(s);
        return;
    case FRAME_HERE:
        step_here(s);
        return;
    }
}

void shell_scan_skip(struct shell_scan *s, size_t n)
{
    begin_word(s, top(s));
    s->at += n;
}

/* ---- what a value would be here ---------------------------------------- */

/* name[ of a word is arithmetic as long as it is open; so is [ of a=([1]=x). */
static bool in_subscript(struct str word)
{
    long open = str_find(word, '[');

    if (open < 0 || (word.p[0] >= '0' && word.p[0] <= '9'))
        return false;
    for (long i = 0; i < open; i++)
        if (!shell_harmless(str_n(word.p + i, 1)) ||
            memchr("-+.,/:@%", word.p[i], 8))
            return false;
    return !memchr(word.p + open, ']', word.len - (size_t)open);
}

static struct str word_so_far(const struct shell_scan *s,
                              const struct shell_frame *f)
{
    return f->in_word ? str_n(s->text.p + f->word, s->at - f->word) : STR("");
}

/* Is the word that is being read, or begins here, code? */
static bool makes_code(const struct shell_scan *s, const struct shell_frame *f)
{
    struct str word = word_so_far(s, f);

    if (f->kind == FRAME_HERE)
        return f->here.code;
    if (!holds_commands(f))
        return false;
    return f->code_rest || f->code_next ||
           shell_takers_ask(&f->takers, word) == SHELL_TAKES_REST ||
           (f->declares && str_find(word, '=') < 0);
}

static bool makes_number(const struct shell_scan *s,
                         const struct shell_frame *f)
{
    if (f->kind == FRAME_ARITH || (f->kind == FRAME_PARAM && f->number))
        return true;
    if (!holds_commands(f))
        return false;
    return f->compares || in_subscript(word_so_far(s, f)) ||
           (s->integers && is_assignment(word_so_far(s, f)));
}

enum shell_place shell_scan_place(const struct shell_scan *s)
{
    const struct shell_frame *f = &s->stack[s->depth];

    if (f->kind == FRAME_COMMENT)
        return SHELL_COMMENT;
    for (size_t i = 0; i <= s->depth; i++)
        if (s->all_code || makes_code(s, &s->stack[i]))
            return SHELL_CODE;
    for (size_t i = 0; i <= s->depth; i++)
        if (makes_number(s, &s->stack[i]))
            return SHELL_NUMBER;
    switch (f->kind) {
    case FRAME_DOUBLE:
        return SHELL_DOUBLE;
    case FRAME_SINGLE:
    case FRAME_ANSI:
        return SHELL_SINGLE;
    case FRAME_PARAM:
        return f->quoted ? SHELL_DOUBLE : SHELL_BARE;
    case FRAME_HERE:
        return f->here.fixed ? SHELL_FIXED : SHELL_DOUBLE;
    default:
        return SHELL_BARE;
    }
}

/* Does the program of this frame take what stands here for code? */
static bool is_program(const struct shell_scan *s, const struct shell_frame *f,
                       const struct shell_frame *above)
{
    bool quote =
        above && (above->kind == FRAME_SINGLE || above->kind == FRAME_DOUBLE);

    if (f->kind == FRAME_HERE)
        return f->here.program;
    if (!holds_commands(f))
        return false;
    return (f->interpreter && (f->program_next || quote)) ||
           (f->make && is_assignment(word_so_far(s, f)));
}

bool shell_scan_in_program(const struct shell_scan *s)
{
    for (size_t i = 0; i <= s->depth; i++)
        if (is_program(s, &s->stack[i], i < s->depth ? &s->stack[i + 1] : NULL))
            return true;
    return false;
}

/* ---- beginning --------------------------------------------------------- */

static struct str take_blanks(struct str s)
{
    while (s.len > 0 && memchr(" \t", s.p[0], 2))
        s = str_n(s.p + 1, s.len - 1);
    return s;
}

/* Takes a word off the front. */
static struct str take_word(struct str *rest)
{
    struct str s = take_blanks(*rest);
    size_t n = 0;

    while (n < s.len && !memchr(" \t\n;&|)`'\"", s.p[n], 10))
        n++;
    *rest = str_n(s.p + n, s.len - n);
    return str_n(s.p, n);
}

/* What may stand before the program: `env A=1 nice -n 5`. */
static bool is_wrapper(struct str word)
{
    static const char *const names[] = {"env",  "sudo",    "nice",    "nohup",
                                        "time", "timeout", "stdbuf",  "setsid",
                                        "exec", "command", "builtin", NULL};

    return str_among(last_part(word), names) || is_assignment(word) ||
           (word.len > 0 && memchr("-0123456789", word.p[0], 11));
}

/* `sh`, `sh -x`, `sh -s`, which read code; not `sh file` or `sh -c code`. */
static bool reads_code(struct str rest)
{
    struct str word;

    do {
        word = take_word(&rest);
    } while (is_wrapper(word));
    if (str_is(last_part(word), "parallel"))
        return true;
    if (!shell_is_shell(word) && !shell_is_other_shell(word))
        return false;
    do {
        word = take_word(&rest);
    } while (word.len > 0 && word.p[0] == '-' && !shell_takes_script(word));
    return word.len == 0;
}

/* `… | sh`, `… > >(sh)` and `xargs sh -c`: whatever is printed becomes code. */
static bool feeds_shell(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        struct str rest = str_n(text.p + i, text.len - i);

        if (rest.p[0] == '|' && reads_code(str_n(rest.p + 1, rest.len - 1)))
            return true;
        if (str_starts(rest, STR(">(")) &&
            reads_code(str_n(rest.p + 2, rest.len - 2)))
            return true;
        if (str_starts(rest, STR("xargs")) && names_shell(rest))
            return true;
    }
    return false;
}

void shell_scan_init(struct shell_scan *s, struct str text)
{
    *s = (struct shell_scan){.text = text, .all_code = feeds_shell(text)};
}
