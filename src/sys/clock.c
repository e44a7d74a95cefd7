/* clock.c - what time it is, for machines and for people */
#include "sys/sys.h"

#include <errno.h>
#include <math.h>
#include <time.h>

int64_t clock_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double clock_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void clock_pause_ms(unsigned ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

void clock_print(struct buf *b, double wall, bool utc)
{
    struct tm parts;
    char text[64];
    /* A year of more than 9 digits is no time that anybody meant, and the
     * conversion of such a double would be undefined. */
    if (!(wall > -1e15 && wall < 1e15)) {
        buf_adds(b, "unknown time");
        return;
    }
    time_t t = (time_t)floor(wall);
    if (!(utc ? gmtime_r(&t, &parts) : localtime_r(&t, &parts)) ||
        !strftime(text, sizeof(text),
                  utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S", &parts)) {
        buf_adds(b, "unknown time");
        return;
    }
    buf_adds(b, text);
}
