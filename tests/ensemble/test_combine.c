/* test_combine.c - passes of a row become what hand and numpy make of them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ensemble/ensemble.h"

enum { ROOM = 32 };

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-12) && !(isnan(found) && isnan(wanted)))
        fail_msg("%.17g, not %.17g", found, wanted);
}

static void are_near(const double *found, const double *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        near(found[i], wanted[i]);
}

static const double alike[] = {0.25, 0.25, 0.25, 0.25};
static const double middle[] = {0.1, 0.5};

static void numbers_have_mean_spread_and_quantiles(void **state)
{
    static const double passes[] = {1, 2, 4, 9};
    struct combine_head h = {.width = 1};
    struct combine_rule r = {.members = 4,
                             .samples = 1,
                             .weights = alike,
                             .quantiles = middle,
                             .quantile_count = 2};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    near(out[0], 4);
    assert_int_equal(combine_columns(&r, &h), 5);
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out, (double[]){sqrt(9.5), sqrt(9.5), NAN, 1.3, 3}, 5);
    r.how = COMBINE_MEDIAN;
    combine_outputs(&r, &h, passes, scratch, out);
    near(out[0], 3);
}

/* Two members, two samples each: the second member counts thrice. */
static void weights_count(void **state)
{
    static const double passes[] = {1, 3, 10, 20};
    static const double weights[] = {0.25, 0.75};
    struct combine_head h = {.width = 1};
    struct combine_rule r = {.members = 2,
                             .samples = 2,
                             .weights = weights,
                             .quantiles = middle,
                             .quantile_count = 2};
    double scratch[ROOM], out[ROOM], mean = 0.125 * 4 + 0.375 * 30;
    double square = 0.125 * (1 + 9) + 0.375 * (100 + 400) - mean * mean;
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    near(out[0], mean);
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out, (double[]){sqrt(square), sqrt(square), NAN, 1, 10}, 5);
}

/* As out of fold, where who was trained on a row says nothing of it. */
static void who_weighs_nothing_is_not_there(void **state)
{
    static const double passes[] = {5, 1, -7, 2, 4};
    static const double weights[] = {0, 0.5, 0, 0, 0.5};
    static const double uneven[] = {0, 0.5, 0, 0.25, 0.25};
    static const double chances[] = {0.9, 0.1, 0.2, 0.8, 0.6, 0.4};
    struct combine_head h = {.width = 1},
                        choice = {.width = 2, .classes = true};
    struct combine_rule r = {.how = COMBINE_MEDIAN,
                             .members = 5,
                             .samples = 1,
                             .weights = weights,
                             .quantiles = middle,
                             .quantile_count = 2};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    near(out[0], 2.5);
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out, (double[]){1.5, 1.5, NAN, 1.3, 2.5}, 5);
    r.weights = uneven;
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out + 3, (double[]){1, 1}, 2);
    r.members = 3;
    r.weights = (double[]){0.5, 0, 0.5};
    combine_outputs(&r, &choice, chances, scratch, out);
    are_near(out, (double[]){0.75, 0.25}, 2);
}

/* Each is the first number up to which passes weigh so much. */
static void quantiles_of_many_weights_are_those_of_a_search(void **state)
{
    enum { PASSES = 24 };
    double weights[PASSES], passes[PASSES], scratch[PASSES], out[ROOM];
    static const double points[] = {0, 0.05, 0.3, 0.5, 0.95, 1};
    struct combine_head h = {.width = 1};
    struct combine_rule r = {.members = PASSES,
                             .samples = 1,
                             .weights = weights,
                             .quantiles = points,
                             .quantile_count = 6};
    (void)state;
    for (size_t i = 0; i < PASSES; i++) {
        weights[i] = (double)(i % 4) / 36;
        passes[i] = (double)(i * 7 % 11);
    }
    combine_sureness(&r, &h, passes, scratch, out);
    for (size_t q = 0; q < 6; q++) {
        double best = INFINITY;
        for (size_t i = 0; i < PASSES; i++) {
            double below = 0;
            for (size_t k = 0; k < PASSES; k++)
                below += passes[k] <= passes[i] ? weights[k] : 0;
            if (weights[i] > 0 && below >= points[q] - 1e-12)
                best = fmin(best, passes[i]);
        }
        near(out[3 + q], best);
    }
}

/* Variances add up, and a head that says none has none. */
static void what_a_head_says_of_its_spread_is_added(void **state)
{
    double passes[] = {1, log(4), 3, log(2)};
    static const double half[] = {0.5, 0.5};
    struct combine_head h = {.width = 2, .spreads = true};
    struct combine_rule r = {.members = 2, .samples = 1, .weights = half};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    are_near(out, (double[]){2, log(1 + 3)}, 2);
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out, (double[]){2, 1, sqrt(3)}, 3);
}

static void one_pass_does_not_say_what_members_differ_by(void **state)
{
    double pass[] = {1, log(4)};
    static const double all = 1;
    struct combine_head h = {.width = 2, .spreads = true};
    struct combine_rule r = {.members = 1, .samples = 1, .weights = &all};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_sureness(&r, &h, pass, scratch, out);
    are_near(out, (double[]){2, NAN, 2}, 3);
}

/* Nobody knows what others would say: that is not the same as no difference. */
static void of_one_pass_nothing_is_known_of_others(void **state)
{
    static const double all = 1, three[] = {0.7, 0.2, 0.1}, same[] = {3, 3};
    struct combine_head number = {.width = 1};
    struct combine_head choice = {.width = 3, .classes = true};
    struct combine_rule r = {.members = 1,
                             .samples = 1,
                             .weights = &all,
                             .quantiles = middle,
                             .quantile_count = 2};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_sureness(&r, &number, three, scratch, out);
    are_near(out, (double[]){NAN, NAN, NAN, NAN, NAN}, 5);
    combine_sureness(&r, &choice, three, scratch, out);
    are_near(out, (double[]){combine_entropy(three, 3), NAN}, 2);
    r.samples = 2; /* samples that agree do tell */
    combine_sureness(&r, &number, same, scratch, out);
    are_near(out, (double[]){0, 0, NAN, 3, 3}, 5);
}

static void classes_have_entropy_and_what_members_disagree_in(void **state)
{
    static const double passes[] = {0.9, 0.1, 0, 0.1, 0.9, 0};
    static const double half[] = {0.5, 0.5};
    struct combine_head h = {.width = 3, .classes = true};
    struct combine_rule r = {.members = 2, .samples = 1, .weights = half};
    double scratch[ROOM], out[ROOM];
    double each = -0.9 * log(0.9) - 0.1 * log(0.1);
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    are_near(out, (double[]){0.5, 0.5, 0}, 3);
    assert_int_equal(combine_columns(&r, &h), 2);
    combine_sureness(&r, &h, passes, scratch, out);
    are_near(out, (double[]){log(2), log(2) - each}, 2);
    r.how = COMBINE_VOTE;
    combine_outputs(&r, &h, passes, scratch, out);
    are_near(out, (double[]){0.5, 0.5, 0}, 3);
    h = (struct combine_head){.width = 1, .classes = true};
    combine_sureness(&r, &h, (double[]){0.9, 0.1}, scratch, out);
    are_near(out, (double[]){log(2), log(2) - each}, 2);
    combine_outputs(&r, &h, (double[]){0.9, 0.1}, scratch, out);
    near(out[0], 0.5);
}

static void a_stack_has_the_entropy_of_what_it_says(void **state)
{
    /* Intercepts of two classes, then the weights of two members for each. */
    static const double stack[] = {0.1, 0, 1, 0.5, 0.25, 0};
    static const double one[] = {0.2, 0.5, 0.25};
    const double passes[] = {0.6, 0.4, 0.2, 0.8};
    struct combine_rule r = {
        .how = COMBINE_STACKING, .members = 2, .samples = 1};
    struct combine_head h = {.classes = true, .width = 2, .stack = stack};
    double to[2], said[2], scratch[2];
    (void)state;
    combine_outputs(&r, &h, passes, scratch, said);
    combine_sureness(&r, &h, passes, scratch, to);
    near(said[0], 0.8 / 0.9);
    near(to[0], -0.8 / 0.9 * log(0.8 / 0.9) - 0.1 / 0.9 * log(0.1 / 0.9));
    assert_true(isnan(to[1]));
    h = (struct combine_head){.classes = true, .width = 1, .stack = one};
    combine_sureness(&r, &h, passes, scratch, to);
    near(to[0], -0.6 * log(0.6) - 0.4 * log(0.4));
    assert_true(isnan(to[1]));
}

static void medians_of_probabilities_add_up_to_1(void **state)
{
    static const double passes[] = {0.6, 0.3, 0.1, 0.2, 0.5,
                                    0.3, 0.1, 0.2, 0.7};
    static const double third[] = {1 / 3., 1 / 3., 1 / 3.};
    struct combine_head h = {.width = 3, .classes = true};
    struct combine_rule r = {
        .how = COMBINE_MEDIAN, .members = 3, .samples = 1, .weights = third};
    double scratch[ROOM], out[ROOM];
    (void)state;
    combine_outputs(&r, &h, passes, scratch, out);
    are_near(out, (double[]){0.2 / 0.8, 0.3 / 0.8, 0.3 / 0.8}, 3);
}

static void all_are_nothing(const double *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(isnan(found[i]));
}

/* Sorted among the others it would be a number, counted a vote. */
static void a_pass_that_is_no_number_leaves_nothing_to_say(void **state)
{
    static const double third[] = {1 / 3., 1 / 3., 1 / 3.};
    static const double stack[] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const double bad[] = {NAN, INFINITY};
    (void)state;
    for (int i = 0; i < COMBINE_COUNT * 2; i++) {
        double b = bad[i % 2], scratch[ROOM], out[ROOM];
        double numbers[] = {1, b, 9};
        double chances[] = {0.6, 0.3, 0.1, b, b, b, 0.1, 0.2, 0.7};
        struct combine_head number = {.width = 1, .stack = stack};
        struct combine_head choice = {
            .width = 3, .classes = true, .stack = stack};
        struct combine_rule r = {.how = (enum combine)(i / 2),
                                 .members = 3,
                                 .samples = 1,
                                 .weights = third,
                                 .quantiles = middle,
                                 .quantile_count = 2};
        combine_outputs(&r, &number, numbers, scratch, out);
        all_are_nothing(out, 1);
        combine_sureness(&r, &number, numbers, scratch, out);
        all_are_nothing(out, combine_columns(&r, &number));
        combine_outputs(&r, &choice, chances, scratch, out);
        all_are_nothing(out, 3);
        combine_sureness(&r, &choice, chances, scratch, out);
        all_are_nothing(out, combine_columns(&r, &choice));
    }
}

static void votes_are_of_classes(void **state)
{
    struct err err = {0};
    (void)state;
    assert_int_equal(combine_check(COMBINE_VOTE, true, &err), 0);
    assert_int_equal(combine_check(COMBINE_MEDIAN, false, &err), 0);
    assert_int_equal(combine_check(COMBINE_VOTE, false, &err), -1);
    assert_non_null(strstr(err.text, "take mean or median"));
}

/* A number, a choice of three and a yes or no; who may speak stays. */
static void members_say_their_votes(void **state)
{
    static const struct combine_head heads[] = {
        {.width = 1},
        {.width = 3, .classes = true},
        {.width = 1, .classes = true},
    };
    static const double said[] = {
        7, 2, 1, 1, 0, 0.5, 0.2, 0.5, 0.3, 0.6, -4, 0.4, 0.4, 0.2, 0.5,
        8, 0, 0, 0, 1, 1.5, 0.1, 0.1, 0.8, 0.4, 9,  0.9, 0.1, 0,   0.51,
    };
    static const double wanted[] = {
        7, 2, 1, 1, 0, 0.5, 0, 1, 0, 1, -4, 1, 0, 0, 0,
        8, 0, 0, 0, 1, 1.5, 0, 0, 1, 0, 9,  1, 0, 0, 1,
    };
    struct opinions o = {.rows = 2,
                         .members = 2,
                         .heads = heads,
                         .head_count = 3,
                         .wide = 5,
                         .truths = 3,
                         .out_of_fold = true,
                         .numbers = said},
                    to;
    double *own;
    (void)state;
    assert_int_equal(opinions_vote(&o, &to, &own, NULL), 0);
    assert_int_equal(to.members, 2);
    are_near(to.numbers, wanted, sizeof(wanted) / sizeof(*wanted));
    free(own);
}

/* Ten tenths are less than 1. */
static void all_votes_are_all(void **state)
{
    struct combine_head h = {.width = 1, .classes = true};
    double weights[10], passes[10], scratch[10], out[1], sum = 0;
    struct combine_rule r = {
        .how = COMBINE_VOTE, .members = 10, .samples = 1, .weights = weights};
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        weights[i] = 0.1;
        passes[i] = 0.9;
        sum += weights[i];
    }
    assert_true(sum < 1);
    combine_outputs(&r, &h, passes, scratch, out);
    assert_true(out[0] == 1);
}

/* As the paper has it: who makes the loss of all of them the least. */
static double choose_slowly(const struct opinions *o, size_t most,
                            double *weights)
{
    size_t taken[ROOM] = {0};
    double least = INFINITY, tried[ROOM];
    for (size_t all = 1; all <= most; all++) {
        double best = INFINITY;
        size_t who = 0;
        for (size_t m = 0; m < o->members; m++) {
            for (size_t i = 0; i < o->members; i++)
                tried[i] = (double)(taken[i] + (i == m)) / (double)all;
            double loss = opinions_loss(o, tried);
            who = loss < best ? m : who;
            best = fmin(best, loss);
        }
        taken[who]++;
        for (size_t i = 0; best < least && i < o->members; i++)
            weights[i] = (double)taken[i] / (double)all;
        least = fmin(best, least);
    }
    return least;
}

/* A number with its spread, a choice of three and a plain number. */
static void those_who_were_taken_speak_as_one(void **state)
{
    enum { ROWS = 40, MEMBERS = 5, WIDE = 6, EACH = 3 + MEMBERS * WIDE };
    static const struct combine_head heads[] = {
        {.width = 2, .spreads = true},
        {.width = 3, .classes = true},
        {.width = 1},
    };
    static double said[ROWS * EACH];
    struct opinions o = {.rows = ROWS,
                         .members = MEMBERS,
                         .heads = heads,
                         .head_count = 3,
                         .wide = WIDE,
                         .truths = 3,
                         .numbers = said};
    double weights[MEMBERS], wanted[MEMBERS], loss, least;
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        double *truth = said + r * EACH, x = (double)r / ROWS;
        truth[0] = sin(9 * x);
        truth[1] = (double)(r % 3);
        truth[2] = x * x;
        for (size_t m = 0; m < MEMBERS; m++) {
            double *own = truth + 3 + m * WIDE,
                   off = cos(7 * x + 2. * (double)m);
            own[0] = truth[0] + 0.3 * off;
            own[1] = -3 + off;
            for (size_t k = 0; k < 3; k++)
                own[2 + k] = k == r % 3 ? 0.4 + 0.2 * off : 0.3 - 0.1 * off;
            own[5] = truth[2] + 0.1 * off * (double)(m + 1);
        }
    }
    least = choose_slowly(&o, 12, wanted);
    assert_int_equal(opinions_choose(&o, 12, weights, &loss, NULL), 0);
    are_near(weights, wanted, MEMBERS);
    near(loss, least);
    near(loss, opinions_loss(&o, weights));
    assert_true(weights[0] < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_mean_spread_and_quantiles),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(who_weighs_nothing_is_not_there),
        cmocka_unit_test(quantiles_of_many_weights_are_those_of_a_search),
        cmocka_unit_test(what_a_head_says_of_its_spread_is_added),
        cmocka_unit_test(one_pass_does_not_say_what_members_differ_by),
        cmocka_unit_test(of_one_pass_nothing_is_known_of_others),
        cmocka_unit_test(classes_have_entropy_and_what_members_disagree_in),
        cmocka_unit_test(a_stack_has_the_entropy_of_what_it_says),
        cmocka_unit_test(medians_of_probabilities_add_up_to_1),
        cmocka_unit_test(a_pass_that_is_no_number_leaves_nothing_to_say),
        cmocka_unit_test(votes_are_of_classes),
        cmocka_unit_test(members_say_their_votes),
        cmocka_unit_test(all_votes_are_all),
        cmocka_unit_test(those_who_were_taken_speak_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
