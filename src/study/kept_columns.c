/* kept_columns.c - whether rules of what is kept go by columns that predictions
 * will have
 *
 * Names come from the first model: the worker names columns by the same
 * functions, and refuses members that predict something else. */
#include "study/kept_columns.h"

#include "data/data.h"
#include "nn/nn.h"

static struct combine_head head_of(const struct nn_model *m, size_t i,
                                   const struct data_table *t, struct arena *a)
{
    struct nn_head_facts h = nn_model_head(m, i);
    return (struct combine_head){
        .width = h.width,
        .classes = h.classes,
        .each = h.each,
        .spreads = h.spreads,
        .repeats = nn_head_repeats(&h, t),
        .bound = nn_head_bound(m, i),
        .names = {.prefix = nn_head_prefix(m, i, a),
                  .outputs = nn_output_names(m, i, t, a),
                  .columns = nn_column_names(m, i, t, a)}};
}

static const char **columns_of(const struct kept_columns *k,
                               const struct combine_head *heads,
                               size_t head_count, size_t samples, size_t *count,
                               struct arena *a)
{
    struct combine_rule rule = {.members = k->members,
                                .samples = samples > 1 ? samples : 1,
                                .quantiles = k->quantiles,
                                .quantile_count = k->quantile_count};
    return keep_columns(&rule, heads, head_count, k->more, count, a);
}

/* One model that is asked once does not say how sure it is: then another
 * number of samples is what is missing, and no other name. */
static bool is_of_several(const struct kept_columns *k,
                          const struct combine_head *heads, size_t head_count,
                          const struct value *keep, struct arena *a)
{
    struct err ignored = {0};
    size_t count;
    if (k->members > 1 || k->samples > 1)
        return false;
    const char **columns = columns_of(k, heads, head_count, 2, &count, a);
    struct keep_rules *rules = keep_rules_read(keep, a, &ignored);
    return rules && keep_rules_bind(rules, columns, count, &ignored) == 0;
}

static int bind(const struct kept_columns *k, const struct combine_head *heads,
                size_t head_count, const struct value *keep,
                const struct value **fault, struct arena *a, struct err *err)
{
    size_t count;
    const char **columns =
        columns_of(k, heads, head_count, k->samples, &count, a);
    struct keep_rules *rules = keep_rules_read(keep, a, err);
    if (!rules)
        return -1;
    if (keep_rules_bind(rules, columns, count, err) == 0)
        return 0;
    if (keep_rules_fault(rules))
        *fault = keep_rules_fault(rules);
    if (is_of_several(k, heads, head_count, keep, a))
        err_set(err, err->kind,
                "%s; one model that is asked once does not say how sure it is: "
                "ask for samples, or several models",
                arena_cstr(a, str_of(err->text)));
    return -1;
}

int kept_columns_check_model(const struct kept_columns *k,
                             const struct nn_model *m,
                             const struct data_table *t,
                             const struct value *keep,
                             const struct value **fault, struct arena *a,
                             struct err *err)
{
    size_t count = nn_model_head_count(m);
    struct combine_head *heads = arena_array(a, count + 1, sizeof(*heads));
    for (size_t i = 0; i < count; i++)
        heads[i] = head_of(m, i, t, a);
    return bind(k, heads, count, keep, fault, a, err);
}

int kept_columns_check(const struct kept_columns *k, const struct value *keep,
                       const struct value **fault, struct arena *a,
                       struct err *err)
{
    struct data_view view;
    const struct value *unused = NULL;
    struct nn_model *m = k->layer
                             ? layer_model(k->weights, k->layer, &view, a, err)
                             : weights_model(k->weights, &view, NULL, a, err);
    int rc = m ? kept_columns_check_model(k, m, view.table, keep,
                                          fault ? fault : &unused, a, err)
               : -1;
    nn_model_free(m);
    return rc;
}
