/* live.c - the block below the progress line of `run`
 *
 * It reads the store as `watch` does, on a connection of its own, so the
 * conductor need not know what is shown of it. */
#include "watch/watch.h"

#include <stdlib.h>
#include <time.h>
#include "sys/sys.h"
#include "watch/sight.h"

#define ROWS_LEAST 20 /* of the terminal */
#define COLUMNS_LEAST 20
#define RUNNING_MOST 6
#define RATE_MOST 10.0 /* trials per second from which none is listed */
#define READ_GAP_NS 1000000000
#define REST_FACTOR 50 /* reading takes at most one part in so many */
#define DIGITS 6

struct live_block {
    struct watcher *watcher;
    struct look *look; /* the last one, or NULL */
    int64_t next_ns;   /* when to read again */
    bool utf8;
    struct buf text; /* as it was last drawn */
    unsigned lines, columns;
};

/* The store is locked where only the conductor can read it. */
static bool readable(const char *folder)
{
    const char *assume = getenv("THRONG_ASSUME_NETWORK");
    return !(assume && !strcmp(assume, "1")) && !path_is_network(folder);
}

static bool can_move(void)
{
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb");
}

struct live_block *live_block_new(const char *folder)
{
    if (!can_move() || !readable(folder))
        return NULL;
    struct live_block *l = xcalloc(1, sizeof(*l));
    l->watcher = watcher_new(folder);
    l->utf8 = screen_encoding();
    buf_init(&l->text);
    return l;
}

void live_block_free(struct live_block *l)
{
    if (!l)
        return;
    look_free(l->look);
    watcher_free(l->watcher);
    buf_done(&l->text);
    free(l);
}

static void read_anew(struct live_block *l, double rate)
{
    struct want want = {.list = LIST_BEST, .scan_s = -1};
    want.rows[LIST_BEST] = 1;
    want.rows[LIST_RUNNING] = rate < RATE_MOST ? RUNNING_MOST : 0;
    clock_t begin = clock();
    struct look *look = watcher_look(l->watcher, &want, NULL);
    int64_t cost_ns = (int64_t)(clock() - begin) * 1000000000 / CLOCKS_PER_SEC;
    int64_t rest_ns = REST_FACTOR * cost_ns;
    l->next_ns =
        clock_mono_ns() + (rest_ns > READ_GAP_NS ? rest_ns : READ_GAP_NS);
    look_free(l->look);
    l->look = look;
}

/* ---- the table -------------------------------------------------------- */

static void add_row(struct sheet *t, const struct look_row *r,
                    const struct look *l, const struct point_columns *columns)
{
    bool running = r->t.state == STATE_RUNNING;
    sheet_cell(t, "%s", running ? "running" : "best");
    sheet_cell(t, "%lld", (long long)r->t.id);
    if (l->goal.name.len) {
        sheet_number(t, r->value, DIGITS);
        if (r->step >= 0)
            sheet_cell(t, "%lld", (long long)r->step);
        else
            sheet_cell(t, "%s", "");
    }
    sheet_cell(t, "%s",
               running ? print_span(l->arena, r->since, clock_wall())
                       : print_span(l->arena, 1, 1 + r->t.seconds));
    sheet_params(t, columns, r->point);
    sheet_row(t, MARK_PLAIN);
}

static size_t pick_rows(const struct look *l, struct look_row *rows)
{
    size_t n = 0;
    if (l->goal.name.len && l->lists[LIST_BEST].count)
        rows[n++] = l->lists[LIST_BEST].rows[0];
    for (size_t i = 0; i < l->lists[LIST_RUNNING].count; i++)
        rows[n++] = l->lists[LIST_RUNNING].rows[i];
    return n;
}

static void draw(const struct look *l, struct screen *s,
                 const struct look_row *rows, size_t count)
{
    struct sheet t;
    struct point_columns columns;
    sheet_init(&t, l->arena);
    point_columns_init(&columns, l->arena);
    rows_params(&columns, l, rows, count);
    sheet_column(&t, "", false);
    sheet_column(&t, "trial", true);
    if (l->goal.name.len) {
        sheet_column(&t, arena_cstr(l->arena, l->goal.name), true);
        sheet_column(&t, "step", true);
    }
    sheet_column(&t, "for", true);
    for (size_t i = 0; i < columns.names.len; i++)
        sheet_column(&t, arena_cstr(l->arena, columns.names.p[i]), true);
    for (size_t i = 0; i < count; i++)
        add_row(&t, &rows[i], l, &columns);
    sheet_draw(&t, s, screen_all(s), -1);
    point_columns_done(&columns);
    sheet_done(&t);
}

/* "… and 12 more", in the row below the table. */
static void draw_more(const struct look *l, struct screen *s, size_t count)
{
    int64_t more = l->counts.by_state[STATE_RUNNING] - RUNNING_MOST;
    if (more > 0 && l->lists[LIST_RUNNING].count == RUNNING_MOST)
        screen_printf(s, screen_all(s), (int)count + 1, 2, MARK_PLAIN,
                      "… and %lld more", (long long)more);
}

static void print_lines(struct live_block *l, const struct screen *s)
{
    struct buf text;
    buf_init(&text);
    screen_print(s, &text);
    struct str rest = buf_str(&text), line;
    while (rest.len && str_split(&rest, '\n', &line)) {
        buf_addf(&l->text, "\n%.*s\033[K", STRF(line));
        l->lines++;
    }
    buf_done(&text);
}

static void print_anew(struct live_block *l)
{
    struct look_row rows[RUNNING_MOST + 1];
    struct screen s;
    size_t count = l->look && l->look->begun ? pick_rows(l->look, rows) : 0;
    buf_reset(&l->text);
    l->lines = 0;
    if (!count)
        return;
    screen_init(&s, (int)count + 2, (int)l->columns - 1, l->utf8);
    draw(l->look, &s, rows, count);
    draw_more(l->look, &s, count);
    print_lines(l, &s);
    screen_done(&s);
}

unsigned live_block_print(struct live_block *l, struct buf *b, unsigned rows,
                          unsigned columns, double rate)
{
    if (rows < ROWS_LEAST || columns < COLUMNS_LEAST)
        return 0;
    bool due = clock_mono_ns() >= l->next_ns;
    if (due)
        read_anew(l, rate);
    if (due || columns != l->columns) {
        l->columns = columns;
        print_anew(l);
    }
    buf_addstr(b, buf_str(&l->text));
    return l->lines;
}
