/* process_space.c - how process numbers are given out here
 *
 * A number alone does not name a process: another pid namespace counts by
 * itself, and numbers come round again. Both can be told from /proc. */
#include "sys/sys.h"

#include <sys/stat.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/num.h"

uint64_t process_space(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

uint64_t process_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)t.tv_sec * hz + (uint64_t)t.tv_nsec * hz / 1000000000;
}

/* "processes 28140" among the lines of /proc/stat. */
uint64_t process_forks(void)
{
    static const struct str name = {"processes ", 10};
    struct buf b;
    uint64_t forks = 0;
    buf_init(&b);
    if (file_read("/proc/stat", 0, &b, NULL) == 0) {
        struct str rest = buf_str(&b), line;
        while (rest.len && str_split(&rest, '\n', &line))
            if (str_starts(line, name))
                num_uint(str_n(line.p + name.len, line.len - name.len), &forks);
    }
    buf_done(&b);
    return forks;
}

uint64_t process_numbers(void)
{
    struct buf b;
    uint64_t numbers = 0;
    buf_init(&b);
    if (file_read("/proc/sys/kernel/pid_max", 64, &b, NULL) == 0)
        num_uint(str_trim(buf_str(&b)), &numbers);
    buf_done(&b);
    return numbers;
}

/* The kernel asks nobody who may raise limits. */
uint64_t process_limit(void)
{
    struct rlimit limit;
    if (geteuid() == 0 || getrlimit(RLIMIT_NPROC, &limit) < 0 ||
        limit.rlim_cur == RLIM_INFINITY)
        return 0;
    return limit.rlim_cur;
}

void process_allow_files(uint64_t need)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return;
    limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
