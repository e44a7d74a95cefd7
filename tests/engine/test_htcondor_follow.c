/* A cluster whose event log is moved, copied and cut while it is followed */
#include "engine/htcondor_follow.h"
#include "base/arena.h"
#include "sys/sys.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define EVENT(number, time, text)                                              \
    number " (007.000.000) 2026-11-15 09:26:" time " " text "\n...\n"
#define SUBMITTED EVENT("000", "05", "Job submitted from host: <h>")
#define EXECUTES(time) EVENT("001", time, "Job executing on host: <h>")
#define EVICTED(time) EVENT("004", time, "Job was evicted.")
#define HELD                                                                   \
    EVENT("012", "20", "Job was held.\n\tfor a while\n\tCode 1 Subcode 0")

struct followed {
    char folder[32];
    struct arena *arena;
    const char *log;
    struct cluster *cluster;
};

static int open_one(void **state)
{
    struct followed *f = xcalloc(1, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/follow.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->arena = arena_new();
    f->cluster = cluster_new(7, f->folder, 1);
    f->log = cluster_log(f->cluster);
    *state = f;
    return 0;
}

static int close_one(void **state)
{
    struct followed *f = *state;
    cluster_free(f->cluster);
    dir_remove(f->folder, NULL);
    arena_free(f->arena);
    free(f);
    return 0;
}

static void write_log(const struct followed *f, const char *text)
{
    assert_int_equal(file_write(f->log, str_of(text), false, NULL), 0);
}

/* What is there now is read; 0 where nothing is wrong with it. */
static int follow(const struct followed *f)
{
    struct err err = {0};
    return cluster_read(f->cluster, &err);
}

/* The same file, with less or more in it. */
static void cut_log(const struct followed *f, const char *text)
{
    FILE *log = fopen(f->log, "r+");
    assert_non_null(log);
    assert_int_equal(ftruncate(fileno(log), 0), 0);
    fputs(text, log);
    fclose(log);
}

/* Another file in its place. */
static void replace_log(const struct followed *f, const char *text)
{
    const char *old = arena_printf(f->arena, "%s.old", f->log);
    assert_int_equal(rename(f->log, old), 0);
    write_log(f, text);
}

static void expect(const struct followed *f, enum condor_state state,
                   uint32_t starts)
{
    const struct condor_job *job = &cluster_proc(f->cluster, 0)->job;
    assert_int_equal(job->state, state);
    assert_int_equal(job->starts, starts);
}

#define TWO_STARTS SUBMITTED EXECUTES("06") EVICTED("07") EXECUTES("08")

static void a_log_that_is_copied_and_read_again_changes_nothing(void **state)
{
    struct followed *f = *state;
    write_log(f, TWO_STARTS);
    assert_int_equal(follow(f), 0);
    expect(f, CONDOR_JOB_RUNS, 2);
    replace_log(f, TWO_STARTS);
    assert_int_equal(follow(f), -1); /* that it is another one is said */
    expect(f, CONDOR_JOB_RUNS, 2);
    replace_log(f, TWO_STARTS EVICTED("09") EXECUTES("10"));
    follow(f);
    expect(f, CONDOR_JOB_RUNS, 3);
}

static void a_log_that_is_cut_takes_nothing_back(void **state)
{
    struct followed *f = *state;
    write_log(f, TWO_STARTS HELD);
    follow(f);
    expect(f, CONDOR_JOB_HOLDS, 2);
    cut_log(f, SUBMITTED EXECUTES("06"));
    follow(f);
    expect(f, CONDOR_JOB_HOLDS, 2);
}

static void a_rotated_log_that_begins_anew_goes_on(void **state)
{
    struct followed *f = *state;
    write_log(f, TWO_STARTS);
    follow(f);
    replace_log(f, EVICTED("09") EXECUTES("10"));
    follow(f);
    expect(f, CONDOR_JOB_RUNS, 3);
}

/* The times of a log are whole seconds. */
static void two_starts_within_a_second_are_two(void **state)
{
    struct followed *f = *state;
    const char *quick = SUBMITTED EXECUTES("06") EVICTED("06") EXECUTES("06");
    write_log(f, quick);
    follow(f);
    expect(f, CONDOR_JOB_RUNS, 2);
    replace_log(f, quick);
    follow(f);
    expect(f, CONDOR_JOB_RUNS, 2);
    replace_log(f, arena_printf(f->arena, "%s%s%s", quick, EVICTED("06"),
                                EXECUTES("06")));
    follow(f);
    expect(f, CONDOR_JOB_RUNS, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_log_that_is_copied_and_read_again_changes_nothing, open_one,
            close_one),
        cmocka_unit_test_setup_teardown(a_log_that_is_cut_takes_nothing_back,
                                        open_one, close_one),
        cmocka_unit_test_setup_teardown(a_rotated_log_that_begins_anew_goes_on,
                                        open_one, close_one),
        cmocka_unit_test_setup_teardown(two_starts_within_a_second_are_two,
                                        open_one, close_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
