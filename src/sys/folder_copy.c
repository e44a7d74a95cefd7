/* folder_copy.c - a copy of a folder
 *
 * Files keep their permissions and times, so that dir_digest of the copy is
 * that of the original. Links are copied as links; sockets, pipes and devices
 * are left out. */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/walk.h"

struct copy {
    const char *from, *to;
    int root; /* the descriptor of `to` */
    dev_t root_dev;
    ino_t root_ino;
};

static int fail(const struct copy *c, const struct walk_entry *e,
                struct err *err)
{
    return err_errno(err, "cannot copy %s/%s to %s", c->from, e->path, c->to);
}

static int copy_open(int in, int out, const struct stat *st)
{
    struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (fd_copy(in, out) < 0 || fchmod(out, st->st_mode & 07777) < 0)
        return -1;
    return futimens(out, times);
}

static int copy_file(const struct copy *c, const struct walk_entry *e)
{
    int in = openat(e->folder, e->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0)
        return errno == ENOENT ? 0 : -1;
    int out =
        openat(c->root, e->path,
               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    int rc = out < 0 ? -1 : copy_open(in, out, e->stat), error = errno;
    if (out >= 0 && close(out) < 0 && rc == 0) {
        rc = -1;
        error = errno;
    }
    close(in);
    errno = error;
    return rc;
}

static int copy_link(const struct copy *c, const struct walk_entry *e)
{
    char target[PATH_MAX];
    struct timespec times[2] = {e->stat->st_atim, e->stat->st_mtim};
    ssize_t n = readlinkat(e->folder, e->name, target, sizeof(target) - 1);
    if (n < 0)
        return errno == ENOENT ? 0 : -1;
    target[n] = 0;
    if (symlinkat(target, c->root, e->path) < 0) {
        if (errno != EEXIST || unlinkat(c->root, e->path, 0) < 0 ||
            symlinkat(target, c->root, e->path) < 0)
            return -1;
    }
    return utimensat(c->root, e->path, times, AT_SYMLINK_NOFOLLOW);
}

static int copy_folder(const struct copy *c, const struct walk_entry *e)
{
    /* Writable for us whatever the original says: we still have to fill it. */
    mode_t mode = (e->stat->st_mode & 07777) | 0700;
    return mkdirat(c->root, e->path, mode) < 0 && errno != EEXIST ? -1 : 0;
}

static enum walk_answer copy_one(void *context, const struct walk_entry *e,
                                 struct err *err)
{
    const struct copy *c = context;
    const struct stat *st = e->stat;
    int rc = 0;
    /* A copy into the original must not copy itself. */
    if (st->st_ino == c->root_ino && st->st_dev == c->root_dev)
        return WALK_SKIP;
    if (S_ISDIR(st->st_mode))
        rc = copy_folder(c, e);
    else if (S_ISREG(st->st_mode))
        rc = copy_file(c, e);
    else if (S_ISLNK(st->st_mode))
        rc = copy_link(c, e);
    if (rc < 0) {
        fail(c, e, err);
        return WALK_ERROR;
    }
    return WALK_ON;
}

int dir_copy(const char *from, const char *to, struct err *err)
{
    struct stat st;
    if (!file_is_dir(from))
        return err_set(err, ERR_MISSING, "there is no folder %s", from);
    if (mkdir(to, 0777) < 0 && errno != EEXIST)
        return err_errno(err, "cannot make the folder %s", to);
    struct copy c = {.from = from, .to = to};
    c.root = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c.root < 0 || fstat(c.root, &st) < 0) {
        int rc = err_errno(err, "cannot copy to %s", to);
        if (c.root >= 0)
            close(c.root);
        return rc;
    }
    c.root_dev = st.st_dev;
    c.root_ino = st.st_ino;
    int rc = walk(from, copy_one, &c, err);
    close(c.root);
    return rc;
}
