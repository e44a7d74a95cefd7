/* test_described.c - what a trainer says of its GPU */
#include "../sys/scratch.h"

#include <sys/wait.h>

#include "study/study.h"

/* Asks a worker that does this. */
static const struct machine none;

static int ask(struct scratch *s, const char *script, double seconds)
{
    const char *text = arena_printf(s->arena, "#!/bin/sh\n%s\n", script);
    const char *worker = scratch_program(s, "throng-worker-cuda", text);
    struct buf said;
    buf_init(&said);
    int rc = device_described(worker, &none, seconds, &said);
    if (rc == 0)
        assert_string_equal(said.p, "ok --describe-device cuda\n");
    buf_done(&said);
    return rc;
}

static void it_is_asked_for_the_device_cuda(void **state)
{
    assert_int_equal(ask(*state, "echo \"ok $*\"", 60), 0);
}

/* A trainer that trains sees the same. */
static void the_first_gpu_that_can_be_used_is_meant(void **state)
{
    struct scratch *s = *state;
    const char *worker =
        scratch_program(s, "throng-worker-cuda", "#!/bin/sh\necho \"$*\"\n");
    struct gpu gpus[] = {{.uuid = "GPU-old", .capability_major = 7},
                         {.uuid = "GPU-new", .capability_major = 8}};
    struct machine m = {.gpus = gpus, .gpu_count = 2};
    struct buf said;
    buf_init(&said);
    assert_int_equal(device_described(worker, &m, 60, &said), 0);
    assert_string_equal(said.p, "--describe-device cuda --gpu GPU-new\n");
    buf_reset(&said);
    m.gpu_count = 1;
    assert_int_equal(device_described(worker, &m, 60, &said), 0);
    assert_string_equal(said.p, "--describe-device cuda --gpu GPU-old\n");
    buf_done(&said);
}

static void one_that_fails_says_nothing(void **state)
{
    assert_int_equal(ask(*state, "echo ok; exit 3", 60), -1);
    assert_int_equal(device_described("/no/such/worker", &none, 60, NULL), -1);
}

static void a_driver_that_hangs_holds_nobody_for_long(void **state)
{
    assert_int_equal(ask(*state, "exec tail -f /dev/null", 0.05), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(it_is_asked_for_the_device_cuda),
        scratch_test(the_first_gpu_that_can_be_used_is_meant),
        scratch_test(one_that_fails_says_nothing),
        scratch_test(a_driver_that_hangs_holds_nobody_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
