/* scratch.c - folders that are gone when the program is
 *
 * Whoever makes one removes it. Where the program ends before that, as by
 * exit() when nobody reads on, or by a signal that nobody handles, it is
 * removed on the way out: what stands in `made` is what is there. A signal may
 * come in the middle of anything, so that its handler computes nothing: rm, in
 * a process of its own, removes the folders. A child that was forked leaves
 * its parent's alone. Only SIGKILL leaves one behind. */
#include "sys/sys.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCRATCH_MAX = 8 };

static struct {
    volatile sig_atomic_t used;
    char path[PATH_MAX];
} made[SCRATCH_MAX];

static volatile sig_atomic_t maker; /* the process whose they are */

static void remove_by_rm(const char *path)
{
    pid_t pid = _Fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(1);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The signal is raised again, for what it does by itself, as soon as the
 * handler has returned. */
static void on_signal(int signum)
{
    int before = errno;
    for (int i = 0; getpid() == maker && i < SCRATCH_MAX; i++)
        if (made[i].used)
            remove_by_rm(made[i].path);
    signal(signum, SIG_DFL);
    raise(signum);
    errno = before;
}

static void on_exit_remove(void)
{
    for (int i = 0; getpid() == maker && i < SCRATCH_MAX; i++)
        if (made[i].used)
            dir_remove(made[i].path, NULL);
}

/* What is ignored, as by nohup, or handled already stays so. */
static void watch_ends(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction ours = {.sa_handler = on_signal}, now;
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    if (!maker)
        atexit(on_exit_remove);
    maker = getpid();
}

const char *scratch_make(const char *what, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    int i = 0;
    if (getpid() != maker)
        for (int k = 0; k < SCRATCH_MAX; k++)
            made[k].used = 0;
    while (i < SCRATCH_MAX && made[i].used)
        i++;
    require(i < SCRATCH_MAX);
    int n = snprintf(made[i].path, PATH_MAX, "%s/throng-%s-XXXXXX",
                     tmp && *tmp == '/' ? tmp : "/tmp", what);
    watch_ends();
    if (n >= PATH_MAX || !mkdtemp(made[i].path)) {
        err_errno(err, "make a folder in %s",
                  tmp && *tmp == '/' ? tmp : "/tmp");
        return NULL;
    }
    made[i].used = 1;
    return made[i].path;
}

void scratch_remove(const char *path)
{
    dir_remove(path, NULL);
    for (int i = 0; i < SCRATCH_MAX; i++)
        if (path == made[i].path)
            made[i].used = 0;
}
