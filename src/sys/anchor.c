/* anchor.c - is what was opened still at its path?
 *
 * A file or folder that somebody removes or moves away stays open, and all
 * that is written into it goes well, to nobody's use; what is made at its path
 * meanwhile is another one. It is held by a descriptor that cannot read:
 * closing one that can would drop the locks of whoever has the file open. */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void anchor_open(struct anchor *h, const char *path)
{
    *h = (struct anchor){path, open(path, O_PATH | O_CLOEXEC)};
}

void anchor_close(struct anchor *h)
{
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
}

bool anchor_stands(const struct anchor *h)
{
    struct stat ours, there;
    if (h->fd < 0 || fstat(h->fd, &ours))
        return true;
    if (stat(h->path, &there))
        return errno != ENOENT && errno != ENOTDIR;
    return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool anchor_is_removed(const struct anchor *h)
{
    struct stat st;
    return h->fd >= 0 && fstat(h->fd, &st) == 0 && st.st_nlink == 0;
}

/* Only a path that leads back to it counts: that of a removed one does not,
 * nor does one of another mount namespace. */
const char *anchor_now(const struct anchor *h, struct arena *a)
{
    char link[64], now[4096];
    struct anchor there = *h;
    snprintf(link, sizeof link, "/proc/self/fd/%d", h->fd);
    ssize_t n = h->fd < 0 ? -1 : readlink(link, now, sizeof now - 1);
    if (n <= 0)
        return NULL;
    now[n] = 0;
    there.path = now;
    return anchor_stands(&there) ? arena_cstr(a, str_of(now)) : NULL;
}
