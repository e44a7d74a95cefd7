/* test_client.c - the library for training programs in C */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "sys/sys.h"
#include "throng.h"

struct place {
    char folder[64];
    struct arena *arena;
};

static const char *in(struct place *p, const char *name)
{
    return path_join(p->arena, p->folder, name);
}

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    p->arena = arena_new();
    snprintf(p->folder, sizeof p->folder, "/tmp/throng-api-test-XXXXXX");
    *state = p;
    return mkdtemp(p->folder) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {
        "THRONG_PARAMS", "THRONG_METRICS", "THRONG_STOP",  "THRONG_CHECKPOINT",
        "THRONG_OUTPUT", "THRONG_STUDY",   "THRONG_TRIAL", "THRONG_ATTEMPT",
        "THRONG_SEED",   "THRONG_BUDGET",  "THRONG_SUBSET"};
    struct place *p = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    dir_remove(p->folder, NULL);
    arena_free(p->arena);
    free(p);
    return 0;
}

static void outside_of_throng_the_given_values_hold(void **state)
{
    (void)state;
    struct throng *t = throng_open();
    assert_non_null(t);
    assert_true(throng_param_double(t, "lr", 0.5) == 0.5);
    assert_int_equal(throng_param_int(t, "n", 7), 7);
    assert_string_equal(throng_param_string(t, "opt", "sgd"), "sgd");
    assert_int_equal(throng_param_bool(t, "flag", 1), 1);
    assert_int_equal(throng_param_has(t, "lr"), 0);
    assert_null(throng_param_json(t, "lr"));
    assert_int_equal(throng_should_stop(t), 0);
    assert_string_equal(throng_study(t), "");
    assert_int_equal(throng_attempt(t), 1);
    assert_int_equal(throng_seed(t), 0);
    assert_int_equal(throng_budget(t), 0);
    assert_true(throng_subset(t) == 1);
    throng_close(t);
    throng_close(NULL);
}

static void parameters_come_from_the_file(void **state)
{
    struct place *p = *state;
    file_write(in(p, "params.json"),
               STR("{\"lr\":1e-3,\"n\":4,\"whole\":8.0,\"opt\":\"adam\","
                   "\"flag\":true,\"net\":{\"width\":{\"first\":64}},"
                   "\"net.depth\":3,\"list\":[1,\"a\"]}"),
               false, NULL);
    setenv("THRONG_PARAMS", in(p, "params.json"), 1);
    struct throng *t = throng_open();
    assert_non_null(t);
    assert_true(throng_param_double(t, "lr", 0) == 1e-3);
    assert_true(throng_param_double(t, "n", 0) == 4);
    assert_int_equal(throng_param_int(t, "n", 0), 4);
    assert_int_equal(throng_param_int(t, "whole", 0), 8);
    assert_int_equal(throng_param_int(t, "lr", -1), -1);
    assert_string_equal(throng_param_string(t, "opt", ""), "adam");
    assert_true(throng_param_double(t, "opt", 9) == 9);
    assert_int_equal(throng_param_bool(t, "flag", 0), 1);
    assert_int_equal(throng_param_int(t, "net.width.first", 0), 64);
    assert_int_equal(throng_param_int(t, "net.depth", 0), 3);
    char *json = throng_param_json(t, "list");
    assert_string_equal(json, "[1,\"a\"]");
    free(json);
    throng_close(t);
}

static void parameters_that_cannot_be_read_are_an_error(void **state)
{
    struct place *p = *state;
    char *why = NULL;
    setenv("THRONG_PARAMS", in(p, "none.json"), 1);
    assert_null(throng_open_why(&why));
    assert_non_null(strstr(why, "none.json"));
    free(why);
    file_write(in(p, "bad.json"), STR("{\"lr\":"), false, NULL);
    setenv("THRONG_PARAMS", in(p, "bad.json"), 1);
    assert_null(throng_open());
}

static void reports_are_lines_of_the_metrics_file(void **state)
{
    struct place *p = *state;
    const char *names[] = {"loss", "odd \"name\""};
    const double values[] = {0.25, -1e300 * 1e300};
    struct buf text;
    setenv("THRONG_METRICS", in(p, "metrics.jsonl"), 1);
    struct throng *t = throng_open();
    assert_int_equal(throng_report(t, 3, "acc", 0.5), 0);
    assert_int_equal(throng_report(t, THRONG_NO_STEP, "acc", 1), 0);
    assert_int_equal(throng_report_many(t, 4, names, values, 2), 0);
    throng_close(t);
    buf_init(&text);
    file_read(in(p, "metrics.jsonl"), 0, &text, NULL);
    assert_string_equal(text.p, "{\"step\":3,\"acc\":0.5}\n"
                                "{\"acc\":1.0}\n"
                                "{\"step\":4,\"loss\":0.25,"
                                "\"odd \\\"name\\\"\":-Infinity}\n");
    buf_done(&text);
}

static void a_report_that_cannot_be_written_is_an_error(void **state)
{
    struct place *p = *state;
    setenv("THRONG_METRICS", in(p, "no/such/folder/metrics.jsonl"), 1);
    struct throng *t = throng_open();
    assert_int_equal(throng_report(t, 1, "x", 1), -1);
    throng_close(t);
}

static void the_stop_file_says_when_to_finish(void **state)
{
    struct place *p = *state;
    setenv("THRONG_STOP", in(p, "stop"), 1);
    struct throng *t = throng_open();
    assert_int_equal(throng_should_stop(t), 0);
    file_write(in(p, "stop"), STR(""), false, NULL);
    assert_int_equal(throng_should_stop(t), 1);
    throng_close(t);
}

static void a_program_knows_who_it_is(void **state)
{
    (void)state;
    setenv("THRONG_STUDY", "mine", 1);
    setenv("THRONG_TRIAL", "12", 1);
    setenv("THRONG_ATTEMPT", "2", 1);
    setenv("THRONG_SEED", "18446744073709551615", 1);
    setenv("THRONG_BUDGET", "30", 1);
    setenv("THRONG_SUBSET", "0.25", 1);
    setenv("THRONG_CHECKPOINT", "/c", 1);
    setenv("THRONG_OUTPUT", "/o", 1);
    struct throng *t = throng_open();
    assert_string_equal(throng_study(t), "mine");
    assert_int_equal(throng_trial(t), 12);
    assert_int_equal(throng_attempt(t), 2);
    assert_true(throng_seed(t) == UINT64_MAX);
    assert_int_equal(throng_budget(t), 30);
    assert_true(throng_subset(t) == 0.25);
    throng_close(t);
}

static void inside_the_folders_are_the_trials(void **state)
{
    struct place *p = *state;
    setenv("THRONG_CHECKPOINT", in(p, "c"), 1);
    setenv("THRONG_OUTPUT", in(p, "o"), 1);
    struct throng *t = throng_open();
    assert_string_equal(throng_checkpoint_dir(t), in(p, "c"));
    assert_string_equal(throng_output_dir(t), in(p, "o"));
    assert_true(file_is_dir(in(p, "c")));
    assert_true(file_is_dir(in(p, "o")));
    throng_close(t);
}

static void by_hand_the_folders_are_here(void **state)
{
    struct place *p = *state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(in(p, "")), 0);
    char *here = getcwd(NULL, 0);
    struct throng *t = throng_open();
    const char *path = throng_checkpoint_dir(t);
    assert_non_null(path);
    assert_int_equal(strncmp(path, here, strlen(here)), 0);
    assert_string_equal(path + strlen(here), "/checkpoint");
    assert_true(file_is_dir(in(p, "checkpoint")));
    assert_false(file_exists(in(p, "output")));
    assert_string_equal(throng_output_dir(t) + strlen(here), "/output");
    assert_string_equal(throng_checkpoint_dir(t), path);
    throng_close(t);
    assert_int_equal(chdir(before), 0);
    free(here);
    free(before);
}

static void a_folder_that_cannot_be_made_is_none(void **state)
{
    struct place *p = *state;
    file_write(in(p, "file"), STR("x"), false, NULL);
    setenv("THRONG_CHECKPOINT", in(p, "file"), 1);
    setenv("THRONG_OUTPUT", in(p, "no/such/folder"), 1);
    struct throng *t = throng_open();
    assert_null(throng_checkpoint_dir(t));
    assert_null(throng_output_dir(t));
    throng_close(t);
}

#define with_place(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_place(outside_of_throng_the_given_values_hold),
        with_place(parameters_come_from_the_file),
        with_place(parameters_that_cannot_be_read_are_an_error),
        with_place(reports_are_lines_of_the_metrics_file),
        with_place(a_report_that_cannot_be_written_is_an_error),
        with_place(the_stop_file_says_when_to_finish),
        with_place(a_program_knows_who_it_is),
        with_place(inside_the_folders_are_the_trials),
        with_place(by_hand_the_folders_are_here),
        with_place(a_folder_that_cannot_be_made_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
