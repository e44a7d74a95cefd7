/* trial_columns.h - what a person can ask to see of each trial, by name
 *
 * A parameter, a metric (its last value, or loss.min, loss.count …), or
 * something that every trial has: state, seconds, tag, host, note … */
#ifndef THRONG_CLI_TRIAL_COLUMNS_H
#define THRONG_CLI_TRIAL_COLUMNS_H

#include "base/vec.h"
#include "cli/cli.h"

struct trial_columns {
    VEC(const char *) names; /* as they were asked for */
};
/* Reads "lr,val_acc,tag,host"; a name that no trial has is an error, as is
 * none at all. The names live as long as the call. -1 with c->err. */
int trial_columns_parse(struct trial_columns *k, struct call *c,
                        struct store *store, const char *text);
void trial_columns_done(struct trial_columns *k);

/* What a trial has under a name, in the arena: a number, a text, a list of
 * texts (tags); NULL: nothing. The trial was read with its texts. */
const struct value *trial_column(struct store *store, const struct trial *t,
                                 const struct value *point, const char *name,
                                 struct arena *a);
/* The number of a metric in a parsed summary: its last one, or loss.min,
 * loss.count … of a metric loss; NaN: none. */
double summary_number(const struct value *summary, struct str name);

/* For people, as a cell of a table. */
void trial_column_cell(struct table *t, const struct call *c, const char *name,
                       const struct value *v);
/* {"lr":0.1,"tag":["a"],…}; what a trial has of each, NULL for null. */
void trial_columns_json(struct buf *b, const struct trial_columns *k,
                        const struct value *const *values);

#endif
