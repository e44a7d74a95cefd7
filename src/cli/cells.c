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
