/* test_room.c - what fits on a machine, and what is left after */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/rng.h"
#include "terms/room.h"

static const uint64_t GIB = (uint64_t)1 << 30;

static void add_gpu(struct room *r, const char *id, const char *name,
                    double capability, uint64_t gib)
{
    struct room_gpu g = {.id = str_of(id),
                         .name = str_of(name),
                         .capability = capability,
                         .memory_bytes = gib * GIB};
    room_add_gpu(r, &g);
}

/* Two A100s and one V100. */
static void gpu_room(struct room *r)
{
    room_init(r, 16, 64 * GIB, 0);
    add_gpu(r, "GPU-a", "NVIDIA A100-SXM4-40GB", 8.0, 40);
    add_gpu(r, "GPU-b", "NVIDIA A100-SXM4-40GB", 8.0, 40);
    add_gpu(r, "GPU-c", "Tesla V100-PCIE-16GB", 7.0, 16);
}

static struct needs gpus(double count, const char *name)
{
    struct needs n;
    needs_init(&n);
    n.gpus = count;
    memcpy(n.gpu_name, name, strlen(name) + 1);
    return n;
}

static void assert_refused(const struct room *r, const struct needs *n,
                           const char *text)
{
    struct err err = {0};
    assert_int_equal(room_check(r, n, &err), -1);
    assert_string_equal(err.text, text);
    assert_int_equal(room_slots(r, n), 0);
    struct room copy = *r;
    struct grant g;
    assert_false(room_take(&copy, n, &g));
}

static void what_can_never_fit_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct room small, r;
    struct needs n;
    room_init(&small, 2, 4 * GIB, 0);
    small.disk_bytes = small.free_disk_bytes = GIB;
    gpu_room(&r);
    needs_init(&n);
    n.cpus = 64;
    assert_refused(&small, &n, "needs 64 cpus, this machine has 2");
    needs_init(&n);
    n.memory_bytes = 8 * GIB;
    assert_refused(&small, &n, "needs 8 GiB of memory, this machine has 4 GiB");
    needs_init(&n);
    n.disk_bytes = 2 * GIB;
    assert_refused(&small, &n, "needs 2 GiB of disk, this machine has 1 GiB");
    needs_init(&n);
    n.nodes = 3;
    assert_refused(&small, &n, "needs 3 nodes, this is one machine");
    n = gpus(1, "");
    assert_refused(&small, &n, "needs 1 gpu, this machine has none");
    n = gpus(4, "");
    assert_refused(&r, &n, "needs 4 gpus, this machine has 3");
    n = gpus(3, "a100");
    assert_refused(&r, &n,
                   "needs 3 gpus (a100), 2 of this machine's 3 gpus fit");
    n = gpus(2, "");
    n.gpu_maximum_capability = 7.5;
    assert_refused(&r, &n,
                   "needs 2 gpus of capability 7.5 or less, 1 of this "
                   "machine's 3 gpus fits");
    n = gpus(0.5, "");
    n.gpu_minimum_memory_bytes = 80 * GIB;
    assert_refused(&r, &n,
                   "needs 0.5 gpus with 80 GiB, 0 of this machine's 3 gpus "
                   "fit");
}

static void gpus_match_by_name_capability_and_memory(void **state)
{
    (void)state;
    struct room r;
    gpu_room(&r);
    struct needs n = gpus(1, "A100");
    assert_int_equal(room_slots(&r, &n), 2);
    n = gpus(1, "v100-pcie");
    assert_int_equal(room_slots(&r, &n), 1);
    n = gpus(1, "");
    n.gpu_minimum_capability = 7.5;
    assert_int_equal(room_slots(&r, &n), 2);
    n = gpus(1, "");
    n.gpu_minimum_memory_bytes = 16 * GIB;
    assert_int_equal(room_slots(&r, &n), 3);
    n.gpu_minimum_memory_bytes = 17 * GIB;
    assert_int_equal(room_slots(&r, &n), 2);
}

static void fractions_fill_the_fullest_gpu_first(void **state)
{
    (void)state;
    struct room r;
    struct grant g[8];
    gpu_room(&r);
    struct needs half = gpus(0.5, ""), quarter = gpus(0.25, "");
    assert_true(room_take(&r, &half, &g[0]));
    assert_int_equal(g[0].gpus[0], 0);
    assert_true(room_take(&r, &quarter, &g[1]));
    assert_int_equal(g[1].gpus[0], 0);
    assert_true(room_take(&r, &half, &g[2]));
    assert_int_equal(g[2].gpus[0], 1);
    assert_true(room_take(&r, &quarter, &g[3]));
    assert_int_equal(g[3].gpus[0], 0);
    assert_true(r.gpus[0].free == 0);
}

static void whole_gpus_are_never_shared(void **state)
{
    (void)state;
    struct room r;
    struct grant part, whole, none;
    gpu_room(&r);
    struct needs tenth = gpus(0.1, "a100"), two = gpus(2, "a100"),
                 one = gpus(1, "a100");
    assert_true(room_take(&r, &tenth, &part));
    assert_false(room_take(&r, &two, &none));
    assert_true(room_take(&r, &one, &whole));
    assert_int_equal(whole.gpus[0], 1);
    assert_false(room_take(&r, &one, &none));
    room_give_back(&r, &part);
    assert_true(room_take(&r, &one, &none));
}

static void ten_tenths_fit_and_leave_a_whole_gpu_again(void **state)
{
    (void)state;
    struct room r;
    struct grant g[11];
    struct needs n = gpus(0.1, "");
    n.cpus = 0.1;
    room_init(&r, 1, 0, 0);
    add_gpu(&r, "0", "x", 8, 1);
    assert_int_equal(room_slots(&r, &n), 10);
    for (int i = 0; i < 10; i++)
        assert_true(room_take(&r, &n, &g[i]));
    assert_false(room_take(&r, &n, &g[10]));
    for (int i = 0; i < 10; i++)
        room_give_back(&r, &g[i]);
    assert_true(r.gpus[0].free == 1 && r.free_cpus == 1 && r.running == 0);
}

static void parallel_limits_how_many_run(void **state)
{
    (void)state;
    struct room r;
    struct needs n;
    struct grant g[3];
    room_init(&r, 8, 0, 2);
    needs_init(&n);
    assert_int_equal(room_slots(&r, &n), 2);
    assert_true(room_take(&r, &n, &g[0]) && room_take(&r, &n, &g[1]));
    assert_false(room_take(&r, &n, &g[2]));
    room_give_back(&r, &g[0]);
    assert_true(room_take(&r, &n, &g[2]));
}

static void memory_that_is_not_said_is_not_counted(void **state)
{
    (void)state;
    struct room r;
    struct needs n;
    room_init(&r, 4, 0, 0);
    needs_init(&n);
    n.memory_bytes = 100 * GIB;
    n.disk_bytes = 100 * GIB;
    assert_int_equal(room_slots(&r, &n), 4);
}

static void random_room(struct room *r, struct rng *g)
{
    static const char *const names[] = {"A100", "H100", "V100"};
    room_init(r, (double)(1 + rng_below(g, 16)), rng_below(g, 33) * GIB,
              (uint32_t)rng_below(g, 6));
    r->disk_bytes = r->free_disk_bytes = rng_below(g, 9) * GIB;
    for (uint64_t i = rng_below(g, 5); i > 0; i--)
        add_gpu(r, "GPU-1/2;3%4", names[rng_below(g, 3)],
                6 + (double)rng_below(g, 4), rng_below(g, 80));
}

static struct needs random_needs(struct rng *g)
{
    static const char *const names[] = {"", "", "a100", "100"};
    struct needs n = gpus((double)rng_below(g, 3), names[rng_below(g, 4)]);
    if (rng_below(g, 3) == 0)
        n.gpus = (double)(1 + rng_below(g, 9)) / 10;
    n.cpus = (double)(1 + rng_below(g, 40)) / 10;
    n.memory_bytes = rng_below(g, 3) ? rng_below(g, 4) * GIB : 0;
    n.disk_bytes = rng_below(g, 3) * GIB;
    n.gpu_minimum_capability = rng_below(g, 2) ? 7 : 0;
    n.gpu_minimum_memory_bytes = rng_below(g, 3) ? 0 : 20 * GIB;
    return n;
}

static void slots_are_as_many_as_can_be_taken(void **state)
{
    (void)state;
    struct rng g;
    rng_init(&g, 7, 1, "room");
    for (int i = 0; i < 5000; i++) {
        struct room r, empty;
        struct grant grants[256];
        uint32_t taken = 0;
        random_room(&r, &g);
        empty = r;
        struct needs n = random_needs(&g);
        while (taken < 256 && room_take(&r, &n, &grants[taken]))
            taken++;
        assert_int_equal(room_slots(&empty, &n), taken);
        assert_int_equal(room_check(&empty, &n, NULL) == 0, taken > 0);
        while (taken)
            room_give_back(&r, &grants[--taken]);
        assert_true(r.free_cpus == r.cpus);
        assert_true(r.free_memory_bytes == r.memory_bytes);
        assert_true(r.free_disk_bytes == r.disk_bytes);
        for (size_t k = 0; k < r.gpu_count; k++)
            assert_true(r.gpus[k].free == 1);
    }
}

static void nothing_is_promised_twice(void **state)
{
    (void)state;
    struct rng g;
    rng_init(&g, 8, 1, "room");
    for (int i = 0; i < 300; i++) {
        struct room r;
        struct grant grants[64];
        size_t held = 0;
        random_room(&r, &g);
        for (int step = 0; step < 60; step++) {
            struct needs n = random_needs(&g);
            if (held && rng_below(&g, 3) == 0) {
                size_t at = rng_below(&g, held);
                room_give_back(&r, &grants[at]);
                grants[at] = grants[--held];
            } else if (held < 64 && room_take(&r, &n, &grants[held])) {
                held++;
            }
            double cpus = 0, share[ROOM_GPUS_MAX] = {0};
            for (size_t k = 0; k < held; k++) {
                cpus += grants[k].needs.cpus;
                for (size_t m = 0; m < grants[k].gpu_count; m++)
                    share[grants[k].gpus[m]] += fmin(grants[k].needs.gpus, 1);
            }
            assert_true(cpus <= r.cpus + 1e-6);
            for (size_t m = 0; m < r.gpu_count; m++)
                assert_true(share[m] <= 1 + 1e-6);
            assert_int_equal(r.running, held);
        }
    }
}

static void granted_gpus_are_printed_by_their_ids(void **state)
{
    (void)state;
    struct room r;
    struct grant g;
    struct buf b;
    gpu_room(&r);
    struct needs n = gpus(2, "");
    assert_true(room_take(&r, &n, &g));
    buf_init(&b);
    room_print_gpus(&b, &r, &g);
    assert_string_equal(b.p, "GPU-a,GPU-b");
    buf_done(&b);
}

static void the_text_form_is_as_documented(void **state)
{
    (void)state;
    struct room r;
    struct buf b;
    room_init(&r, 2, 8 * GIB, 4);
    add_gpu(&r, "MIG/1", "A;1%", 8.0, 1);
    buf_init(&b);
    room_print(&b, &r);
    assert_string_equal(b.p, "cpus=2.0;memory=8589934592;parallel=4;"
                             "gpu=MIG%2F1/A%3B1%25/8.0/1073741824/0");
    buf_done(&b);
}

static void any_room_survives_its_text_form(void **state)
{
    (void)state;
    struct rng g;
    rng_init(&g, 9, 1, "room");
    for (int i = 0; i < 1000; i++) {
        struct arena *a = arena_new();
        struct room r, back;
        struct buf b, again;
        buf_init(&b);
        buf_init(&again);
        random_room(&r, &g);
        room_print(&b, &r);
        assert_int_equal(room_parse(&back, buf_str(&b), a, NULL), 0);
        room_print(&again, &back);
        assert_string_equal(b.p, again.p);
        assert_true(back.free_cpus == r.cpus);
        assert_int_equal(back.gpu_count, r.gpu_count);
        for (size_t k = 0; k < r.gpu_count; k++)
            assert_true(str_eq(back.gpus[k].id, r.gpus[k].id) &&
                        back.gpus[k].number == r.gpus[k].number);
        buf_done(&b);
        buf_done(&again);
        arena_free(a);
    }
}

static void a_damaged_text_form_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"cpus",
                                        "cpus=-1",
                                        "cpus=nan",
                                        "memory=1G",
                                        "parallel=-1",
                                        "wings=2",
                                        "gpu=1/2/3",
                                        "gpu=a/b/8.0/1",
                                        "gpu=a%2/b/8.0/1/0",
                                        "gpu=a/b/x/1/0",
                                        "gpu=a/b/8.0/1/-1",
                                        "gpu=a/b/8.0/1/2/3",
                                        "cpus=2;;memory=1",
                                        "parallel=4294967296",
                                        "gpu=%zz/b/8.0/1/0"};
    struct arena *a = arena_new();
    struct room r;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct err err = {0};
        if (room_parse(&r, str_of(texts[i]), a, &err) != -1)
            fail_msg("'%s' was taken", texts[i]);
        assert_int_equal(err.kind, ERR_INPUT);
    }
    arena_free(a);
}

static void lent_cpus_are_left_alone_but_for_one_slot(void **state)
{
    (void)state;
    struct room r;
    struct grant first, second;
    struct needs one = {.cpus = 1, .nodes = 1}, four = {.cpus = 4, .nodes = 1};
    room_init(&r, 4, 0, 0);
    r.lent_cpus = 2;
    assert_true(room_take(&r, &one, &first));
    assert_true(room_take(&r, &one, &second));
    assert_false(room_take(&r, &one, &(struct grant){0}));
    r.lent_cpus = 0;
    assert_true(room_take(&r, &one, &(struct grant){0}));
    room_give_back(&r, &first);
    room_give_back(&r, &first);
    room_give_back(&r, &second);
    r.lent_cpus = 3;
    assert_true(room_take(&r, &four, &first));
    assert_false(room_take(&r, &one, &second));
}

static void a_gpu_that_somebody_else_has_is_not_taken(void **state)
{
    (void)state;
    struct room r;
    struct grant g;
    struct needs whole = {.gpus = 1, .nodes = 1},
                 half = {.gpus = 0.5, .nodes = 1};
    room_init(&r, 4, 0, 0);
    room_add_gpu(&r, &(struct room_gpu){.id = STR("0")});
    room_add_gpu(&r, &(struct room_gpu){.id = STR("1")});
    r.gpus[0].elsewhere = true;
    assert_true(room_take(&r, &half, &g));
    assert_int_equal(g.gpus[0], 1);
    assert_false(room_take(&r, &whole, &g));
    r.gpus[0].elsewhere = false;
    assert_true(room_take(&r, &whole, &g));
    assert_int_equal(g.gpus[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_cpus_are_left_alone_but_for_one_slot),
        cmocka_unit_test(a_gpu_that_somebody_else_has_is_not_taken),
        cmocka_unit_test(what_can_never_fit_is_refused_with_the_reason),
        cmocka_unit_test(gpus_match_by_name_capability_and_memory),
        cmocka_unit_test(fractions_fill_the_fullest_gpu_first),
        cmocka_unit_test(whole_gpus_are_never_shared),
        cmocka_unit_test(ten_tenths_fit_and_leave_a_whole_gpu_again),
        cmocka_unit_test(parallel_limits_how_many_run),
        cmocka_unit_test(memory_that_is_not_said_is_not_counted),
        cmocka_unit_test(slots_are_as_many_as_can_be_taken),
        cmocka_unit_test(nothing_is_promised_twice),
        cmocka_unit_test(granted_gpus_are_printed_by_their_ids),
        cmocka_unit_test(the_text_form_is_as_documented),
        cmocka_unit_test(any_room_survives_its_text_form),
        cmocka_unit_test(a_damaged_text_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
