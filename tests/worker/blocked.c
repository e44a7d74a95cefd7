/* blocked.c - waits as one waits for a disk, for so many seconds
 *
 *   worker_blocked SECONDS
 *
 * A parent that waits for the exec of a vfork cannot be interrupted, which
 * /proc shows as it shows a read of a slow disk. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec wait = {argc > 1 ? strtol(argv[1], NULL, 10) : 1, 0};
    pid_t child = vfork();
    if (child == 0) {
        syscall(SYS_nanosleep, &wait, NULL);
        _exit(0);
    }
    return child < 0;
}
