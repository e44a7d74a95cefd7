/* marks.c - marks on the canvas, one by one */
#include "plot/draw.h"

#include <math.h>

/* 0 to 1 on the panel's ramp. */
static double part_of(const struct drawn_panel *p, double shade)
{
    struct plot_axis a = {.low = p->panel->ramp_low,
                          .high = p->panel->ramp_high,
                          .scale = p->panel->ramp_log ? PLOT_LOG : PLOT_LINEAR};
    return plot_axis_at(&a, shade);
}

static unsigned category_of(const struct plot_mark *m, size_t i)
{
    return (m->categories ? m->categories[i] : m->category) % THEME_CATEGORIES;
}

struct rgb mark_colour(const struct drawn_panel *p, const struct plot_mark *m,
                       size_t i)
{
    const struct theme *t = p->d->canvas->theme;
    double part = m->shades ? part_of(p, m->shades[i]) : NAN;
    if (!isnan(part))
        return theme_ramp(part, p->d->canvas->look.dark);
    if (m->categories || m->colour == PLOT_CATEGORY)
        return t->categories[category_of(m, i)];
    return m->colour == PLOT_FAINT ? t->faint : t->ink;
}

char mark_letter(const struct plot_mark *m)
{
    return m->lettered ? (char)('a' + category_of(m, 0)) : 0;
}

static struct pen pen_of(const struct drawn_panel *p, const struct plot_mark *m,
                         size_t i)
{
    bool form = m->categories || m->colour == PLOT_CATEGORY;
    return (struct pen){.colour = mark_colour(p, m, i),
                        .opacity = m->opacity > 0 ? m->opacity : 1,
                        .width = p->d->canvas->dot *
                                 (m->width > 0 ? m->width : 1) * 1.2,
                        .category = form ? category_of(m, i) : 0};
}

/* A joint of a line, or a corner before it. */
static void add_joint(double *xy, size_t *n, double x, double y, bool corner)
{
    if (corner && *n) {
        xy[2 * *n] = x;
        xy[2 * *n + 1] = xy[2 * *n - 1];
        (*n)++;
    }
    xy[2 * *n] = x;
    xy[2 * *n + 1] = y;
    (*n)++;
}

/* What was gathered is drawn; a line of one joint is a point. */
static void end_line(const struct drawn_panel *p, const struct plot_mark *m,
                     size_t last, const double *xy, size_t count)
{
    struct canvas *c = p->d->canvas;
    struct pen pen = pen_of(p, m, last);
    pen.dashes = m->dashes;
    pen.letter = mark_letter(m);
    if (count > 1)
        c->backend->line(c, xy, count, &pen);
    else if (count == 1)
        c->backend->point(c, xy[0], xy[1], pen.width, &pen);
}

/* Lines of one colour are one path with breaks, which makes small files. */
static void draw_lines(const struct drawn_panel *p, const struct plot_mark *m)
{
    double *xy = xmalloc((2 * m->count + 2) * 2 * sizeof(*xy));
    size_t n = 0, since = 0; /* joints, and inputs since the last break */
    for (size_t i = 0; i <= m->count; i++) {
        double x = i < m->count ? panel_x(p, m->x[i]) : NAN;
        double y = i < m->count ? panel_y(p, m->y[i]) : NAN;
        if (!isnan(x) && !isnan(y)) {
            add_joint(xy, &n, x, y, m->kind == PLOT_STEPS && since);
            since++;
            continue;
        }
        if (since && (m->shades || since == 1)) {
            size_t from = m->shades ? 0 : n - 1;
            end_line(p, m, i - 1, xy + 2 * from, n - from);
            n = from;
        } else if (since) {
            xy[2 * n] = xy[2 * n + 1] = NAN;
            n++;
        }
        since = 0;
    }
    if (n)
        end_line(p, m, 0, xy, n);
    free(xy);
}

static void draw_points(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    double radius = c->dot * 2 * (m->width > 0 ? m->width : 1);
    for (size_t i = 0; i < m->count; i++) {
        double x = panel_x(p, m->x[i]), y = panel_y(p, m->y[i]);
        struct pen pen = pen_of(p, m, i);
        if (!isnan(x) && !isnan(y))
            c->backend->point(c, x, y, radius, &pen);
    }
}

static void draw_band(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    double *xy = xmalloc((m->count + 1) * 4 * sizeof(*xy));
    size_t n = 0;
    for (size_t k = 0; k < 2 * m->count; k++) {
        size_t i = k < m->count ? k : 2 * m->count - 1 - k;
        double x = panel_x(p, m->x[i]);
        double y = panel_y(p, k < m->count ? m->y[i] : m->y2[i]);
        if (isnan(x) || isnan(y))
            continue;
        xy[2 * n] = x;
        xy[2 * n + 1] = y;
        n++;
    }
    struct pen pen = pen_of(p, m, 0);
    if (n > 2)
        c->backend->face(c, xy, n, &pen);
    free(xy);
}

static void draw_rects(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    for (size_t i = 0; i < m->count; i++) {
        double x = panel_x(p, m->x[i]), x2 = panel_x(p, m->x2[i]);
        double y = panel_y(p, m->y[i]), y2 = panel_y(p, m->y2[i]);
        struct pen pen = pen_of(p, m, i);
        if (isnan(x) || isnan(y) || isnan(x2) || isnan(y2))
            continue;
        if (fabs(x2 - x) < c->dot) /* what is short is still to be seen */
            x2 = x + c->dot;
        double xy[] = {x, y, x2, y, x2, y2, x, y2};
        c->backend->face(c, xy, 4, &pen);
    }
}

static void draw_cells(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    size_t down = m->across ? m->count / m->across : 0;
    uint8_t *levels = xcalloc(m->count + 1, 1);
    for (size_t i = 0; i < m->count; i++) {
        size_t up = i / m->across;
        size_t row = p->panel->y.down ? up : down - 1 - up;
        double part = part_of(p, m->shades[i]);
        if (!isnan(part))
            levels[row * m->across + i % m->across] =
                (uint8_t)(1 +
                          lround(fmin(fmax(part, 0), 1) * (THEME_LEVELS - 1)));
    }
    if (down)
        c->backend->levels(c, p->in, m->across, down, levels,
                           p->panel->ramp_density);
    free(levels);
}

/* On a shade text is dark or bright. */
static struct lettering letters_of(const struct drawn_panel *p,
                                   const struct plot_mark *m, size_t i)
{
    struct canvas *c = p->d->canvas;
    struct lettering l = {.small = true,
                          .halo = m->side,
                          .plain = m->colour == PLOT_INK && !m->shades,
                          .colour = m->colour == PLOT_FAINT ? c->theme->faint
                                                            : c->theme->ink};
    double part = m->shades ? part_of(p, m->shades[i]) : NAN;
    if (!isnan(part))
        l.colour = theme_is_bright(theme_ramp(part, c->look.dark))
                       ? theme_light.ink
                       : theme_light.paper;
    return l;
}

/* How wide a text may be; of a choice's room a part, else anything. */
static double text_room(const struct drawn_panel *p, const struct plot_mark *m)
{
    const struct plot_axis *x = &p->panel->x;
    if (!(m->room > 0))
        return INFINITY;
    return m->room * p->in.w / (x->high - x->low) - p->d->canvas->letter;
}

/* Numbers in cells are all there, or none where one would not fit. */
static bool texts_fit(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    const struct plot_axis *y = &p->panel->y;
    double room = text_room(p, m) + c->letter * 0.6;
    if (m->side || !(m->room > 0))
        return true;
    for (size_t i = 0; i < m->count; i++)
        if (m->texts[i] && canvas_width_of(c, m->texts[i], false) > room)
            return false;
    return p->in.h / (y->high - y->low) >= c->line * 0.75;
}

static void draw_texts(const struct drawn_panel *p, const struct plot_mark *m)
{
    struct canvas *c = p->d->canvas;
    double room = text_room(p, m), last = NAN;
    if (!texts_fit(p, m))
        return;
    for (size_t i = 0; i < m->count; i++) {
        double x = panel_x(p, m->x[i]), y = panel_y(p, m->y[i]);
        bool close = m->side && fabs(y - last) < c->line * 0.85;
        if (isnan(x) || isnan(y) || !m->texts[i] || close)
            continue;
        const char *text = m->texts[i];
        if (m->side && (m->uncut || room < c->letter * 3) &&
            canvas_width_of(c, text, false) > room)
            continue;
        if (m->side)
            text = canvas_fit(c, text, room, p->d->arena);
        struct lettering l = letters_of(p, m, i);
        c->backend->text(c, x + (m->side ? c->letter * 0.7 : 0), y,
                         m->side ? ANCHOR_LEFT : ANCHOR_MIDDLE, text, &l);
        last = y;
    }
}

void marks_draw(struct drawn_panel *p, const struct plot_mark *m)
{
    static void (*const draw[])(const struct drawn_panel *,
                                const struct plot_mark *) = {
        [PLOT_LINES] = draw_lines,   [PLOT_STEPS] = draw_lines,
        [PLOT_POINTS] = draw_points, [PLOT_BAND] = draw_band,
        [PLOT_RECTS] = draw_rects,   [PLOT_CELLS] = draw_cells,
        [PLOT_TEXTS] = draw_texts};
    if (density_needed(p->d, m))
        density_draw(p, m);
    else if (m->count)
        draw[m->kind](p, m);
}
