/* uncertainty.c - whether predictions know how wrong they are
 *
 * Of rows with truth, mean and sd: how many have which sd and which error; in
 * ten groups of equal size by sd, whether their errors are as large (root mean
 * square) as their sd says; and which part of the truths lies in intervals that
 * should hold a given part of them. */
#include <math.h>
#include <stdlib.h>
#include "figure/files.h"

#define BINS 40
#define GROUPS 10
#define COVERAGES 19 /* 5 % to 95 % */

struct sheet {
    double *sd, *error; /* error: of its size alone */
    size_t count, dropped;
};

static int take(struct sheet *s, const double *truth, const double *mean,
                const double *sd, size_t rows, struct plot *p, struct err *err)
{
    s->sd = plot_room(p, rows);
    s->error = plot_room(p, rows);
    for (size_t i = 0; i < rows; i++) {
        double error = fabs(truth[i] - mean[i]);
        if (!isfinite(error) || !isfinite(sd[i]) || sd[i] < 0) {
            s->dropped++;
            continue;
        }
        s->sd[s->count] = sd[i];
        s->error[s->count++] = error;
    }
    if (s->count)
        return 0;
    return err_set(err, ERR_INPUT,
                   "no row has a finite truth, mean and sd (at least 0)");
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* The sd or error below which this part of all lies: a few wild ones would make
 * the rest one dot. */
static double quantile(const double *list, size_t count, double part)
{
    double *sorted = xmalloc((count + 1) * sizeof(*sorted));
    memcpy(sorted, list, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), ascending);
    double v = sorted[(size_t)(part * (double)(count - 1))];
    free(sorted);
    return v;
}

/* ---- the table: three parts below each other
 * ----------------------------------- */

struct table {
    const char **part;
    double *x, *y, *n;
    size_t rows;
};

static void add_row(struct table *t, const char *part, double x, double y,
                    double n)
{
    t->part[t->rows] = part;
    t->x[t->rows] = x;
    t->y[t->rows] = y;
    t->n[t->rows++] = n;
}

/* ---- panels
 * --------------------------------------------------------------------- */

static void add_diagonal(struct plot *p, struct plot_panel *panel, double low,
                         double high)
{
    double *ends = plot_room(p, 2);
    ends[0] = low;
    ends[1] = high;
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = 2,
                                             .x = ends,
                                             .y = ends,
                                             .colour = PLOT_FAINT,
                                             .dashed = true,
                                             .name = "as it should be"});
}

static void add_histogram(const struct sheet *s, struct plot *p,
                          struct table *t)
{
    struct plot_panel *panel = plot_panel_add(p, "rows: |error| by sd");
    double *cells = plot_room(p, BINS * BINS), outside = 0;
    panel->x = (struct plot_axis){.label = "sd", .zero = true, .exact = true};
    panel->y =
        (struct plot_axis){.label = "|error|", .zero = true, .exact = true};
    double top_x = quantile(s->sd, s->count, 0.995);
    double top_y = quantile(s->error, s->count, 0.995);
    plot_axis_fit(&panel->x, &top_x, 1);
    plot_axis_fit(&panel->y, &top_y, 1);
    for (size_t i = 0; i < s->count; i++) {
        double x = plot_axis_at(&panel->x, s->sd[i]) * BINS;
        double y = plot_axis_at(&panel->y, s->error[i]) * BINS;
        if (x > BINS || y > BINS) {
            outside++;
            continue;
        }
        size_t column = (size_t)fmin(x, BINS - 1);
        cells[(size_t)fmin(y, BINS - 1) * BINS + column]++;
    }
    for (size_t i = 0; i < BINS * BINS; i++) {
        double x = (double)(i % BINS) + 0.5, y = (double)(i / BINS) + 0.5;
        if (cells[i] > 0)
            add_row(t, "histogram", plot_axis_value(&panel->x, x / BINS),
                    plot_axis_value(&panel->y, y / BINS), cells[i]);
        else
            cells[i] = NAN;
    }
    panel->ramp_label = "rows";
    panel->ramp_log = true;
    panel->ramp_density = true;
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_CELLS,
                                             .count = BINS * BINS,
                                             .across = BINS,
                                             .shades = cells});
    if (outside > 0)
        plot_note(p,
                  "%s rows with a larger sd or error are outside of the "
                  "first panel",
                  plot_count(p->arena, (uint64_t)outside));
}

struct pair {
    double sd, error;
};

static int by_sd(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    if (a->sd != b->sd)
        return a->sd < b->sd ? -1 : 1;
    return a->error < b->error ? -1 : a->error > b->error;
}

static void add_reliability(const struct sheet *s, struct plot *p,
                            struct table *t)
{
    struct plot_panel *panel = plot_panel_add(p, "error by sd");
    struct pair *pairs = xmalloc(s->count * sizeof(*pairs));
    double *x = plot_room(p, GROUPS), *y = plot_room(p, GROUPS), high = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        pairs[i] = (struct pair){s->sd[i], s->error[i]};
    qsort(pairs, s->count, sizeof(*pairs), by_sd);
    for (size_t g = 0; g < GROUPS; g++) {
        size_t from = s->count * g / GROUPS, to = s->count * (g + 1) / GROUPS;
        double sd = 0, error = 0;
        for (size_t i = from; i < to; i++) {
            sd += pairs[i].sd * pairs[i].sd;
            error += pairs[i].error * pairs[i].error;
        }
        if (from == to)
            continue;
        x[n] = sqrt(sd / (double)(to - from));
        y[n] = sqrt(error / (double)(to - from));
        high = fmax(high, fmax(x[n], y[n]));
        add_row(t, "reliability", x[n], y[n], (double)(to - from));
        n++;
    }
    free(pairs);
    panel->x = (struct plot_axis){.label = "rms sd", .zero = true};
    panel->y = (struct plot_axis){.label = "rms error", .zero = true};
    add_diagonal(p, panel, 0, high);
    struct plot_mark m = {.kind = PLOT_LINES,
                          .count = n,
                          .x = x,
                          .y = y,
                          .colour = PLOT_CATEGORY,
                          .name = "measured"};
    plot_mark_add(panel, &m);
    m.kind = PLOT_POINTS;
    m.name = NULL;
    plot_mark_add(panel, &m);
}

/* The part of a normal distribution within z deviations, and back. */
static double within(double z)
{
    return erf(z / sqrt(2));
}

static double deviations(double part)
{
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (within(middle) < part)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_coverage(const struct sheet *s, struct plot *p, struct table *t)
{
    struct plot_panel *panel = plot_panel_add(p, "coverage");
    double *x = plot_room(p, COVERAGES), *y = plot_room(p, COVERAGES);
    for (size_t k = 0; k < COVERAGES; k++) {
        double z = deviations((double)(k + 1) / (COVERAGES + 1)), in = 0;
        for (size_t i = 0; i < s->count; i++)
            in += s->error[i] <= z * s->sd[i];
        x[k] = (double)(k + 1) / (COVERAGES + 1);
        y[k] = in / (double)s->count;
        add_row(t, "coverage", x[k], y[k], (double)s->count);
    }
    panel->x = (struct plot_axis){
        .label = "should hold", .low = 0, .high = 1, .percent = true};
    panel->y = (struct plot_axis){
        .label = "hold", .low = 0, .high = 1, .percent = true};
    add_diagonal(p, panel, 0, 1);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = COVERAGES,
                                             .x = x,
                                             .y = y,
                                             .colour = PLOT_CATEGORY,
                                             .name = "measured"});
}

static void draw(const struct sheet *s, const char *where, struct plot *p)
{
    size_t most = BINS * BINS + GROUPS + COVERAGES;
    struct table t = {.part = arena_array(p->arena, most, sizeof(*t.part)),
                      .x = plot_room(p, most),
                      .y = plot_room(p, most),
                      .n = plot_room(p, most)};
    p->title = arena_printf(p->arena, "%s: uncertainty", where);
    p->subtitle = arena_printf(p->arena, "%s predictions",
                               plot_count(p->arena, s->count));
    add_histogram(s, p, &t);
    add_reliability(s, p, &t);
    add_coverage(s, p, &t);
    if (s->dropped)
        plot_note(p, "not drawn: %s rows without a finite truth, mean and sd",
                  plot_count(p->arena, s->dropped));
    p->rows = t.rows;
    plot_texts(p, "part", t.part);
    plot_numbers(p, "x", t.x);
    plot_numbers(p, "y", t.y);
    plot_numbers(p, "rows", t.n);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    static const char *const truth[] = {"truth", "label", NULL};
    static const char *const mean[] = {"mean", "predicted", NULL};
    static const char *const sd[] = {"sd", "std", NULL};
    static const char *const files[] = {"output/predictions.csv",
                                        "output/predictions.npz",
                                        "output/predictions.npy", NULL};
    struct file_column columns[] = {
        {.names = truth}, {.names = mean}, {.names = sd}};
    struct sheet s = {0};
    struct buf b;
    const char *where;
    size_t rows;
    buf_init(&b);
    int rc = figure_file(asked, files, &b, &where, p->arena, err) ||
                     file_columns(buf_str(&b), where, columns, 3, &rows,
                                  p->arena, err) ||
                     take(&s, columns[0].numbers, columns[1].numbers,
                          columns[2].numbers, rows, p, err)
                 ? -1
                 : 0;
    if (!rc)
        draw(&s, where, p);
    buf_done(&b);
    return rc;
}

FIGURE(uncertainty) = {
    .name = "uncertainty",
    .summary = "whether predictions know how wrong they are",
    .takes = "trials from",
    .make = make,
    .file_alone = true,
};
