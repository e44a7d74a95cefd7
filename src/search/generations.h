/* generations.h - trials cut by their numbers into generations
 *
 * Inside search only. The first generation is the first `first` trials, each
 * later one the next `size`. A generation is closed, and makes the next
 * population out of the one before, when all of its trials have ended; where
 * nobody waits for them, stragglers are left out once many later trials have
 * ended. Which generations are closed depends on the results alone and not on
 * the order in which they came: a result for a closed one opens it again. */
#ifndef THRONG_SEARCH_GENERATIONS_H
#define THRONG_SEARCH_GENERATIONS_H

#include "search/unit.h"

struct population {
    size_t *rows; /* of the history */
    size_t count;
};

struct generations {
    int64_t first, size;
    bool wait; /* for every trial */
    size_t *ended;
    size_t ended_cap, all;   /* trials that ended: by generation, and in all */
    struct population *past; /* after each closed generation */
    size_t closed, closed_cap;
    size_t before; /* trials that ended in closed generations */
    struct population foreign;
    size_t foreign_cap;
};

/* Makes the population after generation `number` (from 0). `fresh` are the
 * rows of its trials that ended, of the first one the foreign rows too.
 * after->rows has room for all rows of both. */
typedef void generations_close_fn(void *context, size_t number,
                                  const struct population *before,
                                  const struct population *fresh,
                                  struct population *after);

void generations_init(struct generations *g, int64_t first, int64_t size,
                      bool wait);
void generations_done(struct generations *g);
/* The generation that a trial belongs to. */
size_t generations_of(const struct generations *g, int64_t trial);
/* A row of the history ended. */
void generations_end(struct generations *g, const struct history *h,
                     size_t row);
/* Closes what can be closed. */
void generations_advance(struct generations *g, const struct history *h,
                         generations_close_fn *close, void *context);
/* The rows that ended in generations that are not closed, by generation and
 * trial, and the foreign ones if that is the first; rows are yours to free. */
struct population generations_since(const struct generations *g,
                                    const struct history *h);
/* The newest population; no rows while no generation is closed. */
struct population generations_now(const struct generations *g);

#endif
