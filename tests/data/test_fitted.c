/* test_fitted.c - rows of another day become what those of training were */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "files.h"

static const bool as_class[4] = {true, true, true, true};
static const bool as_number[4] = {false};

/* What the training rows of a spec leave behind. */
static struct str fit(struct files *f, const char *spec, const bool *classes)
{
    struct data_set *s = files_set(f, spec);
    struct data_view v = files_view(f, s, spec, 3);
    struct buf b;
    buf_init(&b);
    data_fitted_print(&b, s, files_spec(f, spec), &v, classes);
    struct str text = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    data_close(s);
    return text;
}

static struct data_set *reopen(struct files *f, struct str fitted,
                               const char *spec, struct data_view *v)
{
    struct data_set *s = data_open_fitted(files_spec(f, spec), f->folder,
                                          fitted, "w", v, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    return s;
}

static void refuses(struct files *f, struct str fitted, const char *spec,
                    const char *text)
{
    struct data_view v;
    assert_null(data_open_fitted(files_spec(f, spec), f->folder, fitted, "w",
                                 &v, &f->err));
    if (!strstr(f->err.text, text))
        fail_msg("\"%s\" has no \"%s\"", f->err.text, text);
}

/* A number of a row as the model sees it. */
static float seen(const struct data_view *v, size_t row, size_t column)
{
    const struct data_field *x = v->table->inputs;
    float raw = x->numbers[row * (size_t)x->columns + column];
    return v->shift && v->shift[0]
               ? (raw - v->shift[0][column]) * v->scale[0][column]
               : raw;
}

/* Every row is seen by the one view as by the other. */
static void same_rows(const struct data_view *a, const struct data_view *b)
{
    const struct data_field *x = a->table->inputs, *y = b->table->inputs;
    assert_int_equal(a->table->rows, b->table->rows);
    assert_int_equal(x->columns, y->columns);
    for (size_t i = 0; i < a->table->rows; i++)
        for (size_t k = 0; k < (size_t)x->columns; k++)
            if (x->numbers)
                assert_true(seen(a, i, k) == seen(b, i, k));
            else
                assert_int_equal(x->categories[i * (size_t)x->columns + k],
                                 y->categories[i * (size_t)x->columns + k]);
    for (size_t i = 0; i < a->table->rows && a->table->labels->categories; i++)
        assert_int_equal(a->table->labels->categories[i],
                         b->table->labels->categories[i]);
}

static void write_plants(struct files *f)
{
    files_text(f, "t.csv",
               "petal,colour,garden,kind\n"
               "1.4,white,north,setosa\n"
               "4.75,red,north,versicolor\n"
               "1.3,white,south,setosa\n"
               "4.5,NA,south,versicolor\n"
               "NA,blue,east,setosa\n"
               "5.1,red,east,versicolor\n");
}

static void training_rows_are_seen_as_in_training(void **state)
{
    static const char *const specs[] = {
        "{\"file\": \"t.csv\", \"missing\": \"mean\", \"scale\": \"std\", "
        "\"group\": \"garden\", \"validation\": 0.4}",
        "{\"file\": \"t.csv\", \"missing\": 0, \"scale\": \"minmax\", "
        "\"columns\": 4, \"validation\": 0.4}",
        "{\"file\": \"t.csv\", \"text\": {\"column\": \"colour\", "
        "\"vocabulary\": 4}, \"ignore\": [\"petal\", \"garden\"]}",
    };
    struct files f;
    (void)state;
    files_open(&f);
    write_plants(&f);
    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
        struct str fitted = fit(&f, specs[i], as_class);
        struct data_set *s = files_set(&f, specs[i]);
        struct data_view a = files_view(&f, s, specs[i], 3), b;
        struct data_set *again = reopen(&f, fitted, specs[i], &b);
        same_rows(&a, &b);
        assert_int_equal(b.test.count, 6);
        assert_int_equal(b.train.count, 0);
        data_close(again);
        data_close(s);
    }
    files_close(&f);
}

#define PLANTS(file)                                                           \
    "{\"file\": \"" file "\", \"missing\": \"mean\", \"scale\": \"maxabs\"}"

static void columns_are_found_by_name_and_labels_may_be_missing(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    write_plants(&f);
    struct str fitted = fit(&f, PLANTS("t.csv"), as_class);
    files_text(&f, "n.csv",
               "note,garden,petal,colour\n"
               "a,south,2.55,red\n"
               "b,north,NA,green\n");
    struct data_set *s = reopen(&f, fitted, PLANTS("n.csv"), &v);
    /* petal, blue, red, white, east, north, south */
    assert_int_equal(v.table->inputs->columns, 7);
    assert_true(fabs((double)seen(&v, 0, 0) - 0.5) < 1e-6);
    assert_true(fabs((double)seen(&v, 1, 0) - 3.41 / 5.1) < 1e-6);
    assert_true(seen(&v, 0, 2) == 1 && seen(&v, 0, 6) == 1);
    assert_true(seen(&v, 1, 1) + seen(&v, 1, 2) + seen(&v, 1, 3) == 0);
    assert_int_equal(v.table->label_count, 1);
    assert_null(v.table->labels->categories);
    assert_int_equal(v.table->labels->classes, 2);
    assert_true(str_is(v.table->labels->class_names[1], "versicolor"));
    data_close(s);
    files_text(&f, "n.csv", "petal,colour,kind\n1,red,setosa\n");
    refuses(&f, fitted, PLANTS("n.csv"), "no column garden");
    files_text(&f, "n.csv", "petal,colour,garden,kind\n1,red,east,rose\n");
    refuses(&f, fitted, PLANTS("n.csv"),
            "n.csv:2: column kind: \"rose\" is no class");
    files_text(&f, "n.csv", "petal,colour,garden\n1,red,east\nlong,red,east\n");
    refuses(&f, fitted, PLANTS("n.csv"), "n.csv:3: column petal: \"long\"");
    files_close(&f);
}

static void an_unknown_category_is_refused(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,c,y\n1,a,0\n2,b,1\n");
    struct str fitted = fit(&f, "{\"file\": \"t.csv\"}", as_class);
    files_text(&f, "n.csv", "x,c\n1,b\n2,c\n");
    refuses(&f, fitted, "{\"file\": \"n.csv\"}",
            "n.csv:3: column c: the model was not trained with \"c\"");
    files_close(&f);
}

static void tables_without_names_go_by_place(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "1,10,7\n3,20,9\n5,30,7\n");
    static const char spec[] = "{\"file\": \"t.csv\", \"label\": 1}";
    struct str fitted = fit(&f, spec, as_class);
    files_text(&f, "n.csv", "20,8\n");
    struct data_set *s = reopen(&f, fitted, "{\"file\": \"n.csv\"}", &v);
    assert_true(seen(&v, 0, 0) == 20 && seen(&v, 0, 1) == 8);
    assert_true(str_is(v.table->labels->class_names[2], "5"));
    data_close(s);
    files_text(&f, "n.csv", "5.0,20,8\n");
    s = reopen(&f, fitted, "{\"file\": \"n.csv\"}", &v);
    assert_int_equal(v.table->labels->categories[0], 2);
    data_close(s);
    files_text(&f, "n.csv", "4,20,8\n");
    refuses(&f, fitted, "{\"file\": \"n.csv\"}", "\"4\" is no class");
    files_text(&f, "n.csv", "4,20,8,2\n");
    refuses(&f, fitted, "{\"file\": \"n.csv\"}",
            "rows of 4 columns; the model was trained on 3, 2 without labels");
    /* As a number the label may be any. */
    fitted = fit(&f, spec, as_number);
    files_text(&f, "n.csv", "4.5,20,8\n");
    s = reopen(&f, fitted, "{\"file\": \"n.csv\"}", &v);
    assert_true(v.table->labels->numbers[0] == 4.5f);
    assert_null(v.table->labels->categories);
    data_close(s);
    files_close(&f);
}

static void rows_that_are_left_out_keep_the_numbers_of_the_others(void **state)
{
    static const char spec[] = "{\"file\": \"t.csv\", \"missing\": \"drop\"}";
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,y\n1,0\nNA,1\n3,1\n");
    struct data_set *s = reopen(&f, fit(&f, spec, as_class), spec, &v);
    assert_int_equal(v.table->rows, 2);
    assert_int_equal(data_row_in_file(v.table, 1), 2);
    data_close(s);
    files_close(&f);
}

static void inputs_in_files_of_their_own(void **state)
{
    static const char x[] = "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\3abcdef";
    static const char wide[] = "\0\0\x08\2\0\0\0\1\0\0\0\3abc";
#define PAIR "\"scale\": \"maxabs\"}"
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_write(&f, "x", str_n(x, sizeof x - 1));
    files_write(&f, "wide", str_n(wide, sizeof wide - 1));
    files_text(&f, "y", "no\nyes\n");
    struct str fitted =
        fit(&f, "{\"inputs\": \"x\", \"labels\": \"y\", " PAIR, as_class);
    struct data_set *s = reopen(&f, fitted, "{\"inputs\": \"x\", " PAIR, &v);
    assert_true(seen(&v, 1, 2) == 1);
    assert_null(v.table->labels->categories);
    data_close(s);
    files_text(&f, "y", "yes\nno\n");
    s = reopen(&f, fitted, "{\"inputs\": \"x\", \"labels\": \"y\", " PAIR, &v);
    assert_int_equal(v.table->labels->categories[0], 1);
    data_close(s);
    refuses(&f, fitted, "{\"inputs\": \"wide\", " PAIR,
            "its rows are 3 numbers, the model was trained on rows of 1 x 3");
    refuses(&f, fitted, "{\"file\": \"y\"}", "file of their own");
    files_close(&f);
}

static void a_text_without_its_label_keeps_its_commas(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_text(&f, "t.tsv", "no\tone, two\nyes\tthree\nyes\ttwo, two\n");
    struct str fitted =
        fit(&f, "{\"file\": \"t.tsv\", \"label\": 1, \"text\": 2}", as_class);
    files_text(&f, "n.tsv", "one, two, four\nthree\n");
    struct data_set *s =
        reopen(&f, fitted, "{\"file\": \"n.tsv\", \"text\": 2}", &v);
    /* two 3 times, then one and three */
    assert_int_equal(v.table->inputs->categories[0], 3);
    assert_int_equal(v.table->inputs->categories[1], 2);
    assert_int_equal(v.table->rows, 2);
    data_close(s);
    files_close(&f);
}

static void categories_that_training_did_not_have_are_told(void **state)
{
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    write_plants(&f);
    struct str fitted = fit(&f, PLANTS("t.csv"), as_class);
    files_text(&f, "n.csv",
               "petal,colour,garden\n1,red,north\n2,mauve,south\n"
               "3,,east\n4,teal,east\n");
    struct data_set *s = reopen(&f, fitted, PLANTS("n.csv"), &v);
    assert_string_equal(data_set_notice(s, 0),
                        "data: 2 rows have in column colour what the model was "
                        "not trained with, \"mauve\" first: taken as none of "
                        "its categories");
    assert_null(data_set_notice(s, 1));
    data_close(s);
    refuses(&f, fitted, "{\"file\": \"n.csv\"}",
            "n.csv:3: column colour: the model was not trained with "
            "\"mauve\"");
    files_close(&f);
}

static void the_words_of_labels_are_those_of_training(void **state)
{
    static const char spec[] =
        "{\"file\": \"t.csv\", \"label\": {\"what\": [\"a\", \"b\"]}}";
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "x,a,b\n1,no,yes\n2,yes,no\n");
    struct str fitted = fit(&f, spec, as_number);
    files_text(&f, "t.csv", "b,a,x\nyes,yes,1\nyes,yes,2\n");
    struct data_set *s = reopen(&f, fitted, spec, &v);
    for (int i = 0; i < 4; i++)
        assert_true(v.table->labels->numbers[i] == 1);
    assert_true(str_is(v.table->labels->column_names[0], "a"));
    data_close(s);
    files_text(&f, "t.csv", "b,a,x\nyes,ja,1\n");
    refuses(&f, fitted, spec, "t.csv:2: column a: the label \"ja\" beside");
    files_text(&f, "t.csv", "x\n1\n");
    s = reopen(&f, fitted, spec, &v);
    assert_null(v.table->labels->numbers);
    assert_true(str_is(v.table->labels->column_names[1], "b"));
    data_close(s);
    files_close(&f);
}

static void several_inputs_by_name(void **state)
{
    static const char spec[] =
        "{\"inputs\": {\"a\": \"a.csv\", \"b\": \"b.csv\"}, \"labels\": "
        "\"y.csv\", \"scale\": \"maxabs\"}";
    struct files f;
    struct data_view v;
    (void)state;
    files_open(&f);
    files_text(&f, "a.csv", "1,2\n2,4\n");
    files_text(&f, "b.csv", "8\n4\n");
    files_text(&f, "y.csv", "1.5\n2.5\n");
    struct str fitted = fit(&f, spec, as_number);
    struct data_set *s = reopen(
        &f, fitted, "{\"inputs\": {\"a\": \"a.csv\", \"b\": \"b.csv\"}}", &v);
    assert_int_equal(v.table->input_count, 2);
    assert_true(v.scale[0][1] == 0.25f && v.scale[1][0] == 0.125f);
    assert_null(v.table->labels->numbers);
    data_close(s);
    refuses(&f, fitted, "{\"inputs\": \"a.csv\"}", "trained with 2");
    files_close(&f);
}

static void a_damaged_text_is_refused(void **state)
{
    static const char *const bad[] = {
        "[]",
        "{\"inputs\": [], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"dims\": [0]}], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"dims\": [2], \"shift\": [1]}], "
        "\"labels\": []}",
        "{\"columns\": 1, \"inputs\": [{\"name\": \"i\", \"dims\": [1], "
        "\"columns\": [1], \"categories\": [null]}], \"labels\": []}",
        "{\"columns\": 2, \"inputs\": [{\"name\": \"i\", \"dims\": [2], "
        "\"columns\": [0, 0], \"categories\": [null, null]}], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"words\": [\"a\"], \"classes\": 2, "
        "\"length\": 3}], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"words\": [\"a\"], \"classes\": 3, "
        "\"length\": 3, \"shift\": [1, 2], \"scale\": 2}], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"words\": [\"a\"], \"classes\": 3, "
        "\"length\": 3, \"drawn\": [0]}], \"labels\": []}",
        "{\"inputs\": [{\"name\": \"i\", \"dims\": [1]}], \"labels\": "
        "[{\"name\": \"l\", \"dims\": [2], \"classes\": 3}]}",
        "{\"inputs\": [{\"name\": \"i\", \"dims\": [1], \"shift\": 1e39, "
        "\"scale\": 1}], \"labels\": []}",
    };
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "1\n2\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        refuses(&f, str_of(bad[i]), "{\"file\": \"t.csv\"}",
                "w: what it says of its data is damaged");
    refuses(&f, STR("{"), "{\"file\": \"t.csv\"}", "w:1:");
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_rows_are_seen_as_in_training),
        cmocka_unit_test(columns_are_found_by_name_and_labels_may_be_missing),
        cmocka_unit_test(an_unknown_category_is_refused),
        cmocka_unit_test(tables_without_names_go_by_place),
        cmocka_unit_test(rows_that_are_left_out_keep_the_numbers_of_the_others),
        cmocka_unit_test(inputs_in_files_of_their_own),
        cmocka_unit_test(a_text_without_its_label_keeps_its_commas),
        cmocka_unit_test(categories_that_training_did_not_have_are_told),
        cmocka_unit_test(the_words_of_labels_are_those_of_training),
        cmocka_unit_test(several_inputs_by_name),
        cmocka_unit_test(a_damaged_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
