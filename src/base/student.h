/* student.h - Student's t distribution, for means of few numbers
 *
 * Right to about 1e-13 of the result; df may be any number above 0. */
#ifndef THRONG_BASE_STUDENT_H
#define THRONG_BASE_STUDENT_H

/* The part of the distribution beyond t on both sides: the p value of a
 * two-sided test. 1 at 0, 0 at infinity, NaN for NaN. */
double student_two_sided(double t, double df);
/* The t beyond which, on both sides, lies the part p of the distribution
 * (0 < p <= 1): 0.05 gives the factor of a 95 % interval. */
double student_beyond(double p, double df);

#endif
