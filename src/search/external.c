/* external.c - points that somebody else's algorithm decides
 *
 * Nothing is decided here: what is asked and told goes to whoever the setup
 * names. So repeat, run_cap and the rest work as with any strategy. */
#include "search/strategy.h"

#include <stdlib.h>

struct external_strategy {
    const struct search_outside *outside;
};

static void *external_open(const struct search_setup *setup, struct err *err)
{
    if (!setup->outside) {
        err_set(err, ERR_INPUT,
                "method external needs a program to ask, which only `throng "
                "run` starts");
        return NULL;
    }
    struct external_strategy *x = xmalloc(sizeof(*x));
    x->outside = setup->outside;
    return x;
}

static enum search_answer external_ask(void *state, int64_t k, struct arena *a,
                                       struct suggestion *out, struct err *err)
{
    const struct search_outside *o =
        ((struct external_strategy *)state)->outside;
    return o->ask(o->context, k, a, out, err);
}

static void external_tell(void *state, const struct result *r)
{
    const struct search_outside *o =
        ((struct external_strategy *)state)->outside;
    o->tell(o->context, r);
}

static enum decision external_report(void *state, int64_t k, int64_t step,
                                     double value)
{
    const struct search_outside *o =
        ((struct external_strategy *)state)->outside;
    return o->report(o->context, k, step, value);
}

static enum search_answer external_promote(void *state, int64_t next,
                                           struct suggestion *out)
{
    const struct search_outside *o =
        ((struct external_strategy *)state)->outside;
    return o->promote ? o->promote(o->context, next, out) : SEARCH_END;
}

STRATEGY(external) = {
    .method = {.name = "external",
               .text = "a program of your own decides, in any language",
               .learns = LEARNS,
               .objectives = true,
               .asks = true,
               .options = METHOD_OPTIONS(
                   {"command",
                    "the program and its arguments, or a shell line"},
                   {"timeout", "it must answer within (10m)"},
                   {"reports", "it hears of running trials (false)"}),
               .limit = "timeout"},
    .open = external_open,
    .free = free,
    .ask = external_ask,
    .tell = external_tell,
    .told_once = true,
    .promote = external_promote,
    .report = external_report};
