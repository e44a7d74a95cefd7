/* job_devices.c - which device models have in jobs of a cluster
 *
 * Nobody can time the GPUs there, and asking for some costs whoever waits for
 * them: `auto` takes them where the study asks for GPUs, and never asks by
 * itself. A member on a GPU needs a part of it, so that a job has one GPU, and
 * as many members as are trained there together. */
#include <math.h>
#include "study/devices.h"
#include "study/study.h"

#define MEMBERS_LEAST 64 /* fewer would not fill a GPU */
/* Each is a choice made without the others, or has its rows in memory. */
#define MEMBERS_FEW 4

bool job_device_is_auto(const struct plan *p)
{
    return !p->device.len || str_is(p->device, "auto");
}

static bool asks_for_gpus(const struct plan *p)
{
    struct value empty = {.kind = VALUE_OBJECT};
    struct needs n;
    if (plan_needs(p, &empty, &n, NULL)) /* it depends on parameters */
        return p->gpus_said;
    return n.gpus > 0;
}

bool job_device_is_barred(const struct plan *p)
{
    return p->gpus_said && !asks_for_gpus(p);
}

static bool is_product(const struct plan *p)
{
    return p->predict && p->predict->product_count;
}

struct device_choice job_device(const struct plan *p, const char *cuda_worker)
{
    struct device_choice c = {.device = &devices[DEVICE_cpu]};
    if (!job_device_is_auto(p)) {
        c.device = device_find(p->device, NULL);
        return c;
    }
    if (!asks_for_gpus(p))
        c.why = DEVICE_JOBS_ASK_NOT;
    else if (is_product(p))
        c.why = DEVICE_PRODUCT;
    else if (!cuda_worker || !file_exists(cuda_worker))
        c.why = DEVICE_NO_WORKER;
    else {
        c.why = DEVICE_JOBS_ASK;
        c.device = &devices[DEVICE_cuda];
    }
    return c;
}

/* No more than it takes for all GPUs of the cluster to have some. */
size_t job_device_members(const struct plan *p, size_t gpus, int64_t total)
{
    bool few = p->strategy->learns != LEARNS_NOT || !p->model_root;
    double most =
        (double)device_capacity(&devices[DEVICE_cuda], p->member_numbers);
    double least = few ? MEMBERS_FEW : MEMBERS_LEAST;
    if (few)
        most = fmin(most, MEMBERS_FEW);
    double each = (double)total / (double)(gpus ? gpus : 1);
    if (total >= 0)
        most = fmin(most, fmax(least, ceil(each)));
    if (p->parallel)
        most = fmin(most, p->parallel);
    return most < 1 ? 1 : (size_t)most;
}

/* A part that somebody has said stays. */
void job_device_share(const struct plan *p, size_t members, struct needs *n)
{
    if (n->gpus <= 0 || n->gpus >= 1)
        n->gpus = 1.0 / (double)members;
    if (!p->cpus_said)
        n->cpus = n->gpus;
}
