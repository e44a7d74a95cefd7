/* uncertainty.c - whether predictions know how wrong they are
 *
 * Of rows with truth, mean and sd: how many have which sd and which error; how
 * errors are distributed where the sd is a given one; their rank correlation;
 * in ten groups of equal size by sd, whether their errors are as large (root
 * mean square) as their sd says; and which part of the truths lies in intervals
 * that should hold a given part of them. Several ways to come by an sd, a file
 * each, stand beside each other on the same axes. */
#include <math.h>
#include <stdlib.h>
#include "base/ranks.h"
#include "figure/files.h"
#include "sys/sys.h"

#define BINS 40
#define GIVEN 20      /* of errors given sd */
#define GIVEN_LEAST 5 /* rows: fewer have no distribution */
#define GROUPS 10
#define COVERAGES 19 /* 5 % to 95 % */
#define SHEETS 6     /* files at most */

struct sheet {
    const char *name;   /* of the way; NULL: the only one */
    double *sd, *error; /* error: predicted less truth */
    double *size;       /* of the error */
    double rank;        /* correlation of sd and size */
    size_t count, dropped;
};

static int take(struct sheet *s, const double *truth, const double *mean,
                const double *sd, size_t rows, struct plot *p, struct err *err)
{
    s->sd = plot_room(p, rows);
    s->error = plot_room(p, rows);
    s->size = plot_room(p, rows);
    for (size_t i = 0; i < rows; i++) {
        double error = mean[i] - truth[i];
        if (!isfinite(error) || !isfinite(sd[i]) || sd[i] < 0) {
            s->dropped++;
            continue;
        }
        s->sd[s->count] = sd[i];
        s->error[s->count] = error;
        s->size[s->count++] = fabs(error);
    }
    s->rank = rank_correlation(s->sd, s->size, s->count);
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

/* ---- the table: parts below each other
 * ----------------------------------- */

struct table {
    const char *method;
    const char **methods, **part;
    double *x, *y, *n, *share;
    size_t rows;
};

static void add_row(struct table *t, const char *part, double x, double y,
                    double n)
{
    t->methods[t->rows] = t->method;
    t->part[t->rows] = part;
    t->x[t->rows] = x;
    t->y[t->rows] = y;
    t->share[t->rows] = NAN;
    t->n[t->rows++] = n;
}

static const char *titled(struct plot *p, const struct sheet *s,
                          const char *title)
{
    return s->name ? arena_printf(p->arena, "%s: %s", s->name, title) : title;
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
                                             .dashes = 1,
                                             .name = "as it should be"});
}

/* The axes of sd and error, the same for all files. */
static void set_axes(const struct sheet *sheets, size_t count,
                     struct plot_axis *x, struct plot_axis *y)
{
    double top_x = 0, ends[2] = {0, 0};
    *x = (struct plot_axis){.label = "sd", .zero = true, .exact = true};
    *y = (struct plot_axis){.label = "error", .exact = true};
    for (size_t i = 0; i < count; i++) {
        const struct sheet *s = &sheets[i];
        top_x = fmax(top_x, quantile(s->sd, s->count, 0.995));
        ends[1] = fmax(ends[1], quantile(s->size, s->count, 0.995));
    }
    ends[0] = -ends[1];
    plot_axis_fit(x, &top_x, 1);
    plot_axis_fit(y, ends, 2);
}

/* Rows by sd and error, bins × bins; gives how many lie outside. */
static size_t count_cells(const struct sheet *s, const struct plot_panel *panel,
                          size_t bins, double *cells)
{
    size_t outside = 0;
    for (size_t i = 0; i < bins * bins; i++)
        cells[i] = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x = plot_axis_at(&panel->x, s->sd[i]) * (double)bins;
        double y = plot_axis_at(&panel->y, s->error[i]) * (double)bins;
        if (!(x <= (double)bins && y >= 0 && y <= (double)bins)) {
            outside++;
            continue;
        }
        size_t column = (size_t)fmin(x, (double)bins - 1);
        cells[(size_t)fmin(y, (double)bins - 1) * bins + column]++;
    }
    return outside;
}

static double middle_x(const struct plot_panel *panel, size_t cell, size_t bins)
{
    return plot_axis_value(&panel->x,
                           ((double)(cell % bins) + 0.5) / (double)bins);
}

static double middle_y(const struct plot_panel *panel, size_t cell, size_t bins)
{
    return plot_axis_value(&panel->y,
                           ((double)(cell / bins) + 0.5) / (double)bins);
}

static void add_cells(struct plot_panel *panel, const double *cells,
                      size_t bins)
{
    panel->ramp_density = true;
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_CELLS,
                                             .count = bins * bins,
                                             .across = bins,
                                             .shades = cells});
}

static void add_histogram(const struct sheet *s, struct plot_panel axes,
                          struct plot *p, struct table *t)
{
    struct plot_panel *panel =
        plot_panel_add(p, titled(p, s, "rows by sd and error"));
    double *cells = plot_room(p, BINS * BINS);
    panel->x = axes.x;
    panel->y = axes.y;
    size_t outside = count_cells(s, panel, BINS, cells);
    for (size_t i = 0; i < BINS * BINS; i++)
        if (cells[i] > 0)
            add_row(t, "histogram", middle_x(panel, i, BINS),
                    middle_y(panel, i, BINS), cells[i]);
        else
            cells[i] = NAN;
    panel->ramp_label = "rows";
    panel->ramp_log = true;
    add_cells(panel, cells, BINS);
    if (outside)
        plot_note(p, "%s%s%s rows with a larger sd or error are outside",
                  s->name ? s->name : "", s->name ? ": " : "",
                  plot_count(p->arena, (uint64_t)outside));
}

/* Of the rows of each column, the share that has an error; a few rows would say
 * nothing. */
static void add_given(const struct sheet *s, struct plot_panel axes,
                      struct plot *p, struct table *t)
{
    struct plot_panel *panel =
        plot_panel_add(p, titled(p, s, "errors given sd"));
    double *cells = plot_room(p, GIVEN * GIVEN), all[GIVEN] = {0};
    panel->x = axes.x;
    panel->y = axes.y;
    count_cells(s, panel, GIVEN, cells);
    for (size_t i = 0; i < GIVEN * GIVEN; i++)
        all[i % GIVEN] += cells[i];
    for (size_t i = 0; i < GIVEN * GIVEN; i++) {
        double rows = cells[i];
        bool some = rows > 0 && all[i % GIVEN] >= GIVEN_LEAST;
        cells[i] = some ? rows / all[i % GIVEN] : NAN;
        if (!some)
            continue;
        add_row(t, "given", middle_x(panel, i, GIVEN),
                middle_y(panel, i, GIVEN), rows);
        t->share[t->rows - 1] = cells[i];
    }
    panel->ramp_label = "share";
    add_cells(panel, cells, GIVEN);
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

static void add_line(struct plot_panel *panel, const struct sheet *s,
                     const double *x, const double *y, size_t count,
                     unsigned category)
{
    struct plot_mark m = {.kind = PLOT_LINES,
                          .count = count,
                          .x = x,
                          .y = y,
                          .colour = PLOT_CATEGORY,
                          .category = category,
                          .lettered = s->name != NULL,
                          .name = s->name ? s->name : "measured"};
    plot_mark_add(panel, &m);
    m.kind = PLOT_POINTS;
    m.name = NULL;
    plot_mark_add(panel, &m);
}

/* Gives the largest number that is drawn. */
static double add_reliability(const struct sheet *s, struct plot_panel *panel,
                              unsigned category, struct plot *p,
                              struct table *t)
{
    struct pair *pairs = xmalloc(s->count * sizeof(*pairs));
    double *x = plot_room(p, GROUPS), *y = plot_room(p, GROUPS), high = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        pairs[i] = (struct pair){s->sd[i], s->size[i]};
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
    add_line(panel, s, x, y, n, category);
    return high;
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

static void add_coverage(const struct sheet *s, struct plot_panel *panel,
                         unsigned category, struct plot *p, struct table *t)
{
    double *x = plot_room(p, COVERAGES), *y = plot_room(p, COVERAGES);
    for (size_t k = 0; k < COVERAGES; k++) {
        double z = deviations((double)(k + 1) / (COVERAGES + 1)), in = 0;
        for (size_t i = 0; i < s->count; i++)
            in += s->size[i] <= z * s->sd[i];
        x[k] = (double)(k + 1) / (COVERAGES + 1);
        y[k] = in / (double)s->count;
        add_row(t, "coverage", x[k], y[k], (double)s->count);
    }
    add_line(panel, s, x, y, COVERAGES, category);
}

/* ---- all
 * ------------------------------------------------------------------------ */

static void add_judgements(const struct sheet *sheets, size_t count,
                           struct plot *p, struct table *t)
{
    struct plot_panel *by_sd_panel = plot_panel_add(p, "error by sd");
    struct plot_panel *coverage = plot_panel_add(p, "coverage");
    double high = 0;
    by_sd_panel->x = (struct plot_axis){.label = "rms sd", .zero = true};
    by_sd_panel->y = (struct plot_axis){.label = "rms error", .zero = true};
    coverage->x = (struct plot_axis){
        .label = "should hold", .low = 0, .high = 1, .percent = true};
    coverage->y = (struct plot_axis){
        .label = "hold", .low = 0, .high = 1, .percent = true};
    for (size_t i = 0; i < count; i++) {
        t->method = sheets[i].name;
        high = fmax(
            high, add_reliability(&sheets[i], by_sd_panel, (unsigned)i, p, t));
        add_coverage(&sheets[i], coverage, (unsigned)i, p, t);
    }
    add_diagonal(p, by_sd_panel, 0, high);
    add_diagonal(p, coverage, 0, 1);
}

/* How many rows there are, and whether a larger sd goes with larger errors. */
static void say_ranks(const struct sheet *sheets, size_t count, struct plot *p,
                      struct table *t)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < count; i++) {
        const struct sheet *s = &sheets[i];
        buf_addf(&b, "%s%s%s%s predictions", i ? "; " : "",
                 s->name ? s->name : "", s->name ? ": " : "",
                 plot_count(p->arena, s->count));
        if (isfinite(s->rank)) {
            buf_adds(&b, ", rank correlation ");
            plot_number(&b, s->rank, 3);
        }
        t->method = s->name;
        add_row(t, "rank_correlation", NAN, s->rank, (double)s->count);
        if (s->dropped)
            plot_note(p,
                      "%s%snot drawn: %s rows without a finite truth, mean "
                      "and sd",
                      s->name ? s->name : "", s->name ? ": " : "",
                      plot_count(p->arena, s->dropped));
    }
    p->subtitle = arena_cstr(p->arena, buf_str(&b));
    buf_done(&b);
}

static void make_table(struct table *t, size_t sheets, struct plot *p)
{
    size_t most =
        sheets * (BINS * BINS + GIVEN * BINS + GROUPS + COVERAGES + 1);
    *t = (struct table){.methods =
                            arena_array(p->arena, most, sizeof(*t->methods)),
                        .part = arena_array(p->arena, most, sizeof(*t->part)),
                        .x = plot_room(p, most),
                        .y = plot_room(p, most),
                        .n = plot_room(p, most),
                        .share = plot_room(p, most)};
}

static void draw(const struct sheet *sheets, size_t count, const char *where,
                 struct plot *p)
{
    struct plot_panel axes = {0};
    struct table t;
    make_table(&t, count, p);
    p->title = arena_printf(p->arena, "%s: uncertainty", where);
    p->across = 2;
    set_axes(sheets, count, &axes.x, &axes.y);
    for (size_t i = 0; i < count; i++) {
        t.method = sheets[i].name;
        add_histogram(&sheets[i], axes, p, &t);
        add_given(&sheets[i], axes, p, &t);
        if (count > 1)
            vec_push(&p->categories, sheets[i].name);
    }
    add_judgements(sheets, count, p, &t);
    say_ranks(sheets, count, p, &t);
    p->rows = t.rows;
    if (count > 1)
        plot_texts(p, "method", t.methods);
    plot_texts(p, "part", t.part);
    plot_numbers(p, "x", t.x);
    plot_numbers(p, "y", t.y);
    plot_numbers(p, "rows", t.n);
    plot_numbers(p, "share", t.share);
}

/* ---- files
 * ---------------------------------------------------------------------- */

static int read_sheet(const struct figure_asked *asked, struct sheet *s,
                      const char **where, struct plot *p, struct err *err)
{
    static const char *const truth[] = {"truth", "label", NULL};
    static const char *const mean[] = {"mean", "predicted", NULL};
    static const char *const sd[] = {"sd", "std", NULL};
    static const char *const files[] = {"output/predictions.csv",
                                        "output/predictions.npz",
                                        "output/predictions.npy", NULL};
    struct file_column columns[] = {
        {.names = truth}, {.names = mean}, {.names = sd}};
    struct buf b;
    size_t rows;
    buf_init(&b);
    int rc = figure_file(asked, files, &b, where, p->arena, err) ||
                     file_columns(buf_str(&b), *where, columns, 3, &rows,
                                  p->arena, err) ||
                     take(s, columns[0].numbers, columns[1].numbers,
                          columns[2].numbers, rows, p, err)
                 ? -1
                 : 0;
    buf_done(&b);
    return rc;
}

/* NAME=FILE or FILE, which is its own name. */
static int read_named(const struct figure_asked *asked, struct str word,
                      struct sheet *s, struct plot *p, struct err *err)
{
    struct figure_asked one = *asked;
    struct arena *a = p->arena;
    long at = str_find(word, '=');
    const char *where;
    bool named = at > 0 && !file_exists(arena_cstr(a, word));
    s->name = arena_cstr(a, named ? str_n(word.p, (size_t)at) : word);
    one.file = arena_cstr(
        a, named ? str_n(word.p + at + 1, word.len - (size_t)at - 1) : word);
    return read_sheet(&one, s, &where, p, err);
}

static int make_several(const struct figure_asked *asked, struct plot *p,
                        struct err *err)
{
    struct sheet sheets[SHEETS] = {0};
    struct str rest = str_of(asked->file), word;
    struct buf b;
    size_t count = 0;
    int rc = 0;
    buf_init(&b);
    while (!rc && rest.len && str_split(&rest, ',', &word)) {
        if (count == SHEETS) {
            rc = err_set(err, ERR_LIMIT, "--from takes %d files at most",
                         SHEETS);
            break;
        }
        struct sheet *s = &sheets[count++];
        rc = read_named(asked, word, s, p, err);
        buf_addf(&b, "%s%s", count > 1 ? ", " : "", s->name);
    }
    if (!rc)
        draw(sheets, count, arena_cstr(p->arena, buf_str(&b)), p);
    buf_done(&b);
    return rc;
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct sheet s = {0};
    const char *where;
    if (asked->file && strpbrk(asked->file, ",=") && !file_exists(asked->file))
        return make_several(asked, p, err);
    if (read_sheet(asked, &s, &where, p, err))
        return -1;
    draw(&s, 1, where, p);
    return 0;
}

FIGURE(uncertainty) = {
    .name = "uncertainty",
    .summary = "whether predictions know how wrong they are",
    .takes = "trials from",
    .make = make,
    .file_alone = true,
};
