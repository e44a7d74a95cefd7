/* stack.c - weights that are fitted on rows whose truth is known
 *
 * Both are least squares of what members say by weights that are not below 0.
 * Members mostly agree, so that weights of any sign would be large, of both
 * signs, and good on these rows alone; such weights need no penalty to be
 * chosen, and leave members out (Breiman 1996, "Stacked regressions"). A class
 * is 1 where it is the true one and else 0 (Ting and Witten 1999, "Issues in
 * stacked generalization").
 *
 * A weighted mean has one weight a member, all of which add up to 1. Stacking
 * has a small model for each output: weights, and for numbers a number that is
 * added. As a file:
 *
 *   [{"added": [0.1], "weights": [[0.5, 0, 0.6]]}]
 *
 * by head, and there by output and by member. */
#include <math.h>
#include <stdlib.h>

#include "ensemble/ensemble.h"

/* One output of one head. */
struct target {
    const struct combine_head *head;
    size_t truth, output; /* where they stand among those of a row */
    size_t class;         /* of a choice */
};

static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

static double truth_of(const struct opinions *o, const struct target *t,
                       size_t row)
{
    double x = opinions_truth(o, row)[t->truth];
    if (!is_choice(t->head))
        return x;
    return (size_t)x == (t->head->width == 1 ? 1 : t->class);
}

static double said_of(const struct opinions *o, const struct target *t,
                      size_t row, size_t member)
{
    return opinions_said(o, row)[member * o->wide + t->output];
}

typedef void target_fn(void *context, const struct target *t);

/* Every output that is predicted; those of a head one after another. */
static void each_target(const struct opinions *o, target_fn *see, void *context)
{
    struct target t = {0};
    size_t truth = 0, output = 0;
    for (size_t i = 0; i < o->head_count; i++) {
        t.head = &o->heads[i];
        for (t.class = 0; t.class < combine_told(t.head); t.class ++) {
            t.truth = truth + (is_choice(t.head) ? 0 : t.class);
            t.output = output + t.class;
            see(context, &t);
        }
        truth += opinions_truths(t.head);
        output += t.head->width;
    }
}

const struct combine_loss *opinions_unsquared(const struct opinions *o)
{
    static const char *const others[] = {"mae", "huber", "quantile", "dice",
                                         NULL};
    for (size_t i = 0; i < o->head_count; i++)
        if (str_among(o->heads[i].loss.name, others))
            return &o->heads[i].loss;
    return NULL;
}

/* ---- one weight a member --------------------------------------------------
 */

struct weighing {
    const struct opinions *said;
    double *products; /* of what members are wrong by */
};

static void add_errors(void *context, const struct target *t)
{
    struct weighing *w = context;
    const struct opinions *o = w->said;
    size_t n = o->members;
    double *wrong = xcalloc(n + 1, sizeof(*wrong));
    for (size_t r = 0; r < o->rows; r++) {
        double truth = truth_of(o, t, r);
        for (size_t m = 0; m < n; m++)
            wrong[m] = said_of(o, t, r, m) - truth;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                w->products[i * n + k] += wrong[i] * wrong[k];
    }
    free(wrong);
}

/* The least of |Zw|² where w adds up to 1 is that of |Zu|² + c (1 - Σu)²
 * without the condition, of which w is u over its sum: whatever c is, the best
 * length of u makes of q = |Zw|² a number that grows with q. */
int opinions_weigh(const struct opinions *o, double *weights, struct err *err)
{
    size_t n = o->members;
    struct weighing w = {o, xcalloc(n * n + n + 1, sizeof(double))};
    double *ones = w.products + n * n, c = 0, sum = 0;
    each_target(o, add_errors, &w);
    for (size_t i = 0; i < n; i++)
        c = fmax(c, w.products[i * n + i]);
    c = c > 0 ? c : 1;
    for (size_t i = 0; i < n * n; i++)
        w.products[i] += c;
    for (size_t i = 0; i < n; i++)
        ones[i] = c;
    least_squares(w.products, ones, n, weights);
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    for (size_t i = 0; i < n; i++)
        weights[i] /= sum;
    free(w.products);
    return sum > 0 && isfinite(sum)
               ? 0
               : err_set(err, ERR_INPUT,
                         "what a member says is no number: there are no "
                         "weights for it");
}

/* ---- a model for each output ----------------------------------------------
 */

struct stacking {
    const struct opinions *said;
    struct arena *arena;
    struct value *heads, *added, *weights; /* the last two of the last head */
    double *shares;                        /* of members, in all */
};

/* Sums of products of columns around their means, or around 0. */
struct columns {
    double *products, *wanted, *means, truth;
};

static void take_means(const struct opinions *o, const struct target *t,
                       struct columns *c)
{
    for (size_t r = 0; r < o->rows; r++) {
        c->truth += truth_of(o, t, r) / (double)o->rows;
        for (size_t m = 0; m < o->members; m++)
            c->means[m] += said_of(o, t, r, m) / (double)o->rows;
    }
}

static void take_products(const struct opinions *o, const struct target *t,
                          struct columns *c)
{
    size_t n = o->members;
    for (size_t r = 0; r < o->rows; r++) {
        double truth = truth_of(o, t, r) - c->truth;
        for (size_t i = 0; i < n; i++) {
            double own = said_of(o, t, r, i) - c->means[i];
            c->wanted[i] += own * truth;
            for (size_t k = 0; k <= i; k++)
                c->products[i * n + k] +=
                    own * (said_of(o, t, r, k) - c->means[k]);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            c->products[i * n + k] = c->products[k * n + i];
}

static void add_model(struct stacking *s, const struct columns *c,
                      const double *x)
{
    struct arena *a = s->arena;
    struct value *list = value_list(a);
    double added = c->truth;
    for (size_t m = 0; m < s->said->members; m++) {
        added -= x[m] * c->means[m];
        s->shares[m] += x[m];
        value_list_add(a, list, value_double(a, x[m]));
    }
    value_list_add(a, s->added, value_double(a, added));
    value_list_add(a, s->weights, list);
}

static void begin_head(struct stacking *s)
{
    struct arena *a = s->arena;
    struct value *v = value_object(a);
    s->added = value_list(a);
    s->weights = value_list(a);
    value_set(a, v, STR("added"), s->added);
    value_set(a, v, STR("weights"), s->weights);
    value_list_add(a, s->heads, v);
}

/* Probabilities have nothing added: 0 of all members is 0 of all of them. */
static void fit_output(void *context, const struct target *t)
{
    struct stacking *s = context;
    size_t n = s->said->members;
    double *room = xcalloc(n * n + 3 * n + 1, sizeof(*room));
    struct columns c = {room, room + n * n, room + n * n + n, 0};
    if (!t->class)
        begin_head(s);
    if (!t->head->classes && !t->head->each)
        take_means(s->said, t, &c);
    take_products(s->said, t, &c);
    least_squares(c.products, c.wanted, n, c.means + n);
    add_model(s, &c, c.means + n);
    free(room);
}

struct value *opinions_stack(const struct opinions *o, double *weights,
                             struct arena *a, struct err *err)
{
    struct stacking s = {
        .said = o, .arena = a, .heads = value_list(a), .shares = weights};
    double sum = 0;
    for (size_t m = 0; m < o->members; m++)
        weights[m] = 0;
    each_target(o, fit_output, &s);
    for (size_t m = 0; m < o->members; m++)
        sum += weights[m];
    for (size_t m = 0; m < o->members; m++)
        weights[m] /= sum;
    if (sum > 0 && isfinite(sum))
        return s.heads;
    err_set(err, ERR_INPUT,
            "stacking finds no member that says anything of these rows");
    return NULL;
}

/* ---- the text -------------------------------------------------------------
 */

static bool numbers_of(const struct value *list, size_t count, double least,
                       double *to)
{
    if (!list || list->kind != VALUE_LIST || list->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        to[i] = value_number(list->items[i]);
        if (!isfinite(to[i]) || to[i] < least)
            return false;
    }
    return true;
}

const double *combine_stack_read(const struct value *stack, size_t head,
                                 size_t outputs, size_t members,
                                 struct arena *a)
{
    const struct value *v = value_at(stack, head);
    const struct value *weights = value_get(v, STR("weights"));
    double *to = arena_array(a, outputs * (members + 1) + 1, sizeof(*to));
    if (!numbers_of(value_get(v, STR("added")), outputs, -INFINITY, to) ||
        !weights || weights->kind != VALUE_LIST || weights->count != outputs)
        return NULL;
    for (size_t k = 0; k < outputs; k++)
        if (!numbers_of(weights->items[k], members, 0,
                        to + outputs + k * members))
            return NULL;
    return to;
}

struct value *combine_stack_without(const struct value *stack,
                                    const double *weights, struct arena *a)
{
    struct value *all = value_copy(a, stack);
    for (size_t i = 0; i < all->count; i++) {
        struct value *outputs = value_get(all->items[i], STR("weights"));
        for (size_t k = 0; k < outputs->count; k++) {
            const struct value *from = outputs->items[k];
            struct value *to = value_list(a);
            for (size_t m = 0; m < from->count; m++)
                if (weights[m] > 0)
                    value_list_add(a, to, from->items[m]);
            outputs->items[k] = to;
        }
    }
    return all;
}

int opinions_take_stack(struct opinions *o, const struct value *stack,
                        size_t members, struct arena *a, struct err *err)
{
    struct combine_head *heads =
        arena_array(a, o->head_count + 1, sizeof(*heads));
    for (size_t i = 0; stack && i < o->head_count; i++) {
        heads[i] = o->heads[i];
        heads[i].stack =
            combine_stack_read(stack, i, combine_told(&heads[i]), members, a);
        if (!heads[i].stack)
            return err_set(err, ERR_INPUT,
                           "the stack is not of as many outputs and members as "
                           "there are");
    }
    o->heads = stack ? heads : o->heads;
    return 0;
}
