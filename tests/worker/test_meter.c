/* Tests of src/worker/meter.c: what members take of their GPU. The GPU is
 * described, and a file says what it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker/meter.h"

static char path[] = "/tmp/throng-meter-XXXXXX";

static void gpu_says(double joules, unsigned long long bytes)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fprintf(f, "0 joules %g\n0 1 %llu\n", joules, bytes);
    fclose(f);
}

static void look(struct meter *m, size_t members)
{
    while (!meter_is_due(m))
        usleep(1000);
    meter_look(m, members);
}

static void a_moment_is_shared_by_who_is_there(void **state)
{
    (void)state;
    gpu_says(5, 1000);
    struct meter *m = meter_open();
    assert_non_null(m);
    assert_true(meter_joules(m) == 0 && meter_bytes(m) == 0);
    gpu_says(105, 5000);
    /* The first look waits for nothing: a model may be trained in a moment. */
    meter_look(m, 2);
    assert_true(meter_joules(m) == 50);
    assert_int_equal(meter_bytes(m), 2000);
    gpu_says(205, 5000);
    look(m, 0); /* nobody is */
    assert_true(meter_joules(m) == 50);
    gpu_says(305, 2000);
    look(m, 1);
    assert_true(meter_joules(m) == 150);
    assert_int_equal(meter_bytes(m), 1000);
    meter_close(m);
}

static void who_does_not_tell_is_not_asked(void **state)
{
    (void)state;
    unlink(path);
    struct meter *m = meter_open();
    assert_null(m);
    meter_look(m, 1);
    assert_true(meter_joules(m) == 0 && meter_bytes(m) == 0);
    meter_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_shared_by_who_is_there),
        cmocka_unit_test(who_does_not_tell_is_not_asked),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("THRONG_GPUS", "h200:9.0:140G", 1);
    setenv("THRONG_GPUS_USE", path, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
