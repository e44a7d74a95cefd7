/* run_web.c - the page beside a run
 *
 * A process of its own: reading never slows the study, and one that ends, in
 * whatever way, ends nothing else. It dies with the conductor. */
#include "cli/run_web.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct process_id run_web_begin(const char *study_folder)
{
    struct arena *a = arena_new();
    struct process_id id = {0};
    struct err err = {0};
    const char *home = path_folder(a, path_folder(a, study_folder));
    const char *name = arena_cstr(a, path_name(study_folder));
    const char *const words[] = {"/proc/self/exe", "web", "--study", name,
                                 NULL};
    struct spawn spawn = {.argv = words,
                          .cwd = home,
                          .in = -1,
                          .out = STDERR_FILENO,
                          .err = STDERR_FILENO,
                          .keep_fd = -1,
                          .die_with_parent = true};
    if (process_spawn(&spawn, &id, &err))
        say("throng run: there is no page: %s\n", err.text);
    arena_free(a);
    return id;
}

void run_web_end(struct process_id web)
{
    if (!web.pid)
        return;
    if (process_alive(web))
        kill(web.pid, SIGTERM);
    waitpid(web.pid, NULL, 0);
}
