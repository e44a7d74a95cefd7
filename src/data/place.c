/* place.c - where in its files a number of a view comes from */
#include "data/set.h"

static const struct value *layout_of(const struct data_set *s, size_t input)
{
    return value_at(value_get(s->layout, STR("inputs")), input);
}

/* The column of the table that became this number of a row; a column of
 * categories became one for each. */
static size_t table_column(const struct value *layout, size_t number)
{
    const struct value *columns = value_get(layout, STR("columns"));
    const struct value *categories = value_get(layout, STR("categories"));
    for (size_t k = 0; columns && k < columns->count; k++) {
        const struct value *own = value_at(categories, k);
        size_t width = own && own->kind == VALUE_LIST ? own->count : 1;
        if (number < width)
            return (size_t)columns->items[k]->i;
        number -= width;
    }
    return number;
}

/* Files of parts stand one after another in the table. */
static const char *file_of(const struct data_set *s, size_t input, size_t row)
{
    const char *const *files = s->files + input * PARTS;
    size_t i = 0;
    for (; i + 1 < PARTS && row >= s->part_rows[i]; i++)
        row -= s->part_rows[i];
    return files[i] ? files[i] : files[0];
}

/* Its name, or its number from 1. */
static void add_column(struct buf *b, const struct data_view *v, size_t input,
                       size_t column)
{
    const struct data_set *s = v->set;
    if (v->drawn && v->drawn[input])
        column = v->drawn[input][column];
    size_t at = s ? table_column(layout_of(s, input), column) : column;
    const struct value *name =
        s ? value_at(value_get(s->layout, STR("names")), at) : NULL;
    if (name)
        buf_addstr(b, name->s);
    else
        buf_addf(b, "%zu", at + 1);
}

void data_place(struct buf *b, const struct data_view *v, size_t input,
                size_t row, size_t column)
{
    const struct data_set *s = v->set;
    if (!s) {
        buf_addf(b, "row %zu: column %zu", row + 1, column + 1);
        return;
    }
    buf_addf(b, "%s: row %zu: column ", file_of(s, input, row),
             data_row_in_file(v->table, row) + 1);
    add_column(b, v, input, column);
}

void data_column_name(struct buf *b, const struct data_view *v, size_t input,
                      size_t column)
{
    const struct data_set *s = v->set;
    bool table = s && value_get(layout_of(s, input), STR("columns"));
    if (v->table->input_count > 1 && !table)
        buf_addf(b, "%.*s.", STRF(v->table->inputs[input].name));
    add_column(b, v, input, column);
}
