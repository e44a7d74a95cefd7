/* quantile.h - normal and beta distributions, there and back
 *
 * Inside terms only. Probabilities are in [0, 1]; the quantiles rise with
 * theirs. */
#ifndef THRONG_TERMS_QUANTILE_H
#define THRONG_TERMS_QUANTILE_H

double normal_cdf(double x);
/* Finite for every p: what is nearer to 0 or 1 than 2^-54 counts as that. */
double normal_quantile(double p);
double beta_cdf(double x, double a, double b);
double beta_quantile(double p, double a, double b);

#endif
