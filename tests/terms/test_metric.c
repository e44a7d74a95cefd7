/* test_metric.c - lines of metrics, and batches of points */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/num.h"
#include "base/rng.h"
#include "terms/metric.h"

static struct metric_line line;

static int setup(void **state)
{
    (void)state;
    metric_line_init(&line);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    metric_line_done(&line);
    return 0;
}

static void read_json(const char *text)
{
    struct err err = {0};
    if (metric_line_json(&line, str_of(text), &err))
        fail_msg("%s: %s", text, err.text);
}

static void assert_pair(size_t i, const char *name, double value)
{
    assert_true(i < line.count);
    if (!str_is(line.pairs[i].name, name))
        fail_msg("name %.*s, not %s", STRF(line.pairs[i].name), name);
    double got = line.pairs[i].value;
    if (!(got == value || (isnan(got) && isnan(value))))
        fail_msg("%s is %g, not %g", name, got, value);
}

static void a_plain_line_gives_step_and_values(void **state)
{
    (void)state;
    read_json("{\"step\":3,\"val_loss\":0.21}");
    assert_int_equal(line.step, 3);
    assert_int_equal(line.count, 1);
    assert_pair(0, "val_loss", 0.21);
}

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    read_json(" { \"a\" : true, \"b\":false,\"c\":null,\"d\":NaN,"
              "\"e\":-Infinity,\"f\":\" 1e-3 \",\"g\":\"text\",\"h\":[1,{}],"
              "\"i j\":-7,\"_step\":5,\"step\":4.0 } ");
    assert_int_equal(line.step, 4);
    assert_int_equal(line.count, 8);
    assert_pair(0, "a", 1);
    assert_pair(1, "b", 0);
    assert_pair(2, "c", NAN);
    assert_pair(3, "d", NAN);
    assert_pair(4, "e", -INFINITY);
    assert_pair(5, "f", 1e-3);
    assert_pair(6, "i j", -7);
    assert_pair(7, "_step", 5);
}

static void nested_objects_flatten_with_a_slash(void **state)
{
    (void)state;
    read_json("{\"train\":{\"loss\":1,\"step\":9,\"deep\":{\"x\":2}},"
              "\"empty\":{},\"test\":{\"l\u00f6ss\":3},\"z\":4}");
    assert_int_equal(line.step, METRIC_NO_STEP);
    assert_int_equal(line.count, 5);
    assert_pair(0, "train/loss", 1);
    assert_pair(1, "train/step", 9);
    assert_pair(2, "train/deep/x", 2);
    assert_pair(3, "test/l\303\266ss", 3);
    assert_pair(4, "z", 4);
}

static void many_nested_names_stay_right_while_memory_grows(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text);
    buf_adds(&text, "{\"group\":{\"n0\":0");
    for (int i = 1; i < 5000; i++)
        buf_addf(&text, ",\"n%d\":%d", i, i);
    buf_adds(&text, "}}");
    read_json(text.p);
    assert_int_equal(line.count, 5000);
    for (size_t i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof(name), "group/n%zu", i);
        assert_pair(i, name, (double)i);
    }
    buf_done(&text);
}

static void a_step_may_be_any_whole_number_or_absent(void **state)
{
    (void)state;
    read_json("{\"step\":-5}");
    assert_int_equal(line.step, -5);
    read_json("{\"step\":9007199254740993}");
    assert_true(line.step == 9007199254740993);
    read_json("{\"step\":\"12\"}");
    assert_int_equal(line.step, 12);
    read_json("{\"step\":1e3}");
    assert_int_equal(line.step, 1000);
    read_json("{\"step\":null,\"x\":1}");
    assert_true(line.step == METRIC_NO_STEP);
    read_json("{}");
    assert_int_equal(line.count, 0);
}

static void assert_refused(const char *text, const char *part)
{
    struct err err = {0};
    if (metric_line_json(&line, str_of(text), &err) != -1)
        fail_msg("%s was taken", text);
    if (!strstr(err.text, part))
        fail_msg("%s: '%s' lacks '%s'", text, err.text, part);
    assert_int_equal(line.count, 0);
    assert_true(line.step == METRIC_NO_STEP);
}

static void what_is_no_object_is_refused_with_the_column(void **state)
{
    (void)state;
    assert_refused("", "JSON object");
    assert_refused("[1]", "JSON object");
    assert_refused("loss=3", "JSON object");
    assert_refused("{\"a\":1", "column 7");
    assert_refused("{\"a\":1}x", "column 8");
    assert_refused("{\"a\":1} {}", "column 9");
    assert_refused("{\"a\":}", "column 6");
    assert_refused("{\"a\" 1}", "column 6");
    assert_refused("{\"a\":[1,}", "column 9");
    assert_refused("{\"b\":2,\"step\":1.5}", "whole number, not 1.5");
    assert_refused("{\"step\":NaN}", "whole number");
    assert_refused("{\"step\":1e300}", "whole number");
    assert_refused("{\"step\":\"x\"}", "whole number");
    assert_refused("{\"\":1}", "column 2: a name is empty");
    assert_refused("{\"a\":{\"\":1}}", "a name is empty");
    assert_refused("{\"a\":{\"b\":1}", "column 13");
}

static void names_have_a_longest_length(void **state)
{
    (void)state;
    char text[METRIC_NAME_MAX + 32];
    for (int len = METRIC_NAME_MAX; len <= METRIC_NAME_MAX + 1; len++) {
        int n = snprintf(text, sizeof(text), "{\"%0*d\":1}", len, 0);
        assert_true(n > 0);
        struct err err = {0};
        int rc = metric_line_json(&line, str_of(text), &err);
        assert_int_equal(rc, len > METRIC_NAME_MAX ? -1 : 0);
        snprintf(text, sizeof(text), "{\"%0*d\":{\"b\":1}}", len - 2, 0);
        rc = metric_line_json(&line, str_of(text), &err);
        assert_int_equal(rc, len > METRIC_NAME_MAX ? -1 : 0);
    }
}

static void a_line_has_a_longest_length(void **state)
{
    (void)state;
    struct buf text;
    struct err err = {0};
    buf_init(&text);
    while (text.len <= METRIC_LINE_MAX)
        buf_adds(&text, "                                ");
    assert_int_equal(metric_line_json(&line, buf_str(&text), &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    buf_done(&text);
}

static void words_are_read_as_behind_the_mark(void **state)
{
    (void)state;
    struct str rest;
    assert_true(metric_line_marked(
        STR("::throng step=3 val_loss=.21  \"odd \\\"name\"=1\tx=nan y=true"),
        &rest));
    assert_int_equal(metric_line_words(&line, rest, NULL), 0);
    assert_int_equal(line.step, 3);
    assert_int_equal(line.count, 4);
    assert_pair(0, "val_loss", 0.21);
    assert_pair(1, "odd \"name", 1);
    assert_pair(2, "x", NAN);
    assert_pair(3, "y", 1);
    assert_int_equal(metric_line_words(&line, STR(" "), NULL), 0);
    assert_int_equal(line.count, 0);
}

static void only_the_exact_mark_counts(void **state)
{
    (void)state;
    struct str rest;
    assert_false(metric_line_marked(STR(" ::throng a=1"), &rest));
    assert_false(metric_line_marked(STR("::throngs a=1"), &rest));
    assert_false(metric_line_marked(STR("::throng"), &rest));
}

static void words_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"loss", "expected name=number, found 'loss'"},
        {"a=1 loss=abc", "column 5: loss=abc is not a number"},
        {"=1", "name is empty"},
        {"\"\"=1", "name is empty"},
        {"\"abc=1", "not closed"},
        {"\"abc\" =1", "expected name=number"},
        {"loss=", "not a number"},
        {"step=1.5", "whole number"}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct err err = {0};
        assert_int_equal(metric_line_words(&line, str_of(texts[i][0]), &err),
                         -1);
        if (!strstr(err.text, texts[i][1]))
            fail_msg("'%s' lacks '%s'", err.text, texts[i][1]);
        assert_int_equal(line.count, 0);
    }
}

static void words_become_a_line_of_json(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    assert_int_equal(
        metric_line_words(&line, STR("loss=.12 step=3 \"a b\"=inf"), NULL), 0);
    metric_line_print(&b, &line);
    assert_string_equal(b.p, "{\"step\":3,\"loss\":0.12,\"a b\":Infinity}\n");
    b.p[b.len - 1] = 0;
    read_json(b.p);
    assert_int_equal(line.step, 3);
    assert_pair(1, "a b", INFINITY);
    buf_reset(&b);
    assert_int_equal(metric_line_words(&line, STR("loss=nan"), NULL), 0);
    metric_line_print(&b, &line);
    assert_string_equal(b.p, "{\"loss\":NaN}\n");
    buf_done(&b);
}

/* A random object as text; keys never repeat in one object. */
static void random_object(struct buf *b, struct rng *r, int depth)
{
    static const char *const values[] = {
        "1",     "-2.5e3",  "true", "null",  "NaN",        "\"7\"",
        "\"x\"", "[1,[2]]", "0.1",  "false", "12345678901"};
    static const char *const keys[] = {"a", "b\\n", "loss", "\u00e9t", "x y"};
    buf_addc(b, '{');
    uint64_t count = rng_below(r, 5);
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            buf_adds(b, rng_below(r, 2) ? "," : " , ");
        buf_addf(b, "\"%s%d\":", keys[rng_below(r, 5)], (int)i);
        if (depth < 3 && rng_below(r, 4) == 0)
            random_object(b, r, depth + 1);
        else
            buf_adds(b, values[rng_below(r, 11)]);
    }
    buf_addc(b, '}');
}

/* What metric_line_json ought to find, the slow way. */
static void check_against(const struct value *v, struct buf *prefix, size_t *at)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct value *item = v->items[i];
        size_t before = prefix->len;
        double want = value_number(item);
        buf_addstr(prefix, v->keys[i]);
        bool counts = value_is_number(item) || item->kind == VALUE_NULL ||
                      item->kind == VALUE_BOOL;
        if (item->kind == VALUE_BOOL)
            want = item->boolean;
        if (item->kind == VALUE_STRING)
            counts = num_double(item->s, &want);
        if (counts)
            assert_pair((*at)++, prefix->p, want);
        if (item->kind == VALUE_OBJECT) {
            buf_addc(prefix, '/');
            check_against(item, prefix, at);
        }
        prefix->len = before;
        prefix->p[before] = 0;
    }
}

static void random_lines_agree_with_the_json_parser(void **state)
{
    (void)state;
    struct rng r;
    struct arena *a = arena_new();
    struct buf text, prefix;
    rng_init(&r, 3, 1, "metric");
    buf_init(&text);
    buf_init(&prefix);
    for (int i = 0; i < 5000; i++) {
        size_t at = 0;
        arena_reset(a);
        buf_reset(&text);
        buf_reset(&prefix);
        random_object(&text, &r, 0);
        struct value *v = json_parse(a, buf_str(&text), "t", true, NULL);
        assert_non_null(v);
        read_json(text.p);
        check_against(v, &prefix, &at);
        assert_int_equal(at, line.count);
    }
    buf_done(&text);
    buf_done(&prefix);
    arena_free(a);
}

static void damaged_lines_agree_with_the_json_parser(void **state)
{
    (void)state;
    struct rng r;
    struct arena *a = arena_new();
    struct buf text;
    int refused = 0;
    rng_init(&r, 4, 1, "metric");
    buf_init(&text);
    for (int i = 0; i < 5000; i++) {
        struct err err = {0};
        arena_reset(a);
        buf_reset(&text);
        random_object(&text, &r, 0);
        static const char bytes[] = "{}[]\",:01x ";
        text.p[rng_below(&r, text.len)] = bytes[rng_below(&r, 11)];
        struct value *v = json_parse(a, buf_str(&text), "t", true, &err);
        bool duplicate = !v && strstr(err.text, "twice");
        bool empty = strstr(text.p, "\"\":") != NULL;
        int rc = metric_line_json(&line, buf_str(&text), NULL);
        if (!v && !duplicate && rc == 0)
            fail_msg("%s was taken: %s", text.p, err.text);
        if (v && v->kind == VALUE_OBJECT && !empty && rc != 0)
            fail_msg("%s was refused", text.p);
        refused += rc != 0;
    }
    assert_true(refused > 500 && refused < 5000);
    buf_done(&text);
    arena_free(a);
}

/* Reads the next column and checks its head. */
static struct metric_column next(struct metric_reader *r, const char *name,
                                 size_t count)
{
    struct metric_column c;
    assert_int_equal(metric_reader_next(r, &c), 1);
    assert_true(str_is(c.name, name));
    assert_int_equal(c.count, count);
    return c;
}

static void add(struct metric_batch *b, const char *json,
                enum metric_source source)
{
    read_json(json);
    assert_int_equal(metric_batch_add_line(b, &line, source), 0);
}

static void a_batch_gives_its_points_in_columns(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    struct metric_reader r;
    struct metric_column c;
    struct buf out;
    buf_init(&out);
    add(b, "{\"step\":5,\"loss\":1,\"acc\":2}", METRIC_FROM_METRICS);
    add(b, "{\"step\":6,\"loss\":3,\"acc\":4}", METRIC_FROM_METRICS);
    add(b, "{\"step\":7,\"acc\":6}", METRIC_FROM_METRICS);
    assert_int_equal(metric_batch_points(b), 5);
    metric_batch_print(b, &out);
    assert_int_equal(metric_batch_points(b), 0);
    metric_reader_init(&r, buf_str(&out));
    c = next(&r, "loss", 2);
    assert_int_equal(c.source, METRIC_FROM_METRICS);
    assert_true(metric_step(&c, 0) == 5 && metric_value(&c, 0) == 1);
    assert_true(metric_step(&c, 1) == 6 && metric_value(&c, 1) == 3);
    c = next(&r, "acc", 3);
    assert_true(metric_step(&c, 2) == 7 && metric_value(&c, 2) == 6);
    assert_int_equal(metric_reader_next(&r, &c), 0);
    buf_done(&out);
    metric_batch_free(b);
}

static void every_batch_stands_for_itself(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    struct metric_reader r;
    struct metric_column c;
    struct buf out;
    buf_init(&out);
    add(b, "{\"x\":1}", METRIC_FROM_METRICS);
    metric_batch_print(b, &out);
    buf_reset(&out);
    add(b, "{\"y\":1,\"x\":2}", METRIC_FROM_METRICS);
    metric_batch_print(b, &out);
    metric_reader_init(&r, buf_str(&out));
    c = next(&r, "y", 1);
    c = next(&r, "x", 1);
    assert_true(metric_step(&c, 0) == 1);
    assert_int_equal(metric_reader_next(&r, &c), 0);
    buf_reset(&out);
    metric_batch_print(b, &out);
    metric_reader_init(&r, buf_str(&out));
    assert_int_equal(metric_reader_next(&r, &c), 0);
    buf_done(&out);
    metric_batch_free(b);
}

static void lines_without_a_step_count_per_name_and_source(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    struct metric_reader r;
    struct metric_column c;
    struct buf out;
    buf_init(&out);
    add(b, "{\"x\":1}", METRIC_FROM_METRICS);
    add(b, "{\"x\":1}", METRIC_FROM_OUTPUT);
    add(b, "{\"x\":2,\"y\":3}", METRIC_FROM_METRICS);
    assert_int_equal(
        metric_batch_add(b, STR("x"), METRIC_FROM_OUTPUT, METRIC_NO_STEP, 2),
        0);
    metric_batch_print(b, &out);
    metric_reader_init(&r, buf_str(&out));
    c = next(&r, "x", 2);
    assert_int_equal(c.source, METRIC_FROM_METRICS);
    assert_true(metric_step(&c, 0) == 0 && metric_step(&c, 1) == 1);
    c = next(&r, "x", 2);
    assert_int_equal(c.source, METRIC_FROM_OUTPUT);
    assert_true(metric_step(&c, 0) == 0 && metric_step(&c, 1) == 1);
    c = next(&r, "y", 1);
    assert_true(metric_step(&c, 0) == 0);
    buf_done(&out);
    metric_batch_free(b);
}

static void names_past_the_limit_are_dropped_and_counted(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    char name[32];
    for (int i = 0; i < METRIC_NAMES_MAX; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(
            metric_batch_add(b, str_of(name), METRIC_FROM_METRICS, 1, 1), 0);
    }
    assert_int_equal(
        metric_batch_add(b, STR("more"), METRIC_FROM_METRICS, 1, 1), -1);
    assert_int_equal(metric_batch_add(b, STR("n7"), METRIC_FROM_METRICS, 2, 1),
                     0);
    read_json("{\"n1\":1,\"p\":1,\"q\":1}");
    assert_int_equal(metric_batch_add_line(b, &line, METRIC_FROM_METRICS), 2);
    assert_int_equal(metric_batch_points(b), METRIC_NAMES_MAX + 2);
    metric_batch_free(b);
}

static void a_reserved_name_is_kept_however_many_others_come_first(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    char name[32];
    metric_batch_reserve(b, STR("loss"));
    for (int i = 0; i < METRIC_NAMES_MAX + 1; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        metric_batch_add(b, str_of(name), METRIC_FROM_METRICS, 1, 1);
    }
    size_t before = metric_batch_points(b);
    assert_int_equal(
        metric_batch_add(b, STR("loss"), METRIC_FROM_METRICS, 1, 1), 0);
    assert_int_equal(metric_batch_points(b), before + 1);
    metric_batch_free(b);
}

static void every_cut_payload_is_damaged(void **state)
{
    (void)state;
    struct metric_batch *b = metric_batch_new();
    struct buf out;
    buf_init(&out);
    add(b, "{\"step\":5,\"loss\":1,\"acc\":2}", METRIC_FROM_METRICS);
    metric_batch_print(b, &out);
    for (size_t len = 0; len < out.len; len++) {
        struct metric_reader r;
        struct metric_column c;
        int rc;
        char *copy = test_malloc(len + 1);
        memcpy(copy, out.p, len);
        metric_reader_init(&r, str_n(copy, len));
        while ((rc = metric_reader_next(&r, &c)) == 1)
            assert_true(c.count == 1);
        assert_int_equal(rc, -1);
        assert_int_equal(metric_reader_next(&r, &c), -1);
        test_free(copy);
    }
    buf_addc(&out, 0);
    struct metric_reader r;
    struct metric_column c;
    metric_reader_init(&r, buf_str(&out));
    assert_int_equal(metric_reader_next(&r, &c), 1);
    assert_int_equal(metric_reader_next(&r, &c), 1);
    assert_int_equal(metric_reader_next(&r, &c), -1);
    buf_done(&out);
    metric_batch_free(b);
}

static void a_count_past_the_payload_is_damage(void **state)
{
    (void)state;
    struct buf out;
    struct metric_reader r;
    struct metric_column c;
    buf_init(&out);
    buf_add_varint(&out, 1);
    buf_add_varint(&out, 0);
    buf_add_u8(&out, METRIC_FROM_METRICS);
    buf_add_bytes(&out, STR("x"));
    buf_add_varint(&out, UINT64_MAX / 8 + 1);
    metric_reader_init(&r, buf_str(&out));
    assert_int_equal(metric_reader_next(&r, &c), -1);
    buf_done(&out);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_plain_line_gives_step_and_values),
        TEST(values_of_every_kind_are_read),
        TEST(nested_objects_flatten_with_a_slash),
        TEST(many_nested_names_stay_right_while_memory_grows),
        TEST(a_step_may_be_any_whole_number_or_absent),
        TEST(what_is_no_object_is_refused_with_the_column),
        TEST(names_have_a_longest_length),
        TEST(a_line_has_a_longest_length),
        TEST(words_are_read_as_behind_the_mark),
        TEST(only_the_exact_mark_counts),
        TEST(words_that_are_no_numbers_are_refused),
        TEST(words_become_a_line_of_json),
        TEST(random_lines_agree_with_the_json_parser),
        TEST(damaged_lines_agree_with_the_json_parser),
        TEST(a_batch_gives_its_points_in_columns),
        TEST(every_batch_stands_for_itself),
        TEST(lines_without_a_step_count_per_name_and_source),
        TEST(names_past_the_limit_are_dropped_and_counted),
        TEST(a_reserved_name_is_kept_however_many_others_come_first),
        TEST(every_cut_payload_is_damaged),
        TEST(a_count_past_the_payload_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
