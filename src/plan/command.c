/* command.c - reading the command: macros, words, shell lines
 *
 * A command is a list of elements (as W&B has it) or one string. A string is
 * split into words by the quoting rules of a shell, without any expansion;
 * when it needs a shell (a pipe, a redirection …) it becomes /bin/sh -c. */
#include "plan/reading.h"
#include "plan/shell.h"

static const struct {
    const char *name; /* as written, whole */
    enum command_kind kind;
} macros[] = {
    {"${env}", COMMAND_ENV},
    {"${interpreter}", COMMAND_INTERPRETER},
    {"${program}", COMMAND_PROGRAM},
    {"${args}", COMMAND_ARGS},
    {"${args_no_equals}", COMMAND_ARGS_NO_EQUALS},
    {"${args_no_hyphens}", COMMAND_ARGS_NO_HYPHENS},
    {"${args_no_boolean_flags}", COMMAND_ARGS_NO_BOOLEAN_FLAGS},
    {"${args_json}", COMMAND_ARGS_JSON},
    {"${args_json_file}", COMMAND_ARGS_JSON_FILE},
    {"${args_candle}", COMMAND_ARGS_DIALECT},
};
const char *const macro_names[] = {"${env}",
                                   "${interpreter}",
                                   "${program}",
                                   "${args}",
                                   "${args_no_equals}",
                                   "${args_no_hyphens}",
                                   "${args_no_boolean_flags}",
                                   "${args_json}",
                                   "${args_json_file}",
                                   "${args_candle}",
                                   "${envvar:NAME}",
                                   NULL};

static const char all_macros[] =
    "the macros are ${env}, ${interpreter}, ${program}, ${args}, "
    "${args_no_equals}, ${args_no_hyphens}, ${args_no_boolean_flags}, "
    "${args_json}, ${args_json_file}, ${args_candle}, ${envvar:NAME}";

bool macro_find(struct str s, enum command_kind *kind)
{
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
        if (str_is(s, macros[i].name)) {
            *kind = macros[i].kind;
            return true;
        }
    }
    return false;
}

const char *macro_text(enum command_kind kind)
{
    for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
        if (macros[i].kind == kind)
            return macros[i].name;
    return "";
}

/* The `${…}` that s starts with, or an empty str. */
struct str macro_at(struct str s)
{
    const char *close;

    if (s.len < 3 || s.p[0] != '$' || s.p[1] != '{')
        return STR("");
    close = memchr(s.p, '}', s.len);
    return close ? str_n(s.p, (size_t)(close + 1 - s.p)) : STR("");
}

bool macro_envvar(struct str macro, struct str *name)
{
    struct str prefix = STR("${envvar:");

    if (!str_starts(macro, prefix) || macro.len < prefix.len + 2)
        return false;
    *name = str_n(macro.p + prefix.len, macro.len - prefix.len - 1);
    return param_name_valid(*name) && !memchr(name->p, '.', name->len) &&
           !memchr(name->p, '-', name->len);
}

/* ---- reading one element ---------------------------------------------- */

struct parts {
    VEC(struct command_part) list;
};

static void add_part(struct parts *parts, enum command_kind kind,
                     struct str text)
{
    struct command_part part = {kind, text};

    vec_push(&parts->list, part);
}

static void unknown_macro(struct study_file *r, const struct value *at,
                          struct str macro)
{
    struct str inner = str_n(macro.p + 2, macro.len - 3);
    const char *near = str_nearest(macro, macro_names);
    const char *hint = all_macros;

    if (param_name_valid(inner) && plan_declares(r->plan, inner))
        hint = arena_printf(r->in.arena,
                            "a parameter is written {%.*s}, a variable of the "
                            "shell $${%.*s}",
                            STRF(inner), STRF(inner));
    else
        hint = arena_printf(r->in.arena,
                            "%s%s%sa variable of the shell is written "
                            "$${%.*s}; %s",
                            near ? "did you mean '" : "", near ? near : "",
                            near ? "'? " : "", STRF(inner), all_macros);
    problem_at(&r->in, PROBLEM_ERROR, at, hint, "command: no macro '%s'",
               shown(r->in.arena, macro));
}

/* Looks at every ${…} of a text. In a line for a shell, macros work inside
 * of the line and other names are the shell's own variables, as long as they
 * do not look like a macro or a parameter. */
static void check_text(struct study_file *r, const struct value *at,
                       struct str text, bool shell)
{
    enum command_kind kind;
    struct str name;

    for (size_t i = 0; i < text.len; i++) {
        struct str rest = str_n(text.p + i, text.len - i);
        struct str macro = macro_at(rest), inner;
        size_t escaped = command_escaped(rest);

        if (escaped > 0)
            i += escaped - 1;
        if (escaped > 0 || macro.len == 0 || macro_envvar(macro, &name))
            continue;
        inner = str_n(macro.p + 2, macro.len - 3);
        if (macro_find(macro, &kind)) {
            if (!shell)
                problem_at(&r->in, PROBLEM_ERROR, at,
                           "only ${envvar:NAME} works inside of a text",
                           "command: %s must be an element of its own",
                           shown(r->in.arena, macro));
        } else if (str_starts(inner, STR("envvar:"))) {
            problem_at(&r->in, PROBLEM_ERROR, at, NULL,
                       "command: '%s' does not name a variable",
                       shown(r->in.arena, macro));
        } else if (!shell || str_nearest(macro, macro_names) ||
                   plan_declares(r->plan, inner)) {
            unknown_macro(r, at, macro);
        }
    }
}

/* What the words so far make of the next one. */
struct roles {
    bool shell, other; /* a shell was among them; of another language */
    bool remote;       /* ssh was: all further words are joined to code */
    bool script;       /* the next word that is no option is a script */
    bool option_name;  /* but first comes that of `-o NAME` */
    bool code;         /* the next word is code: env -S, sbatch --wrap */
    struct shell_takers takers;
    bool dash_c; /* the last word was -c, of whatever program */
};

static void note_option(struct roles *o, struct str word)
{
    if ((o->shell || o->other) && shell_takes_script(word)) {
        o->script = true;
        o->option_name = memchr(word.p, 'o', word.len) != NULL;
    }
    o->code = shell_takers_ask(&o->takers, word) == SHELL_TAKES_NEXT;
}

static void note_program(struct roles *o, struct str word)
{
    if (shell_is_shell(word) || shell_is_other_shell(word)) {
        o->shell = shell_is_shell(word);
        o->other = !o->shell;
    }
    o->remote = o->remote || shell_is_remote(word);
}

/* TEXT, SHELL or CODE, and goes on to the next word. */
static enum command_kind next_role(struct roles *o, struct str word)
{
    enum command_kind kind = COMMAND_TEXT;
    bool option = word.len > 0 && memchr("-+", word.p[0], 2);

    if (o->remote || o->code ||
        shell_takers_ask(&o->takers, word) == SHELL_TAKES_REST)
        kind = COMMAND_CODE;
    o->code = false;
    if (option) {
        note_option(o, word);
    } else if (o->script && !o->option_name) {
        kind = o->other || kind == COMMAND_CODE ? COMMAND_CODE : COMMAND_SHELL;
        o->script = o->shell = o->other = false;
    } else if (o->script) {
        o->option_name = false;
    } else {
        note_program(o, word);
    }
    o->dash_c = str_is(word, "-c");
    shell_takers_note(&o->takers, word);
    return kind;
}

static void read_element(struct study_file *r, const struct value *at,
                         struct str text, struct roles *roles,
                         struct parts *parts)
{
    bool behind_c = roles->dash_c;
    enum command_kind macro, kind = next_role(roles, text);

    if (kind == COMMAND_TEXT && macro_find(text, &macro)) {
        add_part(parts, macro, text);
        return;
    }
    check_text(r, at, text, kind != COMMAND_TEXT || behind_c);
    add_part(parts, kind, text);
}

/* Words that only a shell can obey. */
static bool is_builtin(struct str word)
{
    static const char *const names[] = {
        ".",       "source", "eval",  "export", "readonly", "declare",
        "typeset", "local",  "set",   "unset",  "cd",       "ulimit",
        "umask",   "trap",   "shopt", "alias",  "let",      "read",
        "builtin", "if",     "for",   "while",  "until",    "case",
        "!",       "{",      "[[",    ":",      "function", "exec",
        "command", "wait",   "exit",  NULL};

    return str_among(word, names);
}

/* No program has the name of what a shell does itself. */
static void check_first(struct study_file *r, const struct value *at,
                        const struct parts *parts)
{
    const struct command_part *first = parts->list.p;

    if (parts->list.len == 0 || first->kind != COMMAND_TEXT)
        return;
    if (is_builtin(first->text))
        problem_at(&r->in, PROBLEM_ERROR, at,
                   "write the command as one line, or leave the word out",
                   "command: only a shell knows '%s', and no shell runs a list",
                   shown(r->in.arena, first->text));
}

static void read_list(struct study_file *r, const struct value *v,
                      struct parts *parts)
{
    struct roles roles = {0};

    for (size_t i = 0; i < v->count; i++) {
        const struct value *item = v->items[i];
        struct buf b;

        if (item->kind == VALUE_LIST || item->kind == VALUE_OBJECT ||
            item->kind == VALUE_NULL) {
            problem_at(&r->in, PROBLEM_ERROR, item,
                       item->kind == VALUE_OBJECT ? "write \"{name}\" in quotes"
                                                  : NULL,
                       "command: an element must be text, not %s",
                       value_words(&r->in, item));
            continue;
        }
        buf_init(&b);
        value_python_str(&b, item);
        read_element(r, item, arena_str(r->in.arena, buf_str(&b)), &roles,
                     parts);
        buf_done(&b);
    }
    check_first(r, v, parts);
}

/* ---- one string ------------------------------------------------------- */

enum quote { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE };

/* A comment that a line follows. */
static bool is_comment(struct str s, size_t i)
{
    return s.p[i] == '#' && (i == 0 || memchr(" \t", s.p[i - 1], 2)) &&
           memchr(s.p + i, '\n', s.len - i);
}

/* True when only a shell can run this line. */
static bool needs_shell(struct str s)
{
    enum quote quote = QUOTE_NONE;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool open = i + 1 < s.len && s.p[i + 1] == '(';

        if (quote == QUOTE_SINGLE) {
            quote = c == '\'' ? QUOTE_NONE : QUOTE_SINGLE;
        } else if (c == '\\') {
            i++;
        } else if (c == '`' || (c == '$' && open)) {
            return true;
        } else if (c == '"') {
            quote = quote == QUOTE_DOUBLE ? QUOTE_NONE : QUOTE_DOUBLE;
        } else if (quote == QUOTE_NONE) {
            if (c == '\'')
                quote = QUOTE_SINGLE;
            else if (memchr("|><;&\n", c, 6) || is_comment(s, i))
                return true;
        }
    }
    return false;
}

/* Takes one word off the front of *rest. 1, 0 at the end, -1 when a quote is
 * never closed. */
static int next_word(struct str *rest, struct buf *word)
{
    enum quote quote = QUOTE_NONE;
    size_t i = 0;

    while (i < rest->len && memchr(" \t\r", rest->p[i], 3))
        i++;
    if (i == rest->len)
        return 0;
    buf_reset(word);
    for (; i < rest->len; i++) {
        char c = rest->p[i];

        if (quote == QUOTE_NONE && memchr(" \t\r", c, 3))
            break;
        if (c == '\'' && quote != QUOTE_DOUBLE)
            quote = quote ? QUOTE_NONE : QUOTE_SINGLE;
        else if (c == '"' && quote != QUOTE_SINGLE)
            quote = quote ? QUOTE_NONE : QUOTE_DOUBLE;
        else if (c == '\\' && quote != QUOTE_SINGLE && i + 1 < rest->len &&
                 (quote == QUOTE_NONE || memchr("\"\\$`", rest->p[i + 1], 4)))
            buf_addc(word, rest->p[++i]);
        else
            buf_addc(word, c);
    }
    *rest = str_n(rest->p + i, rest->len - i);
    return quote == QUOTE_NONE ? 1 : -1;
}

/* Somebody who writes $HOME expects it to be expanded. */
static void warn_dollar(struct study_file *r, const struct value *v,
                        struct str word)
{
    long at = str_find(word, '$');

    if (at < 0 || (size_t)at + 1 >= word.len || word.p[at + 1] == '{' ||
        !param_name_valid(str_n(word.p + at + 1, 1)))
        return;
    problem_at(&r->in, PROBLEM_WARNING, v, "write ${envvar:NAME}",
               "command: '%s' stays as it is; no shell runs this command",
               shown(r->in.arena, word));
}

static void read_words(struct study_file *r, const struct value *v,
                       struct str line, struct parts *parts)
{
    struct roles roles = {0};
    struct buf word;
    int rc;

    buf_init(&word);
    while ((rc = next_word(&line, &word)) > 0) {
        struct str text = arena_str(r->in.arena, buf_str(&word));

        if (!roles.dash_c && !roles.script && !roles.remote && !roles.code)
            warn_dollar(r, v, text); /* else a shell does run it */
        read_element(r, v, text, &roles, parts);
    }
    if (rc < 0)
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "command: a quote is never closed");
    buf_done(&word);
}

/* Lines of comments at the front say nothing to whoever runs the rest. */
static struct str behind_comments(struct str text)
{
    text = str_trim(text);
    while (text.len > 0 && text.p[0] == '#') {
        const char *end = memchr(text.p, '\n', text.len);
        size_t len = end ? (size_t)(end - text.p) : text.len;

        text = str_trim(str_n(text.p + len, text.len - len));
    }
    return text;
}

/* The first word as it is written; *rest is what follows. */
static struct str first_word(struct str line, struct str *rest)
{
    size_t n = 0;

    while (n < line.len && !memchr(" \t\r\n", line.p[n], 4))
        n++;
    *rest = str_trim(str_n(line.p + n, line.len - n));
    return str_n(line.p, n);
}

/* `exec train` is what happens to a line without a shell anyway. */
static struct str behind_exec(struct str line)
{
    struct str rest, word = first_word(line, &rest);

    if ((!str_is(word, "exec") && !str_is(word, "command")) || rest.len == 0 ||
        rest.p[0] == '-')
        return line;
    return rest;
}

/* A=1 in front of the program, whose name may hold a value. */
static bool sets_variable(struct str word)
{
    long equals = str_find(word, '=');

    return equals > 0 && param_name_valid(str_n(word.p, (size_t)equals)) &&
           !memchr(word.p, '.', (size_t)equals) &&
           !memchr(word.p, '-', (size_t)equals);
}

static void read_string(struct study_file *r, const struct value *v,
                        struct parts *parts)
{
    struct str rest, line = behind_comments(v->s), word;
    bool shell = needs_shell(line);

    if (!shell)
        line = behind_exec(line);
    word = first_word(line, &rest);
    if (!shell && !is_builtin(word) && !sets_variable(word)) {
        read_words(r, v, line, parts);
        return;
    }
    check_text(r, v, line, true);
    add_part(parts, COMMAND_TEXT, STR("/bin/sh"));
    add_part(parts, COMMAND_TEXT, STR("-c"));
    add_part(parts, COMMAND_SHELL, line);
}

/* ---- the whole -------------------------------------------------------- */

static void keep_parts(struct study_file *r, struct parts *parts)
{
    r->plan->command_count = parts->list.len;
    r->plan->command = vec_to_arena(r->in.arena, &parts->list);
}

void read_command(struct study_file *r, const struct value *v)
{
    struct parts parts = {0};

    if (v->kind == VALUE_LIST)
        read_list(r, v, &parts);
    else if (v->kind == VALUE_STRING)
        read_string(r, v, &parts);
    else
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in [\"${program}\", \"${args}\"], or one line",
                   "command must be a list or text, not %s",
                   value_words(&r->in, v));
    if (parts.list.len == 0 &&
        (v->kind == VALUE_LIST || v->kind == VALUE_STRING))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "command is empty");
    keep_parts(r, &parts);
}

static void default_command(struct study_file *r)
{
    struct parts parts = {0};

    add_part(&parts, COMMAND_ENV, STR("${env}"));
    add_part(&parts, COMMAND_INTERPRETER, STR("${interpreter}"));
    add_part(&parts, COMMAND_PROGRAM, STR("${program}"));
    add_part(&parts, COMMAND_ARGS, STR("${args}"));
    keep_parts(r, &parts);
}

/* W&B starts every program with Python unless a command says otherwise. */
static void notice_python(struct study_file *r)
{
    static const char *const others[] = {".sh", ".R",  ".r",   ".jl",  ".pl",
                                         ".rb", ".js", ".lua", ".exe", NULL};
    const struct value *v = value_get(r->root, STR("program"));

    for (size_t i = 0; others[i]; i++)
        if (str_ends(r->plan->program, str_of(others[i])))
            problem_at(&r->in, PROBLEM_WARNING, v,
                       "say how it is started, as in command: "
                       "[\"${program}\", \"${args}\"]",
                       "program %s is started with python",
                       value_words(&r->in, v));
}

static bool uses(const struct plan *p, enum command_kind kind)
{
    for (size_t i = 0; i < p->command_count; i++) {
        const struct command_part *part = &p->command[i];

        if (part->kind == kind)
            return true;
        if ((part->kind == COMMAND_SHELL || part->kind == COMMAND_CODE) &&
            memmem(part->text.p, part->text.len, macro_text(kind),
                   strlen(macro_text(kind))))
            return true;
    }
    return false;
}

bool plan_takes_script(struct str program)
{
    return shell_runs_file(program);
}

/* ---- of a dialect ------------------------------------------------------- */

void read_dialect(struct study_file *r, const struct value *v)
{
    if (r->plan->dialect)
        r->plan->start = r->plan->dialect->start(&r->in, v);
}

bool plan_speaks_dialect(const struct plan *p)
{
    return p->dialect && str_is(p->protocol, p->dialect->name);
}

static bool declares(const void *context, struct str name)
{
    return plan_declares(context, name);
}

/* The command of a study that says only its program. */
static void dialect_command(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct start_study study = {
        .in = &r->in,
        .root = r->root,
        .program = p->program,
        .files = r->reader->files.read ? &r->reader->files : NULL,
        .declares = declares,
        .context = p};
    const struct str *words =
        p->dialect->command(p->start, &study, &p->command_count);
    struct command_part *list =
        arena_array(r->in.arena, p->command_count, sizeof(*list));

    for (size_t i = 0; i < p->command_count; i++) {
        list[i] = (struct command_part){COMMAND_TEXT, words[i]};
        macro_find(words[i], &list[i].kind);
    }
    p->command = list;
}

static void check_dialect(struct study_file *r)
{
    const struct dialect *d = r->plan->dialect;
    const struct value *v = d ? value_get(r->root, str_of(d->name)) : NULL;

    if (v && !plan_speaks_dialect(r->plan))
        problem_at(&r->in, PROBLEM_WARNING, v,
                   arena_printf(r->in.arena, "say protocol: %s too", d->name),
                   "%s is used only with protocol: %s", d->name, d->name);
}

/* ---- the whole ---------------------------------------------------------- */

void check_command(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *command = value_get(r->root, STR("command"));
    const struct value *program = value_get(r->root, STR("program"));
    const struct value *model = value_get(r->root, STR("model"));

    if (model && (command || program))
        problem_at(&r->in, PROBLEM_ERROR, model, NULL,
                   "give a model or a command, not both");
    if (p->kind->runs > RUNS_MODEL && !p->predict && (command || program))
        problem_at(&r->in, PROBLEM_ERROR, command ? command : program, NULL,
                   "tasks of the kind %s run no command", p->kind->name);
    if (p->kind->runs == RUNS_COMMAND && !command && !program)
        problem_whole(&r->in, PROBLEM_ERROR,
                      "as in program: train.py, or command: ./train {lr}",
                      "the study does not say what to run: program or command "
                      "is missing");
    if (program)
        check_text(r, program, p->program, false);
    if (program && !command && !model) {
        if (plan_speaks_dialect(p)) {
            dialect_command(r);
        } else {
            notice_python(r);
            default_command(r);
        }
    }
    check_dialect(r);
    if (command && !program && uses(p, COMMAND_PROGRAM))
        problem_at(&r->in, PROBLEM_ERROR, command, "as in program: train.py",
                   "command uses ${program}, but program is missing");
    if (command && program && p->command_count > 0 && !uses(p, COMMAND_PROGRAM))
        problem_at(&r->in, PROBLEM_WARNING, program, NULL,
                   "program is not used: command has no ${program}");
    if (command) {
        check_placeholders(r, command);
        check_command_risks(r, command);
    }
}
