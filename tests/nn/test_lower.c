/* test_lower.c - which launches a model is on the device cuda
 *
 * What they compute is for test_cuda.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made.h"
#include "nn/cuda/lower.h"

/* How many launches of a step are of that kernel. */
static int launches_of(const char *model, enum gpu_kernel kernel)
{
    struct made m;
    struct lowered l;
    int count = 0;
    made_text(&m, model, 80);
    lower_open(&l, m.model);
    lower_lists(&l);
    for (size_t i = 0; i < l.train.len; i++)
        count += l.train.p[i].kernel == kernel;
    lower_close(&l);
    made_close(&m);
    return count;
}

static int dropouts_of(const char *model)
{
    int forward = launches_of(model, GPU_dropout_forward);
    assert_int_equal(launches_of(model, GPU_dropout_backward), forward);
    return forward;
}

static void a_max_pooling_does_the_dropout_behind_it(void **state)
{
    (void)state;
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
                    " 'activation': 'relu'}, {'max_pool2d': 2}, {'dropout':"
                    " 0.4}, 'flatten', {'dense': 3}], 'loss': 'mse'}"),
        0);
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8},"
                    " {'max_pool2d': 2}, {'dropout': 0.4}, 'flatten',"
                    " {'dense': 3}], 'loss': 'mse'}"),
        0);
}

/* The slope of tanh is told from a value that dropout has taken away; a mean
 * has a kernel without dropout. */
static void other_dropout_stands_alone(void **state)
{
    (void)state;
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
                    " 'activation': 'tanh'}, {'max_pool2d': 2}, {'dropout':"
                    " 0.4}, 'flatten', {'dense': 3}], 'loss': 'mse'}"),
        1);
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
                    " 'activation': 'relu'}, {'average_pool2d': 2}, {'dropout':"
                    " 0.4}, 'flatten', {'dense': 3}], 'loss': 'mse'}"),
        1);
}

/* Who else takes or judges what was pooled must find it as it was. */
static void what_others_read_is_not_dropped(void **state)
{
    (void)state;
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8},"
                    " {'max_pool2d': 2, 'name': 'p'}, {'dropout': 0.4,"
                    " 'name': 'd'}, {'add': null, 'from': ['p', 'd']},"
                    " 'flatten', {'dense': 3}], 'loss': 'mse'}"),
        1);
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8},"
                    " {'max_pool2d': 4, 'name': 'p'}, {'dropout': 0.4},"
                    " 'flatten', {'dense': 3, 'name': 'out'}], 'heads':"
                    " [{'from': 'out', 'loss': 'mse'}, {'from': 'p', 'loss':"
                    " 'mse'}]}"),
        1);
    assert_int_equal(
        dropouts_of("{'input': [9, 8, 3], 'layers': [{'conv2d': 8},"
                    " {'max_pool2d': 4}, {'flatten': null, 'name': 'p'},"
                    " {'dropout': 0.4}, {'dense': 3, 'name': 'out'}], 'heads':"
                    " [{'from': 'out', 'loss': 'mse'}, {'from': 'p', 'loss':"
                    " 'mse'}]}"),
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_max_pooling_does_the_dropout_behind_it),
        cmocka_unit_test(other_dropout_stands_alone),
        cmocka_unit_test(what_others_read_is_not_dropped),
    };
    return cmocka_run_group_tests_name("lower", tests, NULL, NULL);
}
