/* suggest.h - an optimizer that answers requests, one at a time */
#ifndef THRONG_CLI_SUGGEST_H
#define THRONG_CLI_SUGGEST_H

#include "base/buf.h"
#include "plan/plan.h"

struct suggester;

/* Answers for a plan, which must live as long; NULL when its method cannot
 * take its space. */
struct suggester *suggester_new(const struct plan *p, struct err *err);
/* Tells it of results from elsewhere (study_warm_read). */
void suggester_warm(struct suggester *s, const struct value *known);
void suggester_free(struct suggester *s);
/* Appends the answer to one line, with a line feed. A blank line gets none.
 * Never fails: what is wrong with a line is the answer. */
void suggester_answer(struct suggester *s, struct str line, struct buf *out);

#endif
