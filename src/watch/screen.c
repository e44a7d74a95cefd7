/* screen.c - a screenful of characters, before it goes to a terminal */
#include "watch/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include "base/err.h"

void screen_init(struct screen *s, int rows, int cols, bool utf8)
{
    *s = (struct screen){.rows = rows, .cols = cols, .utf8 = utf8};
    size_t all = (size_t)rows * (size_t)cols;
    s->cells = xcalloc(all ? all : 1, sizeof(*s->cells));
    for (size_t i = 0; i < all; i++)
        s->cells[i].ch = L' ';
}

void screen_done(struct screen *s)
{
    free(s->cells);
    s->cells = NULL;
}

/* ---- the encoding ----------------------------------------------------- */

static bool says_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *v = getenv(names[i]);
        if (v && *v)
            return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    }
    return false;
}

/* Only for characters: numbers look the same in every locale. A locale that
 * is asked for but not installed may still have told the encoding. */
bool screen_encoding(void)
{
    if (!setlocale(LC_CTYPE, "") && says_utf8())
        setlocale(LC_CTYPE, "C.UTF-8");
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* ---- areas ------------------------------------------------------------ */

struct area screen_all(const struct screen *s)
{
    return (struct area){0, 0, s->rows, s->cols};
}

static int at_most(int n, int most)
{
    return n < 0 ? 0 : n < most ? n : most;
}

struct area area_take_top(struct area *a, int rows)
{
    struct area part = *a;
    part.rows = at_most(rows, a->rows);
    a->row += part.rows;
    a->rows -= part.rows;
    return part;
}

struct area area_take_bottom(struct area *a, int rows)
{
    struct area part = *a;
    part.rows = at_most(rows, a->rows);
    part.row = a->row + a->rows - part.rows;
    a->rows -= part.rows;
    return part;
}

struct area area_take_right(struct area *a, int cols)
{
    struct area part = *a;
    part.cols = at_most(cols, a->cols);
    part.col = a->col + a->cols - part.cols;
    a->cols -= part.cols;
    return part;
}

/* ---- text ------------------------------------------------------------- */

static wchar_t decode(const char *p, size_t len)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    wchar_t ch = (unsigned char)p[0] & first[len];
    for (size_t i = 1; i < len; i++)
        ch = (wchar_t)(ch << 6 | ((unsigned char)p[i] & 0x3f));
    return ch;
}

/* The next character as it will be shown, with its columns; 0: it takes
 * none and is left out. */
static int next_shown(const struct screen *s, struct str *rest, wchar_t *ch)
{
    size_t len = str_utf8_next(*rest);
    *ch = len ? decode(rest->p, len) : L'?';
    len = len ? len : 1;
    *rest = str_n(rest->p + len, rest->len - len);
    if (*ch < 32 || *ch == 127)
        *ch = L' ';
    if (*ch < 127)
        return 1;
    if (!s->utf8) {
        *ch = *ch == 0x2026 ? L'~' : L'?';
        return 1;
    }
    int width = wcwidth(*ch);
    if (width >= 0)
        return width;
    *ch = L'?';
    return 1;
}

int screen_width(const struct screen *s, struct str text)
{
    int n = 0;
    wchar_t ch;
    while (text.len)
        n += next_shown(s, &text, &ch);
    return n;
}

/* NULL when it is outside of the area or the screen. */
static struct cell *cell_at(struct screen *s, struct area a, int row, int col)
{
    if (row < 0 || row >= a.rows || col < 0 || col >= a.cols)
        return NULL;
    row += a.row;
    col += a.col;
    if (row < 0 || row >= s->rows || col < 0 || col >= s->cols)
        return NULL;
    return &s->cells[(size_t)row * (size_t)s->cols + (size_t)col];
}

void screen_char(struct screen *s, struct area a, int row, int col,
                 enum mark mark, wchar_t ch)
{
    struct cell *c = cell_at(s, a, row, col);
    if (c)
        *c = (struct cell){ch, mark};
}

int screen_put(struct screen *s, struct area a, int row, int col,
               enum mark mark, struct str text)
{
    wchar_t ch;
    while (text.len) {
        int width = next_shown(s, &text, &ch);
        if (!width)
            continue;
        /* Half of a wide character cannot be shown. */
        if (col + width > a.cols)
            ch = L' ';
        screen_char(s, a, row, col, mark, ch);
        if (width == 2)
            screen_char(s, a, row, col + 1, mark, ch == L' ' ? L' ' : 0);
        col += width;
    }
    return col;
}

int screen_printf(struct screen *s, struct area a, int row, int col,
                  enum mark mark, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    col = screen_put(s, a, row, col, mark, buf_str(&b));
    buf_done(&b);
    return col;
}

void screen_put_right(struct screen *s, struct area a, int row, enum mark mark,
                      struct str text)
{
    int col = a.cols - screen_width(s, text);
    screen_put(s, a, row, col < 0 ? 0 : col, mark, text);
}

void screen_mark_row(struct screen *s, struct area a, int row, enum mark mark)
{
    for (int col = 0; col < a.cols; col++) {
        struct cell *c = cell_at(s, a, row, col);
        if (c)
            c->mark = mark;
    }
}

void screen_copy(struct screen *s, struct area a, const struct screen *other,
                 int from)
{
    for (int row = 0; row < a.rows && from + row < other->rows; row++)
        for (int col = 0; col < a.cols && col < other->cols; col++) {
            const struct cell *c =
                &other->cells[(size_t)(from + row) * (size_t)other->cols +
                              (size_t)col];
            screen_char(s, a, row, col, c->mark, c->ch);
        }
}

/* ---- plain lines ------------------------------------------------------ */

void screen_encode(struct buf *b, wchar_t ch)
{
    unsigned c = (unsigned)ch;
    if (c < 0x80) {
        buf_addc(b, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    unsigned lead = more == 1 ? 0xc0u : more == 2 ? 0xe0u : 0xf0u;
    buf_addc(b, (char)(lead | c >> (6 * more)));
    while (more-- > 0)
        buf_addc(b, (char)(0x80u | (c >> (6 * more) & 0x3fu)));
}

void screen_print(const struct screen *s, struct buf *b)
{
    size_t end = b->len;
    for (int row = 0; row < s->rows; row++) {
        size_t begin = b->len, line_end = begin;
        for (int col = 0; col < s->cols; col++) {
            const struct cell *c =
                &s->cells[(size_t)row * (size_t)s->cols + (size_t)col];
            if (c->ch)
                screen_encode(b, c->ch);
            if (c->ch && c->ch != L' ')
                line_end = b->len;
        }
        b->len = line_end;
        buf_addc(b, '\n');
        if (line_end > begin)
            end = b->len;
    }
    b->len = end;
    b->p[end] = 0;
}
