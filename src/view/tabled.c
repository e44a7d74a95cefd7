/* tabled.c - a table as plain data */
#include <math.h>
#include <stdarg.h>
#include "view/view.h"

void tabled_init(struct tabled *l, struct arena *a)
{
    *l = (struct tabled){.arena = a};
}

void tabled_done(struct tabled *l)
{
    vec_done(&l->titles);
    vec_done(&l->cells);
}

void tabled_title(struct tabled *l, const char *title)
{
    vec_push(&l->titles, title);
}

void tabled_number(struct tabled *l, double v)
{
    struct tabled_cell c = {.number = v};
    vec_push(&l->cells, c);
}

void tabled_count(struct tabled *l, int64_t n)
{
    struct tabled_cell c = {.number = (double)n, .whole = true};
    vec_push(&l->cells, c);
}

void tabled_text(struct tabled *l, const char *fmt, ...)
{
    struct tabled_cell c = {.number = NAN};
    struct buf b;
    va_list ap;
    va_start(ap, fmt);
    buf_init(&b);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    c.text = arena_cstr(l->arena, buf_str(&b));
    buf_done(&b);
    vec_push(&l->cells, c);
}

void tabled_value(struct tabled *l, struct value *v)
{
    struct tabled_cell c = {.number = NAN, .value = v};
    vec_push(&l->cells, c);
}
