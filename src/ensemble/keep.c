/* keep.c - what is kept of predictions
 *
 * A rule that ranks keeps its best n rows in a heap with the worst at the root,
 * by (number, row): equal numbers are told apart by the row, the smaller one
 * being better, so that what is kept is a function of the rows alone. Counts of
 * histograms add up as whole numbers. So it does not matter in which order rows
 * come, nor in how many parts they were looked at. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "ensemble/keep.h"

/* ---- the first of a rule ------------------------------------------------- */

bool keep_better(const struct keep_rule *r, const struct kept *a,
                 const struct kept *b)
{
    if (a->by != b->by)
        return r->kind == KEEP_TOP ? a->by > b->by : a->by < b->by;
    return a->row < b->row;
}

static void sift_down(struct keep_part *p, const struct keep_rule *r, size_t at,
                      size_t len)
{
    struct kept moved = p->heap[at];
    for (size_t child; (child = 2 * at + 1) < len; at = child) {
        if (child + 1 < len &&
            keep_better(r, &p->heap[child], &p->heap[child + 1]))
            child++;
        if (!keep_better(r, &moved, &p->heap[child]))
            break;
        p->heap[at] = p->heap[child];
    }
    p->heap[at] = moved;
}

static void sift_up(struct keep_part *p, const struct keep_rule *r, size_t at)
{
    struct kept moved = p->heap[at];
    while (at > 0) {
        size_t parent = (at - 1) / 2;
        if (!keep_better(r, &p->heap[parent], &moved))
            break;
        p->heap[at] = p->heap[parent];
        at = parent;
    }
    p->heap[at] = moved;
}

void keep_rank(struct keep_part *p, const struct keep_rule *r, size_t columns,
               uint64_t row, const double *values)
{
    struct kept one = {values[r->column], row, p->len};
    if (p->len == r->most) {
        if (!keep_better(r, &one, &p->heap[0]))
            return;
        one.slot = p->heap[0].slot;
        p->heap[0] = one;
        sift_down(p, r, 0, p->len);
    } else {
        p->heap[p->len] = one;
        sift_up(p, r, p->len++);
    }
    memcpy(p->values + one.slot * columns, values, columns * sizeof(*values));
}

/* The root is the worst of the first `len`, and goes behind them; then the
 * worst is the last, and all are turned round. */
void keep_sort(struct keep_part *p, const struct keep_rule *r)
{
    for (size_t len = p->len; len > 1; len--) {
        struct kept worst = p->heap[0];
        p->heap[0] = p->heap[len - 1];
        p->heap[len - 1] = worst;
        sift_down(p, r, 0, len - 1);
    }
    for (size_t i = 0; i < p->len / 2; i++) {
        struct kept x = p->heap[i];
        p->heap[i] = p->heap[p->len - 1 - i];
        p->heap[p->len - 1 - i] = x;
    }
}

/* ---- histograms ---------------------------------------------------------- */

/* The number that a person means by it: 0.3, where adding up steps comes to
 * 0.30000000000000004, so that a row of 0.3 is in the bin that begins there. */
double keep_edge(const struct keep_axis *axis, size_t i)
{
    double step = (axis->to - axis->from) / (double)axis->bins;
    if (i == 0 || i == axis->bins)
        return i ? axis->to : axis->from;
    return num_round(axis->from + (double)i * step, axis->decimals);
}

/* Fifteen digits, unless bins are so narrow that they are too few. Without a
 * logarithm: shards are counted on several machines. */
int keep_edge_decimals(const struct keep_axis *axis)
{
    double size = fmax(fabs(axis->from), fabs(axis->to));
    double step = (axis->to - axis->from) / (double)axis->bins;
    double unit = 1e-14;
    int decimals = 14;
    for (; size >= 10 && decimals >= 0; size /= 10, unit *= 10)
        decimals--;
    for (; size < 1 && decimals < 22; size *= 10, unit /= 10)
        decimals++;
    return step > 1000 * unit ? decimals : -1;
}

/* 0: below; bins + 1: above. The last bin has its upper edge, too. What
 * division says is set right by the edges. */
static size_t bin_of(const struct keep_axis *axis, double x)
{
    if (x < axis->from)
        return 0;
    if (x > axis->to)
        return axis->bins + 1;
    double part = (x - axis->from) / (axis->to - axis->from);
    size_t i = (size_t)(part * (double)axis->bins);
    if (i >= axis->bins)
        i = axis->bins - 1;
    if (x < keep_edge(axis, i))
        i--;
    else if (i + 1 < axis->bins && x >= keep_edge(axis, i + 1))
        i++;
    return i + 1;
}

static void count_row(struct keep_part *p, const struct keep_rule *r,
                      const double *values)
{
    size_t cell = 0;
    for (size_t i = 0; i < r->axis_count; i++) {
        const struct keep_axis *axis = &r->axes[i];
        if (isnan(values[axis->column])) {
            p->nan++;
            return;
        }
        cell = cell * (axis->bins + 2) + bin_of(axis, values[axis->column]);
    }
    p->cells[cell]++;
}

/* ---- rows ---------------------------------------------------------------- */

static bool add_to_rule(struct keep *k, size_t i, uint64_t row,
                        const double *values)
{
    const struct keep_rule *r = &k->rules->rules[i];
    struct keep_part *p = &k->parts[i];
    if (r->where && !where_test(r->where, values))
        return false;
    if (r->kind == KEEP_LISTED)
        return true;
    if (r->kind == KEEP_HISTOGRAM)
        count_row(p, r, values);
    else if (isnan(values[r->column]))
        p->nan++;
    else
        keep_rank(p, r, k->rules->column_count, row, values);
    return false;
}

bool keep_add(struct keep *k, uint64_t row, const double *values)
{
    bool listed = false;
    for (size_t i = 0; i < k->rules->count; i++)
        listed |= add_to_rule(k, i, row, values);
    k->listed += listed;
    return listed;
}

/* Puts a range into its place, and takes neighbours that it touches into it. */
static void insert_range(struct keep *k, size_t at, struct keep_range own)
{
    bool before = at > 0 && k->seen.p[at - 1].to == own.from;
    bool behind = at < k->seen.len && k->seen.p[at].from == own.to;
    if (before && behind) {
        k->seen.p[at - 1].to = k->seen.p[at].to;
        memmove(k->seen.p + at, k->seen.p + at + 1,
                (--k->seen.len - at) * sizeof(own));
    } else if (before) {
        k->seen.p[at - 1].to = own.to;
    } else if (behind) {
        k->seen.p[at].from = own.from;
    } else {
        vec_push(&k->seen, own);
        memmove(k->seen.p + at + 1, k->seen.p + at,
                (k->seen.len - 1 - at) * sizeof(own));
        k->seen.p[at] = own;
    }
}

int keep_cover(struct keep *k, uint64_t from, uint64_t to, struct err *err)
{
    size_t low = 0, high = k->seen.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (k->seen.p[mid].to <= from)
            low = mid + 1;
        else
            high = mid;
    }
    if (from >= to)
        return 0;
    if (low < k->seen.len && k->seen.p[low].from < to)
        return err_set(err, ERR_INPUT,
                       "rows %llu to %llu are there already: no row counts "
                       "twice",
                       (unsigned long long)from + 1, (unsigned long long)to);
    insert_range(k, low, (struct keep_range){from, to});
    return 0;
}

uint64_t keep_missing(const struct keep *k, uint64_t rows)
{
    uint64_t at = 0;
    if (k->seen.len && k->seen.p[0].from == 0)
        at = k->seen.p[0].to;
    return at < rows ? at : rows;
}

/* ---- life ---------------------------------------------------------------- */

/* Pages that no row has come to take no memory. */
static int open_part(struct keep_part *p, const struct keep_rule *r,
                     size_t columns, struct err *err)
{
    if (keep_is_ranked(r)) {
        p->heap = calloc(r->most, sizeof(*p->heap));
        p->values = calloc(r->most * columns + 1, sizeof(*p->values));
    } else if (r->kind == KEEP_HISTOGRAM) {
        p->cell_count = 1;
        for (size_t i = 0; i < r->axis_count; i++)
            p->cell_count *= r->axes[i].bins + 2;
        p->cells = calloc(p->cell_count, sizeof(*p->cells));
    } else {
        return 0;
    }
    return (p->heap && p->values) || p->cells
               ? 0
               : err_set(err, ERR_LIMIT, "no memory for what %.*s keeps",
                         STRF(r->name));
}

struct keep *keep_new(const struct keep_rules *rules, struct err *err)
{
    struct keep *k = xcalloc(1, sizeof(*k));
    require(rules->columns);
    k->rules = rules;
    k->parts = xcalloc(rules->count, sizeof(*k->parts));
    for (size_t i = 0; i < rules->count; i++)
        if (open_part(&k->parts[i], &rules->rules[i], rules->column_count,
                      err)) {
            keep_free(k);
            return NULL;
        }
    return k;
}

void keep_free(struct keep *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->rules->count; i++) {
        free(k->parts[i].heap);
        free(k->parts[i].values);
        free(k->parts[i].cells);
    }
    free(k->parts);
    vec_done(&k->seen);
    free(k);
}
