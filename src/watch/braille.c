/* braille.c - curves as characters
 *
 * A curve is drawn as dots, a few to each character; the dots of a character
 * are the bits of one byte, and a table per kind turns the byte into the
 * character that looks like it. */
#include "watch/braille.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

/* From this ratio of the largest to the smallest value on, a straight axis
 * would show only the largest ones. */
#define LOG_RATIO 100.0
#define BARS 8

struct dots {
    int cell_w, cell_h; /* dots in a character */
    int w, h;           /* in all */
    int cols;
    unsigned char *cells;
};

/* ---- the range -------------------------------------------------------- */

static bool drawable(const struct curve_point *p)
{
    return isfinite(p->x) && isfinite(p->y);
}

bool curve_fit(struct curve *c, const struct curve_point *points, size_t count)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!drawable(&points[i]))
            continue;
        x0 = fmin(x0, points[i].x);
        x1 = fmax(x1, points[i].x);
        y0 = fmin(y0, points[i].y);
        y1 = fmax(y1, points[i].y);
    }
    if (x0 > x1)
        return false;
    c->x_min = x0;
    c->x_max = x1;
    c->y_min = y0;
    c->y_max = y1;
    c->log_y = y0 > 0 && y1 / y0 >= LOG_RATIO;
    return true;
}

/* Which of n dots a number belongs to; a range without extent is shown in
 * its middle. Halves keep the differences of huge numbers finite. */
static int dot_of(double v, double low, double high, int n)
{
    if (!(high > low))
        return n / 2;
    double part = (v / 2 - low / 2) / (high / 2 - low / 2);
    int at = (int)lround(part * (n - 1));
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static int row_of(const struct curve *c, const struct dots *d, double y)
{
    int up = c->log_y ? dot_of(log(y), log(c->y_min), log(c->y_max), d->h)
                      : dot_of(y, c->y_min, c->y_max, d->h);
    return d->h - 1 - up;
}

static bool inside(const struct curve *c, const struct curve_point *p)
{
    return drawable(p) && p->x >= c->x_min && p->x <= c->x_max &&
           p->y >= c->y_min && p->y <= c->y_max;
}

/* ---- dots ------------------------------------------------------------- */

/* The bit of a dot in its character. Braille numbers its dots by columns,
 * but for the lowest row, which was added later. */
static unsigned char bit_of(const struct dots *d, int x, int y)
{
    static const unsigned char braille[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    return d->cell_w == 2 ? braille[y][x] : (unsigned char)(1u << y);
}

static void set_dot(struct dots *d, int x, int y)
{
    size_t at =
        (size_t)(y / d->cell_h) * (size_t)d->cols + (size_t)(x / d->cell_w);
    d->cells[at] |= bit_of(d, x % d->cell_w, y % d->cell_h);
}

/* Bresenham's line. */
static void set_line(struct dots *d, int x0, int y0, int x1, int y1)
{
    int dx = abs(x1 - x0), dy = -abs(y1 - y0);
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    int e = dx + dy;
    for (;;) {
        set_dot(d, x0, y0);
        if (x0 == x1 && y0 == y1)
            return;
        int twice = 2 * e;
        if (twice >= dy) {
            e += dy;
            x0 += sx;
        }
        if (twice <= dx) {
            e += dx;
            y0 += sy;
        }
    }
}

static void set_curve(const struct curve *c, struct dots *d,
                      const struct curve_point *points, size_t count)
{
    bool joined = false;
    int last_x = 0, last_y = 0;
    for (size_t i = 0; i < count; i++) {
        if (!inside(c, &points[i])) {
            joined = false;
            continue;
        }
        int x = dot_of(points[i].x, c->x_min, c->x_max, d->w);
        int y = row_of(c, d, points[i].y);
        if (joined && c->steps) {
            set_line(d, last_x, last_y, x, last_y);
            set_line(d, x, last_y, x, y);
        } else {
            set_line(d, joined ? last_x : x, joined ? last_y : y, x, y);
        }
        last_x = x;
        last_y = y;
        joined = true;
    }
}

static wchar_t character(enum curve_kind kind, unsigned char bits)
{
    static const wchar_t blocks[] = {L' ', 0x2580, 0x2584, 0x2588};
    static const wchar_t ascii[] = {L' ', L'\'', L'.', L':'};
    if (!bits)
        return L' ';
    return kind == CURVE_BRAILLE  ? (wchar_t)(0x2800 + bits)
           : kind == CURVE_BLOCKS ? blocks[bits]
                                  : ascii[bits];
}

static struct dots dots_of(const struct curve *c)
{
    struct dots d = {.cell_w = c->kind == CURVE_BRAILLE ? 2 : 1,
                     .cell_h = c->kind == CURVE_BRAILLE ? 4 : 2,
                     .cols = c->cols};
    d.w = c->cols * d.cell_w;
    d.h = c->rows * d.cell_h;
    return d;
}

void curve_cell(const struct curve *c, const struct curve_point *p, int *row,
                int *col)
{
    struct dots d = dots_of(c);
    *col = dot_of(p->x, c->x_min, c->x_max, d.w) / d.cell_w;
    *row = row_of(c, &d, p->y) / d.cell_h;
}

void curve_draw(const struct curve *c, const struct curve_point *points,
                size_t count, wchar_t *cells)
{
    require(c->rows > 0 && c->cols > 0);
    size_t all = (size_t)c->rows * (size_t)c->cols;
    struct dots d = dots_of(c);
    d.cells = xcalloc(all, 1);
    set_curve(c, &d, points, count);
    for (size_t i = 0; i < all; i++)
        cells[i] = character(c->kind, d.cells[i]);
    free(d.cells);
}

/* ---- bars ------------------------------------------------------------- */

/* The mean of the finite ones; NaN: there are none. */
static double mean(const double *values, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        n++;
        sum += (values[i] - sum) / (double)n;
    }
    return n ? sum : NAN;
}

/* The values of one bar: fewer values than columns are spread out. */
static double share(const double *values, size_t count, int col, int cols)
{
    size_t from = count * (size_t)col / (size_t)cols;
    size_t to = count * (size_t)(col + 1) / (size_t)cols;
    return mean(values + from, to > from ? to - from : 1);
}

void curve_spark(enum curve_kind kind, const double *values, size_t count,
                 wchar_t *cells, int cols)
{
    static const wchar_t ascii[BARS + 1] = L"_.,-~=+#";
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < cols && count; i++) {
        double v = share(values, count, i, cols);
        low = fmin(low, v);
        high = fmax(high, v);
    }
    for (int i = 0; i < cols; i++) {
        double v = count ? share(values, count, i, cols) : NAN;
        int level = isnan(v) ? -1 : dot_of(v, low, high, BARS);
        cells[i] = level < 0             ? L' '
                   : kind == CURVE_ASCII ? ascii[level]
                                         : (wchar_t)(0x2581 + level);
    }
}
