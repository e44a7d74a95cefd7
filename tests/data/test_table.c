/* test_table.c - columns of a table: inputs, labels, words, gaps */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

static const char people[] = "id,height,colour,weight,sex\n"
                             "p1,1.5,red,50,f\n"
                             "p2,1.8,blue,80,m\n"
                             "p3,1.6,red,60,f\n"
                             "p4,1.7,green,70,m\n";

static void the_last_column_is_the_label(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", people);
    struct data_set *s = files_set(
        &f, "{\"file\": \"t.csv\", \"ignore\": [\"id\", \"colour\"]}");
    const struct data_table *t = data_set_table(s);
    assert_int_equal(t->rows, 4);
    assert_int_equal(t->input_count, 1);
    assert_int_equal(t->inputs->columns, 2);
    assert_true(t->inputs->numbers[3] == 80);
    assert_true(str_is(t->labels->name, "sex"));
    assert_int_equal(t->labels->classes, 2);
    assert_true(str_is(t->labels->class_names[1], "m"));
    assert_int_equal(t->labels->categories[1], 1);
    assert_null(data_set_notice(s, 0));
    data_close(s);
    files_close(&f);
}

static void words_become_one_hot_with_a_notice(void **state)
{
    static const float wanted[] = {1.5f, 0, 0, 1, 50, 1.8f, 1, 0, 0, 80,
                                   1.6f, 0, 0, 1, 60, 1.7f, 0, 1, 0, 70};
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", people);
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"ignore\": \"id\"}");
    const struct data_table *t = data_set_table(s);
    assert_int_equal(t->inputs->columns, 5);
    assert_memory_equal(t->inputs->numbers, wanted, sizeof wanted);
    assert_non_null(strstr(data_set_notice(s, 0), "colour"));
    data_close(s);
    /* Asked for, it is no news; and numbers can be categories too. */
    s = files_set(&f, "{\"file\": \"t.csv\", \"ignore\": \"id\", "
                      "\"one_hot\": [\"colour\", \"weight\"]}");
    assert_int_equal(data_set_table(s)->inputs->columns, 1 + 3 + 4);
    assert_null(data_set_notice(s, 0));
    data_close(s);
    files_close(&f);
}

static void a_word_among_numbers_names_its_place(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,y,z\n1,2,0\n3,oops,1\n5,6,0\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv:3: column y: \"oops\" where a number belongs");
    files_text(&f, "x.csv", "1,2\n3,oops\n");
    files_text(&f, "y.txt", "0\n1\n");
    files_refuses(&f, "{\"inputs\": \"x.csv\", \"labels\": \"y.txt\"}",
                  "x.csv:2: column 2: \"oops\"");
    files_close(&f);
}

static void labels_may_be_many_and_wide(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", people);
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"ignore\": \"id\", \"label\": "
                      "[\"sex\", 4]}");
    const struct data_table *t = data_set_table(s);
    assert_int_equal(t->label_count, 2);
    assert_true(str_is(t->labels[1].name, "weight"));
    assert_true(t->labels[1].numbers[2] == 60);
    data_close(s);
    s = files_set(&f, "{\"file\": \"t.csv\", \"ignore\": \"id\", \"label\": "
                      "{\"body\": [\"height\", \"weight\"], \"who\": -1}}");
    t = data_set_table(s);
    assert_int_equal(t->label_count, 2);
    assert_true(str_is(t->labels[0].name, "body"));
    assert_int_equal(t->labels[0].columns, 2);
    assert_true(t->labels[0].numbers[3] == 80);
    assert_int_equal(t->labels[1].classes, 2);
    data_close(s);
    files_close(&f);
}

static void a_label_may_be_among_the_ignored_columns(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,a,b,c\n1,0,1,0\n2,1,1,1\n3,0,0,1\n");
    struct data_set *s = files_set(&f, "{\"file\": \"t.csv\", \"label\": "
                                       "\"b\", \"ignore\": [2, 3, 4]}");
    assert_int_equal(data_set_table(s)->inputs->columns, 1);
    assert_true(str_is(data_set_table(s)->labels->name, "b"));
    data_close(s);
    /* The last column is the label only where nothing else is said of it. */
    files_refuses(&f, "{\"file\": \"t.csv\", \"ignore\": [2, 3, 4]}",
                  "cannot be ignored and a label");
    files_close(&f);
}

static void labels_of_two_words_are_zero_and_one(void **state)
{
    static const float wanted[] = {0, 1, 0, 1, 0, 0, 0, 0, 3};
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,Asthma,Cough,n\n1,N,Y,0\n2,Y,N,0\n3,N,N,3\n");
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"label\": {\"what\": "
                      "[\"Asthma\", \"Cough\", \"n\"]}}");
    const struct data_field *y = data_set_table(s)->labels;
    assert_int_equal(y->columns, 3);
    assert_memory_equal(y->numbers, wanted, sizeof wanted);
    assert_true(str_is(y->column_names[1], "Cough"));
    assert_string_equal(data_set_notice(s, 0),
                        "data: labels Asthma and 2 more: N is 0, Y is 1");
    data_close(s);
    files_text(&f, "y.csv", "Asthma,Cough\nN,Y\nY,N\n");
    files_text(&f, "x.csv", "x\n1\n2\n");
    s = files_set(&f, "{\"inputs\": \"x.csv\", \"labels\": \"y.csv\", "
                      "\"header\": true}");
    assert_true(data_set_table(s)->labels->numbers[1] == 1);
    data_close(s);
    files_text(&f, "t.csv", "x,a,b\n1,N,Y\n2,Y,maybe\n3,N,N\n");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": {\"l\": [2, 3]}}",
                  "t.csv:3: column b: the label \"maybe\" beside \"N\" and "
                  "\"Y\"");
    files_text(&f, "t.csv", "x,a,b\n1,N,Y\n2,Y,\n3,N,N\n");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": {\"l\": [2, 3]}}",
                  "t.csv:3: column b: the label is missing");
    files_close(&f);
}

static void whole_numbers_are_classes(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "x.txt", "1\n2\n3\n4\n");
    files_text(&f, "from0.txt", "0\n3\n1\n3\n");
    files_text(&f, "from1.txt", "1\n4\n2\n1\n");
    files_text(&f, "signs.txt", "-1\n1\n1\n-1\n");
    files_text(&f, "reals.txt", "0.5\n1\n2\n3\n");
    struct data_set *s =
        files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": \"from0.txt\"}");
    assert_int_equal(data_set_table(s)->labels->classes, 4);
    assert_int_equal(data_set_table(s)->labels->categories[1], 3);
    data_close(s);
    s = files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": \"from1.txt\"}");
    assert_int_equal(data_set_table(s)->labels->classes, 3);
    assert_int_equal(data_set_table(s)->labels->categories[1], 2);
    assert_true(data_set_table(s)->labels->numbers[1] == 4);
    data_close(s);
    s = files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": \"signs.txt\"}");
    assert_int_equal(data_set_table(s)->labels->classes, 2);
    assert_int_equal(data_set_table(s)->labels->categories[0], 0);
    data_close(s);
    s = files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": \"reals.txt\"}");
    assert_int_equal(data_set_table(s)->labels->classes, 0);
    data_close(s);
    files_refuses(&f,
                  "{\"inputs\": \"x.txt\", \"labels\": \"from0.txt\", "
                  "\"classes\": 3}",
                  "from0.txt:2: column 1: the label 3 is outside 0 to 2");
    s = files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": \"from0.txt\", "
                      "\"classes\": 10}");
    assert_int_equal(data_set_table(s)->labels->classes, 10);
    data_close(s);
    files_close(&f);
}

static const char gaps[] = "a,b,c,y\n1,2,x,0\n3,NA,y,1\n,6,?,0\n7,8,x,1\n";

static void missing_values_are_refused_unless_said(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", gaps);
    files_refuses(&f, "{\"file\": \"t.csv\", \"ignore\": \"c\"}",
                  "t.csv:3: column b: the value is missing");
    files_refuses(&f, "{\"file\": \"t.csv\", \"ignore\": [\"a\", \"b\"]}",
                  "t.csv:4: column c: the value is missing");
    files_refuses(&f, "{\"file\": \"t.csv\", \"missing\": \"maen\"}",
                  "data.missing must be");
    files_text(&f, "u.csv", "a,y\n1,0\n2,\n");
    files_refuses(&f, "{\"file\": \"u.csv\"}",
                  "u.csv:3: column y: the label is missing");
    files_close(&f);
}

static void numbers_that_are_not_finite_name_their_place(void **state)
{
    static const char *const bad[] = {"inf",  "-inf",    "Infinity",
                                      "1e39", "-3.5e38", "1e400"};
    struct files f;
    (void)state;
    files_open(&f);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        files_text(
            &f, "t.csv",
            arena_printf(f.arena, "a,b,y\n1,2,0\n3,%s,1\n5,6,0\n", bad[i]));
        files_refuses(
            &f, "{\"file\": \"t.csv\", \"scale\": \"std\"}",
            arena_printf(f.arena, "t.csv:3: column b: %s is infinite", bad[i]));
        files_refuses(
            &f, "{\"file\": \"t.csv\", \"label\": \"b\"}",
            arena_printf(f.arena, "column b: the label %s is inf", bad[i]));
        files_refuses(&f, "{\"file\": \"t.csv\", \"weight\": \"b\"}",
                      "t.csv:3: column b: a weight must be a finite");
        files_refuses(&f,
                      "{\"file\": \"t.csv\", \"label\": {\"l\": "
                      "[\"b\", \"y\"]}}",
                      "t.csv:3: column b: the label ");
        data_close(files_set(&f, "{\"file\": \"t.csv\", \"ignore\": \"b\"}"));
    }
    files_close(&f);
}

static void missing_rules_numbers_that_are_not_finite(void **state)
{
    static const char mean[] = "{\"file\": \"t.csv\", \"missing\": \"mean\", "
                               "\"scale\": \"std\"}";
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b,y\n1,2,0\n3,inf,1\n5,6,0\n");
    struct data_set *s = files_set(&f, mean);
    struct data_view v = files_view(&f, s, mean, 1);
    assert_true(v.table->inputs->numbers[3] == 4);
    assert_true(isfinite(v.scale[0][1]));
    assert_string_equal(data_set_notice(s, 0),
                        "data: 1 number is infinite or beyond 3.4e38: taken "
                        "as missing");
    data_close(s);
    s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": 0}");
    assert_true(data_set_table(s)->inputs->numbers[3] == 0);
    data_close(s);
    s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": \"drop\"}");
    assert_int_equal(data_set_table(s)->rows, 2);
    data_close(s);
    files_close(&f);
}

static void missing_values_can_be_zero_or_dropped(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", gaps);
    struct data_set *s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": 0}");
    const struct data_table *t = data_set_table(s);
    static const float zeros[] = {1, 2, 1, 0, 3, 0, 0, 1,
                                  0, 6, 0, 0, 7, 8, 1, 0};
    assert_int_equal(t->inputs->columns, 4);
    assert_memory_equal(t->inputs->numbers, zeros, sizeof zeros);
    data_close(s);
    s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": \"drop\"}");
    t = data_set_table(s);
    static const float kept[] = {1, 2, 1, 7, 8, 1};
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->inputs->columns, 3);
    assert_memory_equal(t->inputs->numbers, kept, sizeof kept);
    assert_int_equal(t->labels->categories[1], 1);
    assert_non_null(strstr(data_set_notice(s, 1), "2 of 4 rows"));
    data_close(s);
    files_close(&f);
}

static void means_are_of_training_rows_only(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,y\n1,0\n3,1\nNA,0\n");
    files_text(&f, "v.csv", "a,y\n1000,0\nNA,1\n");
    static const char spec[] = "{\"train\": \"t.csv\", \"validation\": "
                               "\"v.csv\", \"missing\": \"mean\"}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    static const float filled[] = {1, 3, 2, 1000, 2};
    assert_int_equal(v.train.count, 3);
    assert_int_equal(v.validation.count, 2);
    assert_memory_equal(v.table->inputs->numbers, filled, sizeof filled);
    data_close(s);
    files_close(&f);
}

static void weights_and_groups_are_no_inputs(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,w,g,y\n1,0.5,u,0\n2,2,v,1\n3,1,u,0\n");
    static const char spec[] =
        "{\"file\": \"t.csv\", \"weight\": \"w\", \"group\": \"g\"}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    assert_int_equal(v.table->inputs->columns, 1);
    assert_true(v.row_weights[1] == 2);
    data_close(s);
    files_refuses(&f,
                  "{\"file\": \"t.csv\", \"weight\": \"w\", \"ignore\": "
                  "\"w\"}",
                  "cannot be ignored and a weight");
    files_close(&f);
}

static void an_autoencoder_learns_its_scaled_input(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b\n0,10\n1,20\n2,30\n");
    static const char spec[] =
        "{\"file\": \"t.csv\", \"label\": \"inputs\", \"scale\": \"minmax\"}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    static const float wanted[] = {0, 0, 0.5f, 0.5f, 1, 1};
    assert_int_equal(v.table->inputs->columns, 2);
    assert_int_equal(v.table->labels->columns, 2);
    assert_memory_equal(v.table->labels->numbers, wanted, sizeof wanted);
    data_close(s);
    files_close(&f);
}

static void keys_that_would_be_passed_over_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"{\"file\": \"no.csv\", \"train\": \"t.csv\"}",
         "data: `file` and `train` both say what to train on"},
        {"{\"inputs\": \"x\", \"train\": {\"inputs\": \"x\"}}",
         "data: `inputs` and `train` both"},
        {"{\"file\": \"t.csv\", \"train\": 0.8}", "data.train must be a file"},
        {"{\"file\": \"t.csv\", \"labels\": \"y.npy\"}",
         "data.labels goes with inputs"},
        {"{\"train\": {\"file\": \"t.csv\", \"labels\": \"y\"}}",
         "data.labels goes with inputs"},
        {"{\"train\": {\"file\": \"t.csv\", \"group\": \"a\"}}",
         "data.train.group: the group of a table is a column"},
        {"{\"inputs\": \"x\", \"label\": \"y\"}", "say labels: FILE"},
        {"{\"inputs\": \"x\", \"labels\": \"y\", \"label\": \"inputs\"}",
         "data.label is a column of a table"},
        {"{\"inputs\": \"x\", \"labels\": \"y\", \"weight\": 1}",
         "data.weight names columns of a table"},
        {"{\"train\": {\"inputs\": \"x\"}, \"labels\": \"y\"}",
         "data.labels beside train"},
        {"{\"train\": {\"inputs\": \"x\"}, \"group\": \"y\"}",
         "data.group beside train"},
    };
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b\n1,0\n2,1\n");
    files_text(&f, "x", "1\n2\n");
    files_text(&f, "y", "0\n1\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        files_refuses(&f, bad[i][0], bad[i][1]);
    files_close(&f);
}

static void an_input_in_a_file_may_be_its_own_label(void **state)
{
    static const char *const ways[] = {
        "{\"inputs\": \"x\", \"label\": \"inputs\", \"scale\": \"maxabs\"}",
        "{\"inputs\": \"x\", \"labels\": \"inputs\", \"scale\": \"maxabs\"}",
        "{\"train\": {\"inputs\": \"x\"}, \"label\": \"inputs\", \"scale\": "
        "\"maxabs\"}",
        "{\"train\": {\"inputs\": \"x\"}, \"labels\": \"inputs\", "
        "\"scale\": \"maxabs\"}",
        "{\"train\": {\"inputs\": \"x\", \"labels\": \"inputs\"}, "
        "\"scale\": \"maxabs\"}",
    };
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "x", "1\n2\n");
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        struct data_set *s = files_set(&f, ways[i]);
        struct data_view v = files_view(&f, s, ways[i], 1);
        assert_int_equal(v.table->label_count, 1);
        assert_true(v.table->labels->numbers[0] == 0.5f);
        data_close(s);
    }
    files_close(&f);
}

static void a_column_of_names_is_told_by_its_own(void **state)
{
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    buf_init(&b);
    buf_adds(&b, "who,x,y\n");
    for (int i = 0; i < 1001; i++)
        buf_addf(&b, "p%d,%d,%d\n", i, i, i % 2);
    files_text(&f, "t.csv", b.p);
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv: column who has 1001 different words; is it a name "
                  "of the row?");
    assert_int_equal(f.err.kind, ERR_INPUT); /* not for want of memory */
    buf_done(&b);
    files_close(&f);
}

static void unknown_keys_and_columns_suggest(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", people);
    files_refuses(&f, "{\"file\": \"t.csv\", \"lable\": \"sex\"}",
                  "data: there is no key lable; did you mean label?");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": \"wieght\"}",
                  "there is no column wieght; did you mean weight?");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": 9}",
                  "a number from 1 to 5");
    files_refuses(&f, "{\"train\": {\"flie\": \"t.csv\"}}",
                  "data.train: there is no key flie; did you mean file?");
    files_refuses(&f, "{\"file\": \"t.csv\", \"fold\": {\"k\": 1, \"off\": 2}}",
                  "did you mean of?");
    files_refuses(&f, "{\"label\": 1}", "say a `file`");
    files_close(&f);
}

static void the_label_of_candles_tables_is_the_type_and_not_the_id(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv",
               "case_id,cancer_type,x,y\nt1,a,1,2\nt2,b,3,4\nt3,a,5,6\n");
    struct data_set *s =
        files_set(&f, "{\"file\": \"t.csv\", \"label\": \"first\"}");
    assert_int_equal(data_set_table(s)->inputs->columns, 2);
    assert_int_equal(data_set_table(s)->labels->classes, 2);
    assert_string_equal(data_set_notice(s, 0),
                        "data: the label is cancer_type; case_id is left out");
    data_close(s);
    s = files_set(&f, "{\"file\": \"t.csv\", \"label\": \"inputs\"}");
    assert_int_equal(data_set_table(s)->inputs->columns, 2);
    assert_string_equal(data_set_notice(s, 0),
                        "data: case_id and cancer_type are left out");
    data_close(s);
    files_text(&f, "t.csv", "kind,x,y\na,1,2\nb,3,4\na,5,6\n");
    s = files_set(&f, "{\"file\": \"t.csv\", \"label\": \"first\"}");
    assert_true(str_is(data_set_table(s)->labels->name, "kind"));
    assert_int_equal(data_set_table(s)->inputs->columns, 2);
    assert_null(data_set_notice(s, 0));
    data_close(s);
    files_close(&f);
}

static void a_label_that_names_its_rows_is_warned_of(void **state)
{
    struct files f;
    struct buf many, few;
    (void)state;
    files_open(&f);
    buf_init(&many);
    buf_init(&few);
    for (int i = 0; i < 30; i++) {
        buf_addf(&many, "sample%d,%d\n", i, i % 7);
        buf_addf(&few, "class%d,%d\n", i % 4, i % 7);
    }
    files_write(&f, "many.csv", buf_str(&many));
    files_write(&f, "few.csv", buf_str(&few));
    struct data_set *s = files_set(&f, "{\"file\": \"many.csv\", \"label\": 1, "
                                       "\"header\": false}");
    assert_non_null(strstr(data_set_notice(s, 0), "has 30 classes in 30 rows"));
    data_close(s);
    s = files_set(&f, "{\"file\": \"few.csv\", \"label\": 1, "
                      "\"header\": false}");
    assert_null(data_set_notice(s, 0));
    data_close(s);
    buf_done(&many);
    buf_done(&few);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_column_is_the_label),
        cmocka_unit_test(words_become_one_hot_with_a_notice),
        cmocka_unit_test(a_word_among_numbers_names_its_place),
        cmocka_unit_test(labels_may_be_many_and_wide),
        cmocka_unit_test(a_label_may_be_among_the_ignored_columns),
        cmocka_unit_test(labels_of_two_words_are_zero_and_one),
        cmocka_unit_test(whole_numbers_are_classes),
        cmocka_unit_test(missing_values_are_refused_unless_said),
        cmocka_unit_test(numbers_that_are_not_finite_name_their_place),
        cmocka_unit_test(missing_rules_numbers_that_are_not_finite),
        cmocka_unit_test(missing_values_can_be_zero_or_dropped),
        cmocka_unit_test(means_are_of_training_rows_only),
        cmocka_unit_test(weights_and_groups_are_no_inputs),
        cmocka_unit_test(an_autoencoder_learns_its_scaled_input),
        cmocka_unit_test(keys_that_would_be_passed_over_are_refused),
        cmocka_unit_test(an_input_in_a_file_may_be_its_own_label),
        cmocka_unit_test(a_column_of_names_is_told_by_its_own),
        cmocka_unit_test(unknown_keys_and_columns_suggest),
        cmocka_unit_test(
            the_label_of_candles_tables_is_the_type_and_not_the_id),
        cmocka_unit_test(a_label_that_names_its_rows_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
