#include "scratch.h"

#include "sys/gpu.h"

static void gpus_are_numbered_from_0(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l;
    assert_int_equal(
        gpu_parse("a100:8.0:40G, NVIDIA L4 : 8.9 : 24 GiB,x:10:1.5G", s->arena,
                  &l, NULL),
        0);
    assert_int_equal(l.count, 3);
    assert_string_equal(l.gpus[0].uuid, "0");
    assert_string_equal(l.gpus[0].name, "a100");
    assert_int_equal(l.gpus[0].capability_major, 8);
    assert_int_equal(l.gpus[0].capability_minor, 0);
    assert_true(l.gpus[0].memory_bytes == 40ull << 30);
    assert_string_equal(l.gpus[1].uuid, "1");
    assert_string_equal(l.gpus[1].name, "NVIDIA L4");
    assert_int_equal(l.gpus[1].capability_minor, 9);
    assert_true(l.gpus[1].memory_bytes == 24ull << 30);
    assert_int_equal(l.gpus[2].capability_major, 10);
    assert_int_equal(l.gpus[2].capability_minor, 0);
    assert_true(l.gpus[2].memory_bytes == 3ull << 29);
}

static void a_list_that_was_printed_is_read(void **state)
{
    static const struct gpu gpus[] = {
        {"GPU-1", "NVIDIA A100-SXM4-40GB", 8, 0, 40ull << 30, 0},
        {"MIG-2/3/0", "", 12, 1, 5, 3},
    };
    struct scratch *s = *state;
    struct gpu_list l;
    struct buf b;
    buf_init(&b);
    gpus_print(&b, gpus, 2);
    assert_true(gpus_read(buf_str(&b), s->arena, &l));
    assert_int_equal(l.count, 2);
    assert_memory_equal(l.gpus, gpus, sizeof(gpus));
    b.len--; /* the second one is not there yet */
    assert_true(gpus_read(buf_str(&b), s->arena, &l));
    assert_int_equal(l.count, 1);
    buf_done(&b);
    assert_true(gpus_read(STR(""), s->arena, &l));
    assert_int_equal(l.count, 0);
}

static void a_list_that_makes_no_sense_is_none(void **state)
{
    static const char *const wrong[] = {"GPU-1\n",
                                        "GPU-1 8.0\n",
                                        "GPU-1 8.0 5\n",
                                        "GPU-1 8.0 5 0\n",
                                        "GPU-1 8.x 5 0 a\n",
                                        "GPU-1 8.0 -5 0 a\n",
                                        "GPU-1 8.0 5 -1 a\n",
                                        "GPU-1 8.0 5 a\n",
                                        "GPU-1 8.0 5 0 a\n\n"};
    struct scratch *s = *state;
    struct gpu_list l = {.count = 7};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_false(gpus_read(str_of(wrong[i]), s->arena, &l));
    const char *too_long = arena_printf(s->arena, "GPU-%0200d 8.0 5 0 a\n", 1);
    assert_false(gpus_read(str_of(too_long), s->arena, &l));
    too_long = arena_printf(s->arena, "GPU 8.0 5 0 %0200d\n", 1);
    assert_false(gpus_read(str_of(too_long), s->arena, &l));
    assert_int_equal(l.count, 7);
}

static void an_empty_description_is_no_gpus(void **state)
{
    struct scratch *s = *state;
    struct gpu_list l = {.count = 7};
    assert_int_equal(gpu_parse("", s->arena, &l, NULL), 0);
    assert_int_equal(l.count, 0);
    assert_int_equal(gpu_parse(" ", s->arena, &l, NULL), 0);
    assert_int_equal(l.count, 0);
}

static void mistakes_are_named_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"a100", "GPU 1 of \"a100\": a part is missing"},
        {"a100:8.0", "a part is missing"},
        {"a100:8.0:40G,", "GPU 2 of"},
        {"a100:8.0:40G,,b:8.0:40G", "GPU 2 of"},
        {":8.0:40G", "the name is empty"},
        {"a100:eight:40G", "the capability"},
        {"a100:8.x:40G", "the capability"},
        {"a100:8.:40G", "the capability"},
        {"a100:-8.0:40G", "the capability"},
        {"a100::40G", "the capability"},
        {"a100:8.0:lots", "the memory"},
        {"a100:8.0:0", "the memory"},
        {"a100:8.0:", "the memory"},
        {"a100:8.0:40G:x", "the memory"},
        {"a100:8.0:40G,b:9.0:-1", "GPU 2 of"},
        {"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn:8.0:"
         "1G",
         "the name is too long"},
    };
    struct scratch *s = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct err err = {0};
        struct gpu_list l = {.count = 7};
        assert_int_equal(gpu_parse(cases[i][0], s->arena, &l, &err), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i][1]);
        assert_int_equal(l.count, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(gpus_are_numbered_from_0),
        scratch_test(a_list_that_was_printed_is_read),
        scratch_test(a_list_that_makes_no_sense_is_none),
        scratch_test(an_empty_description_is_no_gpus),
        scratch_test(mistakes_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
