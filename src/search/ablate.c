/* ablate.c - a baseline, and each of its parameters changed alone
 *
 * What the baseline does not name (seeds, folds) is gone through for the
 * baseline and every change; each round has all of them, so that a study that
 * is cut short has something to say of every change. */
#include "search/strategy.h"

#include "search/options.h"
#include "terms/ablation.h"

static void *ablate_open(const struct search_setup *setup, struct err *err)
{
    const struct value *baseline = NULL;
    const struct tree_option trees[] = {{"baseline", &baseline}};
    const struct options known = {.trees = trees, .tree_count = 1};
    if (options_read_all(setup->options, "ablate", &known, err))
        return NULL;
    return ablation_new(setup->space, baseline, err);
}

static void ablate_free(void *state)
{
    ablation_free(state);
}

static int64_t ablate_total(const void *state)
{
    return (int64_t)ablation_count(state);
}

static enum search_answer ablate_ask(void *state, int64_t k, struct arena *a,
                                     struct suggestion *out, struct err *err)
{
    (void)err;
    out->point = ablation_point(state, (uint64_t)k - 1, a);
    return SEARCH_HERE;
}

STRATEGY(ablate) = {
    .method = {.name = "ablate",
               .text = "a baseline, and each of its parameters changed alone",
               .exhausts = true,
               .options = METHOD_OPTIONS(
                   {"baseline", "a value for each parameter that is changed"})},
    .open = ablate_open,
    .free = ablate_free,
    .total = ablate_total,
    .ask = ablate_ask};
