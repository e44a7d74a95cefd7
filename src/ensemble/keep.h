/* keep.h - what the files about kept predictions share
 *
 * Inside ensemble only. keep_rules.c reads the rules, where.c a condition,
 * keep.c has what is kept by them, keep_state.c that as bytes, keep_print.c the
 * tables that come of it. */
#ifndef THRONG_ENSEMBLE_KEEP_H
#define THRONG_ENSEMBLE_KEEP_H

#include "base/vec.h"
#include "ensemble/ensemble.h"

/* where.c: a condition on the columns of a row. */
struct where;
/* In the arena. err says what was expected, and where. */
struct where *where_read(struct str text, struct arena *a, struct err *err);
/* Finds the columns that it names. */
int where_bind(struct where *w, const char *const *columns, size_t count,
               struct err *err);
bool where_test(const struct where *w, const double *values);

/* The number of a column; -1 and err, which names those that there are. */
long keep_column(struct str said, const char *const *columns, size_t count,
                 struct err *err);

struct keep_axis {
    struct str of;
    size_t column;
    double from, to;
    size_t bins;
    int decimals; /* of edges between; -1: all that they have */
};

enum keep_kind { KEEP_TOP, KEEP_BOTTOM, KEEP_HISTOGRAM, KEEP_LISTED };

struct keep_rule {
    enum keep_kind kind;
    struct str name;
    struct str by; /* TOP and BOTTOM */
    size_t column, most;
    struct keep_axis axes[2]; /* HISTOGRAM */
    size_t axis_count;
    struct where *where; /* NULL: all rows */
    const struct value *said;
};

struct keep_rules {
    struct keep_rule *rules;
    size_t count;
    uint64_t hash; /* of what was said and of the columns */
    const char *const *columns;
    size_t column_count; /* 0: not bound yet */
    const struct value *fault;
};

/* A row among the first of a rule. */
struct kept {
    double by;
    uint64_t row;
    size_t slot; /* its numbers are values + slot × columns */
};

/* What one rule has come to. */
struct keep_part {
    struct kept *heap; /* the worst first */
    double *values;
    size_t len;
    uint64_t *cells; /* HISTOGRAM: by axis one below, the bins, one above */
    size_t cell_count;
    uint64_t nan; /* rows without a number to go by */
};

struct keep_range {
    uint64_t from, to;
};

struct keep {
    const struct keep_rules *rules;
    struct keep_part *parts;     /* by rule */
    VEC(struct keep_range) seen; /* sorted; they do not touch */
    uint64_t listed;
};

static inline bool keep_is_ranked(const struct keep_rule *r)
{
    return r->kind == KEEP_TOP || r->kind == KEEP_BOTTOM;
}

/* The edge before bin i of an axis. */
double keep_edge(const struct keep_axis *axis, size_t i);
/* The decimals that edges of such an axis have. */
int keep_edge_decimals(const struct keep_axis *axis);
/* Whether a is kept rather than b. */
bool keep_better(const struct keep_rule *r, const struct kept *a,
                 const struct kept *b);
/* Takes a row into a rule that ranks, where it is among the first. */
void keep_rank(struct keep_part *p, const struct keep_rule *r, size_t columns,
               uint64_t row, const double *values);
/* Sorts a rule's rows, the worst first, which is a heap as well. */
void keep_sort(struct keep_part *p, const struct keep_rule *r);
#endif
