/* cells.c - what a trial has, as cells of a table */
#include "base/num.h"
#include "cli/cli.h"

#define PARAM_DIGITS 4

void table_seconds(struct table *t, const struct call *c, double seconds)
{
    if (c->terminal)
        table_cell(t, "%.2f", seconds);
    else
        table_number(t, num_round(seconds, 4), 0);
}

void table_value(struct table *t, const struct call *c, const struct value *v)
{
    struct buf b;
    if (v && v->kind == VALUE_DOUBLE && c->terminal) {
        table_number(t, v->d, PARAM_DIGITS);
        return;
    }
    buf_init(&b);
    point_cell(&b, v);
    table_cell(t, "%s", b.p);
    buf_done(&b);
}

void table_chosen(struct table *t, const struct call *c, const char *name,
                  const struct value *v)
{
    struct buf b;
    buf_init(&b);
    trial_column_print(&b, name, v, c->terminal);
    table_cell(t, "%s", b.p);
    buf_done(&b);
}

/* On a terminal numbers have as many digits as a person compares. */
#define TABLED_DIGITS 6

void put_tabled(const struct call *c, const struct tabled *l)
{
    struct table *t = table_new();
    for (size_t i = 0; i < l->titles.len; i++)
        table_column(t, l->titles.p[i], !l->cells.len || !l->cells.p[i].text);
    for (size_t i = 0; i < l->cells.len; i++) {
        const struct tabled_cell *k = &l->cells.p[i];
        if (k->text)
            table_cell(t, "%s", k->text);
        else if (k->whole)
            table_cell(t, "%.0f", k->number);
        else if (k->value)
            table_value(t, c, k->value);
        else
            table_number(t, k->number, c->terminal ? TABLED_DIGITS : 0);
        if ((i + 1) % l->titles.len == 0)
            table_row(t);
    }
    table_print(t, c);
    table_free(t);
}
