/* test_text.c - texts as tokens */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "files.h"

static void write_letters(struct files *f)
{
    files_text(f, "t.tsv",
               "good\tThe cat, the CAT!\n"
               "bad\tDon't stop; the dog.\n"
               "good\tthe bird\n"
               "bad\t\n");
    files_text(f, "v.tsv", "good\tthe zebra cat\nbad\tzebra zebra dog\n");
}

#define PARTS "\"train\": \"t.tsv\", \"validation\": \"v.tsv\", \"label\": 1"

static struct str word_at(const struct data_field *f, size_t row, size_t at)
{
    return f->class_names[f->categories[row * (size_t)f->columns + at]];
}

static void words_are_numbered_by_training_rows(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_letters(&f);
    static const char spec[] = "{" PARTS ", \"text\": 2}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    const struct data_field *x = v.table->inputs;
    /* the 4, cat 2, bird, dog, don't, stop 1 each: 6 words and two more */
    assert_int_equal(x->classes, 8);
    assert_int_equal(x->columns, 4);
    assert_null(x->numbers);
    assert_int_equal(x->categories[0], 2);
    assert_true(str_is(word_at(x, 0, 0), "the"));
    assert_true(str_is(word_at(x, 0, 1), "cat"));
    assert_true(str_is(word_at(x, 0, 3), "cat"));
    assert_true(str_is(word_at(x, 1, 0), "don't"));
    assert_int_equal(x->categories[2 * 4 + 2], 0); /* padding */
    assert_int_equal(x->categories[3 * 4], 0);     /* an empty text */
    assert_int_equal(x->categories[4 * 4 + 1], 1); /* zebra is unknown */
    assert_true(str_is(word_at(x, 5, 2), "dog"));
    data_close(s);
    files_close(&f);
}

static void a_vocabulary_has_a_size_and_a_least_count(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_letters(&f);
    static const char small[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"vocabulary\": 4}}";
    struct data_set *s = files_set(&f, small);
    struct data_view v = files_view(&f, s, small, 1);
    assert_int_equal(v.table->inputs->classes, 4);
    assert_int_equal(v.table->inputs->categories[1], 3); /* cat */
    assert_int_equal(v.table->inputs->categories[4], 1); /* don't */
    /* Asked for more than there is: the shape is as asked. */
    static const char large[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"vocabulary\": 50}}";
    v = files_view(&f, s, large, 1);
    assert_int_equal(v.table->inputs->classes, 50);
    static const char often[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"min_count\": 2}}";
    v = files_view(&f, s, often, 1);
    assert_int_equal(v.table->inputs->classes, 4);
    data_close(s);
    files_close(&f);
}

static void texts_are_cut_and_padded(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_letters(&f);
    static const char front[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"length\": 2}}";
    struct data_set *s = files_set(&f, front);
    struct data_view v = files_view(&f, s, front, 1);
    assert_int_equal(v.table->inputs->columns, 2);
    assert_true(str_is(word_at(v.table->inputs, 1, 1), "stop"));
    static const char back[] = "{" PARTS ", \"text\": {\"column\": 2, "
                               "\"length\": 2, \"cut\": \"start\"}}";
    v = files_view(&f, s, back, 1);
    assert_true(str_is(word_at(v.table->inputs, 1, 1), "dog"));
    static const char bucket[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"bucket\": 16}}";
    v = files_view(&f, s, bucket, 1);
    assert_int_equal(v.table->inputs->columns, 16);
    data_close(s);
    files_refuses(&f, "{" PARTS ", \"text\": {\"column\": 2, \"lenght\": 2}}",
                  "data.text: there is no key lenght; did you mean length?");
    files_close(&f);
}

static void lines_are_texts_too(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "x.txt", "\"quoted, text\"\n\nThe \xC3\x89t\xC3\xA9\n");
    files_text(&f, "y.txt", "0\n1\n0\n");
    static const char spec[] = "{\"inputs\": \"x.txt\", \"labels\": "
                               "\"y.txt\", \"text\": {\"length\": 3}}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    assert_int_equal(v.table->rows, 3);
    assert_true(str_is(word_at(v.table->inputs, 0, 1), "text"));
    assert_int_equal(v.table->inputs->categories[3], 0);
    assert_true(str_is(word_at(v.table->inputs, 2, 1), "\xC3\xA9t\xC3\xA9"));
    data_close(s);
    files_close(&f);
}

static void punctuation_beyond_ascii_separates_words(void **state)
{
    static const char *const wanted[] = {
        "hello", "then",         "left",      "now",
        "don't", "na\xC3\xAFve", "50",        "\xE6\x9D\xB1\xE4\xBA\xAC",
        "wait",  "go",           "cooperate", "x\xE9y"};
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "x.txt",
               "\xE2\x80\x9Chello\xE2\x80\x9D\xE2\x80\x94then " /* “ ” — */
               "left\xC2\xA0now don\xE2\x80\x99t "              /* nbsp ’ */
               "\xC2\xABna\xC3\xAFve\xC2\xBB \xE2\x82\xAC"
               "50 "                                  /* « » € */
               "\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x80\x82" /* 。 */
               "wait\xE2\x80\xA6go\xF0\x9F\x98\x80 "  /* … 😀 */
               "co\xC2\xADoperate \xC2\xAD x\xE9y\n");
    files_text(&f, "y.txt", "0\n");
    static const char spec[] =
        "{\"inputs\": \"x.txt\", \"labels\": \"y.txt\", \"text\": true}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    size_t count = sizeof(wanted) / sizeof(*wanted);
    assert_int_equal(v.table->inputs->columns, count);
    for (size_t i = 0; i < count; i++)
        assert_true(str_is(word_at(v.table->inputs, 0, i), wanted[i]));
    data_close(s);
    files_close(&f);
}

static void word_vectors_start_an_embedding(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_letters(&f);
    files_text(&f, "w.txt", "3 2\nthe 0.5 -1\ncat 2 3e-1\nunseen 9 9\n");
    static const char spec[] =
        "{" PARTS ", \"text\": {\"column\": 2, \"vectors\": \"w.txt\"}}";
    struct data_set *s = files_set(&f, spec);
    struct data_view v = files_view(&f, s, spec, 1);
    const struct data_field *x = v.table->inputs;
    assert_int_equal(x->vector_columns, 2);
    assert_true(x->vectors[2 * 2] == 0.5f && x->vectors[2 * 2 + 1] == -1);
    assert_true(x->vectors[3 * 2 + 1] == 0.3f);
    assert_true(isnan(x->vectors[0]) && isnan(x->vectors[4 * 2]));
    assert_non_null(strstr(data_set_notice(s, 1), "2 of 7 words"));
    data_close(s);
    files_text(&f, "w.txt", "the 0.5 -1\ncat 2\n");
    files_refuses(&f, spec, "w.txt:2: expected a word and 2 finite numbers");
    files_text(&f, "w.txt", "the 0.5 -1\ncat 2 x\n");
    files_refuses(&f, spec, "w.txt:2: expected a word and 2 finite numbers");
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_numbered_by_training_rows),
        cmocka_unit_test(a_vocabulary_has_a_size_and_a_least_count),
        cmocka_unit_test(texts_are_cut_and_padded),
        cmocka_unit_test(lines_are_texts_too),
        cmocka_unit_test(punctuation_beyond_ascii_separates_words),
        cmocka_unit_test(word_vectors_start_an_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
