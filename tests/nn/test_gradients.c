/* test_gradients.c - backward agrees with differences of forward
 *
 * For every model of models.json: the gradient of the loss by every kind of
 * weight, on the reference device, against (loss(w + h) - loss(w - h)) / 2h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "probe.h"

static void check_param(struct probe *p, const char *name,
                        const struct nn_param *param, const double *slopes)
{
    const double h = 1e-5;
    double *weights = p->weights;
    for (int64_t i = 0; i < param->count; i += 1 + param->count / 40) {
        double *w = &weights[param->offset + i], was = *w;
        *w = was + h;
        double up = probe_loss(p);
        *w = was - h;
        double down = probe_loss(p);
        *w = was;
        double slope = (up - down) / (2 * h), got = slopes[param->offset + i];
        if (!(fabs(slope - got) <= 1e-6 + 1e-5 * fabs(slope)))
            fail_msg("%s: %.*s[%lld]: backward says %.10g, differences %.10g",
                     name, STRF(param->name), (long long)i, got, slope);
    }
}

static void check_model(const char *name)
{
    struct probe p;
    probe_open(&p, name, nn_kernels_reference());
    const struct nn_graph *g = &p.made.model->graph;
    probe_loss(&p);
    double *slopes = probe_slopes(&p);
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].trained)
            check_param(&p, name, &g->params.p[i], slopes);
    free(slopes);
    probe_close(&p);
}

static void of_every_model_are_right(void **state)
{
    struct arena *a = arena_new();
    const char **names = made_names(a);
    (void)state;
    for (size_t i = 0; names[i]; i++)
        check_model(names[i]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_model_are_right),
    };
    return cmocka_run_group_tests_name("gradients", tests, NULL, NULL);
}
