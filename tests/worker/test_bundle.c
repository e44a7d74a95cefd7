/* test_bundle.c - a file of tasks, as a scheduler runs it; the command line */
#include "harness.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Runs the program and waits for it; its exit code. */
static int run(struct bench *b, const char *const *argv)
{
    struct process_id id;
    struct err err = {0};
    struct spawn s = {
        .argv = argv, .in = -1, .out = -1, .err = -1, .keep_fd = -1};
    if (process_spawn(&s, &id, &err) != 0)
        fail_msg("%s", err.text);
    b->pid = id.pid;
    int status = bench_wait(b);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_worker(struct bench *b, const char *const *args)
{
    const char *argv[16] = {getenv("THRONG_WORKER")};
    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    return run(b, argv);
}

static int run_in(struct bench *b, const char *root, const char *const *args)
{
    const char *argv[16] = {"chroot", root, "/throng-worker"};
    for (size_t i = 0; args[i]; i++)
        argv[i + 3] = args[i];
    return run(b, argv);
}

static void add_task(struct buf *out, const struct task *t)
{
    struct buf text;
    buf_init(&text);
    task_print(&text, t);
    struct record r = {.type = RECORD_TASK,
                       .task = t->id,
                       .attempt = t->attempt,
                       .payload = buf_str(&text)};
    record_print(out, &r);
    buf_done(&text);
}

static void a_bundle_runs_and_answers_in_a_file(void **state)
{
    struct bench *b = *state;
    struct buf bundle, answers;
    struct task one = bench_shell(b, 1, "echo '::throng x=4'"),
                two = bench_shell(b, 2, "exit 5");
    char *path = path_join(b->arena, b->folder, "bundle");
    buf_init(&bundle);
    buf_init(&answers);
    add_task(&bundle, &one);
    add_task(&bundle, &two);
    file_write(path, buf_str(&bundle), false, NULL);
    const char *args[] = {"--bundle", path, "--mark", MARK, NULL};
    assert_int_equal(run_worker(b, args), 0);
    file_read(arena_printf(b->arena, "%s.out", path), 0, &answers, NULL);
    bench_read_records(b, buf_str(&answers));
    assert_int_equal(b->records.p[0].type, RECORD_HELLO);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_DONE);
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_FAILED);
    assert_string_equal(bench_metric(b, 1, "x"), "0:4");
    buf_done(&bundle);
    buf_done(&answers);
}

/* The static program needs nothing around it, not even /dev/null. */
static void a_bundle_runs_in_an_empty_chroot(void **state)
{
    struct bench *b = *state;
    struct buf bundle, program, answers;
    char *inside = path_join(b->arena, b->folder, "throng-worker");
    const char *argv[] = {"/throng-worker", "--version", NULL};
    struct task t = bench_command(b, 1, argv);
    t.folder = STR("/trials/1");
    buf_init(&bundle);
    buf_init(&program);
    buf_init(&answers);
    file_read(getenv("THRONG_WORKER"), 0, &program, NULL);
    file_write(inside, buf_str(&program), false, NULL);
    chmod(inside, 0755);
    add_task(&bundle, &t);
    file_write(path_join(b->arena, b->folder, "bundle"), buf_str(&bundle),
               false, NULL);
    const char *version[] = {"--version", NULL};
    const char *args[] = {"--bundle", "/bundle", "--room", "cpus=1;parallel=1",
                          NULL};
    bool can = geteuid() == 0 && run_in(b, b->folder, version) == 0;
    if (can) {
        assert_int_equal(run_in(b, b->folder, args), 0);
        file_read(path_join(b->arena, b->folder, "bundle.out"), 0, &answers,
                  NULL);
        bench_read_records(b, buf_str(&answers));
        assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_DONE);
        assert_contains(bench_file(b, bench_path(b, 1, "log")),
                        "throng-worker ");
    }
    buf_done(&bundle);
    buf_done(&program);
    buf_done(&answers);
    if (!can) {
        print_message("skipped: needs root and a static throng-worker\n");
        skip();
    }
}

static void a_damaged_bundle_is_an_error(void **state)
{
    struct bench *b = *state;
    char *path = path_join(b->arena, b->folder, "bundle");
    file_write(path, STR("this is no bundle, not at all"), false, NULL);
    const char *args[] = {"--bundle", path, NULL};
    assert_int_equal(run_worker(b, args), 1);
}

static void a_wrong_command_line_is_a_usage_error(void **state)
{
    struct bench *b = *state;
    const char *none[] = {NULL};
    const char *unknown[] = {"--dance", NULL};
    const char *word[] = {"--fd", "x", NULL};
    const char *missing[] = {"--fd", "0", NULL};
    const char *mark[] = {"--bundle", "x", "--mark", "nothing", NULL};
    const char *version[] = {"--version", NULL};
    assert_int_equal(run_worker(b, none), 2);
    assert_int_equal(run_worker(b, unknown), 2);
    assert_int_equal(run_worker(b, word), 2);
    assert_int_equal(run_worker(b, missing), 2);
    assert_int_equal(run_worker(b, mark), 2);
    assert_int_equal(run_worker(b, version), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_bundle_runs_and_answers_in_a_file),
        with_bench(a_bundle_runs_in_an_empty_chroot),
        with_bench(a_damaged_bundle_is_an_error),
        with_bench(a_wrong_command_line_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
