/* one_device.c - which device `auto` is for one model, here and now
 *
 * As for a study (devices.c) of one trial, which has one cpu or the GPU to
 * itself, less what a conductor would take. Its rows are read for it, where
 * there is something to choose between. */
#include "study/study.h"

#include <stdlib.h>

#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/devices.h"

/* False: its trainer will say what is wrong with it. */
static bool work_of(const struct value *model, const struct task *task,
                    struct data_set *set, struct device_work *w)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct data_choice choice = {.seed = task->seed};
    struct data_view view;
    struct nn_model *m = NULL;
    const struct value *spec = value_get(model, STR("data"));
    if (data_view_make(&view, set, spec, &choice, a, NULL) == 0 &&
        view.train.count) {
        struct nn_data_facts facts = nn_data_facts_of(view.table, a);
        facts.no_validation = !view.validation.count;
        m = nn_model_read(model, &facts, &faults);
    }
    if (m) {
        *w = device_work_of(m, view.train.count,
                            task->budget > 0 ? task->budget
                                             : nn_model_epochs(m));
        w->trials = 1;
        w->cpus = 1;
    }
    nn_model_free(m);
    arena_free(a);
    return m != NULL;
}

static bool read_work(const struct task *task, struct arena *a,
                      struct device_work *w)
{
    const struct value *model = json_parse(a, task->model, "model", true, NULL);
    const struct value *spec = model ? value_get(model, STR("data")) : NULL;
    struct data_set *set =
        spec ? data_open(spec, arena_cstr(a, task->workdir), NULL, NULL) : NULL;
    bool known = set && work_of(model, task, set, w);
    data_close(set);
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
        !read_work(task, a, &w))
        return false;
    *choice = device_choose(&w, &cpu, &gpu);
    return true;
}
