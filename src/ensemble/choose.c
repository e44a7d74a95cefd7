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

/* Each member as often as it was taken. */
static void weigh(const size_t *taken, size_t members, size_t all,
                  double *weights)
{
    for (size_t m = 0; m < members; m++)
        weights[m] = (double)taken[m] / (double)all;
}

/* By more than rounding: sums of the same numbers in another order. */
static bool is_less(double loss, double than)
{
    return isinf(than) ? loss < than : loss < than - 1e-12 * fabs(than);
}

/* ---- who is tried ---------------------------------------------------------
 *
 * Those who were taken speak as one: their mean, and of numbers with a spread
 * the variance of all that varies, are all that the loss of them and one more
 * hangs on. So a try costs the same however many there are. */

struct trying {
    const struct opinions *said;
    struct opinions pair; /* those who were taken, and who is tried */
    double *numbers;      /* of it */
    double *passes, *scratch;
};

static double *row_of(const struct trying *t, size_t row)
{
    return t->numbers + row * (t->pair.truths + 2 * t->pair.wide);
}

static void try_done(struct trying *t)
{
    free(t->numbers);
    free(t->passes);
    free(t->scratch);
}

static int try_init(struct trying *t, const struct opinions *o, struct err *err)
{
    size_t each = o->truths + 2 * o->wide;
    *t = (struct trying){
        .said = o,
        .pair = *o,
        .numbers = calloc(o->rows * each + 1, sizeof(*t->numbers)),
        .passes = xcalloc(o->members * o->wide + 1, sizeof(*t->passes)),
        .scratch = xcalloc(o->members + 1, sizeof(*t->scratch))};
    if (!t->numbers) {
        try_done(t);
        return err_set(err, ERR_LIMIT,
                       "no memory to choose from %zu members by %zu rows",
                       o->members, o->rows);
    }
    t->pair.members = 2;
    t->pair.out_of_fold = false;
    t->pair.numbers = t->numbers;
    for (size_t r = 0; r < o->rows; r++)
        memcpy(row_of(t, r), opinions_truth(o, r),
               o->truths * sizeof(*t->numbers));
    return 0;
}

/* What those of some weight say of a row together. */
static void speak_as_one(struct trying *t, size_t row, const double *weights)
{
    const struct opinions *o = t->said;
    const double *first = opinions_said(o, row);
    double *to = row_of(t, row) + o->truths, *own = t->scratch;
    for (size_t i = 0, at = 0; i < o->head_count; i++) {
        const struct combine_head *h = &o->heads[i];
        size_t count = 0;
        for (size_t m = 0; m < o->members; m++) {
            if (!(weights[m] > 0))
                continue;
            memcpy(t->passes + count * h->width, first + m * o->wide + at,
                   h->width * sizeof(*to));
            own[count++] = weights[m];
        }
        struct combine_rule rule = {.how = COMBINE_MEAN,
                                    .members = count,
                                    .samples = 1,
                                    .weights = own};
        combine_outputs(&rule, h, t->passes, NULL, to + at);
        at += h->width;
    }
}

/* The loss when one more is taken. */
static double try_one(struct trying *t, size_t all, size_t member)
{
    const struct opinions *o = t->said;
    double more = 1 / (double)(all + 1);
    for (size_t r = 0; r < o->rows; r++)
        memcpy(row_of(t, r) + o->truths + o->wide,
               opinions_said(o, r) + member * o->wide,
               o->wide * sizeof(*t->numbers));
    return opinions_loss(&t->pair, (double[]){1 - more, more});
}

/* The one that helps most; what is not a number helps nobody. */
static size_t next_of(struct trying *t, size_t all, double *loss)
{
    size_t best = 0;
    *loss = INFINITY;
    for (size_t m = 0; m < t->said->members; m++) {
        double own = try_one(t, all, m);
        if (is_less(own, *loss)) {
            *loss = own;
            best = m;
        }
    }
    return best;
}

int opinions_choose(const struct opinions *o, size_t most, double *weights,
                    double *least, struct err *err)
{
    size_t *taken = xcalloc(o->members, sizeof(*taken));
    double *tried = xcalloc(o->members, sizeof(*tried));
    struct trying t;
    require(opinions_shared(o) == o->rows);
    if (try_init(&t, o, err)) {
        free(taken);
        free(tried);
        return -1;
    }
    *least = INFINITY;
    for (size_t m = 0; m < o->members; m++)
        weights[m] = m == 0;
    for (size_t all = 0; all < most; all++) {
        double loss;
        taken[next_of(&t, all, &loss)]++;
        weigh(taken, o->members, all + 1, tried);
        if (is_less(loss, *least)) {
            *least = loss;
            memcpy(weights, tried, o->members * sizeof(*weights));
        }
        for (size_t r = 0; r < o->rows; r++)
            speak_as_one(&t, r, tried);
    }
    try_done(&t);
    free(taken);
    free(tried);
    return 0;
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
