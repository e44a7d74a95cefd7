/* uploads.h - arrays of the host that lie on the device, too
 *
 * Inside nn/cuda only. One that several members need is there once; who is the
 * last to leave takes it along. Tables are there once for all cohorts of a
 * process: a search over shapes has a cohort for each of them. */
#ifndef THRONG_NN_CUDA_UPLOADS_H
#define THRONG_NN_CUDA_UPLOADS_H

#include "base/vec.h"
#include "data/data.h"
#include "nn/cuda/gpu.h"
#include "nn/model.h"

struct upload {
    const void *host; /* NULL: known by its content */
    uint64_t hash[2]; /* of that */
    size_t bytes;
    void *device;
    int users;
};
struct upload_list {
    struct upload *p;
    size_t len, cap;
};
struct tables {
    struct upload_list list;
    int cohorts;
};
/* Of a cohort. */
struct uploads {
    struct gpu_machine *gpu;
    struct upload_list list;
    struct tables *tables; /* of all cohorts beside it, too */
};

/* The data that a member is trained and judged on. */
struct bound {
    VEC(void *) held;                  /* on the device */
    VEC(void *) pieces;                /* the same, of nobody else */
    struct gpu_field *inputs, *labels; /* the caller's, on the device */
    const float *row_weights;
    const uint32_t *train, *validation; /* rows */
    bool labelled; /* every head that wants labels has them */
};

/* `beside`: of another cohort, or NULL. */
void uploads_open(struct uploads *u, struct gpu_machine *gpu,
                  const struct uploads *beside);
/* A table, known by its place on the host. NULL and err: there is no room. NULL
 * without err: `host` is NULL. */
void *uploads_add(struct uploads *u, const void *host, size_t bytes,
                  struct err *err);
/* As uploads_add, for what each member has a copy of on the host: what has the
 * same content is there once for the cohort. */
void *uploads_share(struct uploads *u, const void *host, size_t bytes,
                    struct err *err);
void uploads_drop(struct uploads *u, const void *device);
void uploads_done(struct uploads *u);

/* 0, or -1 and err, with nothing bound. b->inputs and labels say where the
 * fields go. */
int bound_open(struct bound *b, struct uploads *u, const struct nn_graph *g,
               const struct data_view *v, struct err *err);
void bound_close(struct bound *b, struct uploads *u);

#endif
