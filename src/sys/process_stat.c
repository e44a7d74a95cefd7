/* process_stat.c - one line of /proc/<pid>/stat
 *
 * pid (name) state parent group session … : 52 fields, of which the second
 * is free text. Everything is counted from the last ')'. */
#include "sys/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Field numbers as in proc(5). */
enum {
    FIELD_STATE = 3,
    FIELD_PARENT = 4,
    FIELD_GROUP = 5,
    FIELD_SESSION = 6,
    FIELD_USER = 14, /* four of them: user, system, and of children */
    FIELD_START = 22,
    FIELD_RSS = 24,
};

/* A plain scanner: this runs once for every process of the machine, and the
 * kernel writes nothing but decimal digits and '-'. */
static const char *scan_number(const char *p, const char *end, uint64_t *v)
{
    uint64_t n = 0;
    while (p < end && *p == ' ')
        p++;
    bool negative = p < end && *p == '-';
    if (negative)
        p++;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9')
        n = n * 10 + (uint64_t)(*p++ - '0');
    if (p == digits)
        return NULL;
    *v = negative ? 0 : n;
    return p;
}

bool stat_parse(struct str text, struct process_info *info)
{
    uint64_t field[FIELD_RSS + 1] = {0}, pid;
    const char *end = text.p + text.len;
    const char *close = memrchr(text.p, ')', text.len);
    if (!close || end - close < 4 || !scan_number(text.p, close, &pid))
        return false;
    const char *p = close + 3;
    for (int i = FIELD_PARENT; i <= FIELD_RSS; i++) {
        p = scan_number(p, end, &field[i]);
        if (!p)
            return false;
    }
    uint64_t ticks = 0;
    for (int i = FIELD_USER; i < FIELD_USER + 4; i++)
        ticks += field[i];
    *info = (struct process_info){
        .pid = (pid_t)pid,
        .parent = (pid_t)field[FIELD_PARENT],
        .group = (pid_t)field[FIELD_GROUP],
        .session = (pid_t)field[FIELD_SESSION],
        .start = field[FIELD_START],
        .rss_bytes = field[FIELD_RSS] * (uint64_t)sysconf(_SC_PAGESIZE),
        .cpu_s = (double)ticks / (double)sysconf(_SC_CLK_TCK),
        .state = close[2],
    };
    return true;
}

bool stat_read(int folder, const char *path, struct process_info *info)
{
    /* 52 numbers of at most 20 digits, and a name of at most 64 bytes. */
    char text[1200];
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof(text));
    close(fd);
    return n > 0 && stat_parse(str_n(text, (size_t)n), info);
}

bool stat_of(pid_t pid, struct process_info *info)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return stat_read(AT_FDCWD, path, info);
}
