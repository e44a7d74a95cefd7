/* trial.c - everything about one trial, on the screen
 *
 * It is drawn on a screen as high as it needs, of which the person sees a
 * part. */
#include <math.h>
#include "base/num.h"
#include "base/shown.h"
#include "watch/table.h"
#include "watch/sight.h"
#include "view/view.h"

#define LOG_LINES 200
#define SPARK 30

struct sketch {
    const struct sight *view;
    const struct look *look;
    const struct look_trial *w;
    struct screen screen;
    struct area all;
    int row;
};

static void line(struct sketch *k, enum mark mark, struct str text)
{
    screen_put(&k->screen, k->all, k->row++, 0, mark, text);
}

/* ---- parts ------------------------------------------------------------ */

/* The run time of all attempts, or that of the one that runs. */
static void add_times(struct buf *b, const struct sketch *k)
{
    const struct trial *t = &k->w->t;
    size_t n = k->w->attempt_count;
    const struct attempt *last = n ? &k->w->attempts[n - 1] : NULL;
    struct arena *a = k->look->arena;
    bool running = t->state == STATE_RUNNING;
    double since = running && last ? last->started : t->started;
    if (since > 0) {
        buf_adds(b, "started ");
        clock_print(b, since, false);
        buf_addf(b, running ? ", running for %s" : ", took %s",
                 running ? print_span(a, since, k->look->now)
                         : print_span(a, 1, 1 + t->seconds));
    }
    if (n > 1)
        buf_addf(b, running ? ", attempt %zu" : " in %zu attempts", n);
    if (last && *last->host)
        buf_addf(b, ", on %s", last->host);
}

static void draw_head(struct sketch *k)
{
    const struct trial *t = &k->w->t;
    const struct look *l = k->look;
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "trial %lld  %s", (long long)t->id, state_name(t->state));
    if (t->reason.len)
        buf_addf(&b, ": %.*s", STRF(t->reason));
    line(k, state_bad(t->state) ? MARK_BAD : MARK_TITLE, buf_str(&b));
    buf_reset(&b);
    if (!isnan(t->value) && l->goal.name.len) {
        buf_addf(&b, "%.*s = ", STRF(l->goal.name));
        num_print_short(&b, t->value, 6);
        buf_adds(&b, "  ");
    }
    add_times(&b, k);
    line(k, MARK_PLAIN, buf_str(&b));
    if (t->note.len)
        screen_printf(&k->screen, k->all, k->row++, 0, MARK_PLAIN, "note: %.*s",
                      STRF(t->note));
    buf_done(&b);
}

static void draw_params(struct sketch *k)
{
    struct buf b;
    buf_init(&b);
    point_lines(&b, k->w->point, k->look->written, k->look->written_count,
                true);
    struct str rest = buf_str(&b), text;
    if (rest.len)
        line(k, MARK_TITLE, STR("parameters"));
    while (rest.len && str_split(&rest, '\n', &text))
        line(k, MARK_PLAIN, text);
    buf_done(&b);
}

static void find_extremes(const struct series *s, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < s->count; i++) {
        *low = fmin(*low, s->values[i]);
        *high = fmax(*high, s->values[i]);
    }
}

static void add_metric(struct sketch *k, struct sheet *t,
                       const struct look_metric *m)
{
    const struct series *s = &m->series;
    double low, high;
    wchar_t cells[SPARK];
    struct buf b;
    int cols = s->count < SPARK ? (int)s->count : SPARK;
    find_extremes(s, &low, &high);
    curve_spark(k->view->curves, s->values, s->count, cells, cols);
    buf_init(&b);
    for (int i = 0; i < cols; i++)
        screen_encode(&b, cells[i]);
    sheet_cell(t, "%s", m->name);
    sheet_number(t, s->count ? s->values[s->count - 1] : NAN, 6);
    sheet_number(t, low, 6);
    sheet_number(t, high, 6);
    sheet_cell(t, "%zu", s->count);
    sheet_cell(t, "%s", s->count > 1 ? b.p : "");
    sheet_row(t, MARK_PLAIN);
    buf_done(&b);
}

static void draw_metrics(struct sketch *k)
{
    struct sheet t;
    size_t n = k->w->metric_count;
    if (!n)
        return;
    sheet_init(&t, k->look->arena);
    sheet_column(&t, "metric", false);
    sheet_column(&t, "last", true);
    sheet_column(&t, "min", true);
    sheet_column(&t, "max", true);
    sheet_column(&t, "points", true);
    sheet_column(&t, "", false);
    for (size_t i = 0; i < n; i++)
        add_metric(k, &t, &k->w->metrics[i]);
    struct area a = {k->row, 0, (int)n + 1, k->screen.cols};
    sheet_draw(&t, &k->screen, a, -1);
    k->row += (int)n + 1;
    sheet_done(&t);
}

/* ---- the log ---------------------------------------------------------- */

/* What a terminal would show of a line in the end: progress bars write over
 * themselves, and colours are no text. */
static struct str as_shown(struct buf *b, struct str text)
{
    struct str part;
    text = shown_last(str_trim(text));
    buf_reset(b);
    while (str_split(&text, '\033', &part)) {
        buf_addstr(b, part);
        size_t i = text.p && text.len && text.p[0] == '[' ? 1 : 0;
        while (i && i < text.len && (text.p[i] < '@' || text.p[i] > '~'))
            i++;
        if (i && i < text.len)
            text = str_n(text.p + i + 1, text.len - i - 1);
    }
    return buf_str(b);
}

static int count_lines(struct str log)
{
    int n = 0;
    struct str part;
    while (log.len && str_split(&log, '\n', &part))
        n++;
    return n;
}

static void draw_log(struct sketch *k)
{
    struct str log = str_trim(k->w->log), part;
    int skip = count_lines(log) - LOG_LINES;
    struct buf b;
    if (!log.len) {
        line(k, MARK_FAINT, STR("no output is kept"));
        return;
    }
    buf_init(&b);
    line(k, MARK_TITLE, STR("output, its last lines"));
    while (log.len && str_split(&log, '\n', &part)) {
        if (skip-- > 0)
            continue;
        struct str text = as_shown(&b, part);
        screen_put(&k->screen, k->all, k->row++, 2, MARK_PLAIN, text);
    }
    buf_done(&b);
}

/* ---- the whole -------------------------------------------------------- */

static int rows_needed(const struct look_trial *w)
{
    struct arena *a = arena_new();
    struct point_columns columns;
    point_columns_init(&columns, a);
    point_columns_add(&columns, w->point);
    int rows = (int)(columns.names.len + w->metric_count) + 16 + LOG_LINES;
    point_columns_done(&columns);
    arena_free(a);
    return rows;
}

void trial_draw(struct sight *v, const struct look *l, struct screen *s,
                struct area a)
{
    if (!l->trial) {
        screen_printf(s, a, 1, 2, MARK_PLAIN, "there is no trial %lld",
                      (long long)v->want.trial);
        return;
    }
    struct sketch k = {.view = v, .look = l, .w = l->trial};
    screen_init(&k.screen, rows_needed(l->trial), a.cols, s->utf8);
    k.all = screen_all(&k.screen);
    draw_head(&k);
    draw_params(&k);
    draw_metrics(&k);
    draw_log(&k);
    size_t most = k.row > a.rows ? (size_t)(k.row - a.rows) : 0;
    v->scroll = v->scroll > most ? most : v->scroll;
    screen_copy(s, a, &k.screen, (int)v->scroll);
    screen_done(&k.screen);
}
