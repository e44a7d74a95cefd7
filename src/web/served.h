/* served.h - a study that is served: its trials in memory, and who hears of
 * changes */
#ifndef THRONG_WEB_SERVED_H
#define THRONG_WEB_SERVED_H

#include "view/view.h"
#include "web/server.h"

#define SERVED_REST_FACTOR 20 /* a rest of so many times what a look took */

struct listener;

struct served {
    struct served *next;
    struct place_of_study where; /* its texts live in the arena */
    struct arena *arena;
    struct frame *frame;
    uint64_t born;              /* which store of this name it is */
    int64_t changed_ns;         /* of the store, as the frame has it */
    int64_t looked_ns, cost_ns; /* of the last look, and what it took */
    double as_of;               /* the frame is of a copy made then; 0 */

    /* Which rows the last filter has. */
    char *where_text;
    uint32_t where_revision, where_made;
    VEC(uint32_t) matched;

    /* The order that was asked for last. */
    char *order_text;
    uint32_t order_revision, order_made;
    VEC(uint32_t) ordered;

    struct listener *listeners;
    char *standing;                  /* as they are told; NULL: not yet */
    uint32_t standings;              /* how often that has changed */
    int64_t stood_ns, stand_cost_ns; /* when that was, and what it took */
};

struct served *served_new(const char *folder, const char *name);
void served_free(struct served *s);
/* Whether its folder is still that of a study. */
bool served_is_there(const struct served *s);
/* Brings the frame up to date with what is stored, unless it is: with `whole`,
 * until no trial is missing. Another frame is made of a study that was begun
 * anew. */
int served_look(struct served *s, bool whole, struct err *err);
/* The rows that a filter has, in order (NULL or "": all); valid until the next
 * call. */
int served_match(struct served *s, const char *where, const uint32_t **rows,
                 size_t *count, struct err *err);
/* The same ordered by a column (NULL: by trial), from the other end where
 * reversed; valid until the next call. Whoever goes through a table piece by
 * piece asks for the same order again and again. */
int served_order(struct served *s, const char *where, const char *by,
                 bool reverse, const uint32_t **rows, size_t *count,
                 struct err *err);

#endif
