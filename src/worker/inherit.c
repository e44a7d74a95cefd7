/* inherit.c - a folder that begins as a copy of an earlier attempt's
 *
 * Somebody may be writing meanwhile. Of a checkpoint only a whole copy is of
 * use: one that equals the original as it was before the copy and still is
 * after it; else it is made again. Of metrics and log whole lines count. The
 * copy of those is never older than that of the checkpoint, so that no point
 * is missing which a program that goes on from there does not say again. The
 * folder gets its name last, when all of it is on the disk. */
#include "worker/inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/sys.h"

#define TRIES 10
#define BLOCK 4096

/* Where the last line begins that has no end; the size when all have one. */
static off_t whole_lines(int fd, off_t size)
{
    char block[BLOCK];
    while (size > 0) {
        off_t from = size > BLOCK ? size - BLOCK : 0;
        ssize_t n = pread(fd, block, (size_t)(size - from), from);
        if (n <= 0)
            return 0;
        while (n > 0 && block[n - 1] != '\n')
            n--;
        if (n > 0)
            return from + n;
        size = from;
    }
    return 0;
}

/* Takes a line off that was copied before it was all written. What is in the
 * store (up to `known`) stays, as a line of its own. */
static int end_with_a_line(const char *path, uint64_t known, struct err *err)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : err_errno(err, "open %s", path);
    int rc = fstat(fd, &st);
    if (rc == 0 && S_ISREG(st.st_mode)) {
        off_t end = whole_lines(fd, st.st_size);
        if (end >= (off_t)known)
            rc = ftruncate(fd, end);
        else if (end < st.st_size)
            rc = pwrite(fd, "\n", 1, st.st_size) == 1 ? 0 : -1;
    }
    if (rc != 0)
        err_errno(err, "write %s", path);
    close(fd);
    return rc;
}

/* One copy of all of it. *whole: the checkpoint stood still. Also what fails
 * may do so because a name has just gone. */
static int copy_once(const char *from, const char *to, struct arena *a,
                     bool *whole, struct err *err)
{
    const char *original = path_join(a, from, "checkpoint");
    uint64_t before = dir_digest(original);
    if (dir_remove(to, err) != 0 || dir_copy(from, to, err) != 0)
        return -1;
    *whole = dir_digest(path_join(a, to, "checkpoint")) == before &&
             dir_digest(original) == before;
    return 0;
}

static int copy_whole(const char *from, const char *to, struct arena *a,
                      struct err *err)
{
    bool whole = false;
    int rc = -1;
    for (int i = 0; i < TRIES && !whole; i++)
        rc = copy_once(from, to, a, &whole, err);
    if (rc != 0 || whole)
        return rc;
    return err_set(err, ERR_BUSY,
                   "the checkpoint in %s changes all the time: an attempt that "
                   "was presumed dead still writes there",
                   from);
}

int inherit_folder(const struct task *t, struct arena *a, struct err *err)
{
    const char *to = arena_cstr(a, t->folder);
    const char *from = arena_cstr(a, t->copy_of);
    const char *copy = arena_printf(a, "%s.copy", to);
    if (file_exists(to) || !file_is_dir(from))
        return 0;
    if (dir_make(path_folder(a, to), err) != 0 ||
        copy_whole(from, copy, a, err) != 0 ||
        end_with_a_line(path_join(a, copy, "metrics.jsonl"), t->metrics_at,
                        err) != 0 ||
        end_with_a_line(path_join(a, copy, "log"), t->log_at, err) != 0) {
        dir_remove(copy, NULL);
        return err_wrap(err, "copy the folder %s", from);
    }
    dir_sync_all(copy);
    if (rename(copy, to) != 0)
        return err_errno(err, "rename %s", copy);
    return 0;
}
