/* test_stored_plan.c - the plan of a study that was run before, with the
 * settings of that run */
#include "bed.h"

#define STUDY                                                                  \
    "method: grid\nparameters: {x: {values: [1]}}\n"                           \
    "metric: {name: loss}\ncommand: [x, 'metric=loss:1@1']\n"                  \
    "slurm: {look: 7}\n"

/* The profiles of this person are these. */
static void write_profiles(struct bed *b, const char *text)
{
    char *folder = path_join(b->arena, b->home, "throng");
    assert_int_equal(dir_make(folder, NULL), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", b->home, 1), 0);
    assert_int_equal(file_write(path_join(b->arena, folder, "profiles.yaml"),
                                str_of(text), false, NULL),
                     0);
}

static void put_fact(struct bed *b, const char *key, const char *text)
{
    struct err err = {0};
    if (store_fact_set(b->store, key, str_of(text), &err))
        fail_msg("%s", err.text);
}

/* It was run as `throng run --engine PLACE --profile PROFILE`. */
static void run_with(struct bed *b, const char *place, const char *profile)
{
    enum study_end end;
    if (bed_run(b, STUDY, &end))
        fail_msg("%s", b->err.text);
    store_close(b->store);
    b->store = store_open(b->setup.folder, true, &b->err);
    assert_non_null(b->store);
    assert_int_equal(store_lease_take(b->store, false, &b->err), 0);
    assert_int_equal(store_begin(b->store, &b->err), 0);
    put_fact(b, "file", "s.yaml");
    put_fact(b, "text", STUDY);
    put_fact(b, "place", place);
    put_fact(b, "profile", profile);
    assert_int_equal(store_commit(b->store, &b->err), 0);
}

static struct plan *plan_of(struct bed *b)
{
    struct err err = {0};
    struct plan *p = study_stored_plan(b->store, b->home, "s", b->arena, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

static struct str option(const struct plan *p, struct str key)
{
    const struct value *v =
        p->site.options ? value_get(p->site.options, key) : NULL;
    return v ? v->s : STR("");
}

static void it_has_the_profile_that_was_named(void **s)
{
    struct bed *b = *s;
    write_profiles(b, "default: {engine: htcondor, rank: Memory}\n"
                      "there: {engine: slurm, partition: long}\n");
    run_with(b, "slurm", "there");
    struct plan *p = plan_of(b);
    assert_true(str_is(p->site.engine, "slurm"));
    assert_true(str_is(option(p, STR("partition")), "long"));
    plan_close(p);
}

static void it_has_the_engine_that_was_named(void **s)
{
    struct bed *b = *s;
    write_profiles(b, "default: {partition: usual}\n");
    run_with(b, "slurm", "");
    struct plan *p = plan_of(b);
    assert_true(str_is(p->site.engine, "slurm"));
    assert_true(str_is(option(p, STR("partition")), "usual"));
    plan_close(p);
}

/* Else nobody could cancel what was submitted with it. */
static void a_profile_that_is_gone_takes_nothing_along(void **s)
{
    struct bed *b = *s;
    write_profiles(b, "other: {engine: htcondor}\n");
    run_with(b, "slurm", "there");
    struct plan *p = plan_of(b);
    assert_true(str_is(p->site.engine, "slurm"));
    assert_non_null(value_get(p->site.options, STR("look")));
    plan_close(p);
}

static void a_mistake_in_a_profile_takes_nothing_along(void **s)
{
    struct bed *b = *s;
    write_profiles(b, "default: {partitoin: usual}\n");
    run_with(b, "slurm", "");
    struct plan *p = plan_of(b);
    assert_true(str_is(p->site.engine, "slurm"));
    plan_close(p);
}

#define on_bed(f) cmocka_unit_test_setup_teardown(f, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(it_has_the_profile_that_was_named),
        on_bed(it_has_the_engine_that_was_named),
        on_bed(a_profile_that_is_gone_takes_nothing_along),
        on_bed(a_mistake_in_a_profile_takes_nothing_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
