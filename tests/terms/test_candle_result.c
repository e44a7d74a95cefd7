/* test_candle_result.c - results as CANDLE's models print them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/candle_result.h"

static void line_is(const char *line, double value, const char *label)
{
    struct candle_result r = candle_result_line(str_of(line));
    if (r.says != CANDLE_NUMBER)
        fail_msg("no number in: %s", line);
    if (isnan(value) ? !isnan(r.value) : r.value != value)
        fail_msg("%.17g, not %.17g, in: %s", r.value, value, line);
    if (!str_is(r.label, label))
        fail_msg("label '%.*s', not '%s', in: %s", STRF(r.label), label, line);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    line_is("IMPROVE_RESULT 0.1234", 0.1234, "");
    line_is("IMPROVE_RESULT: 0.5", 0.5, "");
    line_is("IMPROVE_RESULT val_loss: 0.009", 0.009, "val_loss");
    line_is("IMPROVE_RESULT val_loss:\t0.009\n", 0.009, "val_loss");
    line_is("IMPROVE_RESULT -3", -3, "");
    line_is("IMPROVE_RESULT 1.5e-05", 1.5e-05, "");
    line_is("IMPROVE_RESULT r2 0.9", 0.9, "r2");
    line_is("IMPROVE_RESULT .5", 0.5, "");
    line_is("IMPROVE_RESULT nan", NAN, "");
    line_is("IMPROVE_RESULT val_loss=NaN", NAN, "val_loss");
    line_is("IMPROVE_RESULT -inf", -INFINITY, "");
    line_is("IMPROVE_RESULT 0.1 0.2", 0.1, "");
    line_is("CANDLE_RESULT 1e300", 1e300, "");
    line_is("12:30:01 INFO: CANDLE_RESULT acc = 0.75 (epoch 3)", 0.75, "acc");
    line_is("IMPROVE_RESULT loss tensor(0.25)", 0.25, "loss tensor");
    line_is("IMPROVE_RESULT {'top 5': 0.9}", 0.9, "top 5");
    line_is("IMPROVE_RESULT val_loss 1.5e-05 epoch: 3", 1.5e-05, "val_loss");
}

static void other_lines_say_nothing(void **state)
{
    static const char *const lines[] = {"",
                                        "val_loss 0.5",
                                        "IMPROVE_RESULTS 0.5",
                                        "MY_IMPROVE_RESULT 0.5",
                                        "IMPROVE_RESULT",
                                        "IMPROVE_RESULT none",
                                        "IMPROVE_RESULT val_loss:"};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct candle_result r = candle_result_line(str_of(lines[i]));
        if (r.says != CANDLE_NOTHING)
            fail_msg("it says something: %s", lines[i]);
    }
}

static void markers_are_known(void **state)
{
    (void)state;
    assert_int_equal(candle_result_text(STR("EXCEPTION\n")).says,
                     CANDLE_EXCEPTION);
    assert_int_equal(candle_result_text(STR(" RUN_EXCEPTION")).says,
                     CANDLE_EXCEPTION);
    assert_int_equal(candle_result_text(STR("SKIP")).says, CANDLE_SKIP);
    assert_int_equal(candle_result_text(STR("EPOCHS_COMPLETED_ALREADY")).says,
                     CANDLE_SKIP);
    assert_int_equal(candle_result_line(STR("IMPROVE_RESULT SKIP")).says,
                     CANDLE_SKIP);
    assert_int_equal(candle_result_text(STR("SKIPPED 3")).says, CANDLE_NUMBER);
    assert_int_equal(candle_result_text(STR("")).says, CANDLE_NOTHING);
    assert_true(candle_result_text(STR("0.125\n")).value == 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(other_lines_say_nothing),
        cmocka_unit_test(markers_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
