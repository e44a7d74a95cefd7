/* folder.c - the folder of one trial
 *
 * Made for thousands of short tasks a second: everything goes through one
 * descriptor of the folder, and a folder into which nobody wrote is not
 * removed but used again (pool.h). */
#include "worker/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sys/sys.h"
#include "terms/record.h"
#include "worker/inherit.h"

void folder_init(struct folder *f, const char *root)
{
    *f = (struct folder){.root = root, .fd = -1, .log = -1};
}

/* The parent holds a thousand trials, so it is there nearly always. */
static int make_folder(struct folder *f, struct arena *a, struct err *err)
{
    f->fresh = mkdir(f->path, 0777) == 0;
    if (!f->fresh && errno == ENOENT) {
        if (dir_make_below(f->root, path_folder(a, f->path), err) != 0)
            return -1;
        f->fresh = mkdir(f->path, 0777) == 0;
    }
    if (!f->fresh && errno != EEXIST)
        return err_errno(err, "make the folder %s", f->path);
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0)
        return err_errno(err, "open the folder %s", f->path);
    return 0;
}

/* ---- as it was made --------------------------------------------------- */

static bool look(int folder, const char *name, struct made *m)
{
    struct stat st;
    int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
    if (fstatat(folder, name, &st, flags) != 0)
        return false;
    *m = (struct made){st.st_ino, st.st_mode, st.st_uid, st.st_gid, st.st_ctim};
    return true;
}

static bool same_access(const struct made *a, const struct made *b)
{
    return a->inode == b->inode && a->mode == b->mode && a->owner == b->owner &&
           a->group == b->group;
}

/* Of an empty folder that nobody touched the time is the same, too: access
 * lists and attributes do not show elsewhere. */
static bool is_untouched(const struct folder *f, const char *name,
                         const struct made *then)
{
    struct made now;
    return look(f->fd, name, &now) && S_ISDIR(now.mode) &&
           same_access(&now, then) &&
           now.changed.tv_sec == then->changed.tv_sec &&
           now.changed.tv_nsec == then->changed.tv_nsec;
}

static void remember(struct folder *f)
{
    if (!look(f->fd, "", &f->made) || !look(f->fd, "output", &f->output) ||
        !look(f->fd, "checkpoint", &f->checkpoint))
        f->made = (struct made){0}; /* never to be used again */
}

/* ---- opening ---------------------------------------------------------- */

static int make_inner(struct folder *f, const char *name, struct err *err)
{
    if (mkdirat(f->fd, name, 0777) != 0 && errno != EEXIST)
        return err_errno(err, "make the folder %s/%s", f->path, name);
    return 0;
}

/* A lease for writing is granted only when nobody else has the file open. A
 * file system without leases says no, which is the safe answer. */
static bool nobody_else_has(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) {
        errno = 0; /* its EAGAIN is no shortage */
        return false;
    }
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return true;
}

static int open_file(const struct folder *f)
{
    return openat(f->fd, "log", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* What was cut off in the middle of a line must not run into the next. */
static bool ends_a_line(int fd, off_t size)
{
    char last = '\n';
    return pread(fd, &last, 1, size - 1) != 1 || last == '\n';
}

void folder_end_line(const struct folder *f, const char *name)
{
    struct stat st;
    int fd = openat(f->fd, name,
                    O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        !ends_a_line(fd, st.st_size))
        fd_write_all(fd, "\n", 1, NULL);
    close(fd);
}

/* An earlier attempt's output stays; a line says where this one begins. An
 * empty log may come from another trial, and somebody whom that left behind
 * must not write into this one's. */
static int open_log(struct folder *f, const struct task *t, struct err *err)
{
    struct stat st;
    f->log = open_file(f);
    if (f->log >= 0 && fstat(f->log, &st) == 0 && st.st_size == 0 &&
        f->pooled && !nobody_else_has(f->log)) {
        close(f->log);
        unlinkat(f->fd, "log", 0);
        f->log = open_file(f);
    }
    if (f->log < 0)
        return err_errno(err, "open %s/log", f->path);
    if (f->fresh || fstat(f->log, &st) != 0 || st.st_size == 0)
        return 0;
    dprintf(f->log, "%s[throng: attempt %u]\n",
            ends_a_line(f->log, st.st_size) ? "" : "\n", t->attempt);
    if (fstat(f->log, &st) == 0)
        f->log_start = (uint64_t)st.st_size;
    return 0;
}

/* A file that is there is written over and filled up with blanks, which mean
 * nothing in JSON: to shorten it would cost more. One that has a second name
 * by now is left alone under that. */
static int write_params(const struct folder *f, struct str text,
                        struct err *err)
{
    struct stat st = {0};
    struct buf b;
    int fd = openat(f->fd, "params.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink != 1) {
        close(fd);
        unlinkat(f->fd, "params.json", 0);
        fd = openat(f->fd, "params.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        st.st_size = 0;
    }
    if (fd < 0)
        return err_errno(err, "open %s/params.json", f->path);
    buf_init(&b);
    buf_addstr(&b, text);
    while ((off_t)b.len < st.st_size)
        buf_addc(&b, ' ');
    int result = fd_write_all(fd, b.p, b.len, err);
    buf_done(&b);
    close(fd);
    return result == 0 ? 0 : err_wrap(err, "write %s/params.json", f->path);
}

static int write_file(const char *path, struct str text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_errno(err, "open %s", path);
    int result = fd_write_all(fd, text.p, text.len, err);
    close(fd);
    return result == 0 ? 0 : err_wrap(err, "write %s", path);
}

/* A path from a study file must stay inside the folder. */
static bool stays_inside(struct str path)
{
    struct str part;
    if (path.len == 0 || path.p[0] == '/' || memchr(path.p, 0, path.len))
        return false;
    while (str_split(&path, '/', &part))
        if (str_is(part, ".."))
            return false;
    return true;
}

static int write_files(const struct folder *f, const struct task *t,
                       struct arena *a, struct err *err)
{
    for (size_t i = 0; i < t->file_count; i++) {
        struct str name = t->files[i].path;
        if (!stays_inside(name))
            return err_set(err, ERR_INPUT,
                           "the file `%.*s` would lie outside of the trial's "
                           "folder",
                           STRF(name));
        const char *path = path_join(a, f->path, arena_cstr(a, name));
        if (dir_make_below(f->path, path_folder(a, path), err) != 0 ||
            write_file(path, t->files[i].text, err) != 0)
            return -1;
    }
    return 0;
}

/* An unlink that fails because the folder is not empty says that there is a
 * checkpoint already: the newest one wins. The copy gets its name in one
 * step, so that a half copied checkpoint is never taken for a whole one. */
static int resume(struct folder *f, const struct task *t, struct arena *a,
                  struct err *err)
{
    if (unlinkat(f->fd, "checkpoint", AT_REMOVEDIR) != 0)
        return 0;
    const char *from = arena_cstr(a, t->resume_from);
    const char *copy = path_join(a, f->path, "checkpoint.copy");
    if (!file_is_dir(from))
        return err_set(err, ERR_MISSING,
                       "there is " NO_CHECKPOINT ": the trial before "
                       "it left none in its THRONG_CHECKPOINT folder (%s)",
                       from);
    if (dir_remove(copy, err) != 0 || dir_copy(from, copy, err) != 0)
        return err_wrap(err, "copy the checkpoint %s", from);
    if (renameat(f->fd, "checkpoint.copy", f->fd, "checkpoint") != 0)
        return err_errno(err, "rename %s", copy);
    f->goes_on = true;
    return 0;
}

/* The metrics of an attempt that was cut off go away with it, unless there
 * is a checkpoint to go on from: then its unread points still count. */
static void clear_leftovers(struct folder *f)
{
    if (f->goes_on) /* nothing will run */
        return;
    unlinkat(f->fd, "stop", 0);
    f->goes_on = unlinkat(f->fd, "checkpoint", AT_REMOVEDIR) != 0;
    if (f->goes_on)
        return;
    mkdirat(f->fd, "checkpoint", 0777);
    unlinkat(f->fd, "metrics.jsonl", 0);
}

/* ---- where it began ---------------------------------------------------- */

/* A file beside the metrics says which attempt found no checkpoint. Its word
 * may not have reached the study when all are killed; the next attempt, which
 * finds one, must not take it for one that had gone on. */
static void read_anew(struct folder *f)
{
    char text[64];
    unsigned long long at;
    int fd = openat(f->fd, TASK_ANEW, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    unsigned attempt;
    if (sscanf(text, "%u %llu", &attempt, &at) != 2)
        return;
    f->anew = attempt;
    f->anew_at = at;
}

static int write_anew(struct folder *f, const struct task *t, struct arena *a,
                      struct err *err)
{
    if (t->attempt < 2 && t->copy_of.len == 0)
        return 0;
    f->anew = t->attempt;
    f->anew_at = f->log_start;
    const char *text = arena_printf(a, "%u %llu\n", t->attempt,
                                    (unsigned long long)f->anew_at);
    unlinkat(f->fd, TASK_ANEW, 0);
    return write_file(path_join(a, f->path, TASK_ANEW), str_of(text), err);
}

static bool take_pooled(struct folder *f, struct pool *pool)
{
    struct pooled one;
    if (!pool_take(pool, f->path, &one))
        return false;
    f->fd = one.fd;
    f->fresh = f->pooled = true;
    f->made = one.folder;
    f->output = one.output;
    f->checkpoint = one.checkpoint;
    return true;
}

static int make_all(struct folder *f, struct arena *a, struct err *err)
{
    if (make_folder(f, a, err) != 0 || make_inner(f, "output", err) != 0 ||
        make_inner(f, "checkpoint", err) != 0)
        return -1;
    if (!f->fresh)
        clear_leftovers(f);
    else
        remember(f);
    return 0;
}

int folder_open(struct folder *f, const struct task *t, struct pool *pool,
                struct arena *a, struct err *err)
{
    f->path = arena_cstr(a, t->folder);
    f->goes_on = t->only_read;
    f->visited = t->workdir.len == 0 || str_starts(t->workdir, t->folder);
    if (t->copy_of.len > 0 && inherit_folder(t, a, err) != 0)
        return -1;
    bool pooled = t->copy_of.len == 0 && take_pooled(f, pool);
    if (!pooled && make_all(f, a, err) != 0)
        return -1;
    if (t->resume_from.len > 0 && !t->only_read && resume(f, t, a, err) != 0)
        return -1;
    if (write_params(f, t->params, err) != 0 ||
        write_files(f, t, a, err) != 0 || open_log(f, t, err) != 0)
        return -1;
    if (!f->goes_on)
        return write_anew(f, t, a, err);
    read_anew(f);
    return 0;
}

void folder_ask_stop(const struct folder *f)
{
    int fd = openat(f->fd, "stop", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
}

void folder_ask_no_more(const struct folder *f)
{
    unlinkat(f->fd, "stop", 0);
}

static int copy_file(const char *from, const char *to, struct err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return err_errno(err, "open %s", from);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        close(in);
        return err_errno(err, "open %s", to);
    }
    int copied = fd_copy(in, out);
    if (copied != 0)
        err_errno(err, "copy %s to %s", from, to);
    close(in);
    /* A disk in the network may only now say that it is full. */
    if (close(out) != 0 && copied == 0)
        return err_errno(err, "write %s", to);
    return copied;
}

/* What the worker itself keeps in the folder is not an output, even where a
 * task runs in it and says `*`. */
static bool is_ours(const struct folder *f, const char *workdir,
                    const char *name)
{
    static const char *const ours[] = {"output/",     "checkpoint/",   "log",
                                       "params.json", "metrics.jsonl", "stop"};
    if (strcmp(workdir, f->path) != 0)
        return false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        size_t len = strlen(ours[i]);
        bool whole = ours[i][len - 1] != '/';
        if (strncmp(name, ours[i], whole ? len + 1 : len) == 0)
            return true;
    }
    return false;
}

static int keep_one(const struct folder *f, const char *workdir,
                    const char *name, struct arena *a, struct err *err)
{
    const char *output = path_join(a, f->path, "output");
    const char *to = path_join(a, output, name);
    if (is_ours(f, workdir, name))
        return 0;
    if (dir_make_below(f->path, path_folder(a, to), err) != 0)
        return -1;
    return copy_file(path_join(a, workdir, name), to, err);
}

int folder_keep_outputs(const struct folder *f, const struct task *t,
                        struct arena *a, struct err *err)
{
    const char *workdir =
        t->workdir.len > 0 ? arena_cstr(a, t->workdir) : f->path;
    int result = 0;
    for (size_t i = 0; i < t->output_count; i++) {
        const char *glob = arena_cstr(a, t->outputs[i]);
        const char **names = dir_glob(workdir, glob, a, err);
        if (!names)
            result = -1;
        for (size_t k = 0; names && names[k]; k++)
            if (keep_one(f, workdir, names[k], a, err) != 0)
                result = -1;
    }
    return result;
}

void folder_sync_checkpoint(const struct folder *f, struct arena *a)
{
    if (f->fd >= 0)
        dir_sync_all(path_join(a, f->path, "checkpoint"));
}

uint64_t folder_checkpoint_digest(const struct folder *f, struct arena *a)
{
    return f->fd < 0 ? 0 : dir_digest(path_join(a, f->path, "checkpoint"));
}

/* ---- closing --------------------------------------------------------- */

/* What getdents64 fills. */
struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short len;
    unsigned char type;
    char name[];
};
#define ENTRIES_BYTES 2048

/* Reads the names of a folder into `text`; -1 when they do not all fit: then
 * it surely is not empty. Only a read that gives nothing is the end: one that
 * a signal cuts short gives some of the names. */
static long read_names(int fd, char *text)
{
    long len = 0, got = 1;
    if (lseek(fd, 0, SEEK_SET) != 0)
        return -1;
    while (got > 0 && len < ENTRIES_BYTES) {
        got = syscall(SYS_getdents64, fd, text + len, ENTRIES_BYTES - len);
        len += got;
    }
    return got == 0 ? len : -1;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_empty(int folder, const char *name)
{
    _Alignas(struct entry) char text[ENTRIES_BYTES];
    int fd =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    long got = read_names(fd, text);
    bool empty = got >= 0;
    close(fd);
    for (long at = 0; at < got;) {
        const struct entry *e = (const void *)(text + at);
        empty &= is_dots(e->name);
        at += e->len;
    }
    return empty;
}

bool folder_has_checkpoint(const struct folder *f)
{
    return f->fd >= 0 && !is_empty(f->fd, "checkpoint");
}

/* Removes what the protocol put into the folder for a while. */
static bool is_passing(const struct folder *f, const char *name,
                       bool metrics_read)
{
    if (strcmp(name, "stop") != 0 && strcmp(name, TASK_ANEW) != 0 &&
        (strcmp(name, "metrics.jsonl") != 0 || !metrics_read))
        return false;
    return unlinkat(f->fd, name, 0) == 0;
}

/* True when the folder holds log, params.json, output and checkpoint, and
 * nothing else. */
static bool has_only_ours(const struct folder *f, bool metrics_read)
{
    static const char *const ours[] = {"log", "params.json", "output",
                                       "checkpoint"};
    _Alignas(struct entry) char text[ENTRIES_BYTES];
    long got = read_names(f->fd, text);
    size_t found = 0;
    for (long at = 0; at < got;) {
        const struct entry *e = (const void *)(text + at);
        size_t i = 0;
        while (i < 4 && strcmp(e->name, ours[i]) != 0)
            i++;
        found += i < 4;
        if (i == 4 && !is_dots(e->name) &&
            !is_passing(f, e->name, metrics_read))
            return false;
        at += e->len;
    }
    return found == 4;
}

static bool log_is_blank(const struct folder *f)
{
    struct stat st;
    return f->log >= 0 && fstat(f->log, &st) == 0 && st.st_size == 0 &&
           st.st_nlink == 1;
}

/* Log and params.json as the worker makes them: plain files, which the folder's
 * owner may read and write, and others no more than they may the folder. */
static bool file_is_plain(const struct folder *f, const char *name)
{
    struct made now;
    return look(f->fd, name, &now) && S_ISREG(now.mode) &&
           (now.mode & 07777) == (f->made.mode & 0666) &&
           now.owner == f->made.owner && now.group == f->made.group;
}

/* The log that is open here is the one by that name. */
static bool log_is_ours(const struct folder *f)
{
    struct stat st;
    struct made now;
    return fstat(f->log, &st) == 0 && look(f->fd, "log", &now) &&
           st.st_ino == now.inode;
}

/* A task may have put something else in the place of its folder. */
static bool is_in_place(const struct folder *f)
{
    struct stat st;
    return lstat(f->path, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_ino == f->made.inode;
}

/* Nothing in it, and everything exactly as it was made: types, owners, modes.
 * What one task did to its folder must not meet the next. */
static bool is_blank(const struct folder *f, bool metrics_read)
{
    struct made now;
    return log_is_blank(f) && is_empty(f->fd, "checkpoint") &&
           has_only_ours(f, metrics_read) && look(f->fd, "", &now) &&
           same_access(&now, &f->made) &&
           is_untouched(f, "output", &f->output) &&
           is_untouched(f, "checkpoint", &f->checkpoint) &&
           is_empty(f->fd, "output") && file_is_plain(f, "log") &&
           file_is_plain(f, "params.json") && log_is_ours(f) && is_in_place(f);
}

static void remove_parts(const struct folder *f, bool metrics_read)
{
    unlinkat(f->fd, "params.json", 0);
    unlinkat(f->fd, "output", AT_REMOVEDIR);
    bool none =
        unlinkat(f->fd, "checkpoint", AT_REMOVEDIR) == 0 || errno == ENOENT;
    unlinkat(f->fd, "stop", 0);
    if (metrics_read && none) {
        unlinkat(f->fd, "metrics.jsonl", 0);
        unlinkat(f->fd, TASK_ANEW, 0);
    }
    if (log_is_blank(f))
        unlinkat(f->fd, "log", 0);
}

void folder_close(struct folder *f, bool metrics_read, struct pool *pool,
                  uint64_t serial)
{
    bool blank = pool && f->fd >= 0 && is_blank(f, metrics_read);
    struct pooled one = {.fd = f->fd,
                         .folder = f->made,
                         .output = f->output,
                         .checkpoint = f->checkpoint,
                         .serial = serial,
                         .visited = f->visited};
    if (blank && pool_give(pool, f->path, one)) {
        f->fd = -1;
    } else if (f->fd >= 0) {
        remove_parts(f, metrics_read);
        close(f->fd);
        rmdir(f->path);
    }
    if (f->log >= 0)
        close(f->log);
    folder_init(f, f->root);
}
