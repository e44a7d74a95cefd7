/* order.h - which results a suggestion may depend on
 *
 * Inside search only. A job is one ask that was answered: a new trial, or one
 * that goes on. In the order `free` a result is passed on when it comes. With
 * `lag` L, job j hears of the jobs below j - L and of no other, with `batch`
 * of the batches before its own: results are held back until the job that may
 * see them is asked for, are passed on in the order of their jobs, and a job
 * waits until all that it is to hear of is there. */
#ifndef THRONG_SEARCH_ORDER_H
#define THRONG_SEARCH_ORDER_H

#include "search/search.h"

struct order;
typedef void order_fn(void *context, const struct result *r);

struct order *order_new(enum search_order kind, int64_t size);
void order_free(struct order *o);
/* The number of the next job. */
int64_t order_next(const struct order *o);
/* Jobs below this one are seen by job j; INT64_MAX: all that have come. */
int64_t order_limit(const struct order *o, int64_t job);
/* Passes on what the next job may see; false: something of it is not there
 * yet. */
bool order_ready(struct order *o, order_fn *pass, void *context);
/* The next job is this trial's. Returns the job's number. */
int64_t order_job(struct order *o, int64_t trial);
/* A job of a trial has ended: passes it on, or holds it back. */
void order_end(struct order *o, const struct result *r, order_fn *pass,
               void *context);
/* Jobs that have not ended. */
int64_t order_out(const struct order *o);

#endif
