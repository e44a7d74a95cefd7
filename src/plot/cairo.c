/* cairo.c - figures as PDF and PNG, by cairo
 *
 * The library is loaded when somebody asks for such a file, so that throng is
 * the same program where it is missing. Its types are declared here by hand:
 * they are a fixed binary interface. What it draws goes into a buf, not into a
 * file: who writes files is the caller. */
#include "plot/canvas.h"

#include <math.h>
#include <stdlib.h>

#include "base/library.h"

#define LIBRARY "libcairo.so.2"
#define WIDTH 720
#define HEIGHT 450
#define PNG_SCALE 2.0      /* pixels for each point: sharp on any screen */
#define PIXELS_MAX 16000.0 /* of a side */
#define FORMAT_RGB24 1
#define BOLD 1

typedef int write_fn(void *context, const unsigned char *bytes, unsigned count);

struct text_extents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

/* cairo's functions by their own names. */
struct cairo {
    void *(*cairo_pdf_surface_create_for_stream)(write_fn *, void *, double,
                                                 double);
    void *(*cairo_image_surface_create)(int format, int width, int height);
    int (*cairo_surface_write_to_png_stream)(void *, write_fn *, void *);
    void *(*cairo_create)(void *surface);
    int (*cairo_status)(void *cr);
    int (*cairo_surface_status)(void *surface);
    const char *(*cairo_status_to_string)(int status);
    void (*cairo_destroy)(void *cr);
    void (*cairo_surface_finish)(void *surface);
    void (*cairo_surface_destroy)(void *surface);
    void (*cairo_scale)(void *cr, double x, double y);
    void (*cairo_set_source_rgba)(void *cr, double r, double g, double b,
                                  double a);
    void (*cairo_set_line_width)(void *cr, double width);
    void (*cairo_set_dash)(void *cr, const double *dashes, int count,
                           double offset);
    void (*cairo_move_to)(void *cr, double x, double y);
    void (*cairo_line_to)(void *cr, double x, double y);
    void (*cairo_close_path)(void *cr);
    void (*cairo_rectangle)(void *cr, double x, double y, double w, double h);
    void (*cairo_arc)(void *cr, double x, double y, double radius, double from,
                      double to);
    void (*cairo_new_path)(void *cr);
    void (*cairo_stroke)(void *cr);
    void (*cairo_fill)(void *cr);
    void (*cairo_paint)(void *cr);
    void (*cairo_set_antialias)(void *cr, int antialias);
    void (*cairo_select_font_face)(void *cr, const char *family, int slant,
                                   int weight);
    void (*cairo_set_font_size)(void *cr, double size);
    void (*cairo_text_extents)(void *cr, const char *text,
                               struct text_extents *extents);
    void (*cairo_show_text)(void *cr, const char *text);
};

struct page {
    struct canvas base; /* first: one is the other */
    void *library, *surface, *cr;
    struct cairo lib;
    struct buf out;
    bool png;
};

/* What the fonts' library keeps until the end is not ours to free. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}
#endif
#endif

static bool find(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof(p));
    return p != NULL;
}

#define FIND(name) find(library, #name, &c->name)

static bool find_all(void *library, struct cairo *c)
{
    return FIND(cairo_pdf_surface_create_for_stream) &&
           FIND(cairo_image_surface_create) &&
           FIND(cairo_surface_write_to_png_stream) && FIND(cairo_create) &&
           FIND(cairo_status) && FIND(cairo_surface_status) &&
           FIND(cairo_status_to_string) && FIND(cairo_destroy) &&
           FIND(cairo_surface_finish) && FIND(cairo_surface_destroy) &&
           FIND(cairo_scale) && FIND(cairo_set_source_rgba) &&
           FIND(cairo_set_line_width) && FIND(cairo_set_dash) &&
           FIND(cairo_move_to) && FIND(cairo_line_to) &&
           FIND(cairo_close_path) && FIND(cairo_rectangle) && FIND(cairo_arc) &&
           FIND(cairo_new_path) && FIND(cairo_stroke) && FIND(cairo_fill) &&
           FIND(cairo_paint) && FIND(cairo_set_antialias) &&
           FIND(cairo_select_font_face) && FIND(cairo_set_font_size) &&
           FIND(cairo_text_extents) && FIND(cairo_show_text);
}

static int take_bytes(void *context, const unsigned char *bytes, unsigned count)
{
    buf_add(context, bytes, count);
    return 0;
}

/* ---- drawing ---------------------------------------------------------------
 */

static void set_colour(struct page *p, struct rgb c, double opacity)
{
    p->lib.cairo_set_source_rgba(p->cr, c.r / 255.0, c.g / 255.0, c.b / 255.0,
                                 opacity);
}

static void add_path(struct page *p, const double *xy, size_t count)
{
    bool begin = true;
    p->lib.cairo_new_path(p->cr);
    for (size_t i = 0; i < count; i++) {
        if (!isnan(xy[2 * i]) && begin)
            p->lib.cairo_move_to(p->cr, xy[2 * i], xy[2 * i + 1]);
        else if (!isnan(xy[2 * i]))
            p->lib.cairo_line_to(p->cr, xy[2 * i], xy[2 * i + 1]);
        begin = isnan(xy[2 * i]);
    }
}

static void line(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct page *p = (struct page *)c;
    const double *lengths;
    size_t dashes = canvas_dashes(pen->dashes, &lengths);
    set_colour(p, pen->colour, pen->opacity);
    p->lib.cairo_set_line_width(p->cr, pen->width);
    p->lib.cairo_set_dash(p->cr, lengths, (int)dashes, 0);
    add_path(p, xy, count);
    p->lib.cairo_stroke(p->cr);
}

static void face(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct page *p = (struct page *)c;
    set_colour(p, pen->colour, pen->opacity);
    add_path(p, xy, count);
    p->lib.cairo_close_path(p->cr);
    p->lib.cairo_fill(p->cr);
}

static void point(struct canvas *c, double x, double y, double radius,
                  const struct pen *pen)
{
    struct page *p = (struct page *)c;
    double shape[16];
    size_t corners = canvas_shape(pen->category, x, y, radius, shape);
    if (corners) {
        face(c, shape, corners, pen);
        return;
    }
    set_colour(p, pen->colour, pen->opacity);
    p->lib.cairo_new_path(p->cr);
    p->lib.cairo_arc(p->cr, x, y, radius, 0, 2 * M_PI);
    p->lib.cairo_fill(p->cr);
}

static void text(struct canvas *c, double x, double y, enum anchor anchor,
                 const char *words, const struct lettering *l)
{
    struct page *p = (struct page *)c;
    struct text_extents e;
    struct buf b;
    buf_init(&b);
    plot_plain(&b, words);
    p->lib.cairo_select_font_face(p->cr, "Helvetica", 0, l->bold ? BOLD : 0);
    p->lib.cairo_set_font_size(p->cr, l->small ? 11 : l->bold ? 13 : 12);
    p->lib.cairo_text_extents(p->cr, b.p, &e);
    double left = anchor == ANCHOR_LEFT     ? 0
                  : anchor == ANCHOR_MIDDLE ? e.x_advance / 2
                                            : e.x_advance;
    if (l->halo) {
        set_colour(p, c->theme->paper, 0.8);
        p->lib.cairo_rectangle(p->cr, x - left - 1, y - 6, e.x_advance + 2, 12);
        p->lib.cairo_fill(p->cr);
    }
    set_colour(p, l->colour, 1);
    p->lib.cairo_move_to(p->cr, x - left, y + 4.2);
    p->lib.cairo_show_text(p->cr, b.p);
    buf_done(&b);
}

static void draw_levels(struct canvas *c, struct box where, size_t across,
                        size_t down, const uint8_t *levels, bool density)
{
    struct page *p = (struct page *)c;
    p->lib.cairo_set_antialias(p->cr, 1); /* none: no seams between cells */
    for (unsigned k = 1; k <= THEME_LEVELS; k++) {
        struct level_walk w = {where, across, down, levels, (uint8_t)k, 0};
        struct box piece;
        if (!level_next(&w, &piece))
            continue;
        set_colour(p, theme_level(k, density, c->look.dark), 1);
        p->lib.cairo_new_path(p->cr);
        do
            p->lib.cairo_rectangle(p->cr, piece.x, piece.y, piece.w, piece.h);
        while (level_next(&w, &piece));
        p->lib.cairo_fill(p->cr);
    }
    p->lib.cairo_set_antialias(p->cr, 0);
}

/* ---- open and close ---------------------------------------------------------
 */

static int load(struct page *p, struct err *err)
{
    p->library = library_open(LIBRARY);
    if (!p->library || !find_all(p->library, &p->lib))
        return err_set(err, ERR_MISSING,
                       "PDF and PNG need cairo (" LIBRARY
                       "), which is not here: install it (Debian: libcairo2), "
                       "or write an .svg, which needs nothing");
    return 0;
}

static void make_surface(struct page *p)
{
    double w = p->base.width, h = p->base.height;
    if (p->png)
        p->surface = p->lib.cairo_image_surface_create(
            FORMAT_RGB24, (int)lround(w * PNG_SCALE),
            (int)lround(h * PNG_SCALE));
    else
        p->surface = p->lib.cairo_pdf_surface_create_for_stream(take_bytes,
                                                                &p->out, w, h);
    p->cr = p->lib.cairo_create(p->surface);
    if (p->png)
        p->lib.cairo_scale(p->cr, PNG_SCALE, PNG_SCALE);
    set_colour(p, p->base.theme->paper, 1);
    p->lib.cairo_paint(p->cr);
}

static void page_free(struct page *p)
{
    if (p->cr)
        p->lib.cairo_destroy(p->cr);
    if (p->surface)
        p->lib.cairo_surface_destroy(p->surface);
    /* The library stays: it keeps caches that outlive a figure. */
    buf_done(&p->out);
    free(p);
}

static struct canvas *open_page(const struct plot_look *look, bool png,
                                struct err *err)
{
    struct page *p = xcalloc(1, sizeof(*p));
    buf_init(&p->out);
    p->png = png;
    p->base = (struct canvas){
        .backend = png ? &plot_backend_png : &plot_backend_pdf,
        .theme = look->dark ? &theme_dark : &theme_light,
        .look = *look,
        .width = look->width > 0 ? look->width : WIDTH,
        .height = look->height > 0 ? look->height : HEIGHT,
        .letter = 7,
        .line = 16,
        .dot = 1.25,
    };
    int rc = load(p, err);
    double side = fmax(p->base.width, p->base.height) * PNG_SCALE;
    if (!rc && png && side > PIXELS_MAX)
        rc = err_set(err, ERR_LIMIT, "a PNG has at most %.0f points a side",
                     PIXELS_MAX / PNG_SCALE);
    if (rc) {
        page_free(p);
        return NULL;
    }
    make_surface(p);
    return &p->base;
}

static struct canvas *open_pdf(const struct plot_look *look, struct err *err)
{
    return open_page(look, false, err);
}

static struct canvas *open_png(const struct plot_look *look, struct err *err)
{
    return open_page(look, true, err);
}

static int close_page(struct canvas *c, struct buf *b, struct err *err)
{
    struct page *p = (struct page *)c;
    int status = p->lib.cairo_status(p->cr);
    if (p->png && !status)
        status = p->lib.cairo_surface_write_to_png_stream(p->surface,
                                                          take_bytes, &p->out);
    p->lib.cairo_surface_finish(p->surface);
    if (!status)
        status = p->lib.cairo_surface_status(p->surface);
    int rc = status ? err_set(err, ERR_SYSTEM, "cairo: %s",
                              p->lib.cairo_status_to_string(status))
                    : 0;
    if (!rc)
        buf_addstr(b, buf_str(&p->out));
    page_free(p);
    return rc;
}

BACKEND(pdf) = {
    .ending = "pdf",
    .open = open_pdf,
    .line = line,
    .face = face,
    .point = point,
    .text = text,
    .levels = draw_levels,
    .close = close_page,
};

BACKEND(png) = {
    .ending = "png",
    .open = open_png,
    .line = line,
    .face = face,
    .point = point,
    .text = text,
    .levels = draw_levels,
    .close = close_page,
};
