#include "scratch.h"

#include "sys/machine_limits.h"

#define GIB (1024ull * 1024 * 1024)

/* A machine with 64 GiB whose process is in the given cgroups. */
static const char *machine(struct scratch *s, const char *cgroups)
{
    scratch_file(s, "proc/meminfo",
                 "MemTotal:       67108864 kB\nMemFree:  1 kB\n");
    scratch_file(s, "proc/self/cgroup", cgroups);
    return s->root;
}

/* A file in the tree of cgroups. */
static void group(struct scratch *s, const char *name, const char *text)
{
    scratch_file(s, arena_printf(s->arena, "sys/fs/cgroup/%s", name), text);
}

static void without_cgroups_the_machine_is_the_limit(void **state)
{
    struct scratch *s = *state;
    scratch_file(s, "proc/meminfo", "MemTotal:       67108864 kB\n");
    assert_int_equal(limit_cpus(s->root, 16), 16);
    assert_true(limit_memory(s->root) == 64 * GIB);
    assert_true(limit_memory_free(s->root) == 64 * GIB);
    scratch_file(s, "proc/meminfo",
                 "MemTotal: 67108864 kB\nMemAvailable: 2097152 kB\n");
    assert_true(limit_memory_free(s->root) == 2 * GIB);
}

static void a_machine_that_tells_nothing_has_one_cpu_and_no_memory(void **state)
{
    struct scratch *s = *state;
    assert_int_equal(limit_cpus(s->root, 0), 1);
    assert_true(limit_memory(s->root) == 0);
    scratch_file(s, "proc/meminfo", "MemTotal: many kB\n");
    assert_true(limit_memory(s->root) == 0);
}

/* ---- version 2 ------------------------------------------------------- */

static void limits_of_version_2_are_read(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/job/step\n");
    group(s, "job/step/cpu.max", "400000 100000\n");
    group(s, "job/step/memory.max", "8589934592\n");
    assert_int_equal(limit_cpus(root, 16), 4);
    assert_true(limit_memory(root) == 8 * GIB);
}

static void part_of_a_cpu_counts_as_one(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/job\n");
    group(s, "job/cpu.max", "150000 100000\n");
    assert_int_equal(limit_cpus(root, 16), 2);
    group(s, "job/cpu.max", "1000 100000\n");
    assert_int_equal(limit_cpus(root, 16), 1);
}

static void a_quota_above_the_affinity_mask_changes_nothing(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/job\n");
    group(s, "job/cpu.max", "6400000 100000\n");
    group(s, "job/memory.max", "1099511627776\n");
    assert_int_equal(limit_cpus(root, 16), 16);
    assert_true(limit_memory(root) == 64 * GIB);
}

static void max_is_no_limit(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/job\n");
    group(s, "job/cpu.max", "max 100000\n");
    group(s, "job/memory.max", "max\n");
    assert_int_equal(limit_cpus(root, 16), 16);
    assert_true(limit_memory(root) == 64 * GIB);
}

static void the_least_limit_of_all_parents_counts(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/user/job/step\n");
    group(s, "user/job/step/cpu.max", "800000 100000\n");
    group(s, "user/job/cpu.max", "max 100000\n");
    group(s, "user/cpu.max", "300000 100000\n");
    group(s, "user/job/step/memory.max", "max\n");
    group(s, "user/job/memory.max", "4294967296\n");
    group(s, "user/memory.max", "8589934592\n");
    assert_int_equal(limit_cpus(root, 16), 3);
    assert_true(limit_memory(root) == 4 * GIB);
}

static void in_a_container_the_top_is_ours(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/\n");
    group(s, "cpu.max", "200000 100000\n");
    group(s, "memory.max", "1073741824\n");
    assert_int_equal(limit_cpus(root, 16), 2);
    assert_true(limit_memory(root) == GIB);
    /* As a process sees it that was moved out of its name space. */
    machine(s, "0::/../other\n");
    assert_int_equal(limit_cpus(root, 16), 2);
}

static void damaged_files_are_no_limit(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "0::/job\nnonsense\n\n0:\n");
    group(s, "job/cpu.max", "many 100000\n");
    group(s, "job/memory.max", "\n");
    assert_int_equal(limit_cpus(root, 16), 16);
    assert_true(limit_memory(root) == 64 * GIB);
    group(s, "job/cpu.max", "100000\n");
    assert_int_equal(limit_cpus(root, 16), 16);
    group(s, "job/cpu.max", "100000 0\n");
    assert_int_equal(limit_cpus(root, 16), 16);
}

/* ---- version 1 ------------------------------------------------------- */

static void limits_of_version_1_are_read(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "9:memory:/job\n4:cpu,cpuacct:/job/step\n"
                                  "3:cpuset:/other\n1:name=systemd:/\n");
    group(s, "cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1\n");
    group(s, "cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n");
    group(s, "cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    group(s, "cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    group(s, "memory/job/memory.limit_in_bytes", "2147483648\n");
    assert_int_equal(limit_cpus(root, 16), 3);
    assert_true(limit_memory(root) == 2 * GIB);
}

static void a_controller_may_be_mounted_under_its_own_name(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "4:cpuacct,cpu:/job\n");
    group(s, "cpu/job/cpu.cfs_quota_us", "100000\n");
    group(s, "cpu/job/cpu.cfs_period_us", "50000\n");
    assert_int_equal(limit_cpus(root, 16), 2);
}

static void huge_values_of_version_1_are_no_limit(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "9:memory:/job\n");
    group(s, "memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(limit_memory(root) == 64 * GIB);
    /* Also where the machine does not tell its memory. */
    scratch_file(s, "proc/meminfo", "");
    assert_true(limit_memory(root) == 0);
    group(s, "memory/memory.limit_in_bytes", "1073741824\n");
    assert_true(limit_memory(root) == GIB);
}

static void the_path_of_the_host_leads_to_the_top_of_a_container(void **state)
{
    struct scratch *s = *state;
    const char *root =
        machine(s, "9:memory:/docker/abc\n4:cpu:/docker/abc\n0::/docker\n");
    group(s, "memory/memory.limit_in_bytes", "1073741824\n");
    group(s, "cpu/cpu.cfs_quota_us", "200000\n");
    group(s, "cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limit_cpus(root, 16), 2);
    assert_true(limit_memory(root) == GIB);
}

static void both_versions_may_be_mixed(void **state)
{
    struct scratch *s = *state;
    const char *root = machine(s, "9:memory:/job\n0::/job\n");
    group(s, "memory/job/memory.limit_in_bytes", "4294967296\n");
    group(s, "unified/job/cpu.max", "500000 100000\n");
    assert_int_equal(limit_cpus(root, 16), 5);
    assert_true(limit_memory(root) == 4 * GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(without_cgroups_the_machine_is_the_limit),
        scratch_test(a_machine_that_tells_nothing_has_one_cpu_and_no_memory),
        scratch_test(limits_of_version_2_are_read),
        scratch_test(part_of_a_cpu_counts_as_one),
        scratch_test(a_quota_above_the_affinity_mask_changes_nothing),
        scratch_test(max_is_no_limit),
        scratch_test(the_least_limit_of_all_parents_counts),
        scratch_test(in_a_container_the_top_is_ours),
        scratch_test(damaged_files_are_no_limit),
        scratch_test(limits_of_version_1_are_read),
        scratch_test(a_controller_may_be_mounted_under_its_own_name),
        scratch_test(huge_values_of_version_1_are_no_limit),
        scratch_test(the_path_of_the_host_leads_to_the_top_of_a_container),
        scratch_test(both_versions_may_be_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
