/* target.h - other data sets that a model is judged on, and what its metrics
 * there are called by
 *
 *   targets: [data/b.csv.gz, c.csv]                     b/loss, c/loss
 *   targets: {b: {inputs: b-x.npy, labels: b-y.npy}}    b/loss */
#ifndef THRONG_TERMS_TARGET_H
#define THRONG_TERMS_TARGET_H

#include "base/value.h"

struct target {
    struct str name;           /* points into the value */
    const struct value *files; /* a path, or an object of paths */
};
/* The i-th of `targets:`, which may be anything; false: there is none. */
bool target_at(const struct value *targets, size_t i, struct target *t);

#endif
