/* cells.c - trials in the cells of two parameters */
#include "figure/cells.h"

#include <math.h>
#include <stdlib.h>

#define PARTS 16

/* ---- sides ----------------------------------------------------------------
 */

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* The different numbers, ascending; yours to free. */
static double *different(const double *list, size_t count, size_t *n)
{
    double *out = xmalloc((count + 1) * sizeof(*out));
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(list[i]))
            out[all++] = list[i];
    qsort(out, all, sizeof(*out), ascending);
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (!i || out[i] != out[*n - 1])
            out[(*n)++] = out[i];
    return out;
}

static void name_numbers(struct cell_side *s, const double *list, size_t n,
                         struct plot *p)
{
    const char **names = arena_array(p->arena, n + 1, sizeof(*names));
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < n; i++) {
        buf_reset(&b);
        plot_number(&b, list[i], 6);
        names[i] = arena_cstr(p->arena, buf_str(&b));
    }
    buf_done(&b);
    s->names = names;
    s->count = n;
}

/* The place of each trial's number among the different ones. */
static void code_numbers(struct cell_side *s, const struct trial_param *k,
                         size_t rows, const double *list)
{
    for (size_t i = 0; i < rows; i++) {
        const double *at = isnan(k->numbers[i])
                               ? NULL /* it has none; compared, it is any */
                               : bsearch(&k->numbers[i], list, s->count,
                                         sizeof(*list), ascending);
        s->codes[i] = at ? (double)(at - list) : NAN;
    }
}

static void set_values(struct cell_side *s, const struct trial_param *k,
                       size_t rows, size_t most, struct plot *p)
{
    size_t n;
    if (k->choices) {
        s->names = k->choices;
        s->count = k->choice_count;
        memcpy(s->codes, k->numbers, rows * sizeof(*s->codes));
    } else {
        double *list = different(k->numbers, rows, &n);
        name_numbers(s, list, n, p);
        code_numbers(s, k, rows, list);
        free(list);
    }
    if (s->count > most) {
        s->left = s->count - most;
        s->count = most;
    }
    for (size_t i = 0; i < rows; i++)
        if (s->codes[i] >= (double)s->count)
            s->codes[i] = NAN;
    s->axis = (struct plot_axis){.label = k->name,
                                 .scale = PLOT_CHOICE,
                                 .choices = s->names,
                                 .choice_count = s->count};
    plot_axis_fit(&s->axis, NULL, 0);
}

static void set_parts(struct cell_side *s, const struct trial_param *k,
                      size_t rows)
{
    s->axis = trials_param_axis(k);
    s->axis.exact = true;
    plot_axis_fit(&s->axis, k->numbers, rows);
    s->count = PARTS;
    for (size_t i = 0; i < rows; i++) {
        double at = floor(plot_axis_at(&s->axis, k->numbers[i]) * PARTS);
        s->codes[i] = at >= PARTS ? PARTS - 1 : at;
    }
}

static void set_side(struct cell_side *s, const struct cells *c, size_t which,
                     bool exact, size_t most, struct plot *p)
{
    const struct trial_param *k = &c->t.params[which];
    size_t n;
    s->codes = plot_room(p, c->t.count);
    if (!exact && !k->choices) {
        free(different(k->numbers, c->t.count, &n));
        if (n > PARTS) {
            set_parts(s, k, c->t.count);
            return;
        }
    }
    set_values(s, k, c->t.count, most, p);
}

/* ---- cells ----------------------------------------------------------------
 */

static void sum_up(struct cells *c, struct plot *p)
{
    size_t across = c->sides[0].count, all = across * c->sides[1].count;
    c->n = plot_room(p, all);
    c->mean = plot_room(p, all);
    c->least = plot_room(p, all);
    c->most = plot_room(p, all);
    for (size_t i = 0; i < all; i++)
        c->least[i] = c->most[i] = NAN;
    for (size_t i = 0; i < c->t.count; i++) {
        double x = c->sides[0].codes[i], y = c->sides[1].codes[i];
        if (isnan(x) || isnan(y))
            continue;
        size_t at = (size_t)y * across + (size_t)x;
        c->n[at]++;
        c->mean[at] += (c->t.values[i] - c->mean[at]) / c->n[at];
        c->least[at] = fmin(c->least[at], c->t.values[i]);
        c->most[at] = fmax(c->most[at], c->t.values[i]);
    }
    for (size_t i = 0; i < all; i++)
        if (c->n[i] == 0)
            c->mean[i] = NAN;
}

static int choose_stat(struct cells *c, const struct figure_asked *asked,
                       struct err *err)
{
    const struct {
        const char *name;
        const double *list;
    } stats[] = {{"mean", c->mean},
                 {"min", c->least},
                 {"max", c->most},
                 {"count", c->n}};
    c->stat = asked->stat ? asked->stat : "mean";
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(c->stat, stats[i].name))
            c->shown = stats[i].list;
    if (c->shown)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--stat takes mean, min, max or count, not `%s`", c->stat);
}

int cells_read(struct cells *c, const struct figure_asked *asked, bool exact,
               size_t most, struct plot *p, struct err *err)
{
    const char *names[2];
    if (trials_pick_two(asked, exact, names, p->arena, err) ||
        trials_read(&c->t, asked, names, 2, p, err))
        return -1;
    for (size_t i = 0; i < 2; i++)
        set_side(&c->sides[i], c, i, exact, most, p);
    sum_up(c, p);
    return choose_stat(c, asked, err);
}

/* ---- table and panel ------------------------------------------------------
 */

/* One column for values, two for parts. */
static void add_side(const struct cells *c, size_t which, struct plot *p)
{
    const struct cell_side *s = &c->sides[which];
    size_t across = c->sides[0].count, all = p->rows;
    const char **texts = arena_array(p->arena, all + 1, sizeof(*texts));
    double *from = plot_room(p, all), *to = plot_room(p, all);
    for (size_t i = 0; i < all; i++) {
        size_t k = which ? i / across : i % across;
        if (s->names)
            texts[i] = s->names[k];
        from[i] = plot_axis_value(&s->axis, (double)k / (double)s->count);
        to[i] = plot_axis_value(&s->axis, (double)(k + 1) / (double)s->count);
    }
    if (s->names) {
        plot_texts(p, s->axis.label, texts);
        return;
    }
    plot_numbers(p, arena_printf(p->arena, "%s_from", s->axis.label), from);
    plot_numbers(p, arena_printf(p->arena, "%s_to", s->axis.label), to);
}

static void add_table(const struct cells *c, struct plot *p)
{
    p->rows = c->sides[0].count * c->sides[1].count;
    add_side(c, 0, p);
    add_side(c, 1, p);
    plot_numbers(p, "trials", c->n);
    plot_numbers(p, "mean", c->mean);
    plot_numbers(p, "min", c->least);
    plot_numbers(p, "max", c->most);
}

struct plot_panel *cells_draw(const struct cells *c,
                              const struct figure_asked *asked, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    const char *what =
        strcmp(c->stat, "count")
            ? arena_printf(p->arena, "%s of %s", c->stat, c->t.metric)
            : "trials";
    trials_title(&c->t, asked, p,
                 arena_printf(p->arena, "%s by %s and %s", what,
                              c->sides[0].axis.label, c->sides[1].axis.label));
    panel->x = c->sides[0].axis;
    panel->y = c->sides[1].axis;
    panel->ramp_label = what;
    size_t count = c->sides[0].count * c->sides[1].count, empty = 0;
    double *shades = plot_room(p, count);
    for (size_t i = 0; i < count; i++) {
        shades[i] = c->n[i] > 0 ? c->shown[i] : NAN;
        empty += isnan(shades[i]);
    }
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_CELLS,
                                             .count = count,
                                             .across = c->sides[0].count,
                                             .shades = shades});
    for (size_t i = 0; i < 2; i++)
        if (c->sides[i].left)
            plot_note(p, "%zu more values of %s are not drawn",
                      c->sides[i].left, c->sides[i].axis.label);
    if (empty)
        plot_note(p, "empty cells have no trial");
    add_table(c, p);
    return panel;
}
