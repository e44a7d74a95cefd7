/* flops.c - what an epoch of built-in training computes
 *
 * The multiplications and additions of the layers, forward for each row that
 * is judged, three times that for each that trains: forward, and backward for
 * inputs and for weights. */
#include <math.h>
#include <stdlib.h>
#include "data/data.h"
#include "nn/nn.h"
#include "study/study.h"

#define BACKWARD_TOO 3 /* times what forward takes */

struct flop_counter {
    const struct plan *plan;
    char *folder; /* of the model file */
    struct arena *arena;
    uint64_t spec; /* of the data that is open */
    struct data_set *set;
};

struct flop_counter *flops_open(const struct plan *p, const char *home)
{
    struct arena *a = arena_new();
    struct flop_counter *f = xcalloc(1, sizeof(*f));
    f->plan = p;
    f->arena = a;
    char *folder = path_folder(a, path_join(a, home, arena_cstr(a, p->model)));
    f->folder = xcalloc(1, strlen(folder) + 1);
    memcpy(f->folder, folder, strlen(folder));
    return f;
}

void flops_close(struct flop_counter *f)
{
    if (!f)
        return;
    data_close(f->set);
    arena_free(f->arena);
    free(f->folder);
    free(f);
}

static struct data_set *data_of(struct flop_counter *f,
                                const struct value *spec)
{
    uint64_t key = data_reading_key(spec);
    if (f->set && key == f->spec)
        return f->set;
    data_close(f->set);
    f->spec = key;
    f->set = data_open(spec, f->folder, NULL, NULL);
    return f->set;
}

struct nn_model *flops_model(struct flop_counter *f, const struct value *point,
                             struct data_view *view)
{
    struct problems faults = {.arena = f->arena};
    struct data_choice choice = {.seed = f->plan->seed};
    arena_reset(f->arena);
    struct value *model = plan_model(f->plan, point, f->arena, NULL);
    const struct value *spec = model ? value_get(model, STR("data")) : NULL;
    struct data_set *set = spec ? data_of(f, spec) : NULL;
    if (!set || data_view_make(view, set, spec, &choice, f->arena, NULL))
        return NULL;
    struct nn_data_facts facts = nn_data_facts_of(view->table, f->arena);
    facts.no_validation = !view->validation.count;
    return nn_model_read(model, &facts, &faults);
}

bool study_cohort_key(const struct plan *p, const char *home,
                      const struct value *point, uint64_t *key)
{
    struct flop_counter *f = flops_open(p, home);
    struct data_view view;
    struct nn_model *m = flops_model(f, point, &view);
    bool known = m != NULL;
    if (known)
        *key = nn_model_key(m);
    nn_model_free(m);
    flops_close(f);
    return known;
}

/* Of one row, forward; NaN: it cannot be known. */
static double forward_of(struct flop_counter *f, const struct value *point,
                         struct data_view *view)
{
    struct nn_model *m = flops_model(f, point, view);
    double forward = m ? nn_model_flops(m) : NAN;
    nn_model_free(m);
    return forward;
}

double flops_of_product_row(struct flop_counter *f, const struct value *point,
                            size_t tables, double *added)
{
    struct data_view view;
    struct nn_model *m = flops_model(f, point, &view);
    double rest = m ? nn_model_flops_split(m, tables, added) : NAN;
    nn_model_free(m);
    return rest;
}

double flops_of_row(struct flop_counter *f, const struct value *point,
                    double *columns)
{
    struct data_view view;
    double forward = forward_of(f, point, &view);
    *columns = 1;
    for (size_t i = 0; !isnan(forward) && i < view.table->input_count; i++)
        *columns += (double)view.table->inputs[i].columns;
    return forward;
}

double flops_of_epoch(struct flop_counter *f, const struct value *point)
{
    struct data_view view;
    double forward = forward_of(f, point, &view);
    return isnan(forward) ? NAN
                          : forward * (BACKWARD_TOO * (double)view.train.count +
                                       (double)view.validation.count);
}
