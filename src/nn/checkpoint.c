/* checkpoint.c - a member to and from a file
 *
 * Weights alone are for others to use. A checkpoint also has the optimizer's
 * state and where training stands: what is restored from it goes on bit for
 * bit as if nothing had happened. Random numbers need no state: they are
 * functions of seed, epoch and step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "nn/trainer.h"
#include "nn/weights.h"
#include "sys/sys.h"

/* Everything that a member is, beside its numbers, as one JSON text. */
static void print_standing(struct buf *b, const struct nn_standing *s)
{
    buf_addf(b, "{\"epoch\":%lld,\"step\":%lld,\"batches\":%lld,\"sum\":",
             (long long)s->epoch, (long long)s->step, (long long)s->batches);
    json_number(b, s->sum);
    buf_adds(b, ",\"loss\":");
    json_number(b, s->loss);
    buf_adds(b, ",\"mu_product\":");
    json_number(b, s->mu_product);
    buf_adds(b, ",\"plateau\":");
    json_number(b, s->schedule.plateau);
    buf_adds(b, ",\"plateau_best\":");
    json_number(b, s->schedule.best);
    buf_addf(b,
             ",\"plateau_since\":%lld,\"best\":", (long long)s->schedule.since);
    json_number(b, s->best);
    buf_addf(b, ",\"since\":%lld}", (long long)s->since);
}

static int64_t whole(const struct value *v, const char *key)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_INT && x->i >= 0 ? x->i : 0;
}

static double real(const struct value *v, const char *key, double otherwise)
{
    const struct value *x = value_get(v, str_of(key));
    return value_is_number(x) ? value_number(x) : otherwise;
}

static void read_standing(const struct value *v, struct nn_standing *s)
{
    s->epoch = whole(v, "epoch");
    s->step = whole(v, "step");
    s->batches = whole(v, "batches");
    s->sum = real(v, "sum", 0);
    s->loss = real(v, "loss", NAN);
    s->mu_product = real(v, "mu_product", 1);
    s->schedule.plateau = real(v, "plateau", 1);
    s->schedule.best = real(v, "plateau_best", NAN);
    s->schedule.since = whole(v, "plateau_since");
    s->best = real(v, "best", NAN);
    s->since = whole(v, "since");
}

static void add_params(struct weights_writer *w, const struct nn_graph *g,
                       const double *numbers, const char *prefix, bool trained)
{
    struct buf name;
    buf_init(&name);
    for (size_t i = 0; i < g->params.len; i++) {
        const struct nn_param *p = &g->params.p[i];
        if (trained && !p->trained)
            continue;
        buf_reset(&name);
        buf_addf(&name, "%s%.*s", prefix, STRF(p->name));
        weights_add(w, buf_str(&name), &p->shape, numbers + p->offset);
    }
    buf_done(&name);
}

static int get_params(const struct weights_file *f, const struct nn_graph *g,
                      double *numbers, const char *prefix, bool trained,
                      struct err *err)
{
    struct buf name;
    int rc = 0;
    buf_init(&name);
    for (size_t i = 0; i < g->params.len && !rc; i++) {
        const struct nn_param *p = &g->params.p[i];
        if (trained && !p->trained)
            continue;
        buf_reset(&name);
        buf_addf(&name, "%s%.*s", prefix, STRF(p->name));
        rc =
            weights_get(f, buf_str(&name), &p->shape, numbers + p->offset, err);
    }
    buf_done(&name);
    return rc;
}

static double *numbers_for(const struct nn_trainer *t, struct err *err)
{
    double *p = calloc((size_t)t->graph->weights + 1, sizeof(double));
    if (!p)
        err_set(err, ERR_LIMIT, "no memory for the weights of a model");
    return p;
}

int nn_trainer_print(const struct nn_trainer *t, int member,
                     const struct nn_about *about, bool everything,
                     struct buf *file, struct err *err)
{
    double *numbers = numbers_for(t, err);
    struct weights_writer w;
    struct buf standing;
    if (!numbers)
        return -1;
    weights_begin(&w, t->run->real_bytes);
    nn_trainer_take_weights(t, member, numbers);
    add_params(&w, t->graph, numbers, "", false);
    for (size_t k = 0; everything && k < t->slots; k++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "optimizer.%zu.", k);
        t->runner->take(t->run, member, NN_STATE + (enum nn_numbers)k, numbers);
        add_params(&w, t->graph, numbers, prefix, true);
    }
    if (everything && t->members[member].has_best) {
        t->runner->take(t->run, member, NN_BEST, numbers);
        add_params(&w, t->graph, numbers, "best.", false);
    }
    weights_note(&w, STR("format"), STR("throng"));
    if (about)
        weights_note(&w, STR("model"), about->model);
    if (about && about->data.len)
        weights_note(&w, STR("data"), about->data);
    if (about && about->rows.len)
        weights_note(&w, STR("rows"), about->rows);
    buf_init(&standing);
    print_standing(&standing, &t->members[member].standing);
    weights_note(&w, STR("training"), buf_str(&standing));
    buf_done(&standing);
    free(numbers);
    weights_end(&w, file);
    return 0;
}

int nn_trainer_save(const struct nn_trainer *t, int member, const char *path,
                    const struct nn_about *about, bool everything,
                    struct err *err)
{
    struct buf file;
    buf_init(&file);
    int rc = nn_trainer_print(t, member, about, everything, &file, err);
    if (!rc)
        rc = file_write(path, buf_str(&file), false, err);
    buf_done(&file);
    return rc;
}

static int load_state(struct nn_trainer *t, int member,
                      const struct weights_file *f, double *numbers,
                      struct err *err)
{
    for (size_t k = 0; k < t->slots; k++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "optimizer.%zu.", k);
        memset(numbers, 0, (size_t)t->graph->weights * sizeof(double));
        if (get_params(f, t->graph, numbers, prefix, true, err))
            return -1;
        t->runner->put(t->run, member, NN_STATE + (enum nn_numbers)k, numbers);
    }
    struct arena *a = arena_new();
    struct value *v =
        json_parse(a, weights_text(f, STR("training")), "training", false, err);
    if (v)
        read_standing(v, &t->members[member].standing);
    arena_free(a);
    return v ? 0 : -1;
}

static int load_best(struct nn_trainer *t, int member,
                     const struct weights_file *f, double *numbers,
                     struct err *err)
{
    char name[256];
    const struct nn_graph *g = t->graph;
    if (!g->params.len)
        return 0;
    snprintf(name, sizeof name, "best.%.*s", STRF(g->params.p[0].name));
    if (!weights_has(f, str_of(name)))
        return 0;
    if (get_params(f, g, numbers, "best.", false, err) ||
        t->runner->reserve(t->run, NN_BEST, err))
        return -1;
    t->runner->put(t->run, member, NN_BEST, numbers);
    t->members[member].has_best = true;
    return 0;
}

/* Takes the file, which may be NULL with err, and closes it. */
static int take_file(struct nn_trainer *t, int member, struct weights_file *f,
                     bool everything, struct err *err)
{
    double *numbers = f ? numbers_for(t, err) : NULL;
    int rc = numbers ? get_params(f, t->graph, numbers, "", false, err) : -1;
    if (!rc)
        nn_trainer_put_weights(t, member, numbers);
    if (!rc && everything)
        rc = load_best(t, member, f, numbers, err);
    if (!rc && everything)
        rc = load_state(t, member, f, numbers, err);
    free(numbers);
    weights_close(f);
    return rc;
}

int nn_trainer_load(struct nn_trainer *t, int member, const char *path,
                    bool everything, struct err *err)
{
    return take_file(t, member, weights_open(path, err), everything, err);
}

int nn_trainer_parse(struct nn_trainer *t, int member, struct str bytes,
                     const char *path, struct err *err)
{
    return take_file(t, member, weights_parse(bytes, path, err), true, err);
}
