/* test_granted.c - what a scheduler's variables grant a job, and what a task of
 * it sees of them */
#include "job.h"

#include <string.h>
#include <sys/stat.h>
#include "terms/bundle.h"

#define PATH "PATH=/usr/local/bin:/usr/bin:/bin"
#define OF_JOB "SLURM_JOB_ID=77", "SLURM_JOB_NAME=throng"
#define UNTIL(file) "while ! test -e " file "; do sleep 0.01; done;"

static void start(struct bench *b, const char *slots, const char *const *env)
{
    const char *options[] = {"--granted", "slurm", slots ? "--slots" : NULL,
                             slots, NULL};
    job_start(b, 0, options, env);
}

static int run(struct bench *b, const char *const *env)
{
    start(b, NULL, env);
    int code = job_wait(b);
    job_hear(b, 0);
    return code;
}

static char *log_of(struct bench *b, uint64_t id)
{
    return bench_file(b, bench_path(b, id, "log"));
}

/* ---- the room ---------------------------------------------------------- */

/* Each waits for the others of its row to be there too. */
static void as_many_run_at_once_as_have_cpus(void **state)
{
    struct bench *b = *state;
    const char *env[] = {PATH, OF_JOB, "SLURM_CPUS_ON_NODE=3",
                         "SLURM_MEM_PER_NODE=512", NULL};
    struct task tasks[4];
    for (uint64_t i = 0; i < 3; i++)
        tasks[i] = bench_shell(b, i,
                               "touch ../up.$THRONG_TRIAL;" UNTIL("../up.0")
                                   UNTIL("../up.1") UNTIL("../up.2"));
    tasks[3] = bench_shell(b, 3, "true");
    tasks[3].needs.cpus = 4;
    job_write(b, tasks, 4);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(job_outcome(b, i), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 3), OUTCOME_SPAWN);
    assert_contains(bench_ended(b, 3).reason.p, "needs 4 cpus");
}

static void slots_say_how_many_run_at_once(void **state)
{
    struct bench *b = *state;
    const char *env[] = {PATH, OF_JOB, "SLURM_CPUS_ON_NODE=8", NULL};
    struct task tasks[3];
    for (uint64_t i = 0; i < 3; i++)
        tasks[i] = bench_shell(
            b, i, "mkdir ../alone || exit 5; sleep 0.1; rmdir ../alone");
    job_write(b, tasks, 3);
    start(b, "1", env);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(job_outcome(b, i), OUTCOME_DONE);
}

static void memory_is_that_of_the_node_or_of_its_cpus(void **state)
{
    struct bench *b = *state;
    const char *node[] = {PATH, OF_JOB, "SLURM_CPUS_PER_TASK=2",
                          "SLURM_MEM_PER_NODE=300", NULL};
    const char *cpu[] = {PATH, OF_JOB, "SLURM_CPUS_PER_TASK=2",
                         "SLURM_MEM_PER_CPU=300", NULL};
    struct task t = bench_shell(b, 1, "true");
    t.needs.memory_bytes = 500u << 20;
    job_write(b, &t, 1);
    assert_int_equal(run(b, node), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_SPAWN);
    assert_contains(bench_ended(b, 1).reason.p, "has 300 MiB");
    unlink(job_said(b, 0));
    assert_int_equal(run(b, cpu), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
}

static void what_cannot_be_made_out_is_told(void **state)
{
    struct bench *b = *state;
    const char *none[] = {PATH, NULL};
    const char *word[] = {PATH, "SLURM_CPUS_ON_NODE=many", NULL};
    struct task t = bench_shell(b, 1, "true");
    job_write(b, &t, 1);
    assert_int_equal(run(b, none), WORKER_EXIT_GRANT);
    assert_int_equal(run(b, word), WORKER_EXIT_GRANT);
    const char *log = bench_file(b, job_file(b, "7.log"));
    assert_contains(log, "SLURM_CPUS_ON_NODE does not say how many cpus");
    assert_contains(log, "SLURM_CPUS_ON_NODE is `many`");
    assert_false(file_exists(job_said(b, 0)));
}

static void a_file_of_htcondor_says_what_was_granted(void **state)
{
    struct bench *b = *state;
    const char *ad = job_file(b, "machine.ad");
    const char *env[] = {arena_printf(b->arena, "_CONDOR_MACHINE_AD=%s", ad),
                         "OMP_NUM_THREADS=1", "CUDA_VISIBLE_DEVICES=10000",
                         NULL};
    const char *options[] = {"--granted", "htcondor", NULL};
    struct task tasks[3];
    for (uint64_t i = 0; i < 3; i++)
        tasks[i] = bench_shell(b, i, "echo cuda=$CUDA_VISIBLE_DEVICES; true");
    tasks[0].needs.cpus = 2;
    tasks[1].needs.memory_bytes = 300u << 20;
    tasks[2].needs.gpus = 1;
    file_write(ad, STR("TotalCpus = 8.0\nCpus = 2\nMemory = 256\n"), false,
               NULL);
    job_write(b, tasks, 3);
    job_start(b, 0, options, env);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 0), OUTCOME_DONE);
    assert_contains(bench_ended(b, 1).reason.p, "has 256 MiB");
    assert_contains(bench_ended(b, 2).reason.p, "has none");
}

/* ---- GPUs -------------------------------------------------------------- */

/* Two halves on one, a whole one, and the rest waits for nobody. */
static void gpus_are_those_that_were_granted(void **state)
{
    struct bench *b = *state;
    const char *env[] = {PATH,
                         OF_JOB,
                         "SLURM_CPUS_ON_NODE=4",
                         "SLURM_JOB_GPUS=4,5",
                         "SLURM_GPUS_ON_NODE=2",
                         "ROCR_VISIBLE_DEVICES=GPU-0a1b,MIG-77/1/0",
                         "CUDA_VISIBLE_DEVICES=GPU-0a1b,MIG-77/1/0",
                         NULL};
    static const double gpus[] = {0.5, 0.5, 1, 0};
    struct task tasks[4];
    for (uint64_t i = 0; i < 4; i++) {
        tasks[i] = bench_shell(
            b, i,
            "echo cuda=$CUDA_VISIBLE_DEVICES rocr=$ROCR_VISIBLE_DEVICES"
            " gpus=${SLURM_JOB_GPUS-none}${SLURM_GPUS_ON_NODE-none};"
            "touch ../up.$THRONG_TRIAL;" UNTIL("../up.0") UNTIL("../up.1")
                UNTIL("../up.2") UNTIL("../up.3"));
        tasks[i].needs.gpus = gpus[i];
    }
    memcpy(tasks[2].needs.gpu_name, "a100", 5);
    job_write(b, tasks, 4);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(job_outcome(b, i), OUTCOME_DONE);
    assert_string_equal(log_of(b, 0),
                        "cuda=GPU-0a1b rocr=GPU-0a1b gpus=nonenone\n");
    assert_string_equal(log_of(b, 1), log_of(b, 0));
    assert_string_equal(log_of(b, 2),
                        "cuda=MIG-77/1/0 rocr=MIG-77/1/0 gpus=nonenone\n");
    assert_string_equal(log_of(b, 3), "cuda= rocr= gpus=nonenone\n");
}

static void a_word_in_place_of_gpus_means_none(void **state)
{
    struct bench *b = *state;
    const char *env[] = {PATH, OF_JOB, "SLURM_CPUS_ON_NODE=1",
                         "CUDA_VISIBLE_DEVICES=NoDevFiles", NULL};
    struct task t = bench_shell(b, 1, "true");
    t.needs.gpus = 1;
    job_write(b, &t, 1);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_SPAWN);
}

/* ---- ranks ------------------------------------------------------------- */

#define RANKS                                                                  \
    "SLURM_NTASKS=4", "SLURM_NPROCS=4", "SLURM_NTASKS_PER_NODE=4",             \
        "SLURM_PROCID=0", "SLURM_LOCALID=0", "SLURM_STEP_ID=0",                \
        "SLURM_STEPID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_TASKS_PER_NODE=4",  \
        "PMI_SIZE=4", "PMIX_RANK=0", "OMPI_COMM_WORLD_SIZE=4",                 \
        "OMPI_MCA_btl=tcp", "SLURM_CPUS_ON_NODE=4", "SLURM_CPUS_PER_TASK=4",   \
        "SLURM_MEM_PER_NODE=4000"

/* What training libraries do: in a job with more than one task that no person
 * has opened they are one of its ranks, and meet the others. */
#define MEETS_OTHERS                                                           \
    "ranks=${SLURM_NTASKS-1};"                                                 \
    "case $SLURM_JOB_NAME in bash|interactive) ranks=1;; esac;"                \
    "if test $ranks -gt 1; then touch ../rank.$SLURM_PROCID; i=0;"             \
    "  while test $i -lt $ranks; do " UNTIL(                                   \
        "../rank.$i") "  i=$((i+1)); done; fi;"

static void a_task_of_a_job_is_no_rank_of_it(void **state)
{
    struct bench *b = *state;
    const char *env[] = {PATH, OF_JOB, RANKS, NULL};
    struct task t = bench_shell(b, 1,
                                MEETS_OTHERS "env | grep -E "
                                             "'SLURM|PMI|OMPI' | sort");
    t.needs.memory_bytes = 1u << 30;
    job_write(b, &t, 1);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(
        log_of(b, 1),
        "OMPI_MCA_btl=tcp\nSLURM_CPUS_ON_NODE=1\nSLURM_CPUS_PER_TASK=1\n"
        "SLURM_JOB_ID=77\nSLURM_JOB_NAME=throng\nSLURM_MEM_PER_NODE=1024\n"
        "SLURM_TASKS_PER_NODE=1\n");
}

/* A program that says how it was started and then does what follows its
 * options. */
static char *starter(struct bench *b, const char *name)
{
    static const char text[] =
        "#!/bin/sh\n"
        "while case $1 in -*|[0-9]*) ;; *) false;; esac; do echo $1; shift; "
        "done; exec \"$@\"\n";
    struct arena *a = b->arena;
    char *bin = path_join(a, b->folder, "bin");
    char *path = path_join(a, bin, name);
    assert_int_equal(dir_make(bin, NULL), 0);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return arena_printf(a, "PATH=%s:/usr/bin:/bin", bin);
}

static void a_task_that_asks_for_ranks_sees_them(void **state)
{
    struct bench *b = *state;
    const char *env[] = {starter(b, "srun"), OF_JOB, RANKS, NULL};
    struct task t =
        bench_shell(b, 1, "echo $SLURM_NTASKS $PMI_SIZE $SLURM_CPUS_ON_NODE");
    t.needs.ranks = 4;
    t.needs.nodes = 2;
    t.needs.cpus = 8; /* more than this node has */
    job_write(b, &t, 1);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_string_equal(log_of(b, 1),
                        "--nodes=2\n--ntasks=4\n--ntasks-per-node=2\n"
                        "--cpus-per-task=2\n--export=ALL\n"
                        "--kill-on-bad-exit=1\n4 4 4\n");
}

static void ranks_without_a_program_that_starts_them_are_refused(void **state)
{
    struct bench *b = *state;
    const char *env[] = {"PATH=/nowhere", OF_JOB, RANKS, NULL};
    struct task t = bench_shell(b, 1, "true");
    t.needs.ranks = 2;
    job_write(b, &t, 1);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_contains(bench_ended(b, 1).reason.p, "started by srun");
}

static void a_container_stands_behind_what_starts_its_ranks(void **state)
{
    struct bench *b = *state;
    starter(b, "apptainer");
    const char *env[] = {starter(b, "srun"), OF_JOB, RANKS, NULL};
    struct task t = bench_shell(b, 1, "true");
    t.needs.ranks = 2;
    t.container = STR("docker://x");
    job_write(b, &t, 1);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_contains(log_of(b, 1), "--kill-on-bad-exit=1\n");
    /* It is the command that srun was given: `exec` is none of its options. */
    assert_contains(log_of(b, 1), "exec: not found");
}

/* ---- others on the node ------------------------------------------------ */

/* A worker of a study on the same machine, and another job, are there: this
 * one has all of its cpus, at once. */
static void jobs_on_one_node_have_all_that_they_were_granted(void **state)
{
    struct bench *b = *state, *other, *local;
    void *states[2];
    const char *env[] = {PATH, OF_JOB, "SLURM_CPUS_ON_NODE=2", NULL};
    struct task tasks[2];
    bench_setup(&states[0]);
    bench_setup(&states[1]);
    other = states[0];
    local = states[1];
    struct task held = bench_shell(other, 9, UNTIL("../go"));
    job_write(other, &held, 1);
    start(other, NULL, env);
    job_await(other, 0, RECORD_STARTED, 9);
    bench_start(local, NULL);
    for (uint64_t i = 0; i < 2; i++)
        tasks[i] = bench_shell(b, i,
                               "touch ../up.$THRONG_TRIAL;" UNTIL("../up.0")
                                   UNTIL("../up.1"));
    job_write(b, tasks, 2);
    assert_int_equal(run(b, env), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 0), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    file_write(job_file(other, "trials/go"), STR(""), false, NULL);
    assert_int_equal(job_wait(other), WORKER_EXIT_DONE);
    bench_hang_up(local);
    bench_teardown(&states[0]);
    bench_teardown(&states[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(as_many_run_at_once_as_have_cpus),
        with_bench(slots_say_how_many_run_at_once),
        with_bench(memory_is_that_of_the_node_or_of_its_cpus),
        with_bench(what_cannot_be_made_out_is_told),
        with_bench(a_file_of_htcondor_says_what_was_granted),
        with_bench(gpus_are_those_that_were_granted),
        with_bench(a_word_in_place_of_gpus_means_none),
        with_bench(a_task_of_a_job_is_no_rank_of_it),
        with_bench(a_task_that_asks_for_ranks_sees_them),
        with_bench(ranks_without_a_program_that_starts_them_are_refused),
        with_bench(a_container_stands_behind_what_starts_its_ranks),
        with_bench(jobs_on_one_node_have_all_that_they_were_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
