/* kernel.c - how alike two points are: Matern 5/2 with a length for each axis
 */
#include "search/kernel.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/linear.h"

static void add_numbers(double weight, const double *column, size_t count,
                        const double *at, double *out)
{
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < LINEAR_LANES; r++) {
            double apart = column[i] - at[r];
            out[i * LINEAR_LANES + r] += weight * (apart * apart);
        }
}

static void add_choices(double weight, const double *column, size_t count,
                        const double *at, double *out)
{
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < LINEAR_LANES; r++)
            out[i * LINEAR_LANES + r] += column[i] != at[r] ? weight : 0;
}

void kernel_distances(const struct kernel *k, const struct samples *s,
                      size_t from, size_t to, const double *at, double *out)
{
    double *first = out + from * LINEAR_LANES;
    memset(first, 0, (to - from) * LINEAR_LANES * sizeof(*out));
    for (size_t a = 0; a < s->axes; a++)
        (s->unordered[a] ? add_choices : add_numbers)(
            k->weights[a], s->columns[a] + from, to - from,
            at + a * LINEAR_LANES, first);
}

void kernel_row(const struct kernel *k, const struct samples *s, size_t i,
                double *out)
{
    memset(out, 0, i * sizeof(*out));
    for (size_t a = 0; a < s->axes; a++) {
        const double *column = s->columns[a];
        double weight = k->weights[a], here = column[i];
        if (s->unordered[a]) {
            for (size_t j = 0; j < i; j++)
                out[j] += column[j] != here ? weight : 0;
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            double apart = column[j] - here;
            out[j] += weight * (apart * apart);
        }
    }
}

/* In pieces that stay in the cache between the passes. */
enum { PIECE = 256 };

static void apply_piece(double scale, double *r2, size_t count, double *slopes)
{
    double t[PIECE], e[PIECE];
    for (size_t i = 0; i < count; i++) {
        t[i] = sqrt(5 * r2[i]);
        e[i] = -t[i];
    }
    exact_exp_many(e, count);
    for (size_t i = 0; i < count; i++)
        r2[i] = scale * (1 + t[i] + t[i] * t[i] / 3) * e[i];
    for (size_t i = 0; slopes && i < count; i++)
        slopes[i] = -5.0 / 6 * scale * (1 + t[i]) * e[i];
}

void kernel_apply(const struct kernel *k, double *r2, size_t count,
                  double *slopes)
{
    for (size_t at = 0; at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        apply_piece(k->scale, r2 + at, piece, slopes ? slopes + at : NULL);
    }
}
