/* sums.c - what the numbers of a column are over some rows: their ends, mean
 * and spread, and where which part of them lies
 *
 * Gaps do not count. Rows are read in the order they lie in, so that an input
 * of several tables has the sums, to the last bit, that it would have in one.
 */
#include <math.h>
#include <stdlib.h>

#include "data/set.h"

static void moments_init(struct moments *m, size_t columns, struct arena *a)
{
    double **all[] = {&m->low, &m->high, &m->sum, &m->squares, &m->count};
    for (size_t i = 0; i < 5; i++)
        *all[i] = arena_array(a, columns, sizeof(double));
    for (size_t c = 0; c < columns; c++) {
        m->low[c] = INFINITY;
        m->high[c] = -INFINITY;
    }
}

static void take(struct moments *m, const float *x, size_t at, size_t columns)
{
    for (size_t c = at; c < at + columns; c++, x++) {
        double v = (double)*x;
        if (isnan(v))
            continue;
        m->low[c] = v < m->low[c] ? v : m->low[c];
        m->high[c] = v > m->high[c] ? v : m->high[c];
        m->sum[c] += v;
        m->count[c]++;
    }
}

static void take_squares(struct moments *m, const float *x, size_t at,
                         size_t columns)
{
    for (size_t c = at; c < at + columns; c++, x++) {
        double d = (double)*x - m->sum[c] / m->count[c];
        m->squares[c] += isnan(d) ? 0 : d * d;
    }
}

void data_moments(struct moments *m, const struct data_field *f, size_t rows,
                  const struct data_part *p, bool squares, struct arena *a)
{
    struct data_piece whole;
    size_t count;
    const struct data_piece *pieces = data_pieces(f, rows, &whole, &count);
    moments_init(m, (size_t)f->columns, a);
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < count; k++)
            take(m, data_piece_row(&pieces[k], p->rows[i]), pieces[k].at,
                 pieces[k].columns);
    for (size_t i = 0; squares && i < p->count; i++)
        for (size_t k = 0; k < count; k++)
            take_squares(m, data_piece_row(&pieces[k], p->rows[i]),
                         pieces[k].at, pieces[k].columns);
}

/* ---- sorted ---------------------------------------------------------------
 */

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* Floats as whole numbers of the same order. */
static uint32_t to_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float from_key(uint32_t key)
{
    uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void sort_digit(const uint32_t *from, uint32_t *to, size_t count,
                       unsigned shift)
{
    size_t start[DIGITS] = {0}, at = 0;
    for (size_t i = 0; i < count; i++)
        start[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t own = start[d];
        start[d] = at;
        at += own;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

size_t data_sorted(const struct data_field *f, size_t column,
                   const struct data_part *p, float *to)
{
    uint32_t *keys = xcalloc(2 * p->count + 1, sizeof(*keys));
    uint32_t *other = keys + p->count;
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        float x = data_number(f, p->rows[i], column);
        if (!isnan(x))
            keys[count++] = to_key(x);
    }
    sort_digit(keys, other, count, 0);
    sort_digit(other, keys, count, DIGIT_BITS);
    sort_digit(keys, other, count, 2 * DIGIT_BITS);
    for (size_t i = 0; i < count; i++)
        to[i] = from_key(other[i]);
    free(keys);
    return count;
}

double data_quantile(const float *sorted, size_t count, double part)
{
    double at = part * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return (double)sorted[count - 1];
    double low = (double)sorted[below], high = (double)sorted[below + 1];
    return low + (at - (double)below) * (high - low);
}
