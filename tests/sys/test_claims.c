/* test_claims.c - what running studies have of the machine */
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* A child that runs a study until it is killed. */
static pid_t run_another(const char *study)
{
    int up[2];
    char c;
    assert_int_equal(pipe(up), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct claims *own = claims_open(NULL);
        struct claim claim = {.study = study,
                              .gpus = "1",
                              .gpu_ids = "GPU-b",
                              .cpus = 2,
                              .of = 4};
        claims_say(own, &claim);
        if (write(up[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(up[0], &c, 1), 1);
    close(up[0]);
    close(up[1]);
    return pid;
}

static void meet_in(struct scratch *s)
{
    setenv("THRONG_RUNTIME_DIR", scratch_path(s, "run"), 1);
}

static void those_that_run_are_counted_in_their_order(void **state)
{
    struct scratch *s = *state;
    unsigned count, before;
    meet_in(s);
    pid_t first = run_another("/a");
    struct claims *own = claims_open(NULL);
    assert_non_null(own);
    pid_t last = run_another("/b");
    claims_count(own, &count, &before);
    assert_int_equal(count, 3);
    assert_int_equal(before, 1);
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    claims_count(own, &count, &before);
    assert_int_equal(count, 2);
    assert_int_equal(before, 0);
    kill(last, SIGKILL);
    waitpid(last, NULL, 0);
    claims_count(own, &count, &before);
    assert_int_equal(count, 1);
    claims_close(own);
    assert_null(*dir_list(scratch_path(s, "run"), s->arena, NULL));
}

static void who_has_what_can_be_read(void **state)
{
    struct scratch *s = *state;
    size_t count;
    meet_in(s);
    pid_t other = run_another("/a");
    struct claim *list = claims_list(s->arena, &count);
    assert_int_equal(count, 1);
    assert_string_equal(list[0].study, "/a");
    assert_string_equal(list[0].gpus, "1");
    assert_string_equal(list[0].gpu_ids, "GPU-b");
    assert_int_equal(list[0].cpus, 2);
    assert_int_equal(list[0].of, 4);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    claims_list(s->arena, &count);
    assert_int_equal(count, 0);
}

static void a_gpu_has_one_user_at_a_time(void **state)
{
    struct scratch *s = *state;
    meet_in(s);
    struct claims *own = claims_open(NULL);
    int first = claims_gpu(own, STR("GPU-1/x"), false);
    int second = claims_gpu(own, STR("GPU-2"), false);
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(claims_gpu(own, STR("GPU-2"), false), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(second);
    second = claims_gpu(own, STR("GPU-2"), false);
    assert_true(second >= 0);
    close(first);
    close(second);
    claims_close(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(those_that_run_are_counted_in_their_order),
        scratch_test(who_has_what_can_be_read),
        scratch_test(a_gpu_has_one_user_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
