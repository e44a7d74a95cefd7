/* test_special.c - kernels for the shapes of one model
 *
 * Which launches have one, and that NVIDIA's compiler takes their text, where
 * its library is. Whether they come to the same bits is for test_cuda_gpu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "made.h"
#include "nn/cuda/nvrtc.h"
#include "nn/cuda/special.h"
#include "nn/nn.h"
#include "sys/sys.h"

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

/* A program is known by its text: with other options it would be another. */
static void the_text_says_how_it_is_compiled(void **state)
{
    struct opened o;
    (void)state;
    open_text(&o, dense);
    char *end = strchr(o.text.p, '\n');
    assert_non_null(end);
    *end = 0;
    assert_memory_equal(o.text.p, "// CUDA ", 8);
    assert_non_null(strstr(o.text.p, " -fmad=false"));
    assert_non_null(strstr(o.text.p, " -prec-div=false"));
    done(&o);
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
    static const char rough[] =
        "{'batch_size': 40, 'input': [9, 7, 16], 'layers': [{'conv2d': 20},"
        " 'flatten', {'dense': 3}], 'loss': 'mse', 'precision': 'tf32'}";
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
    open_text(&o, rough);
    compile_new(&o, seen);
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
            fail_msg("no model here has %s", kernels[k]);
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

static bool has_gpu;

const char *__wrap_gpu_special_for(void);
const char *__wrap_gpu_special_for(void)
{
    return has_gpu ? "sm_90" : NULL;
}

/* As special.c keeps it: behind its hash, by the hash of its text. */
static void keep_program(struct str text, struct str program)
{
    struct arena *a = arena_new();
    const char *folder = path_join(a, cache_dir(a), "kernels");
    struct buf b;
    buf_init(&b);
    buf_add_u64(&b, hash64(program, 0));
    buf_addstr(&b, program);
    assert_int_equal(dir_make(folder, NULL), 0);
    assert_int_equal(
        file_write(path_join(a, folder,
                             arena_printf(a, "%016llx-sm_90.cubin",
                                          (unsigned long long)hash64(text, 0))),
                   buf_str(&b), false, NULL),
        0);
    buf_done(&b);
    arena_free(a);
}

/* The driver refuses what is kept, and what is compiled in its place. */
static void who_asks_for_kernels_has_them_or_an_error(void **state)
{
    const char *folder = scratch_make("special", NULL);
    struct err err = {0};
    struct special *s = NULL;
    struct opened o;
    (void)state;
    setenv("XDG_CACHE_HOME", folder, 1);
    open_text(&o, dense);
    keep_program(buf_str(&o.text), STR("no program"));
    has_gpu = true;
    assert_int_equal(special_open(&s, NULL, &o.lowered, &err), 0);
    special_close(s);
    setenv("THRONG_CUDA_KERNELS", "special", 1);
    assert_int_equal(special_open(&s, NULL, &o.lowered, &err), -1);
    special_close(s);
    has_gpu = false;
    unsetenv("THRONG_CUDA_KERNELS");
    unsetenv("XDG_CACHE_HOME");
    done(&o);
    scratch_remove(folder);
}

/* Whole seconds since 1970: the time of a file. */
static void put_old(const char *path, int64_t seconds)
{
    const struct timespec then = {.tv_sec = (time_t)seconds};
    const struct timespec times[2] = {then, then};
    assert_int_equal(file_write(path, STR("text"), false, NULL), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Of a full cache the oldest programs go, and texts that a killed compiler has
 * left. Who compiles keeps his text and his lock, however old they are. */
static void the_cache_keeps_what_somebody_holds(void **state)
{
    enum { FULL = 512 };
    static const char *const old[] = {"compiler-0", "held-sm_90.cu",
                                      "left-sm_90.cu", "old-sm_90.cubin"};
    static const bool stays[] = {true, true, false, false};
    struct arena *a = arena_new();
    struct err err = {0};
    const char *folder = scratch_make("special", NULL);
    (void)state;
    for (int64_t i = 0; i < FULL; i++)
        put_old(path_join(a, folder,
                          arena_printf(a, "%lld-sm_90.cubin", (long long)i)),
                1000 + i);
    for (size_t i = 0; i < 4; i++)
        put_old(path_join(a, folder, old[i]), 1 + (int64_t)i);
    const char *held = path_join(a, folder, old[1]);
    int lock = lock_take(held, 0600);
    assert_true(lock >= 0);
    assert_int_equal(nn_cuda_compile(path_join(a, folder, "none-sm_90"), &err),
                     -1);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(access(path_join(a, folder, old[i]), F_OK) == 0,
                         stays[i]);
    lock_drop(lock, held);
    scratch_remove(folder);
    arena_free(a);
}

/* ---- compilers: this program, by the name of the one that has them --------
 */

static int64_t later_ns; /* than it is */

int64_t __real_clock_mono_ns(void);
int64_t __wrap_clock_mono_ns(void);
int64_t __wrap_clock_mono_ns(void)
{
    return __real_clock_mono_ns() + later_ns;
}

#define COHORTS 12

struct cohort {
    struct opened opened;
    struct special *special;
};

static int count_of(const char *folder, const char *ending)
{
    struct arena *a = arena_new();
    const char **names = dir_list(folder, a, NULL);
    int count = 0;
    for (; names && *names; names++)
        count += str_ends(str_of(*names), str_of(ending));
    arena_free(a);
    return count;
}

/* The compilers that have been started, when there are as many as are wanted,
 * and all have asked since. */
static int turns(struct cohort *all, const char *folder, int want)
{
    int64_t end_ns = clock_mono_ns() + 20000000000ll;
    int count = 0;
    while (clock_mono_ns() < end_ns) {
        for (int i = 0; i < COHORTS; i++)
            special_turn(all[i].special);
        if (count < want && count_of(folder, ".cu") >= want)
            end_ns = clock_mono_ns() + 2000000000ll;
        count = count_of(folder, ".cu");
        clock_pause_ms(20);
    }
    return count;
}

/* What is left when all compilers have hung for an hour. */
static int files_then(struct cohort *all, const char *folder)
{
    for (int turn = 0; turn < 2 * COHORTS; turn++) {
        for (int i = 0; i < COHORTS; i++)
            special_turn(all[i].special);
        later_ns += 3600000000000ll;
    }
    return count_of(folder, "");
}

/* Two are of the same model each: one of them has it compiled for both. */
static int be_trainer(const char *cache)
{
    struct cohort all[COHORTS];
    struct arena *a = arena_new();
    const char *folder = path_join(a, cache, "throng/kernels");
    has_gpu = true;
    for (int i = 0; i < COHORTS; i++) {
        open_text(&all[i].opened,
                  arena_printf(a,
                               "{'batch_size': 96, 'input': %d, 'layers': "
                               "[{'dense': 132}, {'dense': 3}], 'loss': 'mse'}",
                               100 + 4 * (i / 2)));
        if (special_open(&all[i].special, NULL, &all[i].opened.lowered, NULL))
            return 10;
    }
    int first = turns(all, folder, 4);
    special_close(all[0].special); /* its turn came first */
    all[0].special = NULL;
    int after = count_of(folder, ".cu");
    int then = turns(all, folder, 4);
    int hung = files_then(all, folder);
    for (int i = 0; i < COHORTS; i++) {
        special_close(all[i].special);
        done(&all[i].opened);
    }
    arena_free(a);
    return first != 4             ? 11
           : after != 3           ? 12
           : then != 4            ? 13
           : hung                 ? 14
           : count_of(folder, "") ? 15
                                  : 0;
}

static void few_compile_at_the_same_time(void **state)
{
    struct arena *a = arena_new();
    const char *folder = scratch_make("special", NULL);
    const char *program = path_join(a, folder, "throng-worker-cuda");
    (void)state;
    assert_non_null(folder);
    char self[4096] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(self, (size_t)1 << 30, &b, NULL), 0);
    assert_int_equal(file_write(program, buf_str(&b), false, NULL), 0);
    buf_done(&b);
    assert_int_equal(chmod(program, 0700), 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    const char *argv[] = {program, "--many", folder, NULL};
    struct spawn spawn = {
        .argv = argv, .in = -1, .out = -1, .err = STDERR_FILENO, .keep_fd = -1};
    struct process_id id;
    int status;
    assert_int_equal(process_spawn(&spawn, &id, NULL), 0);
    assert_int_equal(waitpid(id.pid, &status, 0), id.pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    unsetenv("XDG_CACHE_HOME");
    scratch_remove(folder);
    arena_free(a);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--many") == 0)
        return be_trainer(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--compile-kernels") == 0)
        return pause();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_model_has_the_same_text),
        cmocka_unit_test(the_text_says_how_it_is_compiled),
        cmocka_unit_test(the_same_work_has_one_kernel),
        cmocka_unit_test(the_compiler_takes_every_kernel),
        cmocka_unit_test(a_mistake_is_told),
        cmocka_unit_test(the_environment_may_say_two_words),
        cmocka_unit_test(who_asks_for_kernels_has_them_or_an_error),
        cmocka_unit_test(the_cache_keeps_what_somebody_holds),
        cmocka_unit_test(few_compile_at_the_same_time),
    };
    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
