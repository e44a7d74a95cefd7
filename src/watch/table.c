/* table.c - a table on a screen */
#include "watch/table.h"

#include <math.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/num.h"
#include "layout/layout.h"
#include "view/view.h"

#define GAP 2
#define CURSOR 2      /* columns in front, for the mark of the chosen row */
#define HINT 8        /* columns at the right, to say what is out of sight */
#define WIDTH_LEAST 6 /* texts are not cut to less */

void sheet_init(struct sheet *t, struct arena *a)
{
    *t = (struct sheet){.arena = a};
}

void sheet_done(struct sheet *t)
{
    vec_done(&t->columns);
    vec_done(&t->cells);
    vec_done(&t->marks);
    vec_done(&t->flags);
}

void sheet_column(struct sheet *t, const char *title, bool right)
{
    vec_push(&t->columns, ((struct sheet_column){title, right, false}));
}

void sheet_keep(struct sheet *t)
{
    vec_last(&t->columns).keep = true;
}

void sheet_cell(struct sheet *t, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    vec_push(&t->cells, arena_cstr(t->arena, buf_str(&b)));
    buf_done(&b);
}

void sheet_number(struct sheet *t, double v, int digits)
{
    struct buf b;
    buf_init(&b);
    if (!isnan(v))
        num_print_short(&b, v, digits);
    vec_push(&t->cells, arena_cstr(t->arena, buf_str(&b)));
    buf_done(&b);
}

void sheet_row(struct sheet *t, enum mark mark)
{
    while (t->cells.len % t->columns.len)
        vec_push(&t->cells, "");
    vec_push(&t->marks, mark);
    vec_push(&t->flags, false);
}

void sheet_flag(struct sheet *t)
{
    vec_last(&t->flags) = true;
}

size_t sheet_shift(struct sheet *t, size_t fixed, size_t shift)
{
    size_t n = t->columns.len;
    size_t most = n > fixed + 1 ? n - fixed - 1 : 0;
    t->fixed = fixed;
    t->shift = shift < most ? shift : most;
    return t->shift;
}

static bool is_out(const struct sheet *t, size_t column)
{
    return column >= t->fixed && column < t->fixed + t->shift;
}

/* ---- widths ----------------------------------------------------------- */

static bool is_number(const char *s)
{
    double v;
    return num_double(str_of(s), &v);
}

static void grow(int *width, int to)
{
    *width = to > *width ? to : *width;
}

/* What each column would like to have, and needs at least. */
static void measure(const struct sheet *t, const struct screen *s, int *widths,
                    int *least)
{
    size_t n = t->columns.len;
    for (size_t i = 0; i < n; i++)
        widths[i] = screen_width(s, str_of(t->columns.p[i].title));
    for (size_t i = 0; i < t->cells.len; i++)
        grow(&widths[i % n], screen_width(s, str_of(t->cells.p[i])));
    for (size_t i = 0; i < n; i++)
        least[i] = widths[i] < WIDTH_LEAST ? widths[i] : WIDTH_LEAST;
    for (size_t i = 0; i < t->cells.len; i++)
        if (is_number(t->cells.p[i]))
            grow(&least[i % n], screen_width(s, str_of(t->cells.p[i])));
}

/* The widest column that can be narrower, of those to keep or of the others;
 * n: none. */
static size_t widest(const struct sheet *t, const int *widths, const int *least,
                     bool keep)
{
    size_t n = t->columns.len, found = n;
    for (size_t i = 0; i < n; i++)
        if (!is_out(t, i) && t->columns.p[i].keep == keep &&
            widths[i] > least[i] && (found == n || widths[i] > widths[found]))
            found = i;
    return found;
}

/* Narrows the widest columns until all fit; gives the number of those that
 * do then. */
static size_t fit(const struct sheet *t, int *widths, const int *least,
                  int room)
{
    size_t n = t->columns.len;
    int total = CURSOR - GAP;
    for (size_t i = 0; i < n; i++)
        total += is_out(t, i) ? 0 : widths[i] + GAP;
    for (; total > room; total--) {
        size_t i = widest(t, widths, least, false);
        if (i == n)
            i = widest(t, widths, least, true);
        if (i == n)
            break;
        widths[i]--;
    }
    for (; n > t->fixed + t->shift + 1 && total > room; n--)
        total -= widths[n - 1] + GAP;
    return n;
}

/* ---- drawing ---------------------------------------------------------- */

static void draw_cell(struct screen *s, struct area a, enum mark mark,
                      const char *text, bool right)
{
    int width = screen_width(s, str_of(text));
    int col = right && width < a.cols ? a.cols - width : 0;
    screen_put(s, a, 0, col, mark, str_of(text));
    if (width > a.cols)
        screen_put(s, a, 0, a.cols - 1, mark, STR("…"));
}

static void draw_row(const struct sheet *t, struct screen *s, struct area a,
                     enum mark mark, const char *const *cells,
                     const int *widths, size_t shown)
{
    struct area cell = {a.row, a.col + CURSOR, 1, 0};
    for (size_t i = 0; i < shown; i++) {
        if (is_out(t, i))
            continue;
        const struct sheet_column *c = &t->columns.p[i];
        int left = a.col + a.cols - cell.col;
        cell.cols = widths[i] < left ? widths[i] : left;
        if (cell.cols > 0)
            draw_cell(s, cell, mark, cells[i], c->right);
        cell.col += widths[i] + GAP;
    }
}

static void draw_titles(const struct sheet *t, struct screen *s, struct area a,
                        const int *widths, size_t shown)
{
    struct arena *arena = arena_new();
    const char **titles = arena_array(arena, shown, sizeof(*titles));
    size_t *room = arena_array(arena, shown, sizeof(*room));
    for (size_t i = 0; i < shown; i++) {
        titles[i] = t->columns.p[i].title;
        room[i] = (size_t)widths[i];
    }
    draw_row(t, s, a, MARK_FAINT, titles_fit(arena, titles, room, shown),
             widths, shown);
    arena_free(arena);
}

/* How many columns there are to the left and to the right: "<2 +5>". */
static void draw_hint(const struct sheet *t, struct screen *s, struct area row,
                      size_t right)
{
    struct buf b;
    buf_init(&b);
    if (t->shift)
        buf_addf(&b, "<%zu", t->shift);
    if (right)
        buf_addf(&b, "%s%zu>", t->shift ? " " : "+", right);
    screen_put_right(s, row, 0, MARK_TITLE, buf_str(&b));
    buf_done(&b);
}

void sheet_draw(const struct sheet *t, struct screen *s, struct area a,
                long chosen)
{
    size_t n = t->columns.len;
    int *widths = xcalloc(2 * n + 1, sizeof(*widths)), *least = widths + n;
    measure(t, s, widths, least);
    size_t shown = fit(t, widths, least, a.cols);
    if (shown < n || t->shift) {
        /* Once more, with room to say it. */
        measure(t, s, widths, least);
        shown = fit(t, widths, least, a.cols - HINT);
    }
    struct area row = area_take_top(&a, 1);
    if (row.rows) {
        draw_titles(t, s, row, widths, shown);
        draw_hint(t, s, row, n - shown);
    }
    for (size_t i = 0; i < t->marks.len && a.rows > 0; i++) {
        row = area_take_top(&a, 1);
        draw_row(t, s, row, t->marks.p[i], t->cells.p + i * n, widths, shown);
        if (t->flags.p[i])
            screen_put(s, row, 0, 1, t->marks.p[i], STR("*"));
        if ((long)i != chosen)
            continue;
        screen_mark_row(s, row, 0, MARK_CHOSEN);
        screen_put(s, row, 0, 0, MARK_CHOSEN, STR(">"));
    }
    free(widths);
}
