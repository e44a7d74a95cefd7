/* device_words.c - what is said of the device before anything runs */
#include "study/devices.h"
#include "study/study.h"

static const char missing[] =
    DEVICE_WORKER_MISSING ", so every trial would fail; `device: cpu` does "
                          "without";

static const char *cuda_worker(struct arena *a)
{
    char *worker = worker_path(a, NULL);
    return worker ? arena_printf(a, "%s-cuda", worker) : NULL;
}

static bool is_in_jobs(const struct plan *p)
{
    return plan_runs_models(p) && !place_is_here(p->site.engine);
}

void study_share_device(const struct plan *p, int64_t total, struct arena *a,
                        struct needs *n)
{
    if (is_in_jobs(p) && job_device(p, cuda_worker(a)).device->gpu)
        job_device_share(p, job_device_members(p, 0, total), n);
}

bool device_is_named_gpu(const struct plan *p)
{
    return plan_runs_models(p) && !job_device_is_auto(p) &&
           device_find(p->device, NULL)->gpu;
}

/* Whether `auto` takes one is not known before trials begin. */
static bool may_take_gpu(const struct plan *p)
{
    if (is_in_jobs(p) || !plan_runs_models(p) || !job_device_is_auto(p))
        return !is_in_jobs(p) && device_is_named_gpu(p);
    struct arena *a = arena_new();
    const char *worker = cuda_worker(a);
    bool may = worker && file_exists(worker) && !job_device_is_barred(p);
    arena_free(a);
    return may;
}

void study_share_gpu_here(const struct plan *p, const struct room *r,
                          int64_t total, struct needs *n)
{
    struct needs one = *n, none = *n;
    one.gpus = 1;
    none.gpus = 0;
    struct device_slots slots = {.at_once = room_slots(r, &none),
                                 .gpus = room_slots(r, &one),
                                 .total = total};
    if (may_take_gpu(p))
        device_share_here(&slots, n);
}

static void say_in_jobs(struct buf *b, const struct plan *p, int64_t total,
                        struct arena *a)
{
    const char *worker = cuda_worker(a);
    struct device_choice c = job_device(p, worker);
    c.members = job_device_members(p, 0, total);
    if (job_device_is_auto(p)) {
        buf_adds(b, "auto chooses ");
        device_choice_words(b, &c);
        if (c.why == DEVICE_JOBS_ASK_NOT)
            buf_adds(b, " (`resources: {gpus: 1}` does)");
    } else if (!worker || !file_exists(worker)) {
        buf_addf(b, "cuda: %s", missing);
    } else {
        buf_addf(b, "cuda, up to %zu at a time on the GPU of a job", c.members);
    }
}

static void say_here(struct buf *b, const struct plan *p, size_t gpus,
                     struct arena *a)
{
    const char *worker = cuda_worker(a);
    bool there = worker && file_exists(worker);
    if (job_device_is_auto(p) && gpus && job_device_is_barred(p))
        buf_adds(b, "cpu: the study asks for no GPU (`gpus: 0`)");
    else if (job_device_is_auto(p) && gpus && there)
        buf_adds(b, "auto: decided when trials begin, by how fast cpus and "
                    "GPUs are (`status` says what)");
    else if (job_device_is_auto(p) && gpus)
        buf_adds(b, "cpu: no GPU can be used here: " DEVICE_WORKER_MISSING);
    else if (job_device_is_auto(p))
        return;
    else if (!there)
        buf_addf(b, "cuda: %s", missing);
    else if (gpus)
        buf_addf(b, "cuda: on %zu GPU%s, all %s at the same time", gpus,
                 gpus == 1 ? "" : "s",
                 p->model_root ? "members of a cohort" : "models and samples");
    else
        buf_adds(b, "cuda: no GPU is seen here (`throng doctor` says more); "
                    "where there is none every trial fails, and `device: cpu` "
                    "does without");
}

void study_device_words(struct buf *b, const struct plan *p, size_t gpus,
                        int64_t total, struct arena *a)
{
    const struct device *d = device_find(p->device, NULL);
    if (!plan_runs_models(p) || (!job_device_is_auto(p) && !d->gpu))
        return;
    if (is_in_jobs(p))
        say_in_jobs(b, p, total, a);
    else
        say_here(b, p, gpus, a);
}
