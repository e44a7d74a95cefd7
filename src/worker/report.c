/* report.c - `throng` inside a task */
#include "worker/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "api/api.h"
#include "sys/sys.h"

static int report(int argc, char **argv)
{
    struct err err = {0};
    struct buf out;
    bool stop = false;
    struct api_report r = {.metrics = getenv("THRONG_METRICS"),
                           .stop_file = getenv("THRONG_STOP"),
                           .words = (const char *const *)argv,
                           .count = (size_t)argc};
    buf_init(&out);
    int result = api_report(&r, &out, &stop, &err);
    if (result == 0)
        fputs(out.p, stdout);
    else
        fprintf(stderr, "throng report: %s\n", err.text);
    buf_done(&out);
    if (result != 0)
        return err.kind == ERR_USAGE || err.kind == ERR_INPUT ? 2 : 1;
    return stop ? API_EXIT_STOP : 0;
}

/* Becomes the program that came with this worker, from a folder of builds or
 * an installed one. Returns where there is none, as on other machines. */
static void become_own(char **argv, struct arena *a)
{
    static const char *const places[] = {"throng", "../../bin/throng"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return;
    self[n] = 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        execv(path_join(a, path_folder(a, self), places[i]), argv);
}

/* Becomes that, or else the first `throng` on PATH that is not this program. */
static int pass_on(char **argv)
{
    struct stat self, other;
    const char *path = getenv("PATH");
    struct str folder, rest = str_of(path ? path : "");
    struct arena *a = arena_new();
    become_own(argv, a);
    if (stat("/proc/self/exe", &self) != 0)
        self = (struct stat){0};
    while (str_split(&rest, ':', &folder)) {
        char *program = path_join(a, arena_cstr(a, folder), "throng");
        if (stat(program, &other) != 0 || access(program, X_OK) != 0)
            continue;
        if (other.st_dev == self.st_dev && other.st_ino == self.st_ino)
            continue;
        execv(program, argv);
    }
    fprintf(stderr,
            "throng: inside of a task only `throng report` is known: there is "
            "no other throng beside the worker, nor on PATH\n");
    arena_free(a);
    return 127;
}

int report_main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return report(argc - 2, argv + 2);
    return pass_on(argv);
}
