/* pareto.c - the front of several objectives, and the volume behind it
 *
 * The front: in the order of the values, each result is compared with those
 * that are in it so far, for nothing that comes later can be better. The
 * volume: one sweep with two objectives, a sweep of sweeps with three, and
 * with more the exclusive volumes of While et al. (IEEE Transactions on
 * Evolutionary Computation 2012), which end in sweeps. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points with all values to minimize. */
struct cloud {
    double *x;
    size_t count, width;
};

static double *row_of(const struct cloud *c, size_t i)
{
    return c->x + i * c->width;
}

/* Lexicographic, in the order of the objectives. */
static int compare(const double *a, const double *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* No worse anywhere. */
static bool covers(const double *a, const double *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

/* Orders numbers of points by a merge sort: qsort passes no context. */
static void sort_rows(const struct cloud *c, size_t *rows, size_t count,
                      size_t *room)
{
    if (count < 2)
        return;
    size_t half = count / 2, i = 0, j = half, n = 0;
    sort_rows(c, rows, half, room);
    sort_rows(c, rows + half, count - half, room);
    memcpy(room, rows, count * sizeof(*rows));
    while (i < half || j < count) {
        bool first = j == count ||
                     (i < half && compare(row_of(c, room[i]),
                                          row_of(c, room[j]), c->width) <= 0);
        rows[n++] = first ? room[i++] : room[j++];
    }
}

static size_t *sorted_rows(const struct cloud *c)
{
    size_t *rows = xcalloc(2 * c->count + 2, sizeof(*rows));
    for (size_t i = 0; i < c->count; i++)
        rows[i] = i;
    sort_rows(c, rows, c->count, rows + c->count);
    return rows;
}

static void cloud_init(struct cloud *c, const struct objectives *o)
{
    *c = (struct cloud){.count = o->count, .width = o->width};
    c->x = xcalloc(o->count * o->width + 1, sizeof(*c->x));
    for (size_t i = 0; i < o->count * o->width; i++) {
        bool minimize = !o->minimize || o->minimize[i % o->width];
        c->x[i] = minimize ? o->values[i] : -o->values[i];
    }
}

static bool has_nan(const double *x, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

/* With two objectives only the last of the front counts. */
static bool is_covered(const struct cloud *c, const size_t *front, size_t count,
                       const double *x)
{
    size_t from = c->width == 2 && count ? count - 1 : 0;
    for (size_t i = from; i < count; i++) {
        const double *other = row_of(c, front[i]);
        if (covers(other, x, c->width) && compare(other, x, c->width) != 0)
            return true;
    }
    return false;
}

size_t pareto_front(const struct objectives *o, bool *in_front)
{
    struct cloud c;
    cloud_init(&c, o);
    memset(in_front, 0, o->count * sizeof(*in_front));
    /* What has a NaN goes to the end, where it covers nothing. */
    for (size_t i = 0; i < c.count; i++)
        if (has_nan(row_of(&c, i), c.width))
            for (size_t j = 0; j < c.width; j++)
                row_of(&c, i)[j] = INFINITY;
    size_t *rows = sorted_rows(&c), count = 0;
    for (size_t i = 0; i < c.count; i++) {
        size_t row = rows[i];
        if (has_nan(o->values + row * o->width, o->width) ||
            is_covered(&c, rows, count, row_of(&c, row)))
            continue;
        in_front[row] = true;
        rows[count++] = row;
    }
    free(rows);
    free(c.x);
    return count;
}

/* ---- volume: points as distances to the reference, more is better ------ */

static double volume_of(const struct cloud *c);

/* c's points are sorted, the first value falling; only the first two count. */
static double area(const struct cloud *c, const size_t *rows, size_t count)
{
    double sum = 0, height = 0;
    for (size_t i = 0; i < count; i++) {
        const double *x = row_of(c, rows[i]);
        if (x[1] <= height)
            continue;
        sum += x[0] * (x[1] - height);
        height = x[1];
    }
    return sum;
}

static void reverse(size_t *rows, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        size_t kept = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = kept;
    }
}

/* Slices from the farthest third value down: each new point joins the area. */
static double volume_by_slices(const struct cloud *c, const size_t *by_first)
{
    struct cloud third = {xcalloc(c->count + 1, sizeof(double)), c->count, 1};
    for (size_t i = 0; i < c->count; i++)
        third.x[i] = row_of(c, i)[2];
    size_t *order = sorted_rows(&third), *there = order + c->count;
    bool *in = xcalloc(c->count + 1, sizeof(*in));
    double sum = 0;
    reverse(order, c->count);
    for (size_t i = 0; i < c->count; i++) {
        double below = i + 1 < c->count ? third.x[order[i + 1]] : 0;
        size_t count = 0;
        in[order[i]] = true;
        if (third.x[order[i]] == below)
            continue;
        for (size_t j = 0; j < c->count; j++)
            if (in[by_first[j]])
                there[count++] = by_first[j];
        sum += area(c, there, count) * (third.x[order[i]] - below);
    }
    free(in);
    free(order);
    free(third.x);
    return sum;
}

/* The volume that only the first of the rows has: its own, less that of the
 * others cut to it. */
static double volume_alone(const struct cloud *c, const size_t *rows,
                           size_t count)
{
    const double *x = row_of(c, rows[0]);
    struct cloud cut = {xcalloc(count * c->width, sizeof(double)), count - 1,
                        c->width};
    double own = 1;
    for (size_t j = 0; j < c->width; j++)
        own *= x[j];
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < c->width; j++)
            row_of(&cut, i - 1)[j] = fmin(row_of(c, rows[i])[j], x[j]);
    own -= volume_of(&cut);
    free(cut.x);
    return own;
}

/* Leaves out points that others cover; rows must be sorted, best first. */
static size_t drop_covered(const struct cloud *c, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        bool covered = false;
        for (size_t j = 0; j < count && !covered; j++)
            covered = covers(row_of(c, rows[i]), row_of(c, rows[j]), c->width);
        if (!covered)
            rows[count++] = rows[i];
    }
    return count;
}

static double volume_of(const struct cloud *c)
{
    double sum = 0;
    size_t *rows = sorted_rows(c), count;
    reverse(rows, c->count);
    if (c->width == 1)
        sum = c->count ? row_of(c, rows[0])[0] : 0;
    else if (c->width == 2)
        sum = area(c, rows, c->count);
    else if (c->width == 3)
        sum = volume_by_slices(c, rows);
    else {
        count = drop_covered(c, rows);
        for (size_t i = 0; i < count; i++)
            sum += volume_alone(c, rows + i, count - i);
    }
    free(rows);
    return sum;
}

double hypervolume(const struct objectives *o, const double *reference)
{
    struct cloud c;
    size_t kept = 0;
    cloud_init(&c, o);
    for (size_t i = 0; i < c.count; i++) {
        bool inside = true;
        for (size_t j = 0; j < c.width; j++) {
            bool minimize = !o->minimize || o->minimize[j];
            double bound = minimize ? reference[j] : -reference[j];
            double room = bound - row_of(&c, i)[j];
            inside &= room > 0;
            row_of(&c, kept)[j] = room;
        }
        kept += inside;
    }
    c.count = kept;
    double volume = c.width ? volume_of(&c) : 0;
    free(c.x);
    return volume;
}
