/* columns.c - what the numbers of predictions are called, in tables and rules
 */
#include "base/vec.h"
#include "ensemble/ensemble.h"

static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

/* Of several numbers each has columns of its own, by its name. */
const char **combine_names_of(const struct combine_rule *r,
                              const struct combine_head *h, bool calibrated,
                              size_t *count, struct arena *a)
{
    size_t own = combine_columns(r, h);
    size_t behind = calibrated ? calibrated_columns(h) : 0, at;
    bool several = combine_told(h) > 1;
    const char **names = arena_array(a, own + behind + 1, sizeof(*names));
    *count = 0;
    if (combine_passes(r) == 1 && !calibrated && !h->classes && !h->spreads)
        return names; /* one number says nothing of how sure it is */
    for (at = 0; at < own; at++) {
        long output;
        names[at] = combine_column(r, h, at, &output, a);
        if (several && output >= 0)
            names[at] =
                arena_printf(a, "%s_%s", names[at], h->names.outputs[output]);
    }
    for (size_t i = 0; i < behind; i++, at++) {
        size_t output;
        names[at] = calibrated_column(h, i, &output);
        if (several || is_choice(h))
            names[at] =
                arena_printf(a, "%s_%s", names[at], h->names.outputs[output]);
    }
    *count = own + behind;
    return names;
}

const char **keep_columns(const struct combine_rule *r,
                          const struct combine_head *heads, size_t head_count,
                          struct keep_more more, size_t *count, struct arena *a)
{
    VEC(const char *) all = {0};
    size_t some;
    for (size_t i = 0; i < head_count; i++)
        for (size_t k = 0; k < heads[i].width; k++)
            vec_push(&all, heads[i].names.columns[k]);
    for (size_t i = 0; i < head_count; i++) {
        const char **own =
            combine_names_of(r, &heads[i], more.calibrated, &some, a);
        for (size_t k = 0; k < some; k++)
            vec_push(&all,
                     arena_printf(a, "%s%s", heads[i].names.prefix, own[k]));
    }
    for (size_t i = 0; more.scored && i < NOVELTY_SCORES; i++)
        vec_push(&all, novelty_names[i]);
    for (size_t i = 0; !more.product && i < head_count; i++)
        if (heads[i].repeats)
            vec_push(&all, arena_printf(a, "%serror", heads[i].names.prefix));
    *count = all.len;
    return vec_to_arena(a, &all);
}
