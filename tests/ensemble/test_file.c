/* test_file.c - the file of an ensemble is read as it was written, or refused
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ensemble/ensemble.h"

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void what_is_written_is_read(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct buf b;
    struct ensemble_member members[] = {
        {.weights = STR("a \"b\".safetensors"),
         .sha256 = STR(SUM),
         .weight = 3,
         .study = STR("digits"),
         .trial = 7},
        {.at = 2, .bytes = 3, .sha256 = STR(SUM), .weight = 1}};
    struct ensemble e = {.how = COMBINE_VOTE,
                         .members = members,
                         .count = 2,
                         .chosen = STR("best:2"),
                         .rows = STR("[{\"rows\":1}]")},
                    got;
    (void)state;
    buf_init(&b);
    ensemble_print(&b, &e);
    buf_adds(&b, "..abc");
    assert_true(ensemble_is(buf_str(&b)));
    assert_int_equal(ensemble_parse(&got, buf_str(&b), "x", a, &err), 0);
    assert_int_equal(got.how, COMBINE_VOTE);
    assert_int_equal(got.count, 2);
    assert_true(str_is(got.rows, "[{\"rows\":1}]"));
    assert_true(str_is(got.members[0].weights, "a \"b\".safetensors"));
    assert_true(str_is(got.members[0].study, "digits"));
    assert_int_equal(got.members[0].trial, 7);
    assert_true(got.members[0].weight == 0.75);
    assert_true(str_is(ensemble_inside(&got.members[1], buf_str(&b)), "abc"));
    buf_done(&b);
    arena_free(a);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"{\"format\":\"throng.ensemble/2\"}", "this throng reads"},
        {"{\"format\":\"throng.ensemble/1\"}", "no members"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[]}", "no members"},
        {"{\"format\":\"throng.ensemble/"
         "1\",\"combine\":\"sum\",\"members\":[]}",
         "combine is \"sum\""},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"weights\":\"a\"}]}",
         "member 1: it has no sha256"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"sha256\":\"" SUM
         "\"}]}",
         "member 1: it has neither"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"sha256\":\"" SUM
         "\",\"at\":1,\"bytes\":3}]}\nabc",
         "member 1: its bytes are not all there: the file is cut off"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"weights\":\"a\","
         "\"sha256\":\"" SUM "\",\"weight\":-1}]}",
         "its weight"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"weights\":\"a\","
         "\"sha256\":\"" SUM "\",\"weight\":0}]}",
         "all members are 0"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[{\"weights\":\"a\","
         "\"sha256\":\"" SUM "\",\"weight\":1e308},{\"weights\":\"b\","
         "\"sha256\":\"" SUM "\",\"weight\":1e308}]}",
         "add up to no finite number"},
        {"{\"format\":\"throng.ensemble/1\",\"members\":[", "x:1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct arena *a = arena_new();
        struct ensemble e;
        struct err err = {0};
        assert_true(ensemble_is(str_of(bad[i].text)));
        assert_int_equal(ensemble_parse(&e, str_of(bad[i].text), "x", a, &err),
                         -1);
        if (!strstr(err.text, bad[i].why))
            fail_msg("%s: %s", bad[i].text, err.text);
        arena_free(a);
    }
    assert_false(ensemble_is(STR("")));
    assert_false(ensemble_is(STR("{\"format\":\"other\"}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
