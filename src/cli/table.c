/* table.c - tables for people, and output */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/num.h"
#include "base/vec.h"
#include "cli/cli.h"

struct column {
    char *title;
    bool right;
};
struct table {
    VEC(struct column) columns;
    VEC(char *) cells;
};

struct table *table_new(void)
{
    return xcalloc(1, sizeof(struct table));
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->columns.len; i++)
        free(t->columns.p[i].title);
    for (size_t i = 0; i < t->cells.len; i++)
        free(t->cells.p[i]);
    vec_done(&t->columns);
    vec_done(&t->cells);
    free(t);
}

void table_column(struct table *t, const char *title, bool right)
{
    vec_push(&t->columns, ((struct column){xstrdup(title), right}));
}

void table_cell(struct table *t, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < b.len; i++)
        if ((unsigned char)b.p[i] < 32)
            b.p[i] = ' ';
    vec_push(&t->cells, buf_take(&b));
}

void table_number(struct table *t, double v)
{
    struct buf b;
    buf_init(&b);
    if (!isnan(v))
        num_print_short(&b, v, 6);
    vec_push(&t->cells, buf_take(&b));
}

void table_row(struct table *t)
{
    while (t->cells.len % t->columns.len)
        vec_push(&t->cells, xstrdup(""));
}

/* Characters on the screen, close enough: bytes that begin one. */
static size_t width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void print_tabs(struct buf *b, const struct table *t)
{
    size_t n = t->columns.len;
    for (size_t i = 0; i < n; i++)
        buf_addf(b, "%s%c", t->columns.p[i].title, i + 1 < n ? '\t' : '\n');
    for (size_t i = 0; i < t->cells.len; i++)
        buf_addf(b, "%s%c", t->cells.p[i], (i + 1) % n ? '\t' : '\n');
}

/* Cut to at most w characters. */
static void add_cut(struct buf *b, const char *s, size_t w)
{
    size_t n = 0;
    bool cut = width(s) > w;
    for (; *s; s++) {
        bool begins = ((unsigned char)*s & 0xc0) != 0x80;
        if (begins && cut && n + 1 >= w)
            break;
        buf_addc(b, *s);
        n += begins;
    }
    if (cut)
        buf_adds(b, "…");
}

static void print_line(struct buf *b, const struct table *t, char **cells,
                       const size_t *widths, unsigned columns)
{
    size_t used = 0, n = t->columns.len;
    for (size_t i = 0; i < n; i++) {
        size_t w = widths[i];
        if (used + w > columns)
            w = columns > used + 1 ? columns - used : 1;
        const char *s = cells ? cells[i] : t->columns.p[i].title;
        size_t have = width(s) < w ? width(s) : w;
        if (t->columns.p[i].right)
            buf_addf(b, "%*s", (int)(w - have), "");
        add_cut(b, s, w);
        if (!t->columns.p[i].right && i + 1 < n)
            buf_addf(b, "%*s", (int)(w - have), "");
        if (i + 1 < n)
            buf_adds(b, "  ");
        used += w + 2;
        if (used >= columns)
            break;
    }
    buf_addc(b, '\n');
}

static void print_aligned(struct buf *b, const struct table *t,
                          unsigned columns)
{
    size_t n = t->columns.len;
    size_t *widths = xcalloc(n, sizeof(*widths));
    for (size_t i = 0; i < n; i++)
        widths[i] = width(t->columns.p[i].title);
    for (size_t i = 0; i < t->cells.len; i++) {
        size_t w = width(t->cells.p[i]);
        widths[i % n] = w > widths[i % n] ? w : widths[i % n];
    }
    print_line(b, t, NULL, widths, columns);
    for (size_t i = 0; i < t->cells.len; i += n)
        print_line(b, t, t->cells.p + i, widths, columns);
    free(widths);
}

void table_print(const struct table *t, const struct call *c)
{
    struct buf b;
    buf_init(&b);
    if (c->terminal)
        print_aligned(&b, t, c->columns);
    else
        print_tabs(&b, t);
    put(buf_str(&b));
    buf_done(&b);
}

/* ---- output ----------------------------------------------------------- */

void put(struct str text)
{
    while (text.len) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE)
            exit(EXIT_OK);
        if (n < 0) {
            fprintf(stderr, "throng: standard output: %s\n", strerror(errno));
            exit(EXIT_ERROR);
        }
        text = str_n(text.p + n, text.len - (size_t)n);
    }
}

static void to_stderr(void *context, enum log_level level, const char *text)
{
    (void)context;
    (void)level;
    fprintf(stderr, "throng: %s\n", text);
}

struct log log_stderr(void)
{
    return (struct log){.write = to_stderr, .least = LOG_NOTICE};
}
