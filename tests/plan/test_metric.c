/* test_metric.c - what is measured */
#include "plan_test.h"

#define HEAD "program: a.py\nparameters: {x: {values: [1, 2]}}\nrun_cap: 5\n"

static void the_goal_is_minimize_unless_said(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "method: random\nmetric: {name: loss}\n");
    assert_true(str_is(t.plan->metric.name, "loss"));
    assert_true(t.plan->metric.minimize);
    assert_true(t.plan->metric.pick == PICK_LAST);
    assert_false(t.plan->metric.has_target);
    test_done(&t);
}

static void everything_of_a_metric_arrives(void **state)
{
    struct reading_test t;
    const struct plan_metric *m;

    (void)state;
    test_read_well(&t, HEAD
                   "method: random\nmetric: {name: acc, goal: maximize, "
                   "target: 0.9, impute: worst, impute_while_running: false, "
                   "pick: best, pattern: 'acc=(.*)', file: acc.txt}\n");
    m = &t.plan->metric;
    assert_false(m->minimize);
    assert_true(m->has_target && m->target == 0.9);
    assert_true(m->pick == PICK_BEST && m->pick_said);
    assert_true(str_is(m->pattern, "acc=(.*)"));
    assert_true(str_is(m->file, "acc.txt"));
    test_done(&t);
}

static void imputation_is_said_to_have_no_effect(void **state)
{
    (void)state;
    test_says(HEAD "method: random\nmetric: {name: a, impute: best}\n",
              "notice: metric.impute is not acted on");
    test_says(HEAD "method: random\nmetric: {name: a, "
                   "impute_while_running: latest}\n",
              "notice: metric.impute_while_running is not acted on");
}

static void a_pattern_that_eats_memory_is_refused(void **state)
{
    (void)state;
    test_says(HEAD "metric: {name: a, pattern: '(((a{255}){255}){255})'}\n",
              "metric.pattern '(((a{255}){255}){255})' is too large");
    test_says(HEAD "metric: {name: a, pattern: '(a{1,99999999999999999999})'}"
                   "\n",
              "is too large");
}

static void bayes_picks_the_best_value_unless_said(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "method: bayes\nmetric: {name: loss}\n");
    assert_true(t.plan->metric.pick == PICK_BEST);
    assert_false(t.plan->metric.pick_said);
    test_done(&t);
    test_read_well(&t,
                   HEAD "method: bayes\nmetric: {name: loss, pick: last}\n");
    assert_true(t.plan->metric.pick == PICK_LAST);
    test_done(&t);
}

static void a_study_may_have_no_metric(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "method: grid\n");
    assert_int_equal(t.plan->metric.name.len, 0);
    test_done(&t);
}

static void a_method_that_learns_needs_a_metric(void **state)
{
    (void)state;
    test_says(HEAD "method: bayes\n",
              "4:9: error: method bayes needs a metric");
    test_says(HEAD "method: tpe\n", "method tpe needs a metric");
    test_says(HEAD "method: hyperspace\n", "method hyperspace needs a metric");
    test_says(HEAD "method: random\n"
                   "early_terminate: {type: hyperband, min_iter: 1}\n",
              "5:18: error: early_terminate needs a metric");
}

static void several_objectives_are_kept_and_the_first_leads(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "method: nsga2\n"
                            "metrics: [{name: a, goal: maximize}, b]\n");
    assert_int_equal(t.plan->goal.objective_count, 2);
    assert_false(t.plan->goal.objectives[0].minimize);
    assert_true(str_is(t.plan->goal.objectives[1].name, "b"));
    assert_true(t.plan->goal.objectives[1].minimize);
    assert_true(str_is(t.plan->metric.name, "a"));
    assert_false(t.plan->metric.minimize);
    test_done(&t);
    test_says(HEAD "method: hyperspace\nmetrics: [a, b]\n",
              "method tpe learns from the first metric only");
    test_says(HEAD "metrics: []\n", "metrics must be a list of 1 to 100");
    test_says(HEAD "metrics: [{goal: maximize}]\n", "a metric has no name");
    test_says(HEAD "metrics: [{name: a, gol: maximize}]\n",
              "did you mean 'goal'?");
}

static void constraints_need_a_bound(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "method: random\n"
                            "constraints: [{name: a, min: 1, max: 2}]\n");
    assert_int_equal(t.plan->goal.bound_count, 2);
    assert_false(t.plan->goal.bounds[0].is_max);
    assert_true(t.plan->goal.bounds[0].limit == 1);
    assert_true(t.plan->goal.bounds[1].is_max);
    assert_true(t.plan->goal.bounds[1].limit == 2);
    test_done(&t);
    test_says(HEAD "constraints: {a: 1}\n", "constraints must be a list");
    test_says(HEAD "constraints: [{name: a, max: x}]\n",
              "constraint: max must be a finite number");
}

static void a_parameter_named_like_the_metric_is_warned_of(void **state)
{
    (void)state;
    test_says(HEAD "method: grid\nmetric: x\n",
              "warning: parameter 'x' is named like the metric");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_goal_is_minimize_unless_said),
        cmocka_unit_test(everything_of_a_metric_arrives),
        cmocka_unit_test(imputation_is_said_to_have_no_effect),
        cmocka_unit_test(a_pattern_that_eats_memory_is_refused),
        cmocka_unit_test(bayes_picks_the_best_value_unless_said),
        cmocka_unit_test(a_study_may_have_no_metric),
        cmocka_unit_test(a_method_that_learns_needs_a_metric),
        cmocka_unit_test(several_objectives_are_kept_and_the_first_leads),
        cmocka_unit_test(constraints_need_a_bound),
        cmocka_unit_test(a_parameter_named_like_the_metric_is_warned_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
