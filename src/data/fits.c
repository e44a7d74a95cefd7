/* fits.c - whether a table can be the rows of a model, by its header
 *
 * As table.c finds the columns of training again when it reads one. Rows
 * without a header are left to it: each of them may be one that cannot be read.
 */
#include "data/set.h"

static bool has_name(const struct matrix *m, struct str name)
{
    for (size_t i = 0; i < m->columns; i++)
        if (str_eq(m->names[i], name))
            return true;
    return false;
}

/* The first column of its inputs that no name of the table is; NULL: none. */
static const struct value *lacks(const struct value *fitted,
                                 const struct matrix *m)
{
    const struct value *names = value_get(fitted, STR("names"));
    const struct value *inputs = value_get(fitted, STR("inputs"));
    for (size_t i = 0; inputs && i < inputs->count; i++) {
        const struct value *own = value_get(inputs->items[i], STR("columns"));
        for (size_t k = 0; own && k < own->count; k++) {
            const struct value *name = names->items[own->items[k]->i];
            if (!has_name(m, name->s))
                return name;
        }
    }
    return NULL;
}

const char *data_misfit(const struct value *fitted, const struct matrix *m,
                        struct arena *a)
{
    if (!value_get(fitted, STR("columns")) ||
        !value_get(fitted, STR("names")) || !m->names)
        return NULL;
    const struct value *name = lacks(fitted, m);
    const char **names = arena_array(a, m->columns + 1, sizeof(*names));
    if (!name)
        return NULL;
    for (size_t i = 0; i < m->columns; i++)
        names[i] = arena_cstr(a, m->names[i]);
    const char *near = str_nearest(name->s, names);
    return arena_printf(
        a, "%zu: there is no column %.*s, which the model was trained with%s%s",
        m->body_line > 1 ? m->body_line - 1 : 1, STRF(name->s),
        near ? "; it has " : "", near ? near : "");
}
