/* test_bulk_outlook.c - what an inference of a campaign will be, in a line */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "study/study.h"
#include "view/view.h"

static void check_line(const struct bulk_outlook *o, const char *wanted)
{
    struct buf b;
    buf_init(&b);
    bulk_outlook_print(&b, o);
    assert_string_equal(b.p, wanted);
    buf_done(&b);
}

static void what_is_known_is_multiplied(void **state)
{
    (void)state;
    struct bulk_outlook o = {
        .rows = 1000, .models = 20, .samples = 30, .core_s = 7200};
    check_line(&o, "1000 rows × 20 models × 30 samples = 600000 predictions, "
                   "2h of one core (2 hours)");
    o = (struct bulk_outlook){.rows = 1, .samples = 1, .of_command = true};
    check_line(&o, "1 row = 1 prediction");
}

static void what_results_decide_is_a_bound(void **state)
{
    (void)state;
    struct bulk_outlook o = {.rows = 10,
                             .models = 3,
                             .models_told = "those that pass lr>1",
                             .maker = "search",
                             .samples = 1};
    check_line(&o, "10 rows × up to 3 models (those that pass lr>1) = up to 30 "
                   "predictions");
}

static void what_is_not_known_yet_is_said(void **state)
{
    (void)state;
    struct bulk_outlook o = {
        .rows_told = "made.csv is not there", .models = 2, .samples = 4};
    check_line(&o, "rows (made.csv is not there) × 2 models × 4 samples; the "
                   "rest is known when the stages before it are done");
    o = (struct bulk_outlook){.rows = 5,
                              .models_told = "those that are done",
                              .maker = "open",
                              .samples = 1};
    check_line(&o, "5 rows × models (those that are done of open); the rest is "
                   "known when the stages before it are done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_multiplied),
        cmocka_unit_test(what_results_decide_is_a_bound),
        cmocka_unit_test(what_is_not_known_yet_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
