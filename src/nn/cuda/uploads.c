/* uploads.c - arrays of the host that lie on the device, too */
#include "nn/cuda/uploads.h"

#include <stdlib.h>

#include "base/hash.h"

void uploads_open(struct uploads *u, struct gpu_machine *gpu,
                  const struct uploads *beside)
{
    *u = (struct uploads){.gpu = gpu};
    u->tables = beside ? beside->tables : xcalloc(1, sizeof(*u->tables));
    u->tables->cohorts++;
}

/* The one that is like it, once more; NULL: there is none. */
static void *once_more(struct upload_list *list, const struct upload *one)
{
    for (size_t i = 0; i < list->len; i++) {
        struct upload *old = &list->p[i];
        if (old->host == one->host && old->bytes == one->bytes &&
            old->hash[0] == one->hash[0] && old->hash[1] == one->hash[1]) {
            old->users++;
            return old->device;
        }
    }
    return NULL;
}

static void *add(struct uploads *u, struct upload_list *list, struct upload one,
                 const void *from, struct err *err)
{
    void *device = once_more(list, &one);
    if (device)
        return device;
    one.device = gpu_alloc(u->gpu, one.bytes, err);
    if (!one.device)
        return NULL;
    gpu_put(u->gpu, one.device, from, one.bytes);
    vec_push(list, one);
    if (list == &u->tables->list)
        gpu_finish(u->gpu); /* other cohorts read it as it is now */
    return one.device;
}

void *uploads_add(struct uploads *u, const void *host, size_t bytes,
                  struct err *err)
{
    struct upload one = {.host = host, .bytes = bytes, .users = 1};
    return host ? add(u, &u->tables->list, one, host, err) : NULL;
}

void *uploads_share(struct uploads *u, const void *host, size_t bytes,
                    struct err *err)
{
    struct str content = str_n(host, bytes);
    if (!host)
        return NULL;
    struct upload one = {.hash = {hash64(content, 1), hash64(content, 2)},
                         .bytes = bytes,
                         .users = 1};
    return add(u, &u->list, one, host, err);
}

/* False: it is none of the list. */
static bool drop(struct uploads *u, struct upload_list *list,
                 const void *device)
{
    for (size_t i = 0; i < list->len; i++) {
        struct upload *one = &list->p[i];
        if (one->device != device)
            continue;
        if (--one->users > 0)
            return true;
        if (list == &u->tables->list)
            gpu_finish_all(); /* others have left, what they gave may not */
        gpu_release(u->gpu, one->device);
        *one = vec_last(list);
        list->len--;
        return true;
    }
    return false;
}

void uploads_drop(struct uploads *u, const void *device)
{
    if (device && !drop(u, &u->list, device))
        drop(u, &u->tables->list, device);
}

/* Nobody is bound any more: what is left is of the cohort itself. */
void uploads_done(struct uploads *u)
{
    for (size_t i = 0; i < u->list.len; i++)
        gpu_release(u->gpu, u->list.p[i].device);
    vec_done(&u->list);
    if (--u->tables->cohorts > 0)
        return;
    require(u->tables->list.len == 0);
    vec_done(&u->tables->list);
    free(u->tables);
}

/* ---- what a member is bound to ------------------------------------------ */

/* Uploads for whoever is bound; failing is remembered in *rc. */
struct binding {
    struct bound *bound;
    struct uploads *uploads;
    struct err *err;
    int rc;
};

static const void *hold(struct binding *b, const void *host, void *device)
{
    if (device)
        vec_push(&b->bound->held, device);
    else if (host)
        b->rc = -1;
    return device;
}

/* What all views of a table have in common, and what each has of its own. */
static const void *bind(struct binding *b, const void *host, size_t bytes)
{
    return b->rc ? NULL
                 : hold(b, host, uploads_add(b->uploads, host, bytes, b->err));
}

static const void *bind_own(struct binding *b, const void *host, size_t bytes)
{
    return b->rc
               ? NULL
               : hold(b, host, uploads_share(b->uploads, host, bytes, b->err));
}

static struct gpu_field bind_field(struct binding *b,
                                   const struct data_field *f, size_t rows)
{
    size_t count = rows * (size_t)f->columns;
    return (struct gpu_field){
        .numbers = bind(b, f->numbers, count * sizeof(float)),
        .categories = bind(b, f->categories, count * sizeof(int32_t)),
        .columns = (int)f->columns};
}

/* Something of nobody else: not by its place, which is free again in a
 * moment. */
static void *place_copy(struct binding *b, const void *host, size_t bytes)
{
    void *device = b->rc ? NULL : gpu_alloc(b->uploads->gpu, bytes, b->err);
    if (device)
        gpu_put(b->uploads->gpu, device, host, bytes);
    else
        b->rc = -1;
    return device;
}

/* The tables of an input that is joined. */
static const struct gpu_piece *
bind_pieces(struct binding *b, const struct data_field *f, size_t rows)
{
    struct gpu_piece *pieces = xcalloc(f->piece_count + 1, sizeof(*pieces));
    for (size_t i = 0; i < f->piece_count; i++) {
        const struct data_piece *p = &f->pieces[i];
        pieces[i] = (struct gpu_piece){
            .numbers =
                bind(b, p->numbers, p->rows * p->columns * sizeof(float)),
            .row_of = bind(b, p->row_of, rows * sizeof(uint32_t)),
            .at = (int)p->at,
            .columns = (int)p->columns};
    }
    void *device =
        place_copy(b, pieces, (f->piece_count + 1) * sizeof(*pieces));
    if (device)
        vec_push(&b->bound->pieces, device);
    free(pieces);
    return device;
}

static void bind_inputs(struct binding *b, const struct data_view *v)
{
    size_t count = v->table->input_count;
    struct gpu_field *fields = xcalloc(count + 1, sizeof(*fields));
    for (size_t i = 0; i < count; i++) {
        size_t row = (size_t)v->table->inputs[i].columns * sizeof(float);
        fields[i] = bind_field(b, &v->table->inputs[i], v->table->rows);
        if (v->table->inputs[i].pieces)
            fields[i].pieces =
                bind_pieces(b, &v->table->inputs[i], v->table->rows);
        if (!v->shift)
            continue;
        fields[i].shift = bind_own(b, v->shift[i], row);
        fields[i].scale = bind_own(b, v->scale[i], row);
    }
    gpu_put(b->uploads->gpu, b->bound->inputs, fields, count * sizeof(*fields));
    free(fields);
}

static enum gpu_labels form_of(const struct nn_graph *g,
                               const struct nn_head *h,
                               const struct data_field *f)
{
    int64_t width = nn_shape_count(&g->tensors.p[h->logits].shape);
    bool spread = h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL;
    if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY)
        return GPU_LABELS_CATEGORIES;
    if (spread && f->categories && f->columns == 1 && width > 1)
        return GPU_LABELS_ONE_HOT;
    /* Two classes are 0 and 1, whatever the data calls them. */
    bool classes = !f->numbers || (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY &&
                                   f->categories && f->classes == 2);
    return classes ? GPU_LABELS_CLASSES : GPU_LABELS_NUMBERS;
}

static void bind_labels(struct binding *b, const struct nn_graph *g,
                        const struct data_view *v)
{
    struct gpu_field *fields = xcalloc(g->heads.len + 1, sizeof(*fields));
    b->bound->labelled = true;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        const struct data_field *f =
            h->label < 0 ? NULL : &v->table->labels[h->label];
        if (!f)
            continue;
        fields[i] = bind_field(b, f, v->table->rows);
        fields[i].form = form_of(g, h, f);
        b->bound->labelled &= f->numbers || f->categories;
    }
    gpu_put(b->uploads->gpu, b->bound->labels, fields,
            g->heads.len * sizeof(*fields));
    free(fields);
}

int bound_open(struct bound *to, struct uploads *u, const struct nn_graph *g,
               const struct data_view *v, struct err *err)
{
    struct binding b = {.bound = to, .uploads = u, .err = err};
    *to = (struct bound){.inputs = to->inputs, .labels = to->labels};
    bind_inputs(&b, v);
    bind_labels(&b, g, v);
    to->row_weights =
        bind_own(&b, v->row_weights, v->table->rows * sizeof(float));
    to->train = bind_own(&b, v->train.rows, v->train.count * sizeof(uint32_t));
    to->validation = bind_own(&b, v->validation.rows,
                              v->validation.count * sizeof(uint32_t));
    if (b.rc)
        bound_close(to, u);
    return b.rc;
}

void bound_close(struct bound *b, struct uploads *u)
{
    for (size_t i = 0; i < b->held.len; i++)
        uploads_drop(u, b->held.p[i]);
    for (size_t i = 0; i < b->pieces.len; i++)
        gpu_release(u->gpu, b->pieces.p[i]);
    vec_done(&b->pieces);
    vec_done(&b->held);
    *b = (struct bound){.inputs = b->inputs, .labels = b->labels};
}
