/* spreads.c - how sure one model says itself to be, which is asked once
 *
 * A head that learns how much its truth varies has the columns that it would
 * have in an ensemble, by the same functions. What members differ by is not
 * known of one pass, and stays empty. */
#include "ensemble/ensemble.h"
#include "worker/predictions.h"

static const double all_of_it = 1;
static const struct combine_rule once = {
    .members = 1, .samples = 1, .weights = &all_of_it};

static struct combine_head head_of(const struct predicted *what, size_t i)
{
    struct nn_head_facts h = nn_model_head(what->model, i);
    return (struct combine_head){.width = h.width, .spreads = h.spreads};
}

const struct predicted_more *predicted_spreads(const struct predicted *what,
                                               struct arena *a)
{
    size_t heads = nn_model_head_count(what->model);
    struct predicted_more *more = arena_array(a, heads + 1, sizeof(*more));
    bool some = false;
    for (size_t i = 0; i < heads; i++) {
        struct combine_head h = head_of(what, i);
        if (!h.spreads)
            continue;
        h.names.outputs = nn_output_names(what->model, i, what->table, a);
        more[i].names = combine_names_of(&once, &h, false, &more[i].count, a);
        some = true;
    }
    return some ? more : NULL;
}

void predicted_spreads_fill(const struct predicted *what, const double *outputs,
                            double *more)
{
    size_t heads = nn_model_head_count(what->model);
    for (size_t i = 0; i < heads; i++) {
        struct combine_head h = head_of(what, i);
        if (h.spreads) {
            combine_sureness(&once, &h, outputs, NULL, more);
            more += what->more[i].count;
        }
        outputs += h.width;
    }
}
