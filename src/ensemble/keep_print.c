/* keep_print.c - what is kept as tables */
#include <math.h>

#include "base/csv.h"
#include "base/num.h"
#include "ensemble/keep.h"

#define LINES_AT_ONCE 1000

size_t keep_rule_count(const struct keep_rules *r)
{
    return r->count;
}

const char *keep_rule_table(const struct keep_rules *r, size_t rule,
                            struct arena *a)
{
    return r->rules[rule].kind == KEEP_LISTED
               ? NULL
               : arena_cstr(a, r->rules[rule].name);
}

uint64_t keep_not_numbers(const struct keep *k, size_t rule)
{
    return k->parts[rule].nan;
}

/* Empty where it is not a number, as in the table of predictions. */
static void add_number(struct buf *b, double x)
{
    if (!isnan(x))
        num_print(b, x);
}

/* ---- rows ---------------------------------------------------------------- */

static void plain_name(void *context, uint64_t row, bool names, struct buf *b)
{
    (void)context;
    if (names)
        buf_adds(b, "row");
    else
        buf_addf(b, "%llu", (unsigned long long)row + 1);
}

static void add_names(const struct keep_rules *r, keep_name_fn *name,
                      void *context, struct buf *b)
{
    name(context, 0, true, b);
    for (size_t i = 0; i < r->column_count; i++) {
        buf_addc(b, ',');
        csv_field(b, str_of(r->columns[i]), ',');
    }
    buf_addc(b, '\n');
}

static void add_row(const struct keep *k, const struct keep_part *p,
                    const struct kept *one, keep_name_fn *name, void *context,
                    struct buf *b)
{
    size_t columns = k->rules->column_count;
    name(context, one->row, false, b);
    for (size_t i = 0; i < columns; i++) {
        buf_addc(b, ',');
        add_number(b, p->values[one->slot * columns + i]);
    }
    buf_addc(b, '\n');
}

static bool add_rows(struct keep *k, size_t rule, size_t *at,
                     keep_name_fn *name, void *context, struct buf *b)
{
    struct keep_part *p = &k->parts[rule];
    size_t end = p->len - *at < LINES_AT_ONCE ? p->len : *at + LINES_AT_ONCE;
    if (*at == 0) {
        keep_sort(p, &k->rules->rules[rule]);
        add_names(k->rules, name, context, b);
    }
    for (; *at < end; (*at)++)
        add_row(k, p, &p->heap[p->len - 1 - *at], name, context, b);
    return *at < p->len;
}

/* ---- histograms ---------------------------------------------------------- */

static void add_edges(const struct keep_axis *axis, size_t bin, struct buf *b)
{
    num_print(b, bin == 0 ? -INFINITY : keep_edge(axis, bin - 1));
    buf_addc(b, ',');
    num_print(b, bin > axis->bins ? INFINITY : keep_edge(axis, bin));
    buf_addc(b, ',');
}

static void add_edge_names(const struct keep_axis *axis, struct buf *b)
{
    struct buf name;
    buf_init(&name);
    for (int i = 0; i < 2; i++) {
        buf_reset(&name);
        buf_addf(&name, "%.*s_%s", STRF(axis->of), i ? "to" : "from");
        csv_field(b, buf_str(&name), ',');
        buf_addc(b, ',');
    }
    buf_done(&name);
}

static bool add_cells(const struct keep *k, size_t rule, size_t *at,
                      struct buf *b)
{
    const struct keep_rule *r = &k->rules->rules[rule];
    const struct keep_part *p = &k->parts[rule];
    size_t inner = r->axis_count > 1 ? r->axes[1].bins + 2 : 1;
    for (size_t i = 0; *at == 0 && i < r->axis_count; i++)
        add_edge_names(&r->axes[i], b);
    if (*at == 0)
        buf_adds(b, "rows\n");
    for (size_t n = 0; n < LINES_AT_ONCE && *at < p->cell_count; n++) {
        add_edges(&r->axes[0], *at / inner, b);
        if (r->axis_count > 1)
            add_edges(&r->axes[1], *at % inner, b);
        buf_addf(b, "%llu\n", (unsigned long long)p->cells[(*at)++]);
    }
    return *at < p->cell_count;
}

bool keep_table(struct keep *k, size_t rule, size_t *at, keep_name_fn *name,
                void *context, struct buf *b)
{
    return k->rules->rules[rule].kind == KEEP_HISTOGRAM
               ? add_cells(k, rule, at, b)
               : add_rows(k, rule, at, name ? name : plain_name, context, b);
}
