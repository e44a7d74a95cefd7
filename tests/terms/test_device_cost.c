/* Tests of src/terms/device_cost.c: which device is the faster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "terms/device_cost.h"

static const struct device_pace slow = {.op_s = 1e-6, .flops_s = 1e10};
static const struct device_pace fast = {
    .op_s = 1e-5, .flops_s = 1e13, .start_s = 1};
static const struct device_work digits = {.depth = 4,
                                          .flops = 4.5e5,
                                          .steps = 1000,
                                          .numbers = 7000,
                                          .trials = 100000,
                                          .cpus = 16};

static void two_samples_say_both_rates(void **state)
{
    struct device_sample samples[2] = {{4, 1e5, 4e-6 + 1e5 / 1e10},
                                       {6, 5e8, 6e-6 + 5e8 / 1e10}};
    struct device_pace p = {0};
    (void)state;
    assert_true(device_pace_fit(&p, samples));
    assert_true(p.op_s > 0.99e-6 && p.op_s < 1.01e-6);
    assert_true(p.flops_s > 0.99e10 && p.flops_s < 1.01e10);
}

static void noise_never_makes_a_rate_negative(void **state)
{
    struct device_sample samples[2] = {{4, 1e5, 1e-9}, {6, 5e8, 0.05}};
    struct device_pace p = {0};
    (void)state;
    assert_true(device_pace_fit(&p, samples));
    assert_true(p.op_s == 0);
    assert_true(p.flops_s == 1e10);
    samples[1].seconds = 0;
    assert_false(device_pace_fit(&p, samples));
    samples[1] = samples[0];
    assert_false(device_pace_fit(&p, samples));
}

static void many_small_models_go_to_the_gpu(void **state)
{
    struct device_choice c = device_choose(&digits, &slow, &fast);
    (void)state;
    assert_string_equal(c.device->name, "cuda");
    assert_in_range(c.members, 1000, 4096);
    assert_true(c.gpu_s < c.cpu_s);
}

static void a_few_small_models_stay_on_the_cpu(void **state)
{
    struct device_work w = digits;
    (void)state;
    w.trials = 4;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_string_equal(c.device->name, "cpu");
}

static void a_method_that_learns_has_few_at_once(void **state)
{
    struct device_work w = digits;
    (void)state;
    w.at_once = 64;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_true(c.members <= 64);
}

static void several_gpus_share_the_trials(void **state)
{
    struct device_work w = digits;
    struct device_choice one = device_choose(&w, &slow, &fast), read;
    struct buf b, words;
    (void)state;
    w.gpus = 4;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_true(c.gpu_s < one.gpu_s && c.members <= one.members);
    assert_true(c.gpu_s - 1 > (one.gpu_s - 1) * 0.24);
    buf_init(&b);
    buf_init(&words);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    device_choice_words(&words, &read);
    assert_non_null(strstr(words.p, " at a time on each of 4 GPUs: "));
    assert_non_null(strstr(words.p, " on the GPUs, "));
    w.at_once = 64;
    assert_true(device_choose(&w, &slow, &fast).members <= 16);
    buf_done(&b);
    buf_done(&words);
}

/* Of an ensemble with samples: the passes of a trial go together. */
static void models_that_are_asked_go_together(void **state)
{
    struct device_work w = digits;
    (void)state;
    w.trials = 4;
    w.passes = 2000;
    w.steps = 100;
    struct device_choice c = device_choose(&w, &slow, &fast), read;
    assert_string_equal(c.device->name, "cuda");
    w.passes = 1;
    assert_string_equal(device_choose(&w, &slow, &fast).device->name, "cpu");
    struct buf b, words;
    buf_init(&b);
    buf_init(&words);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    device_choice_words(&words, &read);
    assert_true(
        str_starts(buf_str(&words), STR("cuda: 4 trials should take ")));
    buf_done(&b);
    buf_done(&words);
}

/* Rows come to a GPU through one process. */
static void rows_that_take_longer_than_passes_are_for_cpus(void **state)
{
    struct device_work w = digits;
    (void)state;
    w.trials = 160;
    w.passes = 2000;
    w.steps = 100;
    w.host_s = 1000;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_string_equal(c.device->name, "cpu");
    assert_true(c.cpu_s > 10000 && c.cpu_s < 10200);
    assert_true(c.gpu_s > 160000);
    w.gpus = 16;
    assert_true(device_choose(&w, &slow, &fast).gpu_s < 10100);
}

/* A recurrent layer's steps follow each other, however fast the GPU is. */
static void long_rows_of_operations_cost_a_gpu_more(void **state)
{
    struct device_work w = digits;
    (void)state;
    w.depth = 10000;
    w.trials = 16;
    w.flops = 1e6;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_string_equal(c.device->name, "cpu");
}

static struct device_work tiny(void)
{
    struct device_work w = digits;
    w.trials = 1000000;
    w.steps = 20;
    w.conduct_s = 3e-4;
    return w;
}

/* However fast a GPU is: a million trials are written down in five minutes. */
static void the_conductor_bounds_what_a_gpu_gains(void **state)
{
    struct device_work w = tiny();
    (void)state;
    w.steps = 1000;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_string_equal(c.device->name, "cuda");
    assert_true(c.gpu_s == 301 && c.conductor_s == 300);
    w.conduct_s = 0;
    assert_true(device_choose(&w, &slow, &fast).gpu_s < 100);
}

/* Then a GPU has nothing to gain, and would have to be started. */
static void where_cpus_keep_up_with_the_conductor_they_train(void **state)
{
    struct device_work w = tiny();
    (void)state;
    struct device_choice c = device_choose(&w, &slow, &fast);
    assert_string_equal(c.device->name, "cpu");
    assert_true(c.cpu_s == 300 && c.conductor_s == 300);
    w.conduct_s = 0; /* by training alone it would be the GPU */
    assert_string_equal(device_choose(&w, &slow, &fast).device->name, "cuda");
}

static void what_the_conductor_has_to_do_with_it_is_said(void **state)
{
    struct device_work w = tiny();
    struct device_choice c = device_choose(&w, &slow, &fast), read;
    struct buf b, words;
    (void)state;
    buf_init(&b);
    buf_init(&words);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    device_choice_words(&words, &read);
    assert_non_null(strstr(words.p, "; it is the conductor, with "));
    assert_non_null(strstr(words.p, " a trial, that takes so long"));
    buf_reset(&words);
    w.steps = 1e6; /* training takes longer */
    c = device_choose(&w, &slow, &fast);
    assert_true(c.conductor_s == 0);
    device_choice_words(&words, &c);
    assert_null(strstr(words.p, "conductor"));
    buf_done(&b);
    buf_done(&words);
}

static void a_choice_is_read_as_it_was_written(void **state)
{
    struct device_choice c = device_choose(&digits, &slow, &fast), read;
    struct buf b, words;
    (void)state;
    buf_init(&b);
    buf_init(&words);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    assert_ptr_equal(read.device, c.device);
    assert_int_equal(read.members, c.members);
    assert_int_equal(read.work.trials, 100000);
    device_choice_words(&words, &read);
    assert_non_null(strstr(words.p, "100000 trials should take"));
    assert_non_null(strstr(words.p, "on 16 cpus"));
    assert_false(device_choice_parse(STR("{\"device\":\"gpu\"}"), &read));
    assert_false(device_choice_parse(STR("[]"), &read));
    assert_false(device_choice_parse(STR(""), &read));
    buf_done(&b);
    buf_done(&words);
}

static void a_choice_without_times_says_its_reason(void **state)
{
    static const char *const words[] = {
        [DEVICE_JOBS_ASK] = "cuda, up to 64 at a time: jobs ask for GPUs",
        [DEVICE_JOBS_ASK_NOT] = "cpu: jobs ask for no GPU",
        [DEVICE_NO_WORKER] = "cpu: jobs ask for GPUs, but there is no "
                             "throng-worker-cuda beside throng-worker"};
    struct buf b;
    (void)state;
    buf_init(&b);
    for (int why = DEVICE_JOBS_ASK; why <= DEVICE_NO_WORKER; why++) {
        struct device_choice c = {
            .device =
                &devices[why == DEVICE_JOBS_ASK ? DEVICE_cuda : DEVICE_cpu],
            .why = (enum device_why)why,
            .members = 64};
        struct device_choice read;
        buf_reset(&b);
        device_choice_print(&b, &c);
        assert_true(device_choice_parse(buf_str(&b), &read));
        buf_reset(&b);
        device_choice_words(&b, &read);
        assert_string_equal(b.p, words[why]);
    }
    buf_done(&b);
}

static void why_no_gpu_can_be_used_is_kept(void **state)
{
    struct device_choice c = {.device = &devices[DEVICE_cpu],
                              .why = DEVICE_UNUSABLE},
                         read;
    const char *said = "cpu: no GPU can be used here: throng-worker-cuda has "
                       "no kernels for this GPU (sm_120), and it has to be "
                       "built for that, with a CUDA that knows it";
    struct buf b;
    (void)state;
    snprintf(c.refused, sizeof(c.refused), "%s",
             strstr(said, "throng-worker-cuda"));
    buf_init(&b);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    buf_reset(&b);
    device_choice_words(&b, &read);
    assert_string_equal(b.p, said);
    buf_done(&b);
}

static void what_no_gpu_can_train_stays_on_the_cpu(void **state)
{
    struct device_work w = digits;
    struct device_choice c, read;
    struct buf b;
    (void)state;
    w.refused = "it is \"odd\"";
    c = device_choose(&w, &slow, &fast);
    buf_init(&b);
    device_choice_print(&b, &c);
    assert_true(device_choice_parse(buf_str(&b), &read));
    assert_int_equal(read.work.trials, 100000);
    buf_reset(&b);
    device_choice_words(&b, &read);
    assert_string_equal(b.p, "cpu: the device cuda cannot run such a model: "
                             "it is \"odd\"");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_samples_say_both_rates),
        cmocka_unit_test(noise_never_makes_a_rate_negative),
        cmocka_unit_test(many_small_models_go_to_the_gpu),
        cmocka_unit_test(a_few_small_models_stay_on_the_cpu),
        cmocka_unit_test(a_method_that_learns_has_few_at_once),
        cmocka_unit_test(several_gpus_share_the_trials),
        cmocka_unit_test(models_that_are_asked_go_together),
        cmocka_unit_test(rows_that_take_longer_than_passes_are_for_cpus),
        cmocka_unit_test(long_rows_of_operations_cost_a_gpu_more),
        cmocka_unit_test(the_conductor_bounds_what_a_gpu_gains),
        cmocka_unit_test(where_cpus_keep_up_with_the_conductor_they_train),
        cmocka_unit_test(what_the_conductor_has_to_do_with_it_is_said),
        cmocka_unit_test(a_choice_is_read_as_it_was_written),
        cmocka_unit_test(a_choice_without_times_says_its_reason),
        cmocka_unit_test(why_no_gpu_can_be_used_is_kept),
        cmocka_unit_test(what_no_gpu_can_train_stays_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
