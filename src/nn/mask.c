/* mask.c - numbers of a model that stay zero
 *
 * A file of masks has a tensor of zeros and ones for each of some weights,
 * under the names of those. Weights without one are not masked. */
#include <stdlib.h>

#include "base/vec.h"
#include "nn/model.h"
#include "nn/nn.h"
#include "nn/weights.h"

struct str nn_model_masks(const struct nn_model *m)
{
    return m->masks;
}

static int unknown(const struct nn_graph *g, struct str name, const char *path,
                   struct err *err)
{
    struct arena *a = arena_new();
    VEC(const char *) names = {0};
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].trained)
            vec_push(&names, arena_cstr(a, g->params.p[i].name));
    vec_push(&names, NULL);
    const char *near = str_nearest(name, names.p);
    if (near)
        err_set(err, ERR_INPUT,
                "%s: the model trains no %.*s; did you mean `%s`?", path,
                STRF(name), near);
    else
        err_set(err, ERR_INPUT,
                "%s: the model trains no %.*s; its first weights are `%s`",
                path, STRF(name), names.p[0] ? names.p[0] : "none");
    vec_done(&names);
    arena_free(a);
    return -1;
}

static const struct nn_param *trained(const struct nn_graph *g, struct str name)
{
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].trained && str_eq(g->params.p[i].name, name))
            return &g->params.p[i];
    return NULL;
}

static int get(const struct weights_file *f, const char *path,
               const struct nn_param *p, double *mask, struct err *err)
{
    if (weights_get(f, p->name, &p->shape, mask, err))
        return -1;
    for (int64_t i = 0; i < p->count; i++)
        if (mask[i] != 0 && mask[i] != 1)
            return err_set(err, ERR_INPUT,
                           "%s: number %lld of %.*s is %g; a mask has only 0 "
                           "(stays zero) and 1 (is trained)",
                           path, (long long)i, STRF(p->name), mask[i]);
    return 0;
}

int nn_masks_read(const struct nn_model *m, const char *path, double *mask,
                  struct err *err)
{
    const struct nn_graph *g = &m->graph;
    struct weights_file *f = weights_open(path, err);
    struct str name;
    int rc = f ? 0 : -1;
    for (int64_t i = 0; f && i < g->trained; i++)
        mask[i] = 1;
    for (size_t at = 0; !rc && weights_next(f, &at, &name);) {
        const struct nn_param *p = trained(g, name);
        rc = p ? get(f, path, p, mask + p->offset, err)
               : unknown(g, name, path, err);
    }
    weights_close(f);
    return rc;
}

int nn_masks_check(const struct nn_model *m, const char *path, struct err *err)
{
    double *mask = calloc((size_t)m->graph.trained + 1, sizeof(*mask));
    int rc = mask ? nn_masks_read(m, path, mask, err)
                  : err_set(err, ERR_LIMIT,
                            "no memory for the masks of %lld "
                            "weights",
                            (long long)m->graph.trained);
    free(mask);
    return rc;
}
