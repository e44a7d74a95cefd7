/* selected.c - trials that a selector names, while they are changed */
#include "study/selected.h"

int selected_ids(struct store *store, const char *selector, struct arena *a,
                 int64_t **ids, size_t *count, struct err *err)
{
    struct query q = {.selector = selector};
    struct rows *rows = store_rows(store, &q, err);
    if (!rows)
        return -1;
    VEC(int64_t) found = {0};
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0)
        vec_push(&found, t.id);
    rows_close(rows);
    *count = found.len;
    *ids = vec_to_arena(a, &found);
    return got;
}

int selected_each(struct store *store, const char *selector, selected_fn *fn,
                  void *context, struct err *err)
{
    struct arena *list = arena_new(), *a = arena_new();
    struct trial t;
    int64_t *ids;
    size_t count = 0;
    int rc = selected_ids(store, selector, list, &ids, &count, err);
    for (size_t i = 0; !rc && i < count; i++) {
        arena_reset(a);
        rc = store_trial(store, ids[i], a, &t, err);
        if (!rc)
            rc = fn(context, &t, err);
    }
    arena_free(a);
    arena_free(list);
    return rc;
}
