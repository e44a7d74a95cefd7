/* svg.c - figures as SVG
 *
 * Text stays text, in fonts by name, so that it can be searched, edited and set
 * in the reader's own. Shades are paths, one for each level: no picture is
 * embedded. Numbers have two decimals. */
#include "plot/canvas.h"

#include <math.h>
#include <stdlib.h>

#define FONT "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
#define WIDTH 720
#define HEIGHT 450

struct svg {
    struct canvas base; /* first: one is the other */
    struct buf out;
};

/* A number in at most two decimals, without noughts at its end. */
static void add_number(struct buf *b, double v)
{
    long hundredths = lround(v * 100);
    unsigned long part = (unsigned long)labs(hundredths) % 100;
    buf_addf(b, "%s%lu", hundredths < 0 ? "-" : "",
             (unsigned long)labs(hundredths) / 100);
    if (part)
        buf_addf(b, part % 10 ? ".%02lu" : ".%lu",
                 part % 10 ? part : part / 10);
}

static void add_attribute(struct buf *b, const char *name, double v)
{
    buf_addf(b, " %s=\"", name);
    add_number(b, v);
    buf_addc(b, '"');
}

static void add_colour(struct buf *b, const char *name, struct rgb c)
{
    buf_addf(b, " %s=\"#%02x%02x%02x\"", name, c.r, c.g, c.b);
}

static void add_opacity(struct buf *b, const char *name, double opacity)
{
    if (opacity < 1)
        add_attribute(b, name, opacity);
}

static struct canvas *open(const struct plot_look *look, struct err *err)
{
    struct svg *s = xcalloc(1, sizeof(*s));
    (void)err;
    s->base = (struct canvas){
        .backend = &plot_backend_svg,
        .theme = look->dark ? &theme_dark : &theme_light,
        .look = *look,
        .width = look->width > 0 ? look->width : WIDTH,
        .height = look->height > 0 ? look->height : HEIGHT,
        .letter = 7,
        .line = 16,
        .dot = 1.25,
    };
    buf_init(&s->out);
    struct buf *b = &s->out;
    buf_adds(b, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute(b, "width", s->base.width);
    add_attribute(b, "height", s->base.height);
    buf_adds(b, " viewBox=\"0 0 ");
    add_number(b, s->base.width);
    buf_addc(b, ' ');
    add_number(b, s->base.height);
    buf_adds(b, "\" font-family=\"" FONT "\" font-size=\"12\">\n<rect "
                "width=\"100%\" height=\"100%\"");
    add_colour(b, "fill", s->base.theme->paper);
    buf_adds(b, "/>\n");
    return &s->base;
}

static void add_path(struct buf *b, const double *xy, size_t count, bool closed)
{
    bool begin = true;
    buf_adds(b, "<path d=\"");
    for (size_t i = 0; i < count; i++) {
        if (isnan(xy[2 * i])) {
            begin = true;
            continue;
        }
        buf_addc(b, begin ? 'M' : 'L');
        begin = false;
        add_number(b, xy[2 * i]);
        buf_addc(b, ' ');
        add_number(b, xy[2 * i + 1]);
    }
    buf_adds(b, closed ? "Z\"" : "\" fill=\"none\"");
}

static void add_dashes(struct buf *b, unsigned dashes)
{
    const double *lengths;
    size_t count = canvas_dashes(dashes, &lengths);
    for (size_t i = 0; i < count; i++) {
        buf_adds(b, i ? " " : " stroke-dasharray=\"");
        add_number(b, lengths[i]);
    }
    buf_adds(b, count ? "\"" : "");
}

static void line(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct buf *b = &((struct svg *)c)->out;
    add_path(b, xy, count, false);
    add_colour(b, "stroke", pen->colour);
    add_attribute(b, "stroke-width", pen->width);
    add_opacity(b, "stroke-opacity", pen->opacity);
    add_dashes(b, pen->dashes);
    buf_adds(b, " stroke-linejoin=\"round\"/>\n");
}

static void face(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct buf *b = &((struct svg *)c)->out;
    add_path(b, xy, count, true);
    add_colour(b, "fill", pen->colour);
    add_opacity(b, "fill-opacity", pen->opacity);
    buf_adds(b, "/>\n");
}

static void point(struct canvas *c, double x, double y, double radius,
                  const struct pen *pen)
{
    struct buf *b = &((struct svg *)c)->out;
    double shape[16];
    size_t corners = canvas_shape(pen->category, x, y, radius, shape);
    if (corners) {
        face(c, shape, corners, pen);
        return;
    }
    buf_adds(b, "<circle");
    add_attribute(b, "cx", x);
    add_attribute(b, "cy", y);
    add_attribute(b, "r", radius);
    add_colour(b, "fill", pen->colour);
    add_opacity(b, "fill-opacity", pen->opacity);
    buf_adds(b, "/>\n");
}

static void text(struct canvas *c, double x, double y, enum anchor anchor,
                 const char *words, const struct lettering *l)
{
    static const char *const anchors[] = {
        [ANCHOR_LEFT] = "", [ANCHOR_MIDDLE] = "middle", [ANCHOR_RIGHT] = "end"};
    struct buf *b = &((struct svg *)c)->out;
    buf_adds(b, "<text");
    add_attribute(b, "x", x);
    add_attribute(b, "y", y + 4.2);
    add_colour(b, "fill", l->colour);
    if (anchor != ANCHOR_LEFT)
        buf_addf(b, " text-anchor=\"%s\"", anchors[anchor]);
    if (l->bold)
        buf_adds(b, " font-weight=\"bold\"");
    if (l->small)
        buf_adds(b, " font-size=\"11\"");
    else if (l->bold)
        buf_adds(b, " font-size=\"13\"");
    if (l->halo) {
        add_colour(b, "stroke", c->theme->paper);
        buf_adds(b, " stroke-width=\"3\" paint-order=\"stroke\"");
    }
    buf_addc(b, '>');
    plot_xml(b, words);
    buf_adds(b, "</text>\n");
}

static void add_piece(struct buf *b, const struct box *p)
{
    buf_addc(b, 'M');
    add_number(b, p->x);
    buf_addc(b, ' ');
    add_number(b, p->y);
    buf_addc(b, 'h');
    add_number(b, p->w);
    buf_addc(b, 'v');
    add_number(b, p->h);
    buf_addc(b, 'h');
    add_number(b, -p->w);
    buf_addc(b, 'z');
}

static void draw_levels(struct canvas *c, struct box where, size_t across,
                        size_t down, const uint8_t *levels, bool density)
{
    struct buf *b = &((struct svg *)c)->out;
    for (unsigned k = 1; k <= THEME_LEVELS; k++) {
        struct level_walk w = {where, across, down, levels, (uint8_t)k, 0};
        struct box piece;
        if (!level_next(&w, &piece))
            continue;
        buf_adds(b, "<path shape-rendering=\"crispEdges\"");
        add_colour(b, "fill", theme_level(k, density, c->look.dark));
        buf_adds(b, " d=\"");
        do
            add_piece(b, &piece);
        while (level_next(&w, &piece));
        buf_adds(b, "\"/>\n");
    }
}

static int close(struct canvas *c, struct buf *b, struct err *err)
{
    struct svg *s = (struct svg *)c;
    (void)err;
    buf_addstr(b, buf_str(&s->out));
    buf_adds(b, "</svg>\n");
    buf_done(&s->out);
    free(s);
    return 0;
}

BACKEND(svg) = {
    .ending = "svg",
    .open = open,
    .line = line,
    .face = face,
    .point = point,
    .text = text,
    .levels = draw_levels,
    .close = close,
};
