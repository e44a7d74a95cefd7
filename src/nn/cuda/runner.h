/* runner.h - a cohort on the device cuda
 *
 * Inside nn/cuda only: what training (runner.c) and judging (judging.c) of its
 * members share. */
#ifndef THRONG_NN_CUDA_RUNNER_H
#define THRONG_NN_CUDA_RUNNER_H

#include "nn/cuda/lower.h"
#include "nn/cuda/special.h"
#include "nn/cuda/uploads.h"
#include "nn/device.h"

/* Where an epoch stands. It goes round by round: as many steps of some members
 * as there is room for their rates. */
struct course {
    size_t from, count;          /* of the work: who has this round */
    struct nn_standing *before;  /* wide: where they stood before it */
    const struct gpu_list *list; /* that is given, … */
    int64_t left;                /* … so many times more */
    bool in_round;
};

struct cuda {
    struct nn_run run; /* first: one is the other */
    struct gpu_machine *gpu;
    struct lowered lowered;
    struct special *special; /* NULL: the general kernels are all there are */
    struct uploads uploads;
    const double *class_weights; /* of all heads, on the device */
    const struct nn_graph *graph;
    size_t slots; /* of the optimizer's state */
    size_t wide;  /* members at the same time */
    size_t weight_stride, trained_stride;
    float *weights, *best, *masks, *state; /* capacity × … */
    float *frames, *slopes;                /* wide × … */
    double *soft;                          /* capacity × soft_count */
    size_t soft_count;
    struct gpu_field *fields;      /* capacity × (inputs, then heads) */
    struct gpu_slot *here, *there; /* wide: on the host, on the device */
    struct gpu_result *results;    /* wide: likewise, of a round */
    struct gpu_result *results_there;
    struct gpu_rates *rates; /* wide × ROUND_STEPS */
    struct gpu_step *plan;   /* the same */
    struct bound *bound;     /* capacity */
    struct course course;
    int *not_finite; /* capacity; -2: nobody has looked */
    struct judging_room {
        struct gpu_metric *metrics; /* of the model; NULL: the host judges */
        size_t numbers;             /* of all of them, of one member */
        double *here, *there;       /* wide × numbers */
        size_t rows;    /* of a piece, whose predictions come to the host */
        float *outputs; /* wide × rows × outputs */
        uint32_t *part; /* wide × rows: which rows of the table they are */
    } judging;
};

/* What all slots of a member say. */
struct gpu_slot cuda_slot(const struct cuda *c, size_t i, int member);
void cuda_put_slots(struct cuda *c, size_t count);
/* What came of so many slots goes to c->results. */
void cuda_take_results(struct cuda *c, size_t count);
/* Gives the list so many times; true: broken off before. */
bool cuda_give(struct cuda *c, const struct gpu_list *list, size_t slots,
               int64_t times);

/* judging.c: memory, before it is taken; what it is made of. */
uint64_t judging_bytes(const struct nn_model *like, size_t wide);
int judging_open(struct cuda *c, struct err *err);
void judging_close(struct cuda *c);
void judging_run(struct nn_run *r, struct nn_judging *judged, size_t count);

#endif
