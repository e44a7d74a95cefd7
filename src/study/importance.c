/* importance.c - the results of a stored study, for what they say about its
 * parameters */
#include <math.h>
#include "base/json.h"
#include "search/search.h"
#include "study/study.h"

static int read_space(struct store *store, struct space *space, struct arena *a,
                      struct err *err)
{
    struct str text;
    if (store_fact(store, "space", a, &text, err))
        return -1;
    struct value *v = text.len ? json_parse(a, text, "space", true, err) : NULL;
    if (text.len && (!v || space_from_value(space, v, a, err)))
        return -1;
    if (text.len && space->count)
        return 0;
    return err_set(err, ERR_INPUT,
                   "this study has a list of points and no parameter space, "
                   "so that nothing can be said about parameters");
}

/* The value of a trial that counts, or NaN. Which metric, or its own. */
static double value_of(const struct trial *t, struct str metric,
                       struct arena *a)
{
    if (state_bad(t->state) || !metric.len)
        return t->value;
    const struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "summary", true, NULL)
                       : NULL;
    return value_number(value_get(value_get(summary, metric), STR("last")));
}

/* More say nothing new about a parameter: of larger studies, every n-th
 * finished trial is taken. */
#define TRIALS_MOST 8000

static int64_t finished_trials(struct store *store)
{
    struct counts c;
    int64_t all = 0;
    if (store_counts(store, &c, NULL))
        return 0;
    for (int s = 0; s < STATE_COUNT; s++)
        if (state_final((enum state)s))
            all += c.by_state[s];
    return all;
}

static int add_trials(struct importance *i, struct store *store,
                      struct str metric, struct err *err)
{
    int64_t step = finished_trials(store) / TRIALS_MOST + 1, at = 0;
    struct query q = {.selector = "finished", .with_texts = metric.len > 0};
    struct rows *rows = store_rows(store, &q, err);
    if (!rows)
        return -1;
    struct arena *a = arena_new();
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0) {
        if (at++ % step)
            continue;
        arena_reset(a);
        double value = value_of(&t, metric, a);
        struct value *point = isfinite(value)
                                  ? json_parse(a, t.point, "point", true, NULL)
                                  : NULL;
        if (point)
            importance_add(i, point, value);
    }
    arena_free(a);
    rows_close(rows);
    return got;
}

struct importance *study_importance(struct store *store, struct str metric,
                                    bool minimize, struct space *space,
                                    struct arena *a, struct err *err)
{
    if (read_space(store, space, a, err))
        return NULL;
    struct importance *i = importance_new(space, minimize, err);
    if (i && add_trials(i, store, metric, err)) {
        importance_free(i);
        i = NULL;
    }
    return i;
}
