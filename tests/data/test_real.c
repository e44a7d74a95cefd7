/* test_real.c - real data: a reader that shifts a column or swaps bytes does
 * not reach these accuracies of the nearest mean */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "files.h"

static const char *real; /* the folder of real data */

static struct data_set *open_real(struct files *f, char *spec, size_t size,
                                  const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The spec's relative paths start at the data. */
static struct data_set *open_real(struct files *f, char *spec, size_t size,
                                  const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(spec, size, fmt, ap);
    va_end(ap);
    struct data_set *s = data_open(files_spec(f, spec), real, NULL, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    return s;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.0006;
}

#define OPEN(...) open_real(&f, spec, sizeof spec, __VA_ARGS__)

static void mnist_digits(void **state)
{
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    struct data_set *s =
        OPEN("{\"train\": {\"inputs\": \"mnist/train-images-idx3-ubyte.gz\", "
             "\"labels\": \"mnist/train-labels-idx1-ubyte.gz\"}, \"test\": "
             "{\"inputs\": \"mnist/t10k-images-idx3-ubyte.gz\", \"labels\": "
             "\"mnist/t10k-labels-idx1-ubyte.gz\"}}");
    struct data_view v = files_view(&f, s, spec, 1);
    assert_int_equal(v.train.count, 60000);
    assert_int_equal(v.test.count, 10000);
    assert_int_equal(v.table->inputs->rank, 2);
    assert_int_equal(v.table->labels->classes, 10);
    assert_true(near(nearest_centroid(&v, &v.test), 0.8203));
    data_close(s);
    files_close(&f);
}

static void small_digits(void **state)
{
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    struct data_set *s = OPEN("{\"file\": \"digits/digits.csv.gz\", "
                              "\"validation\": 0.3, \"stratify\": true}");
    struct data_view v = files_view(&f, s, spec, 1);
    double share = nearest_centroid(&v, &v.validation);
    assert_int_equal(v.table->rows, 1797);
    assert_int_equal(v.table->inputs->columns, 64);
    assert_true(share > 0.86 && share < 0.93);
    data_close(s);
    /* The same numbers as IDX. */
    struct data_set *t =
        OPEN("{\"inputs\": \"digits/digits-images-idx3-ubyte.gz\", "
             "\"labels\": \"digits/digits-labels-idx1-ubyte.gz\"}");
    s = OPEN("{\"file\": \"digits/digits.csv.gz\"}");
    assert_memory_equal(data_set_table(s)->inputs->numbers,
                        data_set_table(t)->inputs->numbers,
                        1797 * 64 * sizeof(float));
    assert_memory_equal(data_set_table(s)->labels->categories,
                        data_set_table(t)->labels->categories,
                        1797 * sizeof(int32_t));
    data_close(s);
    data_close(t);
    files_close(&f);
}

/* One row held out at a time. */
static double leave_one_out(struct files *f, struct data_set *s,
                            const char *files, size_t rows)
{
    double hits = 0;
    for (size_t k = 1; k <= rows; k++) {
        char spec[512];
        snprintf(spec, sizeof spec, "{%s, \"fold\": {\"k\": %zu, \"of\": %zu}}",
                 files, k, rows);
        struct data_view v = files_view(f, s, spec, 1);
        assert_int_equal(v.validation.count, 1);
        hits += nearest_centroid(&v, &v.validation);
    }
    return hits / (double)rows;
}

/* The set is this test's own, so it may be changed. */
static void take_logs(const struct data_table *t)
{
    float *x = (float *)(uintptr_t)t->inputs->numbers;
    for (size_t i = 0; i < t->rows * (size_t)t->inputs->columns; i++)
        x[i] = logf(fmaxf(x[i], 20));
}

static void expression_sets(void **state)
{
    static const struct {
        const char *files;
        size_t rows;
        int64_t columns, classes;
        double share; /* as a separate program has it; NaN: not known */
        bool logs;    /* of the expression levels */
    } sets[] = {
        {"\"inputs\": \"expression/golub-x-idx2-float.gz\", \"labels\": "
         "\"expression/golub-labels.txt\"",
         72, 7129, 2, 69.0 / 72, false},
        {"\"inputs\": \"expression/golub-x-idx2-float.gz\", \"labels\": "
         "\"expression/golub-labels.txt\"",
         72, 7129, 2, 0.986, true},
        {"\"inputs\": \"expression/nci60-x-idx2-float.gz\", \"labels\": "
         "\"expression/nci60-labels.txt\"",
         64, 6830, 14, 37.0 / 64, false},
        {"\"inputs\": \"expression/alon-x-idx2-float.gz\", \"labels\": "
         "\"expression/alon-labels.txt\"",
         62, 2000, 2, NAN, false},
        {"\"inputs\": \"expression/singh-x-idx2-float.gz\", \"labels\": "
         "\"expression/singh-labels.txt\"",
         102, 12600, 2, NAN, false},
    };
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct data_set *s = OPEN("{%s}", sets[i].files);
        const struct data_table *t = data_set_table(s);
        assert_int_equal(t->rows, sets[i].rows);
        assert_int_equal(t->inputs->columns, sets[i].columns);
        assert_int_equal(t->labels->classes, sets[i].classes);
        if (!isnan(sets[i].share)) {
            if (sets[i].logs)
                take_logs(t);
            assert_true(near(leave_one_out(&f, s, sets[i].files, sets[i].rows),
                             sets[i].share));
        }
        data_close(s);
    }
    files_close(&f);
}

static void small_round_blue_cell_tumours(void **state)
{
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    struct data_set *s = OPEN(
        "{\"train\": {\"inputs\": \"expression/khan-train-x-idx2-float.gz\", "
        "\"labels\": \"expression/khan-train-labels.txt\"}, \"test\": "
        "{\"inputs\": \"expression/khan-test-x-idx2-float.gz\", \"labels\": "
        "\"expression/khan-test-labels.txt\"}}");
    struct data_view v = files_view(&f, s, spec, 1);
    assert_int_equal(v.train.count, 63);
    assert_int_equal(v.test.count, 20);
    assert_int_equal(v.table->inputs->columns, 2308);
    /* Labels 1 to 4 are four classes. */
    assert_int_equal(v.table->labels->classes, 4);
    assert_true(near(nearest_centroid(&v, &v.test), 0.700));
    data_close(s);
    files_close(&f);
}

static void tables(void **state)
{
    static const struct {
        const char *spec;
        size_t rows;
        int64_t columns, classes;
    } sets[] = {
        {"\"file\": \"tabular/mlbench-LetterRecognition.csv.gz\", "
         "\"label\": \"lettr\"",
         20000, 16, 26},
        {"\"file\": \"tabular/mlbench-Shuttle.csv.gz\"", 58000, 9, 7},
        {"\"file\": \"tabular/iris.csv\", \"skip\": 1", 150, 4, 3},
        {"\"file\": \"tabular/breast_cancer.csv\", \"skip\": 1", 569, 30, 2},
        {"\"file\": \"tabular/spambase.csv.gz\"", 4601, 57, 2},
        {"\"file\": \"tabular/california_housing.csv.gz\"", 20640, 8, 0},
        {"\"file\": \"tabular/mlbench-BreastCancer.csv.gz\", \"ignore\": "
         "\"Id\", \"missing\": \"drop\"",
         683, 9, 2},
        {"\"inputs\": \"tabular/diabetes_data_raw.csv.gz\", \"labels\": "
         "\"tabular/diabetes_target.csv.gz\"",
         442, 10, 214},
        {"\"file\": \"tabular/hpc_data.csv.gz\"", 4331, 14 + 5 + 7, 4},
    };
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct data_set *s = OPEN("{%s}", sets[i].spec);
        const struct data_table *t = data_set_table(s);
        print_message("%s: %zu × %lld, %lld\n", sets[i].spec, t->rows,
                      (long long)t->inputs->columns,
                      (long long)t->labels->classes);
        assert_int_equal(t->rows, sets[i].rows);
        assert_int_equal(t->inputs->columns, sets[i].columns);
        assert_int_equal(t->labels->classes, sets[i].classes);
        data_close(s);
    }
    snprintf(spec, sizeof spec, "{\"file\": \"%s/tabular/iris.csv\"}", real);
    files_refuses(&f, spec,
                  "iris.csv:1: column 3: \"setosa\" where a number belongs");
    files_close(&f);
}

static void messages(void **state)
{
    struct files f;
    char spec[512];
    (void)state;
    files_open(&f);
    struct data_set *s =
        OPEN("{\"file\": \"text/SMSSpamCollection.tsv.gz\", \"label\": 1, "
             "\"text\": {\"column\": 2, \"vocabulary\": 5000, \"length\": 50}, "
             "\"validation\": 0.2, \"stratify\": true}");
    struct data_view v = files_view(&f, s, spec, 1);
    const struct data_field *x = v.table->inputs;
    assert_int_equal(v.table->rows, 5574);
    assert_int_equal(v.table->labels->classes, 2);
    assert_int_equal(x->columns, 50);
    assert_int_equal(x->classes, 5000);
    assert_true(str_is(x->class_names[2], "i") ||
                str_is(x->class_names[2], "to"));
    data_close(s);
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mnist_digits),
        cmocka_unit_test(small_digits),
        cmocka_unit_test(expression_sets),
        cmocka_unit_test(small_round_blue_cell_tumours),
        cmocka_unit_test(tables),
        cmocka_unit_test(messages),
    };
    real = getenv("THRONG_TEST_DATA");
    if (!real || !*real) {
        puts("THRONG_TEST_DATA names no folder with real data");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
