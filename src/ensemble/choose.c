/* choose.c - which members an ensemble is made of
 *
 * After Caruana, Niculescu-Mizil, Crew and Ksikes (2004), "Ensemble selection
 * from libraries of models". Of members that are as good as each other the
 * first is taken, so that a choice is the same every time. Where members vote
 * it is their votes that are chosen by: what one of them says is 1 for the
 * class it takes, and the loss that of the shares of votes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ensemble/ensemble.h"

/* Each member as often as it was taken, one of them once more. */
static void weigh(const size_t *taken, size_t members, size_t all, size_t more,
                  double *weights)
{
    for (size_t m = 0; m < members; m++)
        weights[m] = (double)(taken[m] + (m == more)) / (double)(all + 1);
}

/* By more than rounding: sums of the same numbers in another order. */
static bool is_less(double loss, double than)
{
    return isinf(than) ? loss < than : loss < than - 1e-12 * fabs(than);
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
        if (is_less(own, *loss)) {
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
        if (is_less(loss, least)) {
            least = loss;
            for (size_t m = 0; m < o->members; m++)
                weights[m] = tried[m];
        }
    }
    free(taken);
    free(tried);
    return least;
}

/* ---- votes --------------------------------------------------------------- */

/* What a member says of a row becomes its votes. */
static void vote(const struct opinions *o, double *said, double *to)
{
    const struct combine_rule one = {.how = COMBINE_VOTE,
                                     .members = 1,
                                     .samples = 1,
                                     .weights = (const double[]){1}};
    double scratch;
    for (size_t i = 0; i < o->head_count; i++) {
        const struct combine_head *h = &o->heads[i];
        if (h->classes) {
            combine_outputs(&one, h, said, &scratch, to);
            memcpy(said, to, h->width * sizeof(*said));
        }
        said += h->width;
    }
}

int opinions_vote(const struct opinions *o, struct opinions *to,
                  double **numbers, struct err *err)
{
    size_t said = o->members * o->wide;
    size_t each = o->truths + (o->out_of_fold ? o->members : 0) + said;
    double *all = calloc(o->rows * each + 1, sizeof(*all));
    double *room = xcalloc(o->wide + 1, sizeof(*room));
    if (all)
        memcpy(all, o->numbers, o->rows * each * sizeof(*all));
    for (size_t r = 0; all && r < o->rows; r++)
        for (size_t m = 0; m < o->members; m++)
            vote(o, all + (r + 1) * each - said + m * o->wide, room);
    free(room);
    if (!all)
        return err_set(err, ERR_LIMIT,
                       "no memory for the votes of %zu members on %zu rows",
                       o->members, o->rows);
    *to = *o;
    to->numbers = *numbers = all;
    return 0;
}
