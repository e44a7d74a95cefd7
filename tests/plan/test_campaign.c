/* test_campaign.c - files with stages: what they say, in which order they run,
 * and what is wrong with them */
#include "plan_test.h"

static const struct test_file files[] = {
    {"search.yaml", "method: random\nrun_cap: 5\nmetric: {name: loss}\n"
                    "parameters: {lr: {min: 0.0, max: 1.0}, opt: {values: "
                    "[sgd, adam]}}\ncommand: train {lr} {opt}\n"},
    {"ensemble.yaml", "metric: {name: loss}\ncommand: train {lr} {fold}\n"},
    {"wrong.yaml", "metod: grid\nparameters: {a: {values: [1]}}\n"
                   "command: x {a}\n"},
    {"model.yaml", "layers: []\ndata: {file: table.csv}\n"},
    {"trains.yaml", "model: model.yaml\nparameters: {a: {values: [1]}}\n"},
    {"portable.yaml",
     "model: model.yaml\nkernels: portable\nparameters: {a: {values: [1]}}\n"},
    {"nets/model.yaml", "layers: []\ndata: {inputs: 'in/set.npz:x', "
                        "labels: ../y.csv}\n"},
    {"beside.yaml", "model: nets/model.yaml\nparameters: {a: {values: [1]}}\n"},
    {NULL, NULL}};

struct campaign_test {
    struct arena *arena;
    struct problems problems;
    struct plan_campaign *campaign;
    struct buf said;
};

static void open_text(struct campaign_test *t, const char *text)
{
    static struct plan_reader reader = {.methods = search_methods};
    const struct test_file *list = files;

    reader.dialect = &candle_dialect;
    memcpy(&reader.files.context, &list, sizeof(list));
    reader.files.read = test_read_file;
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->campaign = plan_campaign_read(str_of(text), "c.yaml", &reader, t->arena,
                                     &t->problems);
    buf_init(&t->said);
    problems_print(&t->said, &t->problems);
    assert_true((t->campaign == NULL) == (t->problems.errors > 0));
}

static void open_well(struct campaign_test *t, const char *text)
{
    open_text(t, text);
    if (!t->campaign)
        fail_msg("refused:\n%s\nof:\n%s", t->said.p, text);
}

static void done(struct campaign_test *t)
{
    plan_campaign_close(t->campaign);
    buf_done(&t->said);
    arena_free(t->arena);
}

static void says(const char *text, const char *expected)
{
    struct campaign_test t;

    open_text(&t, text);
    if (!strstr(t.said.p, expected))
        fail_msg("expected\n%s\nsaid\n%s", expected, t.said.p);
    done(&t);
}

/* The names of its stages in their order, and of what each needs. */
static void order_is(const char *text, const char *expected)
{
    struct campaign_test t;
    struct buf b;

    open_well(&t, text);
    buf_init(&b);
    for (size_t i = 0; i < t.campaign->stage_count; i++) {
        const struct plan_stage *s = &t.campaign->stages[i];

        buf_addf(&b, "%s%.*s", i ? " " : "", STRF(s->name));
        for (size_t k = 0; k < s->need_count; k++)
            buf_addf(&b, "%c%.*s", k ? ',' : '<',
                     STRF(t.campaign->stages[s->needs[k]].name));
    }
    assert_string_equal(b.p, expected);
    buf_done(&b);
    done(&t);
}

static void a_file_with_stages_is_a_campaign(void **state)
{
    (void)state;
    assert_true(plan_is_campaign(STR("stages: 3"), "x"));
    assert_false(plan_is_campaign(STR("parameters: {}"), "x"));
    assert_false(plan_is_campaign(STR(": ["), "x"));
}

static void stages_follow_what_they_name(void **state)
{
    (void)state;
    order_is("stages:\n"
             "  d: {command: 'echo ${b.best.lr}'}\n"
             "  b: {study: search.yaml, inputs: [t.csv]}\n"
             "  a: {command: 'sort raw > t.csv', outputs: [t.csv]}\n",
             "a b<a d<b");
    order_is("stages:\n"
             "  e: {study: ensemble.yaml, parameters: {t: {from: s}, fold: "
             "{values: [1]}}}\n"
             "  s: {study: search.yaml}\n",
             "s e<s");
    order_is("stages:\n"
             "  w: {command: x, when: 's.best.loss<0.1 and s.best.lr>=0'}\n"
             "  n: {command: x, needs: w}\n"
             "  s: {study: search.yaml}\n",
             "s w<s n<w");
}

static void a_file_in_a_command_or_a_model_is_a_need(void **state)
{
    (void)state;
    order_is("stages:\n"
             "  use: {command: 'wc --file=./table.csv'}\n"
             "  train: {study: trains.yaml}\n"
             "  make: {command: x, outputs: [table.csv]}\n",
             "make use<make train<make");
    /* A model file names its data from where it lies, and arrays by colons. */
    order_is("stages:\n"
             "  train: {study: beside.yaml}\n"
             "  x: {command: x, outputs: [nets/in/set.npz]}\n"
             "  y: {command: x, outputs: [y.csv]}\n"
             "  other: {command: x, outputs: [nets/y.csv, in/set.npz]}\n",
             "x y train<x,y other");
    /* What a stage writes itself, and what is behind a >, it does not read. */
    order_is("stages:\n"
             "  b: {command: 'x > other.csv'}\n"
             "  a: {command: 'x table.csv', outputs: [table.csv]}\n"
             "  c: {command: 'y', outputs: [other.csv]}\n",
             "b a c");
}

static void each_makes_a_stage_of_every_value(void **state)
{
    (void)state;
    struct campaign_test t;

    order_is("stages:\n"
             "  last: {command: x, needs: t}\n"
             "  t: {command: 'echo ${each.n}', each: [{n: 1}, {n: b}]}\n",
             "t-1 t-2 last<t-1,t-2");
    open_well(&t, "stages:\n  t: {command: 'echo ${each}', each: [7, b]}\n");
    assert_true(str_is(
        value_text(value_get(t.campaign->stages[1].study, STR("command"))),
        "echo b"));
    done(&t);
    says("stages:\n  t: {command: x, each: []}\n", "c.yaml:2:25: error: each");
    says("stages:\n  t: {command: 'x ${each.q}', each: [{n: 1}]}\n",
         "${each.q} names nothing of `each`");
    says("stages:\n  t: {command: x, each: [1]}\n"
         "  u: {command: 'x ${t.best.a}'}\n",
         "'t' is a stage for each value of a list");
}

static void a_cycle_is_named(void **state)
{
    (void)state;
    says("stages:\n"
         "  a: {command: x, needs: b}\n"
         "  b: {command: x, needs: c}\n"
         "  c: {command: x, needs: b}\n",
         "c.yaml:3:3: error: stages go round in a circle: b needs c needs b");
    says("stages:\n  a: {command: x, needs: a}\n", "a needs a");
}

static void two_that_write_one_file_are_named(void **state)
{
    (void)state;
    says("stages:\n"
         "  one: {predict: {models: m, data: x.csv, output: t.csv}}\n"
         "  two: {predict: {models: m, data: y.csv, output: t.csv}}\n",
         "c.yaml:3:3: error: stages 'one' and 'two' both write t.csv");
}

static void mistakes_have_their_places(void **state)
{
    (void)state;
    says("stages: {}\n", "c.yaml:1:9: error: stages is empty");
    says("stages: 3\n", "c.yaml:1:9: error: stages");
    says("nam: x\nstages: {a: {command: x}}\n",
         "c.yaml:1:1: error: a campaign has no key 'nam' (did you mean 'name'");
    says("name: a/b\nstages: {a: {command: x}}\n", "holds a slash");
    says("stages:\n  a b: {command: x}\n", "c.yaml:2:3: error: a stage cannot");
    says("stages:\n  requests: {command: x}\n", "cannot be named 'requests'");
    says("stages:\n  a: {}\n", "stage 'a' does not say what it runs");
    says("stages:\n  a: 7\n", "c.yaml:2:6: error: a stage");
    says("stages:\n  a: {study: s.yaml, summary: [a], output: x}\n",
         "stage 'a' is of two kinds");
    says("stages:\n  a: {ensemble: a}\n", "an ensemble needs output");
    says("stages:\n  a: {ensemble: b, output: x}\n", "there is no stage 'b'");
    says("stages:\n  b: {command: x}\n"
         "  a: {ensemble: b, output: x, greedy: 0}\n",
         "c.yaml:3:39: error: greedy");
    says("stages:\n  b: {command: x}\n"
         "  a: {ensemble: b, output: x, bundle: 7}\n",
         "c.yaml:3:39: error: bundle");
    says("stages:\n  b: {command: x}\n"
         "  a: {ensemble: b, output: x, greed: 3}\n",
         "did you mean 'greedy'");
    static const char *const combined[][2] = {
        {"combine: medain", "c.yaml:3:40: error: combine cannot be 'medain'"},
        {"greedy: 3, combine: median", "a median does not (mean or vote)"},
        {"greedy: 3, combine: stacking", "and so does stacking (take one"},
        {"combine: weighted, greedy: 3", "and so does weighted (take one"},
        {"data: x.csv", "c.yaml:3:37: error: nothing is chosen or weighed by"},
        {"combine: vote, out_of_fold: true", "or weighed out of fold (with"},
    };
    for (size_t i = 0; i < sizeof(combined) / sizeof(*combined); i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "stages:\n  b: {command: x}\n"
                 "  a: {ensemble: b, output: x, %s}\n",
                 combined[i][0]);
        says(text, combined[i][1]);
    }
    says("stages:\n  a: {predict: 7}\n", "c.yaml:2:16: error: predict");
    says("stages:\n  b: {command: x}\n"
         "  a: {predict: {models: b, data: x.csv}}\n",
         "c.yaml:3:25: error: stage 'b' has no models");
    says("stages:\n  b: {ensemble: c, output: x}\n  c: {study: search.yaml}\n"
         "  a: {predict: {models: b, select: best, data: x.csv}}\n",
         "stage 'b' makes one model, of which select chooses nothing");
    says("stages:\n  a: {study: sub/x.yaml}\n", "lies beside the campaign's");
    says("stages:\n  a: {study: gone.yaml}\n", "c.yaml:2:14: error: study: ");
    says("stages:\n  a: {command: x, outputs: [/etc/x]}\n",
         "outputs cannot be '/etc/x'");
    says("stages:\n  a: {command: x, run_cap: 3}\n",
         "a stage that is one command has no run_cap");
    says("stages:\n  a: {command: 'x ${b.best.y}'}\n", "there is no stage 'b'");
    says("stages:\n  a: {command: x, when: 'b < 3'}\n",
         "'b < 3' is no comparison");
    says("stages:\n  a: {study: search.yaml, paralel: 3}\n",
         "c.yaml:2:27: error: no key 'paralel' (did you mean 'parallel'?)");
    says("stages:\n  a: {study: wrong.yaml}\n",
         "wrong.yaml:1:1: error: no key 'metod'");
}

static void templates_are_checked_before_they_are_there(void **state)
{
    (void)state;
    const char *head = "stages:\n  s: {study: search.yaml}\n  e: {study: "
                       "ensemble.yaml, parameters: ";
    char text[512];

    snprintf(text, sizeof(text), "%s{t: {from: s, selct: 'best:4'}}}\n", head);
    says(text, "a template has no key 'selct' (did you mean 'select'?)");
    snprintf(text, sizeof(text), "%s{t: {from: x}}}\n", head);
    says(text, "there is no stage 'x'");
    snprintf(text, sizeof(text),
             "%s{t: {from: s}, lr: {values: [1]}, fold: {values: [1]}}}\n",
             head);
    says(text, "'lr' is a parameter of the grid and of the points");
    snprintf(text, sizeof(text),
             "%s{t: {from: s}, u: {from: s}, fold: {values: [1]}}}\n", head);
    says(text, "is a parameter of two templates");
    snprintf(text, sizeof(text), "%s{t: {from: s}}}\n", head);
    says(text, "fold");
}

/* ---- filling in -------------------------------------------------------- */

static struct value *give(void *context, size_t stage, struct str name,
                          struct err *err)
{
    struct arena *a = context;
    (void)stage;
    if (str_is(name, "lr"))
        return value_double(a, 0.25);
    if (str_is(name, "text"))
        return value_string(a, STR("$(rm -rf x)"));
    if (str_is(name, "list"))
        return test_json(a, "[1,2]");
    err_set(err, ERR_INPUT, "no %.*s", STRF(name));
    return NULL;
}

static const char *filled(struct campaign_test *t, const char *command,
                          const char *key, struct err *err)
{
    char text[512];
    struct value *study;
    struct buf b;
    const char *out;

    snprintf(text, sizeof(text),
             "stages:\n  s: {study: search.yaml}\n  c: {command: x, env: {V: "
             "%s}}\n",
             command);
    open_well(t, text);
    study = plan_stage_fill(t->campaign, &t->campaign->stages[1], give,
                            t->arena, NULL, t->arena, err);
    if (!study)
        return NULL;
    buf_init(&b);
    json_print(&b, value_get(value_get(study, str_of(key)), STR("V")));
    out = arena_cstr(t->arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void filled_is(const char *command, const char *expected)
{
    struct campaign_test t;
    struct err err = {0};
    const char *got = filled(&t, command, "env", &err);

    if (expected[0] == '!') {
        assert_null(got);
        assert_non_null(strstr(err.text, expected + 1));
    } else
        assert_string_equal(got, expected);
    done(&t);
}

static void values_of_earlier_stages_are_filled_in(void **state)
{
    (void)state;
    filled_is("'${s.best.lr}'", "0.25");
    filled_is("'a${s.best.lr}b${s.best.lr}'", "\"a0.25b0.25\"");
    filled_is("'${s.best.text}'", "\"$(rm -rf x)\"");
    filled_is("'$${s.best.lr} ${args} ${HOME'",
              "\"$${s.best.lr} ${args} ${HOME\"");
    filled_is("'${s.best.zz}'", "!no zz");
}

/* A text may be a shell's: no value of another program becomes its code. */
static void a_value_in_a_text_is_a_plain_word(void **state)
{
    (void)state;
    filled_is("'a ${s.best.text}'", "!cannot stand inside of a text");
    filled_is("'a ${s.best.list}'", "!cannot stand inside of a text");
}

static void a_stage_names_its_device_whatever_its_file_calls_it(void **state)
{
    struct campaign_test t;
    (void)state;
    open_well(&t, "stages:\n  a: {study: portable.yaml, device: reference}\n"
                  "  b: {study: portable.yaml}\n");
    assert_true(str_is(t.campaign->stages[0].plan->device, "reference"));
    assert_true(str_is(t.campaign->stages[1].plan->device, "portable"));
    done(&t);
    says("stages:\n  a: {study: trains.yaml, device: cpu, kernels: cuda}\n",
         "c.yaml:2:49: error: kernels is cuda, and device is cpu");
}

static void conditions_compare_numbers_and_words(void **state)
{
    (void)state;
    static const struct {
        enum condition_sign sign;
        bool less, same, more;
    } rows[] = {
        {SIGN_LESS, true, false, false}, {SIGN_MOST, true, true, false},
        {SIGN_MORE, false, false, true}, {SIGN_LEAST, false, true, true},
        {SIGN_IS, false, true, false},   {SIGN_NOT, true, false, true}};
    struct arena *a = arena_new();
    for (size_t i = 0; i < 6; i++) {
        struct stage_condition c = {.sign = rows[i].sign, .than = STR("2")};
        assert_true(plan_condition_holds(&c, value_int(a, 1)) == rows[i].less);
        assert_true(plan_condition_holds(&c, value_int(a, 2)) == rows[i].same);
        assert_true(plan_condition_holds(&c, value_double(a, 3)) ==
                    rows[i].more);
    }
    struct stage_condition word = {.sign = SIGN_IS, .than = STR("adam")};
    assert_true(plan_condition_holds(&word, value_string(a, STR("adam"))));
    assert_false(plan_condition_holds(&word, value_string(a, STR("sgd"))));
    assert_false(plan_condition_holds(&word, value_double(a, 1)));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_with_stages_is_a_campaign),
        cmocka_unit_test(stages_follow_what_they_name),
        cmocka_unit_test(a_file_in_a_command_or_a_model_is_a_need),
        cmocka_unit_test(each_makes_a_stage_of_every_value),
        cmocka_unit_test(a_cycle_is_named),
        cmocka_unit_test(two_that_write_one_file_are_named),
        cmocka_unit_test(mistakes_have_their_places),
        cmocka_unit_test(templates_are_checked_before_they_are_there),
        cmocka_unit_test(values_of_earlier_stages_are_filled_in),
        cmocka_unit_test(a_value_in_a_text_is_a_plain_word),
        cmocka_unit_test(a_stage_names_its_device_whatever_its_file_calls_it),
        cmocka_unit_test(conditions_compare_numbers_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
