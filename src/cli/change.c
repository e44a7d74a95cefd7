/* change.c - what verbs that change trials have in common */
#include "cli/change.h"

#include "view/view.h"

enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               struct request_answer *answer)
{
    struct act what = {verb, selector, args};
    return study_act(where->folder, &what, answer, c->arena, &c->err);
}

static int count_trials(struct call *c, struct store *store, int64_t *count)
{
    struct query q = {.selector = c->args[0]};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = -1;
    *count = 0;
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0)
        ++*count;
    rows_close(rows);
    if (got == 0 && !*count)
        return no_such_trials(store, c->args[0], c->arena, &c->err);
    return got;
}

struct store *open_for_trials(struct call *c, struct place_of_study *where,
                              int64_t *count)
{
    struct store *store = open_named_study(c, true, where);
    if (!store)
        return NULL;
    if (c->arg_count && !count_trials(c, store, count))
        return store;
    if (!c->arg_count)
        err_set(&c->err, ERR_USAGE,
                "say which trials: 7, 1-10,15, failed, best:20, tag:x, last");
    store_close(store);
    return NULL;
}
