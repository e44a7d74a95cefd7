/* verdict.c - loss and metrics of predictions that no single model made
 *
 * A committee's prediction is the outputs of several members made one. It is
 * judged as a model's own would be, in double precision. Losses that are taken
 * before a softmax or a sigmoid find there the numbers that give these
 * probabilities; what has no probability at all counts as the least that a
 * float has. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "nn/judge.h"
#include "nn/labels.h"
#include "nn/nn.h"

struct nn_verdict {
    const struct nn_model *model;
    const struct data_view *view;
    const struct data_part *part;
    struct nn_label_room labels;
    void **value; /* by tensor; of heads only */
    size_t batch, wide;
    struct nn_judge *judge;
    double loss_sum; /* NaN: it is not known */
    size_t done;     /* rows */
};

static size_t width_of(const struct nn_verdict *v, int tensor)
{
    return (size_t)nn_shape_count(&v->model->graph.tensors.p[tensor].shape);
}

static void make_values(struct nn_verdict *v)
{
    const struct nn_graph *g = &v->model->graph;
    v->value = xcalloc(g->tensors.len + 1, sizeof(*v->value));
    for (size_t i = 0; i < g->heads.len; i++) {
        int both[] = {g->heads.p[i].output, g->heads.p[i].logits};
        for (size_t k = 0; k < 2; k++)
            if (!v->value[both[k]])
                v->value[both[k]] =
                    xcalloc(v->batch * width_of(v, both[k]), sizeof(double));
    }
}

/* Of a VAE the loss has a second tensor, which is no prediction. */
static bool has_loss(const struct nn_verdict *v)
{
    const struct nn_graph *g = &v->model->graph;
    for (size_t i = 0; i < g->heads.len; i++)
        if (g->heads.p[i].second >= 0)
            return false;
    return nn_labels_there(g, v->view);
}

struct nn_verdict *nn_verdict_new(const struct nn_model *m,
                                  const struct data_view *view,
                                  const struct data_part *part, struct err *err)
{
    struct nn_verdict *v = xcalloc(1, sizeof(*v));
    v->model = m;
    v->view = view;
    v->part = part;
    v->batch = (size_t)m->batch_size;
    v->wide = (size_t)nn_model_outputs(m);
    v->judge = nn_judge_new(m);
    v->loss_sum = has_loss(v) ? 0 : NAN;
    make_values(v);
    if (nn_label_room_open(&v->labels, nn_kernels_reference(), &m->graph,
                           v->batch, err) ||
        nn_judge_begin(v->judge, part->count, err)) {
        nn_verdict_free(v);
        return NULL;
    }
    return v;
}

void nn_verdict_free(struct nn_verdict *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->model->graph.tensors.len; i++)
        free(v->value[i]);
    free(v->value);
    nn_label_room_done(&v->labels);
    nn_judge_free(v->judge);
    free(v);
}

/* What a softmax, or a sigmoid, makes this probability of. */
static double logit_of(const struct nn_head *h, double p)
{
    double least = (double)FLT_MIN;
    double yes = isnan(p) ? p : log(fmax(p, least));
    return h->loss == NN_LOSS_BINARY_CROSS_ENTROPY
               ? yes - log(fmax(1 - p, least))
               : yes;
}

/* The numbers of one head out of rows of all of them. */
static void put_head(struct nn_verdict *v, const struct nn_head *h,
                     const double *outputs, size_t count)
{
    size_t width = width_of(v, h->output);
    double *to = v->value[h->output], *logits = v->value[h->logits];
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < width; k++)
            to[r * width + k] = outputs[r * v->wide + k];
    for (size_t i = 0; logits != to && i < count * width; i++)
        logits[i] = logit_of(h, to[i]);
}

static void add_batch(struct nn_verdict *v, const double *outputs, size_t count)
{
    const struct nn_graph *g = &v->model->graph;
    const uint32_t *rows = v->part->rows + v->done;
    struct nn_frame f = {.graph = g,
                         .batch = count,
                         .value = v->value,
                         .soft = v->model->soft.p};
    size_t at = 0;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        size_t width = width_of(v, h->output);
        put_head(v, h, outputs + at, count);
        nn_judge_batch(v->judge, i, v->value[h->output], width,
                       nn_label_of(v->view, h), rows, count);
        at += width;
    }
    if (!isnan(v->loss_sum))
        v->loss_sum +=
            nn_labels_loss(&v->labels, v->view, &f, NULL, rows) * (double)count;
    v->done += count;
}

void nn_verdict_add(struct nn_verdict *v, const double *outputs, size_t count)
{
    require(v->done + count <= v->part->count);
    for (size_t at = 0; at < count; at += v->batch)
        add_batch(v, outputs + at * v->wide,
                  count - at < v->batch ? count - at : v->batch);
}

void nn_verdict_end(struct nn_verdict *v, struct nn_report *r)
{
    require(v->done == v->part->count);
    *r = (struct nn_report){.validation_loss =
                                v->done ? v->loss_sum / (double)v->done
                                        : (double)NAN,
                            .metrics = nn_judge_end(v->judge)};
}
