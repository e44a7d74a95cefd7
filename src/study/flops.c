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

double flops_of_epoch(struct flop_counter *f, const struct value *point)
{
    struct problems faults = {.arena = f->arena};
    struct data_choice choice = {.seed = f->plan->seed};
    struct data_view view;
    arena_reset(f->arena);
    struct value *model = plan_model(f->plan, point, f->arena, NULL);
    const struct value *spec = model ? value_get(model, STR("data")) : NULL;
    struct data_set *set = spec ? data_of(f, spec) : NULL;
    if (!set || data_view_make(&view, set, spec, &choice, f->arena, NULL))
        return NAN;
    struct nn_data_facts facts = nn_data_facts_of(view.table, f->arena);
    facts.no_validation = !view.validation.count;
    struct nn_model *m = nn_model_read(model, &facts, &faults);
    double forward = m ? nn_model_flops(m) : NAN;
    nn_model_free(m);
    return forward * (BACKWARD_TOO * (double)view.train.count +
                      (double)view.validation.count);
}
