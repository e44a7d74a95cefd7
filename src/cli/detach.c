/* detach.c - going on as a process in the background
 *
 * The child says on a pipe that the study is open; until then its words go to
 * the person's terminal, so that what keeps it from starting is seen. */
#include "cli/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for_child(int fd, pid_t pid, int *code)
{
    char ready = 0;
    ssize_t n;
    do
        n = read(fd, &ready, 1);
    while (n < 0 && errno == EINTR);
    close(fd);
    if (n == 1) {
        *code = EXIT_OK;
        return 1;
    }
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ERROR;
    return 1;
}

int detach(struct call *c, struct detached *d, int *code, pid_t *pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(&c->err, "make a pipe");
    fflush(NULL);
    *pid = fork();
    if (*pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return err_errno(&c->err, "start a process");
    }
    if (*pid > 0) {
        close(ends[1]);
        return wait_for_child(ends[0], *pid, code);
    }
    close(ends[0]);
    setsid();
    d->fd = ends[1];
    return 0;
}

int detach_ready(struct detached *d, const char *log, struct err *err)
{
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out < 0 || null < 0)
        return err_errno(err, "write %s", log);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close(out);
    close(null);
    ssize_t n;
    do
        n = write(d->fd, "r", 1);
    while (n < 0 && errno == EINTR);
    close(d->fd);
    d->fd = -1;
    d->away = true;
    return 0;
}
