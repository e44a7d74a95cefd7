/* linear.h - double-precision linear algebra, bit-equal on every machine
 *
 * Matrices are row-major with a stride. Every sum runs in one fixed order,
 * and what is done in blocks has the same order within each element, so a
 * factor that grew row by row equals one that was made at once, to the last
 * bit. */
#ifndef THRONG_BASE_LINEAR_H
#define THRONG_BASE_LINEAR_H

#include <stddef.h>

/* Right-hand sides are solved LINEAR_LANES at a time: side r of row i is
 * b[i * LINEAR_LANES + r]. */
enum { LINEAR_LANES = 8 };

/* Rows 0..from-1 of the lower triangle hold a Cholesky factor L, rows
 * from..to-1 those of the matrix: makes the latter rows of L, too. The upper
 * triangle is neither read nor written. -1 when the matrix is not positive
 * definite; rows from..to-1 are then spoilt. */
int cholesky_extend(double *l, size_t stride, size_t from, size_t to);

/* Solves L y = b in place, starting at row `first` (b is 0 before it). */
void solve_lower(const double *l, size_t stride, size_t first, size_t n,
                 double *b);
/* Solves L' x = y in place for the rows first..n-1. */
void solve_upper(const double *l, size_t stride, size_t first, size_t n,
                 double *b);
/* The same of a single right-hand side. */
void solve_lower_one(const double *l, size_t stride, size_t n, double *b);
void solve_upper_one(const double *l, size_t stride, size_t n, double *b);
/* The lower triangle of the inverse of L L' into `inverse`, same stride. */
void cholesky_inverse(const double *l, size_t stride, size_t n,
                      double *inverse);

/* Eigenvalues (rising) and eigenvectors (columns of v, n x n) of a symmetric
 * n x n matrix a, which is spoilt: cyclic Jacobi rotations. */
void symmetric_eigen(double *a, size_t n, double *values, double *v);

double dot(const double *x, const double *y, size_t n);
/* For qsort of doubles, the smallest first. */
int ascending(const void *a, const void *b);

#endif
