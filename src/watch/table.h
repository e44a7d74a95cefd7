/* table.h - a table on a screen
 *
 * Columns are as wide as what they hold; where that is too wide, texts are
 * cut (numbers never are: half of 1.25e-05 is another number), then columns
 * are left out from the right, which is said in the row of titles. */
#ifndef THRONG_WATCH_TABLE_H
#define THRONG_WATCH_TABLE_H

#include "base/arena.h"
#include "base/vec.h"
#include "watch/screen.h"

struct sheet_column {
    const char *title;
    bool right;
    bool keep; /* others are cut first */
};

struct sheet {
    struct arena *arena;
    VEC(struct sheet_column) columns;
    VEC(const char *) cells; /* row by row */
    VEC(enum mark) marks;    /* of each row */
    VEC(bool) flags;         /* of each row */
    size_t fixed, shift;     /* so many columns stay, the next ones are out */
};

void sheet_init(struct sheet *t, struct arena *a);
void sheet_done(struct sheet *t);
void sheet_column(struct sheet *t, const char *title, bool right);
/* The column just added is cut only after all others. */
void sheet_keep(struct sheet *t);
/* Cells fill a row from the left; sheet_row ends it. */
void sheet_cell(struct sheet *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* So many digits; blank for NaN. */
void sheet_number(struct sheet *t, double v, int digits);
void sheet_row(struct sheet *t, enum mark mark);
/* A star in front of the row just ended. */
void sheet_flag(struct sheet *t);
/* Behind the first `fixed` columns, `shift` are scrolled out of sight (but the
 * last one never is): so many are given back. */
size_t sheet_shift(struct sheet *t, size_t fixed, size_t shift);
/* The titles, then as many rows as fit; `chosen` (-1: none) has a mark in
 * front. */
void sheet_draw(const struct sheet *t, struct screen *s, struct area a,
                long chosen);

#endif
