/* terminal.c - figures in characters
 *
 * The units are dots: two by four in each character. Lines and points set dots
 * (braille), faces and shades colour upper and lower halves (half blocks), text
 * stands in characters. Without colours shades are ░▒▓█, without Unicode
 * letters of ASCII that are as dark. Nothing that a terminal would obey is
 * written but the colours themselves. */
#include "plot/canvas.h"

#include <math.h>
#include <stdlib.h>

#define DOT_W 2
#define DOT_H 4
#define COLUMNS 80
#define ROWS 24
#define SIDE_MAX 1000 /* characters */
#define FAINT 0.5     /* opacity below which a line is dotted */
#define LETTER_STEP 3 /* columns from one line's letters to another's */

struct half {
    bool on;
    struct rgb colour;
    uint8_t dark; /* 1 to 4: how dark without colours */
};

struct cell {
    uint8_t dots;
    struct rgb dot_colour;
    bool soft; /* its dots are of a grid or frame */
    char mark; /* of a point, without Unicode */
    bool form; /* its mark differs from that of other points */
    struct half halves[2];
    struct str text; /* one letter; p NULL: none */
    bool low;        /* it stands in the lower half */
    bool covered;    /* by the wide letter before it */
    struct lettering letters;
};

struct screen {
    struct canvas base; /* first: one is the other */
    size_t cols, rows;
    struct cell *cells;
    struct arena *arena;
};

static struct canvas *open(const struct plot_look *look, struct err *err)
{
    double cols = look->width > 0 ? look->width : COLUMNS;
    double rows = look->height > 0 ? look->height : ROWS;
    if (cols > SIDE_MAX || rows > SIDE_MAX) {
        err_set(err, ERR_LIMIT,
                "in a terminal a figure has at most %d columns and rows",
                SIDE_MAX);
        return NULL;
    }
    struct screen *s = xcalloc(1, sizeof(*s));
    s->cols = (size_t)cols;
    s->rows = (size_t)rows;
    s->cells = xcalloc(s->cols * s->rows + 1, sizeof(*s->cells));
    s->arena = arena_new();
    s->base = (struct canvas){
        .backend = &plot_backend_terminal,
        .theme = look->dark ? &theme_dark : &theme_light,
        .look = *look,
        .width = (double)s->cols * DOT_W,
        .height = (double)s->rows * DOT_H,
        .letter = DOT_W,
        .line = DOT_H,
        .dot = 0.5,
        .cells = true,
    };
    return &s->base;
}

static struct cell *cell_at(struct screen *s, long x, long y)
{
    long col = x >= 0 ? x / DOT_W : -1, row = y >= 0 ? y / DOT_H : -1;
    if (col < 0 || row < 0 || col >= (long)s->cols || row >= (long)s->rows)
        return NULL;
    return &s->cells[(size_t)row * s->cols + (size_t)col];
}

/* ---- dots -------------------------------------------------------------------
 */

static void set_dot(struct screen *s, long x, long y, const struct pen *pen)
{
    static const uint8_t bits[DOT_H][DOT_W] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct cell *c = cell_at(s, x, y);
    if (!c || pen->soft)
        return;
    c->dots |= bits[y % DOT_H][x % DOT_W];
    c->dot_colour = pen->colour;
}

/* Letters tell lines apart where there are no colours: each has columns of its
 * own, and stands once in a column. */
static void set_letter(struct screen *s, long x, long y, const struct pen *pen)
{
    struct cell *c = cell_at(s, x, y);
    if (!c || !pen->letter || s->base.look.colour)
        return;
    set_dot(s, x, y, pen); /* also in a gap between dashes */
    c->mark = pen->letter;
    c->form = true;
}

static bool is_letters_column(long x, const struct pen *pen)
{
    return x % DOT_W == 0 && x / DOT_W % (LETTER_STEP * THEME_CATEGORIES) ==
                                 LETTER_STEP * (pen->letter - 'a');
}

static void set_line(struct screen *s, const double *from,
                     const struct pen *pen)
{
    long x = lround(from[0]), y = lround(from[1]);
    long x1 = lround(from[2]), y1 = lround(from[3]);
    long dx = labs(x1 - x), dy = -labs(y1 - y), e = dx + dy, n = 0;
    long right = x < x1 ? 1 : -1, down = y < y1 ? 1 : -1;
    for (;; n++) {
        if (pen->opacity < FAINT ? n % 3 == 0 : !pen->dashes || n % 4 < 2)
            set_dot(s, x, y, pen);
        if (x == x1 && y == y1)
            return;
        long twice = 2 * e;
        if (twice >= dy) {
            e += dy;
            x += right;
            if (is_letters_column(x, pen))
                set_letter(s, x, y, pen);
        }
        if (twice <= dx) {
            e += dx;
            y += down;
        }
    }
}

static void line(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct screen *s = (struct screen *)c;
    for (size_t i = 0; i + 1 < count; i++) {
        const double *from = xy + 2 * i;
        if (isnan(from[0]) || isnan(from[2]))
            continue;
        set_line(s, from, pen);
        if (i + 2 == count || isnan(from[4])) /* its end */
            set_letter(s, lround(from[2]), lround(from[3]), pen);
    }
}

static void point(struct canvas *c, double x, double y, double radius,
                  const struct pen *pen)
{
    static const char marks[] = "ox+*#@%&";
    struct screen *s = (struct screen *)c;
    long at_x = (long)floor(x), at_y = (long)floor(y);
    set_dot(s, at_x, at_y, pen);
    if (radius > 1.4) { /* one that stands out */
        set_dot(s, at_x + 1, at_y, pen);
        set_dot(s, at_x, at_y + 1, pen);
        set_dot(s, at_x + 1, at_y + 1, pen);
    }
    struct cell *cell = cell_at(s, at_x, at_y);
    if (!cell)
        return;
    cell->mark = marks[pen->category % (sizeof(marks) - 1)];
    cell->form = pen->category != 0;
    set_letter(s, at_x, at_y, pen);
}

/* ---- faces ------------------------------------------------------------------
 */

static void set_half(struct screen *s, long col, long half, struct rgb colour,
                     uint8_t dark, double opacity)
{
    struct cell *c = cell_at(s, col * DOT_W, half * DOT_H / 2);
    if (!c)
        return;
    struct half *h = &c->halves[half % 2];
    struct rgb under = h->on ? h->colour : s->base.theme->paper;
    h->on = true;
    h->dark = dark;
    h->colour =
        (struct rgb){(uint8_t)lround(under.r + (colour.r - under.r) * opacity),
                     (uint8_t)lround(under.g + (colour.g - under.g) * opacity),
                     (uint8_t)lround(under.b + (colour.b - under.b) * opacity)};
}

/* Where a horizontal line crosses the outline: the least and the greatest x. */
static bool span_at(const double *xy, size_t count, double y, double *from,
                    double *to)
{
    *from = INFINITY;
    *to = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count);
        if ((a[1] <= y) == (b[1] <= y))
            continue;
        double x = a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]);
        *from = fmin(*from, x);
        *to = fmax(*to, x);
    }
    return *from <= *to;
}

/* Upright, as bands over x are: for each column what is inside. */
static bool inside(const double *xy, size_t count, double x, double y)
{
    bool in = false;
    for (size_t i = 0; i < count; i++) {
        const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count);
        if ((a[1] <= y) == (b[1] <= y))
            continue;
        if (x < a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]))
            in = !in;
    }
    return in;
}

static void face(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen)
{
    struct screen *s = (struct screen *)c;
    double top = INFINITY, bottom = -INFINITY, from, to;
    uint8_t dark = pen->opacity < 0.3   ? 1
                   : pen->opacity < 0.6 ? 2
                                        : (uint8_t)(4 - pen->category % 4);
    for (size_t i = 0; i < count; i++) {
        top = fmin(top, xy[2 * i + 1]);
        bottom = fmax(bottom, xy[2 * i + 1]);
    }
    long first = (long)floor(fmax(top, 0) / (DOT_H / 2.0));
    long last = (long)floor(fmin(bottom, c->height) / (DOT_H / 2.0));
    bool any = false;
    for (long h = first; h <= last; h++) {
        double y = ((double)h + 0.5) * DOT_H / 2;
        if (h == last && !any && count == 4) /* thin ones are seen, too */
            y = (top + bottom) / 2;
        if (!span_at(xy, count, y, &from, &to))
            continue;
        long end = (long)ceil(fmin(to, c->width) / DOT_W - 0.5);
        long begin = (long)floor(fmax(from, 0) / DOT_W + 0.5);
        for (long col = begin; col < end || col == begin; col++)
            if (count <= 4 || inside(xy, count, ((double)col + 0.5) * DOT_W, y))
                set_half(s, col, h, pen->colour, dark, pen->opacity);
        any = true;
    }
}

static void draw_levels(struct canvas *c, struct box where, size_t across,
                        size_t down, const uint8_t *levels, bool density)
{
    struct screen *s = (struct screen *)c;
    long left = lround(where.x / DOT_W), top = lround(where.y / DOT_H * 2);
    long cols = lround(where.w / DOT_W), halves = lround(where.h / DOT_H * 2);
    for (long h = 0; h < halves; h++)
        for (long col = 0; col < cols; col++) {
            size_t i =
                (size_t)((double)across * ((double)col + 0.5) / (double)cols);
            size_t k =
                (size_t)((double)down * ((double)h + 0.5) / (double)halves);
            unsigned level = levels[k * across + i];
            if (level)
                set_half(s, left + col, top + h,
                         theme_level(level, density, c->look.dark),
                         (uint8_t)(1 + (level - 1) * 4 / THEME_LEVELS), 1);
        }
}

/* ---- text
 * -------------------------------------------------------------------- */

static void text(struct canvas *c, double x, double y, enum anchor anchor,
                 const char *words, const struct lettering *l)
{
    struct screen *s = (struct screen *)c;
    struct buf b;
    buf_init(&b);
    plot_plain(&b, words);
    struct str rest = arena_str(s->arena, buf_str(&b));
    buf_done(&b);
    double width = canvas_width_of(c, rest.p, false) / DOT_W;
    long row = (long)floor(y / DOT_H);
    long col = lround(x / DOT_W - (anchor == ANCHOR_LEFT     ? 0
                                   : anchor == ANCHOR_MIDDLE ? width / 2
                                                             : width));
    if (col < 0 && width <= (double)s->cols)
        col = 0;
    if ((double)col + width > (double)s->cols && width <= (double)s->cols)
        col = (long)s->cols - (long)width;
    while (rest.len) {
        size_t len = str_utf8_next(rest);
        struct str letter = {rest.p, len ? len : 1};
        rest.p += letter.len;
        rest.len -= letter.len;
        bool wide = canvas_width_of(c, arena_cstr(s->arena, letter), false) >
                    DOT_W * 1.5;
        struct cell *cell = cell_at(s, col * DOT_W, row * DOT_H);
        struct cell *next =
            wide ? cell_at(s, (col + 1) * DOT_W, row * DOT_H) : NULL;
        if (cell && (!wide || next)) {
            cell->text = letter;
            cell->low = y / DOT_H - (double)row >= 0.5;
            cell->covered = false;
            cell->letters = *l;
        }
        if (next)
            next->covered = true;
        col += wide ? 2 : 1;
    }
}

/* ---- as characters
 * ------------------------------------------------------------ */

#define CUBE_FIRST 16
#define GREY_FIRST 232
static const uint8_t cube_steps[] = {0, 95, 135, 175, 215, 255};

/* The step of the cube at or below it. */
static int step_below(uint8_t v)
{
    int i = 0;
    while (i < 5 && cube_steps[i + 1] <= v)
        i++;
    return i;
}

/* How different two colours look: tints count more than brightness, else a
 * ramp of magnitudes would change its hue from step to step. */
static int apart(struct rgb a, struct rgb b)
{
    int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
    int bright = (2 * r + 3 * g + blue) / 6, tint = r - g;
    int yellow = (r + g) / 2 - blue;
    return 2 * bright * bright + 2 * tint * tint + yellow * yellow;
}

/* The nearest of the 256 colours: of the corners of the cube around it, and of
 * the greys. */
static int colour_256(struct rgb c)
{
    int low[] = {step_below(c.r), step_below(c.g), step_below(c.b)};
    int grey = ((c.r + c.g + c.b) / 3 - 3) / 10;
    grey = grey < 0 ? 0 : grey > 23 ? 23 : grey;
    uint8_t shade = (uint8_t)(8 + 10 * grey);
    int best = GREY_FIRST + grey;
    int least = apart(c, (struct rgb){shade, shade, shade});
    for (int corner = 0; corner < 8; corner++) {
        int at[3];
        for (int k = 0; k < 3; k++)
            at[k] = low[k] + (low[k] < 5 ? corner >> k & 1 : 0);
        int far = apart(c, (struct rgb){cube_steps[at[0]], cube_steps[at[1]],
                                        cube_steps[at[2]]});
        if (far < least) {
            least = far;
            best = CUBE_FIRST + 36 * at[0] + 6 * at[1] + at[2];
        }
    }
    return best;
}

static void add_letter(struct buf *b, uint32_t letter)
{
    char utf8[3] = {(char)(0xe0 | letter >> 12),
                    (char)(0x80 | (letter >> 6 & 0x3f)),
                    (char)(0x80 | (letter & 0x3f))};
    buf_add(b, utf8, 3);
}

/* Letters that ASCII has not are written as what stands for them. */
static void add_text(struct buf *b, const struct screen *s, struct str letter)
{
    static const char *const stand_ins[][2] = {
        {"…", "~"}, {"·", "|"}, {"×", "x"}, {"±", "~"},
        {"≤", "<"}, {"–", "-"}, {"ā", "a"}};
    if (s->base.look.unicode || (unsigned char)letter.p[0] < 128) {
        buf_addstr(b, letter);
        return;
    }
    for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
        if (str_is(letter, stand_ins[i][0])) {
            buf_adds(b, stand_ins[i][1]);
            return;
        }
    buf_addc(b, '?');
}

static void add_shade(struct buf *b, const struct screen *s,
                      const struct cell *c)
{
    static const char ascii[] = " .:+#";
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    unsigned dark = c->halves[0].on ? c->halves[0].dark : c->halves[1].dark;
    if (c->halves[1].on && c->halves[1].dark > dark)
        dark = c->halves[1].dark;
    if (!s->base.look.unicode)
        buf_addc(b, ascii[dark]);
    else if (dark == 4 && !(c->halves[0].on && c->halves[1].on))
        add_letter(b, c->halves[0].on ? 0x2580 : 0x2584);
    else
        add_letter(b, shades[dark]);
}

/* Without braille a character shows in which half it has dots; without colours
 * only its form tells a point from others. */
static void add_dots(struct buf *b, const struct screen *s,
                     const struct cell *c)
{
    bool up = c->dots & 0x1b, low = c->dots & 0xe4;
    bool as_mark = c->form && !s->base.look.colour;
    if (s->base.look.unicode && !as_mark)
        add_letter(b, 0x2800u + c->dots);
    else if (c->mark)
        buf_addc(b, c->mark);
    else
        buf_addc(b, up && low ? ':' : up ? '\'' : '.');
}

static void begin_colour(struct buf *b, const struct rgb *fore,
                         const struct rgb *back, bool bold)
{
    buf_adds(b, bold ? "\033[1" : "\033[0");
    if (fore)
        buf_addf(b, ";38;5;%d", colour_256(*fore));
    if (back)
        buf_addf(b, ";48;5;%d", colour_256(*back));
    buf_addc(b, 'm');
}

static void add_halves(struct buf *b, const struct screen *s,
                       const struct cell *c)
{
    const struct half *up = &c->halves[0], *low = &c->halves[1];
    struct rgb back = up->on ? up->colour : low->colour;
    if (c->dots) {
        begin_colour(b, &c->dot_colour, &back, false);
        add_dots(b, s, c);
        return;
    }
    if (!s->base.look.unicode) {
        begin_colour(b, NULL, &back, false);
        buf_addc(b, ' ');
        return;
    }
    begin_colour(b, up->on ? &up->colour : &low->colour,
                 up->on && low->on ? &low->colour : NULL, false);
    add_letter(b, up->on ? 0x2580 : 0x2584);
}

/* What a letter stands on: the half that it is in. One whose colour was chosen
 * for a shade, which ends within the row, has that of the other half. */
static const struct rgb *under_text(const struct cell *c)
{
    const struct half *own = &c->halves[c->low], *other = &c->halves[!c->low];
    if (own->on)
        return &own->colour;
    return other->on && !c->letters.plain ? &other->colour : NULL;
}

static void add_painted(struct buf *b, const struct screen *s,
                        const struct cell *c)
{
    if (c->text.p) {
        const struct lettering *l = &c->letters;
        begin_colour(b, l->plain ? NULL : &l->colour, under_text(c), l->bold);
        add_text(b, s, c->text);
    } else if (c->halves[0].on || c->halves[1].on) {
        add_halves(b, s, c);
    } else {
        begin_colour(b, &c->dot_colour, NULL, false);
        add_dots(b, s, c);
    }
    buf_adds(b, "\033[0m");
}

static void add_cell(struct buf *b, const struct screen *s,
                     const struct cell *c)
{
    bool filled = c->halves[0].on || c->halves[1].on;
    if (c->covered)
        return;
    if (!c->text.p && !filled && !c->dots)
        buf_addc(b, ' ');
    else if (s->base.look.colour)
        add_painted(b, s, c);
    else if (c->text.p)
        add_text(b, s, c->text);
    else if (c->dots)
        add_dots(b, s, c);
    else
        add_shade(b, s, c);
}

static int close(struct canvas *c, struct buf *b, struct err *err)
{
    struct screen *s = (struct screen *)c;
    (void)err;
    for (size_t row = 0; row < s->rows; row++) {
        for (size_t col = 0; col < s->cols; col++)
            add_cell(b, s, &s->cells[row * s->cols + col]);
        while (b->len && b->p[b->len - 1] == ' ')
            b->p[--b->len] = 0;
        buf_addc(b, '\n');
    }
    arena_free(s->arena);
    free(s->cells);
    free(s);
    return 0;
}

BACKEND(terminal) = {
    .ending = "terminal",
    .open = open,
    .line = line,
    .face = face,
    .point = point,
    .text = text,
    .levels = draw_levels,
    .close = close,
};
