/* braille.h - curves as characters
 *
 * A box of characters is a small picture: braille gives 2 by 4 dots to each
 * character, half blocks and plain ASCII 1 by 2. Pure: numbers in, characters
 * out. */
#ifndef THRONG_WATCH_BRAILLE_H
#define THRONG_WATCH_BRAILLE_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum curve_kind {
    CURVE_BRAILLE, /* UTF-8 */
    CURVE_BLOCKS,  /* UTF-8, for terminals without braille in their font */
    CURVE_ASCII,
};

struct curve_point {
    double x, y;
};

struct curve {
    enum curve_kind kind;
    int rows, cols; /* in characters, at least 1 */
    bool steps;     /* y holds until the next x, instead of a straight line */
    double x_min, x_max, y_min, y_max;
    bool log_y;
};

/* Sets the range so that all points with finite numbers fit. The y axis is
 * logarithmic when all are positive and span two decades. False, and the
 * range untouched, when there is no such point. */
bool curve_fit(struct curve *c, const struct curve_point *points, size_t count);

/* Draws points, given by ascending x, into rows * cols characters. What is
 * not finite interrupts the line; points outside of the range are left
 * out. */
void curve_draw(const struct curve *c, const struct curve_point *points,
                size_t count, wchar_t *cells);

/* The character in which a point lies that is in the range. */
void curve_cell(const struct curve *c, const struct curve_point *p, int *row,
                int *col);

/* One line of bars, each the mean of its share of the values; blank where a
 * share has no finite value. */
void curve_spark(enum curve_kind kind, const double *values, size_t count,
                 wchar_t *cells, int cols);

#endif
