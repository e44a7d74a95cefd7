/* linear.c - double-precision linear algebra, bit-equal on every machine
 *
 * The inner loops run over LINEAR_LANES independent right-hand sides, which a
 * compiler may put into vectors of any width without changing one sum. */
#include "base/linear.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* LINEAR_LANES numbers as vectors that every processor of 64 bits has. */
struct lanes {
    double __attribute__((vector_size(16))) a, b, c, d;
};
_Static_assert(sizeof(struct lanes) == LINEAR_LANES * sizeof(double),
               "a row of right-hand sides");

static inline struct lanes lanes_at(const double *p)
{
    struct lanes l;
    memcpy(&l, p, sizeof(l));
    return l;
}

/* x - factor y */
static inline struct lanes lanes_less(struct lanes x, double factor,
                                      struct lanes y)
{
    x.a -= factor * y.a;
    x.b -= factor * y.b;
    x.c -= factor * y.c;
    x.d -= factor * y.d;
    return x;
}

static inline struct lanes lanes_over(struct lanes x, double divisor)
{
    x.a /= divisor;
    x.b /= divisor;
    x.c /= divisor;
    x.d /= divisor;
    return x;
}

/* Two rows at a time: each right-hand side is fetched once for both. */
void solve_lower(const double *l, size_t stride, size_t first, size_t n,
                 double *b)
{
    for (size_t i = first; i < n; i += 2) {
        bool two = i + 1 < n;
        const double *row = l + i * stride, *next = two ? row + stride : row;
        double *at = b + i * LINEAR_LANES, *behind = at + LINEAR_LANES;
        struct lanes sum = lanes_at(at), other = lanes_at(two ? behind : at);
        for (size_t k = first; k < i; k++) {
            struct lanes x = lanes_at(b + k * LINEAR_LANES);
            sum = lanes_less(sum, row[k], x);
            other = lanes_less(other, next[k], x);
        }
        sum = lanes_over(sum, row[i]);
        memcpy(at, &sum, sizeof(sum));
        if (!two)
            break;
        other = lanes_over(lanes_less(other, next[i], sum), next[i + 1]);
        memcpy(behind, &other, sizeof(other));
    }
}

void solve_upper(const double *l, size_t stride, size_t first, size_t n,
                 double *b)
{
    size_t i = n;
    for (; i >= first + 2; i -= 2) {
        const double *row = l + (i - 1) * stride, *next = row - stride;
        double *at = b + (i - 1) * LINEAR_LANES, *before = at - LINEAR_LANES;
        struct lanes x = lanes_over(lanes_at(at), row[i - 1]);
        struct lanes y = lanes_less(lanes_at(before), row[i - 2], x);
        y = lanes_over(y, next[i - 2]);
        memcpy(at, &x, sizeof(x));
        memcpy(before, &y, sizeof(y));
        for (size_t k = first; k < i - 2; k++) {
            struct lanes left = lanes_at(b + k * LINEAR_LANES);
            left = lanes_less(left, row[k], x);
            left = lanes_less(left, next[k], y);
            memcpy(b + k * LINEAR_LANES, &left, sizeof(left));
        }
    }
    if (i == first + 1) {
        double *at = b + first * LINEAR_LANES;
        struct lanes x = lanes_over(lanes_at(at), l[first * stride + first]);
        memcpy(at, &x, sizeof(x));
    }
}

void solve_lower_one(const double *l, size_t stride, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = l + i * stride;
        double sum = b[i];
        for (size_t k = 0; k < i; k++)
            sum -= row[k] * b[k];
        b[i] = sum / row[i];
    }
}

void solve_upper_one(const double *l, size_t stride, size_t n, double *b)
{
    for (size_t i = n; i-- > 0;) {
        const double *row = l + i * stride;
        double x = b[i] /= row[i];
        for (size_t k = 0; k < i; k++)
            b[k] -= row[k] * x;
    }
}

/* Row i from its column `at` on, where the columns before are done. */
static int finish_row(double *l, size_t stride, size_t i, size_t at)
{
    double *row = l + i * stride;
    for (size_t j = at; j <= i; j++) {
        const double *other = l + j * stride;
        double sum = row[j];
        for (size_t k = 0; k < j; k++)
            sum -= row[k] * other[k];
        if (j < i)
            row[j] = sum / other[j];
        else if (sum > 0 && isfinite(sum))
            row[j] = sqrt(sum);
        else
            return -1;
    }
    return 0;
}

/* A block of LINEAR_LANES rows is the solution of L X' = A', so the rows are
 * the lanes of one triangular solve up to the block's own columns. */
int cholesky_extend(double *l, size_t stride, size_t from, size_t to)
{
    double *lanes = xmalloc((to + 1) * LINEAR_LANES * sizeof(*lanes));
    int failed = 0;
    size_t i = from;
    for (; !failed && i + LINEAR_LANES <= to; i += LINEAR_LANES) {
        for (size_t k = 0; k < i; k++)
            for (size_t r = 0; r < LINEAR_LANES; r++)
                lanes[k * LINEAR_LANES + r] = l[(i + r) * stride + k];
        solve_lower(l, stride, 0, i, lanes);
        for (size_t r = 0; r < LINEAR_LANES; r++)
            for (size_t k = 0; k < i; k++)
                l[(i + r) * stride + k] = lanes[k * LINEAR_LANES + r];
        for (size_t r = 0; !failed && r < LINEAR_LANES; r++)
            failed = finish_row(l, stride, i + r, i);
    }
    for (; !failed && i < to; i++)
        failed = finish_row(l, stride, i, 0);
    free(lanes);
    return failed;
}

void cholesky_inverse(const double *l, size_t stride, size_t n, double *inverse)
{
    double *lanes = xmalloc((n + 1) * LINEAR_LANES * sizeof(*lanes));
    for (size_t j = 0; j < n; j += LINEAR_LANES) {
        size_t width = n - j < LINEAR_LANES ? n - j : LINEAR_LANES;
        memset(lanes, 0, n * LINEAR_LANES * sizeof(*lanes));
        for (size_t r = 0; r < width; r++)
            lanes[(j + r) * LINEAR_LANES + r] = 1;
        solve_lower(l, stride, j, n, lanes);
        solve_upper(l, stride, j, n, lanes);
        for (size_t r = 0; r < width; r++)
            for (size_t i = j + r; i < n; i++)
                inverse[i * stride + j + r] = lanes[i * LINEAR_LANES + r];
    }
    free(lanes);
}

/* Turns rows and columns p and q of a, and columns p and q of v, so that
 * a[p][q] becomes 0. */
static void rotate(double *a, double *v, size_t n, size_t p, size_t q)
{
    double apq = a[p * n + q];
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    if (theta < 0)
        t = -t;
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (size_t k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (size_t k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    a[p * n + q] = a[q * n + p] = 0;
    for (size_t k = 0; k < n; k++) {
        double x = v[k * n + p], y = v[k * n + q];
        v[k * n + p] = c * x - s * y;
        v[k * n + q] = s * x + c * y;
    }
}

static void swap_columns(double *v, size_t n, size_t p, size_t q)
{
    for (size_t k = 0; k < n; k++) {
        double keep = v[k * n + p];
        v[k * n + p] = v[k * n + q];
        v[k * n + q] = keep;
    }
}

static void sort_eigen(double *values, double *v, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < n; j++)
            if (values[j] < values[least])
                least = j;
        if (least == i)
            continue;
        double keep = values[i];
        values[i] = values[least];
        values[least] = keep;
        swap_columns(v, n, i, least);
    }
}

/* One pass over all pairs; false when all were as good as 0. */
static bool sweep(double *a, double *v, size_t n)
{
    bool turned = false;
    for (size_t p = 0; p + 1 < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            double scale = sqrt(fabs(a[p * n + p] * a[q * n + q]));
            if (fabs(a[p * n + q]) <= 1e-15 * scale ||
                fabs(a[p * n + q]) < 1e-300)
                continue;
            rotate(a, v, n, p, q);
            turned = true;
        }
    }
    return turned;
}

void symmetric_eigen(double *a, size_t n, double *values, double *v)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            v[i * n + j] = i == j;
    for (int pass = 0; pass < 30 && sweep(a, v, n); pass++)
        ;
    for (size_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort_eigen(values, v, n);
}

int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
