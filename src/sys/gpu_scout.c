/* gpu_scout.c - a process that looks at the GPUs, so that nobody else waits
 *
 * A driver that hangs holds whoever asks it, for as long as it likes and
 * against any signal. So a child does: it is asked by a byte and answers with
 * a struct gpu_use for each GPU. It is this program, forked: the library is
 * loaded there and nowhere else. Who asks waits for the first answer, which is
 * what was there before anything began, and from then on no longer than an
 * answer usually takes, and once a second where that is not enough; one that
 * comes late is the next look's. While none comes at all nobody knows, and
 * nobody waits.
 *
 * The child has none of our files open, since it may be there when we are
 * gone, and hears no signal but the last. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sys/gpu.h"

#define MS 1000000ll
#define FIRST_WAIT_NS (2000 * MS) /* a driver may have to be woken */
#define WAIT_NS (50 * MS)
#define WAIT_AGAIN_NS (1000 * MS) /* after one that came too late */
#define SAME_NS (20 * MS)         /* so close together looks are one */
#define STANDS_NS (5000 * MS)     /* an answer, at most */
#define END_WAIT_NS (200 * MS)
#define CHILD_FD 3
#define FILES_MOST 65536

struct gpu_scout {
    const struct machine *machine;
    pid_t pid;
    int fd; /* -1: there is no child */
    struct buf in;
    struct gpu_use *uses; /* the last answer */
    uint64_t answers;
    int64_t asked_ns;    /* the last time */
    int64_t answered_ns; /* when the question of the last answer was */
    int64_t late_ns;     /* when one was waited for in vain; 0: never */
    bool waits;          /* it was asked and has not answered */
};

/* ---- the child --------------------------------------------------------- */

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

static bool answer(struct gpu_looker *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gpu_use use;
        gpu_look(l, i, &use);
        if (fd_write_all(CHILD_FD, &use, sizeof use, NULL) != 0)
            return false;
    }
    return true;
}

_Noreturn static void scout(const struct machine *m, const char *file, int fd,
                            pid_t parent)
{
    char asked;
    hear_nothing();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    prctl(PR_SET_NAME, "throng-gpus");
    keep_only(fd);
    struct gpu_looker *l = gpu_looker_open(m, m->gpus_described, file);
    while (read(CHILD_FD, &asked, 1) == 1 && answer(l, m->gpu_count))
        ;
    _exit(0);
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

/* ---- who asks ---------------------------------------------------------- */

struct gpu_scout *gpu_scout_open(const struct machine *m, const char *file)
{
    struct gpu_scout *s = xcalloc(1, sizeof *s);
    int ends[2];
    pid_t self = getpid();
    s->machine = m;
    s->fd = -1;
    s->uses = xcalloc(m->gpu_count + 1, sizeof *s->uses);
    buf_init(&s->in);
    if (m->gpu_count == 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return s;
    s->pid = fork_quietly();
    if (s->pid == 0)
        scout(m, file, ends[1], self);
    close(ends[1]);
    if (s->pid > 0)
        s->fd = ends[0];
    else
        close(ends[0]);
    return s;
}

static void end_child(struct gpu_scout *s)
{
    int64_t end = clock_mono_ns() + END_WAIT_NS;
    kill(s->pid, SIGKILL);
    /* One that its driver holds is left to whoever comes after us. */
    while (waitpid(s->pid, NULL, WNOHANG) == 0 && clock_mono_ns() < end)
        clock_pause_ms(1);
}

void gpu_scout_close(struct gpu_scout *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    if (s->pid > 0)
        end_child(s);
    buf_done(&s->in);
    free(s->uses);
    free(s);
}

/* Takes what it has said; false: no more will come. */
static bool hear(struct gpu_scout *s)
{
    size_t size = s->machine->gpu_count * sizeof *s->uses;
    ssize_t n;
    do {
        buf_reserve(&s->in, size);
        n = recv(s->fd, s->in.p + s->in.len, size - s->in.len, MSG_DONTWAIT);
        if (n > 0)
            s->in.len += (size_t)n;
        if (s->in.len == size) {
            memcpy(s->uses, s->in.p, size);
            buf_reset(&s->in);
            s->answers++;
            s->answered_ns = s->asked_ns;
            s->waits = false;
            return true;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n < 0 && errno == EAGAIN;
}

static void await(struct gpu_scout *s, int64_t end_ns)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    while (s->fd >= 0 && s->waits) {
        int64_t left = end_ns - clock_mono_ns();
        if (left <= 0)
            return;
        if (poll(&p, 1, (int)(left / MS) + 1) > 0 && !hear(s)) {
            close(s->fd);
            s->fd = -1;
        }
    }
}

static void ask(struct gpu_scout *s)
{
    if (send(s->fd, "?", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
        return;
    s->waits = true;
    s->asked_ns = clock_mono_ns();
    if (s->late_ns && s->asked_ns - s->late_ns < WAIT_AGAIN_NS)
        return;
    await(s, s->asked_ns + (s->answers ? WAIT_NS : FIRST_WAIT_NS));
    s->late_ns = s->waits ? clock_mono_ns() : 0;
}

static void refresh(struct gpu_scout *s)
{
    if (s->fd < 0)
        return;
    if (s->waits && !hear(s)) {
        close(s->fd);
        s->fd = -1;
        return;
    }
    if (!s->waits &&
        (!s->answers || clock_mono_ns() - s->answered_ns >= SAME_NS))
        ask(s);
}

uint64_t gpu_scout_look(struct gpu_scout *s, size_t gpu, struct gpu_use *u)
{
    refresh(s);
    *u = (struct gpu_use){.busy = NAN, .joules = NAN};
    if (s->answers && clock_mono_ns() - s->answered_ns < STANDS_NS)
        *u = s->uses[gpu];
    return s->answers;
}
