/* choose.c - which members an ensemble is made of
 *
 * After Caruana, Niculescu-Mizil, Crew and Ksikes (2004), "Ensemble selection
 * from libraries of models". Of members that are as good as each other the
 * first is taken, so that a choice is the same every time. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "ensemble/ensemble.h"

/* Each member as often as it was taken, one of them once more. */
static void weigh(const size_t *taken, size_t members, size_t all, size_t more,
                  double *weights)
{
    for (size_t m = 0; m < members; m++)
        weights[m] = (double)(taken[m] + (m == more)) / (double)(all + 1);
}

/* The one that helps most; what is not a number helps nobody. */
static size_t next_of(const struct opinions *o, const size_t *taken, size_t all,
                      double *weights, double *loss)
{
    size_t best = 0;
    *loss = INFINITY;
    for (size_t m = 0; m < o->members; m++) {
        weigh(taken, o->members, all, m, weights);
        double own = opinions_loss(o, weights);
        if (own < *loss) {
            *loss = own;
            best = m;
        }
    }
    return best;
}

double opinions_choose(const struct opinions *o, size_t most, double *weights)
{
    size_t *taken = xcalloc(o->members, sizeof(*taken));
    double *tried = xcalloc(o->members, sizeof(*tried));
    double least = INFINITY;
    weigh(taken, o->members, 0, 0, weights);
    for (size_t all = 0; all < most; all++) {
        double loss;
        size_t best = next_of(o, taken, all, tried, &loss);
        weigh(taken, o->members, all, best, tried);
        taken[best]++;
        if (loss < least) {
            least = loss;
            for (size_t m = 0; m < o->members; m++)
                weights[m] = tried[m];
        }
    }
    free(taken);
    free(tried);
    return least;
}
