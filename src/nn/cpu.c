/* cpu.c - kernels in single precision, made for the CPU that runs them */
#define real float
#define REAL_IS_FLOAT
#include "nn/plain.inc"

const struct nn_device nn_device_cpu = PLAIN_DEVICE("cpu");
