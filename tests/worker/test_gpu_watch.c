/* Tests of src/worker/gpu_watch.c: what programs in jobs have of GPUs. A script
 * stands for nvidia-smi: it prints whatever is in the file `says`, again and
 * again. */
#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include "terms/bundle.h"

#define MIB (1ull << 20)
#define FIRST "GPU-aaaa1111-0000-0000-0000-000000000000"
#define SECOND "GPU-bbbb2222-0000-0000-0000-000000000000"
#define OTHER "GPU-cccc3333-0000-0000-0000-000000000000"

/* Beside the tasks' folders. */
static const char again[] = "#!/bin/sh\n"
                            "echo \"$*\" > asked\n"
                            "echo $$ > watcher\n"
                            "while :; do\n"
                            "cat says; echo one >> rounds; sleep 0.02\n"
                            "done\n";
static const char until_end[] =
    "echo up > up; while test ! -e end; do sleep 0.02; done";

static void put_nvidia_smi(struct bench *b, const char *script)
{
    char *path = job_file(b, "nvidia-smi");
    assert_int_equal(file_write(path, str_of(script), false, NULL), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void says(struct bench *b, const char *text)
{
    assert_int_equal(file_write(job_file(b, "says"), str_of(text), false, NULL),
                     0);
}

static void start(struct bench *b, const char *visible)
{
    const char *options[] = {"--granted", "slurm", NULL};
    const char *env[] = {
        arena_printf(b->arena, "PATH=%s:/usr/local/bin:/usr/bin:/bin",
                     b->folder),
        "SLURM_JOB_ID=77", "SLURM_CPUS_ON_NODE=4",
        arena_printf(b->arena, "CUDA_VISIBLE_DEVICES=%s", visible), NULL};
    job_start(b, 0, options, env);
}

static struct task on_gpus(struct bench *b, uint64_t id, double gpus)
{
    struct task t = bench_shell(b, id, until_end);
    t.needs.gpus = gpus;
    return t;
}

static void let_end(struct bench *b, uint64_t id)
{
    assert_int_equal(
        file_write(bench_path(b, id, "end"), STR("\n"), false, NULL), 0);
}

static struct use use_of(struct bench *b, uint64_t id)
{
    let_end(b, id);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, id), OUTCOME_DONE);
    return bench_ended(b, id).use;
}

static pid_t watcher(struct bench *b)
{
    return (pid_t)strtol(bench_await_file(b, job_file(b, "watcher")), NULL, 10);
}

/* Returns when it has said this several times. */
static void let_look(struct bench *b, const char *text)
{
    says(b, text);
    uint64_t began = file_bytes(job_file(b, "rounds"));
    for (int i = 0; i < 12000; i++, clock_pause_ms(5))
        if (file_bytes(job_file(b, "rounds")) > began + 20 * strlen("one\n"))
            return;
    fail_msg("nobody looks");
}

static void a_program_in_a_job_has_what_its_gpu_has(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 1);
    put_nvidia_smi(b, again);
    says(b, "");
    job_write(b, &t, 1);
    start(b, "1");
    pid_t child = watcher(b);
    bench_await_file(b, bench_path(b, 1, "up"));
    let_look(b, "1, " FIRST ", 29, 4096, 300.5\n"
                "2, " OTHER ", 88, 9999, 100\n");
    struct use u = use_of(b, 1);
    assert_true(u.gpu_seen_s > 0);
    assert_true(u.gpu_busy_s > 0.28 * u.gpu_seen_s &&
                u.gpu_busy_s < 0.30 * u.gpu_seen_s);
    assert_true(u.gpu_bytes == 4096 * MIB); /* the job's alone */
    /* Power by time, of which the first look has none. */
    assert_true(u.joules > 0 && u.joules < 301 * u.gpu_seen_s);
    assert_true(bench_gone(child, 10));
    assert_contains(bench_file(b, job_file(b, "asked")),
                    "--query-gpu=index,uuid,utilization.gpu,memory.used,"
                    "power.draw --format=csv,noheader,nounits -lms 1000");
}

static void two_gpus_of_one_job_are_told_apart(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {on_gpus(b, 1, 1), on_gpus(b, 2, 1)};
    put_nvidia_smi(b, again);
    says(b, "");
    job_write(b, tasks, 2);
    start(b, FIRST ",GPU-bbbb");
    bench_await_file(b, bench_path(b, 1, "up"));
    bench_await_file(b, bench_path(b, 2, "up"));
    let_look(b, "0, " OTHER ", 1, 7, 1\n"
                "1, " SECOND ", 90, 2048, 600\n"
                "2, " FIRST ", 10, 1024, 100\n");
    let_end(b, 1);
    struct use two = use_of(b, 2), one = bench_ended(b, 1).use;
    assert_true(one.gpu_bytes == 1024 * MIB && two.gpu_bytes == 2048 * MIB);
    assert_true(one.gpu_busy_s < 0.2 * one.gpu_seen_s);
    assert_true(two.gpu_busy_s > 0.8 * two.gpu_seen_s);
}

static void what_makes_no_sense_is_not_known(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 1);
    put_nvidia_smi(b, "#!/bin/sh\necho $$ > watcher\n"
                      "head -c 100000 /dev/zero\n"
                      "echo 'Failed to initialize NVML: Unknown Error'\n"
                      "echo '0, " FIRST ", 400, -1, nan'\n"
                      "printf '0, " FIRST ", 50, 7'\n"
                      "exit 255\n");
    job_write(b, &t, 1);
    start(b, "0");
    assert_true(bench_gone(watcher(b), 30));
    bench_await_file(b, bench_path(b, 1, "up"));
    struct use u = use_of(b, 1);
    assert_true(u.gpu_seen_s == 0 && u.gpu_bytes == 0 && u.joules == 0);
}

static void one_that_hangs_holds_up_nothing_and_ends_with_the_job(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 1);
    put_nvidia_smi(b, "#!/bin/sh\ntrap '' TERM INT HUP\n"
                      "echo $$ > watcher\nwhile :; do sleep 1; done\n");
    job_write(b, &t, 1);
    start(b, "0");
    pid_t child = watcher(b);
    bench_await_file(b, bench_path(b, 1, "up"));
    struct use u = use_of(b, 1);
    assert_true(u.gpu_seen_s == 0);
    assert_true(bench_gone(child, 10));
}

static void it_ends_with_a_worker_that_is_killed(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 1);
    put_nvidia_smi(b, again);
    says(b, "0, " FIRST ", 29, 4096, 300\n");
    job_write(b, &t, 1);
    start(b, "0");
    pid_t child = watcher(b);
    kill(b->pid, SIGKILL);
    job_wait(b);
    assert_true(bench_gone(child, 10));
}

static void nobody_is_asked_where_no_task_needs_a_gpu(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 0);
    put_nvidia_smi(b, again);
    says(b, "0, " FIRST ", 29, 4096, 300\n");
    job_write(b, &t, 1);
    start(b, "0");
    bench_await_file(b, bench_path(b, 1, "up"));
    struct use u = use_of(b, 1);
    assert_true(u.gpu_seen_s == 0);
    assert_false(file_exists(job_file(b, "watcher")));
}

static void a_node_without_it_runs_tasks_all_the_same(void **state)
{
    struct bench *b = *state;
    struct task t = on_gpus(b, 1, 1);
    job_write(b, &t, 1);
    start(b, "0");
    bench_await_file(b, bench_path(b, 1, "up"));
    struct use u = use_of(b, 1);
    assert_true(u.gpu_seen_s == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_program_in_a_job_has_what_its_gpu_has),
        with_bench(two_gpus_of_one_job_are_told_apart),
        with_bench(what_makes_no_sense_is_not_known),
        with_bench(one_that_hangs_holds_up_nothing_and_ends_with_the_job),
        with_bench(it_ends_with_a_worker_that_is_killed),
        with_bench(nobody_is_asked_where_no_task_needs_a_gpu),
        with_bench(a_node_without_it_runs_tasks_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
