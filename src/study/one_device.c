/* one_device.c - which device `auto` is for one task, here and now
 *
 * It is decided as for a study (devices.c) of one trial, which has one cpu or
 * the GPU to itself, less what a conductor would take. The rows are read for
 * it, where there is something to choose between. */
#include "study/study.h"

#include <stdlib.h>

#include "study/devices.h"

bool one_device(const struct task *task, const char *scratch, struct arena *a,
                struct device_choice *choice)
{
    struct machine m;
    struct device_work w;
    struct device_pace cpu, gpu;
    struct device_asked q = {.machine = &m,
                             .worker = worker_path(a, NULL),
                             .wait_s = DEVICE_WAIT_S,
                             .scratch = path_join(a, scratch, "paces")};
    struct err err = {0};
    q.cuda_worker = q.worker ? arena_printf(a, "%s-cuda", q.worker) : NULL;
    if (!q.worker || machine_read(&m, getenv("THRONG_GPUS"), a, NULL) ||
        !device_may_be_there(&m))
        return false;
    if (device_paces(&q, &cpu, &gpu, &err)) {
        *choice = device_unusable(&err);
        return true;
    }
    if (!task_work(task, &w))
        return false;
    w.trials = w.cpus = 1;
    *choice = device_choose(&w, &cpu, &gpu);
    return true;
}
