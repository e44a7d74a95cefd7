/* terminal.c - the full screen of a terminal, through ncurses
 *
 * The only file that knows ncurses. It hands over whole screens; ncurses
 * sends what differs from what is shown. */
#include "watch/terminal.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ESCAPE_WAIT_MS 25

struct terminal {
    SCREEN *screen;
    bool colour;
    bool anew;
};

/* Which colour and which attribute stand for a mark. */
static const struct {
    short colour; /* -1: none */
    attr_t attributes;
} looks[] = {
    [MARK_PLAIN] = {-1, A_NORMAL},       [MARK_TITLE] = {-1, A_BOLD},
    [MARK_FAINT] = {-1, A_DIM},          [MARK_CHOSEN] = {-1, A_REVERSE},
    [MARK_GOOD] = {COLOR_GREEN, 0},      [MARK_BAD] = {COLOR_RED, 0},
    [MARK_CURVE] = {COLOR_CYAN, 0},      [MARK_CURVE_2] = {COLOR_YELLOW, 0},
    [MARK_CURVE_3] = {COLOR_MAGENTA, 0}, [MARK_CURVE_4] = {COLOR_GREEN, 0},
    [MARK_CURVE_5] = {COLOR_BLUE, 0},    [MARK_CURVE_6] = {COLOR_RED, 0},
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

static bool prepare_colours(void)
{
    if (!has_colors() || start_color() == ERR)
        return false;
    short ground = use_default_colors() == ERR ? COLOR_BLACK : -1;
    for (size_t i = 0; i < LOOKS; i++)
        if (looks[i].colour >= 0)
            init_pair((short)(i + 1), looks[i].colour, ground);
    return true;
}

struct terminal *terminal_open(bool colour, struct err *err)
{
    use_env(FALSE);
    use_tioctl(TRUE);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        const char *name = getenv("TERM");
        err_set(err, ERR_SYSTEM, "the terminal `%s` has no full screen",
                name ? name : "");
        return NULL;
    }
    struct terminal *t = xcalloc(1, sizeof(*t));
    t->screen = screen;
    set_term(screen);
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_WAIT_MS);
    curs_set(0);
    t->colour = colour && prepare_colours();
    return t;
}

void terminal_close(struct terminal *t)
{
    if (!t)
        return;
    curs_set(1);
    endwin();
    delscreen(t->screen);
    free(t);
}

void terminal_size(struct terminal *t, int columns, int *rows, int *cols)
{
    struct winsize size;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row &&
        size.ws_col && (size.ws_row != LINES || size.ws_col != COLS)) {
        resizeterm(size.ws_row, size.ws_col);
        t->anew = true;
    }
    *rows = LINES;
    *cols = columns > 0 && columns < COLS ? columns : COLS;
}

static void show_cell(const struct terminal *t, int row, int col,
                      const struct cell *c)
{
    wchar_t text[2] = {c->ch, 0};
    short pair =
        t->colour && looks[c->mark].colour >= 0 ? (short)(c->mark + 1) : 0;
    cchar_t out;
    if (setcchar(&out, text, looks[c->mark].attributes, pair, NULL) == OK)
        mvadd_wch(row, col, &out);
}

void terminal_show(struct terminal *t, const struct screen *s)
{
    if (t->anew)
        clearok(stdscr, TRUE);
    t->anew = false;
    erase();
    for (int row = 0; row < s->rows; row++)
        for (int col = 0; col < s->cols; col++) {
            const struct cell *c =
                &s->cells[(size_t)row * (size_t)s->cols + (size_t)col];
            if (c->ch && (c->ch != L' ' || c->mark))
                show_cell(t, row, col, c);
        }
    refresh();
}

void terminal_refresh(struct terminal *t)
{
    t->anew = true;
}

void terminal_resume(struct terminal *t)
{
    /* Only a change is sent. */
    keypad(stdscr, FALSE);
    keypad(stdscr, TRUE);
    t->anew = true;
}

static int key_of(wint_t code)
{
    static const struct {
        int code, key;
    } keys[] = {
        {KEY_UP, TERMINAL_UP},         {KEY_DOWN, TERMINAL_DOWN},
        {KEY_LEFT, TERMINAL_LEFT},     {KEY_RIGHT, TERMINAL_RIGHT},
        {KEY_PPAGE, TERMINAL_PAGE_UP}, {KEY_NPAGE, TERMINAL_PAGE_DOWN},
        {KEY_HOME, TERMINAL_HOME},     {KEY_END, TERMINAL_END},
        {KEY_BTAB, TERMINAL_BACK_TAB}, {KEY_BACKSPACE, TERMINAL_ERASE},
        {KEY_ENTER, TERMINAL_ENTER},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].code == (int)code)
            return keys[i].key;
    return TERMINAL_OTHER;
}

int terminal_key(struct terminal *t)
{
    wint_t code;
    (void)t;
    int got = get_wch(&code);
    if (got == ERR)
        return TERMINAL_NONE;
    if (got == KEY_CODE_YES)
        return key_of(code);
    switch (code) {
    case '\r':
    case '\n':
        return TERMINAL_ENTER;
    case 8:
    case 127:
        return TERMINAL_ERASE;
    case 27:
        return TERMINAL_ESCAPE;
    default:
        return (int)code;
    }
}
