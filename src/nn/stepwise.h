/* stepwise.h - the runner of the CPU devices, for its own files
 *
 * Inside nn only: stepwise.c trains and judges, asking.c predicts. */
#ifndef THRONG_NN_STEPWISE_H
#define THRONG_NN_STEPWISE_H

#include "nn/labels.h"
#include "nn/program.h"

struct stepwise {
    struct nn_run run; /* first: one is the other */
    const struct nn_kernels *kernels;
    const struct nn_graph *graph;
    struct nn_program program;
    size_t slots;
    void *weights;    /* capacity × graph->weights */
    void *best;       /* the same; NULL: not needed yet */
    void *masks;      /* capacity × graph->trained; NULL: the same */
    void *state;      /* capacity × slots × graph->trained */
    uint32_t *rows;   /* of the next batches */
    size_t span;      /* as many of them as are made at once */
    uint32_t *joined; /* rows of a table that is joined, of one batch */
    struct nn_label_room labels; /* of one batch; predictions that are judged
                                    are put into its numbers */
    struct nn_asker *asker;      /* asking.c; NULL: nobody asked yet */
};

/* Where such numbers of a member begin. */
void *stepwise_numbers(const struct stepwise *s, int member,
                       enum nn_numbers which);
/* Rows of the view into the inputs of a program; `joined` has room for the
 * number of each in a table that is joined. */
void stepwise_load(const struct nn_program *p, const struct data_view *v,
                   const uint32_t *rows, size_t count, uint32_t *joined);
bool stepwise_broken_off(const struct stepwise *s);

/* asking.c. Weights have changed; nobody may have asked yet. */
void stepwise_forget(struct stepwise *s);
int stepwise_ask(struct nn_run *r, const struct nn_question *q,
                 struct err *err);
size_t stepwise_ask_rows(const struct nn_model *like);
void stepwise_asker_close(struct stepwise *s);

#endif
