/* Tests of src/terms/gpu_line.c: what nvidia-smi prints of one GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/gpu_line.h"

#define UUID "GPU-5a3b7c1e-0000-1111-2222-333344445555"

static void a_line_says_what_a_gpu_does(void **state)
{
    struct gpu_line l;
    (void)state;
    assert_true(gpu_line_parse(STR("3, " UUID ", 29, 4096, 312.45\r"), &l));
    assert_true(l.index == 3 && str_is(l.uuid, UUID));
    assert_true(l.busy == 0.29 && l.watts == 312.45);
    assert_true(l.known && l.used_bytes == 4ull << 30);
}

static void what_a_gpu_does_not_tell_is_not_known(void **state)
{
    struct gpu_line l;
    (void)state;
    assert_true(gpu_line_parse(
        STR("0, " UUID ", [N/A], [Not Supported], [Unknown Error]"), &l));
    assert_true(isnan(l.busy) && isnan(l.watts) && !l.known);
    assert_true(l.used_bytes == 0);
}

static void all_else_is_no_line(void **state)
{
    static const char *const texts[] = {
        "",
        "No devices were found",
        "Failed to initialize NVML: Driver/library version mismatch",
        "index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W]",
        "0, " UUID ", 29, 4096",
        "0, " UUID ", 29, 4096, 312.45, 7",
        "-1, " UUID ", 29, 4096, 312.45",
        "99999999999, " UUID ", 29, 4096, 312.45",
        "0, uuid, 29, 4096, 312.45",
        "0, GPU-, 29, 4096, 312.45",
        "0, " UUID ", 101, 4096, 312.45",
        "0, " UUID ", nan, 4096, 312.45",
        "0, " UUID ", 29, inf, 312.45",
        "0, " UUID ", 29, 1e300, 312.45",
        "0, " UUID ", 29, -4096, 312.45",
        "0, " UUID ", 29, 4096, -1",
        "0, " UUID ", 29 %, 4096 MiB, 312.45 W",
        "0, " UUID ", , , ",
        "0, " UUID ", [, 4096, 1",
    };
    struct gpu_line l = {.index = 7};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (gpu_line_parse(str_of(texts[i]), &l))
            fail_msg("`%s` was read", texts[i]);
    assert_true(l.index == 7);
}

static void an_id_is_a_number_or_the_beginning_of_a_uuid(void **state)
{
    struct gpu_line l = {.index = 1, .uuid = STR(UUID)};
    (void)state;
    assert_true(gpu_line_is_of(&l, STR("1")));
    assert_true(gpu_line_is_of(&l, STR(UUID)));
    assert_true(gpu_line_is_of(&l, STR("GPU-5a3b")));
    assert_false(gpu_line_is_of(&l, STR("0")));
    assert_false(gpu_line_is_of(&l, STR("GPU-5a3c")));
    assert_false(gpu_line_is_of(&l, STR("GPU-")));
    assert_false(gpu_line_is_of(&l, STR("")));
    assert_false(gpu_line_is_of(&l, STR("MIG-5a3b7c1e")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_what_a_gpu_does),
        cmocka_unit_test(what_a_gpu_does_not_tell_is_not_known),
        cmocka_unit_test(all_else_is_no_line),
        cmocka_unit_test(an_id_is_a_number_or_the_beginning_of_a_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
