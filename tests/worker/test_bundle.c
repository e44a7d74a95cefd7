/* test_bundle.c - a file of tasks, as a scheduler starts it once or more; the
 * command line */
#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "terms/bundle.h"

static void a_bundle_runs_and_answers_beside_it(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "echo '::throng x=4'"),
                           bench_shell(b, 2, "exit 5")};
    job_write(b, tasks, 2);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(b->records.p[0].type, RECORD_HELLO);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_FAILED);
    assert_string_equal(bench_metric(b, 1, "x"), "0:4");
}

/* ---- later starts ------------------------------------------------------ */

/* The first is done; the second has a checkpoint and two points when its node
 * goes; the third has not begun. */
static void lose_a_node(struct bench *b)
{
    struct task tasks[] = {
        bench_shell(b, 1, "echo once >> ../one; echo '::throng x=1'"),
        bench_shell(b, 2,
                    "if test -s \"$THRONG_CHECKPOINT/c\"; then"
                    "  cat \"$THRONG_CHECKPOINT/c\"; pwd > ../where;"
                    "  echo '::throng x=7'; exit 0; fi;"
                    "echo '::throng x=5'; echo '::throng x=6';"
                    "echo epoch 2 > \"$THRONG_CHECKPOINT/c\";"
                    "echo lives > ../two; sleep 600"),
        bench_shell(b, 3, "true")};
    const char *options[] = {"--room", "cpus=1;parallel=1", NULL};
    job_write(b, tasks, 3);
    job_start(b, 0, options, NULL);
    bench_await_file(b, job_file(b, "trials/two"));
    job_await(b, 0, RECORD_POINTS, 2);
    while (strcmp(bench_metric(b, 2, "x"), "0:5 1:6") != 0)
        job_hear(b, 0);
    kill(b->pid, SIGKILL);
    assert_int_equal(job_wait(b), 128 + SIGKILL);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_NONE);
    assert_int_equal(job_outcome(b, 3), OUTCOME_NONE);
}

static void a_later_start_runs_what_has_not_ended(void **state)
{
    struct bench *b = *state;
    lose_a_node(b);
    assert_int_equal(job_run(b, 1), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(b->records.p[0].type, RECORD_HELLO);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 3), OUTCOME_DONE);
    assert_string_equal(bench_file(b, job_file(b, "trials/one")), "once\n");
}

static void a_later_start_goes_on_in_a_folder_of_its_own(void **state)
{
    struct bench *b = *state;
    lose_a_node(b);
    assert_int_equal(job_run(b, 1), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_contains(bench_file(b, job_file(b, "trials/where")),
                    "/trials/2.1r1\n");
    assert_contains(bench_file(b, job_file(b, "trials/2.1r1/log")), "epoch 2");
    assert_null(strstr(bench_file(b, bench_path(b, 2, "log")), "epoch 2"));
    assert_string_equal(bench_metric(b, 2, "x"), "2:7");
}

/* Each start that began it is the one that the next goes on from. */
static void the_newest_folder_is_gone_on_from(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 4,
                                "echo more >> \"$THRONG_CHECKPOINT/c\";"
                                "test $(wc -l < \"$THRONG_CHECKPOINT/c\") -ge 3"
                                " && exit 0; kill -9 $PPID; sleep 600");
    job_write(b, &t, 1);
    assert_int_equal(job_run(b, 0), 128 + SIGKILL);
    assert_int_equal(job_run(b, 1), 128 + SIGKILL);
    assert_int_equal(job_run(b, 2), WORKER_EXIT_DONE);
    job_hear(b, 2);
    assert_int_equal(job_outcome(b, 4), OUTCOME_DONE);
    assert_string_equal(bench_file(b, job_file(b, "trials/4.1r2/checkpoint/c")),
                        "more\nmore\nmore\n");
    assert_string_equal(bench_file(b, bench_path(b, 4, "checkpoint/c")),
                        "more\n");
}

static void what_was_handed_back_is_not_run_again(void **state)
{
    struct bench *b = *state;
    static const enum outcome outcomes[] = {OUTCOME_UNSTARTED,
                                            OUTCOME_INTERRUPTED,
                                            OUTCOME_CHECKPOINTED, OUTCOME_LOST};
    struct task tasks[5];
    struct buf payload;
    buf_init(&payload);
    for (uint64_t i = 0; i < 5; i++)
        tasks[i] = bench_shell(b, i, "true");
    job_write(b, tasks, 5);
    for (uint64_t i = 0; i < 4; i++) {
        struct record_ended e = {.outcome = outcomes[i]};
        buf_reset(&payload);
        record_ended_print(&payload, &e);
        struct record r = {.type = RECORD_ENDED,
                           .task = i,
                           .attempt = 1,
                           .sequence = 1,
                           .payload = buf_str(&payload)};
        job_append(b, job_said(b, 0), &r, 0);
    }
    buf_done(&payload);
    assert_int_equal(job_run(b, 1), WORKER_EXIT_DONE);
    job_hear(b, 1);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(bench_count(b, RECORD_STARTING, i), 0);
    assert_int_equal(job_outcome(b, 4), OUTCOME_DONE);
}

static void a_start_that_has_answers_is_not_begun_twice(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "echo once >> ../one");
    job_write(b, &t, 1);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    char *before = bench_file(b, job_said(b, 0));
    assert_int_equal(job_run(b, 0), WORKER_EXIT_TWICE);
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "7.said.0 holds answers already");
    assert_string_equal(bench_file(b, job_said(b, 0)), before);
    assert_string_equal(bench_file(b, job_file(b, "trials/one")), "once\n");
    file_write(job_said(b, 0), STR(""), false, NULL);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
}

/* ---- what is not as it should be --------------------------------------- */

static void append(const char *path, struct str text)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fwrite(text.p, 1, text.len, f);
    fclose(f);
}

static void earlier_answers_may_end_in_zeros_or_torn(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "true"),
                           bench_shell(b, 2, "true")};
    struct record torn = {.type = RECORD_ENDED, .task = 2, .attempt = 1};
    static const char zeros[5000];
    job_write(b, tasks, 1);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    job_write(b, tasks, 2);
    append(job_said(b, 0), str_n(zeros, sizeof zeros));
    job_append(b, job_said(b, 1), &torn, 1);
    assert_int_equal(job_run(b, 2), WORKER_EXIT_DONE);
    job_hear(b, 2);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    assert_null(strstr(bench_file(b, job_file(b, "7.log")), "damaged"));
}

static void what_is_behind_damage_is_not_believed(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "true"),
                           bench_shell(b, 2, "true")};
    job_write(b, tasks, 1);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    append(job_said(b, 0), STR("\x40\0\0\0 this is no record, and it is long "
                               "enough to have a length of its own …"));
    struct record_ended done = {.outcome = OUTCOME_DONE};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &done);
    struct record ended = {.type = RECORD_ENDED,
                           .task = 2,
                           .attempt = 1,
                           .payload = buf_str(&payload)};
    job_append(b, job_said(b, 0), &ended, 0);
    buf_done(&payload);
    job_write(b, tasks, 2);
    assert_int_equal(job_run(b, 1), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    const char *log = bench_file(b, job_file(b, "7.log"));
    assert_contains(log, "7.said.0: a record is damaged");
    assert_contains(log, "not believed");
}

static void a_damaged_bundle_is_told_apart(void **state)
{
    struct bench *b = *state;
    struct record hello = {.type = RECORD_HELLO};
    append(job_file(b, "7.tasks"), STR("this is no bundle, not at all"));
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DAMAGED);
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "7.tasks: a record is damaged");
    unlink(job_file(b, "7.tasks"));
    job_append(b, job_file(b, "7.tasks"), &hello, 0);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DAMAGED);
    assert_contains(bench_file(b, job_file(b, "7.log")), "no task");
    unlink(job_file(b, "7.tasks"));
    assert_int_equal(job_run(b, 0), WORKER_EXIT_NO_TASKS);
    assert_false(file_exists(job_said(b, 0)));
}

static void a_bundle_without_its_end_is_waited_for(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "true"),
                           bench_shell(b, 2, "true")};
    const char *options[] = {"--room", JOB_ROOM, NULL};
    struct buf whole;
    buf_init(&whole);
    job_write(b, tasks, 2);
    file_read(job_file(b, "7.tasks"), 0, &whole, NULL);
    file_write(job_file(b, "7.tasks"), str_n(whole.p, whole.len - 9), false,
               NULL);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DAMAGED);
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "in the middle of a record");
    job_start(b, 0, options, NULL);
    append(job_file(b, "7.tasks"), str_n(whole.p + whole.len - 9, 9));
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    buf_done(&whole);
}

/* ---- nothing around it ------------------------------------------------- */

static int run(struct bench *b, const char *const *argv)
{
    struct process_id id;
    struct err err = {0};
    struct spawn s = {
        .argv = argv, .in = -1, .out = -1, .err = -1, .keep_fd = -1};
    if (process_spawn(&s, &id, &err) != 0)
        fail_msg("%s", err.text);
    b->pid = id.pid;
    return job_wait(b);
}

static int run_worker(struct bench *b, const char *const *args)
{
    const char *argv[16] = {given("THRONG_WORKER")};
    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    return run(b, argv);
}

/* As root, or as a user who may be root in a namespace of its own; false:
 * neither. */
static bool run_in(struct bench *b, const char *const *args, int *code)
{
    const char *argv[24] = {"unshare", "--user",  "--map-root-user",
                            "chroot",  b->folder, "/throng-worker"};
    const char *version[] = {"--version", NULL};
    const char *const *program = geteuid() == 0 ? argv + 3 : argv;
    argv[6] = version[0];
    if (run(b, program) != 0)
        return false;
    for (size_t i = 0; i == 0 || args[i - 1]; i++)
        argv[i + 6] = args[i];
    *code = run(b, program);
    return true;
}

static void copy_in(struct bench *b, const char *program, const char *name)
{
    struct buf text;
    buf_init(&text);
    file_read(program, 0, &text, NULL);
    file_write(job_file(b, name), buf_str(&text), false, NULL);
    chmod(job_file(b, name), 0755);
    buf_done(&text);
}

/* Worker, program and bundle are static or plain files, and need nothing else:
 * no /proc, no /dev, no /tmp, no /etc. The second start finds the answers of
 * the first, and has nothing to do. */
static void a_bundle_runs_in_an_empty_chroot(void **state)
{
    struct bench *b = *state;
    int code = -1;
    const char *argv[] = {"/alone", NULL};
    struct task t = bench_command(b, 1, argv);
    t.folder = STR("/trials/1");
    copy_in(b, given("THRONG_WORKER"), "throng-worker");
    copy_in(b, given("WORKER_ALONE"), "alone");
    job_write(b, &t, 1);
    const char *first[] = {"--bundle", "/7.tasks", "--room",
                           "cpus=1;parallel=1", NULL};
    const char *second[] = {
        "--bundle", "/7.tasks", "--room", "cpus=1;parallel=1",
        "--start",  "1",        NULL};
    if (!run_in(b, first, &code)) {
        print_message("skipped: needs a static throng-worker, and root or user "
                      "namespaces, for a chroot\n");
        skip();
    }
    assert_int_equal(code, WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(bench_metric(b, 1, "x"), "0:3");
    assert_string_equal(bench_file(b, bench_path(b, 1, "log")), "alone\n");
    assert_string_equal(bench_file(b, bench_path(b, 1, "checkpoint/c")), "1\n");
    assert_true(run_in(b, second, &code));
    assert_int_equal(code, WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(b->records.len, 1);
}

static void a_wrong_command_line_is_a_usage_error(void **state)
{
    struct bench *b = *state;
    const char *none[] = {NULL};
    const char *unknown[] = {"--dance", NULL};
    const char *word[] = {"--fd", "x", NULL};
    const char *missing[] = {"--fd", "0", NULL};
    const char *mark[] = {"--bundle", "x.tasks", "--mark", "nothing", NULL};
    const char *name[] = {"--bundle", "x", NULL};
    const char *start[] = {"--bundle", "x.tasks", "--start", "4096", NULL};
    const char *version[] = {"--version", NULL};
    assert_int_equal(run_worker(b, none), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, unknown), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, word), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, missing), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, mark), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, name), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, start), WORKER_EXIT_USAGE);
    assert_int_equal(run_worker(b, version), WORKER_EXIT_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_bundle_runs_and_answers_beside_it),
        with_bench(a_later_start_runs_what_has_not_ended),
        with_bench(a_later_start_goes_on_in_a_folder_of_its_own),
        with_bench(the_newest_folder_is_gone_on_from),
        with_bench(what_was_handed_back_is_not_run_again),
        with_bench(a_start_that_has_answers_is_not_begun_twice),
        with_bench(earlier_answers_may_end_in_zeros_or_torn),
        with_bench(what_is_behind_damage_is_not_believed),
        with_bench(a_damaged_bundle_is_told_apart),
        with_bench(a_bundle_without_its_end_is_waited_for),
        with_bench(a_bundle_runs_in_an_empty_chroot),
        with_bench(a_wrong_command_line_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
