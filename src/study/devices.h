/* devices.h - which device `auto` is; internal to src/study */
#ifndef THRONG_STUDY_DEVICES_H
#define THRONG_STUDY_DEVICES_H

#include "plan/plan.h"
#include "sys/sys.h"
#include "terms/device_cost.h"

#define DEVICE_WORKER_MISSING                                                  \
    "there is no throng-worker-cuda beside throng-worker (it is built where "  \
    "nvcc is found)"

struct device_asked {
    const struct machine *machine;
    const char *worker, *cuda_worker;
    const char *scratch; /* a file to be made meanwhile */
    double wait_s;       /* for each answer */
};
#define DEVICE_WAIT_S 60.0 /* a driver may compile kernels first */
/* -1: one of them is not there, or makes no sense; or it did not answer in time
 * a while ago, and is not asked again yet. */
int device_paces(const struct device_asked *q, struct device_pace *cpu,
                 struct device_pace *gpu, struct err *err);
/* Then `auto` is the cpu, of which err says why. */
struct device_choice device_unusable(const struct err *err);

/* ---- device_silence.c: that it did not answer -----------------------------
 */

/* `paces` is where paces are kept (NULL: nowhere), and `stamp` says what they
 * are true of. True: it did not answer lately, and when that was. */
bool device_silence_known(const char *paces, struct str stamp, double *when);
void device_silence_note(const char *paces, struct str stamp, double when);
void device_silence_forget(const char *paces);

/* ---- what is to be done ---------------------------------------------------
 */

/* A GPU that the device cuda may be able to use. */
bool device_may_be_there(const struct machine *m);
struct nn_model;
struct task;
/* What one of them takes on so many rows; who else there is is not said. */
struct device_work device_work_of(const struct nn_model *m, size_t rows,
                                  int64_t epochs);
/* The same of a task (task_work.c), for which rows are read, unless it is about
 * a shard. False: nobody knows, or no GPU can do it. */
bool task_work(const struct task *task, struct device_work *w);

/* The first that the device cuda can use, else the first, as
 * CUDA_VISIBLE_DEVICES takes it; NULL: none is known. */
const char *device_gpu(const struct machine *m);

/* Somebody has named a GPU for its models. */
bool device_is_named_gpu(const struct plan *p);
/* A whole GPU, which somebody has asked for, becomes a member's part of one:
 * so many may be out, of `total` trials (-1: no end), on so many GPUs. A part
 * that somebody has said stays. */
struct device_slots {
    uint32_t at_once, gpus;
    int64_t total;
};
void device_share_here(const struct device_slots *d, struct needs *n);

/* ---- job_devices.c: in jobs of a cluster --------------------------------- */

/* Nobody has named a device. */
bool job_device_is_auto(const struct plan *p);
/* `resources: {gpus: 0}`: then `auto` is the cpu. */
bool job_device_is_barred(const struct plan *p);
/* The device, and why it is that where nobody has named one. cuda_worker: the
 * path of throng-worker-cuda, which may not be there; NULL: it is not. */
struct device_choice job_device(const struct plan *p, const char *cuda_worker);
/* How many are trained together on one GPU of `gpus` (0: nobody knows how many
 * there are) of `total` trials (-1: no end). */
size_t job_device_members(const struct plan *p, size_t gpus, int64_t total);
/* What one of them needs. */
void job_device_share(const struct plan *p, size_t members, struct needs *n);

#endif
