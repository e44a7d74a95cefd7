/* watch.c - a study on the full screen while it runs
 *
 * It only reads, so it can come and go as it likes: the study neither knows
 * nor waits. */
#include "watch/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/num.h"
#include "sys/sys.h"
#include "watch/sight.h"
#include "watch/terminal.h"

#define REFRESH_S 0.5
#define REFRESH_MOST_S 10.0
#define REST_FACTOR 20 /* reading takes at most one part in so many */
#define SCAN_S 0.02    /* for gathering what needs all trials, each time */
#define PRINT_SCAN_S 0.04
#define PRINT_ROWS 46
#define CHOSEN_MAX 10000
#define TYPED_MAX 500

struct watch {
    struct arena *arena; /* for one filter */
    struct loop *loop;
    struct loop_source *timer;
    struct terminal *terminal;
    struct watcher *watcher;
    struct look *look; /* the last good one, or NULL */
    struct sight sight;
    bool utf8;
    int columns; /* COLUMNS; 0: not set */
    int rows, cols;
    char *filter, *by, *metric; /* what sight.want points to */
    struct buf typed;
    bool typing;
    struct err err;   /* of the last look */
    struct err wrong; /* with the filter being typed; text empty: nothing */
};

/* ---- reading and drawing ---------------------------------------------- */

/* The cursor stays within what there is, and within what is shown. */
static void mind_cursor(struct watch *w)
{
    struct want *want = &w->sight.want;
    size_t *from = &want->from[want->list];
    size_t rows = sight_list_rows(&w->sight, w->rows, w->cols);
    if (want->chosen > CHOSEN_MAX)
        want->chosen = CHOSEN_MAX;
    if (want->chosen < *from)
        *from = want->chosen;
    else if (rows && want->chosen >= *from + rows)
        *from = want->chosen - rows + 1;
}

/* True when the list turned out to be shorter than the cursor hoped. */
static bool came_too_far(struct watch *w)
{
    struct want *want = &w->sight.want;
    size_t from = want->from[want->list];
    size_t count = w->look->lists[want->list].count;
    if (w->sight.pane == PANE_CURVES || want->chosen < from + count ||
        !want->chosen)
        return false;
    if (count || !from) {
        want->chosen = count ? from + count - 1 : 0;
        return false;
    }
    /* Beyond the end nothing was read: a page back there may be rows. */
    size_t rows = sight_list_rows(&w->sight, w->rows, w->cols);
    want->chosen = from - 1;
    want->from[want->list] = from > rows ? from - rows : 0;
    return true;
}

static void look(struct watch *w, double scan_s)
{
    struct look *l;
    w->sight.want.scan_s = scan_s;
    do {
        mind_cursor(w);
        sight_plan(&w->sight, w->rows, w->cols);
        w->err = (struct err){0};
        l = watcher_look(w->watcher, &w->sight.want, &w->err);
        if (!l)
            break;
        look_free(w->look);
        w->look = l;
    } while (came_too_far(w));
    w->sight.no_curves = w->look && w->look->begun && !w->look->metric;
    w->sight.message = l ? NULL : w->err.text;
}

static void draw(struct watch *w)
{
    struct screen s;
    screen_init(&s, w->rows, w->cols, w->utf8);
    w->sight.prompt = w->typing ? "filter: " : NULL;
    w->sight.typed = w->typed.p;
    w->sight.wrong = w->typing && *w->wrong.text ? w->wrong.text : NULL;
    sight_draw(&w->sight, w->look, &s);
    terminal_show(w->terminal, &s);
    screen_done(&s);
}

static void on_timer(void *context)
{
    struct watch *w = context;
    /* Processor time: that others keep the machine busy is no cost of ours. */
    clock_t begin = clock();
    look(w, SCAN_S);
    draw(w);
    double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    double rest = (took - SCAN_S) * REST_FACTOR;
    loop_timer_in(w->timer, rest < REFRESH_S        ? REFRESH_S
                            : rest < REFRESH_MOST_S ? rest
                                                    : REFRESH_MOST_S);
}

static void on_resize(void *context, int signum)
{
    struct watch *w = context;
    (void)signum;
    terminal_size(w->terminal, w->columns, &w->rows, &w->cols);
    look(w, 0);
    draw(w);
}

static void on_continue(void *context, int signum)
{
    struct watch *w = context;
    terminal_resume(w->terminal);
    on_resize(w, signum);
}

static void on_end(void *context, int signum)
{
    struct watch *w = context;
    (void)signum;
    loop_stop(w->loop);
}

/* ---- sorting ---------------------------------------------------------- */

/* All that the best can be sorted by: as `rank` does first. */
static const char **sort_keys(struct watch *w, size_t *count)
{
    const struct look *l = w->look;
    struct point_columns columns;
    size_t n = 0, metrics = 0;
    point_columns_init(&columns, l->arena);
    for (size_t i = 0; i < l->lists[LIST_BEST].count; i++)
        point_columns_add(&columns, l->lists[LIST_BEST].rows[i].point);
    point_columns_order(&columns, l->written, l->written_count);
    while (l->metrics && l->metrics[metrics])
        metrics++;
    const char **keys =
        arena_array(l->arena, columns.names.len + metrics + 5, sizeof(*keys));
    if (l->goal.name.len)
        keys[n++] = "value";
    keys[n++] = "trial";
    keys[n++] = "seconds";
    keys[n++] = "started";
    for (size_t i = 0; i < metrics; i++)
        if (!str_is(l->goal.name, l->metrics[i]))
            keys[n++] = l->metrics[i];
    for (size_t i = 0; i < columns.names.len; i++)
        keys[n++] = arena_cstr(l->arena, columns.names.p[i]);
    point_columns_done(&columns);
    *count = n;
    return keys;
}

static void next_sort(struct watch *w, bool back)
{
    size_t count, at = 0;
    if (!w->look || !w->look->begun)
        return;
    const char **keys = sort_keys(w, &count);
    for (size_t i = 0; w->by && i < count; i++)
        if (!strcmp(keys[i], w->by))
            at = i;
    at = (at + (back ? count - 1 : 1)) % count;
    free(w->by);
    w->by = at ? xstrdup(keys[at]) : NULL;
    w->sight.want.by = w->by;
    w->sight.want.chosen = 0;
}

/* ---- what is drawn ---------------------------------------------------- */

static void next_metric(struct watch *w, bool back)
{
    const struct look *l = w->look;
    size_t count = 0, at = 0;
    while (l && l->begun && l->metrics[count])
        count++;
    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        if (l->metric && !strcmp(l->metrics[i], l->metric))
            at = i;
    at = (at + (back ? count - 1 : 1)) % count;
    char *name = xstrdup(l->metrics[at]);
    free(w->metric);
    w->metric = name;
    w->sight.want.metric = name;
}

/* Into the chart, or out of it; when it is full the oldest one goes. */
static void compare(struct watch *w)
{
    struct want *want = &w->sight.want;
    int64_t trial = want->trial ? want->trial : w->look ? w->look->drawn : 0;
    size_t at = 0, n = want->compared_count;
    if (!trial)
        return;
    while (at < n && want->compared[at] != trial)
        at++;
    bool out = at < n;
    if (!out && n == COMPARED_MAX)
        at = 0;
    if (out || n == COMPARED_MAX) {
        memmove(want->compared + at, want->compared + at + 1,
                (n - at - 1) * sizeof(want->compared[0]));
        n--;
    }
    if (!out)
        want->compared[n++] = trial;
    want->compared_count = n;
}

static void shift_columns(struct watch *w, bool back)
{
    size_t *shift = &w->sight.shift;
    if (back)
        *shift -= *shift > 0;
    else
        *shift += 1; /* drawing scrolls back what is too far */
}

/* ---- keys ------------------------------------------------------------- */

static void go_to_pane(struct watch *w, enum pane pane)
{
    struct want *want = &w->sight.want;
    w->sight.pane = pane;
    want->list = pane == PANE_CURVES ? LIST_BEST : (enum look_list)pane;
    want->trial = 0;
    want->chosen = 0;
    for (int i = 0; i < LIST_COUNT; i++)
        want->from[i] = 0;
}

/* What is wrong with it, its names included, is left in w->wrong. */
static void set_filter(struct watch *w)
{
    struct str text = str_trim(buf_str(&w->typed));
    arena_reset(w->arena);
    char *filter = text.len ? arena_cstr(w->arena, text) : NULL;
    if (filter && watcher_check_filter(w->watcher, filter, w->arena, &w->wrong))
        return;
    w->typing = false;
    free(w->filter);
    w->filter = filter ? xstrdup(filter) : NULL;
    w->sight.want.filter = w->filter;
    w->sight.want.chosen = 0;
}

static void add_typed(struct watch *w, int key)
{
    if (key >= 32 && key < 0x110000 && w->typed.len < TYPED_MAX)
        screen_encode(&w->typed, (wchar_t)key);
}

static void erase_typed(struct watch *w)
{
    struct buf *b = &w->typed;
    while (b->len && ((unsigned char)b->p[b->len - 1] & 0xc0) == 0x80)
        b->len--;
    b->len -= b->len > 0;
    b->p[b->len] = 0;
}

/* A wrong filter stays, with what is wrong, until it is put right. */
static void type_key(struct watch *w, int key)
{
    w->wrong = (struct err){0};
    switch (key) {
    case TERMINAL_ENTER:
        set_filter(w);
        break;
    case TERMINAL_ESCAPE:
        w->typing = false;
        break;
    case TERMINAL_ERASE:
        erase_typed(w);
        break;
    case 'u' & 0x1f:
        buf_reset(&w->typed);
        break;
    default:
        add_typed(w, key);
    }
}

static void begin_filter(struct watch *w)
{
    buf_reset(&w->typed);
    buf_adds(&w->typed, w->filter ? w->filter : "");
    w->typing = true;
}

static void enter_trial(struct watch *w)
{
    struct want *want = &w->sight.want;
    size_t from = want->from[want->list];
    if (!w->look || !w->look->begun || want->chosen < from)
        return;
    if (w->sight.pane == PANE_CURVES)
        want->trial = w->look->drawn;
    else if (want->chosen - from < w->look->lists[want->list].count)
        want->trial = w->look->lists[want->list].rows[want->chosen - from].t.id;
    w->sight.scroll = 0;
}

/* Keys that came just before may have gone to another list. */
static void choose_trial(struct watch *w)
{
    look(w, 0);
    enter_trial(w);
}

static void move_by(struct watch *w, long by)
{
    size_t *at = w->sight.want.trial ? &w->sight.scroll : &w->sight.want.chosen;
    *at = by < 0 && *at < (size_t)-by ? 0 : *at + (size_t)by;
}

static bool move_key(struct watch *w, int key)
{
    long page = (long)sight_list_rows(&w->sight, w->rows, w->cols);
    page = page > 1 ? page : 1;
    switch (key) {
    case TERMINAL_UP:
    case 'k':
        move_by(w, -1);
        return true;
    case TERMINAL_DOWN:
    case 'j':
        move_by(w, 1);
        return true;
    case TERMINAL_PAGE_UP:
        move_by(w, -page);
        return true;
    case TERMINAL_PAGE_DOWN:
    case ' ':
        move_by(w, page);
        return true;
    case TERMINAL_HOME:
    case 'g':
        move_by(w, -CHOSEN_MAX);
        return true;
    case TERMINAL_END:
    case 'G':
        move_by(w, CHOSEN_MAX);
        return true;
    default:
        return false;
    }
}

static bool pane_key(struct watch *w, int key)
{
    enum pane pane = w->sight.pane;
    if (key >= '1' && key < '1' + PANE_COUNT)
        go_to_pane(w, (enum pane)(key - '1'));
    else if (key == '\t' || key == TERMINAL_RIGHT)
        go_to_pane(w, (enum pane)((pane + 1) % PANE_COUNT));
    else if (key == TERMINAL_BACK_TAB || key == TERMINAL_LEFT)
        go_to_pane(w, (enum pane)((pane + PANE_COUNT - 1) % PANE_COUNT));
    else
        return false;
    return true;
}

static void go_back(struct watch *w)
{
    if (w->sight.help)
        w->sight.help = false;
    else
        w->sight.want.trial = 0;
}

static void command_key(struct watch *w, int key)
{
    switch (key) {
    case 'q':
    case 'c' & 0x1f:
        loop_stop(w->loop);
        break;
    case '?':
    case 'h':
        w->sight.help = !w->sight.help;
        break;
    case TERMINAL_ESCAPE:
    case TERMINAL_ERASE:
        go_back(w);
        break;
    case TERMINAL_ENTER:
        if (w->sight.want.trial || w->sight.help)
            go_back(w);
        else
            choose_trial(w);
        break;
    case '/':
        begin_filter(w);
        break;
    case 's':
    case 'S':
        next_sort(w, key == 'S');
        break;
    case 'm':
    case 'M':
        next_metric(w, key == 'M');
        break;
    case 'x':
        look(w, 0); /* keys just before may have gone to another trial */
        compare(w);
        break;
    case 'X':
        w->sight.want.compared_count = 0;
        break;
    case '<':
    case '>':
        shift_columns(w, key == '<');
        break;
    case 'r':
        w->sight.want.reverse = !w->sight.want.reverse;
        break;
    case 'l' & 0x1f:
        terminal_refresh(w->terminal);
        break;
    default:
        break;
    }
}

static void on_key(struct watch *w, int key)
{
    if (w->typing) {
        type_key(w, key);
        return;
    }
    if (w->sight.help && key != 'q')
        w->sight.help = false;
    else if (!move_key(w, key) && !pane_key(w, key))
        command_key(w, key);
}

static void on_keys(void *context, int fd, unsigned what)
{
    struct watch *w = context;
    int key, keys = 0;
    (void)fd;
    (void)what;
    while ((key = terminal_key(w->terminal)) != TERMINAL_NONE) {
        on_key(w, key);
        keys++;
    }
    /* Readable, but nothing to read: the terminal is gone. */
    if (!keys && !isatty(STDIN_FILENO)) {
        loop_stop(w->loop);
        return;
    }
    if (!w->typing)
        look(w, 0);
    draw(w);
}

/* ---- the terminal ----------------------------------------------------- */

const char *const watch_curves[] = {[CURVE_BRAILLE] = "braille",
                                    [CURVE_BLOCKS] = "blocks",
                                    [CURVE_ASCII] = "ascii",
                                    NULL};

static enum curve_kind find_curves(const char *asked, bool utf8)
{
    const char *term = getenv("TERM");
    if (!utf8)
        return CURVE_ASCII;
    int found = asked ? str_index(str_of(asked), watch_curves) : -1;
    if (found >= 0)
        return (enum curve_kind)found;
    /* The console's font has no braille. */
    return term && !strcmp(term, "linux") ? CURVE_BLOCKS : CURVE_BRAILLE;
}

static void watch_init(struct watch *w, const struct watch_setup *setup)
{
    *w = (struct watch){.utf8 = screen_encoding(), .arena = arena_new()};
    w->sight.study = setup->study;
    w->sight.curves = find_curves(setup->curves, w->utf8);
    w->watcher = watcher_new(setup->folder);
    buf_init(&w->typed);
}

static void watch_done(struct watch *w)
{
    loop_free(w->loop);
    look_free(w->look);
    watcher_free(w->watcher);
    buf_done(&w->typed);
    free(w->filter);
    free(w->by);
    free(w->metric);
    arena_free(w->arena);
}

/* False where the terminal is not known well enough. */
static bool take_terminal(struct watch *w, bool colour)
{
    int64_t columns;
    const char *text = getenv("COLUMNS");
    if (text && num_int(str_of(text), &columns) && columns >= 20 &&
        columns < 10000)
        w->columns = (int)columns;
    loop_signal(w->loop, SIGINT, on_end, w);
    loop_signal(w->loop, SIGTERM, on_end, w);
    loop_signal(w->loop, SIGHUP, on_end, w);
    loop_signal(w->loop, SIGWINCH, on_resize, w);
    loop_signal(w->loop, SIGCONT, on_continue, w);
    w->terminal = terminal_open(colour, NULL);
    return w->terminal != NULL;
}

static int watch(struct watch *w, struct err *err)
{
    terminal_size(w->terminal, w->columns, &w->rows, &w->cols);
    w->timer = loop_timer(w->loop, on_timer, w);
    loop_fd(w->loop, STDIN_FILENO, LOOP_READ, on_keys, w);
    draw(w);
    loop_timer_in(w->timer, 0);
    int rc = loop_run(w->loop, err);
    terminal_close(w->terminal);
    return rc;
}

int watch_on_terminal(const struct watch_setup *setup, bool *taken,
                      struct err *err)
{
    struct watch w;
    watch_init(&w, setup);
    w.loop = loop_new(err);
    *taken = w.loop && take_terminal(&w, setup->colour);
    int rc = *taken ? watch(&w, err) : w.loop ? 0 : -1;
    watch_done(&w);
    return rc;
}

/* ---- printing once ---------------------------------------------------- */

/* Lists that are not full leave gaps: one empty line is enough. */
static void add_squeezed(struct buf *b, struct str text)
{
    struct str line;
    bool empty = true;
    while (text.len && str_split(&text, '\n', &line)) {
        if (line.len || !empty) {
            buf_addstr(b, line);
            buf_addc(b, '\n');
        }
        empty = !line.len;
    }
}

static void print(struct watch *w, struct buf *b)
{
    struct screen s;
    struct buf lines;
    screen_init(&s, w->rows, w->cols, w->utf8);
    sight_draw(&w->sight, w->look, &s);
    buf_init(&lines);
    screen_print(&s, &lines);
    add_squeezed(b, buf_str(&lines));
    buf_done(&lines);
    screen_done(&s);
}

int watch_print(const struct watch_setup *setup, unsigned columns,
                struct buf *b, struct err *err)
{
    struct watch w;
    watch_init(&w, setup);
    w.sight.bare = true;
    w.rows = PRINT_ROWS;
    w.cols = (int)columns;
    look(&w, PRINT_SCAN_S);
    /* What there is to draw decides how much room the rest has. */
    if (w.look && w.sight.no_curves)
        look(&w, 0);
    int rc = w.sight.message ? err_set(err, w.err.kind, "%s", w.err.text) : 0;
    if (!rc)
        print(&w, b);
    watch_done(&w);
    return rc;
}
