/* repeat.h - several trials of each point, told as one
 *
 * Inside search only. With repeat r, trials (p-1)r + 1 … pr are the members
 * of point p. A point is told once, when all of its members are final. */
#ifndef THRONG_SEARCH_REPEAT_H
#define THRONG_SEARCH_REPEAT_H

#include "search/search.h"

struct repeat;
typedef void repeat_fn(void *context, const struct result *r);

/* `total` trials in all; -1: no end. */
struct repeat *repeat_new(uint32_t times, int64_t total);
void repeat_free(struct repeat *p);
/* Passes on the result of a point, numbered as the point, when it is due. */
void repeat_tell(struct repeat *p, const struct result *r, repeat_fn *pass,
                 void *context);

#endif
