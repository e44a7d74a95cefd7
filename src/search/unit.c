/* unit.c - points as numbers, and a history of them */
#include "search/unit.h"

#include <math.h>
#include <stdlib.h>

#include "terms/state.h"

int unit_init(struct unit *unit, const struct space *space, struct err *err)
{
    size_t *order = xcalloc(space->count + 1, sizeof(*order));
    if (space_order(space, order, err)) {
        free(order);
        return -1;
    }
    unit->space = space;
    unit->order = order;
    unit->decides = xcalloc(space->count + 1, sizeof(*unit->decides));
    for (size_t i = 0; i < space->count; i++) {
        const struct param *p = &space->params[i];
        for (size_t c = 0; c < p->condition_count; c++)
            unit->decides[space_find(space, p->conditions[c].name)] = true;
    }
    return 0;
}

void unit_done(struct unit *unit)
{
    free(unit->order);
    free(unit->decides);
}

struct value *unit_point(const struct unit *unit, const double *u,
                         struct arena *a)
{
    const struct space *s = unit->space;
    struct value **values = arena_array(a, s->count + 1, sizeof(*values));
    for (size_t k = 0; k < s->count; k++) {
        size_t i = unit->order[k];
        if (space_active(s, i, values))
            values[i] = param_at(&s->params[i], u[i], a);
    }
    return space_point(s, values, a);
}

/* Points are sorted by name, as the space is: what is not missing stands at
 * its own place or before it. */
static const struct value *value_near(const struct value *point,
                                      const struct param *p, size_t i)
{
    if (p->path_len == 1 && point->kind == VALUE_OBJECT && i < point->count &&
        str_eq(point->keys[i], p->path[0]))
        return point->items[i];
    return point_get(point, p);
}

void unit_code(const struct unit *unit, const struct value *point, double *u)
{
    const struct space *s = unit->space;
    for (size_t i = 0; i < s->count; i++) {
        const struct value *v = value_near(point, &s->params[i], i);
        double at = v ? param_position(&s->params[i], v) : -1;
        u[i] = at < 0 ? NAN : at;
    }
}

void unit_mask(const struct unit *unit, double *u, struct arena *scratch)
{
    const struct space *s = unit->space;
    struct value **values = arena_array(scratch, s->count + 1, sizeof(*values));
    for (size_t k = 0; k < s->count; k++) {
        size_t i = unit->order[k];
        if (!space_active(s, i, values))
            u[i] = NAN;
        else if (unit->decides[i])
            values[i] = param_at(&s->params[i], u[i], scratch);
    }
}

void history_init(struct history *h, size_t width)
{
    *h = (struct history){.width = width};
    h->columns = xcalloc(width + 1, sizeof(*h->columns));
    h->rows = idmap_new();
}

void history_done(struct history *h)
{
    for (size_t i = 0; i < h->width; i++)
        free(h->columns[i]);
    free(h->columns);
    free(h->trials);
    free(h->losses);
    free(h->broken);
    free(h->marks);
    idmap_free(h->rows);
}

/* The map holds row + 1 as a pointer: it takes no NULL. */
long history_find(const struct history *h, int64_t trial)
{
    return (long)(uintptr_t)idmap_get(h->rows, (uint64_t)trial) - 1;
}

static void grow(struct history *h)
{
    size_t cap = h->cap ? h->cap + h->cap / 2 : 32;
    for (size_t i = 0; i < h->width; i++)
        h->columns[i] = xrealloc(h->columns[i], cap * sizeof(double));
    h->trials = xrealloc(h->trials, cap * sizeof(*h->trials));
    h->losses = xrealloc(h->losses, cap * sizeof(*h->losses));
    h->broken = xrealloc(h->broken, cap * sizeof(*h->broken));
    h->marks = xrealloc(h->marks, cap);
    h->cap = cap;
}

size_t history_add(struct history *h, int64_t trial, const double *u)
{
    if (h->count == h->cap)
        grow(h);
    size_t row = h->count++;
    h->trials[row] = trial;
    h->losses[row] = NAN;
    h->broken[row] = 0;
    h->marks[row] = MARK_PENDING;
    for (size_t i = 0; i < h->width; i++)
        h->columns[i][row] = u[i];
    idmap_set(h->rows, (uint64_t)trial, (void *)(uintptr_t)(row + 1));
    return row;
}

void history_get(const struct history *h, size_t row, double *u)
{
    for (size_t i = 0; i < h->width; i++)
        u[i] = h->columns[i][row];
}

bool history_better(const struct history *h, size_t a, size_t b)
{
    if (h->broken[a] != h->broken[b])
        return h->broken[a] < h->broken[b];
    if (h->losses[a] != h->losses[b])
        return h->losses[a] < h->losses[b];
    return h->trials[a] < h->trials[b];
}

enum mark mark_of(const struct result *r, bool minimize, double *loss)
{
    enum state state = (enum state)r->state;
    *loss = NAN;
    if (!state_final(state))
        return MARK_PENDING;
    if (isfinite(r->value) && !state_bad(state)) {
        *loss = minimize ? r->value : -r->value;
        return MARK_VALUE;
    }
    return state == STATE_KILLED ? MARK_LEFT : MARK_BAD;
}

double broken_by(const struct result *r)
{
    double sum = 0;
    for (size_t i = 0; r->constraints && i < r->constraint_count; i++)
        if (!(r->constraints[i] <= 0))
            sum += isnan(r->constraints[i]) ? INFINITY : r->constraints[i];
    return sum;
}
