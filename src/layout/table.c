/* table.c - tables for people */
#include "layout/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/num.h"
#include "base/shown.h"
#include "base/vec.h"
#include "layout/paint.h"

#define GAP 2
#define WIDTH_LEAST 8 /* columns are not cut to less */

struct column {
    char *title;
    bool right;
};
struct table {
    VEC(struct column) columns;
    VEC(char *) cells;
    bool titled; /* the header was printed */
    bool whole;  /* the last column is never cut */
};

struct table *table_new(void)
{
    return xcalloc(1, sizeof(struct table));
}

static void forget_rows(struct table *t)
{
    for (size_t i = 0; i < t->cells.len; i++)
        free(t->cells.p[i]);
    t->cells.len = 0;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->columns.len; i++)
        free(t->columns.p[i].title);
    forget_rows(t);
    vec_done(&t->columns);
    vec_done(&t->cells);
    free(t);
}

/* Measured as it will be shown; yours to free. */
static char *one_line(const char *text)
{
    struct buf b;
    buf_init(&b);
    shown_add(&b, str_of(text));
    for (size_t i = 0; i < b.len; i++)
        if (b.p[i] == '\n' || b.p[i] == '\t')
            b.p[i] = ' ';
    return buf_take(&b);
}

void table_column(struct table *t, const char *title, bool right)
{
    vec_push(&t->columns, ((struct column){one_line(title), right}));
}

void table_whole(struct table *t)
{
    t->whole = true;
}

void table_cell(struct table *t, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    vec_push(&t->cells, one_line(b.p));
    buf_done(&b);
}

void table_number(struct table *t, double v, int digits)
{
    struct buf b;
    buf_init(&b);
    if (!isnan(v) && digits)
        num_print_short(&b, v, digits);
    else if (!isnan(v))
        num_print(&b, v);
    vec_push(&t->cells, buf_take(&b));
}

void table_row(struct table *t)
{
    while (t->cells.len % t->columns.len)
        vec_push(&t->cells, xstrdup(""));
}

static size_t width(const char *s)
{
    return shown_width(str_of(s));
}

/* Cut to at most w characters. */
static void add_cut(struct buf *b, const char *s, size_t w)
{
    size_t n = 0;
    bool cut = width(s) > w;
    for (; *s; s++) {
        bool begins = shown_begins(*s);
        if (begins && cut && n + 1 >= w)
            break;
        buf_addc(b, *s);
        n += begins;
    }
    if (cut)
        buf_adds(b, "…");
}

/* Numbers are never cut: half of 1.25e-05 is another number. */
static bool is_number(const char *s)
{
    double v;
    return num_double(str_of(s), &v);
}

/* How narrow each column may become. */
static void find_least(const struct table *t, const size_t *widths,
                       size_t *least)
{
    size_t n = t->columns.len;
    for (size_t i = 0; i < n; i++)
        least[i] = widths[i] < WIDTH_LEAST ? widths[i] : WIDTH_LEAST;
    for (size_t i = 0; i < t->cells.len; i++) {
        size_t w = width(t->cells.p[i]);
        if (w > least[i % n] && is_number(t->cells.p[i]))
            least[i % n] = w;
    }
}

/* Narrows the widest columns until the line fits. Gives the number of columns
 * that do fit then; the rest is left out. */
static size_t fit(size_t *widths, const size_t *least, size_t n,
                  unsigned columns)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += widths[i] + (i ? GAP : 0);
    while (total > columns) {
        size_t widest = n;
        for (size_t i = 0; i < n; i++)
            if (widths[i] > least[i] &&
                (widest == n || widths[i] > widths[widest]))
                widest = i;
        if (widest == n)
            break;
        widths[widest]--;
        total--;
    }
    for (; n > 1 && total > columns; n--)
        total -= widths[n - 1] + GAP;
    return n;
}

/* Titles are bold, states have their colours. */
static const char *colour_of(const char *text, bool title)
{
    return title ? PAINT_BOLD : paint_of_state(str_of(text));
}

/* How a table is laid out on a terminal. */
struct layout {
    const struct table *table;
    size_t *widths;
    size_t shown; /* columns */
    bool colour;
};

static void print_line(struct buf *b, const struct layout *l,
                       const char *const *cells, bool title)
{
    for (size_t i = 0; i < l->shown; i++) {
        const struct column *column = &l->table->columns.p[i];
        const char *s = cells[i];
        size_t w = l->widths[i], have = width(s) < w ? width(s) : w;
        int blanks = (int)(w - have);
        if (i)
            buf_addf(b, "%*s", GAP, "");
        if (column->right)
            buf_addf(b, "%*s", blanks, "");
        const char *paint = l->colour ? colour_of(s, title) : NULL;
        buf_adds(b, paint ? paint : "");
        add_cut(b, s, w);
        buf_adds(b, paint ? PAINT_END : "");
        if (!column->right && i + 1 < l->shown)
            buf_addf(b, "%*s", blanks, "");
    }
    buf_addc(b, '\n');
}

static void print_titles(struct buf *b, const struct layout *l)
{
    struct arena *a = arena_new();
    const char **titles = arena_array(a, l->shown, sizeof(*titles));
    for (size_t i = 0; i < l->shown; i++)
        titles[i] = l->table->columns.p[i].title;
    print_line(b, l, titles_fit(a, titles, l->widths, l->shown), true);
    arena_free(a);
}

/* What a narrow terminal does not show is said. */
static void print_left_out(struct buf *b, const struct table *t, size_t shown,
                           unsigned columns)
{
    struct buf names;
    size_t n = t->columns.len - shown;
    buf_init(&names);
    buf_addf(&names, "… and %zu more column%s", n, n == 1 ? "" : "s");
    size_t least = names.len;
    for (size_t i = shown; i < t->columns.len; i++)
        buf_addf(&names, "%s%s", i > shown ? ", " : ": ",
                 t->columns.p[i].title);
    if (width(names.p) > columns)
        names.p[least] = 0;
    buf_addf(b, "%s\n", names.p);
    buf_done(&names);
}

/* As wide as what is in them. */
static void measure(const struct table *t, size_t *widths)
{
    size_t n = t->columns.len;
    for (size_t i = 0; i < n; i++)
        widths[i] = width(t->columns.p[i].title);
    for (size_t i = 0; i < t->cells.len; i++) {
        size_t w = width(t->cells.p[i]);
        widths[i % n] = w > widths[i % n] ? w : widths[i % n];
    }
}

static void print_rows(struct buf *b, struct layout *l, unsigned columns)
{
    const struct table *t = l->table;
    size_t n = t->columns.len;
    if (!t->titled)
        print_titles(b, l);
    for (size_t i = 0; i < t->cells.len; i += n)
        print_line(b, l, (const char *const *)t->cells.p + i, false);
    if (l->shown < n)
        print_left_out(b, t, l->shown, columns);
}

static void end_piece(struct table *t)
{
    t->titled = true;
    forget_rows(t);
}

void table_align(struct table *t, struct buf *b, unsigned columns, bool colour)
{
    size_t n = t->columns.len;
    size_t *widths = xcalloc(2 * n, sizeof(*widths)), *least = widths + n;
    struct layout l = {.table = t, .widths = widths, .colour = colour};
    measure(t, widths);
    find_least(t, widths, least);
    size_t last = widths[n - 1];
    if (t->whole)
        widths[n - 1] = least[n - 1] = 0;
    l.shown = fit(widths, least, n, columns);
    if (t->whole)
        widths[n - 1] = last;
    print_rows(b, &l, columns);
    free(widths);
    end_piece(t);
}

void table_tabs(struct table *t, struct buf *b)
{
    size_t n = t->columns.len;
    for (size_t i = 0; i < n && !t->titled; i++)
        buf_addf(b, "%s%c", t->columns.p[i].title, i + 1 < n ? '\t' : '\n');
    for (size_t i = 0; i < t->cells.len; i++)
        buf_addf(b, "%s%c", t->cells.p[i], (i + 1) % n ? '\t' : '\n');
    end_piece(t);
}
