/* screen.h - a screenful of characters, before it goes to a terminal
 *
 * Everything is drawn into areas and cut at their edges, so nothing can be
 * wider than the screen. The same screen is shown by ncurses or printed as
 * plain lines. */
#ifndef THRONG_WATCH_SCREEN_H
#define THRONG_WATCH_SCREEN_H

#include <wchar.h>
#include "base/buf.h"

/* What a piece of text is; it never says anything that the text does not. */
enum mark {
    MARK_PLAIN,
    MARK_TITLE,
    MARK_FAINT,
    MARK_CHOSEN,
    MARK_GOOD,
    MARK_BAD,
    MARK_CURVE,
    MARK_CURVE_2, /* of several in one chart */
    MARK_CURVE_3,
    MARK_CURVE_4,
    MARK_CURVE_5,
    MARK_CURVE_6,
};

struct cell {
    wchar_t ch; /* 0: the right half of a wide character */
    enum mark mark;
};

struct screen {
    int rows, cols;
    bool utf8; /* what is not ASCII can be shown */
    struct cell *cells;
};

struct area {
    int row, col, rows, cols;
};

/* Takes the encoding from the environment; true when it is UTF-8. */
bool screen_encoding(void);

void screen_init(struct screen *s, int rows, int cols, bool utf8);
void screen_done(struct screen *s);
struct area screen_all(const struct screen *s);
/* Takes so many rows off the top or the bottom, columns off the right. */
struct area area_take_top(struct area *a, int rows);
struct area area_take_bottom(struct area *a, int rows);
struct area area_take_right(struct area *a, int cols);

/* Writes at row and column of the area; gives the column behind the text.
 * Control characters and what cannot be shown become blanks or '?'. */
int screen_put(struct screen *s, struct area a, int row, int col,
               enum mark mark, struct str text);
int screen_printf(struct screen *s, struct area a, int row, int col,
                  enum mark mark, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* The same so that it ends at the right edge. */
void screen_put_right(struct screen *s, struct area a, int row, enum mark mark,
                      struct str text);
void screen_char(struct screen *s, struct area a, int row, int col,
                 enum mark mark, wchar_t ch);
/* Marks a whole row of the area. */
void screen_mark_row(struct screen *s, struct area a, int row, enum mark mark);
/* Columns that a text takes. */
int screen_width(const struct screen *s, struct str text);
/* Copies rows of another screen, from its row `from` on, into an area. */
void screen_copy(struct screen *s, struct area a, const struct screen *other,
                 int from);
/* Adds a character as UTF-8. */
void screen_encode(struct buf *b, wchar_t ch);
/* Plain lines without blanks at their ends; empty lines at the end are left
 * out. */
void screen_print(const struct screen *s, struct buf *b);

#endif
