/* gpu_child.c - a process beside us that asks the driver */
#include "sys/gpu_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sys/sys.h"

#define END_WAIT_NS 200000000ll
#define CHILD_FD 3
#define FILES_MOST 65536

static void close_from(int first)
{
    if (close_range((unsigned)first, ~0u, 0) == 0)
        return;
    for (int fd = first; fd < FILES_MOST; fd++)
        close(fd);
}

static void keep_only(int fd)
{
    int up = fcntl(fd, F_DUPFD, CHILD_FD + 1);
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < CHILD_FD; i++)
        if (nothing >= 0)
            dup2(nothing, i);
        else
            close(i);
    dup2(up, CHILD_FD);
    close_from(CHILD_FD + 1);
}

/* Those of a terminal are for who asks. */
static void hear_nothing(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* No handler of ours may run in the child. */
static pid_t fork_quietly(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid != 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

bool gpu_child_start(struct gpu_child *c, void (*work)(void *context, int fd),
                     void *context)
{
    int ends[2];
    pid_t self = getpid();
    *c = (struct gpu_child){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid_t pid = fork_quietly();
    if (pid == 0) {
        hear_nothing();
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != self)
            _exit(1);
        prctl(PR_SET_NAME, "throng-gpus");
        keep_only(ends[1]);
        work(context, CHILD_FD);
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *c = (struct gpu_child){.pid = pid, .fd = ends[0]};
    return true;
}

void gpu_child_end(struct gpu_child *c)
{
    int64_t end = clock_mono_ns() + END_WAIT_NS;
    if (c->fd >= 0)
        close(c->fd);
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, WNOHANG) == 0 && clock_mono_ns() < end)
            clock_pause_ms(1);
    }
    *c = (struct gpu_child){.fd = -1};
}
