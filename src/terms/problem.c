/* problem.c - mistakes, collected in the order of their places
 *
 * Each new problem is put behind those of the same file that stand before it
 * in the text, so that a list is in order at every moment. Problems of a file
 * as a whole (line 0) come behind all others of that file. The list is
 * bounded: a hostile file cannot fill the memory with its mistakes. */
#include "terms/problem.h"

#include "base/json.h"
#include "base/num.h"

static const char *const levels[] = {"error", "warning", "notice"};

void problems_init(struct problems *p, struct arena *a)
{
    *p = (struct problems){.arena = a};
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
    if (p->list.len == p->list.cap) {
        size_t cap = p->list.cap ? 2 * p->list.cap : 8;
        struct problem *more = arena_array(p->arena, cap, sizeof(*more));

        if (p->list.len > 0)
            memcpy(more, p->list.p, p->list.len * sizeof(*more));
        p->list.p = more;
        p->list.cap = cap;
    }
    p->list.len++;
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
    problem.path = arena_str(p->arena, problem.path);
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

void problem_print(struct buf *b, const struct problem *p)
{
    buf_addf(b, "%.*s%s%.*s", STRF(p->path), p->path.len ? " " : "",
             STRF(p->text));
    if (p->hint.len > 0)
        buf_addf(b, " (%.*s)", STRF(p->hint));
}

void problems_print(struct buf *b, const struct problems *p)
{
    for (size_t i = 0; i < p->list.len; i++) {
        const struct problem *q = &p->list.p[i];

        buf_addstr(b, q->file);
        if (q->line)
            buf_addf(b, ":%u:%u", q->line, q->column);
        buf_addf(b, ": %s: ", levels[q->level]);
        problem_print(b, q);
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

void problem_json(struct problems *problems, struct str file, uint32_t lines,
                  uint32_t columns, const char *text)
{
    struct str rest = str_of(text), line, column;
    uint64_t l = 0, c = 0;

    if (str_split(&rest, ':', &line) && str_split(&rest, ':', &line) &&
        str_split(&rest, ':', &column) && num_uint(line, &l) &&
        num_uint(column, &c) && rest.p)
        text = rest.p;
    if (l == 1)
        c += columns;
    problems_add(problems, PROBLEM_ERROR, file, (uint32_t)l + lines,
                 (uint32_t)c, STR(""), "%s", text + strspn(text, " "));
}
