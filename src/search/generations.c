/* generations.c - trials cut by their numbers into generations */
#include "search/generations.h"

#include <stdlib.h>

enum { LATE = 64 }; /* ended trials behind stragglers, and more */

void generations_init(struct generations *g, int64_t first, int64_t size,
                      bool wait)
{
    *g = (struct generations){.first = first, .size = size, .wait = wait};
}

static void drop_past(struct generations *g, size_t keep)
{
    while (g->closed > keep) {
        g->closed--;
        g->before -= g->ended[g->closed];
        free(g->past[g->closed].rows);
    }
}

void generations_done(struct generations *g)
{
    drop_past(g, 0);
    free(g->past);
    free(g->ended);
    free(g->foreign.rows);
}

size_t generations_of(const struct generations *g, int64_t trial)
{
    return trial <= g->first ? 0
                             : (size_t)((trial - g->first - 1) / g->size) + 1;
}

static int64_t start_of(const struct generations *g, size_t number)
{
    return number ? g->first + (int64_t)(number - 1) * g->size + 1 : 1;
}

static size_t size_of(const struct generations *g, size_t number)
{
    return (size_t)(number ? g->size : g->first);
}

static void reserve(struct generations *g, size_t number)
{
    if (number < g->ended_cap)
        return;
    size_t cap = number * 2 + 16;
    g->ended = xrealloc(g->ended, cap * sizeof(*g->ended));
    memset(g->ended + g->ended_cap, 0,
           (cap - g->ended_cap) * sizeof(*g->ended));
    g->ended_cap = cap;
}

/* In the order of their numbers, whatever came first. */
static void add_foreign(struct generations *g, const struct history *h,
                        size_t row)
{
    struct population *f = &g->foreign;
    size_t at = f->count;
    if (f->count == g->foreign_cap) {
        g->foreign_cap = g->foreign_cap ? g->foreign_cap * 2 : 16;
        f->rows = xrealloc(f->rows, g->foreign_cap * sizeof(*f->rows));
    }
    for (; at > 0 && h->trials[f->rows[at - 1]] < h->trials[row]; at--)
        f->rows[at] = f->rows[at - 1];
    f->rows[at] = row;
    f->count++;
}

void generations_end(struct generations *g, const struct history *h, size_t row)
{
    int64_t trial = h->trials[row];
    if (trial < 1) {
        add_foreign(g, h, row);
        drop_past(g, 0);
        return;
    }
    size_t number = generations_of(g, trial);
    drop_past(g, number);
    reserve(g, number);
    g->ended[number]++;
    g->all++;
}

/* A trial far ahead must not cost memory in proportion to its number, but
 * generations up to it are asked about: what is not reserved has no ends. */
static size_t ended_in(const struct generations *g, size_t number)
{
    return number < g->ended_cap ? g->ended[number] : 0;
}

static bool may_close(const struct generations *g)
{
    size_t here = ended_in(g, g->closed), size = size_of(g, g->closed);
    size_t missing = size - here, behind = g->all - g->before - here;
    if (!missing)
        return true;
    return !g->wait && 2 * missing <= size && behind >= 4 * size + LATE;
}

/* Adds the rows of a generation that ended. */
static void add_ended(const struct generations *g, const struct history *h,
                      size_t number, struct population *to)
{
    size_t size = size_of(g, number);
    int64_t start = start_of(g, number);
    for (size_t i = 0; i < size; i++) {
        long row = history_find(h, start + (int64_t)i);
        if (row >= 0 && h->marks[row] != MARK_PENDING)
            to->rows[to->count++] = (size_t)row;
    }
}

/* They belong to the first generation. */
static void add_foreign_rows(const struct generations *g, struct population *to)
{
    for (size_t i = 0; i < g->foreign.count && !g->closed; i++)
        to->rows[to->count++] = g->foreign.rows[i];
}

static void collect(const struct generations *g, const struct history *h,
                    struct population *fresh)
{
    size_t number = g->closed, size = size_of(g, number);
    fresh->rows = xcalloc(size + g->foreign.count + 1, sizeof(*fresh->rows));
    add_ended(g, h, number, fresh);
    add_foreign_rows(g, fresh);
}

static void close_one(struct generations *g, const struct history *h,
                      generations_close_fn *close, void *context)
{
    struct population before = generations_now(g), fresh = {0}, after = {0};
    collect(g, h, &fresh);
    after.rows = xcalloc(before.count + fresh.count + 1, sizeof(*after.rows));
    close(context, g->closed, &before, &fresh, &after);
    free(fresh.rows);
    after.rows = xrealloc(after.rows, (after.count + 1) * sizeof(*after.rows));
    if (g->closed == g->closed_cap) {
        g->closed_cap = g->closed_cap ? g->closed_cap * 2 : 16;
        g->past = xrealloc(g->past, g->closed_cap * sizeof(*g->past));
    }
    g->before += g->ended[g->closed];
    g->past[g->closed++] = after;
}

void generations_advance(struct generations *g, const struct history *h,
                         generations_close_fn *close, void *context)
{
    while (may_close(g))
        close_one(g, h, close, context);
}

struct population generations_since(const struct generations *g,
                                    const struct history *h)
{
    struct population since = {0};
    size_t count = g->all - g->before;
    since.rows = xcalloc(count + g->foreign.count + 1, sizeof(*since.rows));
    for (size_t i = g->closed; i < g->ended_cap && since.count < count; i++)
        if (g->ended[i])
            add_ended(g, h, i, &since);
    add_foreign_rows(g, &since);
    return since;
}

struct population generations_now(const struct generations *g)
{
    return g->closed ? g->past[g->closed - 1] : (struct population){0};
}
