/* Tests of src/worker/looks.c: what programs have of GPUs and wait for. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include "terms/gpu_reading.h"

#define GPUS                                                                   \
    "cpus=4;memory=1073741824;parallel=4;gpu=A/A100/8.0/42949672960/0;"        \
    "gpu=B/A100/8.0/42949672960/1"
#define GB (1ull << 30)

/* What a look at both GPUs has found; the second one is never busy. */
static void look(struct bench *b, double busy, double joules, uint64_t bytes)
{
    struct gpu_reading first = {busy, joules, true, bytes};
    struct gpu_reading second = {0, joules, true, 0};
    struct task none = {0};
    struct buf payload;
    buf_init(&payload);
    gpu_reading_print(&payload, &first);
    gpu_reading_print(&payload, &second);
    bench_send(b, RECORD_GPUS, &none, buf_str(&payload));
    buf_done(&payload);
}

/* Runs until its file `end` is there. */
static struct task on_gpus(struct bench *b, uint64_t id, double gpus)
{
    struct task t = bench_shell(
        b, id, "echo up > up; while test ! -e end; do sleep 0.02; done");
    t.needs.gpus = gpus;
    t.needs.cpus = 1;
    return t;
}

static void begin(struct bench *b, const struct task *t)
{
    bench_submit(b, t);
    bench_await_file(b, bench_path(b, t->id, "up"));
}

static struct record_ended end(struct bench *b, uint64_t id)
{
    assert_int_equal(
        file_write(bench_path(b, id, "end"), STR("\n"), false, NULL), 0);
    return bench_ended(b, id);
}

static void a_program_has_what_its_gpu_has(void **state)
{
    struct bench *b = *state;
    bench_start(b, GPUS);
    look(b, 0.9, 1000, GB); /* before it: not its own */
    struct task t = on_gpus(b, 1, 1);
    begin(b, &t);
    look(b, 0.29, 1100, 5 * GB);
    clock_pause_ms(20);
    look(b, 0.29, 1200, 3 * GB);
    clock_pause_ms(20);
    look(b, 0.29, 1300, 2 * GB);
    struct use u = end(b, 1).use;
    assert_true(u.gpu_seen_s > 0.04);
    assert_true(fabs(u.gpu_busy_s / u.gpu_seen_s - 0.29) < 1e-6);
    assert_true(u.gpu_bytes == 4 * GB); /* at most, above what was there */
    /* Of the first 100 J only those since it began. */
    assert_true(u.joules > 200 && u.joules < 300);
}

static void those_on_one_gpu_share_its_energy(void **state)
{
    struct bench *b = *state;
    bench_start(b, GPUS);
    look(b, 0, 1000, 0);
    struct task one = on_gpus(b, 1, 0.5), two = on_gpus(b, 2, 0.5);
    begin(b, &one);
    begin(b, &two);
    look(b, 0.5, 1000, 0); /* both are there from here on */
    clock_pause_ms(20);
    look(b, 0.5, 1600, 2 * GB);
    struct use u = end(b, 1).use;
    assert_true(fabs(u.joules - 300) < 1e-6);
    assert_true(u.gpu_bytes == GB);
    assert_true(fabs(end(b, 2).use.joules - 300) < 1e-6);
}

static void two_gpus_of_one_program_count_both(void **state)
{
    struct bench *b = *state;
    bench_start(b, GPUS);
    look(b, 0, 0, 0);
    struct task t = on_gpus(b, 1, 2);
    begin(b, &t);
    look(b, 1, 0, GB);
    clock_pause_ms(20);
    look(b, 1, 50, GB);
    struct use u = end(b, 1).use;
    assert_true(fabs(u.gpu_busy_s / u.gpu_seen_s - 0.5) < 1e-6);
    assert_true(fabs(u.joules - 100) < 1e-6);
}

static void what_a_driver_does_not_say_is_not_known(void **state)
{
    struct bench *b = *state;
    bench_start(b, GPUS);
    look(b, NAN, NAN, 0);
    struct task t = on_gpus(b, 1, 1), other = on_gpus(b, 2, 0);
    begin(b, &t);
    begin(b, &other);
    look(b, NAN, NAN, 0);
    bench_send(b, RECORD_GPUS, &other, STR("torn")); /* says nothing */
    look(b, NAN, 7, 0);
    struct use u = end(b, 1).use;
    assert_true(u.gpu_seen_s == 0 && u.gpu_busy_s == 0 && u.joules == 0);
    u = end(b, 2).use; /* it has no GPU */
    assert_true(u.gpu_seen_s == 0 && u.joules == 0 && u.gpu_bytes == 0);
}

static void what_a_program_has_is_said_while_it_runs(void **state)
{
    struct bench *b = *state;
    struct record_use u;
    bench_start(b, GPUS);
    look(b, 0, 1000, 0);
    struct task t = on_gpus(b, 1, 1), other = on_gpus(b, 2, 0);
    begin(b, &t);
    begin(b, &other);
    look(b, 0.5, 1000, 0);
    clock_pause_ms(20);
    look(b, 0.5, 1600, 2 * GB);
    struct got *g = bench_await(b, RECORD_USE, 1);
    assert_int_equal(record_use_parse(g->payload, &u, NULL), 0);
    assert_true(u.seconds >= 5 && u.cpu_seconds >= 0);
    assert_true(u.use.joules > 500 && u.use.gpu_bytes == 2 * GB);
    assert_true(fabs(u.use.gpu_busy_s / u.use.gpu_seen_s - 0.5) < 1e-6);
    end(b, 1);
    /* Nothing is known of it. */
    end(b, 2);
    assert_int_equal(bench_count(b, RECORD_USE, 2), 0);
}

/* False: this kernel does not show it so. */
static bool is_blocked(pid_t pid)
{
    for (int i = 0; i < 500; i++, clock_pause_ms(10))
        if (process_activity(pid) == 'D')
            return true;
    return false;
}

static void one_that_waits_for_a_disk_is_seen(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    const char *argv[] = {getenv("WORKER_BLOCKED"), "6", NULL};
    struct task t = bench_command(b, 1, argv);
    struct task burns =
        bench_shell(b, 2, "while test ! -e end; do :; done; rm end");
    bench_submit(b, &t);
    bench_submit(b, &burns);
    struct record_started s;
    struct got *g = bench_await(b, RECORD_STARTED, 1);
    assert_int_equal(record_started_parse(g->payload, &s, NULL), 0);
    if (!is_blocked((pid_t)s.pid)) {
        end(b, 2);
        skip();
    }
    struct use u = bench_ended(b, 1).use;
    assert_true(u.blocked_s > 1 && u.blocked_s < 30);
    struct record_ended e = end(b, 2);
    assert_true(e.use.blocked_s < e.seconds / 2);
    assert_true(e.cpu_seconds > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_program_has_what_its_gpu_has),
        with_bench(those_on_one_gpu_share_its_energy),
        with_bench(two_gpus_of_one_program_count_both),
        with_bench(what_a_driver_does_not_say_is_not_known),
        with_bench(what_a_program_has_is_said_while_it_runs),
        with_bench(one_that_waits_for_a_disk_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
