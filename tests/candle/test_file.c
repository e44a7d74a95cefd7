/* test_file.c - CANDLE parameter files */
#include <time.h>
#include "../plan/plan_test.h"

struct file_test {
    struct arena *arena;
    struct problems problems;
    struct value *value;
    struct buf said, json;
};

static void open_str(struct file_test *t, struct str text)
{
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->value = candle_file(text, "model.txt", t->arena, &t->problems);
    buf_init(&t->said);
    buf_init(&t->json);
    problems_print(&t->said, &t->problems);
    if (t->value)
        json_print_sorted(&t->json, t->value);
    assert_true((t->value == NULL) == (t->problems.errors > 0));
}

static void open_done(struct file_test *t)
{
    buf_done(&t->said);
    buf_done(&t->json);
    arena_free(t->arena);
}

/* The file gives these values, and these remarks. */
static void gives_saying(const char *text, const char *json, const char *said)
{
    struct file_test t;

    open_str(&t, str_of(text));
    if (!t.value)
        fail_msg("%s", t.said.p);
    assert_string_equal(t.json.p, json);
    assert_string_equal(t.said.p, said);
    open_done(&t);
}

static void gives(const char *text, const char *json)
{
    gives_saying(text, json, "");
}

static void refused(const char *text, const char *said)
{
    struct file_test t;

    open_str(&t, str_of(text));
    assert_null(t.value);
    assert_string_equal(t.said.p, said);
    open_done(&t);
}

static void keys_stand_before_an_equals_sign_or_a_colon(void **state)
{
    (void)state;
    gives("[Global_Params]\nepochs=4\nloss: 'mse'\n",
          "{\"epochs\":4,\"loss\":\"mse\"}");
    gives("[g]\nmetrics='a=b'\nurl = 'ftp://x'\n",
          "{\"metrics\":\"a=b\",\"url\":\"ftp://x\"}");
    gives("[g]\nEPOCHS = 4\nbatch size = 2\n",
          "{\"batch size\":2,\"epochs\":4}");
}

static void a_file_needs_no_section(void **state)
{
    (void)state;
    gives("batch_size = 10  \nepochs = 10  \ndrop = 0.0  \n",
          "{\"batch_size\":10,\"drop\":0.0,\"epochs\":10}");
    gives("", "{}");
    gives("a=1\n[s]\nb=2\n", "{\"a\":1,\"b\":2}");
}

static void line_ends_and_marks_of_other_systems_are_read(void **state)
{
    (void)state;
    gives("\xef\xbb\xbf[g]\r\na=1\r\nb=[1,\r\n  2]\r\n",
          "{\"a\":1,\"b\":[1,2]}");
    gives("a=1", "{\"a\":1}");
}

static void comments_stand_in_lines_or_behind_a_number_sign(void **state)
{
    (void)state;
    gives("[g]\n# one\n; two\n   # three\nepochs=4 # four\nx='a#b'\n",
          "{\"epochs\":4,\"x\":\"a#b\"}");
    refused("[g]\nepochs=4 ; no\n",
            "model.txt:2:10: error: epochs: ; ends no value and begins no "
            "comment here (a comment begins with #)\n");
}

static void a_value_goes_on_in_lines_with_a_deeper_indent(void **state)
{
    (void)state;
    gives("[g]\ndense = [1,\n  2,\n\n# not this\n  3]\nepochs=1\n",
          "{\"dense\":[1,2,3],\"epochs\":1}");
    gives("[g]\n  a = 1\n  b = 2\n", "{\"a\":1,\"b\":2}");
    gives("[g]\ndense =\n  [1, 2]\n", "{\"dense\":[1,2]}");
    gives("[g]\nt = '''a\n\n  b'''\n", "{\"t\":\"a\\n\\nb\"}");
    refused("[g]\ndense=[1,\n2]\n",
            "model.txt:2:7: error: dense: this [ is never closed (lines that "
            "go on with a value begin with a blank)\n"
            "model.txt:3:1: error: expected key = value, not 2] (a line that "
            "goes on with a value begins with a blank)\n");
}

static void a_mistake_in_a_later_line_has_its_place(void **state)
{
    (void)state;
    refused("[g]\ndense = [1,\n    \xc3\xa9, 3]\n",
            "model.txt:3:5: error: dense: \xc3\xa9 is not a literal (text "
            "stands in quotes)\n");
    refused("[g]\nn\xc3\xa4me = x\n",
            "model.txt:2:8: error: n\xc3\xa4me: x is not a literal (text "
            "stands in quotes)\n");
}

static void a_key_may_stand_in_a_section_once(void **state)
{
    (void)state;
    refused("[g]\na=1\nA=2\n", "model.txt:3:1: error: the key 'a' stands in "
                               "this section twice (keep one of them)\n");
    refused("[g]\na=1\n[g]\nb=1\n",
            "model.txt:3:1: error: the section [g] stands here twice (put the "
            "keys of both into one section)\n");
}

static void of_two_sections_the_first_counts(void **state)
{
    (void)state;
    gives_saying("[a]\nx=1\n[b]\nx=2\ny=3\n", "{\"x\":1,\"y\":3}",
                 "model.txt:4:1: warning: 'x' stands in an earlier section "
                 "too: that one counts\n");
}

static void the_default_section_is_inherited(void **state)
{
    (void)state;
    gives("[DEFAULT]\nx=1\ny=2\n[a]\nx=5\n", "{\"x\":5,\"y\":2}");
    gives("[DEFAULT]\nx=1\n", "{\"x\":1}");
    gives_saying("[DEFAULT]\nx=1\n[a]\ny=2\n[b]\nx=3\n", "{\"x\":1,\"y\":2}",
                 "model.txt:6:1: warning: 'x' stands in an earlier section "
                 "too: that one counts\n");
}

static void percent_signs_are_doubled(void **state)
{
    (void)state;
    gives("[g]\na='50%%' # 10% of it\n", "{\"a\":\"50%\"}");
    refused("[g]\na='%s'\n", "model.txt:2:4: error: a: a percent sign must be "
                             "doubled (write %% for one percent sign)\n");
    refused("[g]\na='%(b)s'\n", "model.txt:2:4: error: a: references to other "
                                "keys are not read (write the value out)\n");
}

static void broken_lines_are_all_listed(void **state)
{
    (void)state;
    refused("[g]\nepochs=\n= 3\n[]\nword\nx = 2*3\n",
            "model.txt:2:8: error: epochs: there is no value here (None stands "
            "for no value)\n"
            "model.txt:3:1: error: there is no key before the =\n"
            "model.txt:4:1: error: a section's name stands between [ and ] "
            "(write [Global_Params])\n"
            "model.txt:5:1: error: expected key = value, not word (a line that "
            "goes on with a value begins with a blank)\n"
            "model.txt:6:6: error: x: an expression where a literal belongs: "
            "2*3 (write the result; nothing is evaluated)\n");
}

static void bytes_that_are_no_text_have_their_place(void **state)
{
    struct file_test t;

    (void)state;
    open_str(&t, str_n("a=1\nb=\0", 7));
    assert_string_equal(t.said.p,
                        "model.txt:2:3: error: the byte 0x00 is not text "
                        "(save the file as UTF-8 text)\n");
    open_done(&t);
}

static void values_know_their_place(void **state)
{
    struct file_test t;

    (void)state;
    open_str(&t, STR("[g]\n\nepochs = 4\n"));
    assert_int_equal(t.value->key_lines[0], 3);
    assert_int_equal(t.value->key_columns[0], 1);
    assert_int_equal(t.value->items[0]->line, 3);
    assert_int_equal(t.value->items[0]->column, 10);
    open_done(&t);
}

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sanitizers take several times as much. */
#if defined(__SANITIZE_ADDRESS__)
#define FAST_S 10
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAST_S 10
#endif
#endif
#ifndef FAST_S
#define FAST_S 1
#endif

/* 0.1 s where this was written. */
static void a_long_list_is_read_fast(void **state)
{
    struct arena *a = arena_new();
    struct problems problems;
    struct buf b;
    double begin;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "[Global_Params]\nbatch_size = 20\nnoise = [");
    for (int i = 0; i < 350; i++)
        buf_addf(&b, "%s%d", i ? ", " : "", 7 * i);
    buf_adds(&b, "]\n");
    begin = cpu_s();
    for (int i = 0; i < 10000; i++) {
        problems_init(&problems, a);
        struct value *v = candle_file(buf_str(&b), "m.txt", a, &problems);
        assert_int_equal(value_get(v, STR("noise"))->count, 350);
        arena_reset(a);
    }
    begin = cpu_s() - begin;
    print_message("# 10,000 files with a list of 350: %.3f s\n", begin);
    assert_true(begin < FAST_S);
    buf_done(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_stand_before_an_equals_sign_or_a_colon),
        cmocka_unit_test(a_file_needs_no_section),
        cmocka_unit_test(line_ends_and_marks_of_other_systems_are_read),
        cmocka_unit_test(comments_stand_in_lines_or_behind_a_number_sign),
        cmocka_unit_test(a_value_goes_on_in_lines_with_a_deeper_indent),
        cmocka_unit_test(a_mistake_in_a_later_line_has_its_place),
        cmocka_unit_test(a_key_may_stand_in_a_section_once),
        cmocka_unit_test(of_two_sections_the_first_counts),
        cmocka_unit_test(the_default_section_is_inherited),
        cmocka_unit_test(percent_signs_are_doubled),
        cmocka_unit_test(broken_lines_are_all_listed),
        cmocka_unit_test(bytes_that_are_no_text_have_their_place),
        cmocka_unit_test(values_know_their_place),
        cmocka_unit_test(a_long_list_is_read_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
