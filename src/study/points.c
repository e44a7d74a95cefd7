/* points.c - what a point of a stored study looks like
 *
 * Points come from people and from request files, which anybody who may write
 * into the folder can have made: both are checked in the same way. */
#include "base/json.h"
#include "study/study.h"

struct study_points {
    struct space space;
    struct value *model; /* a point of the study, where it has no space */
};

/* No space says what a point has: one that is there does. */
static struct value *first_point(struct store *store, struct arena *a,
                                 struct err *err)
{
    struct query q = {.limit = 1};
    struct trial t;
    struct rows *rows = store_rows(store, &q, err);
    int got = rows ? rows_next(rows, &t, err) : -1;
    struct value *point = NULL;
    if (got > 0)
        point = json_parse(a, arena_str(a, t.point), "point", true, err);
    rows_close(rows);
    if (got == 0)
        err_set(err, ERR_INPUT,
                "the study has no trial yet, so that nobody knows what a "
                "point of it looks like; run it first");
    return point;
}

struct study_points *study_points_open(struct store *store, struct arena *a,
                                       struct err *err)
{
    struct study_points *p = arena_new_of(a, struct study_points);
    struct str text;
    if (store_fact(store, "space", a, &text, err))
        return NULL;
    if (!text.p) {
        err_set(err, ERR_INPUT,
                "the study has not begun: its run ended before it had "
                "written what it is; run it first");
        return NULL;
    }
    struct err why = {0};
    struct value *v = json_parse(a, text, "space", true, &why);
    if (!v || space_from_value(&p->space, v, a, &why)) {
        store_damaged(store, why.text, err);
        return NULL;
    }
    if (!p->space.count && !(p->model = first_point(store, a, err)))
        return NULL;
    return p;
}

struct value *study_points_check(const struct study_points *p,
                                 const struct value *given,
                                 const struct value *like, bool outside,
                                 struct arena *a, struct err *err)
{
    if (!given || given->kind != VALUE_OBJECT) {
        err_set(err, ERR_INPUT, "a point is names with values");
        return NULL;
    }
    return p->model ? study_point_as(p->model, given, like, a, err)
                    : study_point(&p->space, given, like, outside, a, err);
}
