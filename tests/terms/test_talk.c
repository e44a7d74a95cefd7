/* test_talk.c - requests of the conversation with an optimizer */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/talk.h"
#include "../one_arena.h"

static struct talk read_one(const char *line)
{
    struct talk t;
    struct err err = {0};
    if (talk_read(&t, str_of(line), arena, &err))
        fail_msg("%s: %s", line, err.text);
    return t;
}

static void refuses(const char *line, const char *why)
{
    struct talk t;
    struct err err = {0};
    assert_int_equal(talk_read(&t, str_of(line), arena, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("%s: '%s' does not hold '%s'", line, err.text, why);
}

static void every_request_is_read(void **state)
{
    (void)state;
    struct talk t = read_one("{\"ask\":2}");
    assert_int_equal(t.kind, TALK_ASK);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.first, -1);
    t = read_one(" {\"ask\":3, \"first\":7} ");
    assert_int_equal(t.first, 7);
    t = read_one("{\"report\":4,\"step\":3,\"value\":0.5}");
    assert_int_equal(t.kind, TALK_REPORT);
    assert_int_equal(t.id, 4);
    assert_int_equal(t.step, 3);
    assert_true(t.value == 0.5);
    t = read_one("{\"best\":5}");
    assert_int_equal(t.kind, TALK_BEST);
    assert_int_equal(t.count, 5);
    t = read_one("{\"study\":{\"version\":1}}");
    assert_int_equal(t.kind, TALK_STUDY);
}

static void a_result_has_a_value_or_values_or_a_state(void **state)
{
    (void)state;
    struct talk t = read_one("{\"tell\":0,\"value\":0.31}");
    assert_int_equal(t.kind, TALK_TELL);
    assert_int_equal(t.state, STATE_DONE);
    assert_true(t.value == 0.31);
    t = read_one("{\"tell\":1,\"values\":[1,2.5],\"constraints\":[-1,0.5]}");
    assert_int_equal(t.value_count, 2);
    assert_true(t.value == 1 && t.values[1] == 2.5);
    assert_int_equal(t.constraint_count, 2);
    assert_true(t.constraints[1] == 0.5);
    t = read_one("{\"tell\":2,\"state\":\"failed\"}");
    assert_int_equal(t.state, STATE_FAILED);
    assert_true(isnan(t.value));
    t = read_one("{\"told\":{\"id\":3,\"params\":{\"x\":1},\"value\":2}}");
    assert_int_equal(t.kind, TALK_TOLD);
    assert_int_equal(t.id, 3);
    assert_true(value_number(value_get(t.params, STR("x"))) == 1);
    t = read_one("{\"told\":{\"params\":{},\"value\":2}}");
    assert_int_equal(t.id, -1);
}

static void numbers_that_are_none_may_be_said_in_any_way(void **state)
{
    (void)state;
    assert_true(isnan(read_one("{\"tell\":0,\"value\":null}").value));
    assert_true(isnan(read_one("{\"tell\":0,\"value\":NaN}").value));
    assert_true(isnan(read_one("{\"tell\":0,\"value\":\"NaN\"}").value));
    assert_true(isinf(read_one("{\"tell\":0,\"value\":Infinity}").value));
    assert_true(read_one("{\"tell\":0,\"value\":\"-Infinity\"}").value < 0);
}

static void a_mistake_is_named(void **state)
{
    (void)state;
    refuses("", "request");
    refuses("{\"ask\":2", "request");
    refuses("[1]", "an object");
    refuses("{}", "none");
    refuses("{\"ask\":1,\"best\":1}", "several");
    refuses("{\"ask\":0}", "ask must be at least 1, not 0");
    refuses("{\"ask\":1.5}", "whole number");
    refuses("{\"ask\":99999999}", "ask must be at most");
    refuses("{\"tell\":0}", "needs a value");
    refuses("{\"tell\":0,\"vale\":1}", "did you mean \"value\"");
    refuses("{\"tell\":0,\"value\":1,\"values\":[1]}", "not both");
    refuses("{\"tell\":0,\"values\":[]}", "list of numbers");
    refuses("{\"tell\":0,\"value\":\"low\"}", "must be a number");
    refuses("{\"tell\":0,\"state\":\"running\"}", "state must be");
    refuses("{\"tell\":-1,\"value\":1}", "must be at least 0");
    refuses("{\"report\":0,\"step\":1}", "needs a value");
    refuses("{\"told\":{\"value\":1}}", "params");
    refuses("{\"told\":3}", "object");
    refuses("{\"study\":3}", "object");
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"ask\":2}\n",
        "{\"ask\":2,\"first\":5}\n",
        "{\"report\":0,\"step\":3,\"value\":0.5}\n",
        "{\"tell\":0,\"value\":0.31}\n",
        "{\"tell\":0,\"value\":null}\n",
        "{\"tell\":0,\"value\":\"Infinity\"}\n",
        "{\"tell\":0,\"state\":\"failed\"}\n",
        "{\"tell\":0,\"values\":[1.0,null],\"constraints\":[0.5],\"step\":9}\n",
        "{\"best\":5}\n",
        "{\"told\":{\"id\":3,\"params\":{\"x\":[1,\"a\"]},\"value\":2.0}}\n",
        "{\"study\":{\"version\":1}}\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct talk t = read_one(lines[i]);
        struct buf b;
        buf_init(&b);
        talk_print(&b, &t);
        assert_string_equal(b.p, lines[i]);
        buf_done(&b);
    }
}

static void decisions_have_names(void **state)
{
    (void)state;
    enum decision d;
    assert_true(decision_parse(STR("pause"), &d) && d == DECISION_PAUSE);
    assert_false(decision_parse(STR("halt"), &d));
    assert_string_equal(decision_name(DECISION_STOP), "stop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_read),
        cmocka_unit_test(a_result_has_a_value_or_values_or_a_state),
        cmocka_unit_test(numbers_that_are_none_may_be_said_in_any_way),
        cmocka_unit_test(a_mistake_is_named),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(decisions_have_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
