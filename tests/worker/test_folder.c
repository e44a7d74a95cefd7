/* test_folder.c - what stays of a trial's folder when an attempt is over */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "sys/sys.h"
#include "worker/census.h"
#include "worker/folder.h"

#define ROUNDS 60 /* about one in ten goes wrong where names are read once */

static struct arena *arena;
static struct pool pool;
static char home[] = "/tmp/throng-folder.XXXXXX";

/* No process is left of anybody here. */
bool census_may_have(const struct census *c, uint64_t serial)
{
    (void)c;
    (void)serial;
    return false;
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    if (!mkdtemp(home))
        return -1;
    pool_init(&pool, path_join(arena, home, "pool"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pool_done(&pool);
    arena_free(arena);
    return dir_remove(home, NULL);
}

static void nothing(int signum)
{
    (void)signum;
}

/* A child that sends us signals without a pause. */
static pid_t send_signals(void)
{
    pid_t us = getpid(), child = fork();
    if (child != 0)
        return child;
    while (kill(us, SIGUSR1) == 0)
        ;
    _exit(0);
}

/* One attempt that reports nothing and leaves a checkpoint. */
static void run_attempt(const struct task *t, const char *checkpoint)
{
    struct folder f;
    folder_init(&f);
    assert_int_equal(folder_open(&f, t, &pool, arena, NULL), 0);
    assert_int_equal(file_write(checkpoint, STR("7\n"), false, NULL), 0);
    folder_close(&f, true, &pool, 1);
}

/* A read of a folder ends early when a signal arrives, as one does whenever
 * another task of the worker ends. */
static void signals_do_not_make_a_checkpoint_vanish(void **state)
{
    (void)state;
    struct task t = {.attempt = 1, .params = STR("{}")};
    t.folder = str_of(path_join(arena, home, "1"));
    t.workdir = str_of(home);
    char *checkpoint = path_join(arena, home, "1/checkpoint/step");
    signal(SIGUSR1, nothing);
    pid_t child = send_signals();
    assert_true(child > 0);
    int lost = 0;
    for (int i = 0; i < ROUNDS; i++) {
        run_attempt(&t, checkpoint);
        lost += !file_exists(checkpoint);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(lost, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_do_not_make_a_checkpoint_vanish),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
