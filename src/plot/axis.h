/* axis.h - ticks of an axis, as they are drawn */
#ifndef THRONG_PLOT_AXIS_H
#define THRONG_PLOT_AXIS_H

#include "plot/plot.h"

#define TICKS_MAX 64

struct tick {
    double value;
    const char *label; /* "": a line without a number */
};
struct ticks {
    struct tick list[TICKS_MAX];
    size_t count;
};

/* About so many at most, at round numbers within the axis. */
void ticks_find(struct ticks *t, const struct plot_axis *a, size_t most,
                struct arena *arena);

#endif
