/* sight.c - how `watch` looks
 *
 *     study, who runs it                       the time
 *     how far it is, best so far
 *     how many trials are in which state
 *     panes
 *     …                     the pane; where there is room, the curves beside
 *     …                     or below it, and the other lists
 *     keys */
#include "watch/sight.h"

#include <math.h>
#include "base/num.h"
#include "watch/table.h"
#include "view/view.h"

#define WIDE 130     /* columns from which curves stand beside the lists */
#define HIGH 16      /* rows from which curves stand below them */
#define STRIP 8      /* rows of curves below */
#define ALL_LISTS 22 /* rows from which all lists are shown at once */
#define VALUE_DIGITS 6
#define PARAM_DIGITS 4

struct layout {
    struct area header, tabs, foot, curves;
    struct area lists[LIST_COUNT]; /* rows 0: not shown */
    bool titles;                   /* each list has one */
};

/* ---- where things are ------------------------------------------------- */

static void place_curves(struct layout *o, const struct sight *v,
                         struct area *body)
{
    if (v->no_curves)
        return;
    if (body->cols >= WIDE) {
        o->curves = area_take_right(body, body->cols * 2 / 5);
        body->cols -= 2;
    } else if (v->pane == PANE_BEST && body->rows >= HIGH) {
        o->curves = area_take_bottom(body, STRIP);
    }
}

static void place_lists(struct layout *o, const struct sight *v,
                        struct area body)
{
    if (v->pane != PANE_BEST || body.rows < ALL_LISTS) {
        o->lists[v->pane] = body;
        return;
    }
    int part = body.rows / 4;
    o->titles = true;
    o->lists[LIST_FAILED] = area_take_bottom(&body, part);
    area_take_bottom(&body, 1);
    o->lists[LIST_RUNNING] = area_take_bottom(&body, part);
    area_take_bottom(&body, 1);
    o->lists[LIST_BEST] = body;
}

static struct layout lay_out(const struct sight *v, int rows, int cols)
{
    struct layout o = {0};
    struct area body = {0, 0, rows, cols};
    o.header = area_take_top(&body, rows >= 10 ? 3 : 1);
    if (v->bare)
        area_take_top(&body, 1);
    else if (rows >= 6) {
        o.tabs = area_take_top(&body, 1);
        o.foot = area_take_bottom(&body, 1);
    }
    if (v->pane == PANE_CURVES) {
        o.curves = body;
        return o;
    }
    place_curves(&o, v, &body);
    place_lists(&o, v, body);
    return o;
}

static size_t list_rows(const struct layout *o, enum look_list list)
{
    int rows = o->lists[list].rows - 1 - o->titles;
    return rows > 0 ? (size_t)rows : 0;
}

void sight_plan(struct sight *v, int rows, int cols)
{
    struct layout o = lay_out(v, rows, cols);
    for (int i = 0; i < LIST_COUNT; i++)
        v->want.rows[i] = list_rows(&o, (enum look_list)i);
}

size_t sight_list_rows(const struct sight *v, int rows, int cols)
{
    struct layout o = lay_out(v, rows, cols);
    return v->pane < PANE_CURVES ? list_rows(&o, (enum look_list)v->pane) : 1;
}

/* ---- the head --------------------------------------------------------- */

const char *print_span(struct arena *a, double from, double to)
{
    struct buf b;
    if (from <= 0 || to < from)
        return "";
    buf_init(&b);
    double s = to - from;
    num_print_seconds(&b, s >= 10 ? floor(s) : s);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int draw_holder(const struct look *l, struct screen *s, struct area a,
                       int col)
{
    const struct lease *lease = &l->lease;
    if (!l->begun)
        return screen_put(s, a, 0, col, MARK_PLAIN, STR("has not begun yet"));
    if (lease->live) {
        struct buf age;
        buf_init(&age);
        age_print(&age, l->as_of);
        col = screen_printf(s, a, 0, col, MARK_GOOD,
                            "running as process %lld on %s%s%s",
                            (long long)lease->process.pid, lease->host,
                            age.len ? ", " : "", age.p);
        buf_done(&age);
        return col;
    }
    if (l->jobs_out)
        return screen_printf(s, a, 0, col, MARK_PLAIN,
                             "not running, %llu job%s out: `throng run` "
                             "collects, `throng kill` cancels",
                             (unsigned long long)l->jobs_out,
                             l->jobs_out == 1 ? "" : "s");
    if (lease->process.pid)
        return screen_printf(
            s, a, 0, col, MARK_BAD,
            "not running (process %lld on %s ended without a word)",
            (long long)lease->process.pid, lease->host);
    return screen_put(s, a, 0, col, MARK_PLAIN, STR("not running"));
}

/* The time is left out where it would cover something. */
static void draw_title(const struct sight *v, const struct look *l,
                       struct screen *s, struct area a)
{
    struct buf b;
    int col = screen_printf(s, a, 0, 0, MARK_TITLE, "%s", v->study) + 2;
    col = draw_holder(l, s, a, col);
    buf_init(&b);
    clock_print(&b, l->now, false);
    if (col + 2 + (int)b.len <= a.cols)
        screen_put_right(s, a, 0, MARK_FAINT, buf_str(&b));
    buf_done(&b);
}

static void add_rate(struct buf *b, const struct look *l)
{
    double rate = l->rate;
    if (rate <= 0)
        return;
    if (rate >= 10)
        buf_addf(b, "  %.0f/s", rate);
    else if (rate >= 0.1)
        buf_addf(b, "  %.1f/s", rate);
    else if (rate * 60 >= 0.1)
        buf_addf(b, "  %.1f/min", rate * 60);
    else
        buf_addf(b, "  %.1f/h", rate * 3600);
    if (l->left_s < 0 || l->finished == l->total)
        return;
    buf_adds(b, "  ");
    num_print_seconds(b, l->left_s >= 10 ? floor(l->left_s) : l->left_s);
    buf_adds(b, " left");
}

/* "[####----]", as wide as is left, but neither tiny nor huge. */
static int draw_bar(const struct sight *v, struct screen *s, struct area a,
                    double part, int room)
{
    bool ascii = v->curves == CURVE_ASCII;
    int width = room > 40 ? 40 : room;
    if (width < 6)
        return 0;
    int full = (int)floor(part * (width - 2));
    screen_char(s, a, 0, 0, MARK_PLAIN, L'[');
    for (int i = 0; i < width - 2; i++)
        screen_char(s, a, 0, i + 1, MARK_CURVE,
                    i < full ? (ascii ? L'#' : 0x2588)
                             : (ascii ? L'-' : 0x2591));
    screen_char(s, a, 0, width - 1, MARK_PLAIN, L']');
    return width + 1;
}

static void add_best(struct buf *b, const struct look *l)
{
    if (!l->best)
        return;
    buf_addf(b, "  best %.*s ", STRF(l->goal.name));
    num_print_short(b, l->best_value, VALUE_DIGITS);
    buf_addf(b, " (trial %lld)", (long long)l->best);
}

static void draw_progress(const struct sight *v, const struct look *l,
                          struct screen *s, struct area a)
{
    struct buf b;
    int col = 0;
    buf_init(&b);
    buf_addf(&b, "%lld", (long long)l->finished);
    if (l->total >= 0)
        buf_addf(&b, "/%lld", (long long)l->total);
    buf_adds(&b, " done");
    double part = l->total > 0 ? (double)l->finished / (double)l->total : 0;
    if (l->total > 0)
        buf_addf(&b, "  %.0f %%", floor(part * 100));
    add_rate(&b, l);
    add_best(&b, l);
    if (l->total > 0)
        col = draw_bar(v, s, a, part, a.cols - (int)b.len - 1);
    screen_put(s, a, 0, col, MARK_PLAIN, buf_str(&b));
    buf_done(&b);
}

static void draw_counts(const struct look *l, struct screen *s, struct area a)
{
    int col = 0;
    for (int i = 0; i < STATE_COUNT; i++) {
        enum state state = (enum state)i;
        if (!l->counts.by_state[i])
            continue;
        /* Without a conductor nothing runs, whatever was last written, but
         * for jobs of a cluster. */
        bool broken = state == STATE_RUNNING && !l->lease.live && !l->jobs_out;
        enum mark mark = state_bad(state)         ? MARK_BAD
                         : state == STATE_RUNNING ? MARK_GOOD
                                                  : MARK_PLAIN;
        col = screen_printf(s, a, 0, col, mark, "%lld %s  ",
                            (long long)l->counts.by_state[i],
                            broken ? "broken off" : state_name(state));
    }
    if (!l->counts.total)
        screen_put(s, a, 0, 0, MARK_FAINT, STR("no trials yet"));
}

static void draw_header(const struct sight *v, const struct look *l,
                        struct screen *s, struct area a)
{
    draw_title(v, l, s, area_take_top(&a, 1));
    if (!l->begun)
        return;
    draw_progress(v, l, s, area_take_top(&a, 1));
    draw_counts(l, s, a);
}

static void draw_tabs(const struct sight *v, const struct look *l,
                      struct screen *s, struct area a)
{
    static const char *const names[] = {"best", "running", "failed", "curves"};
    const int64_t counts[PANE_COUNT] = {
        [PANE_RUNNING] = l->counts.by_state[STATE_RUNNING],
        [PANE_FAILED] = l->failed,
    };
    int col = 0;
    screen_mark_row(s, a, 0, MARK_FAINT);
    for (int i = 0; i < PANE_COUNT; i++) {
        bool on = (int)v->pane == i && !v->want.trial && !v->help;
        struct buf b;
        buf_init(&b);
        buf_addf(&b, on ? "[%d %s" : " %d %s", i + 1, names[i]);
        if (counts[i])
            buf_addf(&b, " (%lld)", (long long)counts[i]);
        buf_addc(&b, on ? ']' : ' ');
        col = screen_put(s, a, 0, col, on ? MARK_CHOSEN : MARK_PLAIN,
                         buf_str(&b));
        buf_done(&b);
    }
    if (v->want.by || v->want.reverse)
        col = screen_printf(s, a, 0, col + 1, MARK_PLAIN, "sort: %s%s ",
                            v->want.by ? v->want.by : "value",
                            v->want.reverse ? " reversed" : "");
    if (v->want.filter)
        screen_printf(s, a, 0, col + 1, MARK_PLAIN, "filter: %s",
                      v->want.filter);
}

static void draw_foot(const struct sight *v, struct screen *s, struct area a)
{
    if (v->prompt) {
        int col = screen_printf(s, a, 0, 0, MARK_TITLE, "%s", v->prompt);
        col = screen_printf(s, a, 0, col, MARK_PLAIN, "%s", v->typed);
        screen_put(s, a, 0, col, MARK_CHOSEN, STR(" "));
        if (v->wrong)
            screen_put(s, a, 0, col + 2, MARK_BAD, str_of(v->wrong));
    } else if (v->message) {
        screen_put(s, a, 0, 0, MARK_BAD, str_of(v->message));
    } else if (v->want.trial || v->help) {
        screen_put(s, a, 0, 0, MARK_FAINT,
                   STR("q quit  esc back  up/down scroll  ? help"));
    } else {
        screen_put(s, a, 0, 0, MARK_FAINT,
                   STR("q quit  tab pane  enter trial  / filter  s sort  "
                       "m metric  x compare  ? help"));
    }
}

/* ---- lists ------------------------------------------------------------ */

/* The same value in every row. */
static bool constant(const struct look_row *rows, size_t count, struct str name)
{
    for (size_t i = 1; i < count; i++) {
        const struct value *a = point_flat_get(rows[0].point, name);
        const struct value *b = point_flat_get(rows[i].point, name);
        if (!a != !b || (a && !value_eq(a, b)))
            return false;
    }
    return true;
}

void rows_params(struct point_columns *c, const struct look *l,
                 const struct look_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        point_columns_add(c, rows[i].point);
    point_columns_order(c, l->written, l->written_count);
    size_t out = 0;
    struct str *sorted = arena_array(c->arena, c->names.len, sizeof(*sorted));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->names.len; i++)
            if (constant(rows, count, c->names.p[i]) == (pass == 1))
                sorted[out++] = c->names.p[i];
    for (size_t i = 0; i < out; i++)
        c->names.p[i] = sorted[i];
}

void sheet_params(struct sheet *t, const struct point_columns *c,
                  const struct value *point)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < c->names.len; i++) {
        const struct value *v = point_flat_get(point, c->names.p[i]);
        if (v && v->kind == VALUE_DOUBLE) {
            sheet_number(t, v->d, PARAM_DIGITS);
            continue;
        }
        buf_reset(&b);
        point_cell(&b, v);
        sheet_cell(t, "%s", b.p);
    }
    buf_done(&b);
}

static void add_columns(struct sheet *t, enum look_list list,
                        const struct sight *v, const struct look *l)
{
    const char *objective = arena_cstr(t->arena, l->goal.name);
    const char *by = v->want.by;
    bool other = by && strcmp(by, "value") && strcmp(by, "trial") &&
                 strcmp(by, "seconds") && strcmp(by, "started");
    if (list == LIST_BEST) {
        sheet_column(t, "rank", true);
        sheet_column(t, "trial", true);
        sheet_column(t, other ? by : objective, true);
        bool own = !by || !strcmp(by, "value");
        for (size_t i = 1; own && i < l->goal.all.objective_count; i++)
            sheet_column(
                t, arena_cstr(t->arena, l->goal.all.objectives[i].name), true);
        if (l->mean_count)
            sheet_column(t, "expected", true);
        sheet_column(t, "state", false);
        sheet_column(t, "took", true);
    } else if (list == LIST_RUNNING) {
        sheet_column(t, "trial", true);
        sheet_column(t, *objective ? objective : "value", true);
        sheet_column(t, "step", true);
        sheet_column(t, "for", true);
    } else {
        sheet_column(t, "trial", true);
        sheet_column(t, "state", false);
        sheet_column(t, "ago", true);
        sheet_column(t, "reason", false);
        sheet_keep(t);
    }
}

static void add_best_row(struct sheet *t, const struct look_row *r,
                         const struct look *l, size_t rank)
{
    sheet_cell(t, "%zu", rank);
    sheet_cell(t, "%lld", (long long)r->t.id);
    sheet_number(t, r->value, VALUE_DIGITS);
    for (size_t i = 1; r->objectives && i < l->goal.all.objective_count; i++)
        sheet_number(t, r->objectives[i], VALUE_DIGITS);
    if (l->mean_count)
        sheet_number(t, r->expected, VALUE_DIGITS);
    sheet_cell(t, "%s%s", state_name(r->t.state), r->broken ? " (broken)" : "");
    sheet_cell(t, "%s",
               r->t.seconds > 0 ? print_span(l->arena, 1, 1 + r->t.seconds)
                                : "");
}

static void add_row(struct sheet *t, enum look_list list,
                    const struct look_row *r, const struct look *l, size_t rank)
{
    if (list == LIST_BEST) {
        add_best_row(t, r, l, rank);
        return;
    }
    sheet_cell(t, "%lld", (long long)r->t.id);
    if (list == LIST_RUNNING) {
        sheet_number(t, r->value, VALUE_DIGITS);
        if (r->step >= 0)
            sheet_cell(t, "%lld", (long long)r->step);
        else
            sheet_cell(t, "%s", "");
        sheet_cell(t, "%s", print_span(l->arena, r->since, l->now));
        return;
    }
    sheet_cell(t, "%s", state_name(r->t.state));
    sheet_cell(t, "%s", print_span(l->arena, r->t.ended, l->now));
    sheet_cell(t, "%.*s", STRF(r->t.reason));
}

static const char *why_empty(enum look_list list, const struct sight *v,
                             const struct look *l)
{
    if (v->want.filter)
        return "no trial here passes the filter";
    if (list == LIST_RUNNING)
        return "no trial is running";
    if (list == LIST_FAILED)
        return l->failed ? "looking for the failed ones …"
                         : "no trial has failed";
    return "no trial has a value yet";
}

/* How many columns stay where others are scrolled out of sight. */
static const size_t fixed_columns[LIST_COUNT] = {
    [LIST_BEST] = 3, [LIST_RUNNING] = 2, [LIST_FAILED] = 1};

/* Scrolls back what is scrolled too far. */
static void draw_list(struct sight *v, const struct look *l, struct screen *s,
                      struct area a, enum look_list list)
{
    const struct look_row *rows = l->lists[list].rows;
    size_t count = l->lists[list].count, from = v->want.from[list];
    if (!count) {
        screen_put(s, a, 0, 2, MARK_FAINT, str_of(why_empty(list, v, l)));
        return;
    }
    struct sheet t;
    struct point_columns columns;
    sheet_init(&t, l->arena);
    point_columns_init(&columns, l->arena);
    rows_params(&columns, l, rows, count);
    add_columns(&t, list, v, l);
    for (size_t i = 0; i < columns.names.len; i++)
        sheet_column(&t, arena_cstr(l->arena, columns.names.p[i]), true);
    for (size_t i = 0; i < count; i++) {
        add_row(&t, list, &rows[i], l, from + i + 1);
        sheet_params(&t, &columns, rows[i].point);
        sheet_row(&t, state_bad(rows[i].t.state) ? MARK_BAD : MARK_PLAIN);
        if (want_compares(&v->want, rows[i].t.id))
            sheet_flag(&t);
    }
    bool own = (int)v->pane == (int)list;
    if (own)
        v->shift = sheet_shift(&t, fixed_columns[list], v->shift);
    long chosen = own && !v->bare && v->want.chosen >= from
                      ? (long)(v->want.chosen - from)
                      : -1;
    sheet_draw(&t, s, a, chosen);
    point_columns_done(&columns);
    sheet_done(&t);
}

static void draw_lists(struct sight *v, const struct look *l, struct screen *s,
                       const struct layout *o)
{
    static const char *const titles[] = {"best", "running", "failed last"};
    for (int i = 0; i < LIST_COUNT; i++) {
        struct area a = o->lists[i];
        if (!a.rows)
            continue;
        if (o->titles) {
            const char *title =
                i || l->goal.name.len ? titles[i] : "newest trials";
            screen_put(s, area_take_top(&a, 1), 0, 0, MARK_TITLE,
                       str_of(title));
        }
        draw_list(v, l, s, a, (enum look_list)i);
    }
}

/* ---- the whole -------------------------------------------------------- */

static const char *const help[] = {
    "q, Ctrl-C        quit; the study goes on",
    "tab, 1 2 3 4     pane: best, running, failed, curves",
    "up down, j k     choose a trial, whose curve is drawn",
    "PgUp PgDn        a page up or down; Home, g: to the first",
    "x                put it into the chart beside others, or take it out;",
    "                 X: take all out",
    "m, M             draw another metric",
    "< >              columns to the left, to the right",
    "enter            everything about the chosen trial; esc goes back",
    "/                filter, as in `throng rank --where`: lr<0.1 and opt=adam",
    "                 an empty one shows all trials again",
    "s                sort the best by something else; S: and backwards",
    "r                reverse the order",
    "Ctrl-L           draw the screen anew",
    "",
    "Nothing here changes the study. `throng stop` ends it.",
};

static void draw_help(struct screen *s, struct area a)
{
    for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
        screen_put(s, a, (int)i + 1, 2, MARK_PLAIN, str_of(help[i]));
}

static struct area body_of(const struct layout *o, const struct screen *s)
{
    struct area all = screen_all(s);
    area_take_top(&all, o->header.rows + o->tabs.rows);
    area_take_bottom(&all, o->foot.rows);
    return all;
}

void sight_draw(struct sight *v, const struct look *l, struct screen *s)
{
    struct layout o = lay_out(v, s->rows, s->cols);
    struct area body = body_of(&o, s);
    if (l) {
        draw_header(v, l, s, o.header);
        if (o.tabs.rows)
            draw_tabs(v, l, s, o.tabs);
    }
    if (v->help)
        draw_help(s, body);
    else if (!l)
        screen_put(s, body, 0, 2, MARK_FAINT, STR("reading …"));
    else if (!l->begun)
        screen_put(s, body, 1, 2, MARK_PLAIN,
                   STR("waiting for `throng run` to begin it …"));
    else if (v->want.trial)
        trial_draw(v, l, s, body);
    else {
        draw_lists(v, l, s, &o);
        curves_draw(v, l, s, o.curves);
    }
    if (o.foot.rows)
        draw_foot(v, s, o.foot);
}
