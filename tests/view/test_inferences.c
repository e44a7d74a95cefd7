/* test_inferences.c - lines of inferences, and what they add up to */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "view/view.h"

static const struct inference_line made[] = {
    {.name = "drawn",
     .shards = 4,
     .done = 3,
     .failed = 1,
     .rows = 300,
     .models = 2,
     .samples = 5,
     .passes = 10,
     .predictions = 3000,
     .seconds = 10,
     .slot_seconds = 20,
     .slots = 3,
     .dropout_least = 0.125,
     .dropout_most = 0.25,
     .timed = 3000,
     .asked_seconds = 1.5},
    {.name = "program",
     .shards = 2,
     .done = 2,
     .rows = 100,
     .passes = 1,
     .predictions = 100,
     .seconds = 5,
     .slot_seconds = 5,
     .slots = 1,
     .dropout_least = NAN,
     .dropout_most = NAN},
};

static void what_is_known_adds_up(void **state)
{
    (void)state;
    struct inference_line all = inferences_total(made, 2);
    assert_int_equal(all.shards, 6);
    assert_int_equal(all.done, 5);
    assert_int_equal(all.failed, 1);
    assert_int_equal(all.rows, 400);
    assert_int_equal(all.slots, 3);
    assert_true(all.predictions >= 3100 && all.predictions <= 3100);
    assert_true(all.seconds >= 15 && all.seconds <= 15);
    assert_true(isnan(all.dropout_least));
}

static void sums_of_times_are_as_exact_as_times_are(void **state)
{
    (void)state;
    const struct inference_line two[] = {
        {.name = "a", .seconds = 0.1, .slot_seconds = 0.7},
        {.name = "b", .seconds = 0.2, .slot_seconds = 0.1}};
    struct inference_line all = inferences_total(two, 2);
    assert_true(all.seconds >= 0.3 && all.seconds <= 0.3);
    assert_true(all.slot_seconds >= 0.8 && all.slot_seconds <= 0.8);
}

static void programs_are_told_what_is_not_known(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    inferences_json(&b, made, 2);
    assert_string_equal(
        b.p, "{\"schema\":\"throng.inferences/1\",\"inferences\":["
             "{\"study\":\"drawn\",\"models\":2,\"samples\":5,\"shards\":4,"
             "\"done\":3,\"failed\":1,\"rows\":300,\"bad_rows\":0,"
             "\"predictions\":3000,"
             "\"seconds\":10.0,\"slots\":3,\"slot_seconds\":20.0,"
             "\"predictions_per_second\":150.0,\"rows_per_second\":15.0,"
             "\"t_image\":0.0005,\"dropout\":[0.125,0.25]},"
             "{\"study\":\"program\",\"models\":0,\"samples\":1,\"shards\":2,"
             "\"done\":2,\"failed\":0,\"rows\":100,\"bad_rows\":0,"
             "\"predictions\":100,"
             "\"seconds\":5.0,\"slots\":1,\"slot_seconds\":5.0,"
             "\"predictions_per_second\":20.0,\"rows_per_second\":20.0,"
             "\"t_image\":null,\"dropout\":null}],"
             "\"total\":{\"shards\":6,\"done\":5,\"failed\":1,\"rows\":400,"
             "\"bad_rows\":0,"
             "\"predictions\":3100,\"seconds\":15.0,\"slots\":3,"
             "\"slot_seconds\":25.0,\"predictions_per_second\":124.0,"
             "\"rows_per_second\":16.0,\"t_image\":0.0005}}\n");
    buf_done(&b);
}

static void a_table_has_a_line_for_all_of_them(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct tabled t;
    tabled_init(&t, a);
    inferences_table(&t, made, 2);
    size_t wide = t.titles.len;
    assert_int_equal(t.cells.len, 3 * wide);
    assert_string_equal(t.cells.p[2 * wide].text, "total");
    assert_string_equal(t.cells.p[wide - 2].text, "0.125 to 0.25");
    assert_string_equal(t.cells.p[2 * wide - 2].text, "");
    tabled_done(&t);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_adds_up),
        cmocka_unit_test(sums_of_times_are_as_exact_as_times_are),
        cmocka_unit_test(programs_are_told_what_is_not_known),
        cmocka_unit_test(a_table_has_a_line_for_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
