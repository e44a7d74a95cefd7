/* probe.c - one batch of a model, with its buffers at hand */
#include "probe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "nn/init.h"

void probe_open(struct probe *p, const char *name,
                const struct nn_kernels *kernels)
{
    struct err err = {0};
    made_named(&p->made, name, PROBE_ROWS);
    const struct nn_graph *g = &p->made.model->graph;
    if (nn_program_open(&p->program, kernels, g, PROBE_ROWS, &err))
        fail_msg("%s", err.text);
    size_t count = (size_t)g->weights;
    double *first = calloc(count + 1, sizeof(double));
    nn_init_weights(g, 7, first);
    for (size_t i = 0; i < count; i++)
        first[i] += 0.05 * sin(1.0 + (double)i);
    p->weights = kernels->alloc(count * kernels->real_bytes, &err);
    kernels->put(p->weights, 0, first, count);
    free(first);
    p->frame = nn_program_frame(&p->program, p->weights, p->made.model->soft.p);
    p->frame.batch = PROBE_ROWS;
    p->frame.training = true;
    p->frame.key = 99;
}

void probe_close(struct probe *p)
{
    p->program.kernels->free(p->weights);
    nn_program_close(&p->program);
    made_close(&p->made);
}

static double head_loss(struct probe *p, size_t head)
{
    static const uint32_t rows[PROBE_ROWS] = {0, 1, 2, 3, 4, 5};
    const struct nn_kernels *d = p->program.kernels;
    const struct nn_graph *g = &p->made.model->graph;
    const struct data_field *f = &p->made.table.labels[head];
    struct nn_labels labels = {.categories = f->categories};
    double total = 0;
    struct err err = {0};
    void *values = NULL;
    if (f->numbers) {
        size_t columns = (size_t)f->columns;
        values = d->alloc(PROBE_ROWS * columns * d->real_bytes, &err);
        d->gather(values, 0, columns, f->numbers, columns, rows, PROBE_ROWS,
                  NULL, NULL);
        labels.values = values;
    }
    d->loss(&g->heads.p[head], &p->frame, &labels, p->program.head_adds[head],
            &total);
    d->free(values);
    return total;
}

double probe_loss(struct probe *p)
{
    static const uint32_t rows[PROBE_ROWS] = {0, 1, 2, 3, 4, 5};
    const struct nn_graph *g = &p->made.model->graph;
    const struct data_table *t = &p->made.table;
    double total = 0;
    for (size_t i = 0; i < g->inputs.len; i++)
        p->program.kernels->gather(
            p->program.value[g->inputs.p[i].tensor], 0,
            (size_t)t->inputs[i].columns, t->inputs[i].numbers,
            (size_t)t->inputs[i].columns, rows, PROBE_ROWS, NULL, NULL);
    nn_program_forward(&p->program, &p->frame);
    for (size_t i = 0; i < g->heads.len; i++)
        total += head_loss(p, i);
    return total;
}

double *probe_slopes(struct probe *p)
{
    size_t count = (size_t)p->made.model->graph.trained;
    double *slopes = calloc(count + 1, sizeof(double));
    nn_program_backward(&p->program, &p->frame);
    p->program.kernels->take(slopes, p->frame.weight_slopes, 0, count);
    return slopes;
}
