/* test_report.c - `throng report`, without the program around it */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include "api/api.h"
#include "sys/sys.h"

static int run(const char *const *words, size_t count, struct buf *out,
               struct err *err)
{
    bool stop = false;
    struct api_report r = {.words = words, .count = count};
    return api_report(&r, out, &stop, err);
}

static void words_become_one_line(void **state)
{
    (void)state;
    struct buf out;
    const char *words[] = {"loss=.12", "step=3", "odd name=2"};
    buf_init(&out);
    assert_int_equal(run(words, 3, &out, NULL), 0);
    assert_string_equal(out.p, "{\"step\":3,\"loss\":0.12,\"odd name\":2.0}\n");
    buf_done(&out);
}

static void words_without_a_value_are_refused(void **state)
{
    (void)state;
    struct buf out;
    struct err err = {0};
    const char *no_number[] = {"loss=high"}, *no_value[] = {"loss"},
               *step_only[] = {"step=3"};
    buf_init(&out);
    assert_int_equal(run(no_number, 1, &out, &err), -1);
    assert_true(strlen(err.text) > 0);
    assert_int_equal(run(no_value, 1, &out, &err), -1);
    assert_int_equal(run(step_only, 1, &out, &err), -1);
    assert_int_equal(run(NULL, 0, &out, &err), -1);
    assert_int_equal(out.len, 0);
    buf_done(&out);
}

static void lines_are_appended_and_the_stop_file_is_seen(void **state)
{
    (void)state;
    char folder[] = "/tmp/throng-report-XXXXXX";
    struct arena *a = arena_new();
    struct buf text, out;
    bool stop = true;
    const char *words[] = {"x=1"};
    assert_non_null(mkdtemp(folder));
    struct api_report r = {.metrics = path_join(a, folder, "m"),
                           .stop_file = path_join(a, folder, "stop"),
                           .words = words,
                           .count = 1};
    buf_init(&text);
    buf_init(&out);
    assert_int_equal(api_report(&r, &out, &stop, NULL), 0);
    assert_false(stop);
    file_write(r.stop_file, STR(""), false, NULL);
    assert_int_equal(api_report(&r, &out, &stop, NULL), 0);
    assert_true(stop);
    file_read(r.metrics, 0, &text, NULL);
    assert_string_equal(text.p, "{\"x\":1.0}\n{\"x\":1.0}\n");
    assert_int_equal(out.len, 0);
    buf_done(&text);
    buf_done(&out);
    dir_remove(folder, NULL);
    arena_free(a);
}

/* A full disk takes a part of a line; then there is room again. */
static void a_torn_line_does_not_spoil_the_next_one(void **state)
{
    (void)state;
    char folder[] = "/tmp/throng-report-XXXXXX";
    struct arena *a = arena_new();
    struct buf text, out;
    struct rlimit before, small;
    bool stop;
    const char *words[] = {"loss=0.125"};
    assert_non_null(mkdtemp(folder));
    struct api_report r = {
        .metrics = path_join(a, folder, "m"), .words = words, .count = 1};
    buf_init(&text);
    buf_init(&out);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 7;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = api_report(&r, &out, &stop, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(rc, -1);
    assert_int_equal(api_report(&r, &out, &stop, NULL), 0);
    assert_int_equal(api_report(&r, &out, &stop, NULL), 0);
    assert_int_equal(file_read(r.metrics, 0, &text, NULL), 0);
    assert_string_equal(text.p,
                        "{\"loss\"\n{\"loss\":0.125}\n{\"loss\":0.125}\n");
    buf_done(&text);
    buf_done(&out);
    dir_remove(folder, NULL);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_one_line),
        cmocka_unit_test(words_without_a_value_are_refused),
        cmocka_unit_test(lines_are_appended_and_the_stop_file_is_seen),
        cmocka_unit_test(a_torn_line_does_not_spoil_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
