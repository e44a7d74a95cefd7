/* import.c - a model's weights file from the weights of another program */
#include <math.h>
#include <stdlib.h>

#include "data/data.h"
#include "nn/foreign/foreign.h"
#include "nn/weights.h"
#include "sys/sys.h"

struct format {
    bool (*is)(struct str bytes);
    int (*read)(struct tensors *t, struct str bytes, struct err *err);
    int (*take)(const struct nn_graph *g, struct tensors *t, double *numbers,
                struct err *err);
};

static int read_hdf5(struct tensors *t, struct str bytes, struct err *err)
{
    (void)bytes;
    return hdf5_read(t, err);
}

static const struct format formats[] = {
    {hdf5_is, read_hdf5, keras_take},
    {data_is_zip, torch_read, torch_take},
};

static const struct format *format_of(struct str bytes)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (formats[i].is(bytes))
            return &formats[i];
    return NULL;
}

static int unknown(const char *path, struct str bytes, struct err *err)
{
    bool pickle = bytes.len > 2 && bytes.p[0] == '\x80';
    bool own = bytes.len > 9 && bytes.p[7] == 0 && bytes.p[8] == '{';
    return err_set(err, ERR_INPUT,
                   "%s: weights are read from HDF5 files of Keras (.h5) and "
                   "from files of torch.save (.pt)%s",
                   path,
                   pickle ? "; this one is a pickle, as PyTorch wrote before "
                            "1.6: load and save it again"
                   : own  ? "; this one is a safetensors file: what built-in "
                            "training writes has its model inside, and needs "
                            "none beside it"
                          : "");
}

/* The numbers of a model in the graph's order; yours to free. */
static double *numbers_of(const struct nn_graph *g, const char *path,
                          struct err *err)
{
    struct str bytes;
    struct tensors t;
    double *numbers = NULL;
    if (file_map(path, &bytes, err))
        return NULL;
    const struct format *format = format_of(bytes);
    tensors_init(&t, path);
    if (!format) {
        unknown(path, bytes, err);
    } else if (format->read(&t, bytes, err) == 0) {
        numbers = calloc((size_t)g->weights + 1, sizeof(*numbers));
        if (!numbers) {
            err_set(err, ERR_LIMIT, "no memory for the weights of a model");
        } else if (format->take(g, &t, numbers, err)) {
            free(numbers);
            numbers = NULL;
        }
    }
    tensors_done(&t);
    file_unmap(bytes);
    return numbers;
}

/* A relu makes 0 of what is not a number: predictions might hide it. */
static int check_finite(const struct nn_graph *g, const double *numbers,
                        const char *path, struct err *err)
{
    for (size_t i = 0; i < g->params.len; i++) {
        const struct nn_param *p = &g->params.p[i];
        for (int64_t k = 0; k < p->count; k++)
            if (!isfinite(numbers[p->offset + k]))
                return err_set(err, ERR_INPUT,
                               "%s: %.*s has what is no finite "
                               "number: nothing can be predicted by that",
                               path, STRF(p->name));
    }
    return 0;
}

int nn_import(const struct nn_model *m, const char *path,
              const struct nn_about *about, struct buf *file, struct err *err)
{
    const struct nn_graph *g = &m->graph;
    struct weights_writer w;
    double *numbers = numbers_of(g, path, err);
    if (!numbers || check_finite(g, numbers, path, err)) {
        free(numbers);
        return -1;
    }
    weights_begin(&w, sizeof(*numbers));
    for (size_t i = 0; i < g->params.len; i++)
        weights_add(&w, g->params.p[i].name, &g->params.p[i].shape,
                    numbers + g->params.p[i].offset);
    weights_note(&w, STR("format"), STR("throng"));
    weights_note(&w, STR("model"), about->model);
    if (about->data.len)
        weights_note(&w, STR("data"), about->data);
    weights_end(&w, file);
    free(numbers);
    return 0;
}
