/* space.h - what the readers of CANDLE's search spaces share (inside
 * of candle only)
 *
 * Each of them turns a file into the object that `parameters` of a study file
 * would be, its marks those of the file, so that everything behind it is the
 * same for all spaces. */
#ifndef THRONG_CANDLE_SPACE_H
#define THRONG_CANDLE_SPACE_H

#include "base/map.h"
#include "terms/dialect.h"
#include "terms/reading.h"

struct space_reading {
    struct reading reading;
    struct str text;
    struct value *parameters; /* what is read so far */
    struct map *names;        /* of these */
    struct value *sigma;      /* steps of a genetic search, by name */
    int64_t samples;          /* points to draw; 0: not said */
    bool grid;                /* the study says so: lists are values */
};

/* ---- space.c ---------------------------------------------------------- */

/* Adds a parameter; `name` is a text, and its place is the parameter's. */
void space_add(struct space_reading *s, const struct value *name,
               struct value *param);
/* An object {distribution, …} at a place; members are added with space_put. */
struct value *space_param(struct space_reading *s, const struct value *at);
void space_put(struct space_reading *s, struct value *param, const char *key,
               struct value *item, const struct value *at);
/* A list of choices: one alone is a constant. */
struct value *space_choice(struct space_reading *s, struct value *values,
                           const struct value *at);
/* Whole numbers, or one of them when both are equal. */
struct value *space_integers(struct space_reading *s, struct value *min,
                             struct value *max, const struct value *at);
struct value *space_reals(struct space_reading *s, const char *distribution,
                          struct value *min, struct value *max,
                          const struct value *at);

/* ---- one reader each -------------------------------------------------- */

void space_read_ga(struct space_reading *s);       /* ga.c */
void space_read_settings(struct space_reading *s); /* space.c */
void space_read_r(struct space_reading *s);        /* mbo.c */
void space_read_tuples(struct space_reading *s);   /* tuples.c */

/* See struct dialect. */
const struct space_file *space_file_read(struct str text, const char *file,
                                         bool grid, struct arena *a,
                                         struct problems *problems);

/* The text as JSON, or NULL and a problem. */
struct value *space_json(struct space_reading *s);

#endif
