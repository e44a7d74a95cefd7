/* labels.c - what is true of the rows of a batch, in the form that losses take
 */
#include "nn/labels.h"

#include <stdlib.h>

/* Which form of a label a loss takes. A label of classes may have numbers
 * too: a count of something can be either. */
enum label_form { LABEL_CATEGORIES, LABEL_ONE_HOT, LABEL_NUMBERS };

size_t nn_widest_label(const struct nn_graph *g)
{
    size_t widest = 1;
    for (size_t i = 0; i < g->heads.len; i++) {
        int64_t width =
            nn_shape_count(&g->tensors.p[g->heads.p[i].logits].shape);
        if ((size_t)width > widest)
            widest = (size_t)width;
    }
    return widest;
}

int nn_label_room_open(struct nn_label_room *room,
                       const struct nn_kernels *kernels,
                       const struct nn_graph *graph, size_t batch,
                       struct err *err)
{
    size_t widest = nn_widest_label(graph);
    room->kernels = kernels;
    room->graph = graph;
    room->categories = xcalloc(batch, sizeof(*room->categories));
    room->row_weights = xcalloc(batch, sizeof(*room->row_weights));
    room->numbers = xcalloc(batch * widest, sizeof(*room->numbers));
    room->targets = kernels->alloc(batch * widest * kernels->real_bytes, err);
    return room->targets ? 0 : -1;
}

void nn_label_room_done(struct nn_label_room *room)
{
    if (room->kernels)
        room->kernels->free(room->targets);
    free(room->categories);
    free(room->row_weights);
    free(room->numbers);
}

static enum label_form form_of(const struct nn_head *h,
                               const struct data_field *f, size_t width)
{
    if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY)
        return LABEL_CATEGORIES;
    bool spread = h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL;
    return spread && f->categories && f->columns == 1 && width > 1
               ? LABEL_ONE_HOT
               : LABEL_NUMBERS;
}

static void load_one_hot(struct nn_label_room *room, const struct data_field *f,
                         size_t width, const uint32_t *rows, size_t count)
{
    memset(room->numbers, 0, count * width * sizeof(*room->numbers));
    for (size_t i = 0; i < count; i++)
        room->numbers[i * width + (size_t)f->categories[rows[i]]] = 1;
    room->kernels->put(room->targets, 0, room->numbers, count * width);
}

/* Two classes are 0 and 1, whatever the data calls them. */
static void load_numbers(struct nn_label_room *room, const struct nn_head *h,
                         const struct data_field *f, const uint32_t *rows,
                         size_t count)
{
    bool classes = !f->numbers || (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY &&
                                   f->categories && f->classes == 2);
    if (classes)
        room->kernels->gather_integers(room->targets, f->categories,
                                       (size_t)f->columns, rows, count);
    else
        room->kernels->gather(room->targets, 0, (size_t)f->columns, f->numbers,
                              (size_t)f->columns, rows, count, NULL, NULL);
}

static struct nn_labels load(struct nn_label_room *room,
                             const struct data_view *v, const struct nn_head *h,
                             const uint32_t *rows, size_t count)
{
    struct nn_labels labels = {0};
    if (v->row_weights) {
        for (size_t i = 0; i < count; i++)
            room->row_weights[i] = v->row_weights[rows[i]];
        labels.row_weights = room->row_weights;
    }
    if (h->label < 0)
        return labels;
    const struct data_field *f = &v->table->labels[h->label];
    size_t width =
        (size_t)nn_shape_count(&room->graph->tensors.p[h->logits].shape);
    enum label_form form = form_of(h, f, width);
    if (form == LABEL_CATEGORIES) {
        for (size_t i = 0; i < count; i++)
            room->categories[i] = f->categories[rows[i]];
        labels.categories = room->categories;
        return labels;
    }
    if (form == LABEL_ONE_HOT)
        load_one_hot(room, f, width, rows, count);
    else
        load_numbers(room, h, f, rows, count);
    labels.values = room->targets;
    return labels;
}

double nn_labels_loss(struct nn_label_room *room, const struct data_view *v,
                      const struct nn_frame *f, const unsigned *adds,
                      const uint32_t *rows)
{
    double total = 0;
    for (size_t i = 0; i < room->graph->heads.len; i++) {
        const struct nn_head *h = &room->graph->heads.p[i];
        struct nn_labels labels = load(room, v, h, rows, f->batch);
        room->kernels->loss(h, f, &labels, adds ? adds[i] : 0, &total);
    }
    return total;
}

const struct data_field *nn_label_of(const struct data_view *v,
                                     const struct nn_head *h)
{
    const struct data_field *f =
        h->label < 0 ? NULL : &v->table->labels[h->label];
    return f && (f->numbers || f->categories) ? f : NULL;
}

bool nn_labels_there(const struct nn_graph *g, const struct data_view *v)
{
    bool all = true;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        all &= h->label < 0 || nn_label_of(v, h);
    }
    return all;
}
