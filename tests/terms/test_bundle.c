/* test_bundle.c - the files of a bundle, and what is whole in one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "terms/bundle.h"

static void the_files_of_a_bundle_begin_with_its_index(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    assert_null(bundle_stem("/s/jobs/1/7.tasksx", a));
    assert_null(bundle_stem(".tasks", a));
    const char *stem = bundle_stem("/s/jobs/1/7.tasks", a);
    assert_string_equal(stem, "/s/jobs/1/7");
    assert_string_equal(bundle_tasks(stem, a), "/s/jobs/1/7.tasks");
    assert_string_equal(bundle_asked(stem, a), "/s/jobs/1/7.asked");
    assert_string_equal(bundle_said(stem, 0, a), "/s/jobs/1/7.said.0");
    assert_string_equal(bundle_said(stem, 12, a), "/s/jobs/1/7.said.12");
    assert_string_equal(bundle_log(stem, a), "/s/jobs/1/7.log");
    arena_free(a);
}

static void a_later_start_has_a_folder_of_its_own(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct record r = {.task = 1234, .attempt = 3};
    assert_string_equal(bundle_folder(STR("/s/1/1234"), &r, 2, a),
                        "/s/1/1234.3r2");
    assert_string_equal(bundle_folder(STR("/s/1/1234.2"), &r, 1, a),
                        "/s/1/1234.3r1");
    assert_string_equal(bundle_folder(STR("1234"), &r, 1, a), "1234.3r1");
    arena_free(a);
}

static void add(struct buf *b, enum record_type type, const char *payload)
{
    struct record r = {
        .type = type, .attempt = 1, .task = 5, .payload = str_of(payload)};
    record_print(b, &r);
}

static int next(const char *p, size_t len, struct err *err)
{
    struct record r = {0};
    size_t used = 0;
    return bundle_next(str_n(p, len), &r, &used, err);
}

static void a_file_that_is_being_written_is_not_damaged(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    add(&b, RECORD_NOTICE, "what there is to say");
    size_t whole = b.len;
    char text[4096] = {0};
    assert_int_equal(next(b.p, whole, &err), 1);
    for (size_t here = 0; here < whole; here++) {
        memset(text, 0, sizeof text);
        memcpy(text, b.p, here);
        assert_int_equal(next(text, here, &err), 0);
        assert_int_equal(next(text, whole, &err), 0);
        assert_int_equal(next(text, sizeof text, &err), 0);
    }
    assert_string_equal(err.text, "");
    buf_done(&b);
}

static void what_is_wrong_and_followed_by_more_is_damage(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    add(&b, RECORD_NOTICE, "what there is to say");
    size_t whole = b.len;
    add(&b, RECORD_NOTICE, "and more of it");
    b.p[whole - 1] ^= 1;
    assert_int_equal(next(b.p, whole, &err), 0);
    assert_int_equal(next(b.p, b.len, &err), -1);
    assert_non_null(strstr(err.text, "checksum"));
    assert_int_equal(next("no record, not at all", 21, &err), -1);
    assert_non_null(strstr(err.text, "length"));
    buf_done(&b);
}

/* One of a newer version is all there: nothing will mend it. */
static void what_is_sound_and_not_known_is_damage_at_the_end_too(void **state)
{
    (void)state;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    add(&b, (enum record_type)200, "");
    assert_int_equal(next(b.p, b.len, &err), -1);
    assert_non_null(strstr(err.text, "no record has type 200"));
    buf_done(&b);
}

static void every_exit_code_has_its_words(void **state)
{
    (void)state;
    assert_string_equal(worker_exit_words(WORKER_EXIT_DONE),
                        "every task has its answer");
    assert_non_null(worker_exit_words(WORKER_EXIT_UNSAID));
    assert_non_null(worker_exit_words(WORKER_EXIT_AGAIN));
    assert_null(worker_exit_words(84));
    assert_null(worker_exit_words(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_of_a_bundle_begin_with_its_index),
        cmocka_unit_test(a_later_start_has_a_folder_of_its_own),
        cmocka_unit_test(a_file_that_is_being_written_is_not_damaged),
        cmocka_unit_test(what_is_wrong_and_followed_by_more_is_damage),
        cmocka_unit_test(what_is_sound_and_not_known_is_damage_at_the_end_too),
        cmocka_unit_test(every_exit_code_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
