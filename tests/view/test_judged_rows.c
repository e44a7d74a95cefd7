/* test_judged_rows.c - predictions beside truths, by group and by size */
#include "view/view.h"

#include <math.h>

#include "base/json.h"
#include "../sys/scratch.h"

static struct judged_asked asked(struct scratch *s, const char *predictions)
{
    scratch_file(s, "task/output/predictions.csv", predictions);
    return (struct judged_asked){
        .folder = scratch_path(s, "task"),
        .model = STR("{\"data\":{\"file\":\"rows.csv\",\"separator\":\";\"}}"),
        .workdir = str_of(s->root)};
}

static const struct value *judge(struct scratch *s,
                                 const struct judged_asked *q)
{
    struct err err = {0};
    const struct value *v = judged_rows(q, s->arena, &err);
    if (!v)
        fail_msg("%s", err.text);
    return v;
}

static void assert_refused(struct scratch *s, const struct judged_asked *q,
                           const char *why)
{
    struct err err = {0};
    assert_null(judged_rows(q, s->arena, &err));
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static double figure(const struct value *v, const char *list, size_t i,
                     const char *name)
{
    const struct value *one = value_at(value_get(v, str_of(list)), i);
    return value_number(value_get(one, str_of(name)));
}

#define NUMBERS "row,label,predicted\n1,5,4\n2,1,1\n3,3,6\n4,nan,0\n"

static void the_largest_are_counted(void **state)
{
    struct judged_asked q = asked(*state, NUMBERS);
    q.k_rank = "1, 2,4";
    const struct value *v = judge(*state, &q);
    assert_null(value_get(v, STR("groups")));
    assert_int_equal(value_get(v, STR("k_rank"))->count, 3);
    /* Row 1 is the largest, and row 3 is said to be. */
    assert_true(figure(v, "k_rank", 0, "share") == 0);
    assert_true(figure(v, "k_rank", 1, "k") == 2);
    assert_true(figure(v, "k_rank", 1, "share") == 1);
    assert_true(figure(v, "k_rank", 2, "share") == 1);
    q.k_rank = "5";
    assert_refused(*state, &q, "from 1 to the 4 rows, not 5");
    q.k_rank = "0";
    assert_refused(*state, &q, "from 1 to the 4 rows, not 0");
}

/* Rows whose truth equals that of the k-th are all large enough, and answers
 * that do share the places that are left, in whatever order they stand. */
static void equal_numbers_do_not_go_by_the_order_of_rows(void **state)
{
    static const char *const tables[] = {
        "row,label,predicted\n1,3,7\n2,3,7\n3,3,7\n4,1,9\n",
        "row,label,predicted\n1,1,9\n2,3,7\n3,3,7\n4,3,7\n",
        "row,label,predicted\n1,3,5\n2,3,5\n3,1,5\n4,1,5\n",
        "row,label,predicted\n1,1,5\n2,1,5\n3,3,5\n4,3,5\n"};
    for (size_t i = 0; i < 4; i++) {
        struct judged_asked q = asked(*state, tables[i]);
        q.k_rank = "2";
        assert_true(figure(judge(*state, &q), "k_rank", 0, "share") == 0.5);
    }
}

static void groups_are_judged_by_the_column_of_their_rows(void **state)
{
    struct judged_asked q = asked(*state, "row,label,predicted\n"
                                          "4,5,4\n2,1,1\n3,3,6\n9,2,2\n");
    scratch_file(*state, "rows.csv", "site;y\na;0\nb;1\na;3\nb;5\n");
    q.by = "site";
    const struct value *v = judge(*state, &q);
    assert_null(value_get(v, STR("k_rank")));
    const struct value *groups = value_get(v, STR("groups"));
    assert_int_equal(groups->count, 3);
    /* A row that the table has not got is of no group. */
    assert_true(str_is(value_text(value_at(groups, 0)->items[0]), ""));
    assert_true(str_is(value_text(value_at(groups, 1)->items[0]), "a"));
    assert_true(figure(v, "groups", 1, "mae") == 3);
    assert_true(isnan(figure(v, "groups", 1, "r2"))); /* one row spreads not */
    assert_true(figure(v, "groups", 2, "rows") == 2);
    assert_true(fabs(figure(v, "groups", 2, "rmse") - sqrt(0.5)) < 1e-12);
    assert_true(fabs(figure(v, "groups", 2, "r2") - (1 - 1.0 / 8)) < 1e-12);
    q.by = "sites";
    assert_refused(*state, &q, "no column sites; did you mean site?");
    q.model = STR("{\"data\":{\"inputs\":\"x.npy\"}}");
    assert_refused(*state, &q, "a column of a table");
}

static void classes_have_an_accuracy_and_no_largest(void **state)
{
    struct judged_asked q =
        asked(*state, "row,label,predicted\n1,cat,cat\n2,dog,cat\n");
    scratch_file(*state, "rows.csv", "site\na\na\n");
    q.by = "site";
    assert_true(figure(judge(*state, &q), "groups", 0, "accuracy") == 0.5);
    q.k_rank = "1";
    assert_refused(*state, &q, "of numbers, not of classes");
}

static void classes_that_are_called_0_and_1_are_no_numbers(void **state)
{
    struct judged_asked q =
        asked(*state, "row,label,predicted,p_0,p_1\n1,0,0,0.9,0.1\n"
                      "2,1,0,0.6,0.4\n");
    scratch_file(*state, "rows.csv", "site\na\na\n");
    q.by = "site";
    assert_true(figure(judge(*state, &q), "groups", 0, "accuracy") == 0.5);
    q.k_rank = "1";
    assert_refused(*state, &q, "of numbers, not of classes");
}

static void rows_of_several_labels_are_refused(void **state)
{
    struct judged_asked q = asked(*state, "row,predicted\n1,2\n");
    q.k_rank = "1";
    assert_refused(*state, &q, "need one label and one answer a row");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_largest_are_counted),
        scratch_test(equal_numbers_do_not_go_by_the_order_of_rows),
        scratch_test(groups_are_judged_by_the_column_of_their_rows),
        scratch_test(classes_have_an_accuracy_and_no_largest),
        scratch_test(classes_that_are_called_0_and_1_are_no_numbers),
        scratch_test(rows_of_several_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
