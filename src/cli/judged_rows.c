/* judged_rows.c - predictions beside truths, for evaluate */
#include "cli/judged_rows.h"

#include "base/num.h"

static void print_groups(struct call *c, const struct value *v)
{
    const struct value *list = value_get(v, STR("groups"));
    struct table *t = table_new();
    const struct value *first = value_at(list, 0);
    table_column(t, arena_cstr(c->arena, value_text(value_get(v, STR("by")))),
                 false);
    for (size_t i = 1; first && i < first->count; i++)
        table_column(t, arena_cstr(c->arena, first->keys[i]), true);
    for (size_t k = 0; k < list->count; k++) {
        const struct value *one = list->items[k];
        table_cell(t, "%.*s", STRF(value_text(one->items[0])));
        table_cell(t, "%lld", (long long)one->items[1]->i);
        for (size_t i = 2; i < one->count; i++)
            table_number(t, value_number(one->items[i]), 4);
        table_row(t);
    }
    put(STR("\n"));
    table_print(t, c);
    table_free(t);
}

void judged_rows_print(struct call *c, const struct value *v)
{
    const struct value *ranks = value_get(v, STR("k_rank"));
    for (size_t i = 0; ranks && i < ranks->count; i++) {
        const struct value *one = ranks->items[i];
        struct buf b;
        buf_init(&b);
        buf_addf(&b, "k_rank_%lld%s", (long long)value_get(one, STR("k"))->i,
                 c->terminal ? "  " : "\t");
        num_print_short(&b, value_number(value_get(one, STR("share"))), 6);
        buf_addc(&b, '\n');
        put(buf_str(&b));
        buf_done(&b);
    }
    if (value_get(v, STR("groups")))
        print_groups(c, v);
}
