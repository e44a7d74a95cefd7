/* test_campaign.c - what a campaign remembers of a stage: whether it changed,
 * how that is said, and which rows of templates keep their places */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "study/campaign.h"
#include "../one_arena.h"

static struct value *json(const char *text)
{
    struct err err = {0};
    struct value *v = json_parse(arena, str_of(text), "test", true, &err);
    if (!v)
        fail_msg("%s", err.text);
    return v;
}

static const char *print(const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *key_of(const char *text)
{
    struct value *record = json(text);
    record_key(record, arena);
    struct str key = record_text(record, "key");
    assert_int_equal(key.len, 64);
    return arena_cstr(arena, key);
}

static void a_key_is_of_what_decides_results(void **state)
{
    (void)state;
    const char *key = key_of("{\"study\":{\"command\":\"x\",\"retries\":1},"
                             "\"files\":{\"a\":{\"hash\":\"1\",\"bytes\":3}}}");
    /* How it runs, and when a file was touched, decides nothing. */
    assert_string_equal(
        key, key_of("{\"study\":{\"retries\":9,\"engine\":\"slurm\","
                    "\"command\":\"x\"},"
                    "\"files\":{\"a\":{\"bytes\":4,\"hash\":\"1\"}}}"));
    assert_string_equal(
        key, key_of("{\"study\":{\"command\":\"x\",\"device\":\"cuda\"},"
                    "\"files\":{\"a\":{\"hash\":\"1\"}}}"));
    assert_string_equal(
        key, key_of("{\"study\":{\"command\":\"x\",\"kernels\":\"cpu\"},"
                    "\"files\":{\"a\":{\"hash\":\"1\"}}}"));
    assert_string_not_equal(
        key, key_of("{\"study\":{\"command\":\"y\",\"retries\":1},"
                    "\"files\":{\"a\":{\"hash\":\"1\"}}}"));
    assert_string_not_equal(
        key, key_of("{\"study\":{\"command\":\"x\",\"retries\":1},"
                    "\"files\":{\"a\":{\"hash\":\"2\"}}}"));
}

static void rows_that_retired_do_not_count(void **state)
{
    (void)state;
    assert_string_equal(
        key_of("{\"study\":{\"points\":[{\"t\":1},{\"t\":2}]},\"rows\":"
               "[{\"t\":1},{\"t\":2}],\"retired\":[0]}"),
        key_of("{\"study\":{\"points\":[{\"t\":2}]},\"rows\":[{\"t\":2}],"
               "\"retired\":[]}"));
}

/* ---- rows --------------------------------------------------------------- */

static void merged_is(const char *record, const char *rows, const char *list,
                      const char *retired)
{
    struct value *gone;
    struct value *got =
        stage_merge_rows(json(record), json(rows), arena, &gone);
    assert_string_equal(print(got), list);
    assert_string_equal(print(gone), retired);
}

static void rows_that_stay_keep_their_places(void **state)
{
    (void)state;
    const char *done = "{\"state\":\"done\",\"rows\":[{\"t\":1},{\"t\":2}],"
                       "\"retired\":[]}";
    const char *grown = "[{\"t\":1},{\"t\":2},{\"t\":3}]";
    merged_is(done, "[{\"t\":2},{\"t\":1}]", "[{\"t\":1},{\"t\":2}]", "[]");
    merged_is(done, "[{\"t\":3},{\"t\":1},{\"t\":2}]", grown, "[]");
    merged_is(done, "[{\"t\":3},{\"t\":2}]", grown, "[0]");
    /* One that comes back has no trials any more: it stands at the end. */
    merged_is("{\"state\":\"done\",\"rows\":[{\"t\":1},{\"t\":2}],\"retired\":"
              "[0]}",
              "[{\"t\":1},{\"t\":2}]", "[{\"t\":1},{\"t\":2},{\"t\":1}]",
              "[0]");
}

/* Killed while it ran: the same selection goes on, another begins anew. */
static void a_stage_that_is_not_through_goes_on_with_the_same_rows(void **state)
{
    (void)state;
    const char *cut = "{\"state\":\"running\",\"rows\":[{\"t\":1},{\"t\":2},"
                      "{\"t\":3}],\"retired\":[1]}";
    merged_is(cut, "[{\"t\":3},{\"t\":1}]", "[{\"t\":1},{\"t\":2},{\"t\":3}]",
              "[1]");
    merged_is(cut, "[{\"t\":3},{\"t\":4}]", "[{\"t\":3},{\"t\":4}]", "[]");
    merged_is("{}", "[{\"t\":3}]", "[{\"t\":3}]", "[]");
}

/* ---- differences --------------------------------------------------------- */

static void differs(const char *was, const char *now, const char *expected)
{
    struct buf b;
    buf_init(&b);
    record_diff(&b, json(was), json(now));
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void differences_are_said_in_words(void **state)
{
    (void)state;
    differs("{\"study\":{\"command\":\"x\"}}",
            "{\"study\":{\"command\":\"x\"}}", "");
    differs("{\"study\":{\"command\":\"x\"}}",
            "{\"study\":{\"command\":\"y\"}}",
            "command: was \"x\", now \"y\"\n");
    differs("{\"files\":{\"a\":{\"hash\":\"1\"},\"b\":{\"hash\":\"1\"}}}",
            "{\"files\":{\"a\":{\"hash\":\"2\"},\"c\":{\"hash\":\"1\"}}}",
            "a has changed\nb is not read any more\nc is read now\n");
    differs("{\"values\":{\"s.best.lr\":0.5}}",
            "{\"values\":{\"s.best.lr\":1}}", "s.best.lr was 0.5, is 1\n");
    differs("{\"templates\":[\"t\"],\"rows\":[{\"t\":1},{\"t\":2}]}",
            "{\"templates\":[\"t\"],\"rows\":[{\"t\":1},{\"t\":2},{\"t\":3}],"
            "\"retired\":[0]}",
            "t 1 is selected no more\nt 3 is selected now\n"
            "1 of 2 selected before stay\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_of_what_decides_results),
        TEST(rows_that_retired_do_not_count),
        TEST(rows_that_stay_keep_their_places),
        TEST(a_stage_that_is_not_through_goes_on_with_the_same_rows),
        TEST(differences_are_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
