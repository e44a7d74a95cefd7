/* acquire.c - the points where the expected improvement is largest
 *
 * Many candidates, spread and around good points, are looked at; the best
 * climb along the gradient, all at once, so that each triangular solve serves
 * all of them; then discrete axes are settled by exchanging one at a time. */
#include "search/acquire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/linear.h"
#include "search/sobol.h"

enum { LANES = LINEAR_LANES, CLIMBS = 24, ROUNDS = 3, MOST_CHOICES = 16 };

/* Points with their improvement, the best first. */
struct ranking {
    size_t axes, count;
    double values[LANES];
    double *points; /* LANES rows */
};

static void rank_init(struct ranking *r, size_t axes)
{
    *r = (struct ranking){.axes = axes,
                          .points = xcalloc(LANES * axes + 1, sizeof(double))};
}

static void rank_add(struct ranking *r, const double *x, double value)
{
    size_t at = r->count < LANES ? r->count : LANES - 1, d = r->axes;
    if (isnan(value) || (r->count == LANES && value <= r->values[at]))
        return;
    for (; at > 0 && r->values[at - 1] < value; at--) {
        r->values[at] = r->values[at - 1];
        memcpy(r->points + at * d, r->points + (at - 1) * d,
               d * sizeof(*r->points));
    }
    r->values[at] = value;
    memcpy(r->points + at * d, x, d * sizeof(*x));
    if (r->count < LANES)
        r->count++;
}

/* Points wait until there are enough for all lanes. */
struct queue {
    const struct acquire *a;
    struct ranking *to;
    size_t count;
    double *lanes, *rows;
};

static void queue_init(struct queue *q, const struct acquire *a)
{
    size_t size = a->axes->count * LANES + 1;
    *q = (struct queue){.a = a,
                        .lanes = xcalloc(size, sizeof(double)),
                        .rows = xcalloc(size, sizeof(double))};
}

static void queue_done(struct queue *q)
{
    free(q->lanes);
    free(q->rows);
}

static void queue_flush(struct queue *q)
{
    size_t d = q->a->axes->count;
    double values[LANES];
    if (!q->count)
        return;
    for (size_t r = 0; r < LANES; r++)
        for (size_t i = 0; i < d; i++)
            q->lanes[i * LANES + r] = q->rows[(r < q->count ? r : 0) * d + i];
    surrogate_improvement(q->a->model, q->lanes, values, NULL);
    for (size_t r = 0; r < q->count; r++)
        rank_add(q->to, q->rows + r * d, values[r]);
    q->count = 0;
}

static void queue_add(struct queue *q, const double *x)
{
    size_t d = q->a->axes->count;
    memcpy(q->rows + q->count * d, x, d * sizeof(*x));
    if (++q->count == LANES)
        queue_flush(q);
}

static double inside(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static void keep_choices(const struct acquire *a, double *x)
{
    for (size_t i = 0; a->fixed && i < a->axes->count; i++)
        if (a->axes->axis[i].choices)
            x[i] = a->fixed[i];
}

static void spread_point(const struct acquire *a, uint64_t i, double *x)
{
    size_t d = a->axes->count;
    sobol_at(a->seed + a->trial * UINT64_C(0x9E3779B97F4A7C15), i, d, x);
    for (size_t k = 0; k < d; k++) {
        double choices = (double)a->axes->axis[k].choices;
        x[k] = choices > 0 ? floor(x[k] * choices)
                           : a->low[k] + x[k] * (a->high[k] - a->low[k]);
    }
}

/* A good point with some axes changed, by steps of several sizes. */
static void near_point(const struct acquire *a, uint64_t i, struct rng *rng,
                       double *x)
{
    static const double sizes[] = {0.1, 0.01, 0.03, 0.25};
    size_t d = a->axes->count, from = (size_t)i % a->start_count;
    double size = sizes[i / a->start_count % 4];
    double chance = fmin(1, 20.0 / (double)d);
    memcpy(x, a->starts + from * d, d * sizeof(*x));
    for (size_t k = 0; k < d; k++) {
        size_t choices = a->axes->axis[k].choices;
        double u = rng_uniform(rng);
        if (choices && u < fmax(0.2, 1 / (double)d)) {
            x[k] = (double)rng_below(rng, choices);
        } else if (!choices && u < chance) {
            double step = size * (a->high[k] - a->low[k]);
            x[k] = inside(x[k] + step * rng_normal(rng), a->low[k], a->high[k]);
        }
    }
}

/* The better half of the spread candidates and of those around good points,
 * so that neither kind is left out. */
static void look_around(const struct acquire *a, struct ranking *best)
{
    size_t d = a->axes->count, nearby = a->start_count ? a->candidates / 4 : 0;
    double *x = xcalloc(d + 1, sizeof(*x));
    bool *active = xcalloc(d + 1, sizeof(*active));
    struct ranking far, near;
    struct queue q;
    struct rng rng;
    rng_init(&rng, a->seed, a->trial, "gp near");
    rank_init(&far, d);
    rank_init(&near, d);
    queue_init(&q, a);
    for (size_t i = 0; i < a->candidates + nearby; i++) {
        bool spread = i < a->candidates;
        if (i == a->candidates)
            queue_flush(&q);
        q.to = spread ? &far : &near;
        if (spread)
            spread_point(a, i, x);
        else
            near_point(a, i - a->candidates, &rng, x);
        keep_choices(a, x);
        a->settle(a->context, x, active, false);
        queue_add(&q, x);
    }
    queue_flush(&q);
    for (size_t i = 0; i < LANES; i++) {
        const struct ranking *from = i % 2 && near.count > i / 2 ? &near : &far;
        size_t at = from == &near || near.count ? i / 2 : i;
        if (at < from->count)
            rank_add(best, from->points + at * d, from->values[at]);
    }
    free(far.points);
    free(near.points);
    queue_done(&q);
    free(x);
    free(active);
}

/* All lanes climb by projected gradient steps in coordinates scaled by the
 * kernel's lengths, with Barzilai and Borwein's step size; a step that does
 * not rise is taken back and shortened. */
struct climb {
    const struct acquire *a;
    double *x, *gradient, *to, *after; /* laid out in lanes */
    bool *free;                        /* may move */
    double *stretch;                   /* of each axis */
    double values[LANES], steps[LANES];
};

static void climb_start(struct climb *c, const struct ranking *best)
{
    size_t d = c->a->axes->count;
    const double *weights = surrogate_weights(c->a->model);
    bool *active = xcalloc(d + 1, sizeof(*active));
    double *x = xcalloc(d + 1, sizeof(*x));
    for (size_t i = 0; i < d; i++)
        c->stretch[i] = fmin(1 / weights[i], 1);
    for (size_t r = 0; r < LANES; r++) {
        memcpy(x, best->points + (r < best->count ? r : 0) * d, d * sizeof(*x));
        c->a->settle(c->a->context, x, active, false);
        for (size_t i = 0; i < d; i++) {
            c->x[i * LANES + r] = x[i];
            c->free[i * LANES + r] = active[i] && !c->a->axes->axis[i].choices;
        }
    }
    free(active);
    free(x);
    surrogate_improvement(c->a->model, c->x, c->values, c->gradient);
    for (size_t r = 0; r < LANES; r++) {
        double longest = 1e-12;
        for (size_t i = 0; i < d; i++)
            longest =
                fmax(longest, fabs(c->gradient[i * LANES + r]) * c->stretch[i]);
        c->steps[r] = 0.1 / longest;
    }
}

/* After a step that rose: the next one's size from the curvature seen. */
static void lane_accept(struct climb *c, size_t r, double value)
{
    size_t d = c->a->axes->count;
    double length = 0, curvature = 0;
    for (size_t i = 0; i < d; i++) {
        size_t at = i * LANES + r;
        double step = c->to[at] - c->x[at];
        length += step * step / c->stretch[i];
        curvature -= step * (c->after[at] - c->gradient[at]);
        c->x[at] = c->to[at];
        c->gradient[at] = c->after[at];
    }
    c->values[r] = value;
    double most = 4 * c->steps[r];
    c->steps[r] = curvature > 0 ? fmin(length / curvature, most) : most;
}

static void climb_step(struct climb *c)
{
    const struct acquire *a = c->a;
    size_t d = a->axes->count;
    double values[LANES];
    for (size_t i = 0; i < d; i++)
        for (size_t r = 0; r < LANES; r++) {
            size_t at = i * LANES + r;
            double step = c->steps[r] * c->stretch[i] * c->gradient[at];
            double low = fmin(a->low[i], c->x[at]);
            double high = fmax(a->high[i], c->x[at]);
            step = inside(step, -0.25, 0.25);
            c->to[at] =
                c->free[at] ? inside(c->x[at] + step, low, high) : c->x[at];
        }
    surrogate_improvement(a->model, c->to, values, c->after);
    for (size_t r = 0; r < LANES; r++) {
        if (values[r] > c->values[r])
            lane_accept(c, r, values[r]);
        else
            c->steps[r] *= 0.2;
    }
}

static void climb(const struct acquire *a, const struct ranking *best,
                  double *rows)
{
    size_t d = a->axes->count, size = d * LANES + 1;
    double *room = xcalloc(4 * size + d, sizeof(*room));
    struct climb c = {.a = a,
                      .x = room,
                      .gradient = room + size,
                      .to = room + 2 * size,
                      .after = room + 3 * size,
                      .stretch = room + 4 * size,
                      .free = xcalloc(size, sizeof(bool))};
    climb_start(&c, best);
    for (int i = 0; i < CLIMBS; i++)
        climb_step(&c);
    for (size_t r = 0; r < LANES; r++)
        for (size_t i = 0; i < d; i++)
            rows[r * d + i] = c.x[i * LANES + r];
    free(c.free);
    free(room);
}

/* Queues what x becomes when axis i alone is changed. */
static void queue_neighbours(struct queue *q, const double *x, size_t i,
                             double *y, bool *active, struct arena *scratch)
{
    const struct acquire *a = q->a;
    const struct axis *axis = &a->axes->axis[i];
    size_t d = a->axes->count;
    size_t choices =
        axis->choices < MOST_CHOICES ? axis->choices : MOST_CHOICES;
    for (size_t k = 0; !a->fixed && k < choices; k++) {
        memcpy(y, x, d * sizeof(*y));
        y[i] = (double)k;
        a->settle(a->context, y, active, true);
        if (y[i] != x[i])
            queue_add(q, y);
    }
    for (int way = -1; axis->discrete && way <= 1; way += 2) {
        memcpy(y, x, d * sizeof(*y));
        y[i] += way * axis_cell(a->axes, i, x[i], scratch);
        y[i] = inside(y[i], 0, 1);
        a->settle(a->context, y, active, true);
        if (y[i] != x[i])
            queue_add(q, y);
    }
    arena_reset(scratch);
}

/* Moves the best point along one discrete axis at a time while that helps. */
static void exchange(const struct acquire *a, struct ranking *best)
{
    size_t d = a->axes->count;
    struct arena *scratch = arena_new();
    double *x = xcalloc(2 * d + 1, sizeof(*x)), before = -INFINITY;
    bool *active = xcalloc(d + 1, sizeof(*active));
    struct queue q;
    queue_init(&q, a);
    q.to = best;
    for (int round = 0; round < ROUNDS && best->values[0] > before; round++) {
        before = best->values[0];
        memcpy(x, best->points, d * sizeof(*x));
        for (size_t i = 0; i < d; i++)
            queue_neighbours(&q, x, i, x + d, active, scratch);
        queue_flush(&q);
    }
    queue_done(&q);
    free(active);
    free(x);
    arena_free(scratch);
}

void acquire_best(const struct acquire *a, double *found)
{
    size_t d = a->axes->count;
    struct ranking best, settled;
    struct queue q;
    bool *active = xcalloc(d + 1, sizeof(*active)), discrete = false;
    rank_init(&best, d);
    rank_init(&settled, d);
    queue_init(&q, a);
    look_around(a, &best);
    climb(a, &best, found);
    q.to = &settled;
    for (size_t r = 0; r < LANES; r++) {
        a->settle(a->context, found + r * d, active, true);
        queue_add(&q, found + r * d);
    }
    queue_flush(&q);
    for (size_t i = 0; i < d; i++)
        discrete =
            discrete || a->axes->axis[i].choices || a->axes->axis[i].discrete;
    if (discrete && settled.count)
        exchange(a, &settled);
    for (size_t r = 0; r < settled.count; r++)
        memcpy(found + r * d, settled.points + r * d, d * sizeof(*found));
    queue_done(&q);
    free(best.points);
    free(settled.points);
    free(active);
}
