/* warp.c - values as a model wants them */
#include "search/warp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/linear.h"

/* Large numbers are scaled down first, so that no sum can overflow. */
static double shrink(double *y, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(y[i]))
            most = fmax(most, fabs(y[i]));
    double scale = most > 1e100 ? 1e100 / most : 1;
    for (size_t i = 0; scale < 1 && i < count; i++)
        y[i] *= scale;
    return scale;
}

/* What is far above three quarters of the values, seen from the best one, is
 * as bad as can be told; a failure is that bad. */
static void cut(double *y, size_t count)
{
    double *sorted = xcalloc(count + 1, sizeof(*sorted));
    size_t valid = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(y[i]))
            sorted[valid++] = y[i];
    if (valid) {
        qsort(sorted, valid, sizeof(*sorted), ascending);
        double high = sorted[valid * 3 / 4];
        double most = high + 5 * (high - sorted[0]);
        most = fmin(most, sorted[valid - 1]);
        for (size_t i = 0; i < count; i++)
            y[i] = isnan(y[i]) || y[i] > most ? most : y[i];
    }
    free(sorted);
}

/* Returns the deviation there was; 0 when all are equal, which become 0. */
static double standardise(double *y, size_t count, double *middle)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        mean += y[i];
    mean /= (double)count;
    *middle = mean;
    for (size_t i = 0; i < count; i++)
        square += (y[i] - mean) * (y[i] - mean);
    double deviation = sqrt(square / (double)count);
    bool flat = !(deviation > 1e-13 * fabs(mean)) || !(deviation > 1e-290);
    for (size_t i = 0; i < count; i++)
        y[i] = flat ? 0 : (y[i] - mean) / deviation;
    return flat ? 0 : deviation;
}

/* Bends |y| whose log(1 + |y|) is given. */
static double bent(double y, double log_size, double power)
{
    double p = y < 0 ? 2 - power : power;
    double size = fabs(p) < 1e-9 ? log_size : (exact_exp(p * log_size) - 1) / p;
    return y < 0 ? -size : size;
}

/* Log-likelihood of a normal distribution after bending. */
static double likelihood(const double *y, const double *log_size, size_t count,
                         double power)
{
    double n = (double)count, mean = 0, square = 0, jacobian = 0;
    for (size_t i = 0; i < count; i++)
        mean += bent(y[i], log_size[i], power);
    mean /= n;
    for (size_t i = 0; i < count; i++) {
        double off = bent(y[i], log_size[i], power) - mean;
        square += off * off;
        jacobian += y[i] < 0 ? -log_size[i] : log_size[i];
    }
    return (power - 1) * jacobian - 0.5 * n * exact_log(square / n + 1e-290);
}

/* Golden section; the likelihood has one maximum. */
static double best_power(const double *y, const double *log_size, size_t count)
{
    const double ratio = 0.61803398874989485;
    double low = -3, high = 5;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double at_a = likelihood(y, log_size, count, a);
    double at_b = likelihood(y, log_size, count, b);
    for (int i = 0; i < 14; i++) {
        if (at_a > at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio * (high - low);
            at_a = likelihood(y, log_size, count, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio * (high - low);
            at_b = likelihood(y, log_size, count, b);
        }
    }
    return (low + high) / 2;
}

void warp_losses(double *y, size_t count, struct warp *warp)
{
    struct warp done = {.scale = 1, .power = 1};
    if (warp)
        *warp = done;
    if (!count)
        return;
    done.scale = shrink(y, count);
    cut(y, count);
    double all = y[0];
    if (isnan(all) ||
        !((done.deviation = standardise(y, count, &done.mean)) > 0)) {
        for (size_t i = 0; i < count; i++)
            y[i] = 0;
        if (warp && !isnan(all))
            *warp = done;
        return;
    }
    double *log_size = xcalloc(count, sizeof(*log_size));
    for (size_t i = 0; i < count; i++)
        log_size[i] = exact_log(1 + fabs(y[i]));
    done.power = best_power(y, log_size, count);
    for (size_t i = 0; i < count; i++)
        y[i] = bent(y[i], log_size[i], done.power);
    free(log_size);
    done.bent_deviation = standardise(y, count, &done.bent_mean);
    if (warp)
        *warp = done;
}

double warp_back(const struct warp *w, double y)
{
    y = y * w->bent_deviation + w->bent_mean;
    double p = y < 0 ? 2 - w->power : w->power;
    double size = fabs(y);
    /* What is beyond the reach of the power is as far as it goes. */
    double inner = fmax(1 + p * size, 1e-290);
    double log_size = fabs(p) < 1e-9 ? size : exact_log(inner) / p;
    size = exact_exp(log_size) - 1;
    return ((y < 0 ? -size : size) * w->deviation + w->mean) / w->scale;
}
