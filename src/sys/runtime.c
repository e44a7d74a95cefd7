/* runtime.c - what the programs of one user on one machine share while they
 * run: a folder, and locks that fall free with whoever holds them */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not the session's folder first: it differs between a login and a cron job,
 * and is removed at logout, while a study may go on. */
const char *runtime_folder(struct arena *a, struct err *err)
{
    const char *said = getenv("THRONG_RUNTIME_DIR");
    const char *session = getenv("XDG_RUNTIME_DIR");
    const char *path =
        said && said[0] == '/'
            ? said
            : arena_printf(a, "/tmp/throng-run-%u", (unsigned)geteuid());
    if (dir_own(path, err) == 0)
        return path;
    if (path == said || !session || session[0] != '/')
        return NULL;
    path = path_join(a, session, "throng");
    return dir_own(path, err) == 0 ? path : NULL;
}

const char *cache_dir(struct arena *a)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *tmp = getenv("TMPDIR");
    if (!cache || cache[0] != '/')
        cache = home && home[0] == '/' ? path_join(a, home, ".cache") : NULL;
    if (cache && !path_is_network(cache))
        return path_join(a, cache, "throng");
    const char *own =
        arena_printf(a, "%s/throng-%u", tmp && tmp[0] == '/' ? tmp : "/tmp",
                     (unsigned)getuid());
    return dir_own(own, NULL) == 0 ? own : NULL;
}

/* True when the file of this name is still the one that is open: its last
 * holder may have removed it while we waited. */
static bool is_at(int fd, const char *path)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 &&
           open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

int lock_take(const char *path, mode_t mode)
{
    for (;;) {
        int fd = open(
            path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            int error = errno;
            close(fd);
            errno = error;
            return -1;
        }
        if (is_at(fd, path))
            return fd;
        close(fd);
    }
}

/* To create is asked for only where there is none: kernels refuse it for a
 * file that somebody else has made in a folder such as /tmp. */
int lock_common(const char *path, bool shared)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, flags | O_CREAT | O_EXCL, 0644);
        if (fd < 0 && errno == EEXIST)
            fd = open(path, flags);
        else if (fd >= 0)
            fchmod(fd, 0644); /* whatever our mask is */
    }
    if (fd < 0)
        return -1;
    if (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

void lock_drop(int fd, const char *path)
{
    if (fd < 0)
        return;
    unlink(path);
    close(fd);
}
