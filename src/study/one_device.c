/* one_device.c - which device `auto` is for one task, here and now
 *
 * Training is decided as for a study (devices.c) of one trial, which has one
 * cpu or the GPU to itself, less what a conductor would take. Of models that
 * answer every pass over the rows is a trial, of one step a batch, forward
 * alone: on a GPU they go together, on a cpu one after the other. The rows are
 * read for it, where there is something to choose between. A product of tables
 * is asked for on cpus alone. */
#include "study/study.h"

#include <stdlib.h>

#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
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

/* ---- rows ------------------------------------------------------------------
 */

static bool open_own(struct looked *l)
{
    struct data_choice choice = {.seed = l->task->seed};
    l->set = data_open(l->spec, l->folder, NULL, NULL);
    if (!l->set ||
        data_view_make(&l->view, l->set, l->spec, &choice, l->arena, NULL))
        return false;
    const struct data_view *v = &l->view;
    l->rows = str_is(l->task->kind, "train") ? v->train.count
              : v->test.count                ? v->test.count
                                             : v->validation.count;
    return true;
}

/* Rows of another day, by what the weights say of those of training. No GPU can
 * do a product of tables. */
static bool open_new(struct looked *l)
{
    const char *weights = arena_cstr(l->arena, l->task->weights);
    struct nn_about about;
    if (value_get(l->spec, STR("product")) ||
        nn_weights_about(weights, l->arena, &about, NULL) || !about.data.len)
        return false;
    l->set = data_open_fitted(l->spec, l->folder, about.data, weights, &l->view,
                              NULL);
    l->rows = l->set ? l->view.test.count : 0;
    return l->set != NULL;
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

/* False: its trainer will say what is wrong with it. */
static bool work_of(struct looked *l, struct device_work *w)
{
    struct problems faults = {.arena = l->arena};
    struct nn_data_facts facts = nn_data_facts_of(l->view.table, l->arena);
    facts.no_validation = !l->view.validation.count;
    struct nn_model *m = nn_model_read(l->model, &facts, &faults);
    bool trains = str_is(l->task->kind, "train");
    if (!m)
        return false;
    *w = device_work_of(m, (size_t)l->rows,
                        !trains               ? 1
                        : l->task->budget > 0 ? l->task->budget
                                              : nn_model_epochs(m));
    w->trials = 1;
    w->passes = trains ? 0 : passes_of(l);
    w->flops /= trains ? 1 : FORWARD_PART;
    w->cpus = 1;
    nn_model_free(m);
    return true;
}

static bool read_work(const struct task *task, struct device_work *w)
{
    struct looked l = {.task = task, .arena = arena_new()};
    l.model = json_parse(l.arena, task->model, "model", true, NULL);
    l.spec = l.model ? value_get(l.model, STR("data")) : NULL;
    l.folder = arena_cstr(l.arena, task->workdir);
    bool known = l.spec && (task->new_rows ? open_new(&l) : open_own(&l)) &&
                 l.rows && work_of(&l, w);
    data_close(l.set);
    arena_free(l.arena);
    return known;
}

bool one_device(const struct task *task, const char *scratch, struct arena *a,
                struct device_choice *choice)
{
    struct machine m;
    struct device_work w;
    struct device_pace cpu, gpu;
    struct device_asked q = {.machine = &m,
                             .worker = worker_path(a, NULL),
                             .scratch = path_join(a, scratch, "paces")};
    q.cuda_worker = q.worker ? arena_printf(a, "%s-cuda", q.worker) : NULL;
    if (!q.worker || !file_exists(q.cuda_worker) ||
        machine_read(&m, getenv("THRONG_GPUS"), a, NULL) ||
        !device_may_be_there(&m) || !device_paces(&q, &cpu, &gpu) ||
        !read_work(task, &w))
        return false;
    *choice = device_choose(&w, &cpu, &gpu);
    return true;
}
