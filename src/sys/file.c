/* file.c - whole files: read, replaced in one step, mapped */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* The error for `verb path: reason`, with its own kind when path is not
 * there. */
static int fail_path(const char *verb, const char *path, struct err *err)
{
    if (errno == ENOENT)
        return err_set(err, ERR_MISSING, "cannot %s %s: there is no such file",
                       verb, path);
    return err_errno(err, "cannot %s %s", verb, path);
}

bool disk_fails(int number)
{
    static const int faults[] = {EIO,       EROFS,    ESTALE,    ETIMEDOUT,
                                 EREMOTEIO, ENOTCONN, ESHUTDOWN, ENODEV,
                                 ENXIO,     EUCLEAN};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (number == faults[i])
            return true;
    return false;
}

static int fail_large(const char *path, uint64_t max, struct err *err)
{
    return err_set(err, ERR_LIMIT, "%s is larger than the %llu bytes allowed",
                   path, (unsigned long long)max);
}

/* Reads until the end: the size that stat tells is only a first guess, since
 * files grow and those in /proc have none. */
static int read_all(int fd, const char *path, size_t max, struct buf *b,
                    struct err *err)
{
    size_t begin = b->len;
    for (;;) {
        if (b->cap - b->len < 2)
            buf_reserve(b, 65536);
        ssize_t n = read(fd, b->p + b->len, b->cap - b->len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_path("read", path, err);
        if (n == 0)
            return 0;
        b->len += (size_t)n;
        if (max && b->len - begin > max)
            return fail_large(path, max, err);
        if (b->max && b->len > b->max)
            return fail_large(path, b->max, err);
    }
}

int file_read(const char *path, size_t max, struct buf *b, struct err *err)
{
    struct stat st;
    size_t begin = b->len;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_path("read", path, err);
    int rc = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (max && (uint64_t)st.st_size > max)
            rc = fail_large(path, max, err);
        else
            buf_reserve(b, (size_t)st.st_size + 1);
    }
    if (rc == 0)
        rc = read_all(fd, path, max, b, err);
    close(fd);
    if (rc < 0)
        b->len = begin;
    b->p[b->len] = 0;
    return rc;
}

/* ---- writing --------------------------------------------------------- */

/* Makes a new file beside path, with a name that no other process on any
 * host keeps for long, and returns its descriptor. The name does not grow
 * with that of path, which may be as long as the system allows. */
static int open_beside(const char *path, char *temp, size_t size)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path + 1) : 0;
    unsigned seed = (unsigned)clock_mono_ns();
    for (unsigned i = 0; i < 100; i++) {
        int n = snprintf(temp, size, "%.*s.throng-%d-%08x.tmp", folder, path,
                         (int)getpid(), seed + i * 2654435769u);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* A replaced file keeps the permissions that somebody gave it. */
static void keep_mode(int fd, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
        fchmod(fd, st.st_mode & 07777) < 0)
        return; /* The new file's own permissions are good enough. */
}

int dir_sync(const char *folder, struct err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    /* Some network file systems cannot sync a folder; that is no failure. */
    if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != EBADF))
        rc = err_errno(err, "cannot sync the folder %s", folder);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int sync_around(const char *path, struct err *err)
{
    struct arena *a = arena_new();
    int rc = dir_sync(path_folder(a, path), err);
    arena_free(a);
    return rc;
}

struct file_out {
    int fd;
    char *path;
    char temp[PATH_MAX + 64];
};

/* A device, a pipe, or a link to an open file, as /dev/stdout is one: a file in
 * its place would be no use to anybody, and what was there would be gone. */
static bool is_no_file(const char *path)
{
    char to[16];
    struct stat st;
    ssize_t len = readlink(path, to, sizeof(to));
    if (len >= 6 && !memcmp(to, "/proc/", 6))
        return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

struct file_out *file_begin(const char *path, struct err *err)
{
    if (is_no_file(path)) {
        err_set(err, ERR_INPUT, "cannot write %s: it is no ordinary file",
                path);
        return NULL;
    }
    struct file_out *f = xcalloc(1, sizeof(*f));
    f->fd = open_beside(path, f->temp, sizeof(f->temp));
    if (f->fd < 0) {
        err_errno(err, "cannot write %s", path);
        free(f);
        return NULL;
    }
    f->path = xstrdup(path);
    return f;
}

int file_add(struct file_out *f, struct str text, struct err *err)
{
    if (fd_write_all(f->fd, text.p, text.len, err) < 0)
        return err_wrap(err, "cannot write %s", f->path);
    return 0;
}

/* A network file system may find only at close that the disk is full. */
static int close_out(struct file_out *f, bool durable, struct err *err)
{
    int fd = f->fd;
    keep_mode(fd, f->path);
    bool failed = durable && fsync(fd) < 0;
    if (failed)
        err_errno(err, "cannot write %s", f->path);
    f->fd = -1;
    if (close(fd) < 0 && !failed)
        return err_errno(err, "cannot write %s", f->path);
    return failed ? -1 : 0;
}

int file_end(struct file_out *f, bool durable, struct err *err)
{
    int rc = close_out(f, durable, err);
    if (rc == 0 && rename(f->temp, f->path) < 0)
        rc = err_errno(err, "cannot write %s", f->path);
    if (rc == 0) {
        f->temp[0] = 0;
        rc = durable ? sync_around(f->path, err) : 0;
    }
    file_drop(f);
    return rc;
}

void file_drop(struct file_out *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    if (f->temp[0])
        unlink(f->temp);
    free(f->path);
    free(f);
}

int file_write(const char *path, struct str text, bool durable, struct err *err)
{
    struct file_out *f = file_begin(path, err);
    if (!f)
        return -1;
    if (file_add(f, text, err) == 0)
        return file_end(f, durable, err);
    file_drop(f);
    return -1;
}

/* ---- mapping --------------------------------------------------------- */

static int map_fd(int fd, const char *path, struct str *text, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail_path("read", path, err);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INPUT, "cannot read %s: not a regular file",
                       path);
    if (st.st_size == 0) {
        *text = STR("");
        return 0;
    }
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return fail_path("map", path, err);
    *text = str_n(p, (size_t)st.st_size);
    return 0;
}

int file_map(const char *path, struct str *text, struct err *err)
{
    /* Not to hang on a FIFO, which is refused right after. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_path("read", path, err);
    int rc = map_fd(fd, path, text, err);
    close(fd);
    return rc;
}

void file_unmap(struct str text)
{
    void *p;
    if (text.len == 0)
        return;
    memcpy(&p, &text.p, sizeof(p));
    munmap(p, text.len);
}

/* ---- questions and descriptors --------------------------------------- */

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

uint64_t file_bytes(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
                                                        : 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* In the kernel where it can. */
int fd_copy(int in, int out)
{
    for (;;) {
        ssize_t n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0);
        if (n == 0)
            return 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
    }
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS &&
        errno != EOPNOTSUPP && errno != EPERM && errno != EIO)
        return -1;
    /* Both descriptors stand where the first loop left them. */
    for (;;) {
        ssize_t n = sendfile(out, in, NULL, 1 << 30);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -1;
    }
}

int fd_write_all(int fd, const void *p, size_t len, struct err *err)
{
    const char *at = p;
    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n >= 0) {
            at += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return err_errno(err, "write");
        }
    }
    return 0;
}

int fd_nonblocking(int fd, struct err *err)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return err_errno(err, "cannot make descriptor %d non-blocking", fd);
    return 0;
}
