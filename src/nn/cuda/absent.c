/* absent.c - the device cuda in a program that is built without it */
#include "nn/device.h"

static const char *absent(void)
{
    return "this program is built without CUDA; throng-worker-cuda has it, "
           "where nvcc was found when throng was built";
}

DEVICE(cuda, .absent = absent);
