/* command_risks.c - where in a command a value would be code
 *
 * What a shell of ours runs is safe (shell_line.c). Here are the places that
 * are not: a value in the code of another shell is refused when it is more
 * than harmless letters, and in that of another program (python -c, awk) it
 * stands as it is. Nobody is warned of parameters whose values are harmless
 * all of them. */
#include "plan/reading.h"

#include "plan/shell.h"

#define POINTS_LOOKED_AT 1000

/* ---- what a parameter may be ------------------------------------------- */

static bool is_harmless(const struct value *v)
{
    struct buf b;
    bool harmless;

    buf_init(&b);
    value_python_str(&b, v);
    harmless = b.len == 0 || shell_harmless(buf_str(&b));
    buf_done(&b);
    return harmless;
}

static bool param_is_harmless(const struct param *p)
{
    if (p->dist == DIST_CONSTANT)
        return is_harmless(p->constant);
    if (p->dist != DIST_CATEGORICAL)
        return true; /* a number */
    for (size_t i = 0; i < p->values->count; i++)
        if (!is_harmless(p->values->items[i]))
            return false;
    return true;
}

/* The first points stand for all. */
static bool points_are_harmless(const struct plan *p, struct str name)
{
    uint64_t count = plan_points_count(p->points);
    struct arena *a = arena_new();
    bool harmless = true;

    for (uint64_t i = 0; i < count && i < POINTS_LOOKED_AT && harmless; i++) {
        struct value *point;
        const struct value *v;
        struct str run_id;

        arena_reset(a);
        if (plan_points_get(p->points, i, a, &point, &run_id, NULL))
            break;
        if (command_lookup(p, point, name, &v) && v)
            harmless = is_harmless(v);
    }
    arena_free(a);
    return harmless;
}

static bool may_be_code(const struct plan *p, struct str name)
{
    long leaf = space_find(&p->space, name);

    if (!plan_declares(p, name))
        return false;
    if (p->points && points_has_name(p->points, name))
        return !points_are_harmless(p, name);
    return leaf < 0 || !param_is_harmless(&p->space.params[leaf]);
}

/* ---- saying it ---------------------------------------------------------- */

static const char *variable_of(struct study_file *r, struct str name)
{
    char *text = arena_printf(r->in.arena, "THRONG_P_%.*s", STRF(name));

    for (char *p = text; *p; p++)
        if (*p == '.' || *p == '-')
            *p = '_';
    return text;
}

static void warn_refused(struct study_file *r, const struct value *at,
                         struct str name, const char *where)
{
    problem_at(&r->in, PROBLEM_WARNING, at,
               arena_printf(r->in.arena,
                            "let what runs there read %s of its environment, "
                            "or hand it over as an argument (\"$1\")",
                            variable_of(r, name)),
               "command: {%.*s} stands %s: trials whose value is more than "
               "letters, digits and _-+.,/:@%% are refused",
               STRF(name), where);
}

static void warn_program(struct study_file *r, const struct value *at,
                         const char *key, struct str name)
{
    problem_at(&r->in, PROBLEM_WARNING, at,
               arena_printf(r->in.arena, "let it read %s of its environment",
                            variable_of(r, name)),
               "%s: the value of {%.*s} becomes part of a program's code", key,
               STRF(name));
}

static void warn_place(struct study_file *r, const struct value *at,
                       struct str name, const struct shell_scan *s, bool code)
{
    switch (code ? SHELL_CODE : shell_scan_place(s)) {
    case SHELL_CODE:
        warn_refused(r, at, name, "in code for another shell");
        return;
    case SHELL_NUMBER:
        warn_refused(r, at, name, "in arithmetic of the shell");
        return;
    case SHELL_FIXED:
        warn_refused(r, at, name, "in a here-document with a quoted end");
        return;
    case SHELL_COMMENT:
        return;
    default:
        if (shell_scan_in_program(s))
            warn_program(r, at, "command", name);
    }
}

/* ---- looking for it ----------------------------------------------------- */

static void look_at_shell(struct study_file *r, const struct value *at,
                          const struct command_part *part)
{
    struct shell_scan s;

    shell_scan_init(&s, part->text);
    while (s.at < part->text.len) {
        struct str name,
            rest = str_n(part->text.p + s.at, part->text.len - s.at);
        size_t len = command_brace(rest, &name);
        size_t escaped = command_escaped(rest);

        if (escaped > 0) {
            shell_scan_skip(&s, escaped);
        } else if (len > 0 && plan_declares(r->plan, name)) {
            if (may_be_code(r->plan, name))
                warn_place(r, at, name, &s, part->kind == COMMAND_CODE);
            shell_scan_skip(&s, len);
        } else {
            shell_scan_step(&s);
        }
    }
}

static void look_at_program(struct study_file *r, const struct value *at,
                            const char *key, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        struct str name;
        size_t len = command_brace(str_n(text.p + i, text.len - i), &name);

        if (len > 0 && may_be_code(r->plan, name))
            warn_program(r, at, key, name);
    }
}

/* By its name or its first line. */
static bool is_script(const struct plan_template *t)
{
    struct str rest = t->text, line = STR("");

    str_split(&rest, '\n', &line);
    return str_ends(t->path, STR(".sh")) || str_ends(t->path, STR(".bash")) ||
           (str_starts(line, STR("#!")) && str_ends(str_trim(line), STR("sh")));
}

void check_template_risks(struct study_file *r, const struct value *templates)
{
    for (size_t i = 0; i < r->plan->template_count; i++)
        if (is_script(&r->plan->templates[i]))
            look_at_program(r,
                            templates->kind == VALUE_LIST ? templates->items[i]
                                                          : templates,
                            "templates", r->plan->templates[i].text);
}

void check_command_risks(struct study_file *r, const struct value *command)
{
    const struct plan *p = r->plan;
    bool interpreter = false, make = false;

    for (size_t i = 0; i < p->command_count; i++) {
        const struct command_part *part = &p->command[i];
        struct str before = i > 0 ? p->command[i - 1].text : STR("");

        if (part->kind == COMMAND_SHELL || part->kind == COMMAND_CODE)
            look_at_shell(r, command, part);
        else if (interpreter && (str_is(before, "-c") || str_is(before, "-e")))
            look_at_program(r, command, "command", part->text);
        else if (make && str_find(part->text, '=') > 0)
            look_at_program(r, command, "command", part->text);
        make =
            make || (part->kind == COMMAND_TEXT && shell_is_make(part->text));
        interpreter =
            interpreter || part->kind == COMMAND_INTERPRETER ||
            (part->kind == COMMAND_TEXT && shell_is_interpreter(part->text));
    }
}
