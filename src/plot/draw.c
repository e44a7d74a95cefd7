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
                      .dashes = m->dashes,
                      .letter = mark_letter(m)};
    double w = c->letter * (c->cells ? 2 : 3),
           h = c->cells ? c->line : c->line * 0.45;
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
            canvas_fit(c, l.list[i].name, where.w - 5 * c->letter, d->arena);
        double w =
            canvas_width_of(c, name, false) + (c->cells ? 6 : 7) * c->letter;
        if (!lines || x + w > where.x + where.w + 2 * c->letter) {
            x = where.x;
            lines++;
        }
        double y = where.y + c->line * ((double)lines - 0.5);
        if (!only_count) {
            draw_key(d, &l.list[i].like, x, y);
            put_text(d, x + (c->cells ? 3 : 4) * c->letter, y, name, &with);
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

static double panel_height(const struct drawing *d, struct box where)
{
    const struct canvas *c = d->canvas;
    double rows = ceil((double)d->shown / (double)d->across);
    double gaps = c->cells ? 0 : c->line * GAP * (rows - 1);
    double h = (where.h - gaps) / rows;
    return c->cells ? floor(h / c->line) * c->line : h;
}

static void draw_panels(struct drawing *d, struct box where)
{
    struct canvas *c = d->canvas;
    size_t n = d->shown, across = d->across;
    if (!n)
        return;
    double gap = c->line * GAP;
    double w = (where.w - gap * (double)(across - 1)) / (double)across;
    double h = panel_height(d, where);
    if (c->cells)
        w = floor(w / c->letter) * c->letter;
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

static void add_notes(struct buf *b, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_addf(b, "%s%s", b->len ? " · " : "", list[i]);
}

/* What several panels have to say is said once. */
static void add_notes_of_panels(struct buf *b, const struct drawing *d)
{
    struct plot_panel *const *list = d->plot->panels.p;
    for (size_t i = 0; i < d->shown; i++) {
        size_t first = 0;
        while (first < i && (!list[first]->note || !list[i]->note ||
                             strcmp(list[first]->note, list[i]->note) != 0))
            first++;
        if (list[i]->note && first == i)
            add_notes(b, &list[i]->note, 1);
    }
}

/* All notes as one text, so that short ones share a line. */
static const char *notes_text(struct drawing *d)
{
    const struct plot *p = d->plot;
    struct buf b;
    buf_init(&b);
    add_notes(&b, d->notes.p, d->notes.len);
    if (canvas_has_colours(d->canvas))
        add_notes(&b, p->colour_notes.p, p->colour_notes.len);
    add_notes_of_panels(&b, d);
    add_notes(&b, p->notes.p, p->notes.len);
    const char *text = arena_cstr(d->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Room for the notes at the bottom: a third, or more where a panel keeps its
 * labels and two lines. */
static struct box notes_box(struct drawing *d, struct box rest)
{
    struct lettering faint = letters(d, true);
    double line = d->canvas->line;
    double most = fmax(rest.h / 3, rest.h - 5 * line);
    rest.h = fmax(1, floor(most / line)) * line;
    rest.h = line * (double)put_lines(d, rest, notes_text(d), &faint, true);
    return rest;
}

/* How many choices have a line each, below what is noted. */
static size_t choices_room(struct drawing *d, const struct plot_panel *panel,
                           struct box rest)
{
    double above, below;
    panel_outside(d, panel, &above, &below);
    rest.h -= notes_box(d, rest).h + (d->canvas->cells ? 0 : d->canvas->line);
    double room = panel_height(d, rest) - above - below;
    return (size_t)fmax(1, floor(room / d->canvas->line));
}

static const char *spare_note(struct drawing *d, const struct plot_axis *y)
{
    return arena_printf(d->arena, "not drawn, for want of room: %zu %s",
                        y->choice_count - d->choices, y->spare);
}

/* Choices that are spare and have no line of their own are left out, which is
 * said; saying it takes room, too. */
static void spare_choices(struct drawing *d, struct box rest)
{
    for (size_t i = 0; i < d->shown && !d->choices; i++) {
        const struct plot_panel *panel = d->plot->panels.p[i];
        const struct plot_axis *y = &panel->y;
        if (!y->spare || choices_room(d, panel, rest) >= y->choice_count)
            continue;
        vec_push(&d->notes, spare_note(d, y));
        d->choices = choices_room(d, panel, rest);
        d->notes.p[d->notes.len - 1] = spare_note(d, y);
    }
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
    struct drawing d = {
        .plot = p, .arena = arena_new(), .shown = p->panels.len};
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
    spare_choices(&d, rest);
    draw_notes(&d, &rest);
    draw_panels(&d, rest);
    vec_done(&d.notes);
    int rc = backend->close(c, b, err);
    arena_free(d.arena);
    return rc;
}
