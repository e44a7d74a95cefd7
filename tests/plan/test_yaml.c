/* test_yaml.c - YAML by the rules of study files */
#include "plan_test.h"

#include <math.h>

struct yaml_test {
    struct arena *arena;
    struct problems problems;
    struct value *root;
    struct buf text; /* the tree as JSON, then the problems */
};

static void parse_str(struct yaml_test *t, struct str text)
{
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->root = plan_yaml(text, "f.yaml", t->arena, &t->problems);
    buf_init(&t->text);
    if (t->root)
        json_print(&t->text, t->root);
    problems_print(&t->text, &t->problems);
}

static void parse_done(struct yaml_test *t)
{
    buf_done(&t->text);
    arena_free(t->arena);
}

static void gives(const char *yaml, const char *json)
{
    struct yaml_test t;
    struct buf expected;

    parse_str(&t, str_of(yaml));
    buf_init(&expected);
    json_print(&expected, test_json(t.arena, json));
    assert_string_equal(t.text.p, expected.p);
    buf_done(&expected);
    parse_done(&t);
}

static void says_str(struct str yaml, const char *problem)
{
    struct yaml_test t;

    parse_str(&t, yaml);
    assert_true(t.problems.errors > 0);
    if (!strstr(t.text.p, problem))
        fail_msg("expected\n%s\nsaid\n%s", problem, t.text.p);
    parse_done(&t);
}

static void says(const char *yaml, const char *problem)
{
    says_str(str_of(yaml), problem);
}

static void numbers_follow_yaml_1_2(void **state)
{
    (void)state;
    gives("[1e-4, 1E5, .5, 5., -0.25, 1e+2]",
          "[0.0001, 100000.0, 0.5, 5.0, -0.25, 100.0]");
    gives("[0, 7, -7, +7, 0x1F, 0o17]", "[0, 7, -7, 7, 31, 15]");
    gives("[.inf, -.Inf, +.INF, .nan]", "[Infinity, -Infinity, Infinity, "
                                        "NaN]");
    gives("[9223372036854775807, -9223372036854775808]",
          "[9223372036854775807, -9223372036854775808]");
    gives("[1.2.3, e5, '1', \"2\", 1e, 0b1, 12:30:00, -, +, .]",
          "[\"1.2.3\", \"e5\", \"1\", \"2\", \"1e\", \"0b1\", \"12:30:00\", "
          "\"-\", \"+\", \".\"]");
}

static void booleans_are_also_yes_no_on_off(void **state)
{
    (void)state;
    gives("[true, True, TRUE, yes, Yes, YES, on, On, ON]",
          "[true,true,true,true,true,true,true,true,true]");
    gives("[false, False, FALSE, no, No, NO, off, Off, OFF]",
          "[false,false,false,false,false,false,false,false,false]");
    gives("[y, n, tRUE, 'yes']", "[\"y\",\"n\",\"tRUE\",\"yes\"]");
}

static void nothing_is_null(void **state)
{
    (void)state;
    gives("{a: , b: ~, c: null, d: ''}",
          "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}");
    gives("", "null");
    gives("# only a comment\n", "null");
}

static void leading_zeros_are_a_mistake(void **state)
{
    (void)state;
    says("a: 007\n", "f.yaml:1:4: error: '007' has leading zeros");
    says("a: -01\n", "'-01' has leading zeros");
    says("a: 00\n", "'00' has leading zeros");
    gives("a: '007'", "{\"a\":\"007\"}");
}

static void a_key_twice_is_a_mistake_and_reading_goes_on(void **state)
{
    struct yaml_test t;

    (void)state;
    parse_str(&t, STR("a: 1\nb: 2\na: 3\nb: 4\n"));
    assert_int_equal(t.problems.errors, 2);
    assert_non_null(strstr(t.text.p, "f.yaml:3:1: error: the key 'a' stands "
                                     "here twice\nf.yaml:4:1"));
    parse_done(&t);
}

static void keys_twice_are_found_in_large_objects(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    for (int i = 0; i < 50; i++)
        buf_addf(&b, "k%d: %d\n", i, i);
    buf_adds(&b, "k20: again\n");
    says_str(buf_str(&b), "f.yaml:51:1: error: the key 'k20' stands here "
                          "twice");
    buf_done(&b);
}

static void anchors_and_merges_work(void **state)
{
    (void)state;
    gives("a: &x [1, 2]\nb: *x\n", "{\"a\":[1,2],\"b\":[1,2]}");
    gives("d: &d {p: 1, q: 2}\ne: {<<: *d, q: 3}\n",
          "{\"d\":{\"p\":1,\"q\":2},\"e\":{\"q\":3,\"p\":1}}");
    gives("a: &a {p: 1}\nb: &b {p: 2, q: 2}\nc: {<<: [*a, *b]}\n",
          "{\"a\":{\"p\":1},\"b\":{\"p\":2,\"q\":2},\"c\":{\"p\":1,\"q\":2}}");
    gives("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
    says("a: {<<: 5}\n", "<< takes an object or a list of objects");
    says("a: *nope\n", "f.yaml:1:4: error: the alias '*nope' has no complete "
                       "anchor before it");
    says("a: &x [*x]\n", "the alias '*x' has no complete anchor");
}

static void tags_of_the_core_are_known_and_others_refused(void **state)
{
    (void)state;
    gives("[!!str 1, !!int '2', !!float 3, !!bool 'true', !!null '']",
          "[\"1\", 2, 3.0, true, null]");
    gives("[!!seq [], !!map {}]", "[[], {}]");
    says("a: !!python/object:os.system x\n",
         "f.yaml:1:4: error: the tag 'tag:yaml.org,2002:python/object:os.sys");
    says("a: !custom x\n", "the tag '!custom' is not known");
    says("a: !!set {x}\n", "the tag 'tag:yaml.org,2002:set' is not known");
    says("a: !!int x\n", "'x' is not a whole number, as its tag says");
}

static void marks_say_line_and_column(void **state)
{
    struct yaml_test t;
    const struct value *b;

    (void)state;
    parse_str(&t, STR("a: 1\nüü: {b: [7, 8]}\n"));
    b = value_get(value_get(t.root, STR("üü")), STR("b"));
    assert_int_equal(b->items[1]->line, 2);
    assert_int_equal(b->items[1]->column, 13);
    assert_int_equal(t.root->key_lines[1], 2);
    assert_int_equal(t.root->key_columns[1], 1);
    parse_done(&t);
}

static void bad_syntax_is_named_with_its_place(void **state)
{
    (void)state;
    says("a: [1, 2\n", "f.yaml:2:1: error: not YAML: ");
    says("a: b: c\n", "f.yaml:1:5: error: not YAML: mapping values are not "
                      "allowed");
    says("a: b: c\n", "(put text that holds a colon and a blank in quotes)");
    says("a: {lr: ${lr}}\n", "put text with braces in quotes: \"${name}\")");
    says("a: [x, --lr={lr}]\n", "put text with braces in quotes");
    says("a:\n\tb: 1\n", "(a tab cannot indent; use blanks)");
    says("? [a]\n: 1\n", "a key must be text");
    says("a: 1\n---\nb: 2\n", "f.yaml:2:1: error: a second document begins");
    gives("---\na: 1\n...\n", "{\"a\":1}");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    says_str(str_n("a: 1\nb: x\0y\n", 12),
             "f.yaml:2:5: error: a NUL byte is not text");
    says("a: ü\xff\n", "f.yaml:1:5: error: the byte 0xff is not UTF-8 text");
    says("a: \xc0\xaf\n", "the byte 0xc0 is not UTF-8");
    says("a: \"x\\0y\"\n", "text must not hold a NUL byte");
    says("\"a\\0\": 1\n", "a key must not hold a NUL byte");
    says("a: \x01\n", "f.yaml:1:4: error: not YAML: control characters");
    gives("\xef\xbb\xbf"
          "a: 1\n",
          "{\"a\":1}");
}

static void numbers_that_are_too_large_are_refused(void **state)
{
    (void)state;
    says("a: 1e400\n", "'1e400' is larger than a number can be");
    says("a: 1000000000000000000000000000000\n",
         "is larger than a whole number can be (write it with an exponent");
    says("a: 0xFFFFFFFFFFFFFFFFFF\n", "larger than a whole number");
    gives("a: 1e-400\n", "{\"a\": 0.0}");
}

static void underscores_are_warned_of(void **state)
{
    struct yaml_test t;

    (void)state;
    parse_str(&t, STR("a: 1_000\nb: a_1\n"));
    assert_int_equal(t.problems.errors, 0);
    assert_int_equal(t.problems.list.len, 1);
    assert_true(t.problems.list.p[0].level == PROBLEM_WARNING);
    parse_done(&t);
}

static void deep_nesting_is_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    for (int i = 0; i < 63; i++)
        buf_addc(&b, '[');
    buf_addc(&b, '1');
    for (int i = 0; i < 63; i++)
        buf_addc(&b, ']');
    gives(b.p, b.p);
    buf_reset(&b);
    for (int i = 0; i < 100000; i++)
        buf_addc(&b, '[');
    says_str(buf_str(&b), "nested deeper than 64");
    buf_reset(&b);
    for (int i = 0; i < 1000; i++)
        buf_addf(&b, "%*sa:\n", i, "");
    says_str(buf_str(&b), "nested deeper than 64");
    buf_done(&b);
}

static void alias_bombs_are_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        buf_addf(&b, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            buf_addf(&b, "%s*a%d", k ? ", " : "", i - 1);
        buf_adds(&b, "]\n");
    }
    says_str(buf_str(&b), "more than 1000000 values, with aliases written "
                          "out");
    buf_reset(&b);
    buf_adds(&b, "a0: &a0 {x: 1}\n");
    for (int i = 1; i < 70; i++)
        buf_addf(&b, "a%d: &a%d {y: *a%d}\n", i, i, i - 1);
    says_str(buf_str(&b), "nested deeper than 64");
    buf_done(&b);
}

static void a_long_list_has_an_end(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "a: [0");
    for (int i = 0; i < 1000000; i++)
        buf_adds(&b, ",1");
    buf_adds(&b, "]\n");
    says_str(buf_str(&b), "a long list of points belongs into a file");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_yaml_1_2),
        cmocka_unit_test(booleans_are_also_yes_no_on_off),
        cmocka_unit_test(nothing_is_null),
        cmocka_unit_test(leading_zeros_are_a_mistake),
        cmocka_unit_test(a_key_twice_is_a_mistake_and_reading_goes_on),
        cmocka_unit_test(keys_twice_are_found_in_large_objects),
        cmocka_unit_test(anchors_and_merges_work),
        cmocka_unit_test(tags_of_the_core_are_known_and_others_refused),
        cmocka_unit_test(marks_say_line_and_column),
        cmocka_unit_test(bad_syntax_is_named_with_its_place),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(numbers_that_are_too_large_are_refused),
        cmocka_unit_test(underscores_are_warned_of),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(alias_bombs_are_refused),
        cmocka_unit_test(a_long_list_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
