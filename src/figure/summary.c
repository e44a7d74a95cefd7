/* summary.c - a study on one page: how it stands, the best, what decides,
 * figures, failures, where it comes from, how to do it again */
#include <math.h>
#include <time.h>
#include "base/json.h"
#include "base/num.h"
#include "figure/page.h"
#include "study/study.h"
#include "view/view.h"

#define BEST 10
#define PARAMETERS 8
#define FAILURES 10
#define DIGITS 6

struct summing {
    struct page *page;
    struct store *store;
    const struct place_of_study *where;
    struct arena *arena;
    struct standing now;
    struct plan *plan; /* NULL: it can no longer be read */
};

static const char *number(struct summing *s, double v)
{
    struct buf b;
    buf_init(&b);
    plot_number(&b, v, DIGITS);
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *seconds(struct summing *s, double v)
{
    struct buf b;
    buf_init(&b);
    num_print_seconds(&b, v);
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void pair(struct summing *s, const char *name, const char *value)
{
    const char *const cells[] = {name, value};
    if (value && *value)
        page_row(s->page, cells, 2);
}

static const char *fact(struct summing *s, const char *name)
{
    struct str text;
    if (store_fact(s->store, name, s->arena, &text, NULL) || !text.p)
        return NULL;
    return text.p;
}

/* ---- how it stands --------------------------------------------------------
 */

static const char *states_text(struct summing *s)
{
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < STATE_COUNT; i++)
        if (s->now.counts.by_state[i])
            buf_addf(&b, "%s%s %s", b.len ? ", " : "",
                     plot_count(s->arena, (uint64_t)s->now.counts.by_state[i]),
                     state_name((enum state)i));
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *goal_text(struct summing *s)
{
    struct buf b;
    const struct goal *g = &s->now.goal.all;
    buf_init(&b);
    for (size_t i = 0; i < g->objective_count; i++)
        buf_addf(&b, "%s%s %.*s", i ? ", " : "",
                 g->objectives[i].minimize ? "minimize" : "maximize",
                 STRF(g->objectives[i].name));
    for (size_t i = 0; i < g->bound_count; i++)
        buf_addf(&b, ", %.*s %s %g", STRF(g->bounds[i].name),
                 g->bounds[i].is_max ? "at most" : "at least",
                 g->bounds[i].limit);
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Of several objectives the value of one, and who is beaten by none. */
static void add_best(struct summing *s)
{
    const struct standing *now = &s->now;
    const char *what =
        now->fronts.width < 2
            ? ""
            : arena_printf(s->arena, "%.*s ", STRF(now->goal.name));
    if (now->best.id)
        pair(s, "best",
             arena_printf(s->arena, "%s%s, trial %lld", what,
                          number(s, now->best.value), (long long)now->best.id));
    if (*what)
        pair(s, "pareto",
             arena_printf(s->arena,
                          "%s trial%s that no other beats in every metric, "
                          "which rank first, by %.*s",
                          plot_count(s->arena, now->fronts.pareto),
                          now->fronts.pareto == 1 ? "" : "s",
                          STRF(now->goal.name)));
}

static void add_status(struct summing *s)
{
    static const char *const titles[] = {"status", ""};
    struct standing *now = &s->now;
    page_table_begin(s->page, titles, 2);
    pair(s, "trials", states_text(s));
    pair(s, "running",
         now->lease.live ? "yes: these are its results so far" : "no");
    pair(s, "finished",
         now->total >= 0
             ? arena_printf(s->arena, "%lld of %lld", (long long)now->finished,
                            (long long)now->total)
             : arena_printf(s->arena, "%lld, without an end",
                            (long long)now->finished));
    pair(s, "objective", goal_text(s));
    add_best(s);
    page_table_end(s->page);
}

/* ---- the best -------------------------------------------------------------
 */

struct ranking_table {
    struct str *names;
    size_t count, objectives;
    size_t width; /* columns */
};

static void begin_ranking(struct summing *s, struct ranking_table *r)
{
    const struct goal *g = &s->now.goal.all;
    const char *titles[PARAMETERS + 16];
    r->objectives = g->objective_count < 8 ? g->objective_count : 8;
    r->names = s->now.written;
    r->count =
        s->now.written_count < PARAMETERS ? s->now.written_count : PARAMETERS;
    titles[r->width++] = "rank";
    titles[r->width++] = "trial";
    for (size_t i = 0; i < r->objectives; i++)
        titles[r->width++] = arena_cstr(s->arena, g->objectives[i].name);
    for (size_t i = 0; i < r->count; i++)
        titles[r->width++] = arena_cstr(s->arena, r->names[i]);
    titles[r->width++] = "time";
    page_table_begin(s->page, titles, r->width);
}

static const char *cell_text(struct summing *s, const struct value *v)
{
    struct buf b;
    if (!v || v->kind == VALUE_DOUBLE)
        return v ? number(s, v->d) : "";
    buf_init(&b);
    point_cell(&b, v);
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void add_ranked(struct summing *s, const struct ranking_table *r,
                       const struct trial *t, int rank)
{
    const char *cells[PARAMETERS + 16];
    double values[8] = {t->value};
    size_t n = 0;
    const struct value *point =
        json_parse(s->arena, t->point, "point", true, NULL);
    const struct value *all =
        t->summary.len ? json_parse(s->arena, t->summary, "", true, NULL)
                       : NULL;
    if (r->objectives > 1 && s->now.goal.all.objective_count <= 8)
        goal_values(&s->now.goal.all, all, values);
    cells[n++] = arena_printf(s->arena, "%d", rank);
    cells[n++] = arena_printf(s->arena, "%lld", (long long)t->id);
    for (size_t i = 0; i < r->objectives; i++)
        cells[n++] = number(s, values[i]);
    for (size_t i = 0; i < r->count; i++)
        cells[n++] =
            cell_text(s, point ? point_flat_get(point, r->names[i]) : NULL);
    cells[n++] = seconds(s, t->seconds);
    page_row(s->page, cells, n);
}

static int add_ranking(struct summing *s, struct err *err)
{
    char selector[32] = "best:10";
    struct query q = {.selector = selector, .with_texts = true};
    struct ranking_table r = {0};
    struct trial t;
    int rank = 0;
    if (!s->now.goal.name.len || !s->now.best.id)
        return 0;
    page_heading(s->page, 2, "The best trials");
    struct rows *rows = store_rows(s->store, &q, err);
    int got = rows ? 1 : -1;
    begin_ranking(s, &r);
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        add_ranked(s, &r, &t, ++rank);
    rows_close(rows);
    page_table_end(s->page);
    if (s->now.written_count > PARAMETERS)
        page_text(s->page, arena_printf(s->arena,
                                        "%zu more parameters are not in the "
                                        "table.",
                                        s->now.written_count - PARAMETERS));
    return got;
}

/* ---- figures --------------------------------------------------------------
 */

/* One that cannot be drawn is named with the reason. */
static void add_figure(struct summing *s, const struct figure_kind *kind,
                       struct buf *left)
{
    struct figure_asked asked = {
        .store = s->store, .study = s->where->name, .home = s->where->home};
    struct err why = {0};
    struct plot plot;
    plot_init(&plot, s->arena);
    if ((figure_make(kind, &asked, &plot, &why) ||
         page_figure(s->page, &plot, &why)) &&
        !kind->if_any)
        buf_addf(left, "%s%s (%s)", left->len ? "; " : "", kind->name,
                 why.text);
    plot_done(&plot);
}

static void add_figures(struct summing *s)
{
    struct buf left;
    buf_init(&left);
    page_heading(s->page, 2, "Figures");
    for (size_t i = 0; figure_kinds[i]; i++)
        if (figure_kinds[i]->in_summary)
            add_figure(s, figure_kinds[i], &left);
    if (left.len)
        page_text(s->page, arena_printf(s->arena, "Not drawn: %s.", left.p));
    buf_done(&left);
}

/* ---- failures -------------------------------------------------------------
 */

static int add_failures(struct summing *s, struct err *err)
{
    static const char *const titles[] = {"trials", "state", "first", "message",
                                         "what may help"};
    struct errors e = {0};
    int rc = errors_read(&e, s->store, s->arena, err);
    if (!rc && e.groups.len) {
        page_heading(s->page, 2, "Failures");
        page_table_begin(s->page, titles, 5);
        for (size_t i = 0; i < e.groups.len && i < FAILURES; i++) {
            const struct error_group *g = e.groups.p[i];
            const char *const cells[] = {
                plot_count(s->arena, (uint64_t)g->count), state_name(g->state),
                arena_printf(s->arena, "%lld", (long long)g->ids.p[0]),
                arena_cstr(s->arena, g->line), g->hint};
            page_row(s->page, cells, 5);
        }
        page_table_end(s->page);
        if (e.groups.len > FAILURES)
            page_text(s->page, arena_printf(s->arena, "And %zu more messages.",
                                            e.groups.len - FAILURES));
    }
    errors_done(&e);
    return rc;
}

/* ---- where it comes from ---------------------------------------------------
 */

/* Unix time as people write it, in UTC. */
static const char *day(struct summing *s, const char *unix_time)
{
    char text[64];
    double when;
    struct tm tm;
    if (!unix_time || !num_double(str_of(unix_time), &when) ||
        !(fabs(when) < 1e15))
        return NULL;
    time_t seconds_of = (time_t)when;
    if (!gmtime_r(&seconds_of, &tm) ||
        !strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
        return NULL;
    return arena_cstr(s->arena, str_of(text));
}

static void add_provenance(struct summing *s)
{
    static const char *const titles[] = {"provenance", ""};
    struct buf commit, code;
    page_heading(s->page, 2, "Where it comes from");
    page_table_begin(s->page, titles, 2);
    buf_init(&commit);
    buf_init(&code);
    provenance_commit(&commit, &s->now.code, s->where->name);
    provenance_frozen(&code, &s->now.code);
    pair(s, "throng", THRONG_VERSION);
    pair(s, "study file", fact(s, "file"));
    pair(s, "created", day(s, fact(s, "created")));
    pair(s, "commit", commit.p);
    pair(s, "code", code.p);
    pair(s, "command", fact(s, "command"));
    pair(s, "interpreter", fact(s, "interpreter"));
    pair(s, "method", fact(s, "method"));
    if (s->plan)
        pair(s, "seed",
             arena_printf(s->arena, "%llu", (unsigned long long)s->plan->seed));
    buf_done(&commit);
    buf_done(&code);
    page_table_end(s->page);
    const char *text = fact(s, "text");
    if (text)
        page_heading(s->page, 3, "The study file");
    if (text)
        page_code(s->page, text);
}

static void add_how_to(struct summing *s)
{
    struct buf b;
    buf_init(&b);
    page_heading(s->page, 2, "How to do it again");
    if (s->now.code.commit.len)
        buf_addf(&b, "git checkout %.*s\n", STRF(s->now.code.commit));
    if (s->now.code.diff.len) {
        buf_adds(&b, "throng status");
        command_add_word(&b, " ", str_of(s->where->name));
        buf_adds(&b, " --diff | git apply\n");
    }
    const char *file = fact(s, "file");
    buf_adds(&b, "throng run");
    command_add_word(&b, " ", str_of(file ? file : "study.yaml"));
    command_add_word(
        &b, " --new ",
        str_of(arena_printf(s->arena, "%s-again", s->where->name)));
    buf_addc(&b, '\n');
    if (s->now.best.id) {
        buf_adds(&b, "throng show");
        command_add_word(&b, " ", str_of(s->where->name));
        buf_addf(&b, " %lld --command   # the best trial alone\n",
                 (long long)s->now.best.id);
    }
    page_code(s->page, b.p);
    buf_done(&b);
}

/* ---- all of it ------------------------------------------------------------
 */

static int add_all(struct summing *s, struct err *err)
{
    page_heading(s->page, 1, s->where->name);
    if (s->plan && s->plan->description.len)
        page_text(s->page, arena_cstr(s->arena, s->plan->description));
    add_status(s);
    if (add_ranking(s, err))
        return -1;
    add_figures(s);
    if (add_failures(s, err))
        return -1;
    add_provenance(s);
    add_how_to(s);
    return 0;
}

int summary_add(struct page *page, struct store *store,
                const struct place_of_study *where, struct err *err)
{
    struct summing s = {
        .page = page, .store = store, .where = where, .arena = page->arena};
    struct err ignored = {0};
    s.plan =
        study_stored_plan(store, where->home, where->name, s.arena, &ignored);
    int rc = standing_read(&s.now, store, s.arena, err) ||
                     standing_read_results(&s.now, store, s.arena, err) ||
                     add_all(&s, err)
                 ? -1
                 : 0;
    standing_done(&s.now);
    plan_close(s.plan);
    return rc;
}
