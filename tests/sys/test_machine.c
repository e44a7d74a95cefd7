/* This program links no NVML, as the static worker does not. */
#include "child.h"

#include <sched.h>
#include "sys/gpu.h"

static void this_machine_has_a_name_cpus_and_memory(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    struct err err = {0};
    assert_int_equal(machine_read(&m, "", s->arena, &err), 0);
    assert_true(m.host[0]);
    assert_true(m.cpus >= 1);
    assert_true(m.memory_bytes > 1 << 20);
    assert_int_equal(m.gpu_count, 0);
    assert_int_equal(m.disk_bytes, 0);
}

static void cpus_follow_the_affinity_mask(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    int rc = machine_read(&m, "", s->arena, NULL);
    sched_setaffinity(0, sizeof(before), &before);
    assert_int_equal(rc, 0);
    assert_int_equal(m.cpus, 1);
}

static void described_gpus_are_taken(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    assert_int_equal(
        machine_read(&m, "a100:8.0:40G,t4:7.5:16G", s->arena, NULL), 0);
    assert_int_equal(m.gpu_count, 2);
    assert_string_equal(m.gpus[1].name, "t4");
    assert_string_equal(m.gpus[1].uuid, "1");
}

static void a_wrong_description_is_an_error_and_changes_nothing(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct machine m = {.cpus = 77};
    assert_int_equal(machine_read(&m, "a100", s->arena, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_int_equal(m.cpus, 77);
}

static void without_nvml_there_are_no_gpus(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    setenv("THRONG_WORKER", scratch_path(s, "worker"), 1);
    assert_int_equal(machine_read(&m, NULL, s->arena, NULL), 0);
    unsetenv("THRONG_WORKER");
    assert_int_equal(m.gpu_count, 0);
}

static void without_nvml_another_program_lists_them(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    scratch_program(
        s, "worker-cuda",
        "#!/bin/sh\n"
        "test \"$*\" = --gpus && echo GPU-1 8.0 1024 0 NVIDIA A100\n");
    setenv("THRONG_WORKER", scratch_path(s, "worker"), 1);
    assert_int_equal(machine_read(&m, NULL, s->arena, NULL), 0);
    unsetenv("THRONG_WORKER");
    assert_int_equal(m.gpu_count, 1);
    assert_string_equal(m.gpus[0].uuid, "GPU-1");
    assert_string_equal(m.gpus[0].name, "NVIDIA A100");
    assert_false(m.gpus_silent);
}

/* This program, as `throng` of an installation. */
static void it_is_found_where_workers_are_installed(void **state)
{
    struct scratch *s = *state;
    char self[4096] = "";
    struct buf b;
    buf_init(&b);
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    assert_int_equal(file_read(self, 0, &b, NULL), 0);
    const char *program = scratch_program(s, "bin/throng", "");
    assert_int_equal(file_write(program, buf_str(&b), false, NULL), 0);
    buf_done(&b);
    scratch_program(s, "libexec/throng/throng-worker-cuda",
                    "#!/bin/sh\necho GPU-1 8.0 1024 0 NVIDIA A100\n");
    struct spawn count = child_plain(ARGV(program, "--count-gpus"));
    int status = child_wait(child_start(&count).pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static int count_gpus(void)
{
    struct machine m = {0};
    struct arena *a = arena_new();
    unsetenv("THRONG_WORKER");
    int rc = machine_read(&m, NULL, a, NULL);
    arena_free(a);
    return rc ? 100 : (int)m.gpu_count;
}

static void one_that_hangs_holds_nobody(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l = {.count = 7};
    const char *program = scratch_program(
        s, "hangs",
        "#!/bin/sh\necho GPU-1 8.0 1024 0 A100\nexec tail -f /dev/null\n");
    assert_false(gpu_read_by(program, 0.05, s->arena, &l));
    assert_int_equal(l.count, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left */
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--count-gpus") == 0)
        return count_gpus();
    const struct CMUnitTest tests[] = {
        scratch_test(this_machine_has_a_name_cpus_and_memory),
        scratch_test(cpus_follow_the_affinity_mask),
        scratch_test(described_gpus_are_taken),
        scratch_test(a_wrong_description_is_an_error_and_changes_nothing),
        scratch_test(without_nvml_there_are_no_gpus),
        scratch_test(without_nvml_another_program_lists_them),
        scratch_test(it_is_found_where_workers_are_installed),
        scratch_test(one_that_hangs_holds_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
