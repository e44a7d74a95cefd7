/* panel.c - one pair of axes with what is between them
 *
 * The label of the upright axis stands above it, so that nobody must turn the
 * head; that of the other below its right end. */
#include "plot/draw.h"

#include <math.h>

#define EDGE 1e-6        /* of rounding */
#define RAMP_LETTERS 9.0 /* room right of a panel with shades */

/* What lies outside of an axis is not drawn. */
static double within(const struct plot_axis *a, double v)
{
    double part = plot_axis_at(a, v);
    return part >= -EDGE && part <= 1 + EDGE ? part : NAN;
}

double panel_x(const struct drawn_panel *p, double v)
{
    return p->in.x + within(&p->panel->x, v) * p->in.w;
}

/* In cells the lowest place is still above the row of labels. */
double panel_y(const struct drawn_panel *p, double v)
{
    double down = (1 - within(&p->panel->y, v)) * p->in.h;
    double most = p->in.h - (p->d->canvas->cells ? 0.6 : 0);
    return p->in.y + (down > most ? most : down);
}

/* ---- limits ---------------------------------------------------------------
 */

typedef VEC(double) numbers;

static void gather(numbers *all, const double *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        if (isfinite(list[i]))
            vec_push(all, list[i]);
}

/* Limits of choices, and those that are said, need no numbers. */
static bool needs_numbers(const struct plot_axis *a)
{
    return a->scale != PLOT_CHOICE && !(a->low < a->high);
}

static void fit(struct plot_panel *p)
{
    numbers x = {0}, y = {0}, shades = {0};
    for (size_t i = 0; i < p->marks.len; i++) {
        const struct plot_mark *m = &p->marks.p[i];
        if (m->kind != PLOT_CELLS && needs_numbers(&p->x)) {
            gather(&x, m->x, m->count);
            gather(&x, m->x2, m->count);
        }
        if (m->kind != PLOT_CELLS && needs_numbers(&p->y)) {
            gather(&y, m->y, m->count);
            gather(&y, m->y2, m->count);
        }
        gather(&shades, m->shades, m->count);
    }
    plot_axis_fit(&p->x, x.p, x.len);
    plot_axis_fit(&p->y, y.p, y.len);
    struct plot_axis ramp = {.low = p->ramp_low,
                             .high = p->ramp_high,
                             .exact = true,
                             .scale = p->ramp_log ? PLOT_LOG : PLOT_LINEAR};
    plot_axis_fit(&ramp, shades.p, shades.len);
    p->ramp_low = ramp.low;
    p->ramp_high = ramp.high;
    vec_done(&x);
    vec_done(&y);
    vec_done(&shades);
}

/* Cells have their shades everywhere, lines and points where there are
 * colours. */
static bool shows_shades(const struct drawing *d, const struct plot_mark *m)
{
    return m->shades && !density_needed(d, m) &&
           (m->kind == PLOT_CELLS || canvas_has_colours(d->canvas));
}

/* A ramp without a label is that of a neighbour. */
static bool has_shades(const struct drawing *d, const struct plot_panel *p)
{
    for (size_t i = 0; i < p->marks.len && p->ramp_label; i++)
        if (shows_shades(d, &p->marks.p[i]))
            return true;
    return false;
}

/* ---- axes -----------------------------------------------------------------
 */

static void put(const struct drawn_panel *p, double x, double y,
                enum anchor anchor, const char *text, bool faint)
{
    struct canvas *c = p->d->canvas;
    struct lettering l = {.colour = faint ? c->theme->faint : c->theme->ink,
                          .small = true,
                          .plain = !faint};
    c->backend->text(c, x, y, anchor, text, &l);
}

static double widest(const struct drawn_panel *p, const struct ticks *t)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++)
        most =
            fmax(most, canvas_width_of(p->d->canvas, t->list[i].label, false));
    return most;
}

static void draw_grid(const struct drawn_panel *p, const struct ticks *x,
                      const struct ticks *y)
{
    struct canvas *c = p->d->canvas;
    struct pen pen = {.colour = c->theme->grid,
                      .opacity = 1,
                      .width = c->dot * 0.5,
                      .soft = true};
    for (size_t i = 0; i < x->count && p->panel->x.scale != PLOT_CHOICE; i++) {
        double at = panel_x(p, x->list[i].value);
        double line[] = {at, p->in.y, at, p->in.y + p->in.h};
        c->backend->line(c, line, 2, &pen);
    }
    for (size_t i = 0; i < y->count && p->panel->y.scale != PLOT_CHOICE; i++) {
        double at = panel_y(p, y->list[i].value);
        double line[] = {p->in.x, at, p->in.x + p->in.w, at};
        c->backend->line(c, line, 2, &pen);
    }
}

static void draw_frame(const struct drawn_panel *p)
{
    struct canvas *c = p->d->canvas;
    struct pen pen = {
        .colour = c->theme->faint, .opacity = 1, .width = c->dot * 0.6};
    double edge = c->cells ? 1 : 0;
    double left = p->in.x - edge, bottom = p->in.y + p->in.h - edge;
    double line[] = {left, p->in.y, left, bottom, p->in.x + p->in.w, bottom};
    if (!p->panel->y.hidden) /* in cells numbers stand right below */
        c->backend->line(c, line, c->cells ? 2 : 3, &pen);
}

/* Labels that would touch the one before are left out. */
static void draw_x_labels(const struct drawn_panel *p, const struct ticks *t)
{
    struct canvas *c = p->d->canvas;
    double y = p->in.y + p->in.h + c->line * (c->cells ? 0.75 : 0.7);
    double room = p->in.w / fmax(1, (double)t->count) - c->letter;
    double end = -INFINITY;
    bool choices = p->panel->x.scale == PLOT_CHOICE;
    if (room < c->letter * 4) /* too many to name each */
        room = c->letter * 8;
    for (size_t i = 0; i < t->count; i++) {
        const char *text = t->list[i].label;
        double at = panel_x(p, t->list[i].value);
        if (choices)
            text = canvas_fit(c, text, room, p->d->arena);
        double half = canvas_width_of(c, text, false) / 2;
        if (at - half < end)
            continue;
        put(p, at, y, ANCHOR_MIDDLE, text, false);
        end = at + half + c->letter;
    }
}

static void draw_y_labels(const struct drawn_panel *p, const struct ticks *t,
                          double room)
{
    struct canvas *c = p->d->canvas;
    double x = p->in.x - c->letter * (c->cells ? 1 : 0.8), last = NAN;
    for (size_t i = 0; i < t->count; i++) {
        double at = panel_y(p, t->list[i].value);
        if (fabs(at - last) < c->line * 0.95)
            continue;
        put(p, x, at, ANCHOR_RIGHT,
            canvas_fit(c, t->list[i].label, room, p->d->arena), false);
        last = at;
    }
}

/* Round numbers beside the ramp, where the ends leave room. */
static void label_ramp(const struct drawn_panel *p, double x)
{
    struct canvas *c = p->d->canvas;
    const struct plot_panel *panel = p->panel;
    const struct plot_axis ramp = {.low = panel->ramp_low,
                                   .high = panel->ramp_high,
                                   .scale = panel->ramp_log ? PLOT_LOG
                                                            : PLOT_LINEAR};
    struct ticks t;
    double low = p->in.y + p->in.h - c->line * 1.4;
    double high = p->in.y + c->line * 1.4, last = INFINITY;
    size_t most = (size_t)fmax(2, p->in.h / c->line / 2.5);
    ticks_find(&t, &ramp, most, p->d->arena);
    for (size_t i = 0; i < t.count; i++) {
        double at =
            p->in.y + (1 - plot_axis_at(&ramp, t.list[i].value)) * p->in.h;
        if (!(at >= high && at <= low && last - at >= c->line))
            continue;
        put(p, x, at, ANCHOR_LEFT, t.list[i].label, true);
        last = at;
    }
}

/* What shades mean: a strip with its ends. */
static void draw_ramp(const struct drawn_panel *p, double x)
{
    struct canvas *c = p->d->canvas;
    const struct plot_panel *panel = p->panel;
    uint8_t levels[THEME_LEVELS];
    struct box strip = {x, p->in.y, c->letter * (c->cells ? 1 : 1.2), p->in.h};
    struct buf b;
    for (unsigned i = 0; i < THEME_LEVELS; i++)
        levels[i] = (uint8_t)(THEME_LEVELS - i);
    c->backend->levels(c, strip, 1, THEME_LEVELS, levels, panel->ramp_density);
    buf_init(&b);
    double beside = strip.x + strip.w + c->letter * (c->cells ? 0.5 : 0.5);
    plot_number(&b, panel->ramp_high, 3);
    put(p, beside, p->in.y + c->line * 0.4, ANCHOR_LEFT,
        arena_cstr(p->d->arena, buf_str(&b)), false);
    buf_reset(&b);
    plot_number(&b, panel->ramp_low, 3);
    put(p, beside, p->in.y + p->in.h - c->line * 0.4, ANCHOR_LEFT,
        arena_cstr(p->d->arena, buf_str(&b)), false);
    buf_done(&b);
    label_ramp(p, beside);
}

/* ---- the panel ------------------------------------------------------------
 */

void panel_outside(const struct drawing *d, const struct plot_panel *panel,
                   double *above, double *below)
{
    const struct canvas *c = d->canvas;
    bool any = panel->title || (panel->y.label && !panel->y.hidden) ||
               (has_shades(d, panel) && panel->ramp_label);
    *above = any ? c->line * (c->cells ? 1 : 1.3) : 0;
    *below = panel->x.hidden ? 0 : c->line * (c->cells ? 1 : 1.1);
    if (panel->x.label && !panel->x.hidden)
        *below += c->line;
}

/* Room for titles above, labels beside and below. */
static void set_room(struct drawn_panel *p, struct ticks *y, double *labels)
{
    struct canvas *c = p->d->canvas;
    struct plot_panel *panel = p->panel;
    double above, below;
    panel_outside(p->d, panel, &above, &below);
    p->in.y += above;
    p->in.h -= above + below;
    size_t most = (size_t)fmax(2, p->in.h / c->line / (c->cells ? 2 : 1.7));
    ticks_find(y, &panel->y, most, p->d->arena);
    *labels = panel->y.hidden ? 0 : fmin(widest(p, y), p->in.w * 0.35);
    double left = panel->y.hidden ? c->letter : *labels + c->letter * 1.5;
    if (c->cells)
        left = ceil(left / c->letter) * c->letter;
    double right =
        has_shades(p->d, panel) ? c->letter * RAMP_LETTERS : c->letter;
    p->in.x += left;
    p->in.w -= left + right;
    double side = fmin(p->in.w, p->in.h);
    if (panel->square && !c->cells)
        p->in.w = p->in.h = side;
}

/* The label of the upright axis, or of the ramp, in what the title leaves. */
static void put_beside_title(const struct drawn_panel *p, struct box where,
                             const char *label)
{
    struct canvas *c = p->d->canvas;
    double used = canvas_width_of(c, p->panel->title, true);
    double room = where.w - used - 2 * c->letter;
    if (room > c->letter * 4)
        put(p, where.x + where.w, where.y + c->line * 0.5, ANCHOR_RIGHT,
            canvas_fit(c, label, room, p->d->arena), true);
}

static void draw_labels(const struct drawn_panel *p, struct box where)
{
    struct canvas *c = p->d->canvas;
    const struct plot_panel *panel = p->panel;
    double top = where.y + c->line * 0.5;
    double right = p->in.x + p->in.w;
    const char *up = panel->y.hidden ? NULL : panel->y.label;
    struct lettering bold = {
        .bold = true, .small = true, .plain = true, .colour = c->theme->ink};
    if (panel->title)
        c->backend->text(c, where.x, top, ANCHOR_LEFT,
                         canvas_fit(c, panel->title, where.w, p->d->arena),
                         &bold);
    else if (up)
        put(p, where.x, top, ANCHOR_LEFT,
            canvas_fit(c, up, where.w * (has_shades(p->d, panel) ? 0.6 : 1),
                       p->d->arena),
            true);
    const char *ramp = has_shades(p->d, panel) ? panel->ramp_label : NULL;
    if (panel->title && (ramp || up))
        put_beside_title(p, where, ramp ? ramp : up);
    else if (ramp)
        put(p, where.x + where.w, top, ANCHOR_RIGHT,
            canvas_fit(c, ramp, where.w * 0.4, p->d->arena), true);
    if (panel->x.label && !panel->x.hidden)
        put(p, right, p->in.y + p->in.h + c->line * (c->cells ? 1.75 : 1.8),
            ANCHOR_RIGHT, canvas_fit(c, panel->x.label, where.w, p->d->arena),
            true);
}

void panel_draw(struct drawing *d, const struct plot_panel *panel,
                struct box where)
{
    struct plot_panel copy = *panel;
    struct drawn_panel p = {.d = d, .panel = &copy, .in = where};
    struct canvas *c = d->canvas;
    struct ticks x, y;
    double room;
    if (copy.y.spare && d->choices && d->choices < copy.y.choice_count)
        copy.y.choice_count = d->choices;
    fit(&copy);
    set_room(&p, &y, &room);
    if (p.in.w < c->letter * 3 || p.in.h < c->line * 0.9) {
        put(&p, where.x, where.y + c->line * 0.5, ANCHOR_LEFT,
            "too small to be drawn", true);
        return;
    }
    size_t most = (size_t)fmax(2, p.in.w / c->letter / (c->cells ? 8 : 7));
    ticks_find(&x, &copy.x, most, d->arena);
    if (!copy.x.hidden && !copy.y.hidden)
        draw_grid(&p, &x, &y);
    for (size_t i = 0; i < copy.marks.len; i++)
        marks_draw(&p, &copy.marks.p[i]);
    if (!copy.x.hidden) {
        draw_frame(&p);
        draw_x_labels(&p, &x);
    }
    if (!copy.y.hidden)
        draw_y_labels(&p, &y, room);
    if (has_shades(d, &copy))
        draw_ramp(&p, p.in.x + p.in.w + c->letter);
    draw_labels(&p, where);
}
