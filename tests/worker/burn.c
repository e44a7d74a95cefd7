/* burn.c - uses CPU time
 *
 *     burn SECONDS FILE [end]
 *
 * Makes FILE when it has used so much, and goes on, or ends. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static double used_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    double wanted = strtod(argv[1], NULL);
    while (used_s() < wanted)
        ;
    int fd = open(argv[2], O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "1\n", 2) != 2)
        return 1;
    while (argc < 4)
        ;
    return 0;
}
