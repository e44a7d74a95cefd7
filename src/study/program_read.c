/* program_read.c - what another program prints
 *
 * One that fails, is not there or does not end is no fault here: who asks says
 * what that means. */
#include "study/program_read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sys/sys.h"

#define TEXT_MAX (64u << 20)

/* Waits a little for a child; ends it when it takes too long. */
static int wait_child(pid_t pid, double seconds)
{
    int64_t until = clock_mono_ns() + (int64_t)(seconds * 1e9);
    int status;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (got < 0 && errno != EINTR)
            return -1;
        if (clock_mono_ns() > until) {
            kill(pid, SIGKILL);
            until = INT64_MAX;
        }
        clock_pause_ms(1);
    }
}

int program_read(const char *folder, const char *scratch,
                 const char *const *argv, double seconds, struct buf *b)
{
    int fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct spawn spawn = {.argv = argv,
                          .cwd = folder,
                          .in = -1,
                          .out = fd,
                          .err = -1,
                          .keep_fd = -1};
    struct process_id id;
    int rc = -1;
    if (fd >= 0 && !process_spawn(&spawn, &id, NULL) &&
        wait_child(id.pid, seconds) == 0)
        rc = file_read(scratch, TEXT_MAX, b, NULL);
    if (fd >= 0)
        close(fd);
    unlink(scratch);
    return rc;
}
