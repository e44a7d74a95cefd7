/* space.h - a parameter space and its points
 *
 * A space is a flat list of leaf parameters, sorted by name. A nested
 * parameter's leaf has a path of several names ("opt", "lr") and the name
 * "opt.lr". A point is a `struct value` object that holds the active
 * parameters, nested where the space is. */
#ifndef THRONG_TERMS_SPACE_H
#define THRONG_TERMS_SPACE_H

#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"
#include "base/value.h"

/* The numbers are stored: never renumber. */
enum dist {
    DIST_CONSTANT = 0,
    DIST_CATEGORICAL = 1, /* with or without probabilities */
    DIST_INT_UNIFORM = 2,
    DIST_UNIFORM = 3,
    DIST_Q_UNIFORM = 4,
    DIST_LOG_UNIFORM = 5, /* bounds are exponents of e */
    DIST_Q_LOG_UNIFORM = 6,
    DIST_LOG_UNIFORM_VALUES = 7,
    DIST_Q_LOG_UNIFORM_VALUES = 8,
    DIST_INV_LOG_UNIFORM = 9,
    DIST_INV_LOG_UNIFORM_VALUES = 10,
    DIST_NORMAL = 11,
    DIST_Q_NORMAL = 12,
    DIST_LOG_NORMAL = 13,
    DIST_Q_LOG_NORMAL = 14,
    DIST_BETA = 15,
    DIST_Q_BETA = 16,
    DIST_COUNT
};
const char *dist_name(enum dist d);
bool dist_parse(struct str s, enum dist *d); /* also
                                                categorical_w_probabilities */
extern const char *const dist_names[]; /* NULL-terminated, for suggestions */

/* A parameter is active only if the parameter `name` is active and has one
 * of the values (several conditions: all must hold). */
struct condition {
    struct str name;
    const struct value *values; /* a LIST */
};

struct param {
    struct str name;        /* "opt.lr" */
    const struct str *path; /* "opt", "lr" */
    size_t path_len;
    enum dist dist;
    const struct value *constant; /* DIST_CONSTANT */
    const struct value *values;   /* DIST_CATEGORICAL: a LIST */
    const double *probabilities;  /* or NULL: all equal */
    bool ordered;     /* the values stand in an order: neighbours are alike */
    double min, max;  /* of uniforms, int_uniform; as written (exponents for
                         log_uniform) */
    double mu, sigma; /* of normals */
    double a, b;      /* of betas */
    double q;
    bool q_integer; /* q is an integer: results are integers */
    const struct condition *conditions;
    size_t condition_count;
};

struct space {
    const struct param *params; /* sorted by name */
    size_t count;
};

/* Index of a parameter by name, or -1. */
long space_find(const struct space *s, struct str name);

/* One draw. u is uniform in [0,1): the inverse of the distribution, so that
 * quasi-random and model-based strategies can use it too. */
struct value *param_at(const struct param *p, double u, struct arena *a);
/* The u of a value: the middle of its cell for discrete ones; -1 if the
 * value is outside of the parameter. */
double param_position(const struct param *p, const struct value *v);
/* How many values a grid takes of it; 0 when it cannot be in a grid (then
 * *why says the reason). */
uint64_t param_grid_count(const struct param *p, const char **why);
struct value *param_grid_at(const struct param *p, uint64_t i, struct arena *a);

/* Which parameters are active, given values (NULL: not known yet) by index:
 * used while building a point in dependency order. space_order gives an order
 * in which every condition's parameter comes first; -1 on a cycle or an
 * unknown name. */
int space_order(const struct space *s, size_t *order, struct err *err);
bool space_active(const struct space *s, size_t i, struct value *const *values);
/* Builds the point's object from values by index (NULL: inactive). */
struct value *space_point(const struct space *s, struct value *const *values,
                          struct arena *a);
/* Value of a leaf in a point, or NULL. */
struct value *point_get(const struct value *point, const struct param *p);
/* A random point from the generator (draws once per parameter, active or
 * not, so that one parameter never shifts another's draw). */
struct value *space_sample(const struct space *s, struct rng *r,
                           struct arena *a);
/* Number of grid points (conditions honoured); 0 and err when a parameter
 * cannot be in a grid or the number passes 2^62. */
uint64_t space_grid_count(const struct space *s, struct err *err);
/* Grid point k of space_grid_count; the order is fixed: the last parameter
 * by name varies fastest (with conditions: the last in space_order). */
struct value *space_grid_point(const struct space *s, uint64_t k,
                               struct arena *a);
/* The same points in an order whose beginning covers the space: of n points
 * each value of a parameter that has m of them is in about n / m. */
struct value *space_grid_spread(const struct space *s, uint64_t k,
                                struct arena *a);

/* Text form, versioned: {"version":1,"parameters":[…]}. */
struct value *space_to_value(const struct space *s, struct arena *a);
int space_from_value(struct space *s, const struct value *v, struct arena *a,
                     struct err *err);

/* [A-Za-z_][A-Za-z0-9_.-]* */
bool param_name_valid(struct str name);

#endif
