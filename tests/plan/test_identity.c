/* test_identity.c - when a study is the same study */
#include "plan_test.h"

static const char base[] = "name: s\nprogram: a.py\nmethod: random\n"
                           "seed: 7\n"
                           "run_cap: 5\nmetric: {name: loss}\n"
                           "parameters: {lr: {min: 0.0, max: 1.0}}\n";

static void identity_of(struct buf *b, const char *text)
{
    struct reading_test t;

    test_read_well(&t, text);
    plan_identity(b, t.plan);
    test_done(&t);
}

/* The lines that tell two studies apart. */
static void diff(const char *was, const char *now, const char *expected)
{
    struct buf x, y, b;

    buf_init(&x);
    buf_init(&y);
    buf_init(&b);
    identity_of(&x, was);
    identity_of(&y, now);
    plan_identity_diff(&b, NULL, buf_str(&x), buf_str(&y));
    assert_string_equal(b.p, expected);
    buf_done(&x);
    buf_done(&y);
    buf_done(&b);
}

static void limits_do_not_make_another_study(void **state)
{
    (void)state;
    diff(base, base, "");
    diff(base,
         "parameters: {lr: {max: 1.0, min: 0.0}}\nrun_cap: 50\n"
         "seed: 7\nparallel: 4\nresources: {cpus: 2}\nretries: 3\n"
         "metric: {name: loss, goal: minimize, target: 0.1}\n"
         "method: random\nprogram: a.py\nname: s\nengine: slurm\n",
         "");
}

static void what_is_said_to_the_kind_is_part_of_a_study(void **state)
{
    struct buf said;

    (void)state;
    buf_init(&said);
    buf_addf(&said, "%stask: command\n", base);
    diff(base, said.p, "");
    buf_reset(&said);
    buf_addf(&said, "%stask: {kind: command, n: 3}\n", base);
    diff(base, said.p,
         "kind_options: was absent, now {\"kind\":\"command\",\"n\":3}\n");
    buf_done(&said);
}

/* Early stopping that compares trials decides what others are told. */
static void a_rule_that_compares_trials_is_part_of_a_study(void **state)
{
#define EARLY                                                                  \
    "name: s\nprogram: a.py\nmethod: random\nseed: 7\nrun_cap: 5\n"            \
    "metric: {name: loss}\nparameters: {lr: {min: 0.0, max: 1.0}}\n"           \
    "early_terminate: "
    struct reading_test t;
    struct buf b;

    (void)state;
    diff(EARLY "{type: hyperband, min_iter: 3}\n",
         EARLY "{type: hyperband, min_iter: 3, eta: 3}\n", "");
    diff(EARLY "{type: hyperband, min_iter: 3}\n",
         EARLY "{type: hyperband, min_iter: 4}\n",
         "early_terminate.min_iter: was 3, now 4\n");
    diff(EARLY "{type: patience, patience: 3}\n",
         EARLY "{type: patience, patience: 5}\n", "");
    diff(EARLY "{type: patience, patience: 3}\n", base, "");
    diff(base, EARLY "{type: median}\n",
         "early_terminate: was absent, now {\"percentile\":50,"
         "\"type\":\"median\",\"warmup_trials\":5}\n");
    /* What was stored when it was not part of it says nothing about it. */
    test_read_well(&t, EARLY "{type: median}\n");
    buf_init(&b);
    plan_identity_as(&b, t.plan, STR("{\"version\":1}"));
    assert_null(strstr(b.p, "early_terminate"));
    buf_done(&b);
    test_done(&t);
#undef EARLY
}

static void a_secret_is_not_part_of_a_study(void **state)
{
#define LINE "method: grid\nparameters: {a: {value: 1}}\ncommand: "
    struct buf b;

    (void)state;
    buf_init(&b);
    identity_of(&b, LINE "[run, \"--token:\", \"abc\"]\n");
    assert_null(strstr(b.p, "abc"));
    buf_done(&b);
    diff(LINE "[run, \"--token:\", \"abc\"]\n",
         LINE "[run, \"--token:\", \"xyz\"]\n", "");
    diff(LINE "[run, \"--token:\", \"abc\"]\n",
         LINE "[run, \"--token:\", \"abc\", b]\n",
         "command: was [\"run\",\"--token:\",\"***\"], now "
         "[\"run\",\"--token:\",\"***\",\"b\"]\n");
#undef LINE
}

static void a_changed_space_is_named(void **state)
{
    struct buf x, y, b;

    (void)state;
    buf_init(&x);
    buf_init(&y);
    buf_init(&b);
    identity_of(&x, base);
    identity_of(&y, "name: s\nprogram: a.py\nmethod: random\nrun_cap: 5\n"
                    "metric: {name: loss}\n"
                    "parameters: {lr: {min: 0.0, max: 2.0}, k: {value: 1}}\n");
    plan_identity_diff(&b, NULL, buf_str(&x), buf_str(&y));
    assert_non_null(strstr(b.p, "parameter lr: was {"));
    assert_non_null(strstr(b.p, "parameter k: was absent, now {"));
    buf_done(&x);
    buf_done(&y);
    buf_done(&b);
}

static void what_makes_the_study_is_compared(void **state)
{
    (void)state;
    diff(base,
         "name: s\nprogram: b.py\nmethod: random\nrun_cap: 5\n"
         "metric: {name: loss, goal: maximize}\nseed: 1\nrepeat: 2\n"
         "parameters: {lr: {min: 0.0, max: 1.0}}\n",
         "metric.goal: was \"minimize\", now \"maximize\"\n"
         "program: was \"a.py\", now \"b.py\"\n"
         "repeat: was 1, now 2\n"
         "seed: was 7, now 1\n");
    diff("program: a\nmethod: grid\nparameters: {a: {value: 1}}\n",
         "program: a\nmethod: grid\nparameters: {a: {value: 1.0}}\n",
         "parameter a: was {\"distribution\":\"constant\",\"name\":\"a\","
         "\"value\":1}, now {\"distribution\":\"constant\",\"name\":\"a\","
         "\"value\":1.0}\n");
    diff("program: a\nmethod: grid\nparameters: {a: {min: 1, max: 12}}\n",
         "program: a\nmethod: grid\nparameters: {a: {min: 1, max: 13}}\n",
         "parameter a: was {\"distribution\":\"int_uniform\",\"max\":12,"
         "\"min\":1,\"name\":\"a\"}, now {\"distribution\":\"int_uniform\","
         "\"max\":13,\"min\":1,\"name\":\"a\"}\n");
    diff("program: a\nmethod: grid\nparameters: {a: {value: 1.0.0}}\n",
         "program: a\nmethod: grid\nparameters: {a: {value: 2.0}}\n",
         "parameter a: was {\"distribution\":\"constant\",\"name\":\"a\","
         "\"value\":\"1.0.0\"}, now {\"distribution\":\"constant\","
         "\"name\":\"a\",\"value\":2}\n");
    diff("command: [a]\nmethod: grid\nparameters: {a: {value: .nan}}\n",
         "command: [a, b]\nmethod: grid\nparameters: {a: {value: .nan}}\n",
         "command: was [\"a\"], now [\"a\",\"b\"]\n");
    diff("command: [a]\nmethod: grid\nparameters: {a: {value: 1}}\n",
         "command: [a]\npoints: [{a: 1}]\n",
         "method: was \"grid\", now \"points\"\n"
         "parameter a: was {\"distribution\":\"constant\",\"name\":\"a\","
         "\"value\":1}, now absent\n"
         "points: there were none, now there are some\n");
}

static void read_points(struct reading_test *t, const char *file,
                        const char *text)
{
    const struct test_file disk[] = {{file, text}, {NULL, NULL}};
    char study[256];

    snprintf(study, sizeof(study), "name: s\nprogram: a\npoints: %s\n", file);
    test_read_str(t, str_of(study), "study.yaml", disk);
    assert_non_null(t->plan);
}

/* Compares two lists as one that may have grown. */
static void points_diff(const char *file, const char *was, const char *now,
                        const char *expected)
{
    struct reading_test t;
    struct buf x, y, b;

    buf_init(&x);
    buf_init(&y);
    buf_init(&b);
    read_points(&t, file, was);
    plan_identity(&x, t.plan);
    test_done(&t);
    read_points(&t, file, now);
    plan_identity_as(&y, t.plan, buf_str(&x));
    test_done(&t);
    plan_identity_diff(&b, NULL, buf_str(&x), buf_str(&y));
    assert_string_equal(b.p, expected);
    buf_done(&x);
    buf_done(&y);
    buf_done(&b);
}

static void a_list_may_grow_at_its_end(void **state)
{
    (void)state;
    points_diff("p.csv", "a\n1\n2\n", "a\n1\n2\n", "");
    points_diff("p.csv", "a\n1\n2\n", "a\n1\n2\n3\n4\n", "");
    points_diff("p.csv", "a\n1\n2", "a\n1\n2\n3", "");
    points_diff("p.jsonl", "{\"a\": 1}\n", "{\"a\": 1}\n{\"a\": 2}\n", "");
    points_diff("p.json", "[{\"a\": 1}]", "[{\"a\": 1}, {\"a\": 2}]", "");
}

static void a_list_that_changed_is_another_study(void **state)
{
    (void)state;
    points_diff("p.csv", "a\n1\n2\n", "a\n1\n3\n",
                "points: other ones than before\n");
    points_diff("p.csv", "a\n1\n2\n", "a\n0\n1\n2\n",
                "points: other ones than before\n");
    points_diff("p.csv", "a\n1\n2\n", "a\n1\n", "points: 2 before, 1 now\n");
    points_diff("p.csv", "a\n1\n", "b\n1\n",
                "points: other ones than before\n");
}

static void a_long_list_is_cut_at_the_right_place(void **state)
{
    struct buf was, now;

    (void)state;
    for (int n = 255; n <= 513; n += 129) {
        buf_init(&was);
        buf_adds(&was, "a\n");
        for (int i = 0; i < n; i++)
            buf_addf(&was, "%d\n", i);
        buf_init(&now);
        buf_addstr(&now, buf_str(&was));
        for (int i = 0; i < 300; i++)
            buf_addf(&now, "%d\n", -i);
        points_diff("p.csv", was.p, now.p, "");
        buf_done(&was);
        buf_done(&now);
    }
}

static void a_secret_that_was_stored_makes_no_other_study(void **state)
{
    struct reading_test t;
    struct buf now, b;

    (void)state;
    test_read_well(&t, "command: [mysql, -pabcd, x]\nmethod: grid\n"
                       "parameters: {a: {values: [1]}}\n");
    buf_init(&now);
    buf_init(&b);
    plan_identity(&now, t.plan);
    assert_null(strstr(now.p, "abcd"));
    char *was = arena_cstr(t.arena, buf_str(&now));
    char *hidden = strstr(was, "-p***");
    assert_non_null(hidden);
    memcpy(hidden, "-pabc", 5);
    plan_identity_diff(&b, t.plan, str_of(was), buf_str(&now));
    assert_string_equal(b.p, "");
    buf_done(&now);
    buf_done(&b);
    test_done(&t);
}

static void a_damaged_identity_cannot_be_compared(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    plan_identity_diff(&b, NULL, STR("not json"), STR("{}"));
    assert_string_equal(b.p, "the stored study cannot be compared\n");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_do_not_make_another_study),
        cmocka_unit_test(what_is_said_to_the_kind_is_part_of_a_study),
        cmocka_unit_test(a_rule_that_compares_trials_is_part_of_a_study),
        cmocka_unit_test(a_secret_is_not_part_of_a_study),
        cmocka_unit_test(a_changed_space_is_named),
        cmocka_unit_test(what_makes_the_study_is_compared),
        cmocka_unit_test(a_list_may_grow_at_its_end),
        cmocka_unit_test(a_list_that_changed_is_another_study),
        cmocka_unit_test(a_long_list_is_cut_at_the_right_place),
        cmocka_unit_test(a_secret_that_was_stored_makes_no_other_study),
        cmocka_unit_test(a_damaged_identity_cannot_be_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
