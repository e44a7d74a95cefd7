/* importance.c - the results of a stored study, for what they say about its
 * parameters */
#include <math.h>
#include "base/json.h"
#include "base/rng.h"
#include "search/search.h"
#include "study/point_space.h"
#include "study/study.h"

/* *none: there is none, but a list of points. */
static int read_space(struct store *store, struct space *space, bool *none,
                      struct arena *a, struct err *err)
{
    struct str text;
    if (store_fact(store, "space", a, &text, err))
        return -1;
    struct err why = {0};
    struct value *v =
        text.len ? json_parse(a, text, "space", true, &why) : NULL;
    if (text.len && (!v || space_from_value(space, v, a, &why)))
        return store_damaged(store, why.text, err);
    *none = !text.len || !space->count;
    return 0;
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
    double said =
        value_number(value_get(value_get(summary, metric), STR("last")));
    return isnan(said) && str_is(metric, "seconds") ? t->seconds : said;
}

/* More trials say nothing new about a parameter. Of larger studies some are
 * taken, so many in a row, one row from each of so many equal parts: what lies
 * in a row is read at once. Where in its part a row lies is left to chance,
 * as the points of a grid repeat themselves. */
enum { PARTS = 256, IN_A_ROW = 32 };

/* Which trials of that many are looked at; the text is the buffer's. */
static const char *select_some(struct buf *b, int64_t trials)
{
    struct rng rng;
    rng_init(&rng, 0, (uint64_t)trials, "importance");
    if (trials <= PARTS * IN_A_ROW)
        return "finished";
    for (int64_t i = 0; i < PARTS; i++) {
        int64_t from = trials / PARTS * i, room = trials / PARTS - IN_A_ROW;
        from += (int64_t)rng_below(&rng, (uint64_t)room + 1) + 1;
        buf_addf(b, "%s%lld-%lld", i ? "," : "", (long long)from,
                 (long long)from + IN_A_ROW - 1);
    }
    return b->p;
}

typedef void with_point(void *context, const struct value *point, double value);

static int each_row(struct rows *rows, struct str metric, with_point *then,
                    void *context, struct err *err)
{
    struct arena *a = arena_new();
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0) {
        if (!state_final(t.state))
            continue;
        arena_reset(a);
        double value = value_of(&t, metric, a);
        struct value *point = isfinite(value)
                                  ? json_parse(a, t.point, "point", true, NULL)
                                  : NULL;
        if (point)
            then(context, point, value);
    }
    arena_free(a);
    return got;
}

/* Each point that has a value, of those trials that are looked at. */
static int each_point(struct store *store, struct str metric, with_point *then,
                      void *context, struct err *err)
{
    struct counts counts;
    int64_t all = 0;
    struct buf some;
    if (store_counts(store, &counts, err))
        return -1;
    for (int s = 0; s < STATE_COUNT; s++)
        all += counts.by_state[s];
    buf_init(&some);
    struct query q = {.selector = select_some(&some, all),
                      .with_texts = metric.len > 0};
    struct rows *rows = store_rows(store, &q, err);
    int rc = rows ? each_row(rows, metric, then, context, err) : -1;
    rows_close(rows);
    buf_done(&some);
    return rc;
}

static void add_result(void *context, const struct value *point, double value)
{
    importance_add(context, point, value);
}

static void add_column(void *context, const struct value *point, double value)
{
    (void)value;
    point_space_add(context, point);
}

/* The columns of a list of points are its parameters. */
static int space_of_points(struct store *store, struct str metric,
                           struct space *space, struct arena *a,
                           struct err *err)
{
    struct point_space *points = point_space_new(a);
    int rc = each_point(store, metric, add_column, points, err);
    if (!rc && point_space_make(points, space) && !space->count)
        rc = err_set(err, ERR_INPUT,
                     "the columns of this study's points are words that nearly "
                     "all differ, so that nothing can be said about them; "
                     "columns of numbers, or of a few words, are needed");
    point_space_free(points);
    return rc;
}

struct importance *study_importance(struct store *store, struct str metric,
                                    bool minimize, struct space *space,
                                    struct arena *a, struct err *err)
{
    bool none;
    if (read_space(store, space, &none, a, err) ||
        (none && space_of_points(store, metric, space, a, err)))
        return NULL;
    struct importance *i = importance_new(space, minimize, err);
    if (i && each_point(store, metric, add_result, i, err)) {
        importance_free(i);
        i = NULL;
    }
    return i;
}
