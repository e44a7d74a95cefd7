/* test_columns.c - what the numbers of predictions are called */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"
#include "ensemble/ensemble.h"

static const char *const outputs[] = {"high", "low", "mid"};
static const double quantiles[] = {0.05, 0.95};

static struct combine_rule rule_of(size_t members)
{
    return (struct combine_rule){.members = members,
                                 .samples = 1,
                                 .quantiles = quantiles,
                                 .quantile_count = 2};
}

static struct combine_head head_of(size_t width, bool classes)
{
    static const char *const several[] = {"p_high", "p_low", "p_mid"};
    static const char *const number[] = {"predicted"};
    return (struct combine_head){.width = width,
                                 .classes = classes,
                                 .names = {.prefix = "",
                                           .outputs = outputs,
                                           .columns = width > 1 ? several
                                                      : classes ? several + 1
                                                                : number}};
}

static void check_columns(const struct combine_rule *r,
                          const struct combine_head *heads, size_t count,
                          bool calibrated, const char *wanted)
{
    struct arena *a = arena_new();
    struct buf b;
    size_t found;
    const char **names =
        keep_columns(r, heads, count,
                     (struct keep_more){.calibrated = calibrated}, &found, a);
    buf_init(&b);
    for (size_t i = 0; i < found; i++)
        buf_addf(&b, "%s%s", i ? " " : "", names[i]);
    assert_string_equal(b.p, wanted);
    buf_done(&b);
    arena_free(a);
}

static void one_number_says_nothing_of_how_sure_it_is(void **state)
{
    (void)state;
    struct combine_rule one = rule_of(1), two = rule_of(2);
    struct combine_head h = head_of(1, false);
    check_columns(&one, &h, 1, false, "predicted");
    check_columns(&two, &h, 1, false,
                  "predicted sd epistemic aleatoric q0.05 q0.95");
    check_columns(&two, &h, 1, true,
                  "predicted sd epistemic aleatoric q0.05 q0.95 low high");
}

static void classes_have_probabilities_by_their_names(void **state)
{
    (void)state;
    struct combine_rule one = rule_of(1);
    struct combine_head three = head_of(3, true), two = head_of(1, true);
    check_columns(&one, &three, 1, false,
                  "p_high p_low p_mid entropy mutual_information");
    check_columns(&one, &two, 1, false, "p_low entropy mutual_information");
    check_columns(&one, &three, 1, true,
                  "p_high p_low p_mid entropy mutual_information in_high "
                  "in_low in_mid");
}

static void several_numbers_and_heads_are_told_apart(void **state)
{
    (void)state;
    struct combine_rule two = rule_of(2);
    struct combine_head heads[] = {head_of(2, false), head_of(1, true)};
    static const char *const sizes[] = {"size_p_high", "size_p_low"};
    static const char *const kinds[] = {"kind_p_low"};
    two.quantile_count = 0;
    heads[0].names.prefix = "size_";
    heads[0].names.columns = sizes;
    heads[1].names.prefix = "kind_";
    heads[1].names.columns = kinds;
    check_columns(&two, heads, 2, false,
                  "size_p_high size_p_low kind_p_low size_sd_high "
                  "size_epistemic_high size_aleatoric_high size_sd_low "
                  "size_epistemic_low size_aleatoric_low kind_entropy "
                  "kind_mutual_information");
}

static void heads_that_repeat_their_inputs_have_an_error(void **state)
{
    (void)state;
    struct combine_rule two = rule_of(2);
    struct combine_head h = head_of(1, false);
    struct arena *a = arena_new();
    size_t count;
    h.repeats = true;
    check_columns(
        &two, &h, 1, true,
        "predicted sd epistemic aleatoric q0.05 q0.95 low high error");
    keep_columns(&two, &h, 1, (struct keep_more){.product = true}, &count, a);
    assert_int_equal(count, 6);
    arena_free(a);
}

static void a_rule_that_cannot_be_bound_says_where_it_stands(void **state)
{
    (void)state;
    static const char text[] = "{\"top\": {\"by\": \"mean\", \"n\": 3},\n"
                               " \"also\": {\n"
                               "  \"by\": \"sdd\", \"n\": 2}}";
    static const char *const columns[] = {"predicted", "sd"};
    struct arena *a = arena_new();
    struct err err = {0};
    struct value *v = json_parse(a, str_of(text), "keep", true, &err);
    struct keep_rules *r = keep_rules_read(v, a, &err);
    assert_int_equal(keep_rules_bind(r, columns, 2, &err), -1);
    assert_string_equal(err.text, "keep: predictions have no column sdd; they "
                                  "have predicted, sd; did you mean sd?");
    r = keep_rules_read(value_string(a, STR("top:sdd:3")), a, &err);
    assert_int_equal(keep_rules_bind(r, columns, 2, &err), -1);
    assert_null(keep_rules_fault(r));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_says_nothing_of_how_sure_it_is),
        cmocka_unit_test(classes_have_probabilities_by_their_names),
        cmocka_unit_test(several_numbers_and_heads_are_told_apart),
        cmocka_unit_test(heads_that_repeat_their_inputs_have_an_error),
        cmocka_unit_test(a_rule_that_cannot_be_bound_says_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
