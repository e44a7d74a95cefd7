/* described.c - what a trainer says of its GPU, before it has anything to train
 */
#include "study/devices.h"
#include "study/program_read.h"
#include "study/study.h"
#include "sys/sys.h"

/* What those do that train (worker/crew_gpus.c). */
const char *device_gpu(const struct machine *m)
{
    for (size_t i = 0; i < m->gpu_count; i++)
        if (m->gpus[i].capability_major + m->gpus[i].capability_minor / 10.0 >=
            DEVICE_CUDA_CAPABILITY)
            return m->gpus[i].uuid;
    return m->gpu_count ? m->gpus[0].uuid : NULL;
}

int device_described(const char *cuda_worker, const struct machine *m,
                     double seconds, struct buf *b)
{
    const char *gpu = device_gpu(m);
    const char *argv[] = {cuda_worker, "--describe-device",
                          "cuda",      gpu ? "--gpu" : NULL,
                          gpu,         NULL};
    const char *scratch = scratch_make("device", NULL);
    if (!scratch)
        return -1;
    struct arena *a = arena_new();
    int rc = program_read("/", path_join(a, scratch, "said"), argv, seconds, b);
    arena_free(a);
    scratch_remove(scratch);
    return rc;
}
