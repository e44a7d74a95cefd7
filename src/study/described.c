/* described.c - what a trainer says of its GPU, before it has anything to train
 */
#include "study/program_read.h"
#include "study/study.h"
#include "sys/sys.h"

int device_described(const char *cuda_worker, double seconds, struct buf *b)
{
    const char *argv[] = {cuda_worker, "--describe-device", "cuda", NULL};
    const char *scratch = scratch_make("device", NULL);
    if (!scratch)
        return -1;
    struct arena *a = arena_new();
    int rc = program_read("/", path_join(a, scratch, "said"), argv, seconds, b);
    arena_free(a);
    scratch_remove(scratch);
    return rc;
}
