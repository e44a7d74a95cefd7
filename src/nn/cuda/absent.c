/* absent.c - the device cuda in a program that is built without it */
#include "nn/device.h"
#include "nn/nn.h"

static const char *absent(void)
{
    return "this program is built without CUDA; throng-worker-cuda has it, "
           "where nvcc was found when throng was built";
}

int nn_cuda_compile(const char *stem, struct err *err)
{
    (void)stem;
    return err_set(err, ERR_MISSING, "%s", absent());
}

DEVICE(cuda, .absent = absent);
