/* target.c - other data sets that a model is judged on */
#include "terms/target.h"

/* "b" of "data/b.csv.gz". */
static struct str name_of(struct str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.p[i] == '/') {
            path = str_n(path.p + i + 1, path.len - i - 1);
            break;
        }
    /* A name that begins with a dot has its ending behind the next one. */
    long dot =
        path.len > 1 ? str_find(str_n(path.p + 1, path.len - 1), '.') : -1;
    return dot < 0 ? path : str_n(path.p, (size_t)dot + 1);
}

bool target_at(const struct value *targets, size_t i, struct target *t)
{
    bool named = targets && targets->kind == VALUE_OBJECT;
    bool list = targets && targets->kind == VALUE_LIST;
    if (!(named || list) || i >= targets->count)
        return false;
    t->files = targets->items[i];
    t->name = named ? targets->keys[i] : name_of(value_text(t->files));
    return true;
}
