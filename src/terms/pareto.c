/* pareto.c - several objectives at once: what no other point beats */
#include "terms/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/vec.h"

/* NaN as a number that all others are below. */
static double number(double v)
{
    return isnan(v) ? INFINITY : v;
}

bool pareto_dominates(const double *a, const double *b, size_t m)
{
    bool better = false;
    for (size_t i = 0; i < m; i++) {
        double x = number(a[i]), y = number(b[i]);
        if (x > y)
            return false;
        better |= x < y;
    }
    return better;
}

/* ---- fronts ----------------------------------------------------------- */

struct row {
    const double *p;
    size_t m, index;
};

static int by_first(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    for (size_t i = 0; i < a->m; i++) {
        double u = number(a->p[i]), v = number(b->p[i]);
        if (u != v)
            return u < v ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static struct row *sorted_rows(const double *points, size_t n, size_t m)
{
    struct row *rows = xcalloc(n ? n : 1, sizeof(*rows));
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct row){points + i * m, m, i};
    qsort(rows, n, sizeof(*rows), by_first);
    return rows;
}

struct front {
    VEC(const double *) members; /* in the order of by_first */
};

/* Of two objectives the last member has the least second one, so that it
 * speaks for its front. */
static bool front_dominates(const struct front *f, const double *p, size_t m)
{
    size_t least = m <= 2 && f->members.len ? f->members.len - 1 : 0;
    for (size_t i = f->members.len; i-- > least;)
        if (pareto_dominates(f->members.p[i], p, m))
            return true;
    return false;
}

/* A point that comes later in the order dominates none before it, and what
 * front k does not dominate, front k + 1 does not either: so the first front
 * that does not is found by halving. */
void pareto_fronts(const double *points, size_t n, size_t m, uint32_t *fronts)
{
    VEC(struct front) all = {0};
    struct row *rows = sorted_rows(points, n, m);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = all.len;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (front_dominates(&all.p[middle], rows[i].p, m))
                low = middle + 1;
            else
                high = middle;
        }
        if (low == all.len)
            vec_push(&all, (struct front){0});
        vec_push(&all.p[low].members, rows[i].p);
        fronts[rows[i].index] = (uint32_t)low;
    }
    for (size_t i = 0; i < all.len; i++)
        vec_done(&all.p[i].members);
    vec_done(&all);
    free(rows);
}

/* ---- volume ----------------------------------------------------------- */

/* Copies the points that are better than the reference everywhere and that
 * no other dominates; equal ones once. */
static size_t useful(const double *points, size_t n, size_t m,
                     const double *reference, double *out)
{
    struct row *rows = sorted_rows(points, n, m);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool use = true;
        for (size_t k = 0; k < m && use; k++)
            use = number(rows[i].p[k]) < reference[k];
        for (size_t j = 0; j < count && use; j++) {
            const double *other = out + j * m;
            use = !pareto_dominates(other, rows[i].p, m) &&
                  memcmp(other, rows[i].p, m * sizeof(*other));
        }
        if (use)
            memcpy(out + count++ * m, rows[i].p, m * sizeof(*out));
    }
    free(rows);
    return count;
}

static double box(const double *p, size_t m, const double *reference)
{
    double volume = 1;
    for (size_t i = 0; i < m; i++)
        volume *= reference[i] - p[i];
    return volume;
}

/* What point i alone adds to those behind it: its box, less what these cover
 * of it. */
static double alone(const double *points, size_t i, size_t n, size_t m,
                    const double *reference)
{
    const double *p = points + i * m;
    size_t rest = n - i - 1;
    if (!rest)
        return box(p, m, reference);
    double *limited = xcalloc(rest * m, sizeof(*limited));
    for (size_t j = 0; j < rest; j++)
        for (size_t k = 0; k < m; k++) {
            double other = points[(i + 1 + j) * m + k];
            limited[j * m + k] = other > p[k] ? other : p[k];
        }
    double covered = pareto_volume(limited, rest, m, reference);
    free(limited);
    return box(p, m, reference) - covered;
}

/* The area that the first two numbers of some points cover, which stand in the
 * order of the first; `in` (or NULL) says which of them count. */
static double area(const double *points, size_t n, size_t m,
                   const double *reference, const bool *in)
{
    double sum = 0, height = reference[1];
    for (size_t i = 0; i < n; i++) {
        const double *p = points + i * m;
        if ((in && !in[i]) || p[1] >= height)
            continue;
        sum += (reference[0] - p[0]) * (height - p[1]);
        height = p[1];
    }
    return sum;
}

/* Slices along the third number: from each to the next the area stays. */
static double volume_of_slices(const double *points, size_t n,
                               const double *reference)
{
    double *third = xcalloc(n, sizeof(*third)), volume = 0;
    bool *in = xcalloc(n, sizeof(*in));
    for (size_t i = 0; i < n; i++)
        third[i] = points[i * 3 + 2];
    struct row *rows = sorted_rows(third, n, 1);
    for (size_t i = 0; i < n; i++) {
        double from = *rows[i].p,
               to = i + 1 < n ? *rows[i + 1].p : reference[2];
        in[rows[i].index] = true;
        if (to > from)
            volume += area(points, n, 3, reference, in) * (to - from);
    }
    free(rows);
    free(in);
    free(third);
    return volume;
}

static double volume_of(const double *points, size_t n, size_t m,
                        const double *reference)
{
    double volume = 0;
    if (m == 2)
        return area(points, n, m, reference, NULL);
    if (m == 3)
        return volume_of_slices(points, n, reference);
    for (size_t i = 0; i < n; i++)
        volume += alone(points, i, n, m, reference);
    return volume;
}

double pareto_volume(const double *points, size_t n, size_t m,
                     const double *reference)
{
    if (!n || !m)
        return 0;
    double *front = xcalloc(n * m, sizeof(*front));
    size_t count = useful(points, n, m, reference, front);
    double volume = volume_of(front, count, m, reference);
    free(front);
    return volume;
}
