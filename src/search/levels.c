/* levels.c - a sampler that knows the rungs of early stopping */
#include "search/levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "search/unit.h"

struct reached {
    size_t row;
    double value;
};
/* How far one row's constraints are broken; NULL: not known. */
struct bounds {
    double *p;
    size_t count;
};
struct level {
    VEC(struct reached) list;
};

struct levels {
    struct sampler *sampler;
    struct unit unit;
    struct history rows; /* mark: pending, or LEFT when it has ended; foreign
                            ones have VALUE or BAD */
    double *u;
    VEC(size_t) highest;       /* by row: the level that it has reached */
    VEC(struct bounds) bounds; /* by row */
    VEC(double) told; /* by row: its value at the model's level; NaN: none */
    VEC(struct level) levels;
    size_t model; /* the level that the strategy hears of, from 1 */
    size_t need;  /* values that a level must have for that */
    struct arena *scratch;
};

struct levels *levels_new(struct sampler *s, struct err *err)
{
    struct levels *l = xcalloc(1, sizeof(*l));
    size_t width = s->setup->space->count;
    l->sampler = s;
    if (unit_init(&l->unit, s->setup->space, err)) {
        free(l);
        return NULL;
    }
    history_init(&l->rows, width);
    l->u = xcalloc(width + 1, sizeof(*l->u));
    l->need = width + 2;
    l->scratch = arena_new();
    return l;
}

void levels_free(struct levels *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->levels.len; i++)
        vec_done(&l->levels.p[i].list);
    vec_done(&l->levels);
    vec_done(&l->told);
    vec_done(&l->highest);
    for (size_t i = 0; i < l->bounds.len; i++)
        free(l->bounds.p[i].p);
    vec_done(&l->bounds);
    history_done(&l->rows);
    unit_done(&l->unit);
    free(l->u);
    arena_free(l->scratch);
    free(l);
}

/* Tells the strategy of one row as it is now. */
static void tell_row(struct levels *l, size_t row)
{
    struct sampler *s = l->sampler;
    enum mark mark = (enum mark)l->rows.marks[row];
    bool foreign = l->rows.trials[row] < 0;
    double value = foreign ? l->rows.losses[row] : l->told.p[row];
    enum state state = STATE_RUNNING;
    if (!isnan(value))
        state = STATE_DONE;
    else if (mark == MARK_BAD)
        state = STATE_FAILED;
    else if (mark == MARK_LEFT)
        state = STATE_KILLED;
    arena_reset(l->scratch);
    history_get(&l->rows, row, l->u);
    /* What is not active does not count; what a person wrote from outside of
     * the space lies in the middle. */
    for (size_t i = 0; i < l->rows.width; i++)
        if (isnan(l->u[i]))
            l->u[i] = 0.5;
    struct result r = {.trial = l->rows.trials[row],
                       .point = unit_point(&l->unit, l->u, l->scratch),
                       .state = (int)state,
                       .value = value,
                       .constraints = l->bounds.p[row].p,
                       .constraint_count = l->bounds.p[row].count};
    s->strategy->tell(s->state, &r);
}

static void open_again(struct levels *l)
{
    struct sampler *s = l->sampler;
    struct err err = {0};
    s->strategy->free(s->state);
    s->state = s->strategy->open(s->setup, &err);
    require(s->state); /* it did open before, with the same setup */
    for (size_t i = 0; i < l->rows.count; i++)
        tell_row(l, i);
}

static size_t add_row(struct levels *l, int64_t trial,
                      const struct value *point)
{
    unit_code(&l->unit, point, l->u);
    vec_push(&l->told, NAN);
    vec_push(&l->highest, 0);
    vec_push(&l->bounds, (struct bounds){0});
    return history_add(&l->rows, trial, l->u);
}

void levels_asked(struct levels *l, int64_t k, const struct value *point)
{
    if (history_find(&l->rows, k) < 0)
        add_row(l, k, point);
}

static void keep_constraints(struct levels *l, size_t row,
                             const struct result *r)
{
    struct bounds *b = &l->bounds.p[row];
    if (!r->constraints || !r->constraint_count)
        return;
    b->count = r->constraint_count;
    b->p = xrealloc(b->p, b->count * sizeof(*b->p));
    memcpy(b->p, r->constraints, b->count * sizeof(*b->p));
}

void levels_constraints(struct levels *l, const struct result *r)
{
    long row = history_find(&l->rows, r->trial);
    if (row >= 0)
        keep_constraints(l, (size_t)row, r);
}

/* The model moves up to a level: what the rows had there is what counts. */
static void rise(struct levels *l, size_t level)
{
    l->model = level;
    for (size_t i = 0; i < l->told.len; i++)
        l->told.p[i] = NAN;
    const struct level *at = &l->levels.p[level - 1];
    for (size_t i = 0; i < at->list.len; i++)
        l->told.p[at->list.p[i].row] = at->list.p[i].value;
    open_again(l);
}

void levels_reached(struct levels *l, int64_t k, size_t level, double value)
{
    long found = history_find(&l->rows, k);
    struct level empty = {0};
    if (found < 0 || level < 1)
        return;
    size_t row = (size_t)found;
    if (level <= l->highest.p[row])
        return;
    l->highest.p[row] = level;
    if (!isfinite(value))
        return;
    while (l->levels.len < level)
        vec_push(&l->levels, empty);
    struct level *at = &l->levels.p[level - 1];
    vec_push(&at->list, ((struct reached){row, value}));
    if (level > l->model && at->list.len >= l->need) {
        rise(l, level);
    } else if (level == l->model) {
        l->told.p[row] = value;
        tell_row(l, row);
    }
}

void levels_ended(struct levels *l, int64_t k, enum state state)
{
    long found = history_find(&l->rows, k);
    if (found < 0 || l->rows.marks[found] != MARK_PENDING)
        return;
    bool bad = state_bad(state) && state != STATE_KILLED;
    l->rows.marks[found] = bad ? MARK_BAD : MARK_LEFT;
    if (isnan(l->told.p[found]))
        tell_row(l, (size_t)found);
}

void levels_foreign(struct levels *l, const struct result *r)
{
    double loss;
    if (!r->point || history_find(&l->rows, r->trial) >= 0)
        return;
    enum mark mark = mark_of(r, true, &loss);
    if (mark == MARK_PENDING || mark == MARK_LEFT)
        return;
    size_t row = add_row(l, r->trial, r->point);
    l->rows.marks[row] = (unsigned char)mark;
    l->rows.losses[row] = mark == MARK_VALUE ? r->value : NAN;
    if (l->sampler->setup->version >= 3)
        keep_constraints(l, row, r);
    tell_row(l, row);
}
