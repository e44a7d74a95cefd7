/* test_json.c - JSON in and out */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "base/rng.h"

static struct arena *arena;
static struct buf out;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    buf_init(&out);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    buf_done(&out);
    return 0;
}

static struct value *parse(struct str text)
{
    struct err err = {0};
    struct value *v = json_parse(arena, text, "t", false, &err);
    if (!v)
        fail_msg("%.*s: %s", STRF(text), err.text);
    return v;
}

struct text_case {
    const char *text, *want;
};

static void valid_texts_read_and_print(void **state)
{
    (void)state;
    static const struct text_case cases[] = {
        {"null", "null"},
        {" true ", "true"},
        {"false", "false"},
        {"0", "0"},
        {"-0", "0"},
        {"-12", "-12"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9.223372036854776e+18"},
        {"1.50", "1.5"},
        {"1E3", "1000.0"},
        {"1e-5", "1e-05"},
        {"NaN", "NaN"},
        {"[Infinity,-Infinity]", "[Infinity,-Infinity]"},
        {"\"\"", "\"\""},
        {"[]", "[]"},
        {"{}", "{}"},
        {" [ 1 , [ ] , { } ]\r\n\t", "[1,[],{}]"},
        {"{\"b\": 1, \"a\" : [true, null]}", "{\"b\":1,\"a\":[true,null]}"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"\"\\u00e9\\u20AC\\ud83d\\ude00\\u001f\"",
         "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\\u001f\""},
        {"\"\x7F\xC3\xA9\"", "\"\x7F\xC3\xA9\""},
        {"{\"\\u0061\":1}", "{\"a\":1}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_reset(&out);
        json_print(&out, parse(str_of(cases[i].text)));
        assert_string_equal(out.p, cases[i].want);
    }
}

static void mistakes_are_named_with_line_and_column(void **state)
{
    (void)state;
    static const struct text_case cases[] = {
        {"", "t:1:1: expected a value, found the end"},
        {" \n ", "t:2:2: expected a value, found the end"},
        {"{\"a\":1,\n \"b\" 2}", "t:2:6: expected ':', found '2'"},
        {"[1 2]", "t:1:4: expected ',' or ']', found '2'"},
        {"{\"a\":1 \"b\":2}", "t:1:8: expected ',' or '}', found '\"'"},
        {"{\"a\":1]", "t:1:7: expected ',' or '}', found ']'"},
        {"[1,]", "t:1:4: expected a value, found ']'"},
        {"{\"a\":1,}", "t:1:8: expected a key in '\"', found '}'"},
        {"{a:1}", "t:1:2: expected a key in '\"' or '}', found 'a'"},
        {"[1", "t:1:3: expected the ']' of a list, found the end"},
        {"[1,", "t:1:4: expected the ']' of a list, found the end"},
        {"{\"a\"", "t:1:5: expected ':', found the end"},
        {"{", "t:1:2: expected the '}' of an object, found the end"},
        {"1 2", "t:1:3: expected the end of the text, found '2'"},
        {"{} x", "t:1:4: expected the end of the text, found 'x'"},
        {"truth", "t:1:1: expected a value, found 't'"},
        {"'a'", "t:1:1: expected a value, found '''"},
        {"01", "t:1:1: expected a number, found '0'"},
        {"1.", "t:1:1: expected a number, found '1'"},
        {"-", "t:1:1: expected a number, found '-'"},
        {"[1.e5]", "t:1:2: expected a number, found '1'"},
        {"-.5", "t:1:1: expected a number, found '-'"},
        {".5", "t:1:1: expected a value, found '.'"},
        {"+1", "t:1:1: expected a value, found '+'"},
        {"1e", "t:1:2: expected the end of the text, found 'e'"},
        {"1e999", "t:1:1: expected a number that a double can hold, found '1'"},
        {"[\"abc]", "t:1:2: expected a closing '\"' for this one, found '\"'"},
        {"\"a\\x\"", "t:1:3: expected a valid escape, found '\\'"},
        {"\"\\u12g4\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"\\u12\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"\\u0000\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"\\ud800\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"\\ud800\\u0041\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"\\udc00\"", "t:1:2: expected a valid escape, found '\\'"},
        {"\"a\nb\"",
         "t:1:3: expected control characters escaped, found the byte 0x0a"},
        {"\"\xC3\xA9\xFF\"",
         "t:1:3: expected valid UTF-8, found the byte 0xff"},
        {"\"\xED\xA0\x80\"",
         "t:1:2: expected valid UTF-8, found the byte 0xed"},
        {"{\"a\":1,\n\"b\":2,\"a\":3}", "t:2:7: the key \"a\" stands twice"},
        {"{\"a\":1,\"\\u0061\":3}", "t:1:8: the key \"a\" stands twice"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {0};
        assert_null(json_parse(arena, str_of(cases[i].text), "t", false, &err));
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

static void nul_bytes_are_refused_everywhere(void **state)
{
    (void)state;
    static const struct str texts[] = {
        {"\0", 1}, {"1\0", 2}, {"\"a\0\"", 4}, {"[1,\0]", 5}, {"{}\0", 3}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_null(json_parse(arena, texts[i], "t", false, NULL));
    assert_null(json_parse(arena, (struct str){0}, "t", false, NULL));
}

/* Each cut is its own allocation, so that the address sanitizer sees a read
 * behind it. */
static void no_prefix_of_an_object_is_valid_or_read_past(void **state)
{
    (void)state;
    struct str text = STR("{\"k\\n\\u00e9\\ud83d\\ude00\":[1.5e-3,-Infinity,"
                          "true,null,\"\xE2\x82\xAC and more text\"]}");
    for (size_t n = 0; n < text.len; n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, text.p, n);
        assert_null(json_parse(arena, str_n(cut, n), "t", true, NULL));
        free(cut);
    }
    parse(text);
}

static void depth_is_limited_to_128(void **state)
{
    (void)state;
    char text[300];
    memset(text, '[', 129);
    memset(text + 129, ']', 129);
    parse(str_n(text + 1, 256));
    struct err err = {0};
    assert_null(json_parse(arena, str_n(text, 258), "t", false, &err));
    assert_string_equal(
        err.text, "t:1:129: expected at most 128 levels of nesting, found '['");
}

static void duplicates_are_found_in_large_objects(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++)
        buf_addf(&out, "%s\"key%d\":%d", i ? "," : "{", i * 7919 % 5000, i);
    buf_adds(&out, "}");
    assert_int_equal(parse(buf_str(&out))->count, 5000);
    out.len--;
    buf_adds(&out, ",\n\"key77\":1,\"key3\":2}");
    struct err err = {0};
    assert_null(json_parse(arena, buf_str(&out), "t", false, &err));
    assert_string_equal(err.text, "t:2:1: the key \"key77\" stands twice");
}

static void values_know_where_they_stood(void **state)
{
    (void)state;
    struct value *v = parse(STR("{\n  \"\xC3\xA9\": [1,\n   \"x\"]}"));
    assert_int_equal(v->line, 1);
    assert_int_equal(v->column, 1);
    assert_int_equal(v->key_lines[0], 2);
    assert_int_equal(v->key_columns[0], 3);
    struct value *list = v->items[0];
    assert_int_equal(list->line, 2);
    assert_int_equal(list->column, 8);
    assert_int_equal(list->items[1]->line, 3);
    assert_int_equal(list->items[1]->column, 4);
}

static void strings_point_into_the_text_unless_copied(void **state)
{
    (void)state;
    char text[] = "{\"key\":\"text\"}";
    struct str s = str_of(text);
    struct value *shared = json_parse(arena, s, "t", false, NULL);
    assert_ptr_equal(shared->items[0]->s.p, text + 8);
    struct value *copied = json_parse(arena, s, "t", true, NULL);
    memset(text, 'x', sizeof(text) - 1);
    assert_true(str_is(copied->keys[0], "key"));
    assert_true(str_is(copied->items[0]->s, "text"));
}

static void values_follow_one_another(void **state)
{
    (void)state;
    struct str rest = STR(" {\"a\":1}\n[2] 3 x");
    assert_int_equal(json_parse_next(arena, &rest, "t", NULL)->kind,
                     VALUE_OBJECT);
    assert_int_equal(json_parse_next(arena, &rest, "t", NULL)->kind,
                     VALUE_LIST);
    assert_int_equal(json_parse_next(arena, &rest, "t", NULL)->i, 3);
    assert_true(str_is(rest, "x"));
    assert_null(json_parse_next(arena, &rest, "t", NULL));
    assert_true(str_is(rest, "x"));
}

static void a_sorted_print_has_its_keys_in_order(void **state)
{
    (void)state;
    struct value *v =
        parse(STR("{\"b\":[1,{\"z\":[],\"y\":{}}],\"a\":{\"d\":1,\"c\":2.0}}"));
    json_print_sorted(&out, v);
    assert_string_equal(out.p, "{\"a\":{\"c\":2.0,\"d\":1},"
                               "\"b\":[1,{\"y\":{},\"z\":[]}]}");
}

static void whatever_is_printed_can_be_read(void **state)
{
    (void)state;
    json_string(&out, STR("a\0b\xFF\xE2\x82 long enough for eight\x01"));
    assert_string_equal(out.p,
                        "\"a\xEF\xBF\xBD"
                        "b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD long enough "
                        "for eight\\u0001\"");
    parse(buf_str(&out));
    buf_reset(&out);
    json_string(&out, (struct str){0});
    json_number(&out, -INFINITY);
    assert_string_equal(out.p, "\"\"-Infinity");
}

/* The printer and the scanner share the search for special bytes, eight at a
 * time; every byte must be seen at every place. */
static void special_bytes_are_seen_at_every_place(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        for (size_t at = 0; at < 20; at++) {
            char text[24];
            memset(text, 'a', sizeof(text));
            text[0] = text[21] = '"';
            text[1 + at] = (char)c;
            bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            struct value *v =
                json_parse(arena, str_n(text, 22), "t", false, NULL);
            assert_int_equal(v != NULL, plain);
            buf_reset(&out);
            json_string(&out, str_n(text + 1, 20));
            assert_int_equal(out.len == 22, plain);
        }
    }
}

static struct str random_text(struct rng *r)
{
    static const char *const pieces[] = {
        "a",    "key", "\"", "\\",       "\n",           "\x01",
        "\x7F", " ",   "/",  "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct buf b;
    buf_init(&b);
    for (uint64_t n = rng_below(r, 12); n > 0; n--)
        buf_adds(&b, pieces[rng_below(r, 12)]);
    struct str s = arena_str(arena, buf_str(&b));
    buf_done(&b);
    return s;
}

static struct value *random_scalar(struct rng *r)
{
    uint64_t bits = rng_u64(r);
    double d;
    memcpy(&d, &bits, sizeof(d));
    switch (rng_below(r, 6)) {
    case 0:
        return value_null(arena);
    case 1:
        return value_bool(arena, bits & 1);
    case 2:
        return value_int(arena, (int64_t)bits >> rng_below(r, 64));
    case 3:
        return value_double(arena, isnan(d) ? NAN : d);
    case 4:
        return value_double(arena, rng_uniform(r));
    default:
        return value_string(arena, random_text(r));
    }
}

static struct value *random_tree(struct rng *r, unsigned depth)
{
    if (depth == 0 || rng_below(r, 3) == 0)
        return random_scalar(r);
    bool object = rng_below(r, 2);
    struct value *v = object ? value_object(arena) : value_list(arena);
    for (uint64_t n = rng_below(r, 8); n > 0; n--) {
        struct value *item = random_tree(r, depth - 1);
        if (object)
            value_set(arena, v, random_text(r), item);
        else
            value_list_add(arena, v, item);
    }
    return v;
}

static void random_trees_read_back(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 0, "json");
    struct buf again;
    buf_init(&again);
    for (int i = 0; i < 5000; i++) {
        struct value *v = random_tree(&r, 5);
        buf_reset(&out);
        json_print(&out, v);
        struct value *back = parse(buf_str(&out));
        assert_true(value_eq(v, back));
        buf_reset(&again);
        json_print(&again, back);
        assert_string_equal(out.p, again.p);
        buf_reset(&out);
        json_print_sorted(&out, v);
        assert_true(value_eq(v, parse(buf_str(&out))));
        arena_reset(arena);
    }
    buf_done(&again);
}

static void the_scanner_gives_every_token(void **state)
{
    (void)state;
    struct json_scan s;
    json_scan_init(&s,
                   STR("{\"step\":3,\"a\\n\":[0.5,true,null],\"s\":\"x\"}"));
    static const enum json_token want[] = {
        JSON_OBJECT_OPEN, JSON_KEY,    JSON_INT,    JSON_KEY,
        JSON_LIST_OPEN,   JSON_DOUBLE, JSON_TRUE,   JSON_NULL,
        JSON_LIST_CLOSE,  JSON_KEY,    JSON_STRING, JSON_OBJECT_CLOSE,
        JSON_END,         JSON_END};
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_int_equal(json_scan_next(&s), want[i]);
        if (i == 1)
            assert_true(str_is(s.text, "step") && !s.escaped);
        if (i == 2)
            assert_true(s.i == 3 && s.d == 3.0);
        if (i == 3)
            assert_true(str_is(s.text, "a\\n") && s.escaped);
        if (i == 5)
            assert_true(s.d == 0.5);
    }
}

static void the_scanner_stays_at_what_is_bad(void **state)
{
    (void)state;
    struct str text = STR("[1,x]");
    struct json_scan s;
    json_scan_init(&s, text);
    assert_int_equal(json_scan_next(&s), JSON_LIST_OPEN);
    assert_int_equal(json_scan_next(&s), JSON_INT);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(json_scan_next(&s), JSON_BAD);
        assert_ptr_equal(s.p, text.p + 3);
        assert_string_equal(s.why, "a value");
    }
}

static void skipping_passes_over_whole_values(void **state)
{
    (void)state;
    struct json_scan s;
    json_scan_init(&s, STR("{\"a\":{\"x\":[1,{}]},\"b\":[[]],\"c\":7}"));
    assert_int_equal(json_scan_next(&s), JSON_OBJECT_OPEN);
    assert_int_equal(json_scan_next(&s), JSON_KEY);
    assert_int_equal(json_scan_skip(&s, json_scan_next(&s)), 0);
    assert_int_equal(json_scan_skip(&s, json_scan_next(&s)), 0);
    assert_int_equal(json_scan_next(&s), JSON_KEY);
    assert_true(str_is(s.text, "c"));
    assert_int_equal(json_scan_skip(&s, json_scan_next(&s)), 0);
    assert_int_equal(json_scan_next(&s), JSON_OBJECT_CLOSE);
    json_scan_init(&s, STR("[[1,"));
    assert_int_equal(json_scan_skip(&s, json_scan_next(&s)), -1);
}

static void unescaping_refuses_bad_escapes(void **state)
{
    (void)state;
    assert_int_equal(json_unescape(&out, STR("a\\u00e9\\n")), 0);
    assert_string_equal(out.p, "a\xC3\xA9\n");
    assert_int_equal(json_unescape(&out, STR("\\q")), -1);
    assert_int_equal(json_unescape(&out, STR("\\")), -1);
    assert_int_equal(json_unescape(&out, STR("\\ud83d")), -1);
    assert_int_equal(json_unescape(&out, STR("\\u00")), -1);
    assert_int_equal(json_unescape(&out, (struct str){0}), 0);
}

static void values_are_passed_over_unread(void **state)
{
    (void)state;
    static const struct {
        const char *key, *raw;
    } want[] = {
        {"a", "-1.5e3"},       {"b", "{\"c\":\"}\\\"]\",\"d\":[1,{\"x\":{}}]}"},
        {"e", "\"te\\\"xt\""}, {"f", "null"},
        {"g", "[]"},
    };
    struct json_scan s;
    struct str raw;
    json_scan_init(&s, STR("{\"a\":-1.5e3,\"b\":{\"c\":\"}\\\"]\",\"d\":[1,"
                           "{\"x\":{}}]} , \"e\" : \"te\\\"xt\",\"f\":null ,"
                           "\"g\":[]}"));
    assert_int_equal(json_scan_next(&s), JSON_OBJECT_OPEN);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_int_equal(json_scan_next(&s), JSON_KEY);
        assert_true(str_is(s.text, want[i].key));
        assert_int_equal(json_scan_pass(&s, &raw), 0);
        assert_true(str_is(raw, want[i].raw));
    }
    assert_int_equal(json_scan_next(&s), JSON_OBJECT_CLOSE);
    assert_int_equal(json_scan_next(&s), JSON_END);
}

static void passing_stops_at_the_end_of_the_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"a\":", "{\"a\": ", "{\"a\":\"b",
                                        "{\"a\":}", "{\"a\":,"};
    struct json_scan s;
    struct str raw;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_scan_init(&s, str_of(texts[i]));
        assert_int_equal(json_scan_next(&s), JSON_OBJECT_OPEN);
        assert_int_equal(json_scan_next(&s), JSON_KEY);
        assert_int_equal(json_scan_pass(&s, &raw), -1);
    }
    /* An open object or string in it goes to the end and no further. */
    json_scan_init(&s, STR("{\"a\":{\"b\":\"c\\"));
    json_scan_next(&s);
    json_scan_next(&s);
    assert_int_equal(json_scan_pass(&s, &raw), 0);
    assert_ptr_equal(raw.p + raw.len, s.end);
}

#define WITH_ARENA(test)                                                       \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(valid_texts_read_and_print),
        WITH_ARENA(mistakes_are_named_with_line_and_column),
        WITH_ARENA(nul_bytes_are_refused_everywhere),
        WITH_ARENA(no_prefix_of_an_object_is_valid_or_read_past),
        WITH_ARENA(depth_is_limited_to_128),
        WITH_ARENA(duplicates_are_found_in_large_objects),
        WITH_ARENA(values_know_where_they_stood),
        WITH_ARENA(strings_point_into_the_text_unless_copied),
        WITH_ARENA(values_follow_one_another),
        WITH_ARENA(a_sorted_print_has_its_keys_in_order),
        WITH_ARENA(whatever_is_printed_can_be_read),
        WITH_ARENA(special_bytes_are_seen_at_every_place),
        WITH_ARENA(random_trees_read_back),
        WITH_ARENA(the_scanner_gives_every_token),
        WITH_ARENA(the_scanner_stays_at_what_is_bad),
        WITH_ARENA(skipping_passes_over_whole_values),
        WITH_ARENA(values_are_passed_over_unread),
        WITH_ARENA(passing_stops_at_the_end_of_the_text),
        WITH_ARENA(unescaping_refuses_bad_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
