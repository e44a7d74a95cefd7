/* roll.c - the points of a search: asked for, told, seen */
#include "search/roll.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/sobol.h"

enum {
    FRESH_TRIES = 64,    /* random draws for a point that is new */
    FRESH_GRID = 1 << 16 /* a space up to this size is searched for one */
};

int roll_init(struct roll *r, const struct space *space, uint64_t seed,
              struct err *err)
{
    *r = (struct roll){.seed = seed};
    if (unit_init(&r->unit, space, err))
        return -1;
    history_init(&r->history, space->count);
    r->seen = idmap_new();
    r->scratch = arena_new();
    r->u = xcalloc(space->count + 1, sizeof(*r->u));
    r->coded = xcalloc(space->count + 1, sizeof(*r->coded));
    return 0;
}

void roll_done(struct roll *r)
{
    history_done(&r->history);
    unit_done(&r->unit);
    idmap_free(r->seen);
    arena_free(r->scratch);
    free(r->asked);
    free(r->u);
    free(r->coded);
}

static uint64_t key_of(const struct roll *r)
{
    size_t size = r->history.width * sizeof(*r->coded);
    return hash64(str_n((const char *)r->coded, size), 0);
}

/* A pending row of the point in r->coded, asked as u. */
static size_t add(struct roll *r, int64_t trial, const double *u)
{
    size_t width = r->history.width;
    size_t row = history_add(&r->history, trial, r->coded);
    if (r->asked_cap < r->history.cap) {
        r->asked_cap = r->history.cap;
        r->asked =
            xrealloc(r->asked, r->asked_cap * (width + 1) * sizeof(*r->asked));
    }
    memcpy(r->asked + row * width, u, width * sizeof(*u));
    r->pending++;
    idmap_set(r->seen, key_of(r), r);
    return row;
}

long roll_tell(struct roll *r, const struct result *result, bool minimize)
{
    struct history *h = &r->history;
    long found = history_find(h, result->trial);
    double loss;
    if (found < 0 && !result->point)
        return -1;
    if (found < 0) {
        unit_code(&r->unit, result->point, r->coded);
        found = (long)add(r, result->trial, r->coded);
    }
    enum mark mark = mark_of(result, minimize, &loss);
    if (h->marks[found] != MARK_PENDING || mark == MARK_PENDING)
        return -1;
    h->marks[found] = (unsigned char)mark;
    h->losses[found] = loss;
    h->broken[found] = mark == MARK_VALUE ? broken_by(result) : 0;
    r->pending--;
    return found;
}

/* The code that u's point has: what a store would give back. */
static void recode(struct roll *r)
{
    arena_reset(r->scratch);
    unit_code(&r->unit, unit_point(&r->unit, r->u, r->scratch), r->coded);
}

size_t roll_ask(struct roll *r, int64_t k)
{
    recode(r);
    return add(r, k, r->u);
}

struct value *roll_point(const struct roll *r, size_t row, struct arena *a)
{
    return unit_point(&r->unit, r->asked + row * r->history.width, a);
}

bool roll_is_new(struct roll *r)
{
    recode(r);
    return !idmap_get(r->seen, key_of(r));
}

void roll_sobol(struct roll *r, int64_t k, struct rng *rng)
{
    sobol_at(r->seed, (uint64_t)k - 1, r->history.width, r->u);
    if (!roll_is_new(r))
        roll_fresh(r, rng);
}

void roll_fresh(struct roll *r, struct rng *rng)
{
    const struct space *space = r->unit.space;
    size_t width = r->history.width;
    for (int tries = 0; tries < FRESH_TRIES; tries++) {
        for (size_t i = 0; i < width; i++)
            r->u[i] = rng_uniform(rng);
        if (roll_is_new(r))
            return;
    }
    uint64_t all = space_grid_count(space, NULL), key = rng_u64(rng);
    for (uint64_t i = 0; all <= FRESH_GRID && i < all; i++) {
        arena_reset(r->scratch);
        struct value *point =
            space_grid_point(space, rng_permute(key, i, all), r->scratch);
        unit_code(&r->unit, point, r->u);
        if (roll_is_new(r))
            return;
    }
}

void roll_fill(const struct roll *r, struct rng *rng, double *u)
{
    for (size_t i = 0; i < r->history.width; i++) {
        double any = rng_uniform(rng);
        if (isnan(u[i]))
            u[i] = any;
    }
}

bool roll_better(const struct roll *r, size_t a, size_t b)
{
    const struct history *h = &r->history;
    bool a_has = !isnan(h->losses[a]), b_has = !isnan(h->losses[b]);
    if (a_has != b_has)
        return a_has;
    if (h->broken[a] != h->broken[b])
        return h->broken[a] < h->broken[b];
    if (a_has && h->losses[a] != h->losses[b])
        return h->losses[a] < h->losses[b];
    return h->trials[a] < h->trials[b];
}
