/* test_state.c - names of states, outcomes and decisions, there and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "terms/state.h"

static void every_state_reads_back_from_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < STATE_COUNT; i++) {
        enum state read = STATE_COUNT;
        const char *name = state_name((enum state)i);
        assert_true(state_parse(str_of(name), &read));
        assert_int_equal(read, i);
    }
    assert_string_equal(state_name(STATE_TIMED_OUT), "timed_out");
}

static void every_outcome_reads_back_from_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        enum outcome read = OUTCOME_COUNT;
        const char *name = outcome_name((enum outcome)i);
        assert_true(outcome_parse(str_of(name), &read));
        assert_int_equal(read, i);
    }
    assert_string_equal(outcome_name(OUTCOME_CHECKPOINTED), "checkpointed");
}

static void other_words_are_no_states(void **state)
{
    (void)state;
    enum state s = STATE_PAUSED;
    enum outcome o = OUTCOME_LOST;
    const char *const words[] = {"", "Done", "done ", "don", "unknown"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        assert_false(state_parse(str_of(words[i]), &s));
        assert_false(outcome_parse(str_of(words[i]), &o));
    }
    assert_int_equal(s, STATE_PAUSED);
    assert_int_equal(o, OUTCOME_LOST);
}

static void numbers_out_of_range_have_a_name_too(void **state)
{
    (void)state;
    assert_string_equal(state_name((enum state)99), "unknown");
    assert_string_equal(outcome_name((enum outcome)99), "unknown");
}

static void final_and_bad_states_are_told_apart(void **state)
{
    (void)state;
    const enum state going[] = {STATE_WAITING, STATE_RUNNING, STATE_PAUSED};
    const enum state good[] = {STATE_DONE, STATE_STOPPED};
    const enum state bad[] = {STATE_FAILED, STATE_INVALID, STATE_TIMED_OUT,
                              STATE_KILLED, STATE_DIVERGED};
    for (size_t i = 0; i < 3; i++)
        assert_true(!state_final(going[i]) && !state_bad(going[i]));
    for (size_t i = 0; i < 2; i++)
        assert_true(state_final(good[i]) && !state_bad(good[i]));
    for (size_t i = 0; i < 5; i++)
        assert_true(state_final(bad[i]) && state_bad(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_reads_back_from_its_name),
        cmocka_unit_test(every_outcome_reads_back_from_its_name),
        cmocka_unit_test(other_words_are_no_states),
        cmocka_unit_test(numbers_out_of_range_have_a_name_too),
        cmocka_unit_test(final_and_bad_states_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
