/* test_filter.c - the filter language */
#include "made_store.h"
#include "base/rng.h"
#include "store/filter.h"

static const char sample_summary[] =
    "{\"bad\":{\"last\":NaN,\"count\":2},"
    "\"loss\":{\"last\":0.15,\"min\":0.1,\"max\":2.5,\"step\":9,"
    "\"count\":10},\"val/acc\":{\"last\":0.9,\"max\":0.95},"
    "\"a.min\":{\"last\":5},\"a\":{\"last\":1,\"min\":0},"
    "\"width\":{\"last\":1}}";

static struct trial sample_trial(void)
{
    return (struct trial){
        .id = 7,
        .state = STATE_FAILED,
        .value = 0.25,
        .seconds = 90,
        .attempts = 2,
        .failures = 1,
        .started = 1700000000,
        .point = STR("{\"drop\":null,\"flag\":true,\"list\":[1,2],"
                     "\"lr\":0.001,\"model\":\"resnet\",\"n\":\"16\","
                     "\"off\":false,\"opt\":{\"lr\":0.05,"
                     "\"name\":\"ad\\u0061m\"},\"q x\":3,"
                     "\"width\":64}"),
        .reason = STR("CUDA out of memory"),
        .summary = str_of(sample_summary),
    };
}

static bool means(const char *text)
{
    struct err err = {0};
    struct trial t = sample_trial();
    struct filter *f = filter_new(text, &err);
    if (!f)
        fail_msg("%s: %s", text, err.text);
    static const int64_t tagged[] = {2, 7, 9};
    for (size_t i = 0; i < filter_tag_count(f); i++)
        filter_tag_trials(f, i, tagged,
                          str_is(filter_tag(f, i), "keep") ? 3 : 1);
    bool yes = filter_test(f, &t, NULL, NULL);
    filter_free(f);
    return yes;
}

static void these_filters_mean_the_sample(void **state)
{
    (void)state;
    static const char *const filters[] = {
        "lr<1e-2",
        "lr = 0.001",
        "lr == 1e-3",
        "1e-2 > lr",
        "lr",
        "flag",
        "flag = true",
        "flag = 1",
        "flag != false",
        "off = false",
        "not off",
        "!off",
        "drop = null",
        "drop != 3",
        "opt.lr <= 0.1 and (model == \"resnet\" or model != vgg)",
        "opt.name = adam",
        "opt.name == 'adam'",
        "opt ~ lr",
        "state = failed",
        "state == bad",
        "state != done",
        "state = finished && state != killed",
        "state in (done, failed)",
        "state not in (done, running)",
        "tag:keep",
        "not tag:other",
        "tag:\"keep\"",
        "seconds > 60",
        "loss < 0.2",
        "loss.min = 0.1 and loss.max = 2.5",
        "loss.last<0.2 && loss.count>=10&&loss.step=9",
        "val/acc > 0.8",
        "val/acc.max = 0.95",
        "a.min = 5",
        "a = 1",
        "width = 64",
        "bad = nan",
        "bad != 3",
        "bad.count = 2",
        "trial > 6",
        "trial in (1, 7, 9)",
        "value < 0.3",
        "attempts = 2 and failures = 1",
        "started > 1.6e9",
        "reason ~ \"cuda\"",
        "reason ~ cuda",
        "model in (vgg, resnet)",
        "n = 16",
        "n < 20",
        "n = \"16\"",
        "width = \"64\"",
        "`q x` = 3",
        "`width` = 64",
        "not missing",
        "not (missing > 3)",
        "not missing < 3",
        "missing = 3 or lr = 0.001",
        "list ~ \"1,2\"",
        "((((lr=0.001))))",
        "model > aardvark",
        "  lr\t=\n0.001  ",
        "not not lr",
        "width = 65 or width = 64 and model = resnet",
        "loss>-1",
    };
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (!means(filters[i]))
            fail_msg("%s", filters[i]);
}

static void these_filters_do_not(void **state)
{
    (void)state;
    static const char *const filters[] = {
        "lr>1e-3",
        "lr != 0.001",
        "off",
        "drop",
        "drop < 3",
        "missing",
        "missing != 3",
        "missing = missing",
        "missing in (1, 2)",
        "missing ~ a",
        "opt.missing = 1",
        "opt.lr.deep = 1",
        "note ~ x",
        "ended > 0",
        "run_id = x",
        "state = running",
        "state = done",
        "tag:other",
        "bad < 3",
        "bad > 3",
        "bad = 3",
        "loss.min > 0.1",
        "lr = abc",
        "lr < abc",
        "model < 5",
        "reason ~ tpu",
        "`trial` = 7",
        "model in (vgg)",
        "not (lr = 0.001 or missing)",
        "lr = 0.001 and not flag",
        "(width = 65 or width = 64) and model = vgg",
    };
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (means(filters[i]))
            fail_msg("%s", filters[i]);
}

static void mistakes_name_the_column_and_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *filter, *says;
    } mistakes[] = {
        {"", "column 1: expected a name"},
        {"lr >", "column 5: expected a value, but it ends"},
        {"lr > 1 lr", "column 8: expected 'and', 'or' or the end"},
        {"(lr > 1", "column 8: expected ')'"},
        {"lr > )", "column 6: expected a value"},
        {"and lr", "column 1: expected a name"},
        {"lr in 3", "column 7: expected '('"},
        {"lr in (3", "column 9: expected ',' or ')'"},
        {"lr in ()", "column 8: expected a value"},
        {"lr not 3", "column 8: expected 'in'"},
        {"model = \"vgg", "column 9: expected a closing quote"},
        {"`` = 3", "column 1: expected a name between"},
        {"state = faild", "did you mean failed?"},
        {"state in (done, wat)", "column 17: expected a state"},
        {"tag: x", "column 5: expected the tag's name"},
        {"lr @ 3", "column 4: expected"},
        {"3", "column 2: expected an operator"},
        {"lr > 1 and", "column 11: expected a name"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct err err = {0};
        if (store_filter_check(mistakes[i].filter, &err) == 0)
            fail_msg("'%s' was taken", mistakes[i].filter);
        assert_int_equal(err.kind, ERR_INPUT);
        if (!strstr(err.text, mistakes[i].says))
            fail_msg("'%s': %s", mistakes[i].filter, err.text);
    }
}

static void deep_and_long_filters_are_refused_not_crashed_on(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    struct err err = {0};
    for (int i = 0; i < 20000; i++)
        buf_adds(&b, "(");
    assert_int_equal(store_filter_check(b.p, &err), -1);
    buf_reset(&b);
    for (int i = 0; i < 10000; i++)
        buf_adds(&b, "not ");
    assert_int_equal(store_filter_check(b.p, &err), -1);
    buf_reset(&b);
    buf_adds(&b, "lr = 2");
    for (int i = 0; i < 5000; i++)
        buf_adds(&b, " or lr = 3");
    assert_false(means(b.p));
    for (int i = 0; i < 5000; i++)
        buf_adds(&b, " or lr = 3");
    assert_int_equal(store_filter_check(b.p, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    buf_done(&b);
}

static void random_texts_never_crash(void **state)
{
    (void)state;
    static const char *const words[] = {
        "lr",   "=",     "and", "or",  "not", "(",  ")",  "in",   ",",
        "1e-3", "\"x\"", "'",   "`",   "tag", ":",  "~",  "loss", ".min",
        "!",    "&&",    "|",   "nan", "\\",  "-1", "<=", "state"};
    struct rng r;
    rng_init(&r, 1, 1, "filter");
    struct trial t = sample_trial();
    struct buf b;
    buf_init(&b);
    int taken = 0;
    for (int i = 0; i < 30000; i++) {
        buf_reset(&b);
        for (uint64_t k = rng_below(&r, 9); k > 0; k--) {
            buf_adds(&b, words[rng_below(&r, sizeof words / sizeof *words)]);
            if (rng_below(&r, 3))
                buf_addc(&b, ' ');
        }
        struct filter *f = filter_new(b.p, NULL);
        if (f) {
            filter_test(f, &t, NULL, NULL);
            taken++;
        }
        filter_free(f);
    }
    assert_true(taken > 100);
    buf_done(&b);
}

static struct str summary_later(void *context, int64_t trial, struct str *about)
{
    int *asked = context;
    (*asked)++;
    assert_int_equal(trial, 7);
    *about = STR("{\"epochs\":3,\"opt\":{\"kind\":\"adam\"}}");
    return str_of(sample_summary);
}

static void what_a_task_said_of_itself_can_be_asked_for(void **state)
{
    static const char *const yes[] = {"epochs = 3", "opt.kind = adam",
                                      "epochs > 2 and opt.kind ~ AD"};
    struct trial t = {.id = 7, .point = STR("{}")};
    struct err err = {0};
    int asked = 0;
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        struct filter *f = filter_new(yes[i], &err);
        assert_non_null(f);
        assert_true(filter_test(f, &t, summary_later, &asked));
        filter_free(f);
    }
}

static void a_summary_is_asked_for_only_when_a_name_is_missing(void **state)
{
    (void)state;
    int asked = 0;
    struct trial t = sample_trial();
    t.summary = (struct str){0};
    struct filter *f = filter_new("lr < 1", NULL);
    assert_true(filter_test(f, &t, summary_later, &asked));
    assert_int_equal(asked, 0);
    assert_true(filter_names_in(f, t.point));
    filter_free(f);
    f = filter_new("lr < 1 and loss < 1", NULL);
    assert_true(filter_test(f, &t, summary_later, &asked));
    assert_int_equal(asked, 1);
    assert_false(filter_names_in(f, t.point));
    filter_free(f);
}

static int times_asked(const char *text, bool *means)
{
    int asked = 0;
    struct trial t = sample_trial();
    t.summary = (struct str){0};
    struct filter *f = filter_new(text, NULL);
    *means = filter_test(f, &t, summary_later, &asked);
    filter_free(f);
    return asked;
}

static void a_summary_is_not_asked_for_when_the_point_decides(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool means;
        int asked;
    } cases[] = {
        {"loss < 1 and lr > 1", false, 0},
        {"lr > 1 and loss < 1", false, 0},
        {"loss > 1 or lr < 1", true, 0},
        {"not (loss < 1 and lr > 1)", true, 0},
        {"loss < 1 and state = done", false, 0},
        {"loss in (0.15, lr) and lr > 1", false, 0},
        {"loss < 1 and lr < 1", true, 1},
        {"loss > 1 and lr < 1", false, 1},
        {"loss < 1 or lr > 1", true, 1},
        {"not loss > 1", true, 1},
        {"nothing = 1 or lr > 1", false, 1},
        {"not (nothing = 1)", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool yes;
        int asked = times_asked(cases[i].text, &yes);
        if (yes != cases[i].means || asked != cases[i].asked)
            fail_msg("%s: %d, asked %d times", cases[i].text, yes, asked);
    }
}

static void the_names_of_a_filter_are_those_that_are_no_columns(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct err err = {0};
    const char **names = store_filter_names(
        "zz > 1 and state = done and (`a b` in (x, 2) or zz < 3 or tag:t)", a,
        &err);
    assert_non_null(names);
    assert_string_equal(names[0], "zz");
    assert_string_equal(names[1], "a b");
    assert_null(names[2]);
    assert_null(store_filter_names("zz >", a, &err));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(these_filters_mean_the_sample),
        cmocka_unit_test(these_filters_do_not),
        cmocka_unit_test(mistakes_name_the_column_and_what_was_expected),
        cmocka_unit_test(deep_and_long_filters_are_refused_not_crashed_on),
        cmocka_unit_test(random_texts_never_crash),
        cmocka_unit_test(what_a_task_said_of_itself_can_be_asked_for),
        cmocka_unit_test(a_summary_is_asked_for_only_when_a_name_is_missing),
        cmocka_unit_test(a_summary_is_not_asked_for_when_the_point_decides),
        cmocka_unit_test(the_names_of_a_filter_are_those_that_are_no_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
