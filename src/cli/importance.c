/* importance.c - which parameters matter, and where they are good */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/cli.h"
#include "search/search.h"
#include "view/view.h"

#define BAR_COLUMNS 24
#define DIGITS 4
#define SEED 1 /* of the forest; the answer is the same every time */

struct curve {
    struct importance_cell *cells;
    size_t count;
};

struct inquiry {
    struct call *call;
    const char *study;
    const char *method; /* ped-anova or fanova */
    struct str metric;
    bool minimize;
    struct space space;
    struct importance *importance;
    double *shares;
    struct curve *curves;
    size_t *order; /* parameters, the most important first */
    struct buf out;
};

/* ---- finding out ------------------------------------------------------ */

/* The most important first; equal ones by name. */
static void sort_by_share(struct inquiry *q)
{
    for (size_t i = 0; i < q->space.count; i++) {
        size_t k = i;
        for (; k > 0 && q->shares[q->order[k - 1]] < q->shares[i]; k--)
            q->order[k] = q->order[k - 1];
        q->order[k] = i;
    }
}

static int find_out(struct inquiry *q)
{
    struct call *c = q->call;
    size_t n = q->space.count;
    q->shares = arena_array(c->arena, n + 1, sizeof(*q->shares));
    q->curves = arena_array(c->arena, n + 1, sizeof(*q->curves));
    q->order = arena_array(c->arena, n + 1, sizeof(*q->order));
    int rc = strcmp(q->method, "fanova")
                 ? importance_ped(q->importance, q->shares, &c->err)
                 : importance_fanova(q->importance, SEED, q->shares, &c->err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct curve *k = &q->curves[i];
        rc = importance_curve(q->importance, i, SEED, c->arena, &k->cells,
                              &k->count, &c->err);
    }
    if (!rc)
        sort_by_share(q);
    return rc;
}

/* ---- for people ------------------------------------------------------- */

/* A bar of blocks, to an eighth of a column. */
static void add_bar(struct buf *b, double part)
{
    static const char *const eighths[] = {"",  "▏", "▎", "▍",
                                          "▌", "▋", "▊", "▉"};
    int n = (int)lround(fmin(fmax(part, 0), 1) * BAR_COLUMNS * 8);
    for (int i = 0; i < n / 8; i++)
        buf_adds(b, "█");
    buf_adds(b, eighths[n % 8]);
}

static void add_value(struct buf *b, const struct value *v)
{
    if (v && v->kind == VALUE_DOUBLE)
        num_print_short(b, v->d, DIGITS);
    else
        point_cell(b, v);
}

/* "0.001 to 0.01", or a choice. */
static void add_range(struct buf *b, const struct value *from,
                      const struct value *to)
{
    add_value(b, from);
    if (from == to || value_eq(from, to))
        return;
    buf_adds(b, " to ");
    add_value(b, to);
}

static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void add_padded(struct buf *b, const char *text, size_t width)
{
    size_t has = width_of(text);
    buf_addf(b, "%s%*s", text, (int)(width > has ? width - has : 0), "");
}

static void print_shares(struct inquiry *q)
{
    size_t width = 9;
    for (size_t i = 0; i < q->space.count; i++)
        if (q->space.params[i].name.len > width)
            width = q->space.params[i].name.len;
    for (size_t k = 0; k < q->space.count; k++) {
        size_t i = q->order[k];
        if (!q->curves[i].count)
            continue;
        char *name = arena_cstr(q->call->arena, q->space.params[i].name);
        add_padded(&q->out, name, width);
        buf_addf(&q->out, "  %5.1f %%  ", 100 * q->shares[i]);
        add_bar(&q->out, q->shares[i]);
        buf_addc(&q->out, '\n');
    }
}

/* The least and the greatest mean of all cells, so that bars compare. */
static void find_limits(const struct inquiry *q, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < q->space.count; i++)
        for (size_t k = 0; k < q->curves[i].count; k++) {
            double m = q->curves[i].cells[k].mean;
            *low = m < *low ? m : *low;
            *high = m > *high ? m : *high;
        }
}

static const char *region_name(enum region r)
{
    static const char *const names[] = {
        [REGION_NEITHER] = "", [REGION_GOOD] = "good", [REGION_BAD] = "bad"};
    return names[r];
}

/* A choice has a line of its own. */
static void print_choices(struct inquiry *q, const struct curve *k, double low,
                          double high)
{
    struct buf *b = &q->out, text;
    buf_init(&text);
    for (size_t j = 0; j < k->count; j++) {
        const struct importance_cell *cell = &k->cells[j];
        buf_reset(&text);
        add_value(&text, cell->from);
        buf_adds(b, "  ");
        add_padded(b, text.p, 16);
        buf_reset(&text);
        num_print_short(&text, cell->mean, DIGITS);
        buf_addf(b, "%10s  ", text.p);
        buf_reset(&text);
        add_bar(&text, high > low ? (cell->mean - low) / (high - low) : 0);
        const char *region = region_name(cell->region);
        add_padded(b, text.p, *region ? BAR_COLUMNS + 2 : 0);
        buf_addf(b, "%s\n", region);
    }
    buf_done(&text);
}

/* A number has one column for each part of its range. */
static void print_range(struct inquiry *q, const struct curve *k, double low,
                        double high)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄",
                                         "▅", "▆", "▇", "█"};
    static const char marks[] = {
        [REGION_NEITHER] = ' ', [REGION_GOOD] = '+', [REGION_BAD] = '-'};
    struct buf *b = &q->out, left;
    double least = INFINITY, most = -INFINITY;
    buf_init(&left);
    add_value(&left, k->cells[0].from);
    buf_addf(b, "  %10s ", left.p);
    for (size_t j = 0; j < k->count; j++) {
        double m = k->cells[j].mean;
        double part = high > low ? (m - low) / (high - low) : 0;
        buf_adds(b, blocks[(int)lround(fmin(fmax(part, 0), 1) * 7)]);
        least = fmin(least, m);
        most = fmax(most, m);
    }
    buf_addc(b, ' ');
    buf_reset(&left);
    add_value(&left, k->cells[k->count - 1].to);
    buf_addf(b, "%-10s ", left.p);
    num_print_short(b, least, DIGITS);
    buf_adds(b, " to ");
    num_print_short(b, most, DIGITS);
    buf_addc(b, '\n');
    buf_reset(&left);
    for (size_t j = 0; j < k->count; j++)
        buf_addc(&left, marks[k->cells[j].region]);
    while (left.len && left.p[left.len - 1] == ' ')
        left.p[--left.len] = 0;
    if (left.len)
        buf_addf(b, "%13s%s\n", "", left.p);
    buf_done(&left);
}

static void print_curve(struct inquiry *q, size_t i, double low, double high)
{
    const struct param *p = &q->space.params[i];
    buf_addf(&q->out, "\n%.*s\n", STRF(p->name));
    if (p->dist == DIST_CATEGORICAL)
        print_choices(q, &q->curves[i], low, high);
    else
        print_range(q, &q->curves[i], low, high);
}

/* Cells of a kind that lie side by side are one region. */
static bool add_regions(struct inquiry *q, size_t i, enum region want,
                        bool first)
{
    const struct curve *k = &q->curves[i];
    struct str name = q->space.params[i].name;
    for (size_t j = 0; j < k->count; j++) {
        size_t last = j;
        if (k->cells[j].region != want)
            continue;
        bool choice = q->space.params[i].dist == DIST_CATEGORICAL;
        while (!choice && last + 1 < k->count &&
               k->cells[last + 1].region == want)
            last++;
        const struct value *from = k->cells[j].from, *to = k->cells[last].to;
        buf_addf(&q->out, "%s%.*s %s", first ? "" : "; ", STRF(name),
                 choice || value_eq(from, to) ? "" : "from ");
        add_range(&q->out, from, to);
        first = false;
        j = last;
    }
    return first;
}

static void print_regions(struct inquiry *q, enum region want)
{
    size_t before = q->out.len;
    bool none = true;
    buf_addf(&q->out, "%s: ", region_name(want));
    for (size_t k = 0; k < q->space.count; k++)
        none = add_regions(q, q->order[k], want, none);
    if (none) {
        q->out.len = before;
        buf_addf(&q->out, "%s: no region stands out", region_name(want));
    }
    buf_addc(&q->out, '\n');
}

static void print_text(struct inquiry *q)
{
    double low, high;
    buf_addf(&q->out,
             "study    %s\nmetric   %.*s, %s\nresults  %zu\nmethod   %s\n\n",
             q->study, STRF(q->metric), q->minimize ? "minimize" : "maximize",
             importance_count(q->importance), q->method);
    print_shares(q);
    buf_addf(&q->out,
             "\nWhat a model expects of %.*s, by parameter (+ good, - bad):\n",
             STRF(q->metric));
    find_limits(q, &low, &high);
    for (size_t k = 0; k < q->space.count; k++)
        if (q->curves[q->order[k]].count)
            print_curve(q, q->order[k], low, high);
    buf_addc(&q->out, '\n');
    print_regions(q, REGION_GOOD);
    print_regions(q, REGION_BAD);
}

/* ---- for programs ----------------------------------------------------- */

static void add_json_value(struct buf *b, const struct value *v)
{
    struct buf text;
    buf_init(&text);
    json_print(&text, v);
    strict_text(b, buf_str(&text));
    buf_done(&text);
}

static void print_json_param(struct inquiry *q, size_t i, bool first)
{
    struct buf *b = &q->out;
    const struct curve *k = &q->curves[i];
    buf_adds(b, first ? "{\"name\":" : ",{\"name\":");
    json_string(b, q->space.params[i].name);
    buf_adds(b, ",\"share\":");
    strict_number(b, q->shares[i]);
    buf_adds(b, ",\"cells\":[");
    for (size_t j = 0; j < k->count; j++) {
        const struct importance_cell *cell = &k->cells[j];
        buf_adds(b, j ? ",{\"from\":" : "{\"from\":");
        add_json_value(b, cell->from);
        buf_adds(b, ",\"to\":");
        add_json_value(b, cell->to);
        buf_adds(b, ",\"mean\":");
        strict_number_or_null(b, cell->mean);
        buf_adds(b, ",\"spread\":");
        strict_number_or_null(b, cell->spread);
        buf_addf(b, ",\"region\":\"%s\"}",
                 cell->region ? region_name(cell->region) : "neither");
    }
    buf_adds(b, "]}");
}

static void print_json(struct inquiry *q)
{
    struct buf *b = &q->out;
    bool first = true;
    buf_adds(b, "{\"schema\":\"throng.importance/1\"");
    age_json(b, q->call->as_of);
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(q->study));
    buf_adds(b, ",\"metric\":");
    json_string(b, q->metric);
    buf_addf(b,
             ",\"goal\":\"%s\",\"method\":\"%s\",\"results\":%zu,"
             "\"parameters\":[",
             q->minimize ? "minimize" : "maximize", q->method,
             importance_count(q->importance));
    for (size_t k = 0; k < q->space.count; k++) {
        if (!q->curves[q->order[k]].count)
            continue;
        print_json_param(q, q->order[k], first);
        first = false;
    }
    buf_adds(b, "]}\n");
}

/* ---- the verb --------------------------------------------------------- */

static int choose_method(struct inquiry *q)
{
    const char *said = call_option(q->call, "method");
    q->method = "ped-anova";
    if (!said || !strcmp(said, "ped-anova") || !strcmp(said, "ped"))
        return 0;
    q->method = "fanova";
    if (!strcmp(said, "fanova"))
        return 0;
    return err_set(&q->call->err, ERR_USAGE,
                   "--method takes ped-anova or fanova, not `%s`", said);
}

/* *other: the metric is not the one that ranks. */
static int choose_metric(struct inquiry *q, struct store *store, bool *other)
{
    struct call *c = q->call;
    struct study_goal goal;
    const char *by = call_option(c, "by");
    if (study_goal_read(store, c->arena, &goal, &c->err))
        return -1;
    if (!by && !goal.name.len)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric; use --by NAME");
    q->metric = by ? str_of(by) : goal.name;
    q->minimize = by ? goal_minimizes(&goal.all, q->metric) : goal.minimize;
    *other = by && !str_eq(q->metric, goal.name);
    return by ? name_check(store, by, c->arena, &c->err) : 0;
}

static int answer(struct inquiry *q, struct store *store)
{
    struct call *c = q->call;
    bool other = false;
    if (choose_method(q) || choose_metric(q, store, &other))
        return -1;
    q->importance = study_importance(store, other ? q->metric : STR(""),
                                     q->minimize, &q->space, c->arena, &c->err);
    if (!q->importance || find_out(q))
        return -1;
    if (call_flag(c, "json"))
        print_json(q);
    else
        print_text(q);
    put(buf_str(&q->out));
    return 0;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    struct inquiry q = {.call = c, .study = where.name};
    buf_init(&q.out);
    int code = answer(&q, store) ? call_fail(c) : EXIT_OK;
    importance_free(q.importance);
    buf_done(&q.out);
    store_close(store);
    return code;
}

const struct verb verb_importance = {
    .name = "importance",
    .args = "[STUDY]",
    .summary = "Say which parameters matter, and where they are good",
    .text =
        "How much each parameter decides (PED-ANOVA: how the best tenth of "
        "the results\ndiffers from all; fanova: the part of the variance that "
        "it explains alone), what\na random forest expects of each part of "
        "its range, and which parts are good or\nbad.\n",
    .options =
        (const struct option_spec[]){
            {"method", 0, "M", "ped-anova (default) or fanova"},
            {"by", 0, "METRIC", "instead of the study's own metric"},
            {"json", 0, NULL, "for programs: schema throng.importance/1"},
            {0}},
    .run = run,
    .pages = true,
};
