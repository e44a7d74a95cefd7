/* bare_spawn.c - the least that running many programs can cost
 *
 *     bare_spawn TASKS PARALLEL PROGRAM
 *
 * A loop of posix_spawn and waitpid with PARALLEL children out at once:
 * nothing is captured, recorded or checked. Prints tasks per second. */
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bare_spawn: %s: %s\n", what, why);
    exit(1);
}

static void begin(char *program)
{
    char *argv[] = {program, NULL};
    pid_t pid;
    int rc = posix_spawn(&pid, program, NULL, NULL, argv, environ);
    if (rc)
        fail(program, strerror(rc));
}

static void await_one(const char *program)
{
    int status;
    if (waitpid(-1, &status, 0) < 0)
        fail("waitpid", "no child");
    if (status)
        fail(program, "did not end well");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage", "bare_spawn TASKS PARALLEL PROGRAM");
    long tasks = strtol(argv[1], NULL, 10);
    long parallel = strtol(argv[2], NULL, 10);
    long out = 0;
    double start = now_s();
    for (long begun = 0; begun < tasks; begun++) {
        if (out == parallel) {
            await_one(argv[3]);
            out--;
        }
        begin(argv[3]);
        out++;
    }
    for (; out > 0; out--)
        await_one(argv[3]);
    printf("%.1f\n", (double)tasks / (now_s() - start));
    return 0;
}
