/* device.h - what models are trained on, or asked
 *
 * The names that study files, tasks and command lines use, and what must be
 * known of a device by whoever only plans. nn has what computes there, a file
 * each (nn/device.h). */
#ifndef THRONG_TERMS_DEVICE_H
#define THRONG_TERMS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Every device has a row here; the first is the default. Its name, how many
 * members a cohort has at most, how many MiB their numbers may take, how many
 * bytes each number takes, whether it is a GPU, and what it is. */
/* clang-format off */
#define DEVICES(row) \
    row(cpu, 64, 256, 4, 0, "the fastest code for this kind of CPU") \
    row(portable, 64, 256, 4, 0, "the same bits on every kind of CPU") \
    row(reference, 64, 256, 8, 0, "plain code in double precision") \
    row(cuda, 4096, 16384, 4, 1, "an NVIDIA GPU, all members at the same time")
/* Those that are only compared with the others: nobody can name them. */
#define DEVICES_APART(row) \
    row(avx2, 64, 256, 4, 0, "cpu, of this kind") \
    row(avx512, 64, 256, 4, 0, "cpu, of this kind")
/* clang-format on */

/* The oldest GPU that the device cuda can use: Ampere. */
#define DEVICE_CUDA_CAPABILITY 8.0

struct device {
    const char *name;
    int members;           /* of a cohort at once, at most */
    uint64_t cohort_bytes; /* that they may take in it */
    uint64_t number_bytes;
    bool gpu;          /* its trainers are throng-worker-cuda */
    const char *about; /* one line for people */
};

#define DEVICE_NUMBER(name, ...) DEVICE_##name,
enum { DEVICES(DEVICE_NUMBER) DEVICES_APART(DEVICE_NUMBER) DEVICE_COUNT_ALL };
#define DEVICE_ONE(name, ...) +1
enum { DEVICE_COUNT = 0 DEVICES(DEVICE_ONE) }; /* that can be named */
extern const struct device devices[DEVICE_COUNT_ALL];

/* "auto, …", for people, as text that other texts may be put beside. */
#define DEVICE_NAME(name, ...) ", " #name
#define DEVICE_NAMES "auto" DEVICES(DEVICE_NAME)

/* An empty name and "auto" are the default. NULL and err: there is none of
 * that name. */
const struct device *device_find(struct str name, struct err *err);
/* The device that other programs call so: "gpu" is cuda. NULL: none. */
const char *device_called(struct str name);
/* How many members a cohort has there, each with so many numbers (weights,
 * state of the optimizer); at least one. 0: nobody knows how many. */
size_t device_capacity(const struct device *d, uint64_t member_numbers);

#endif
