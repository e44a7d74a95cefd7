/* probe.h - one batch of a model, with its buffers at hand */
#ifndef THRONG_TESTS_NN_PROBE_H
#define THRONG_TESTS_NN_PROBE_H

#include "made.h"
#include "nn/program.h"

enum { PROBE_ROWS = 6 };

struct probe {
    struct made made;
    struct nn_program program;
    void *weights; /* of the device */
    struct nn_frame frame;
};

/* A model of models.json on a device, with the weights that seed 7 gives,
 * moved off zero, where relu and others have a corner. */
void probe_open(struct probe *p, const char *name,
                const struct nn_kernels *kernels);
void probe_close(struct probe *p);
/* Forward over the first PROBE_ROWS rows; the heads' gradients are written. */
double probe_loss(struct probe *p);
/* The gradient of all weights, after probe_loss; yours to free. */
double *probe_slopes(struct probe *p);

#endif
