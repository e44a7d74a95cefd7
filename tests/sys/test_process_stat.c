#include "scratch.h"

#include "sys/process_stat.h"

#define TAIL                                                                   \
    " S 1 20 300 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654321 4096 12 "     \
    "18446744073709551615 1 1\n"

static void the_fields_that_we_need_are_read(void **state)
{
    (void)state;
    struct process_info i = {0};
    assert_true(stat_parse(STR("4000 (sleep)" TAIL), &i));
    assert_int_equal(i.pid, 4000);
    assert_int_equal(i.state, 'S');
    assert_int_equal(i.parent, 1);
    assert_int_equal(i.group, 20);
    assert_int_equal(i.session, 300);
    assert_int_equal(i.start, 987654321);
    assert_int_equal(i.rss_bytes, 12 * sysconf(_SC_PAGESIZE));
    double ticks = i.cpu_s * (double)sysconf(_SC_CLK_TCK);
    assert_int_equal((int)(ticks + 0.5), 5 + 6 + 7 + 8);
}

static void a_name_may_hold_blanks_and_parentheses(void **state)
{
    (void)state;
    struct process_info i = {0};
    assert_true(stat_parse(STR("7 (a) R 9 (b ) c)" TAIL), &i));
    assert_int_equal(i.pid, 7);
    assert_int_equal(i.state, 'S');
    assert_int_equal(i.start, 987654321);
    assert_true(stat_parse(STR("7 (\n))" TAIL), &i));
    assert_int_equal(i.session, 300);
}

static void a_cut_line_is_refused(void **state)
{
    (void)state;
    struct str whole = STR("4000 (sleep) S 1 20 300 0 -1 4194560 1 2 3 4 5 6 7 "
                           "8 20 0 1 0 987654321 4096 ");
    for (size_t len = 0; len <= whole.len; len++) {
        struct process_info i = {.pid = 1};
        assert_false(stat_parse(str_n(whole.p, len), &i));
        assert_int_equal(i.pid, 1);
    }
}

static void a_process_that_is_not_there_is_told(void **state)
{
    (void)state;
    struct process_info i;
    assert_false(stat_of(0x7ffffff0, &i));
    assert_true(stat_of(getpid(), &i));
    assert_int_equal(i.parent, getppid());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_that_we_need_are_read),
        cmocka_unit_test(a_name_may_hold_blanks_and_parentheses),
        cmocka_unit_test(a_cut_line_is_refused),
        cmocka_unit_test(a_process_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
