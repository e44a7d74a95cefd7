/* process_table.c - a snapshot of all processes, and what one of them holds
 *
 * One pass over /proc that opens one small file per process. Processes come
 * and go meanwhile; whoever is gone is left out. */
#include "sys/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "sys/process_stat.h"

#define THREADS_MAX 128 /* of one process that are looked at */

int process_table_read(struct process_table *t, struct err *err)
{
    DIR *proc = opendir("/proc");
    if (!proc)
        return err_errno(err, "cannot list the processes in /proc");
    t->rows.len = 0;
    for (struct dirent *e; (e = readdir(proc));) {
        char path[32];
        struct process_info info;
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        int n = snprintf(path, sizeof(path), "%s/stat", e->d_name);
        if (n < 0 || (size_t)n >= sizeof(path))
            continue;
        if (stat_read(dirfd(proc), path, &info))
            vec_push(&t->rows, info);
    }
    closedir(proc);
    return 0;
}

void process_table_done(struct process_table *t)
{
    if (t)
        vec_done(&t->rows);
}

char process_activity(pid_t pid)
{
    char path[32], state = 'S';
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    struct dirent *e = NULL;
    for (int i = 0;
         threads && i < THREADS_MAX && state != 'R' && (e = readdir(threads));
         i++) {
        struct process_info info;
        int n = snprintf(path, sizeof(path), "%s/stat", e->d_name);
        if (e->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof(path) ||
            !stat_read(dirfd(threads), path, &info))
            continue;
        if (info.state == 'R' || info.state == 'D')
            state = info.state;
    }
    if (threads)
        closedir(threads);
    return state;
}

/* Reads /proc/<pid>/<name> whole; false when it cannot be read. */
static bool read_of(pid_t pid, const char *name, struct buf *b)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    return file_read(path, 0, b, NULL) == 0;
}

/* "Pss:    1234 kB" -> bytes. */
static uint64_t parse_kilobytes(struct str text)
{
    uint64_t n = 0;
    text = str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            break;
        n = n * 10 + (uint64_t)(text.p[i] - '0');
    }
    return n * 1024;
}

uint64_t process_pss_bytes(pid_t pid)
{
    struct buf b;
    uint64_t bytes = 0;
    buf_init(&b);
    if (read_of(pid, "smaps_rollup", &b)) {
        struct str rest = buf_str(&b), line;
        while (str_split(&rest, '\n', &line)) {
            if (!str_starts(line, STR("Pss:")))
                continue;
            bytes = parse_kilobytes(str_n(line.p + 4, line.len - 4));
            break;
        }
    }
    buf_done(&b);
    return bytes;
}

bool process_env(pid_t pid, const char *name, struct buf *value)
{
    struct buf b;
    bool found = false;
    size_t len = strlen(name);
    buf_init(&b);
    if (read_of(pid, "environ", &b)) {
        struct str rest = buf_str(&b), one;
        while (!found && str_split(&rest, '\0', &one))
            found = one.len > len && one.p[len] == '=' &&
                    memcmp(one.p, name, len) == 0;
        if (found)
            buf_add(value, one.p + len + 1, one.len - len - 1);
    }
    buf_done(&b);
    return found;
}
