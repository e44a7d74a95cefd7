/* principal.c - the directions in which rows differ most
 *
 * Eigenvectors of the covariance, the largest first. Each could be its
 * opposite as well: the one whose largest number is above 0 is taken. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear.h"
#include "view/layer_look.h"

static void centre(struct principal *p, const double *rows, size_t count)
{
    memset(p->mean, 0, p->columns * sizeof(*p->mean));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < p->columns; k++)
            p->mean[k] += rows[i * p->columns + k];
    for (size_t k = 0; k < p->columns; k++)
        p->mean[k] /= (double)count;
}

/* Of a sample: divided by one less than the rows. */
static double *covariance(const struct principal *p, const double *rows,
                          size_t count)
{
    size_t d = p->columns;
    double *c = xcalloc(d * d, sizeof(*c)), *x = xcalloc(d, sizeof(*x));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < d; k++)
            x[k] = rows[i * d + k] - p->mean[k];
        for (size_t k = 0; k < d; k++)
            for (size_t j = 0; j <= k; j++)
                c[k * d + j] += x[k] * x[j];
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j <= k; j++) {
            c[k * d + j] /= (double)(count > 1 ? count - 1 : 1);
            c[j * d + k] = c[k * d + j];
        }
    free(x);
    return c;
}

static void turn(double *direction, size_t columns)
{
    size_t most = 0;
    for (size_t k = 1; k < columns; k++)
        if (fabs(direction[k]) > fabs(direction[most]))
            most = k;
    const double sign = direction[most] < 0 ? -1 : 1;
    for (size_t k = 0; k < columns; k++)
        direction[k] *= sign;
}

static void take(struct principal *p, const double *values, const double *v)
{
    size_t d = p->columns;
    double all = 0;
    for (size_t k = 0; k < d; k++)
        all += fmax(values[k], 0);
    for (size_t i = 0; i < p->count; i++) {
        size_t from = d - 1 - i; /* the eigenvalues rise */
        double *direction = p->directions + i * d;
        for (size_t k = 0; k < d; k++)
            direction[k] = v[k * d + from];
        turn(direction, d);
        p->explained[i] = all > 0 ? fmax(values[from], 0) / all : 0;
    }
}

void principal_fit(struct principal *p, const double *rows, size_t count,
                   struct arena *a)
{
    size_t d = p->columns;
    p->mean = arena_array(a, d, sizeof(*p->mean));
    p->directions = arena_array(a, p->count * d, sizeof(*p->directions));
    p->explained = arena_array(a, p->count, sizeof(*p->explained));
    centre(p, rows, count);
    double *c = covariance(p, rows, count);
    double *values = xcalloc(d, sizeof(*values));
    double *v = xcalloc(d * d, sizeof(*v));
    symmetric_eigen(c, d, values, v);
    take(p, values, v);
    free(c);
    free(values);
    free(v);
}

double principal_at(const struct principal *p, size_t component,
                    const double *row)
{
    const double *direction = p->directions + component * p->columns;
    double sum = 0;
    for (size_t k = 0; k < p->columns; k++)
        sum += (row[k] - p->mean[k]) * direction[k];
    return sum;
}
