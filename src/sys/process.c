/* process.c - starting programs, and telling processes apart
 *
 * A program is started with vfork: the child borrows our memory until it
 * executes the program, so the cost does not grow with our size, and it
 * reports a failure by writing into `struct launch` on our stack. While it
 * borrows, it may only make system calls: it must not allocate, and no signal
 * handler of ours may run in it. Hence every signal is blocked around vfork,
 * and the child resets all handlers before it unblocks.
 *
 * The child closes no descriptors: all of throng's are opened O_CLOEXEC. */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sys/program.h"
#include "sys/process_stat.h"

extern char **environ;

enum step { STEP_NONE, STEP_STDIO, STEP_PARENT, STEP_CHDIR, STEP_EXEC };

struct launch {
    const struct spawn *spawn;
    const char *program;
    char *const *argv, *const *env;
    pid_t parent;
    /* Written by the child. */
    volatile uint64_t start;
    volatile enum step failed;
    volatile int error;
};

/* ---- the child, between vfork and exec ------------------------------- */

_Noreturn static void child_fail(struct launch *l, enum step step)
{
    l->error = errno;
    l->failed = step;
    _exit(127);
}

static void child_signals(void)
{
    struct sigaction act = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &act, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A descriptor for slot 0, 1 or 2 that is either that slot already or lies
 * above all three, so that filling one slot never spoils another. */
static int child_source(int fd, int slot)
{
    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fd <= 2 && fd != slot)
        return fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return fd;
}

static int child_stdio(const struct spawn *s)
{
    int source[3] = {s->in, s->out, s->err};
    for (int i = 0; i < 3; i++) {
        source[i] = child_source(source[i], i);
        if (source[i] < 0)
            return -1;
    }
    for (int i = 0; i < 3; i++) {
        int rc = source[i] == i ? fcntl(i, F_SETFD, 0) : dup2(source[i], i);
        if (rc < 0)
            return -1;
    }
    return s->keep_fd >= 0 ? fcntl(s->keep_fd, F_SETFD, 0) : 0;
}

/* When this process began; a reading of its own spares the parent one. */
static void child_name(struct launch *l)
{
    struct process_info info = {0};
    stat_of(getpid(), &info);
    l->start = info.start;
    if (l->spawn->leaders)
        leader_write(l->spawn->leaders->fd, l->spawn->leader_place,
                     (struct leader_line){(uint64_t)info.pid, info.start,
                                          l->spawn->leader_task,
                                          l->spawn->leader_attempt});
}

_Noreturn static void child_run(struct launch *l)
{
    const struct spawn *s = l->spawn;
    if (s->session)
        setsid();
    if (s->die_with_parent) {
        /* The parent may have ended before the kernel knew of our wish. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != l->parent)
            child_fail(l, STEP_PARENT);
    }
    child_name(l);
    if (child_stdio(s) < 0)
        child_fail(l, STEP_STDIO);
    if (s->mask)
        umask(*s->mask);
    if (s->cwd && chdir(s->cwd) < 0)
        child_fail(l, STEP_CHDIR);
    child_signals();
    execve(l->program, l->argv, l->env);
    child_fail(l, STEP_EXEC);
}

/* Kept out of line: what the child does with this frame must not disturb
 * anything that the parent still needs. */
__attribute__((noinline)) static pid_t launch_vfork(struct launch *l)
{
    pid_t pid = vfork();
    if (pid == 0)
        child_run(l);
    return pid;
}

/* ---- reasons for a failure ------------------------------------------- */

/* The interpreter on the #! line of a script, or "" when there is none. */
static void read_interpreter(const char *path, char text[256])
{
    char line[256];
    text[0] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    ssize_t n = read(fd, line, sizeof(line) - 1);
    close(fd);
    if (n < 3 || memcmp(line, "#!", 2) != 0)
        return;
    line[n] = 0;
    char *p = line + 2 + strspn(line + 2, " \t");
    /* A carriage return belongs to the name, as the kernel sees it. */
    size_t len = strcspn(p, " \t\n");
    memcpy(text, p, len);
    text[len] = 0;
}

static int explain_missing(const char *program, const char *interpreter,
                           struct err *err)
{
    size_t len = strlen(interpreter);
    if (len && interpreter[len - 1] == '\r')
        return err_set(err, ERR_MISSING,
                       "cannot start %s: its #! line ends in a carriage "
                       "return; save the file with Unix line ends",
                       program);
    if (len)
        return err_set(err, ERR_MISSING,
                       "cannot start %s: its interpreter %s (on the #! line) "
                       "is not there",
                       program, interpreter);
    return err_set(err, ERR_MISSING,
                   "cannot start %s: the loader or library that it was built "
                   "for is not on this machine",
                   program);
}

static int explain_exec(const struct launch *l, struct err *err)
{
    char path[PATH_MAX], interpreter[256] = "";
    if (program_from_here(l->program, l->spawn->cwd, path) == 0)
        read_interpreter(path, interpreter);
    switch (l->error) {
    case ENOENT:
        return explain_missing(l->program, interpreter, err);
    case EACCES:
        if (interpreter[0])
            return err_set(err, ERR_SYSTEM,
                           "cannot start %s: its interpreter %s (on the #! "
                           "line) is not executable",
                           l->program, interpreter);
        break;
    case ENOEXEC:
        return err_set(err, ERR_SYSTEM,
                       "cannot start %s: it is neither a program for this "
                       "machine nor a script with a #! line",
                       l->program);
    case E2BIG:
        return err_set(err, ERR_LIMIT,
                       "cannot start %s: its arguments and environment are "
                       "larger than the system allows",
                       l->program);
    default:
        break;
    }
    errno = l->error;
    return err_errno(err, "cannot start %s", l->program);
}

static int explain(const struct launch *l, struct err *err)
{
    errno = l->error;
    switch (l->failed) {
    case STEP_CHDIR:
        if (l->error == ENOENT)
            return err_set(err, ERR_MISSING,
                           "cannot start %s: its working folder %s is not "
                           "there",
                           l->program, l->spawn->cwd);
        return err_errno(err,
                         "cannot start %s: cannot enter its working "
                         "folder %s",
                         l->program, l->spawn->cwd);
    case STEP_STDIO:
        return err_errno(err,
                         "cannot start %s: cannot set up its input and "
                         "output",
                         l->program);
    case STEP_PARENT:
        return err_set(err, ERR_SYSTEM,
                       "cannot start %s: the process that starts it is ending",
                       l->program);
    default:
        return explain_exec(l, err);
    }
}

static int explain_not_found(const char *name, const char *program, int error,
                             const char *cwd, struct err *err)
{
    if (error == ENOENT && !strchr(name, '/'))
        return err_set(err, ERR_MISSING,
                       "cannot start %s: no program of that name is on the "
                       "PATH",
                       name);
    if (error == ENOENT)
        return err_set(err, ERR_MISSING,
                       "cannot start %s: there is no such file%s%s", name,
                       cwd && name[0] != '/' ? " in " : "",
                       cwd && name[0] != '/' ? cwd : "");
    if (error == EACCES)
        return err_set(err, ERR_SYSTEM,
                       "cannot start %s: it is not an executable file (chmod "
                       "+x would make a file one)",
                       program);
    errno = error;
    return err_errno(err, "cannot start %s", name);
}

/* Leaves errno as it is: a caller may know that it passes. */
static int explain_no_process(const char *program, struct err *err)
{
    int error = errno;
    uint64_t limit = process_limit();
    if (error != EAGAIN || limit == 0)
        return err_errno(err, "cannot start %s: no new process", program);
    err_set(err, ERR_SYSTEM,
            "cannot start %s: you may have %llu processes at once on this "
            "machine (ulimit -u); set parallel: to fewer, or raise the limit",
            program, (unsigned long long)limit);
    errno = error;
    return -1;
}

/* ---- spawn ----------------------------------------------------------- */

static const char *env_path(char *const *env)
{
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            return *env + 5;
    return NULL;
}

/* A missing working folder makes every relative program "not found", so it
 * is named first. */
static int check_cwd(const struct spawn *s, const char *name, struct err *err)
{
    if (!s->cwd || file_is_dir(s->cwd))
        return 0;
    struct launch l = {.spawn = s,
                       .program = name,
                       .failed = STEP_CHDIR,
                       .error = file_exists(s->cwd) ? ENOTDIR : ENOENT};
    return explain(&l, err);
}

static pid_t launch_blocked(struct launch *l)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    pid_t pid = launch_vfork(l);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return pid;
}

int process_spawn(const struct spawn *s, struct process_id *id, struct err *err)
{
    char program[PATH_MAX];
    struct launch l = {.spawn = s, .program = program, .parent = getpid()};
    const char *name = s->argv[0];
    require(s->keep_fd < 0 || s->keep_fd > 2);
    /* execve's arrays are not const for historical reasons only. */
    memcpy(&l.argv, &s->argv, sizeof(l.argv));
    if (s->env)
        memcpy(&l.env, &s->env, sizeof(l.env));
    else
        l.env = environ;
    int error = program_find(name, env_path(l.env), s->cwd, program);
    if (error) {
        if (check_cwd(s, name, err) < 0)
            return -1;
        return explain_not_found(name, program, error, s->cwd, err);
    }
    pid_t pid = launch_blocked(&l);
    if (pid < 0)
        return explain_no_process(program, err);
    if (l.failed) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return explain(&l, err);
    }
    *id = (struct process_id){.pid = pid, .start = l.start};
    return 0;
}

int process_subreaper(struct err *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return err_errno(err, "cannot become the parent of orphans");
    return 0;
}

/* ---- identity -------------------------------------------------------- */

char process_state(struct process_id id)
{
    struct process_info info;
    if (id.pid <= 0 || !stat_of(id.pid, &info) || info.start != id.start)
        return 0;
    return info.state;
}

bool process_alive(struct process_id id)
{
    char state = process_state(id);
    return state && state != 'Z' && state != 'X';
}

struct process_id process_self(void)
{
    struct process_info info = {0};
    pid_t pid = getpid();
    stat_of(pid, &info);
    return (struct process_id){.pid = pid, .start = info.start};
}

const char *process_boot_id(void)
{
    /* Constant for as long as any process lives, so one reading serves. */
    static char id[64];
    if (id[0])
        return id;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, id, sizeof(id) - 1);
    if (fd >= 0)
        close(fd);
    struct str text = str_trim(str_n(id, n > 0 ? (size_t)n : 0));
    if (text.len == 0)
        text = STR("unknown");
    memmove(id, text.p, text.len);
    id[text.len] = 0;
    return id;
}
