/* draw.c - a figure as a whole: title, legend, panels in rows, notes below */
#include "plot/draw.h"

#include <math.h>

#define GAP 1.0      /* lines between panels */
#define HEAD_LINES 2 /* of a title, at most */

static const struct lettering title_letters = {.bold = true, .plain = true};

static struct lettering letters(const struct drawing *d, bool faint)
{
    const struct theme *t = d->canvas->theme;
    return (struct lettering){
        .colour = faint ? t->faint : t->ink, .small = faint, .plain = !faint};
}

static void put_text(struct drawing *d, double x, double y, const char *text,
                     const struct lettering *l)
{
    struct lettering with = *l;
    if (with.plain)
        with.colour = d->canvas->theme->ink;
    d->canvas->backend->text(d->canvas, x, y, ANCHOR_LEFT, text, &with);
}

/* The end of the first line of a text that is broken between words. */
static size_t line_end(struct drawing *d, const char *text, double width,
                       bool bold)
{
    size_t take = 0, len = strlen(text);
    for (size_t i = 1; i <= len; i++) {
        if (text[i] && text[i] != ' ')
            continue;
        struct str head = {text, i};
        if (take && canvas_width_of(d->canvas, arena_cstr(d->arena, head),
                                    bold) > width)
            break;
        take = i;
    }
    return take;
}

/* Breaks a text into as many lines as there is room for, the last one cut;
 * gives how many it needs. */
static size_t put_lines(struct drawing *d, struct box where, const char *text,
                        const struct lettering *l, bool only_count)
{
    struct canvas *c = d->canvas;
    size_t lines = 0, most = (size_t)fmax(1, floor(where.h / c->line + 0.1));
    const char *at = text;
    while (*at && lines < most) {
        size_t take =
            lines + 1 < most ? line_end(d, at, where.w, l->bold) : strlen(at);
        struct str line = {at, take};
        if (!only_count)
            put_text(
                d, where.x, where.y + c->line * ((double)lines + 0.5),
                canvas_fit(c, arena_cstr(d->arena, line), where.w, d->arena),
                l);
        lines++;
        at += take;
        while (*at == ' ')
            at++;
    }
    return lines;
}

/* ---- legend ---------------------------------------------------------------
 */

struct legend_entry {
    const char *name;
    struct plot_mark like; /* how it looks */
};

struct legend {
    struct legend_entry list[32];
    size_t count;
};

static void legend_add(struct legend *l, const char *name,
                       const struct plot_mark *like)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->list[i].name, name))
            return;
    if (l->count < 32)
        l->list[l->count++] = (struct legend_entry){name, *like};
}

static void legend_of_categories(struct legend *l, const struct plot *p,
                                 const struct plot_mark *m)
{
    bool used[256] = {0};
    for (size_t i = 0; i < m->count; i++)
        used[m->categories[i]] = true;
    for (size_t k = 0; k < p->categories.len && k < 256; k++) {
        struct plot_mark like = *m;
        like.category = (unsigned)k;
        like.colour = PLOT_CATEGORY;
        if (used[k])
            legend_add(l, p->categories.p[k], &like);
    }
}

static void legend_find(struct legend *l, const struct drawing *d)
{
    const struct plot *p = d->plot;
    for (size_t i = 0; i < p->panels.len; i++)
        for (size_t k = 0; k < p->panels.p[i]->marks.len; k++) {
            const struct plot_mark *m = &p->panels.p[i]->marks.p[k];
            if (m->categories && !density_needed(d, m))
                legend_of_categories(l, p, m);
            else if (m->name && !density_needed(d, m))
                legend_add(l, m->name, m);
        }
}

static void draw_key(struct drawing *d, const struct plot_mark *m, double x,
                     double y)
{
    struct canvas *c = d->canvas;
    struct drawn_panel p = {.d = d};
    struct plot_mark like = *m;
    like.categories = NULL;
    like.shades = NULL;
    struct pen pen = {.colour = mark_colour(&p, &like, 0),
                      .opacity = m->kind == PLOT_BAND ? 0.4 : 1,
                      .width = c->dot * 1.2,
                      .category = m->dashed ? 1 : 0};
    double w = c->letter * 2, h = c->cells ? c->line : c->line * 0.45;
    double line[] = {x, y, x + w - (c->cells ? 1 : 0), y};
    double face[] = {x,     y - h / 2, x + w, y - h / 2,
                     x + w, y + h / 2, x,     y + h / 2};
    if (m->kind == PLOT_LINES || m->kind == PLOT_STEPS)
        c->backend->line(c, line, 2, &pen);
    else if (m->kind == PLOT_POINTS) {
        pen.category = m->colour == PLOT_CATEGORY ? m->category : 0;
        c->backend->point(c, x + w / 2, y, c->dot * 2, &pen);
    } else {
        pen.category = m->colour == PLOT_CATEGORY ? m->category : 0;
        c->backend->face(c, face, 4, &pen);
    }
}

/* The lines it takes. */
static size_t draw_legend(struct drawing *d, struct box where, bool only_count)
{
    struct canvas *c = d->canvas;
    struct legend l = {.count = 0};
    struct lettering with = letters(d, false);
    double x = where.x;
    size_t lines = 0;
    legend_find(&l, d);
    for (size_t i = 0; i < l.count; i++) {
        const char *name =
            canvas_fit(c, l.list[i].name, where.w - 4 * c->letter, d->arena);
        double w = canvas_width_of(c, name, false) + 6 * c->letter;
        if (!lines || x + w > where.x + where.w + 2 * c->letter) {
            x = where.x;
            lines++;
        }
        double y = where.y + c->line * ((double)lines - 0.5);
        if (!only_count) {
            draw_key(d, &l.list[i].like, x, y);
            put_text(d, x + 3 * c->letter, y, name, &with);
        }
        x += w;
    }
    return lines;
}

/* ---- panels ---------------------------------------------------------------
 */

/* Lines that a panel needs to be read, with its title and labels. */
static double least_height(const struct drawing *d)
{
    return d->canvas->line * (d->canvas->cells ? 5 : 5.5);
}

/* How many of n stand side by side; those that come out too low are worst. */
static size_t panels_across(const struct drawing *d, struct box where, size_t n,
                            bool *fits)
{
    struct canvas *c = d->canvas;
    double least = c->letter * (c->cells ? 26 : 18); /* of the width */
    size_t most = (size_t)fmax(1, floor(where.w / least)), best = 1;
    double badness = INFINITY;
    if (d->plot->across) {
        *fits = true;
        return d->plot->across < n ? d->plot->across : n;
    }
    for (size_t k = 1; k <= most && k <= n; k++) {
        double rows = ceil((double)n / (double)k);
        double w = where.w / (double)k;
        double h = where.h / rows - (c->cells ? 0 : c->line * GAP);
        double empty = rows * (double)k - (double)n;
        double bad = fabs(log(w / fmax(h, 1) / 1.4)) + 0.4 * empty;
        bool low = h < least_height(d);
        if (low)
            bad += 1000;
        if (bad < badness - 1e-9) {
            badness = bad;
            best = k;
            *fits = !low;
        }
    }
    return best;
}

/* As many panels as can be read; the others are named in the notes. */
static void lay_out(struct drawing *d, struct box where)
{
    size_t n = d->plot->panels.len;
    bool fits = true;
    d->shown = n;
    do
        d->across = panels_across(d, where, d->shown, &fits);
    while (!fits && d->shown > 1 && d->shown--);
    if (d->shown < n)
        vec_push(&d->notes,
                 arena_printf(d->arena,
                              "%zu of %zu panels: the others need a larger "
                              "size",
                              d->shown, n));
}

static void draw_panels(struct drawing *d, struct box where)
{
    struct canvas *c = d->canvas;
    size_t n = d->shown, across = d->across;
    if (!n)
        return;
    size_t rows = (n + across - 1) / across;
    double gap = c->line * GAP;
    double w = (where.w - gap * (double)(across - 1)) / (double)across;
    double h =
        (where.h - (c->cells ? 0 : gap * (double)(rows - 1))) / (double)rows;
    if (c->cells) {
        w = floor(w / 2) * 2;
        h = floor(h / 4) * 4;
    }
    double step = c->cells ? h : h + gap;
    for (size_t i = 0; i < n; i++) {
        struct box at = {where.x + (w + gap) * (double)(i % across),
                         where.y + step * (double)(i / across), w, h};
        panel_draw(d, d->plot->panels.p[i], at);
    }
}

/* ---- all of it ------------------------------------------------------------
 */

/* Takes lines off the top. */
static void take(struct box *rest, double height)
{
    rest->y += height;
    rest->h -= height;
}

static void draw_head(struct drawing *d, struct box *rest)
{
    struct canvas *c = d->canvas;
    struct lettering sub = letters(d, true);
    struct box some = {rest->x, rest->y, rest->w, c->line * HEAD_LINES};
    if (d->plot->title)
        take(rest, c->line * (double)put_lines(d, some, d->plot->title,
                                               &title_letters, false));
    some.y = rest->y;
    if (d->plot->subtitle)
        take(rest, c->line * (double)put_lines(d, some, d->plot->subtitle, &sub,
                                               false));
    size_t lines = draw_legend(d, *rest, false);
    take(rest, c->line * (double)lines);
    if (!c->cells)
        take(rest, c->line * 0.5);
}

/* Which marks will be a density is known before anything is drawn. */
static void note_densities(struct drawing *d)
{
    for (size_t i = 0; i < d->plot->panels.len; i++)
        for (size_t k = 0; k < d->plot->panels.p[i]->marks.len; k++) {
            const struct plot_mark *m = &d->plot->panels.p[i]->marks.p[k];
            if (density_needed(d, m) && !d->notes.len)
                vec_push(&d->notes,
                         arena_printf(d->arena,
                                      "density of %s: too many to be drawn "
                                      "one by one",
                                      m->crowd ? m->crowd : "marks"));
        }
}

/* All notes as one text, so that short ones share a line. */
static const char *notes_text(struct drawing *d)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < d->notes.len + d->plot->notes.len; i++)
        buf_addf(&b, "%s%s", i ? " · " : "",
                 i < d->notes.len ? d->notes.p[i]
                                  : d->plot->notes.p[i - d->notes.len]);
    const char *text = arena_cstr(d->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Room for the notes at the bottom: a third at most. */
static struct box notes_box(struct drawing *d, struct box rest)
{
    struct lettering faint = letters(d, true);
    double line = d->canvas->line;
    rest.h = fmax(1, floor(rest.h / line / 3)) * line;
    rest.h = line * (double)put_lines(d, rest, notes_text(d), &faint, true);
    return rest;
}

static void draw_notes(struct drawing *d, struct box *rest)
{
    struct canvas *c = d->canvas;
    struct lettering faint = letters(d, true);
    struct box below = notes_box(d, *rest);
    rest->h -= below.h;
    below.y = rest->y + rest->h;
    if (below.h > 0)
        put_lines(d, below, notes_text(d), &faint, false);
    if (!c->cells && below.h > 0)
        rest->h -= c->line * 0.4;
}

int plot_draw(const struct plot *p, const struct plot_backend *backend,
              const struct plot_look *look, struct buf *b, struct err *err)
{
    struct drawing d = {.plot = p, .arena = arena_new()};
    d.canvas = backend->open(look, err);
    if (!d.canvas)
        return arena_free(d.arena), -1;
    struct canvas *c = d.canvas;
    double margin = c->cells ? 0 : c->line * 0.8;
    struct box rest = {margin, margin, c->width - 2 * margin,
                       c->height - 2 * margin};
    note_densities(&d);
    draw_head(&d, &rest);
    struct box inner = rest;
    inner.h -= notes_box(&d, rest).h;
    lay_out(&d, inner);
    draw_notes(&d, &rest);
    draw_panels(&d, rest);
    vec_done(&d.notes);
    int rc = backend->close(c, b, err);
    arena_free(d.arena);
    return rc;
}
