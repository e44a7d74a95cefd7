/* importance.c - which parameters matter, and where they are good */
#include <math.h>
#include "base/num.h"
#include "cli/cli.h"

#define BAR_COLUMNS 24
#define DIGITS 4

struct asking {
    struct call *call;
    const char *study;
    struct inquiry answer;
    struct buf out;
};

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

static void print_shares(struct asking *q)
{
    size_t width = 9;
    for (size_t i = 0; i < q->answer.space.count; i++)
        if (q->answer.space.params[i].name.len > width)
            width = q->answer.space.params[i].name.len;
    for (size_t k = 0; k < q->answer.space.count; k++) {
        size_t i = q->answer.order[k];
        if (!q->answer.curves[i].count)
            continue;
        char *name = arena_cstr(q->call->arena, q->answer.space.params[i].name);
        add_padded(&q->out, name, width);
        buf_addf(&q->out, "  %5.1f %%  ", 100 * q->answer.shares[i]);
        add_bar(&q->out, q->answer.shares[i]);
        buf_addc(&q->out, '\n');
    }
}

/* The least and the greatest mean of all cells, so that bars compare. */
static void find_limits(const struct asking *q, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < q->answer.space.count; i++)
        for (size_t k = 0; k < q->answer.curves[i].count; k++) {
            double m = q->answer.curves[i].cells[k].mean;
            *low = m < *low ? m : *low;
            *high = m > *high ? m : *high;
        }
}

/* A choice has a line of its own. */
static void print_choices(struct asking *q, const struct inquiry_curve *k,
                          double low, double high)
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
static void print_range(struct asking *q, const struct inquiry_curve *k,
                        double low, double high)
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

static void print_curve(struct asking *q, size_t i, double low, double high)
{
    const struct param *p = &q->answer.space.params[i];
    buf_addf(&q->out, "\n%.*s\n", STRF(p->name));
    if (p->dist == DIST_CATEGORICAL)
        print_choices(q, &q->answer.curves[i], low, high);
    else
        print_range(q, &q->answer.curves[i], low, high);
}

/* Cells of a kind that lie side by side are one region. */
static bool add_regions(struct asking *q, size_t i, enum region want,
                        bool first)
{
    const struct inquiry_curve *k = &q->answer.curves[i];
    struct str name = q->answer.space.params[i].name;
    for (size_t j = 0; j < k->count; j++) {
        size_t last = j;
        if (k->cells[j].region != want)
            continue;
        bool choice = q->answer.space.params[i].dist == DIST_CATEGORICAL;
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

static void print_regions(struct asking *q, enum region want)
{
    size_t before = q->out.len;
    bool none = true;
    buf_addf(&q->out, "%s: ", region_name(want));
    for (size_t k = 0; k < q->answer.space.count; k++)
        none = add_regions(q, q->answer.order[k], want, none);
    if (none) {
        q->out.len = before;
        buf_addf(&q->out, "%s: no region stands out", region_name(want));
    }
    buf_addc(&q->out, '\n');
}

static void print_text(struct asking *q)
{
    double low, high;
    buf_addf(&q->out,
             "study    %s\nmetric   %.*s, %s\nresults  %zu\nmethod   %s\n\n",
             q->study, STRF(q->answer.metric),
             q->answer.minimize ? "minimize" : "maximize",
             importance_count(q->answer.importance), q->answer.method);
    print_shares(q);
    buf_addf(&q->out,
             "\nWhat a model expects of %.*s, by parameter (+ good, - bad):\n",
             STRF(q->answer.metric));
    find_limits(q, &low, &high);
    for (size_t k = 0; k < q->answer.space.count; k++)
        if (q->answer.curves[q->answer.order[k]].count)
            print_curve(q, q->answer.order[k], low, high);
    buf_addc(&q->out, '\n');
    print_regions(q, REGION_GOOD);
    print_regions(q, REGION_BAD);
}

/* ---- the verb --------------------------------------------------------- */

static int choose_method(struct asking *q)
{
    const char *said = call_option(q->call, "method");
    q->answer.method = "ped-anova";
    if (!said || !strcmp(said, "ped-anova") || !strcmp(said, "ped"))
        return 0;
    q->answer.method = "fanova";
    if (!strcmp(said, "fanova"))
        return 0;
    return err_set(&q->call->err, ERR_USAGE,
                   "--method takes ped-anova or fanova, not `%s`", said);
}

/* *other: the metric is not the one that ranks. */
static int choose_metric(struct asking *q, struct store *store, bool *other)
{
    struct call *c = q->call;
    struct study_goal goal;
    const char *by = call_option(c, "by");
    if (study_goal_read(store, c->arena, &goal, &c->err))
        return -1;
    if (!by && !goal.name.len)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric; use --by NAME");
    q->answer.metric = by ? str_of(by) : goal.name;
    q->answer.minimize =
        by ? goal_minimizes(&goal.all, q->answer.metric) : goal.minimize;
    *other = by && !str_eq(q->answer.metric, goal.name);
    return by ? name_check(store, by, c->arena, &c->err) : 0;
}

static int answer(struct asking *q, struct store *store)
{
    struct call *c = q->call;
    bool other = false;
    if (choose_method(q) || choose_metric(q, store, &other) ||
        inquiry_read(&q->answer, store, other, c->arena, &c->err))
        return -1;
    if (call_flag(c, "json"))
        inquiry_json(&q->out, &q->answer, q->study, c->as_of);
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
    struct asking q = {.call = c, .study = where.name};
    buf_init(&q.out);
    int code = answer(&q, store) ? call_fail(c) : EXIT_OK;
    inquiry_done(&q.answer);
    buf_done(&q.out);
    store_close(store);
    return code;
}

VERB(importance) = {
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
