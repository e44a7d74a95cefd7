/* test_early.c - early_terminate */
#include "plan_test.h"

#define HEAD                                                                   \
    "program: a.py\nmethod: grid\nparameters: {x: {values: [1, 2]}}\n"         \
    "metric: loss\nearly_terminate: "

static void hyperband_by_max_iter(void **state)
{
    struct reading_test t;
    const struct early *e;

    (void)state;
    test_read_well(&t, HEAD "{type: hyperband, max_iter: 27, s: 2}\n");
    e = &t.plan->early;
    assert_true(e->kind == EARLY_HYPERBAND);
    assert_true(e->max_iter == 27 && e->s == 2 && e->eta == 3);
    assert_false(e->strict);
    assert_int_equal(early_level(e, 0), 3);
    assert_int_equal(early_level(e, 1), 9);
    assert_int_equal(early_level(e, 2), 0);
    test_done(&t);
}

static void hyperband_by_min_iter(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t,
                   HEAD "{type: hyperband, min_iter: 3, eta: 2, strict: yes}");
    assert_true(t.plan->early.min_iter == 3 && t.plan->early.eta == 2);
    assert_true(t.plan->early.strict);
    assert_int_equal(early_level(&t.plan->early, 0), 3);
    assert_int_equal(early_level(&t.plan->early, 3), 24);
    test_done(&t);
}

static void asha_and_median_are_read(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "{type: asha, max_iter: 81}");
    assert_true(t.plan->early.kind == EARLY_ASHA);
    assert_true(t.plan->early.min_iter == 1 && t.plan->early.max_iter == 81);
    assert_true(t.plan->early.promote && t.plan->early.brackets == 1);
    test_done(&t);
    test_read_well(&t, HEAD "{type: asha, min_iter: 2, max_iter: 20, "
                            "promote: false, brackets: 2}");
    assert_false(t.plan->early.promote);
    assert_int_equal(t.plan->early.brackets, 2);
    assert_int_equal(early_level(&t.plan->early, 0), 2);
    assert_int_equal(early_level(&t.plan->early, 2), 18);
    assert_int_equal(early_level(&t.plan->early, 3), 20);
    assert_int_equal(early_level(&t.plan->early, 4), 0);
    test_done(&t);
    test_read_well(&t, HEAD "{type: median, warmup_steps: 5, percentile: 25}");
    assert_true(t.plan->early.kind == EARLY_MEDIAN);
    assert_true(t.plan->early.warmup_steps == 5);
    assert_true(t.plan->early.warmup_trials == 5);
    assert_true(t.plan->early.percentile == 25);
    test_done(&t);
}

static void rules_of_one_trial_are_read(void **state)
{
    struct reading_test t;
    const struct stoprule *r;

    (void)state;
    test_read_well(&t, HEAD "{type: patience, patience: 5, min_delta: 0.1}");
    r = &t.plan->early.rule;
    assert_true(t.plan->early.kind == EARLY_RULE);
    assert_true(r->kind == STOPRULE_PATIENCE && r->patience == 5);
    assert_true(r->min_delta == 0.1);
    test_done(&t);
    test_read_well(&t, HEAD "{type: threshold, threshold: 2.5, from: 10}");
    r = &t.plan->early.rule;
    assert_true(r->kind == STOPRULE_THRESHOLD && r->threshold == 2.5);
    assert_int_equal(r->from, 10);
    test_done(&t);
    test_read_well(&t, HEAD "{type: time, time: 5m}");
    r = &t.plan->early.rule;
    assert_true(r->kind == STOPRULE_TIME && r->seconds == 300);
    test_done(&t);
}

static void mistakes_are_named(void **state)
{
    static const char *const rows[][2] = {
        {"5", "early_terminate must be an object"},
        {"{type: hyperbnd}", "5:25: error: early_terminate.type cannot be "
                             "'hyperbnd' (did you mean 'hyperband'?)"},
        {"{type: hyperband}", "type hyperband needs min_iter or max_iter"},
        {"{type: hyperband, max_iter: 27}", "type hyperband needs s"},
        {"{type: hyperband, min_iter: 0}",
         "early_terminate.min_iter must be at least 1, not 0"},
        {"{type: hyperband, min_iter: 1, eta: 1}",
         "early_terminate.eta must be at least 2"},
        {"{type: hyperband, min_iter: 1, strict: 1}",
         "early_terminate.strict must be true or false, not 1"},
        {"{type: hyperband, miniter: 1}",
         "early_terminate has no key 'miniter' (did you mean 'min_iter'?)"},
        {"{type: hyperband, min_iter: 1, max_iter: 9, s: 2}",
         "warning: early_terminate.min_iter is not used beside max_iter"},
        {"{type: asha}", "type asha needs max_iter"},
        {"{type: asha, min_iter: 9, max_iter: 3}", "max_iter is below"},
        {"{type: median, percentile: 100}", "between 0 and 100"},
        {"{type: patience}", "type patience needs patience"},
        {"{type: patience, patience: 0}", "must be at least 1, not 0"},
        {"{type: patience, patience: 1, min_delta: -1}", "below 0"},
        {"{type: threshold}", "type threshold needs threshold"},
        {"{type: time}", "type time needs time"},
        {"{type: time, time: never}", "early_terminate.time must be a time"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[512];

        snprintf(text, sizeof(text), HEAD "%s\n", rows[i][0]);
        test_says(text, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hyperband_by_max_iter),
        cmocka_unit_test(hyperband_by_min_iter),
        cmocka_unit_test(asha_and_median_are_read),
        cmocka_unit_test(rules_of_one_trial_are_read),
        cmocka_unit_test(mistakes_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
