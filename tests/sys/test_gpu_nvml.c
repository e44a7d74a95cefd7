#include "scratch.h"

#include <math.h>
#include <sys/wait.h>
#include "sys/gpu.h"

/* The names of the visible GPUs, each followed by a '|'. */
static void check_visible(struct scratch *s, const char *visible,
                          const char *expected)
{
    struct gpu_list l;
    struct err err = {0};
    struct buf b;
    assert_int_equal(gpu_nvml_read(FAKE_NVML, visible, s->arena, &l, &err), 0);
    buf_init(&b);
    for (size_t i = 0; i < l.count; i++)
        buf_addf(&b, "%s|", l.gpus[i].uuid);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

/* The numbers of the visible GPUs. */
static void check_numbers(struct scratch *s, const char *visible,
                          const char *expected)
{
    struct gpu_list l;
    struct buf b;
    assert_int_equal(gpu_nvml_read(FAKE_NVML, visible, s->arena, &l, NULL), 0);
    buf_init(&b);
    for (size_t i = 0; i < l.count; i++)
        buf_addf(&b, "%u|", l.gpus[i].number);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void every_gpu_that_answers_is_read(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l;
    assert_int_equal(gpu_nvml_read(FAKE_NVML, NULL, s->arena, &l, NULL), 0);
    assert_int_equal(l.count, 2);
    assert_string_equal(l.gpus[0].uuid, "GPU-aaaa1111-0000");
    assert_string_equal(l.gpus[0].name, "NVIDIA A100-SXM4-40GB");
    assert_int_equal(l.gpus[0].capability_major, 8);
    assert_int_equal(l.gpus[1].capability_major, 9);
    assert_true(l.gpus[0].memory_bytes == 40ull << 30);
    assert_true(l.gpus[1].memory_bytes == 80ull << 30);
}

static void cuda_visible_devices_chooses_and_orders(void **state)
{
    struct scratch *s = *state;
    check_visible(s, "", "");
    check_visible(s, "1", "GPU-aabb2222-0000|");
    check_visible(s, "1,0", "GPU-aabb2222-0000|GPU-aaaa1111-0000|");
    check_visible(s, " 1 , 0", "GPU-aabb2222-0000|GPU-aaaa1111-0000|");
    check_visible(s, "GPU-aabb", "GPU-aabb2222-0000|");
    check_visible(s, "NoDevFiles", "");
}

static void a_number_is_that_of_the_machine_whoever_sees_it(void **state)
{
    struct scratch *s = *state;
    check_numbers(s, NULL, "0|1|");
    check_numbers(s, "1", "1|");
    check_numbers(s, "GPU-aabb2222-0000,0", "1|0|");
    check_numbers(s, "MIG-cccc-1", "0|");
}

static void the_list_ends_at_the_first_entry_that_names_nothing(void **state)
{
    struct scratch *s = *state;
    check_visible(s, "0,-1,1", "GPU-aaaa1111-0000|");
    check_visible(s, "1,9,0", "GPU-aabb2222-0000|");
    check_visible(s, "2,0", "");
    /* The beginning of two UUIDs is none. */
    check_visible(s, "GPU-aa", "");
}

static void a_gpu_named_twice_leaves_none(void **state)
{
    struct scratch *s = *state;
    check_visible(s, "0,0", "");
    check_visible(s, "0,1,GPU-aaaa", "");
}

static void a_slice_has_the_capability_of_its_gpu(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l;
    assert_int_equal(
        gpu_nvml_read(FAKE_NVML, "MIG-cccc-1,0", s->arena, &l, NULL), 0);
    assert_int_equal(l.count, 2);
    assert_string_equal(l.gpus[0].uuid, "MIG-cccc-1");
    assert_int_equal(l.gpus[0].capability_major, 8);
    assert_true(l.gpus[0].memory_bytes == 5ull << 30);
    check_visible(s, "MIG-other", "");
}

static void a_gpu_that_is_cut_is_its_slices(void **state)
{
    struct scratch *s = *state;
    setenv("FAKE_NVML_SLICES", "1", 1);
    check_visible(s, NULL, "MIG-cccc-1|GPU-aabb2222-0000|");
    /* Who calls it by its number or UUID has the same as who names the slice.
     */
    check_visible(s, "0,1", "MIG-cccc-1|GPU-aabb2222-0000|");
    check_visible(s, "GPU-aaaa", "MIG-cccc-1|");
    check_visible(s, "MIG-cccc-1,0", "");
    unsetenv("FAKE_NVML_SLICES");
    check_visible(s, NULL, "GPU-aaaa1111-0000|GPU-aabb2222-0000|");
}

static void a_machine_without_library_or_driver_has_no_gpus(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l = {.count = 7};
    struct err err = {0};
    assert_int_equal(
        gpu_nvml_read("/no/such/library.so", NULL, s->arena, &l, &err), 0);
    assert_int_equal(l.count, 0);
    /* A library that is something else. */
    assert_int_equal(gpu_nvml_read("libm.so.6", NULL, s->arena, &l, &err), 0);
    assert_int_equal(l.count, 0);
    setenv("FAKE_NVML_NO_DRIVER", "1", 1);
    check_visible(s, NULL, "");
    unsetenv("FAKE_NVML_NO_DRIVER");
    assert_int_equal(err.kind, ERR_NONE);
}

/* By UUIDs, each followed by a '|'. */
static void check_apart(struct scratch *s, const char *library,
                        const char *visible, const char *expected)
{
    struct gpu_list l;
    struct buf b;
    assert_true(gpu_read_apart(library, visible, 60, s->arena, &l));
    buf_init(&b);
    for (size_t i = 0; i < l.count; i++)
        buf_addf(&b, "%s|", l.gpus[i].uuid);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void a_process_of_its_own_reads_the_same(void **state)
{
    struct scratch *s = *state;
    check_apart(s, FAKE_NVML, NULL, "GPU-aaaa1111-0000|GPU-aabb2222-0000|");
    check_apart(s, FAKE_NVML, "1", "GPU-aabb2222-0000|");
    check_apart(s, FAKE_NVML, "", "");
    check_apart(s, "/no/such/library.so", NULL, "");
    check_apart(s, "libm.so.6", NULL, "");
}

static void a_driver_that_hangs_holds_nobody(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l = {.count = 7};
    setenv("FAKE_NVML_HANGS", "1", 1);
    assert_false(gpu_read_apart(FAKE_NVML, NULL, 0.01, s->arena, &l));
    unsetenv("FAKE_NVML_HANGS");
    assert_int_equal(l.count, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left */
}

static void what_is_on_a_gpu_can_be_asked(void **state)
{
    struct gpu_use u;
    (void)state;
    assert_null(gpu_nvml_open("/no/such/library.so"));
    struct gpu_nvml *n = gpu_nvml_open(FAKE_NVML);
    assert_non_null(n);
    gpu_nvml_use(n, "GPU-aaaa1111-0000", &u);
    assert_true(u.known);
    assert_int_equal(u.pid_count, 2);
    assert_int_equal(u.pids[1], 4343);
    assert_true(u.used_bytes == 5ull << 30);
    assert_true(u.busy == 0.42);
    gpu_nvml_use(n, "MIG-cccc-1", &u);
    assert_true(isnan(u.busy));
    gpu_nvml_use(n, "GPU-aabb2222-0000", &u);
    assert_false(u.known);
    gpu_nvml_use(n, "GPU-nobody", &u);
    assert_false(u.known);
    gpu_nvml_close(n);
}

static void this_machine_can_be_asked(void **state)
{
    struct scratch *s = *state;
    struct machine m;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    assert_int_equal(machine_read(&m, NULL, s->arena, NULL), 0);
    assert_int_equal(m.gpu_count, 0);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_int_equal(machine_read(&m, NULL, s->arena, NULL), 0);
    for (size_t i = 0; i < m.gpu_count; i++) {
        print_message("%s: %s, capability %d.%d, %llu bytes\n", m.gpus[i].uuid,
                      m.gpus[i].name, m.gpus[i].capability_major,
                      m.gpus[i].capability_minor,
                      (unsigned long long)m.gpus[i].memory_bytes);
        assert_true(m.gpus[i].uuid[0]);
        assert_true(m.gpus[i].memory_bytes > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(every_gpu_that_answers_is_read),
        scratch_test(cuda_visible_devices_chooses_and_orders),
        scratch_test(a_number_is_that_of_the_machine_whoever_sees_it),
        scratch_test(the_list_ends_at_the_first_entry_that_names_nothing),
        scratch_test(a_gpu_named_twice_leaves_none),
        scratch_test(a_slice_has_the_capability_of_its_gpu),
        scratch_test(a_gpu_that_is_cut_is_its_slices),
        scratch_test(a_machine_without_library_or_driver_has_no_gpus),
        scratch_test(a_process_of_its_own_reads_the_same),
        scratch_test(a_driver_that_hangs_holds_nobody),
        scratch_test(what_is_on_a_gpu_can_be_asked),
        scratch_test(this_machine_can_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
