/* act.c - changing a study, whether or not it runs */
#include "cli/act.h"
#include "cli/names.h"

#include <unistd.h>

#define ANSWER_MS 4000
#define LOOK_MS 20

static enum acted act_here(struct call *c, const char *folder, const char *verb,
                           const char *selector, const struct value *args,
                           int64_t *changed)
{
    struct store *store = store_open(folder, true, &c->err);
    if (!store)
        return ACT_FAILED;
    int rc = store_lease_take(store, false, &c->err);
    if (!rc)
        rc = study_apply_waiting(store, &c->err);
    if (!rc && verb)
        rc = study_apply(store, verb, selector, args, changed, &c->err);
    store_close(store);
    return rc ? ACT_FAILED : ACT_DONE;
}

static bool request_waits(struct arena *a, const char *folder)
{
    const char **names = dir_list(path_join(a, folder, "requests"), a, NULL);
    for (; names && *names; names++)
        if (str_ends(str_of(*names), STR(".json")))
            return true;
    return false;
}

static int is_live(struct call *c, const char *folder, bool *live)
{
    struct lease lease;
    struct store *store = store_open(folder, false, &c->err);
    if (!store)
        return -1;
    int rc = store_lease_read(store, &lease, &c->err);
    *live = !rc && lease.live;
    store_close(store);
    return rc;
}

/* The conductor may end at any moment: then what it did not hear is applied
 * here. */
static enum acted wait_for_answer(struct call *c, const char *folder)
{
    struct arena *a = arena_new();
    enum acted got = ACT_ASKED;
    for (unsigned ms = 0; got == ACT_ASKED && ms < ANSWER_MS; ms += LOOK_MS) {
        bool live = true;
        arena_reset(a);
        if (!request_waits(a, folder))
            got = ACT_HEARD;
        else if (ms % 500 == 0 && is_live(c, folder, &live))
            got = ACT_FAILED;
        else if (!live)
            got = act_here(c, folder, NULL, NULL, NULL, NULL) == ACT_DONE
                      ? ACT_HEARD
                      : ACT_FAILED;
        else
            usleep(LOOK_MS * 1000);
    }
    arena_free(a);
    return got;
}

enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               int64_t *changed)
{
    bool live;
    *changed = 0;
    if (is_live(c, where->folder, &live))
        return ACT_FAILED;
    if (!live)
        return act_here(c, where->folder, verb, selector, args, changed);
    if (store_request_put(where->folder, verb, selector, args, &c->err))
        return ACT_FAILED;
    return wait_for_answer(c, where->folder);
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
        return no_such_trials(c, store, c->args[0]);
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
