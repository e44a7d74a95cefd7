/* pager.c - long output on a terminal, through a pager, as git does it
 *
 * THRONG_PAGER, else PAGER, else less where there is one; empty or cat: none.
 * less gets -FRX unless LESS says otherwise: what fits the screen is simply
 * printed. */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pager_command(struct arena *a)
{
    const char *said = getenv("THRONG_PAGER");
    if (!said)
        said = getenv("PAGER");
    if (!said)
        return path_program(a, "less", NULL) ? "less" : NULL;
    return *said && strcmp(said, "cat") ? said : NULL;
}

/* What is followed, or read by a program, does not wait for a key. */
static bool is_followed(const struct call *c)
{
    for (size_t i = 0; c->verb->options[i].name; i++)
        if (c->values[i] && (!strcmp(c->verb->options[i].name, "follow") ||
                             !strcmp(c->verb->options[i].name, "json")))
            return true;
    return false;
}

bool pager_wanted(const struct call *c)
{
    const char *term = getenv("TERM");
    if (!c->verb->pages || !c->terminal || !term || !strcmp(term, "dumb"))
        return false;
    return !is_followed(c) && pager_command(c->arena);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ERROR;
}

static int start_pager(struct call *c, int in, struct process_id *id)
{
    const char *const argv[] = {"sh", "-c", pager_command(c->arena), NULL};
    struct spawn spawn = {.argv = argv,
                          .in = in,
                          .out = STDOUT_FILENO,
                          .err = STDERR_FILENO,
                          .keep_fd = -1};
    setenv("LESS", "FRX", 0);
    return process_spawn(&spawn, id, NULL);
}

int pager_run(struct call *c)
{
    int ends[2];
    struct process_id pager;
    if (pipe2(ends, O_CLOEXEC))
        return c->verb->run(c);
    if (start_pager(c, ends[0], &pager)) {
        close(ends[0]);
        close(ends[1]);
        return c->verb->run(c);
    }
    close(ends[0]);
    fflush(NULL);
    pid_t verb = fork();
    if (verb == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        int code = c->verb->run(c);
        exit(fflush(stdout) && code == EXIT_OK ? EXIT_ERROR : code);
    }
    close(ends[1]);
    /* Ctrl-C is the pager's: it stops a search there, not the pager. */
    signal(SIGINT, SIG_IGN);
    int code = verb > 0 ? wait_for(verb) : EXIT_ERROR;
    wait_for(pager.pid);
    return code;
}
