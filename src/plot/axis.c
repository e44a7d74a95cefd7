/* axis.c - numbers to places on an axis, and where its ticks are
 *
 * What must stay true: an axis that was fitted has low < high, both finite, and
 * above 0 on a log scale. */
#include "plot/axis.h"

#include <float.h>
#include <math.h>
#include "base/num.h"

#define ROOM 0.04 /* beside the marks, of the length of the axis */

/* ---- limits -------------------------------------------------------------- */

/* Halves, so that the width of the widest range is finite. */
static double along(double low, double high, double v)
{
    return (v / 2 - low / 2) / (high / 2 - low / 2);
}

double plot_axis_at(const struct plot_axis *a, double v)
{
    if (!isfinite(v) || (a->scale == PLOT_LOG && v <= 0))
        return NAN;
    double part = a->scale == PLOT_LOG
                      ? along(log(a->low), log(a->high), log(v))
                      : along(a->low, a->high, v);
    return a->down ? 1 - part : part;
}

double plot_axis_value(const struct plot_axis *a, double part)
{
    double p = a->down ? 1 - part : part;
    if (a->scale == PLOT_LOG)
        return exp(log(a->low) * (1 - p) + log(a->high) * p);
    return a->low * (1 - p) + a->high * p;
}

/* One number has room on both sides. */
static void widen(struct plot_axis *a)
{
    if (a->low < a->high)
        return;
    double half = a->low != 0 ? fabs(a->low) * 0.1 : 1;
    a->high = a->low + half;
    a->low = a->scale == PLOT_LOG ? a->low / 1.1 : a->low - half;
    a->high = isfinite(a->high) ? a->high : DBL_MAX;
    a->low = isfinite(a->low) ? a->low : -DBL_MAX;
}

static void add_room(struct plot_axis *a)
{
    bool from_zero = a->zero && a->low >= 0;
    if (a->scale == PLOT_LOG) {
        double room = (log(a->high) - log(a->low)) * ROOM;
        double high = exp(log(a->high) + room), low = exp(log(a->low) - room);
        a->high = isfinite(high) ? high : a->high;
        a->low = low > 0 ? low : a->low;
        return;
    }
    double room = (a->high / 2 - a->low / 2) * ROOM * 2;
    if (isfinite(a->high + room))
        a->high += room;
    if (!from_zero && isfinite(a->low - room))
        a->low -= room;
}

void plot_axis_fit(struct plot_axis *a, const double *list, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    if (a->low < a->high)
        return;
    if (a->scale == PLOT_CHOICE) {
        a->low = -0.5;
        a->high = a->choice_count ? (double)a->choice_count - 0.5 : 0.5;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(list[i]) || (a->scale == PLOT_LOG && list[i] <= 0))
            continue;
        low = fmin(low, list[i]);
        high = fmax(high, list[i]);
    }
    if (low > high)
        low = a->scale == PLOT_LOG ? 1 : 0,
        high = a->scale == PLOT_LOG ? 10 : 1;
    a->low = a->zero ? fmin(low, 0) : low;
    a->high = a->zero ? fmax(high, 0) : high;
    widen(a);
    if (!a->exact)
        add_room(a);
}

/* ---- ticks --------------------------------------------------------------- */

static void push(struct ticks *t, double value, const char *label)
{
    if (t->count < TICKS_MAX)
        t->list[t->count++] = (struct tick){value, label};
}

static const char *label_of(const struct plot_axis *a, double v, double step,
                            struct arena *arena)
{
    struct buf b;
    double wanted =
        step > 0 && v != 0 ? ceil(log10(fabs(v) / step) + 1.0001) : 1;
    int digits = wanted < 1 ? 1 : wanted < 12 ? (int)wanted : 12;
    buf_init(&b);
    if (a->scale == PLOT_SECONDS)
        num_print_seconds(&b, fabs(v) < step / 1e6 ? 0 : v);
    else if (a->percent)
        buf_addf(&b, "%g %%", fabs(v) < step / 1e6 ? 0 : rint(v * 1e6) / 1e4);
    else if (fabs(v) < step / 1e6)
        buf_adds(&b, "0");
    else if (fabs(v) < 1e6 && fabs(v - rint(v)) < step / 1e6)
        num_print_int(&b, (int64_t)rint(v));
    else
        num_print_short(&b, v, digits);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* The least round step that makes at most so many. */
static double round_step(double range, size_t most, bool seconds)
{
    static const double decimal[] = {1, 2, 5, 10};
    static const double clock[] = {1,    2,    5,     10,    15,    30,
                                   60,   120,  300,   600,   900,   1800,
                                   3600, 7200, 14400, 21600, 43200, 86400};
    double least = range / (double)(most ? most : 1);
    for (size_t i = 0; seconds && i < sizeof(clock) / sizeof(clock[0]); i++)
        if (clock[i] >= least && least > 0.5)
            return clock[i];
    double ten = pow(10, floor(log10(least)));
    for (size_t i = 0; i < 4; i++)
        if (decimal[i] * ten >= least * 0.999999)
            return decimal[i] * ten;
    return ten * 10;
}

static void find_linear(struct ticks *t, const struct plot_axis *a, size_t most,
                        struct arena *arena)
{
    double range = a->high / 2 - a->low / 2;
    double step = 2 * round_step(range, most, false);
    if (a->scale == PLOT_SECONDS || range * 2 < 1e300)
        step = round_step(range * 2, most, a->scale == PLOT_SECONDS);
    if (a->whole && step < 1)
        step = 1;
    if (!(step > 0) || !isfinite(step))
        return;
    for (double k = ceil(a->low / step - 1e-9);
         k * step <= a->high + step / 1e9; k += 1) {
        if (!isfinite(k * step)) /* at the end of all numbers */
            return;
        push(t, k * step, label_of(a, k * step, step, arena));
        if (t->count == TICKS_MAX || k + 1 == k)
            return;
    }
}

/* Powers of ten, every nth where there are many, with 2 and 5 where there are
 * few. */
static void find_log(struct ticks *t, const struct plot_axis *a, size_t most,
                     struct arena *arena)
{
    static const double parts[] = {1, 2, 5};
    double first = floor(log10(a->low)), last = ceil(log10(a->high));
    double tens = log10(a->high) - log10(a->low);
    double every = fmax(1, ceil(tens / (double)(most ? most : 1)));
    size_t each = 3 * tens <= (double)most ? 3 : 1;
    if (tens < 0.7) { /* not even one power: as a straight axis */
        find_linear(t, a, most, arena);
        return;
    }
    for (double e = first; e <= last && t->count < TICKS_MAX; e += 1)
        for (size_t i = 0; i < each; i++) {
            double v = parts[i] * pow(10, e);
            bool in = v >= a->low * (1 - 1e-12) && v <= a->high * (1 + 1e-12);
            if (in && (each > 1 || fmod(fabs(e), every) == 0))
                push(t, v, label_of(a, v, v, arena));
        }
}

static void find_choices(struct ticks *t, const struct plot_axis *a)
{
    size_t every = a->choice_count / (TICKS_MAX + 1) + 1;
    for (size_t i = 0; i < a->choice_count; i += every)
        push(t, (double)i, a->choices[i]);
}

/* One tick says nothing of the scale: rather a few more than were asked for. */
void ticks_find(struct ticks *t, const struct plot_axis *a, size_t most,
                struct arena *arena)
{
    t->count = 0;
    if (a->scale == PLOT_CHOICE)
        find_choices(t, a);
    for (size_t n = most; a->scale != PLOT_CHOICE && n < most + 6; n++) {
        t->count = 0;
        if (a->scale == PLOT_LOG)
            find_log(t, a, n, arena);
        else
            find_linear(t, a, n, arena);
        if (t->count >= 2)
            return;
    }
}
