/* placeholders.c - names in braces that no parameter has
 *
 * They stay as they are, so that a script can use braces for itself. Where
 * they would reach a program as an argument, somebody meant a parameter. */
#include "plan/reading.h"

#include "plan/shell.h"

static void unknown(struct study_file *r, const struct value *at,
                    struct str name)
{
    bool strict = r->reader && r->reader->strict;
    const char *near = str_nearest(name, r->param_names);
    struct buf b;

    buf_init(&b);
    if (near)
        buf_addf(&b, "did you mean {%s}? ", near);
    buf_adds(&b, "the parameters are");
    for (size_t i = 0; r->param_names[i] && i < 20; i++)
        buf_addf(&b, "%s %s", i ? "," : "", r->param_names[i]);
    problem_at(&r->in, strict ? PROBLEM_ERROR : PROBLEM_WARNING, at,
               *r->param_names ? arena_cstr(r->in.arena, buf_str(&b)) : NULL,
               "command: no parameter is called '%s', so {%s} stays as it is",
               shown(r->in.arena, name), shown(r->in.arena, name));
    buf_done(&b);
}

/* Braces behind a dollar are a shell's, and in single quotes they are most
 * often some program's own (awk). */
static void look_at_text(struct study_file *r, const struct value *at,
                         struct str text, bool shell)
{
    bool quoted = false;

    for (size_t i = 0; i < text.len; i++) {
        struct str name;

        quoted ^= shell && text.p[i] == '\'';
        if (quoted || (i > 0 && text.p[i - 1] == '$') ||
            !command_brace(str_n(text.p + i, text.len - i), &name))
            continue;
        if (!plan_declares(r->plan, name))
            unknown(r, at, name);
    }
}

void check_placeholders(struct study_file *r, const struct value *command)
{
    const struct plan *p = r->plan;
    bool code = false; /* of a program that has a language of its own */

    for (size_t i = 0; i < p->command_count; i++) {
        const struct command_part *part = &p->command[i];
        struct str before = i > 0 ? p->command[i - 1].text : STR("");

        if (part->kind != COMMAND_TEXT && part->kind != COMMAND_SHELL)
            continue;
        if (!code && !str_is(before, "-c") && !str_is(before, "-e"))
            look_at_text(r, command, part->text, part->kind == COMMAND_SHELL);
        else if (part->kind == COMMAND_SHELL)
            look_at_text(r, command, part->text, true);
        code = code || (shell_is_interpreter(part->text) &&
                        !shell_is_python(part->text));
    }
}
