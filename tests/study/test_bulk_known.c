/* test_bulk_known.c - models are known by what was copied */
#include "../sys/scratch.h"

#include "study/bulk.h"

static struct plan_predict of_a_file(void)
{
    return (struct plan_predict){.models = STR("net.safetensors")};
}

static void what_was_copied_is_known(void **state)
{
    struct scratch *s = *state;
    struct plan_predict p = of_a_file();
    struct err err = {0};
    const char *notice = NULL;
    char *net = scratch_file(s, "net.safetensors", "one");
    scratch_file(s, "study/models/1.safetensors", "one");
    char *study = scratch_path(s, "study");
    struct value *before = bulk_known_take(&p, s->root, study, s->arena, &err);
    assert_non_null(before);
    assert_int_equal(bulk_known_write(&p, s->root, study, before, &err), 0);
    assert_int_equal(
        bulk_known_check(&p, s->root, study, &notice, s->arena, &err), 0);
    assert_int_equal(file_write(net, STR("two"), false, NULL), 0);
    assert_int_equal(
        bulk_known_check(&p, s->root, study, &notice, s->arena, &err), -1);
    assert_non_null(strstr(err.text, "net.safetensors has changed since"));
}

static void a_file_that_changes_meanwhile_is_not_taken(void **state)
{
    struct scratch *s = *state;
    struct plan_predict p = of_a_file();
    struct value said = {.kind = VALUE_STRING, .s = STR("net.calibration")};
    struct err err = {0};
    char *net = scratch_file(s, "net.safetensors", "one");
    scratch_file(s, "study/models/1.safetensors", "one");
    char *study = scratch_path(s, "study");
    struct value *before = bulk_known_take(&p, s->root, study, s->arena, &err);
    assert_int_equal(file_write(net, STR("two"), false, NULL), 0);
    assert_int_equal(bulk_known_write(&p, s->root, study, before, &err), -1);
    assert_int_equal(err.kind, ERR_BUSY);
    assert_string_equal(
        err.text, "net.safetensors changed while it was copied; run it again");
    assert_false(file_exists(scratch_path(s, "study/models.json")));

    p.calibration = &said;
    char *other = scratch_file(s, "net.calibration", "{}");
    before = bulk_known_take(&p, s->root, study, s->arena, &err);
    assert_non_null(before);
    assert_int_equal(file_write(other, STR("[]"), false, NULL), 0);
    assert_int_equal(bulk_known_write(&p, s->root, study, before, &err), -1);
    assert_string_equal(
        err.text, "net.calibration changed while it was copied; run it again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_was_copied_is_known),
        scratch_test(a_file_that_changes_meanwhile_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
