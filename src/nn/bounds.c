/* bounds.c - the interval between the quantiles that a model says
 *
 * Its ends are the lowest and the highest of them. Of several labels nobody
 * could tell which two belong together: then there is none. */
#include "nn/nn.h"

static bool is_quantile(const struct nn_head_facts *h)
{
    return h->width == 1 && h->label >= 0 &&
           str_is(str_of(h->loss), "quantile");
}

enum interval_end nn_head_bound(const struct nn_model *m, size_t head)
{
    struct nn_head_facts own = nn_model_head(m, head);
    bool lowest = true, highest = true;
    if (!is_quantile(&own))
        return END_NONE;
    for (size_t i = 0; i < nn_model_head_count(m); i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        if (i == head || !is_quantile(&h))
            continue;
        if (h.label != own.label || (h.a >= own.a && h.a <= own.a))
            return END_NONE;
        lowest = lowest && own.a < h.a;
        highest = highest && own.a > h.a;
    }
    if (lowest && highest)
        return END_NONE; /* alone */
    return lowest ? END_LOW : highest ? END_HIGH : END_INSIDE;
}
