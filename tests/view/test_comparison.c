/* test_comparison.c - in what trials differ */
#include "view/view.h"

#include "../store/made_store.h"

static void make_study(struct made *m)
{
    made_trial(m, 1, "{\"lr\":0.1,\"opt\":\"sgd\"}", STATE_DONE, 3);
    made_trial(m, 2, "{\"lr\":0.2,\"opt\":\"sgd\"}", STATE_DONE, 3);
    made_trial(m, 3, "{\"lr\":0.1,\"opt\":\"sgd\"}", STATE_DONE, 3);
}

static void only_what_differs_has_a_line(void **state)
{
    struct made *m = *state;
    static const char *const both[] = {"1", "2"};
    struct comparison c;
    make_study(m);
    assert_ok(m, comparison_read(&c, m->s, both, 2, false, m->a, &m->err));
    assert_int_equal(c.count, 2);
    assert_int_equal(c.lines.len, 1);
    assert_string_equal(c.lines.p[0].section, "params");
    assert_true(str_is(c.lines.p[0].name, "lr"));
    assert_string_equal(c.lines.p[0].cells[0], "0.1");
    assert_string_equal(c.lines.p[0].cells[1], "0.2");
    comparison_done(&c);
    assert_ok(m, comparison_read(&c, m->s, both, 2, true, m->a, &m->err));
    assert_true(c.lines.len > 2);
    comparison_done(&c);
}

static void the_json_has_a_section_for_each_kind(void **state)
{
    struct made *m = *state;
    static const char *const all[] = {"1-2"}, *const same[] = {"1", "3"};
    struct comparison c;
    struct buf b;
    buf_init(&b);
    make_study(m);
    assert_ok(m, comparison_read(&c, m->s, all, 1, false, m->a, &m->err));
    comparison_json(&b, &c, "mine", 0);
    assert_string_equal(b.p,
                        "{\"schema\":\"throng.diff/1\",\"study\":\"mine\","
                        "\"trials\":[1,2],\"params\":{\"lr\":[0.1,0.2]}}\n");
    comparison_done(&c);
    buf_reset(&b);
    assert_ok(m, comparison_read(&c, m->s, same, 2, false, m->a, &m->err));
    comparison_json(&b, &c, "mine", 0);
    assert_string_equal(b.p, "{\"schema\":\"throng.diff/1\",\"study\":\"mine\","
                             "\"trials\":[1,3]}\n");
    comparison_done(&c);
    buf_done(&b);
}

static void one_trial_alone_is_refused(void **state)
{
    struct made *m = *state;
    static const char *const one[] = {"1"}, *const none[] = {"9", "1"};
    struct comparison c;
    make_study(m);
    assert_int_equal(comparison_read(&c, m->s, one, 1, false, m->a, &m->err),
                     -1);
    assert_int_equal(m->err.kind, ERR_USAGE);
    comparison_done(&c);
    assert_int_equal(comparison_read(&c, m->s, none, 2, false, m->a, &m->err),
                     -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    comparison_done(&c);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(only_what_differs_has_a_line),
        with_store(the_json_has_a_section_for_each_kind),
        with_store(one_trial_alone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
