/* terminal.h - the full screen of a terminal, through ncurses */
#ifndef THRONG_WATCH_TERMINAL_H
#define THRONG_WATCH_TERMINAL_H

#include "base/err.h"
#include "watch/screen.h"

/* Keys that are no characters. */
enum terminal_key {
    TERMINAL_NONE = -1, /* no key is waiting */
    TERMINAL_UP = 0x200000,
    TERMINAL_DOWN,
    TERMINAL_LEFT,
    TERMINAL_RIGHT,
    TERMINAL_PAGE_UP,
    TERMINAL_PAGE_DOWN,
    TERMINAL_HOME,
    TERMINAL_END,
    TERMINAL_BACK_TAB,
    TERMINAL_ERASE,
    TERMINAL_ENTER,
    TERMINAL_ESCAPE,
    TERMINAL_OTHER,
};

struct terminal;

/* Takes the whole screen; the caller watches SIGWINCH and SIGINT already, so
 * that ncurses leaves them alone. NULL when this terminal cannot do it. */
struct terminal *terminal_open(bool colour, struct err *err);
void terminal_close(struct terminal *t); /* gives the screen back */
/* The size now, of which `columns` (COLUMNS; 0: none) may be a part. */
void terminal_size(struct terminal *t, int columns, int *rows, int *cols);
void terminal_show(struct terminal *t, const struct screen *s);
/* A character, one of enum terminal_key, or TERMINAL_NONE. */
int terminal_key(struct terminal *t);
/* After the program was stopped and goes on: the terminal may have forgotten
 * which keys it is to send. */
void terminal_resume(struct terminal *t);
/* Draws everything anew with the next terminal_show. */
void terminal_refresh(struct terminal *t);

#endif
