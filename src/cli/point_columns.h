/* point_columns.h - points side by side: the flat names of their parameters */
#ifndef THRONG_CLI_POINT_COLUMNS_H
#define THRONG_CLI_POINT_COLUMNS_H

#include "base/map.h"
#include "base/value.h"
#include "base/vec.h"
#include "store/store.h"

struct point_columns {
    struct arena *arena;
    VEC(struct str) names; /* "opt.lr", in order of first appearance */
    struct map *known;
};
void point_columns_init(struct point_columns *p, struct arena *a);
void point_columns_done(struct point_columns *p);
void point_columns_add(struct point_columns *p, const struct value *point);
/* Adds one flat name. */
void point_columns_name(struct point_columns *p, struct str name);
/* The same from its JSON text, whose values are not read. */
void point_columns_text(struct point_columns *p, struct str point);
/* By name, with numbers in names as numbers: x_2 before x_10. */
void point_columns_sort(struct point_columns *p);
/* The same behind those that stand in `first`, which come in its order. */
void point_columns_order(struct point_columns *p, const struct str *first,
                         size_t count);
/* The names of a study's parameters in the order of its file, in the arena;
 * none where the store does not say. */
int point_columns_written(struct store *store, struct arena *a,
                          struct str **names, size_t *count, struct err *err);
/* The value under a flat name, or NULL. */
const struct value *point_flat_get(const struct value *point, struct str name);
/* For tables and CSV: strings bare, numbers exact, lists and objects JSON. */
void point_cell(struct buf *b, const struct value *v);
/* One line per parameter, indented, names padded to the longest; those of
 * `first` in its order. With brief, floats have six digits. */
void point_lines(struct buf *b, const struct value *point,
                 const struct str *first, size_t count, bool brief);

#endif
