/* dump.c - trains models of models.json and tells all about it, as JSON
 *
 *     nn_dump train [NAME...]         50 steps on the reference device
 *     nn_dump save DEVICE NAME FILE   trains for an epoch, saves, predicts
 *     nn_dump load DEVICE NAME FILE   loads and predicts
 *
 * One object a line. Another program builds the same model from the model's
 * text alone, repeats the training, and compares. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/json.h"
#include "made.h"
#include "nn/trainer.h"

enum { ROWS = 80, EPOCHS = 25, SEED = 3 };

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "nn_dump: %s: %s\n", what, err->text);
    exit(1);
}

static void add_key(struct buf *b, const char *key)
{
    if (b->p[b->len - 1] != '{')
        buf_addc(b, ',');
    json_string(b, str_of(key));
    buf_addc(b, ':');
}

static void add_shape(struct buf *b, int rank, const int64_t *dim)
{
    add_key(b, "shape");
    for (int i = 0; i < rank; i++)
        buf_addf(b, "%c%lld", i ? ',' : '[', (long long)dim[i]);
    buf_adds(b, rank ? "]" : "[]");
}

static void add_reals(struct buf *b, const char *key, const double *numbers,
                      size_t count)
{
    add_key(b, key);
    buf_addc(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_addc(b, ',');
        json_number(b, numbers[i]);
    }
    buf_addc(b, ']');
}

static void add_field(struct buf *b, const struct data_field *f, size_t rows)
{
    buf_addc(b, '{');
    add_shape(b, f->rank, f->dim);
    buf_addf(b, ",\"classes\":%lld,\"values\":[", (long long)f->classes);
    for (size_t i = 0; i < rows * (size_t)f->columns; i++) {
        if (i)
            buf_addc(b, ',');
        if (f->categories)
            buf_addf(b, "%d", f->categories[i]);
        else
            json_number(b, (double)f->numbers[i]);
    }
    buf_adds(b, "]}");
}

static void add_fields(struct buf *b, const char *key,
                       const struct data_field *fields, size_t count,
                       size_t rows)
{
    add_key(b, key);
    buf_addc(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_addc(b, ',');
        add_field(b, &fields[i], rows);
    }
    buf_addc(b, ']');
}

/* Weights by name, under one key. */
static void add_weights(struct buf *b, const char *key,
                        const struct nn_trainer *t)
{
    const struct nn_graph *g = t->graph;
    double *all = calloc((size_t)g->weights + 1, sizeof(double));
    nn_trainer_take_weights(t, 0, all);
    add_key(b, key);
    buf_addc(b, '{');
    for (size_t i = 0; i < g->params.len; i++) {
        const struct nn_param *p = &g->params.p[i];
        if (i)
            buf_addc(b, ',');
        json_string(b, p->name);
        buf_adds(b, ":{");
        add_shape(b, p->shape.rank, p->shape.dim);
        buf_addf(b, ",\"trained\":%s", p->trained ? "true" : "false");
        add_reals(b, "values", all + p->offset, (size_t)p->count);
        buf_addc(b, '}');
    }
    buf_addc(b, '}');
    free(all);
}

static struct nn_trainer *open_trainer(struct made *m, const char *device)
{
    struct err err = {0};
    struct nn_member one = {m->model, &m->view, SEED};
    struct nn_trainer *t = nn_trainer_open(device, m->model, 1, &err);
    if (!t || nn_trainer_join(t, &one, &err))
        die(device, &err);
    nn_trainer_epochs(t, 0, EPOCHS + 1);
    return t;
}

/* Trains, and notes each epoch's order of rows, its loss and rate. */
static void add_epochs(struct buf *b, struct nn_trainer *t,
                       const struct made *m)
{
    size_t rows = m->view.train.count;
    double losses[EPOCHS], judged[EPOCHS];
    struct err err = {0};
    struct nn_report r;
    add_key(b, "order");
    for (int e = 0; e < EPOCHS; e++) {
        if (nn_trainer_epoch(t, 0, &r, &err))
            die("epoch", &err);
        struct nn_order o = nn_order_of(SEED, e, rows);
        losses[e] = r.loss;
        judged[e] = r.validation_loss;
        for (size_t i = 0; i < rows; i++)
            buf_addf(b, "%s%u",
                     i   ? ","
                     : e ? ",["
                         : "[[",
                     m->view.train.rows[nn_order_at(&o, (uint32_t)i)]);
        buf_addc(b, ']');
    }
    buf_addc(b, ']');
    add_reals(b, "losses", losses, EPOCHS);
    add_reals(b, "validation_losses", judged, EPOCHS);
}

/* Rows of different weight, in the one model that is named so. */
static void weigh_rows(struct buf *b, struct made *m)
{
    float *weights = arena_array(m->arena, ROWS, sizeof(float));
    double wider[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        wider[i] = weights[i] = 0.25f * (float)(i * 7 % 11);
    m->view.row_weights = weights;
    add_reals(b, "row_weights", wider, ROWS);
}

static void train(const char *name)
{
    struct made m;
    struct buf b;
    buf_init(&b);
    made_named(&m, name, ROWS);
    struct nn_trainer *t = open_trainer(&m, "reference");
    buf_addc(&b, '{');
    add_key(&b, "name");
    json_string(&b, str_of(name));
    buf_addf(&b, ",\"rows\":%d,\"train\":%zu,\"seed\":%d", ROWS,
             m.view.train.count, SEED);
    if (str_is(str_of(name), "rows of different weight"))
        weigh_rows(&b, &m);
    add_fields(&b, "inputs", m.table.inputs, m.table.input_count, ROWS);
    add_fields(&b, "labels", m.table.labels, m.table.label_count, ROWS);
    add_weights(&b, "before", t);
    add_epochs(&b, t, &m);
    add_weights(&b, "after", t);
    buf_adds(&b, "}\n");
    fwrite(b.p, 1, b.len, stdout);
    buf_done(&b);
    nn_trainer_free(t);
    made_close(&m);
}

/* What the member says of the validation rows. */
static void predict(struct nn_trainer *t, const struct made *m)
{
    size_t wide = (size_t)nn_model_outputs(m->model);
    size_t count = m->view.validation.count * wide;
    float *outputs = calloc(count + 1, sizeof(float));
    double *wider = calloc(count + 1, sizeof(double));
    struct nn_pieces *p = nn_pieces_new(t, 0, &m->view.validation, NULL);
    struct buf b;
    size_t rows;
    buf_init(&b);
    nn_pieces_next(p, m->view.validation.count + ROWS, outputs, &rows);
    nn_pieces_free(p);
    for (size_t i = 0; i < count; i++)
        wider[i] = (double)outputs[i];
    buf_addc(&b, '{');
    add_reals(&b, "outputs", wider, count);
    add_fields(&b, "inputs", m->table.inputs, m->table.input_count, ROWS);
    buf_adds(&b, "}\n");
    fwrite(b.p, 1, b.len, stdout);
    buf_done(&b);
    free(outputs);
    free(wider);
}

static void keep(bool save, const char *device, const char *name,
                 const char *path)
{
    struct made m;
    struct err err = {0};
    struct nn_report r;
    made_named(&m, name, ROWS);
    struct nn_trainer *t = open_trainer(&m, device);
    if (save && (nn_trainer_epoch(t, 0, &r, &err) ||
                 nn_trainer_save(t, 0, path, NULL, false, &err)))
        die(path, &err);
    if (!save && nn_trainer_load(t, 0, path, false, &err))
        die(path, &err);
    predict(t, &m);
    nn_trainer_free(t);
    made_close(&m);
}

int main(int argc, char **argv)
{
    struct str verb = str_of(argc > 1 ? argv[1] : "");
    struct arena *a = arena_new();
    const char **names = made_names(a);
    if (str_is(verb, "train"))
        for (int i = 2; i < argc || (argc == 2 && names[i - 2]); i++)
            train(argc == 2 ? names[i - 2] : argv[i]);
    else if (argc == 5 && (str_is(verb, "save") || str_is(verb, "load")))
        keep(str_is(verb, "save"), argv[2], argv[3], argv[4]);
    else
        fprintf(stderr, "usage: nn_dump train [NAME...]\n"
                        "       nn_dump save|load DEVICE NAME FILE\n");
    arena_free(a);
    return 0;
}
