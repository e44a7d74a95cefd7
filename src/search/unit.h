/* unit.h - points as numbers: coded to [0,1], and a history of them
 *
 * Inside search only. Parameter i of a point is coded as the u of terms/space
 * (the middle of its cell for discrete ones); NaN stands for a parameter that
 * is not active. */
#ifndef THRONG_SEARCH_UNIT_H
#define THRONG_SEARCH_UNIT_H

#include "base/map.h"
#include "search/search.h"

struct unit {
    const struct space *space;
    size_t *order; /* every condition's parameter comes first */
    bool *decides; /* some condition names this parameter */
};

/* -1 when the space's conditions are wrong. */
int unit_init(struct unit *unit, const struct space *space, struct err *err);
void unit_done(struct unit *unit);
/* The point at u, one number for each parameter of the space; those that turn
 * out not to be active do not count. */
struct value *unit_point(const struct unit *unit, const double *u,
                         struct arena *a);
/* Codes a point. A parameter that is missing, or has a value from outside of
 * the space, becomes NaN. */
void unit_code(const struct unit *unit, const struct value *point, double *u);
/* Sets the parameters that are not active to NaN. The arena is for scratch. */
void unit_mask(const struct unit *unit, double *u, struct arena *scratch);

enum mark {
    MARK_PENDING, /* asked, not told */
    MARK_VALUE,   /* has a finite value */
    MARK_BAD,     /* ended without one */
    MARK_LEFT,    /* ended in a way that says nothing about the point */
};

/* Points by trial, a column for each parameter. Rows stay where they are. */
struct history {
    size_t width, count, cap;
    double **columns;
    int64_t *trials;
    double *losses; /* low is good; NaN without a value */
    double *broken; /* how far constraints are, in all; 0: they hold */
    unsigned char *marks;
    struct idmap *rows;
};

void history_init(struct history *h, size_t width);
void history_done(struct history *h);
/* The row of a trial, or -1. */
long history_find(const struct history *h, int64_t trial);
/* A new row, pending; the trial must not have one yet. */
size_t history_add(struct history *h, int64_t trial, const double *u);
void history_get(const struct history *h, size_t row, double *u);
/* Of two rows with values, a comes before b: by how far constraints are broken
 * (what breaks them is worse than all that does not), by loss, by trial. */
bool history_better(const struct history *h, size_t a, size_t b);
/* What a result says: a loss where the value is finite; trials that a person
 * killed say nothing; the rest is bad. */
enum mark mark_of(const struct result *r, bool minimize, double *loss);
/* How far a result breaks its constraints, in all; 0: it breaks none. */
double broken_by(const struct result *r);

#endif
