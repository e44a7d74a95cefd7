/* density.c - what is too much to be drawn one by one
 *
 * Marks are counted in a raster; how many there are is the logarithm's shade,
 * so that one is still seen beside thousands. Of a line every place that it
 * passes in a column counts once, so that steep ones are not louder. */
#include "plot/draw.h"

#include <math.h>
#include <stdlib.h>

bool density_needed(const struct drawing *d, const struct plot_mark *m)
{
    size_t most = d->canvas->look.marks_max;
    return m->kind != PLOT_CELLS && m->count > (most ? most : PLOT_MARKS_MAX);
}

struct raster {
    size_t across, down;
    uint32_t *counts; /* the topmost row first */
};

static void count_at(struct raster *r, double x, double y)
{
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    size_t i = (size_t)(x * (double)r->across);
    size_t k = (size_t)((1 - y) * (double)r->down);
    i = i < r->across ? i : r->across - 1;
    k = k < r->down ? k : r->down - 1;
    r->counts[k * r->across + i]++;
}

static bool is_inside(double part)
{
    return part >= 0 && part <= 1;
}

/* A line within the raster: steps are added up as whole numbers of 2^-32, as
 * there may be millions of them. */
static void count_inside(struct raster *r, const double *from, const double *to,
                         size_t n)
{
    const double one = 4294967296.0;
    double wide = (double)r->across * (1 - 1e-9);
    double high = (double)r->down * (1 - 1e-9);
    double dx = (to[0] - from[0]) / (double)n * wide;
    double dy = (from[1] - to[1]) / (double)n * high;
    int64_t x = (int64_t)((from[0] * wide + dx / 2) * one);
    int64_t y = (int64_t)(((1 - from[1]) * high + dy / 2) * one);
    int64_t step_x = (int64_t)(dx * one), step_y = (int64_t)(dy * one);
    for (size_t i = 0; i < n; i++, x += step_x, y += step_y)
        r->counts[(size_t)(y >> 32) * r->across + (size_t)(x >> 32)]++;
}

static void count_line(struct raster *r, double x0, double y0, double x1,
                       double y1)
{
    double columns = fabs(x1 - x0) * (double)r->across;
    size_t n = (size_t)fmin(ceil(columns), (double)r->across);
    if (n && is_inside(x0) && is_inside(y0) && is_inside(x1) && is_inside(y1)) {
        count_inside(r, (double[]){x0, y0}, (double[]){x1, y1}, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double part = ((double)i + 0.5) / (double)n;
        count_at(r, x0 + (x1 - x0) * part, y0 + (y1 - y0) * part);
    }
    if (!n)
        count_at(r, x1, y1);
}

/* Every place of its face. */
static void count_rect(struct raster *r, double x0, double y0, double x1,
                       double y1)
{
    double low = fmin(y0, y1), high = fmax(y0, y1);
    size_t n = (size_t)fmin(fmax(ceil((high - low) * (double)r->down), 1),
                            (double)r->down);
    for (size_t i = 0; i < n; i++) {
        double y = low + (high - low) * ((double)i + 0.5) / (double)n;
        count_line(r, x0, y, x1, y);
    }
}

static void count_marks(struct raster *r, const struct drawn_panel *p,
                        const struct plot_mark *m)
{
    bool lines = m->kind == PLOT_LINES || m->kind == PLOT_STEPS;
    double last_x = NAN, last_y = NAN;
    for (size_t i = 0; i < m->count; i++) {
        double x = plot_axis_at(&p->panel->x, m->x[i]);
        double y = plot_axis_at(&p->panel->y, m->y[i]);
        if (m->x2 && m->y2)
            count_rect(r, x, y, plot_axis_at(&p->panel->x, m->x2[i]),
                       plot_axis_at(&p->panel->y, m->y2[i]));
        else if (!lines)
            count_at(r, x, y);
        else if (!isnan(last_x) && !isnan(last_y) && !isnan(x) && !isnan(y))
            count_line(r, last_x, last_y, x, y);
        last_x = x;
        last_y = y;
    }
}

void density_draw(struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    double grain = c->cells ? 2 : 3;
    struct raster r = {.across = (size_t)fmax(4, p->in.w / grain),
                       .down = (size_t)fmax(4, p->in.h / grain)};
    size_t cells = r.across * r.down;
    r.counts = xcalloc(cells, sizeof(*r.counts));
    uint8_t *levels = xcalloc(cells, 1);
    uint32_t most = 1;
    count_marks(&r, p, m);
    for (size_t i = 0; i < cells; i++)
        most = r.counts[i] > most ? r.counts[i] : most;
    for (size_t i = 0; i < cells; i++)
        if (r.counts[i])
            levels[i] =
                (uint8_t)(1 + lround(most > 1 ? log(r.counts[i]) / log(most) *
                                                    (THEME_LEVELS - 1)
                                              : THEME_LEVELS / 2));
    c->backend->levels(c, p->in, r.across, r.down, levels, true);
    free(levels);
    free(r.counts);
}
