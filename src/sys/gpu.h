/* gpu.h - the GPUs of this machine; internal to src/sys
 *
 * gpu_nvml_read lives in a library of its own (dep_sys_gpu), since a static
 * program cannot load NVML; machine_read asks it when it is linked in. */
#ifndef THRONG_SYS_GPU_H
#define THRONG_SYS_GPU_H

#include "sys/sys.h"

/* A list of GPUs in the arena. */
struct gpu_list {
    const struct gpu *gpus;
    size_t count;
};

/* Reads "a100:8.0:40G,…"; the GPUs get the ids 0, 1, … */
int gpu_parse(const char *text, struct arena *a, struct gpu_list *list,
              struct err *err);
/* Asks NVML, loaded from the file `library`. visible is the value of
 * CUDA_VISIBLE_DEVICES or NULL. A machine without the library or without a
 * driver has no GPUs; that is no error. */
int gpu_nvml_read(const char *library, const char *visible, struct arena *a,
                  struct gpu_list *list, struct err *err);

bool gpu_nvml_is_there(const char *library);
/* The same by a process of its own, which is given so long; false: it has not
 * answered, and nobody knows what there is. */
bool gpu_read_apart(const char *library, const char *visible, double wait_s,
                    struct arena *a, struct gpu_list *list);

/* The same of that program, which prints them (GPU_LISTER_OPTION); where it is
 * not there are none. */
bool gpu_read_by(const char *program, double wait_s, struct arena *a,
                 struct gpu_list *list);
/* Reads what gpus_print has written; a line that is not whole is none. False:
 * it makes no sense, and list is as it was. */
bool gpus_read(struct str text, struct arena *a, struct gpu_list *list);

/* NVML, loaded for a while; NULL: it is not there. */
struct gpu_nvml;
struct gpu_nvml *gpu_nvml_open(const char *library);
void gpu_nvml_close(struct gpu_nvml *n);
/* What is on the GPU of this UUID; u->known says whether that could be read. */
void gpu_nvml_use(struct gpu_nvml *n, const char *uuid, struct gpu_use *u);

#define GPU_LISTER_OPTION "--gpus"
#define GPU_NVML_LIBRARY "libnvidia-ml.so.1"

#endif
