/* test_device_paces.c - how fast the devices are, and one that does not say */
#include "../sys/scratch.h"

#include <stdlib.h>

#include "study/devices.h"
#include "study/study.h"

/* Workers that note each question; the one of the GPU answers when there is a
 * file `works`. */
#define ASKED "echo asked >>%s\n"
#define ANSWER "echo start 0.5; echo 10 1e3 1e-4; echo 10 1e9 1e-2\n"

struct bench {
    struct scratch *s;
    struct machine machine;
    struct gpu gpu;
    struct device_asked asked;
};

static void bench_open(struct bench *b, struct scratch *s)
{
    const char *log = scratch_path(s, "log");
    *b = (struct bench){.s = s, .gpu = {.uuid = "GPU-1"}};
    b->machine = (struct machine){
        .host = "here", .cpus = 2, .gpus = &b->gpu, .gpu_count = 1};
    b->asked.machine = &b->machine;
    b->asked.worker = scratch_program(s, "throng-worker", "#!/bin/sh\n" ANSWER);
    b->asked.cuda_worker = scratch_program(
        s, "throng-worker-cuda",
        arena_printf(s->arena,
                     "#!/bin/sh\n" ASKED
                     "[ -e %s ] || exec tail -f /dev/null\n" ANSWER,
                     log, scratch_path(s, "works")));
    b->asked.scratch = scratch_path(s, "said");
    setenv("XDG_CACHE_HOME", scratch_path(s, "cache"), 1);
    setenv("THRONG_WORKER", b->asked.worker, 1);
}

/* How often the GPU's worker was asked. */
static size_t asked(struct bench *b)
{
    struct buf text;
    size_t lines = 0;
    buf_init(&text);
    file_read(scratch_path(b->s, "log"), 0, &text, NULL);
    for (size_t i = 0; i < text.len; i++)
        lines += text.p[i] == '\n';
    buf_done(&text);
    return lines;
}

static int ask(struct bench *b, double wait_s, struct err *err)
{
    struct device_pace cpu, gpu;
    *err = (struct err){0};
    b->asked.wait_s = wait_s;
    return device_paces(&b->asked, &cpu, &gpu, err);
}

static void works(struct bench *b)
{
    scratch_file(b->s, "works", "");
}

static void what_was_said_once_is_kept(void **state)
{
    struct bench b;
    struct err err;
    bench_open(&b, *state);
    works(&b);
    assert_int_equal(ask(&b, 60, &err), 0);
    assert_int_equal(ask(&b, 60, &err), 0);
    assert_int_equal(asked(&b), 1);
}

static void one_that_hung_is_left_alone(void **state)
{
    struct bench b;
    struct err err;
    bench_open(&b, *state);
    assert_int_equal(ask(&b, 0.05, &err), -1);
    assert_non_null(strstr(err.text, "did not say within 0.05 s"));
    assert_non_null(strstr(err.text, "asked again a day later"));
    works(&b);
    assert_int_equal(ask(&b, 60, &err), -1);
    assert_non_null(strstr(err.text, "did not say within"));
}

static void another_gpu_is_asked(void **state)
{
    struct bench b;
    struct err err;
    bench_open(&b, *state);
    assert_int_equal(ask(&b, 0.05, &err), -1);
    works(&b);
    b.gpu.uuid[4] = '2';
    assert_int_equal(ask(&b, 60, &err), 0);
    b.gpu.uuid[4] = '1';
    assert_int_equal(ask(&b, 60, &err), 0);
}

/* The last line of what is remembered is when it was. */
static void age(struct bench *b, double seconds)
{
    const char *path = scratch_path(b->s, "cache/throng/paces-here-silence");
    struct buf text;
    buf_init(&text);
    assert_int_equal(file_read(path, 0, &text, NULL), 0);
    text.len--;
    while (text.p[text.len - 1] != '\n')
        text.len--;
    buf_addf(&text, "%.1f\n", clock_wall() - seconds);
    assert_int_equal(file_write(path, buf_str(&text), false, NULL), 0);
    buf_done(&text);
}

static void it_is_asked_again_a_day_later(void **state)
{
    struct bench b;
    struct err err;
    bench_open(&b, *state);
    assert_int_equal(ask(&b, 0.05, &err), -1);
    works(&b);
    age(&b, 23 * 3600);
    assert_int_equal(ask(&b, 60, &err), -1);
    age(&b, 25 * 3600);
    assert_int_equal(ask(&b, 60, &err), 0);
}

static void a_time_to_come_is_none(void **state)
{
    struct bench b;
    struct err err;
    bench_open(&b, *state);
    assert_int_equal(ask(&b, 0.05, &err), -1);
    works(&b);
    age(&b, -3600);
    assert_int_equal(ask(&b, 60, &err), 0);
}

static void who_asks_again_is_told(void **state)
{
    struct bench b;
    struct err err = {0};
    bench_open(&b, *state);
    assert_int_equal(device_ask_again(&b.machine, 60, &err), 0);
    assert_int_equal(asked(&b), 0);
    assert_int_equal(ask(&b, 0.05, &err), -1);
    assert_int_equal(device_ask_again(&b.machine, 0.05, &err), -1);
    assert_non_null(strstr(err.text, "did not say within"));
    assert_int_equal(ask(&b, 60, &err), -1);
    works(&b);
    assert_int_equal(device_ask_again(&b.machine, 60, &err), 1);
    assert_int_equal(ask(&b, 60, &err), 0);
    assert_int_equal(device_ask_again(&b.machine, 60, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_was_said_once_is_kept),
        scratch_test(one_that_hung_is_left_alone),
        scratch_test(another_gpu_is_asked),
        scratch_test(it_is_asked_again_a_day_later),
        scratch_test(a_time_to_come_is_none),
        scratch_test(who_asks_again_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
