/* inquiry_text.c - which parameters matter, in words and bars */
#include <math.h>
#include "base/num.h"
#include "base/shown.h"
#include "view/view.h"

#define BAR_COLUMNS 24
#define DIGITS 4

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

static void add_padded(struct buf *b, struct str text, size_t width)
{
    size_t has = shown_width(text);
    buf_addf(b, "%.*s%*s", STRF(text), (int)(width > has ? width - has : 0),
             "");
}

static void print_shares(struct buf *b, const struct inquiry *q)
{
    size_t width = 9;
    for (size_t i = 0; i < q->space.count; i++)
        if (q->space.params[i].name.len > width)
            width = q->space.params[i].name.len;
    for (size_t k = 0; k < q->space.count; k++) {
        size_t i = q->order[k];
        if (!q->curves[i].count)
            continue;
        add_padded(b, q->space.params[i].name, width);
        buf_addf(b, "  %5.1f %%  ", 100 * q->shares[i]);
        add_bar(b, q->shares[i]);
        buf_addc(b, '\n');
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

/* A choice has a line of its own. */
static void print_choices(struct buf *b, const struct inquiry_curve *k,
                          double low, double high)
{
    struct buf text;
    buf_init(&text);
    for (size_t j = 0; j < k->count; j++) {
        const struct importance_cell *cell = &k->cells[j];
        buf_reset(&text);
        add_value(&text, cell->from);
        buf_adds(b, "  ");
        add_padded(b, buf_str(&text), 16);
        buf_reset(&text);
        num_print_short(&text, cell->mean, DIGITS);
        buf_addf(b, "%10s  ", text.p);
        buf_reset(&text);
        add_bar(&text, high > low ? (cell->mean - low) / (high - low) : 0);
        const char *region = region_name(cell->region);
        add_padded(b, buf_str(&text), *region ? BAR_COLUMNS + 2 : 0);
        buf_addf(b, "%s\n", region);
    }
    buf_done(&text);
}

/* A number has one column for each part of its range. */
static void print_range(struct buf *b, const struct inquiry_curve *k,
                        double low, double high)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄",
                                         "▅", "▆", "▇", "█"};
    static const char marks[] = {
        [REGION_NEITHER] = ' ', [REGION_GOOD] = '+', [REGION_BAD] = '-'};
    struct buf left;
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

static void print_curve(struct buf *b, const struct inquiry *q, size_t i,
                        double low, double high)
{
    const struct param *p = &q->space.params[i];
    buf_addf(b, "\n%.*s\n", STRF(p->name));
    if (p->dist == DIST_CATEGORICAL)
        print_choices(b, &q->curves[i], low, high);
    else
        print_range(b, &q->curves[i], low, high);
}

/* Cells of a kind that lie side by side are one region. */
static bool add_regions(struct buf *b, const struct inquiry *q, size_t i,
                        enum region want, bool first)
{
    const struct inquiry_curve *k = &q->curves[i];
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
        buf_addf(b, "%s%.*s %s", first ? "" : "; ", STRF(name),
                 choice || value_eq(from, to) ? "" : "from ");
        add_range(b, from, to);
        first = false;
        j = last;
    }
    return first;
}

static void print_regions(struct buf *b, const struct inquiry *q,
                          enum region want)
{
    size_t before = b->len;
    bool none = true;
    buf_addf(b, "%s: ", region_name(want));
    for (size_t k = 0; k < q->space.count; k++)
        none = add_regions(b, q, q->order[k], want, none);
    if (none) {
        b->len = before;
        buf_addf(b, "%s: no region stands out", region_name(want));
    }
    buf_addc(b, '\n');
}

void inquiry_print(struct buf *b, const struct inquiry *q, const char *study)
{
    double low, high;
    buf_addf(b, "study    %s\nmetric   %.*s, %s\nresults  %zu\nmethod   %s\n\n",
             study, STRF(q->metric), q->minimize ? "minimize" : "maximize",
             importance_count(q->importance), q->method);
    print_shares(b, q);
    buf_addf(b,
             "\nWhat a model expects of %.*s, by parameter (+ good, - bad):\n",
             STRF(q->metric));
    find_limits(q, &low, &high);
    for (size_t k = 0; k < q->space.count; k++)
        if (q->curves[q->order[k]].count)
            print_curve(b, q, q->order[k], low, high);
    buf_addc(b, '\n');
    print_regions(b, q, REGION_GOOD);
    print_regions(b, q, REGION_BAD);
}
