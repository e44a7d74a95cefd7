/* faulty.c - runs a program whose system calls fail as asked
 *
 *     faulty [--while FILE] [--log FILE] CALL[,CALL...]=ERROR[@GLOB]... --
 * PROGRAM...
 *
 *     faulty link,linkat=EPERM -- throng run study.yaml
 *     faulty --while broken 'pwrite64,fdatasync=EIO@*study.db*' -- throng run …
 *
 * As on a disk that fails, or a file system that lacks something: each call
 * whose file's path matches GLOB (any path, without one) fails with ERROR, but
 * only while the file of --while is there. What failed is written to --log, a
 * line each, so that a test can tell that it was met.
 *
 * The kernel asks a process of ours about these calls (seccomp's user
 * notification), so that they fail in static programs and in all children,
 * too. That process belongs to nobody and ends with the last one it watches;
 * PROGRAM keeps the pid of who started it. Exit status 77: not possible here.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_HERE 77
#define CALLS_MAX 32

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

/* `path`: which argument is a path; -1: the first one is a descriptor. */
struct call {
    const char *name;
    int number, path;
};
static const struct call calls[] = {
    {"read", SYS_read, -1},
    {"pread64", SYS_pread64, -1},
    {"write", SYS_write, -1},
    {"pwrite64", SYS_pwrite64, -1},
    {"fsync", SYS_fsync, -1},
    {"fdatasync", SYS_fdatasync, -1},
    {"ftruncate", SYS_ftruncate, -1},
    {"openat", SYS_openat, 1},
    {"mkdirat", SYS_mkdirat, 1},
    {"linkat", SYS_linkat, 3},
    {"symlinkat", SYS_symlinkat, 2},
    {"renameat2", SYS_renameat2, 3},
#ifdef SYS_link
    {"link", SYS_link, 1},
    {"open", SYS_open, 0},
    {"mkdir", SYS_mkdir, 0},
    {"symlink", SYS_symlink, 1},
    {"rename", SYS_rename, 1},
#endif
};
static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO},       {"EPERM", EPERM},   {"EROFS", EROFS},
              {"ENOSPC", ENOSPC}, {"EINVAL", EINVAL}, {"ESTALE", ESTALE}};

struct rule {
    const struct call *call;
    int error;
    const char *glob; /* NULL: any */
};
static struct {
    struct rule rules[CALLS_MAX];
    size_t count;
    const char *only_while, *log;
} asked;

static void die(int status, const char *what)
{
    fprintf(stderr, "faulty: %s: %s\n", what, strerror(errno));
    exit(status);
}

/* ---- what is asked ------------------------------------------------------ */

static const struct call *find_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL; /* not every machine has all of them */
}

static int find_error(const char *name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].number;
    errno = EINVAL;
    die(2, name);
    return 0;
}

static void add_rule(char *text)
{
    char *error = strchr(text, '=');
    char *glob = error ? strchr(error, '@') : NULL;
    if (!error) {
        errno = EINVAL;
        die(2, text);
    }
    *error++ = 0;
    if (glob)
        *glob++ = 0;
    for (char *name; (name = strsep(&text, ","));) {
        const struct call *call = find_call(name);
        if (call && asked.count < CALLS_MAX)
            asked.rules[asked.count++] =
                (struct rule){call, find_error(error), glob};
    }
}

static char **read_arguments(char **argv)
{
    for (argv++; *argv && strcmp(*argv, "--") != 0; argv++)
        if (strcmp(*argv, "--while") == 0 && argv[1])
            asked.only_while = *++argv;
        else if (strcmp(*argv, "--log") == 0 && argv[1])
            asked.log = *++argv;
        else
            add_rule(*argv);
    if (!*argv || !argv[1] || !asked.count) {
        errno = EINVAL;
        die(2, "CALL=ERROR... -- PROGRAM...");
    }
    return argv + 1;
}

/* ---- answering ---------------------------------------------------------- */

static void path_of_descriptor(const struct seccomp_notif *n, char *path,
                               size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%u/fd/%d", n->pid, (int)n->data.args[0]);
    ssize_t len = readlink(link, path, size - 1);
    path[len > 0 ? len : 0] = 0;
}

static void path_of_argument(const struct seccomp_notif *n, int which,
                             char *path, size_t size)
{
    char memory[64];
    snprintf(memory, sizeof memory, "/proc/%u/mem", n->pid);
    int fd = open(memory, O_RDONLY | O_CLOEXEC);
    ssize_t len =
        fd < 0 ? 0 : pread(fd, path, size - 1, (off_t)n->data.args[which]);
    if (fd >= 0)
        close(fd);
    path[len > 0 ? len : 0] = 0;
}

static void note(const struct rule *r, const char *path)
{
    int fd =
        asked.log ? open(asked.log, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%s %s\n", r->call->name, path);
    close(fd);
}

/* The error that the call shall fail with; 0: it may go on. */
static int error_of(const struct seccomp_notif *n)
{
    char path[4096];
    if (asked.only_while && access(asked.only_while, F_OK) != 0)
        return 0;
    for (size_t i = 0; i < asked.count; i++) {
        const struct rule *r = &asked.rules[i];
        if (r->call->number != n->data.nr)
            continue;
        if (r->call->path < 0)
            path_of_descriptor(n, path, sizeof path);
        else
            path_of_argument(n, r->call->path, path, sizeof path);
        if (!r->glob || fnmatch(r->glob, path, 0) == 0) {
            note(r, path);
            return r->error;
        }
    }
    return 0;
}

/* Who was killed meanwhile needs no answer. The poll ends with the last one
 * who is watched. */
static void answer_all(int listener)
{
    struct pollfd p = {.fd = listener, .events = POLLIN};
    while (poll(&p, 1, -1) > 0 || errno == EINTR) {
        struct seccomp_notif n = {0};
        if (!(p.revents & POLLIN))
            break;
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0)
            continue;
        struct seccomp_notif_resp answer = {.id = n.id, .error = -error_of(&n)};
        if (!answer.error)
            answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

/* ---- who is watched, and by whom ----------------------------------------- */

static void pass(int socket, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec io = {.iov_base = &byte, .iov_len = 1};
    struct msghdr m = {.msg_iov = &io,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(socket, &m, 0) != 1)
        die(NOT_HERE, "sendmsg");
}

static int take(int socket)
{
    char byte;
    int fd = -1;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec io = {.iov_base = &byte, .iov_len = 1};
    struct msghdr m = {.msg_iov = &io,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

/* Holds none of the files that whoever started us waits for to be closed. */
static void watch(int socket)
{
    int nothing = open("/dev/null", O_RDWR);
    setsid();
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    int listener = take(socket);
    close(socket);
    if (listener >= 0)
        answer_all(listener);
    _exit(0);
}

/* Twice forked, so that it is no child of PROGRAM. */
static void start_watcher(const int pair[2])
{
    pid_t child = fork();
    if (child < 0)
        die(NOT_HERE, "fork");
    if (child == 0) {
        close(pair[1]);
        if (fork() == 0)
            watch(pair[0]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    close(pair[0]);
}

/* Calls of another architecture have other numbers: those go on. */
static int be_watched(void)
{
    struct sock_filter code[CALLS_MAX * 2 + 8];
    unsigned short len = 0;
    code[len++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                               ARCHITECTURE, 1, 0);
    code[len++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[len++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < asked.count; i++) {
        code[len++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)asked.rules[i].call->number, 0,
            1);
        code[len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                                   SECCOMP_RET_USER_NOTIF);
    }
    code[len++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = len, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

int main(int argc, char **argv)
{
    int pair[2];
    (void)argc;
    char **program = read_arguments(argv);
    if (!ARCHITECTURE ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        die(NOT_HERE, "socketpair");
    start_watcher(pair);
    int listener = be_watched();
    if (listener < 0)
        die(NOT_HERE, "seccomp");
    pass(pair[1], listener);
    close(listener);
    close(pair[1]);
    execvp(program[0], program);
    die(127, program[0]);
}
