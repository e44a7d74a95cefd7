/* test_parameters.c - the parameter space */
#include "plan_test.h"

#define HEAD "program: a.py\nmethod: random\nrun_cap: 1\nparameters:\n"

static const struct param *param_of(const struct plan *p, const char *name)
{
    long i = space_find(&p->space, str_of(name));

    assert_true(i >= 0);
    return &p->space.params[i];
}

/* Methods look at numbers that a distribution may not have: they are what a
 * space that was written and read again has. */
static void assert_same_in_text(const struct space *s)
{
    struct arena *a = arena_new();
    struct space again = {0};
    assert_int_equal(space_from_value(&again, space_to_value(s, a), a, NULL),
                     0);
    assert_int_equal(again.count, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const struct param *p = &s->params[i], *t = &again.params[i];
        bool same = p->min == t->min && p->max == t->max && p->mu == t->mu &&
                    p->sigma == t->sigma && p->a == t->a && p->b == t->b &&
                    p->q == t->q && p->q_integer == t->q_integer;
        if (!same)
            fail_msg("%.*s is another when it is read", STRF(p->name));
    }
    arena_free(a);
}

static void every_distribution_is_read(void **state)
{
    struct reading_test t;
    const struct param *p;

    (void)state;
    test_read_well(
        &t, HEAD "  constant: {value: 5}\n"
                 "  categorical: {values: [1, a]}\n"
                 "  int_uniform: {min: 1, max: 9}\n"
                 "  uniform: {min: 1, max: 9.5}\n"
                 "  q_uniform: {distribution: q_uniform, min: 0, max: 1, q: "
                 "0.5}\n"
                 "  log_uniform: {distribution: log_uniform, min: -5, max: "
                 "0}\n"
                 "  q_log_uniform: {distribution: q_log_uniform, min: 0, max: "
                 "5}\n"
                 "  log_uniform_values: {distribution: log_uniform_values, "
                 "min: 1e-3, max: 1}\n"
                 "  q_log_uniform_values: {distribution: "
                 "q_log_uniform_values, min: 8, max: 64, q: 8}\n"
                 "  inv_log_uniform: {distribution: inv_log_uniform, min: -5, "
                 "max: 0}\n"
                 "  inv_log_uniform_values: {distribution: "
                 "inv_log_uniform_values, min: 0.5, max: 2}\n"
                 "  normal: {distribution: normal}\n"
                 "  q_normal: {distribution: q_normal, mu: 3, sigma: 2, q: "
                 "1}\n"
                 "  log_normal: {distribution: log_normal, mu: 1}\n"
                 "  q_log_normal: {distribution: q_log_normal, sigma: 0.5}\n"
                 "  beta: {distribution: beta, a: 2, b: 3}\n"
                 "  q_beta: {distribution: q_beta, a: 1, b: 1, q: 0.1}\n");
    assert_int_equal(t.plan->space.count, DIST_COUNT);
    for (int d = 0; d < DIST_COUNT; d++)
        assert_int_equal(param_of(t.plan, dist_name((enum dist)d))->dist, d);
    p = param_of(t.plan, "q_uniform");
    assert_true(p->min == 0 && p->max == 1 && p->q == 0.5 && !p->q_integer);
    p = param_of(t.plan, "q_log_uniform");
    assert_true(p->q == 1 && p->q_integer);
    p = param_of(t.plan, "normal");
    assert_true(p->mu == 0 && p->sigma == 1 && !p->q_integer);
    p = param_of(t.plan, "q_normal");
    assert_true(p->mu == 3 && p->sigma == 2 && p->q_integer);
    p = param_of(t.plan, "beta");
    assert_true(p->a == 2 && p->b == 3);
    assert_same_in_text(&t.plan->space);
    test_done(&t);
}

static void the_space_is_sorted_and_nested_names_have_dots(void **state)
{
    struct reading_test t;
    const struct param *p;

    (void)state;
    test_read_well(&t, HEAD "  z: {value: 1}\n"
                            "  opt: {parameters: {lr: {value: 2}, in: "
                            "{parameters: {b: {value: 3}}}}}\n"
                            "  a: {value: 4}\n");
    p = t.plan->space.params;
    assert_true(str_is(p[0].name, "a"));
    assert_true(str_is(p[1].name, "opt.in.b"));
    assert_int_equal(p[1].path_len, 3);
    assert_true(str_is(p[1].path[0], "opt"));
    assert_true(str_is(p[1].path[1], "in"));
    assert_true(str_is(p[1].path[2], "b"));
    assert_true(str_is(p[2].name, "opt.lr"));
    assert_true(str_is(p[3].name, "z"));
    test_done(&t);
}

static void mistakes_of_a_parameter_are_named(void **state)
{
    static const char *const rows[][2] = {
        {"x: 5", "5:6: error: parameter 'x' must be an object (write x: "
                 "{value: 5})"},
        {"x: [1, 2]", "parameter 'x' must be an object (write x: {values: "
                      "[…]})"},
        {"x: {}", "parameter 'x' does not say its values"},
        {"x: {min: 1}", "does not say its values: max is missing"},
        {"x: {max: 1}", "min is missing"},
        {"x: {values: []}", "values must be a list with something in it, not "
                            "an empty one"},
        {"x: {values: 3}", "values must be a list with something in it, not "
                           "3"},
        {"x: {mn: 1, max: 2}", "5:7: error: parameter 'x' has no key 'mn' "
                               "(did you mean 'min'?)"},
        {"x: {min: 3, max: 2}", "min 3 is above max 2"},
        {"x: {min: a, max: 2}", "min must be a finite number, not 'a'"},
        {"x: {min: '1', max: 2.5}", "(write it without quotes)"},
        {"x: {min: 0.0, max: .inf}", "max must be a finite number, not inf"},
        {"x: {distribution: unifrm, min: 0, max: 1}",
         "no distribution 'unifrm' (did you mean 'uniform'?)"},
        {"x: {distribution: int_uniform, min: 0.5, max: 2}",
         "min must be a whole number, not 0.5"},
        {"x: {distribution: uniform, min: 0, max: 1, values: [1]}",
         "the distribution uniform takes no 'values'"},
        {"x: {distribution: uniform, min: 0}",
         "the distribution uniform needs 'max'"},
        {"x: {distribution: beta, a: 1}", "the distribution beta needs 'b'"},
        {"x: {distribution: beta, a: 0, b: 1}", "a must be above 0, not 0"},
        {"x: {distribution: normal, sigma: -1}",
         "sigma must be above 0, not -1"},
        {"x: {distribution: q_uniform, min: 0, max: 1, q: 0}",
         "q must be above 0"},
        {"x: {distribution: log_uniform_values, min: 0, max: 1}",
         "min of log_uniform_values must be above 0, not 0"},
        {"x: {distribution: log_uniform, min: 1, max: 1000}",
         "e to that power is no number"},
        {"x: {values: [a, b], probabilities: [0.5, 0.4]}",
         "the probabilities sum to 0.9, not 1"},
        {"x: {values: [a, b], probabilities: [1]}",
         "probabilities must be a list of 2 numbers"},
        {"x: {values: [a, b], probabilities: [1.5, -0.5]}",
         "a probability cannot be below 0"},
        {"1x: {value: 1}", "5:3: error: '1x' cannot be the name of a "
                           "parameter"},
        {"'a b': {value: 1}", "'a b' cannot be the name of a parameter"},
        {"'': {value: 1}", "'' cannot be the name of a parameter"},
        {"x: {parameters: {}}", "parameters has nothing in it"},
        {"x: {parameters: {a: {value: 1}}, value: 2}",
         "holds parameters; it cannot have 'value' too"},
        {"a-b: {value: 1}\n  a_b: {value: 1}",
         "parameters 'a-b' and 'a_b' would both be THRONG_P_a_b"},
        {"a.b: {value: 1}\n  a: {parameters: {b: {value: 1}}}",
         "parameter 'a.b' is declared twice, once nested"},
        {"a_b: {value: 1}\n  a: {parameters: {b: {value: 1}}}",
         "parameters 'a.b' and 'a_b' would both be THRONG_P_a_b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[512];

        snprintf(text, sizeof(text), HEAD "  %s\n", rows[i][0]);
        test_says(text, rows[i][1]);
    }
}

static void warnings_do_not_refuse(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD
                   "  x: {distribution: log_uniform, min: 0.001, max: 0.1}\n"
                   "  y: {values: [1, 2, 1]}\n"
                   "  state: {value: 1}\n");
    assert_non_null(strstr(t.said.p, "5:39: warning: parameter 'x': the "
                                     "bounds of log_uniform are exponents"));
    assert_non_null(strstr(t.said.p, "6:22: warning: parameter 'y': the value "
                                     "1 stands there twice"));
    assert_non_null(strstr(t.said.p, "7:10: warning: parameter 'state' is "
                                     "named like a word of ours"));
    assert_int_equal(t.problems.list.len, 3);
    test_done(&t);
}

static void one_and_one_point_zero_are_two_values(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "  y: {values: [1, 1.0, '1', true]}\n");
    assert_int_equal(t.problems.list.len, 0);
    test_done(&t);
}

static void when_becomes_conditions(void **state)
{
    struct reading_test t;
    const struct param *p;

    (void)state;
    test_read_well(&t, HEAD "  opt: {values: [adam, sgd]}\n"
                            "  m: {value: 0.9, when: {opt: sgd}}\n"
                            "  b: {value: 1, when: {opt: [adam], m: [0.9]}}\n"
                            "  g:\n"
                            "    when: {opt: adam}\n"
                            "    parameters:\n"
                            "      kind: {values: [1, 2]}\n"
                            "      x: {value: 1, when: {kind: 2}}\n");
    p = param_of(t.plan, "m");
    assert_int_equal(p->condition_count, 1);
    assert_true(str_is(p->conditions[0].name, "opt"));
    assert_int_equal(p->conditions[0].values->count, 1);
    assert_int_equal(param_of(t.plan, "b")->condition_count, 2);
    p = param_of(t.plan, "g.x");
    assert_int_equal(p->condition_count, 2);
    assert_true(str_is(p->conditions[0].name, "g.kind"));
    assert_true(str_is(p->conditions[1].name, "opt"));
    test_done(&t);
}

static void a_wrong_when_is_named(void **state)
{
    (void)state;
    test_says(HEAD "  opt: {values: [adam, sgd]}\n"
                   "  m: {value: 1, when: {opta: sgd}}\n",
              "6:24: error: when: no parameter 'opta' (did you mean 'opt'?)");
    test_says(HEAD "  opt: {values: [adam, sgd]}\n"
                   "  m: {value: 1, when: {opt: [sgd, lion]}}\n",
              "6:35: error: when: parameter 'opt' never has the value 'lion' "
              "(its values are ['adam', 'sgd'])");
    test_says(HEAD "  a: {value: 1, when: {b: 1}}\n"
                   "  b: {value: 1, when: {a: 1}}\n",
              "5:6: error: when: parameter 'a' depends on itself");
    test_says(HEAD "  a: {value: 1, when: {a: 1}}\n",
              "parameter 'a' depends on itself");
    test_says(HEAD "  a: {value: 1, when: 5}\n",
              "when must name a parameter and its values");
    test_says(HEAD "  a: {value: 1}\n  b: {value: 1, when: {a: []}}\n",
              "this parameter is never active");
    test_says(HEAD "  a: {min: 1, max: 5}\n  b: {value: 1, when: {a: 6}}\n",
              "parameter 'a' never has the value 6");
}

static void what_refers_to_a_wrong_parameter_is_no_mistake(void **state)
{
    struct reading_test t;

    (void)state;
    test_read(&t, HEAD "  opt: {vals: [adam, sgd]}\n"
                       "  m: {value: 1, when: {opt: sgd}}\n");
    assert_null(strstr(t.said.p, "when"));
    assert_null(t.plan);
    test_done(&t);
}

static void a_grid_takes_only_what_can_be_counted(void **state)
{
    (void)state;
    test_says("program: a\nmethod: grid\nparameters:\n"
              "  lr: {min: 0.0, max: 1.0}\n",
              "4:7: error: parameter 'lr' cannot be in a grid: ");
    test_says("program: a\nmethod: grid\nparameters:\n"
              "  x: {values: [1, 2], probabilities: [0.5, 0.5]}\n",
              "parameter 'x' cannot be in a grid: ");
}

static void a_grid_without_end_is_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "program: a\nmethod: grid\nparameters:\n");
    for (int i = 0; i < 10; i++)
        buf_addf(&b, "  p%d: {min: 1, max: 1000000000}\n", i);
    test_says(b.p, "study.yaml: error: ");
    buf_done(&b);
}

static void names_that_are_valid_are_taken(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "  _a: {value: 1}\n  A.b-c_9: {value: 1}\n");
    assert_int_equal(t.plan->space.count, 2);
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_distribution_is_read),
        cmocka_unit_test(the_space_is_sorted_and_nested_names_have_dots),
        cmocka_unit_test(mistakes_of_a_parameter_are_named),
        cmocka_unit_test(warnings_do_not_refuse),
        cmocka_unit_test(one_and_one_point_zero_are_two_values),
        cmocka_unit_test(when_becomes_conditions),
        cmocka_unit_test(a_wrong_when_is_named),
        cmocka_unit_test(what_refers_to_a_wrong_parameter_is_no_mistake),
        cmocka_unit_test(a_grid_takes_only_what_can_be_counted),
        cmocka_unit_test(a_grid_without_end_is_refused),
        cmocka_unit_test(names_that_are_valid_are_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
