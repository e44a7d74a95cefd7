/* test_special.c - kernels for the shapes of one model
 *
 * Which launches have one, and that NVIDIA's compiler takes their text, where
 * its library is. Whether they come to the same bits is for test_cuda_gpu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "nn/cuda/nvrtc.h"
#include "nn/cuda/special.h"

/* A model's launches, numbered, and the text of their kernels. */
struct opened {
    struct made made;
    struct lowered lowered;
    struct buf text;
    int count;
};

static void open_made(struct opened *o)
{
    lower_open(&o->lowered, o->made.model);
    o->lowered.metric_count = (int)o->made.model->metrics.len;
    lower_lists(&o->lowered);
    buf_init(&o->text);
    o->count = special_source(&o->lowered, &o->text);
}

static void open_text(struct opened *o, const char *text)
{
    memset(o, 0, sizeof(*o));
    made_text(&o->made, text, 80);
    open_made(o);
}

static void done(struct opened *o)
{
    lower_close(&o->lowered);
    buf_done(&o->text);
    made_close(&o->made);
}

static const char dense[] =
    "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132, 'activation':"
    " 'relu'}, {'dense': 132, 'activation': 'relu'}, {'dense': 3}],"
    " 'loss': 'mse', 'optimizer': 'adam'}";

static void the_same_model_has_the_same_text(void **state)
{
    struct opened a, b, other;
    (void)state;
    open_text(&a, dense);
    open_text(&b, dense);
    open_text(&other, "{'batch_size': 96, 'input': 104, 'layers': [{'dense':"
                      " 132}, {'dense': 3}], 'loss': 'mse'}");
    assert_true(a.count > 0);
    assert_true(str_eq(buf_str(&a.text), buf_str(&b.text)));
    assert_false(str_eq(buf_str(&a.text), buf_str(&other.text)));
    done(&a);
    done(&b);
    done(&other);
}

/* Judging goes forward as training does, so that it needs no other kernels. */
static void the_same_work_has_one_kernel(void **state)
{
    struct opened o;
    (void)state;
    open_text(&o, dense);
    const struct gpu_list *lists[] = {&o.lowered.train, &o.lowered.judge};
    int forward[2][8] = {{0}}, count[2] = {0};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->len; i++)
            if (lists[k]->p[i].kernel == GPU_tensor_forward)
                forward[k][count[k]++] = lists[k]->p[i].special;
    assert_int_equal(count[0], 2);
    assert_int_equal(count[1], 2);
    assert_memory_equal(forward[0], forward[1], sizeof(forward[0]));
    assert_true(forward[0][0] > 0 && forward[0][1] > 0);
    assert_int_not_equal(forward[0][0], forward[0][1]);
    done(&o);
}

/* Those that a model has and none before it had. */
static int new_kernels(const struct lowered *l, bool seen[GPU_KERNEL_COUNT])
{
    const struct gpu_list *lists[] = {&l->train, &l->judge, &l->blind,
                                      &l->small, &l->small_judge};
    int count = 0;
    for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
        for (size_t i = 0; i < lists[k]->len; i++) {
            const struct gpu_launch *one = &lists[k]->p[i];
            count += one->special && !seen[one->kernel];
            seen[one->kernel] |= one->special > 0;
        }
    return count;
}

static void compile_new(struct opened *o, bool seen[GPU_KERNEL_COUNT])
{
    struct err err = {0};
    struct buf program;
    buf_init(&program);
    if (new_kernels(&o->lowered, seen) > 0 &&
        nvrtc_compile(o->text.p, "sm_90", &program, &err))
        fail_msg("%s", err.text);
    buf_done(&program);
    done(o);
}

/* By models each of which has a kernel that no other before it had. */
static void the_compiler_takes_every_kernel(void **state)
{
    static const char *const kernels[GPU_KERNEL_COUNT] = {
#define NAME_OF(name, waits, special) special ? #name : NULL,
        GPU_KERNELS(NAME_OF)};
    bool seen[GPU_KERNEL_COUNT] = {0};
    struct arena *a = arena_new();
    struct opened o;
    struct buf why;
    (void)state;
    buf_init(&why);
    if (!nvrtc_find(&why)) {
        print_message("skipped: %s\n", why.p);
        skip();
    }
    for (size_t i = 0; made_large[i]; i++) {
        open_text(&o, made_large[i]);
        compile_new(&o, seen);
    }
    for (const char **names = made_names(a); *names; names++) {
        memset(&o, 0, sizeof(o));
        made_named(&o.made, *names, 80);
        if (lower_refuses(o.made.model)) {
            made_close(&o.made);
            continue;
        }
        open_made(&o);
        compile_new(&o, seen);
    }
    for (int k = 0; k < GPU_KERNEL_COUNT; k++)
        if (kernels[k] && !seen[k])
            print_message("no model here has %s\n", kernels[k]);
    buf_done(&why);
    arena_free(a);
}

static void a_mistake_is_told(void **state)
{
    struct err err = {0};
    struct buf why, program;
    (void)state;
    buf_init(&why);
    buf_init(&program);
    if (!nvrtc_find(&why)) {
        print_message("skipped: %s\n", why.p);
        skip();
    }
    assert_int_equal(nvrtc_compile("no_word f();", "sm_90", &program, &err),
                     -1);
    assert_non_null(strstr(err.text, "no_word"));
    assert_int_equal(program.len, 0);
    buf_done(&why);
    buf_done(&program);
}

static int open_with(const char *word, struct err *err)
{
    struct opened o;
    struct special *s = NULL;
    setenv("THRONG_CUDA_KERNELS", word, 1);
    open_text(&o, dense);
    int rc = special_open(&s, NULL, &o.lowered, err);
    assert_null(s); /* there is no GPU here */
    unsetenv("THRONG_CUDA_KERNELS");
    done(&o);
    return rc;
}

static void the_environment_may_say_two_words(void **state)
{
    struct err err = {0};
    (void)state;
    assert_int_equal(open_with("general", &err), 0);
    assert_int_equal(open_with("special", &err), 0);
    assert_int_equal(open_with("", &err), 0);
    assert_int_equal(open_with("fast", &err), -1);
    assert_non_null(strstr(err.text, "`fast`"));
    assert_non_null(strstr(err.text, "`general` or `special`"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_model_has_the_same_text),
        cmocka_unit_test(the_same_work_has_one_kernel),
        cmocka_unit_test(the_compiler_takes_every_kernel),
        cmocka_unit_test(a_mistake_is_told),
        cmocka_unit_test(the_environment_may_say_two_words),
    };
    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
