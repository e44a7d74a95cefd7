/* task_work.c - what a task takes of a device: training, or models that answer
 *
 * Of models that answer every pass over the rows is one of training, forward
 * alone, of one step a batch; what reads the rows and puts answers together is
 * a cpu, wherever they are asked. How many rows there are a shard says, else
 * they are read for it. Of several models the first one speaks for all. A
 * product of tables is asked for on cpus alone. */
#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/bulk.h"
#include "study/devices.h"

#define FORWARD_PART 3 /* of a step of training, forward is one in so many */

struct looked {
    const struct task *task;
    struct arena *arena;
    const struct value *model, *spec;
    const char *folder;
    struct data_set *set;
    struct data_view view;
    uint64_t rows; /* to be trained on, or answered for */
};

static bool trains(const struct looked *l)
{
    return str_is(l->task->kind, "train");
}

/* ---- rows and model --------------------------------------------------------
 */

static struct nn_model *of_rows(struct looked *l)
{
    struct problems faults = {.arena = l->arena};
    struct nn_data_facts facts = nn_data_facts_of(l->view.table, l->arena);
    facts.no_validation = !l->view.validation.count;
    return nn_model_read(l->model, &facts, &faults);
}

static struct nn_model *of_own_rows(struct looked *l)
{
    struct data_choice choice = {.seed = l->task->seed};
    const struct data_view *v = &l->view;
    l->set = data_open(l->spec, l->folder, NULL, NULL);
    if (!l->set ||
        data_view_make(&l->view, l->set, l->spec, &choice, l->arena, NULL))
        return NULL;
    l->rows = trains(l)       ? v->train.count
              : v->test.count ? v->test.count
                              : v->validation.count;
    return of_rows(l);
}

/* Rows of another day, by what the weights say of those of training. */
static struct nn_model *of_new_rows(struct looked *l)
{
    const char *weights = arena_cstr(l->arena, l->task->weights);
    struct nn_about about;
    if (nn_weights_about(weights, l->arena, &about, NULL) || !about.data.len)
        return NULL;
    l->set = data_open_fitted(l->spec, l->folder, about.data, weights, &l->view,
                              NULL);
    if (!l->set)
        return NULL;
    l->rows = l->view.test.count;
    return of_rows(l);
}

/* Of which it is known how many there are, and weights know what they are. */
static struct nn_model *of_shard(struct looked *l)
{
    const char *weights = arena_cstr(l->arena, l->task->weights);
    l->rows = l->task->shard.count;
    return weights_model(weights, &l->view, NULL, l->arena, NULL);
}

/* NULL: its trainer will say what is wrong with it. Yours to free. */
static struct nn_model *look(struct looked *l)
{
    const struct task *t = l->task;
    l->model = json_parse(l->arena, t->model, "model", true, NULL);
    l->spec = l->model ? value_get(l->model, STR("data")) : NULL;
    l->folder = arena_cstr(l->arena, t->workdir);
    if (!l->spec || value_get(l->spec, STR("product")))
        return NULL;
    return t->shard.count ? of_shard(l)
           : t->new_rows  ? of_new_rows(l)
                          : of_own_rows(l);
}

/* ---- work ------------------------------------------------------------------
 */

/* Of all models, with all their samples. */
static int64_t passes_of(const struct looked *l)
{
    const struct value *o =
        l->task->options.len
            ? json_parse(l->arena, l->task->options, "options", true, NULL)
            : NULL;
    const struct value *others = o ? value_get(o, STR("members")) : NULL;
    const struct value *samples = o ? value_get(o, STR("samples")) : NULL;
    int64_t each = samples && samples->kind == VALUE_INT && samples->i > 1
                       ? samples->i
                       : 1;
    return each * (others && others->kind == VALUE_LIST
                       ? (int64_t)others->count + 1
                       : 1);
}

static double host_seconds(const struct looked *l, int64_t passes)
{
    const struct data_table *table = l->view.table;
    double columns = 0;
    for (size_t i = 0; table && i < table->input_count; i++)
        columns += (double)table->inputs[i].columns;
    return (double)l->rows * (bulk_row_seconds(0, columns, 1) +
                              bulk_product_seconds(0, 0, passes));
}

static void fill_asked(const struct looked *l, const struct nn_model *m,
                       struct device_work *w)
{
    *w = device_work_of(m, (size_t)l->rows, 1);
    w->flops /= FORWARD_PART;
    w->passes = passes_of(l);
    w->host_s = host_seconds(l, w->passes);
}

bool task_work(const struct task *task, struct device_work *w)
{
    struct looked l = {.task = task, .arena = arena_new()};
    struct nn_model *m = look(&l);
    bool known = m && l.rows;
    if (known && !trains(&l))
        fill_asked(&l, m, w);
    else if (known)
        *w = device_work_of(m, (size_t)l.rows,
                            task->budget > 0 ? task->budget
                                             : nn_model_epochs(m));
    nn_model_free(m);
    data_close(l.set);
    arena_free(l.arena);
    return known;
}
