/* stands.c - is the file that is open still the study's?
 *
 * A file that somebody removes or moves away stays open, and all that is
 * written into it goes well, to nobody's use. So the file at the path is
 * compared with the open one from time to time. It is held by a descriptor
 * that cannot read: closing one that can would drop SQLite's locks. */
#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/stands.h"

void stands_open(struct store *s)
{
    s->file_fd = open(s->path, O_PATH | O_CLOEXEC);
}

void stands_close(struct store *s)
{
    if (s->file_fd >= 0)
        close(s->file_fd);
    s->file_fd = -1;
}

bool store_is_removed(const struct store *s)
{
    struct stat st;
    return s->file_fd >= 0 && fstat(s->file_fd, &st) == 0 && st.st_nlink == 0;
}

/* Where the open file lies now; empty: nobody can tell. */
static void where_now(const struct store *s, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", s->file_fd);
    ssize_t n = readlink(link, path, size - 1);
    path[n > 0 ? n : 0] = 0;
}

/* Only what is certain counts: a disk that does not answer is no removal. */
static bool is_in_place(const struct store *s)
{
    struct stat ours, there;
    if (s->file_fd < 0 || fstat(s->file_fd, &ours))
        return true;
    if (stat(s->path, &there))
        return errno != ENOENT && errno != ENOTDIR;
    return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

int store_stands(const struct store *s, struct err *err)
{
    char now[4096];
    if (s->damage.kind)
        return err_set(err, s->damage.kind, "%s", s->damage.text);
    if (is_in_place(s))
        return 0;
    if (store_is_removed(s))
        return err_set(err, ERR_MISSING, "%s was removed while it was in use",
                       s->path);
    where_now(s, now, sizeof now);
    return err_set(err, ERR_MISSING, "%s was moved%s%s while it was in use",
                   s->path, now[0] ? " to " : "", now);
}
