/* problems.c - mistakes, collected in the order of their places
 *
 * Each new problem is put behind those of the same file that stand before it
 * in the text, so that a list is in order at every moment. Problems of a file
 * as a whole (line 0) come behind all others of that file. The list is
 * bounded: a hostile file cannot fill the memory with its mistakes. */
#include "plan/plan.h"
#include "plan/reading.h"

#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>

#define NAMES_SHOWN_MAX 30
#define SHOWN_MAX 60 /* bytes of an offending text that are shown */

static const char *const levels[] = {"error", "warning", "notice"};

void problems_init(struct problems *p, struct arena *a)
{
    *p = (struct problems){.arena = a};
}

void problems_done(struct problems *p)
{
    if (p)
        vec_done(&p->list);
}

static bool stands_behind(const struct problem *a, const struct problem *b)
{
    uint32_t line_a = a->line - 1, line_b = b->line - 1; /* 0 becomes last */

    if (line_a != line_b)
        return line_a > line_b;
    return a->column > b->column;
}

/* Problems of one file stand together, wherever the first of them came. */
static void insert(struct problems *p, struct problem problem)
{
    size_t at = p->list.len;

    while (at > 0 && !str_eq(p->list.p[at - 1].file, problem.file))
        at--;
    if (at == 0)
        at = p->list.len;
    while (at > 0 && str_eq(p->list.p[at - 1].file, problem.file) &&
           stands_behind(&p->list.p[at - 1], &problem))
        at--;
    vec_push(&p->list, problem);
    memmove(&p->list.p[at + 1], &p->list.p[at],
            (p->list.len - 1 - at) * sizeof(*p->list.p));
    p->list.p[at] = problem;
}

void problems_vadd(struct problems *p, struct problem problem, const char *fmt,
                   va_list ap)
{
    struct buf text;

    if (problem.level == PROBLEM_ERROR)
        p->errors++;
    if (p->list.len >= PROBLEMS_MAX) {
        p->dropped++;
        return;
    }
    buf_init(&text);
    buf_vaddf(&text, fmt, ap);
    problem.text = arena_str(p->arena, buf_str(&text));
    buf_done(&text);
    problem.file = arena_str(p->arena, problem.file);
    problem.hint = arena_str(p->arena, problem.hint);
    insert(p, problem);
}

void problems_add(struct problems *p, enum problem_level level, struct str file,
                  uint32_t line, uint32_t column, struct str hint,
                  const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(p,
                  (struct problem){.level = level,
                                   .file = file,
                                   .line = line,
                                   .column = column,
                                   .hint = hint},
                  fmt, ap);
    va_end(ap);
}

void problem_at(struct reading *r, enum problem_level level,
                const struct value *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){.level = level,
                                   .file = r->file,
                                   .line = at ? at->line : 0,
                                   .column = at ? at->column : 0,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

void problem_at_param(struct reading *r, enum problem_level level, size_t i,
                      const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){.level = level,
                                   .file = r->param_file[i],
                                   .line = r->param_at[i]->line,
                                   .column = r->param_at[i]->column,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

void problem_at_key(struct reading *r, enum problem_level level,
                    const struct value *object, size_t i, const char *hint,
                    const char *fmt, ...)
{
    va_list ap;
    bool known = object->key_lines && object->key_columns;

    va_start(ap, fmt);
    problems_vadd(r->problems,
                  (struct problem){
                      .level = level,
                      .file = r->file,
                      .line = known ? object->key_lines[i] : object->line,
                      .column = known ? object->key_columns[i] : object->column,
                      .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

void problem_whole(struct reading *r, enum problem_level level,
                   const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(
        r->problems,
        (struct problem){.level = level, .file = r->file, .hint = str_of(hint)},
        fmt, ap);
    va_end(ap);
}

bool problems_full(const struct reading *r)
{
    return r->problems->list.len >= PROBLEMS_MAX;
}

static const char *one_of(struct reading *r, const char *const *names)
{
    struct buf b;
    const char *hint;

    buf_init(&b);
    buf_adds(&b, "one of: ");
    for (size_t i = 0; names[i]; i++) {
        if (i == NAMES_SHOWN_MAX) {
            buf_adds(&b, " …");
            break;
        }
        buf_addf(&b, "%s%s", i ? ", " : "", names[i]);
    }
    hint = arena_cstr(r->arena, buf_str(&b));
    buf_done(&b);
    return hint;
}

const char *hint_nearest(struct reading *r, struct str s,
                         const char *const *names)
{
    const char *near;

    if (problems_full(r))
        return NULL;
    near = str_nearest(s, names);
    if (near)
        return arena_printf(r->arena, "did you mean '%s'?", near);
    return one_of(r, names);
}

const char *shown(struct arena *a, struct str s)
{
    size_t len = s.len < SHOWN_MAX ? s.len : SHOWN_MAX;
    char *text;

    while (len < s.len && len > 0 && ((unsigned char)s.p[len] & 0xc0) == 0x80)
        len--;
    text = arena_printf(a, "%.*s%s", (int)len, len ? s.p : "",
                        len < s.len ? "…" : "");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return text;
}

const char *value_words(struct reading *r, const struct value *v)
{
    struct buf b;
    const char *words;

    if (v->kind == VALUE_LIST)
        return "a list";
    if (v->kind == VALUE_OBJECT)
        return "an object";
    if (v->kind == VALUE_STRING)
        return arena_printf(r->arena, "'%s'", shown(r->arena, v->s));
    if (v->kind == VALUE_NULL)
        return "nothing";
    if (v->kind == VALUE_BOOL)
        return v->boolean ? "true" : "false";
    buf_init(&b);
    value_python_str(&b, v);
    words = arena_cstr(r->arena, buf_str(&b));
    buf_done(&b);
    return words;
}

void problems_print(struct buf *b, const struct problems *p)
{
    for (size_t i = 0; i < p->list.len; i++) {
        const struct problem *q = &p->list.p[i];

        buf_addstr(b, q->file);
        if (q->line)
            buf_addf(b, ":%u:%u", q->line, q->column);
        buf_addf(b, ": %s: ", levels[q->level]);
        buf_addstr(b, q->text);
        if (q->hint.len > 0) {
            buf_adds(b, " (");
            buf_addstr(b, q->hint);
            buf_adds(b, ")");
        }
        buf_addc(b, '\n');
    }
    if (p->dropped > 0)
        buf_addf(b, "and %zu more\n", p->dropped);
}

static void print_position(struct buf *b, const char *name, uint32_t position)
{
    if (position)
        buf_addf(b, ",\"%s\":%u", name, position);
    else
        buf_addf(b, ",\"%s\":null", name);
}

void problems_json(struct buf *b, const struct problems *p)
{
    buf_addc(b, '[');
    for (size_t i = 0; i < p->list.len; i++) {
        const struct problem *q = &p->list.p[i];

        buf_addf(b, "%s{\"level\":\"%s\",\"file\":", i ? "," : "",
                 levels[q->level]);
        json_string(b, q->file);
        print_position(b, "line", q->line);
        print_position(b, "column", q->line ? q->column : 0);
        buf_adds(b, ",\"text\":");
        json_string(b, q->text);
        buf_adds(b, ",\"hint\":");
        json_string(b, q->hint);
        buf_addc(b, '}');
    }
    buf_addc(b, ']');
}
