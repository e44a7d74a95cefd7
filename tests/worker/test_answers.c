/* test_answers.c - a disk that does not take what a bundle's worker says
 *
 * A limit on the size of files, which the worker meets as a full disk is met,
 * can be lifted while it runs. */
#include "job.h"

#include <signal.h>
#include <sys/resource.h>
#include "terms/bundle.h"

#define HUNDRED                                                                \
    "i=0; while test $i -lt 100; do echo '::throng abc='$i; i=$((i+1)); done;"

static void limit_files(pid_t pid, rlim_t bytes)
{
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    assert_int_equal(prlimit(pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

/* The first task fills the disk, and ends when there is room again. */
static void what_could_not_be_written_is_when_there_is_room(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {
        bench_shell(b, 1,
                    "echo up > ../up; while ! test -e ../full; do sleep 0.01;"
                    "done; ulimit -S -f unlimited; " HUNDRED
                    "while ! test -e ../room; do sleep 0.01; done"),
        bench_shell(b, 2, "echo '::throng x=2'")};
    const char *options[] = {"--room", "cpus=1;parallel=1", NULL};
    job_write(b, tasks, 2);
    job_start(b, 0, options, NULL);
    bench_await_file(b, job_file(b, "trials/up"));
    job_await(b, 0, RECORD_STARTED, 1);
    limit_files(b->pid, (rlim_t)file_bytes(job_said(b, 0)) + 10);
    file_write(job_file(b, "trials/full"), STR(""), false, NULL);
    bench_await_file(b, job_file(b, "7.log"));
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "7.said.0: File too large");
    job_hear(b, 0);
    assert_string_equal(bench_metric(b, 1, "abc"), "");
    limit_files(b->pid, RLIM_INFINITY);
    file_write(job_file(b, "trials/room"), STR(""), false, NULL);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_contains(bench_metric(b, 1, "abc"), "99:99");
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
}

/* Nothing is begun that cannot be told of. */
static void a_disk_that_stays_full_is_told_by_the_exit(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "echo ran > ../ran");
    job_write(b, &t, 1);
    if (symlink("/dev/full", job_said(b, 0)) != 0) {
        print_message("no links can be made here\n");
        skip();
    }
    assert_int_equal(job_run(b, 0), WORKER_EXIT_UNSAID);
    const char *log = bench_file(b, job_file(b, "7.log"));
    assert_contains(log, "7.said.0: No space left on device");
    assert_contains(log, "are lost");
    assert_false(file_exists(job_file(b, "trials/ran")));
}

static void a_file_that_cannot_be_made_is_told_by_the_exit(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "echo ran > ../ran");
    job_write(b, &t, 1);
    if (symlink("no/such/folder", job_said(b, 0)) != 0) {
        print_message("no links can be made here\n");
        skip();
    }
    assert_int_equal(job_run(b, 0), WORKER_EXIT_UNSAID);
    assert_contains(bench_file(b, job_file(b, "7.log")), "7.said.0");
    assert_false(file_exists(job_file(b, "trials/ran")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(what_could_not_be_written_is_when_there_is_room),
        with_bench(a_disk_that_stays_full_is_told_by_the_exit),
        with_bench(a_file_that_cannot_be_made_is_told_by_the_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
