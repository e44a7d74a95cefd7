/* flood.c - a task that reports metrics as fast as it can
 *
 *     flood lines|blocks SECONDS REPORT
 *
 * Writes lines to THRONG_METRICS for some seconds: `lines` with one write
 * for each, as a careful program does; `blocks` with one write for 64 KiB, as
 * a buffered stream does. At the end one line is appended to the file REPORT:
 * trial, points written, own CPU seconds, unix time of the last write. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES (64 << 10)
#define LINE_BYTES 128
#define LINES_PER_LOOK 64 /* the clock is read once for so many */

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0)
            fail("write");
        p += done;
        n -= (size_t)done;
    }
}

static size_t print_line(char *to, long step)
{
    return (size_t)snprintf(to, LINE_BYTES, "{\"step\":%ld,\"loss\":%.6f}\n",
                            step, 1.0 / (double)(step + 1));
}

static long flood(int fd, size_t block, double seconds)
{
    static char text[BLOCK_BYTES + LINE_BYTES];
    double end = clock_s(CLOCK_MONOTONIC) + seconds;
    size_t used = 0;
    long points = 0;
    while (clock_s(CLOCK_MONOTONIC) < end) {
        for (int i = 0; i < LINES_PER_LOOK; i++) {
            used += print_line(text + used, points++);
            if (used >= block) {
                write_all(fd, text, used);
                used = 0;
            }
        }
    }
    write_all(fd, text, used);
    return points;
}

static double own_cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int open_to_append(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        fail(path);
    return fd;
}

int main(int argc, char **argv)
{
    const char *path = getenv("THRONG_METRICS");
    const char *trial = getenv("THRONG_TRIAL");
    if (argc != 4 || !path || !trial) {
        fputs("usage, in a study: flood lines|blocks SECONDS REPORT\n", stderr);
        return 1;
    }
    size_t block = strcmp(argv[1], "lines") ? BLOCK_BYTES : 1;
    int fd = open_to_append(path);
    long points = flood(fd, block, strtod(argv[2], NULL));
    close(fd);
    char line[LINE_BYTES];
    int len = snprintf(line, sizeof(line), "%s %ld %.6f %.6f\n", trial, points,
                       own_cpu_s(), clock_s(CLOCK_REALTIME));
    write_all(open_to_append(argv[3]), line, (size_t)len);
    return 0;
}
