/* folder.c - folders: made, listed, measured, searched */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "sys/walk.h"

static int make_one(const char *path, struct err *err)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    int error = errno;
    /* Besides EEXIST, a read-only file system may answer EROFS for a folder
     * that is there. */
    if (file_is_dir(path))
        return 0;
    errno = error == EEXIST ? ENOTDIR : error;
    return err_errno(err, "cannot make the folder %s", path);
}

/* Makes the folders of a path that end behind `from`. */
static int make_all(const char *path, size_t from, struct err *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno != ENOENT || len == 0 || len >= sizeof(part))
        return make_one(path, err);
    memcpy(part, path, len + 1);
    for (char *p = part + from + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (make_one(part, err) < 0)
            return -1;
        *p = '/';
    }
    return make_one(path, err);
}

int dir_make(const char *path, struct err *err)
{
    return make_all(path, 0, err);
}

int dir_make_below(const char *root, const char *path, struct err *err)
{
    size_t len = root ? strlen(root) : 0;
    while (len > 0 && root[len - 1] == '/')
        len--;
    const char *below = path + len;
    if (len == 0 || strncmp(path, root, len) != 0 || (*below && *below != '/'))
        return dir_make(path, err);
    if (below[strspn(below, "/")])
        return make_all(path, len, err);
    return file_is_dir(path)
               ? 0
               : err_set(err, ERR_MISSING, "there is no folder %s", path);
}

int dir_own(const char *path, struct err *err)
{
    struct stat st;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return err_errno(err, "cannot make the folder %s", path);
    if (lstat(path, &st) < 0)
        return err_errno(err, "cannot look at %s", path);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_SYSTEM, "%s is no folder", path);
    if (st.st_uid != geteuid())
        return err_set(err, ERR_SYSTEM, "the folder %s belongs to uid %u", path,
                       (unsigned)st.st_uid);
    if (st.st_mode & 022)
        return err_set(err, ERR_SYSTEM,
                       "others may write into the folder %s; `chmod 700 %s`",
                       path, path);
    return 0;
}

bool dir_is_guarded(const char *path)
{
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(path, real))
        return false;
    for (;;) {
        if (stat(real, &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0) ||
            ((st.st_mode & 022) && !(st.st_mode & S_ISVTX)))
            return false;
        char *slash = strrchr(real, '/');
        if (slash == real && !slash[1])
            return true;
        slash[slash == real] = 0;
    }
}

const char **dir_list(const char *path, struct arena *a, struct err *err)
{
    size_t count;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        err_set(err, ERR_MISSING, "there is no folder %s", path);
        return NULL;
    }
    const char **names = fd < 0 ? NULL : walk_names(fd, a, &count);
    if (!names)
        err_errno(err, "cannot list %s", path);
    return names;
}

struct visit {
    dir_visit_fn *fn;
    void *context;
};

static enum walk_answer visit_one(void *context, const struct walk_entry *e,
                                  struct err *err)
{
    const struct visit *v = context;
    return v->fn(v->context, e->path, e->stat, err) ? WALK_ERROR : WALK_ON;
}

int dir_visit(const char *path, dir_visit_fn *fn, void *context,
              struct err *err)
{
    struct visit v = {fn, context};
    return walk(path, visit_one, &v, err);
}

/* ---- size and digest ------------------------------------------------- */

static enum walk_answer add_size(void *context, const struct walk_entry *e,
                                 struct err *err)
{
    (void)err;
    uint64_t *bytes = context;
    if (S_ISREG(e->stat->st_mode))
        *bytes += (uint64_t)e->stat->st_size;
    return WALK_ON;
}

uint64_t dir_bytes(const char *path)
{
    uint64_t bytes = 0;
    walk(path, add_size, &bytes, NULL);
    return bytes;
}

#define DIGEST_READ_MAX (64u << 20) /* bytes read of all files together */

struct digest {
    const char *root;
    uint64_t hash;
    struct buf record;
    uint64_t read;
    bool any;
};

/* What a file holds, as long as the reading is not too much: then its time
 * stands for it. */
static uint64_t digest_of_file(struct digest *d, const struct walk_entry *e)
{
    const struct stat *st = e->stat;
    struct str text;
    struct arena *a = arena_new();
    uint64_t hash = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
                    (uint64_t)st->st_mtim.tv_nsec;
    if (S_ISREG(st->st_mode) &&
        d->read + (uint64_t)st->st_size <= DIGEST_READ_MAX &&
        file_map(path_join(a, d->root, e->path), &text, NULL) == 0) {
        d->read += text.len;
        hash = hash64(text, 0);
        file_unmap(text);
    }
    arena_free(a);
    return hash;
}

/* Of a folder only the name counts: its time follows from what is in it, and
 * a copy of the folder has another one. */
static enum walk_answer add_digest(void *context, const struct walk_entry *e,
                                   struct err *err)
{
    (void)err;
    struct digest *d = context;
    const struct stat *st = e->stat;
    bool folder = S_ISDIR(st->st_mode);
    buf_reset(&d->record);
    buf_add_bytes(&d->record, str_of(e->path));
    buf_add_u32(&d->record, st->st_mode & S_IFMT);
    buf_add_u64(&d->record, folder ? 0 : (uint64_t)st->st_size);
    buf_add_u64(&d->record, folder ? 0 : digest_of_file(d, e));
    d->hash = hash64(buf_str(&d->record), d->hash);
    d->any = true;
    return WALK_ON;
}

uint64_t dir_digest(const char *path)
{
    struct digest d = {.root = path};
    buf_init(&d.record);
    walk(path, add_digest, &d, NULL);
    buf_done(&d.record);
    if (!d.any)
        return 0;
    return d.hash ? d.hash : 1;
}

/* ---- to the disk ----------------------------------------------------- */

static void sync_at(int folder, const char *name)
{
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static enum walk_answer sync_entry(void *context, const struct walk_entry *e,
                                   struct err *err)
{
    (void)context;
    (void)err;
    if (S_ISREG(e->stat->st_mode) || S_ISDIR(e->stat->st_mode))
        sync_at(e->folder, e->name);
    return WALK_ON;
}

void dir_sync_all(const char *path)
{
    walk(path, sync_entry, NULL, NULL);
    sync_at(AT_FDCWD, path);
}

/* ---- glob ------------------------------------------------------------ */

struct glob {
    const char *pattern;
    struct arena *arena;
    VEC(const char *) found;
};

/* True when something below the folder at `depth` can match: the first
 * `depth` parts of the pattern match the folder, or a "**" is among them. */
static bool may_hold(const struct glob *g, const struct walk_entry *e)
{
    const char *end = g->pattern;
    for (unsigned i = 0; i < e->depth; i++) {
        end = strchr(end, '/');
        if (!end)
            break;
        end++;
    }
    size_t len = end ? (size_t)(end - g->pattern) : strlen(g->pattern);
    if (memmem(g->pattern, len, "**", 2))
        return true;
    if (!end)
        return false;
    char *prefix = arena_cstr(g->arena, str_n(g->pattern, len - 1));
    return str_glob(prefix, str_of(e->path));
}

/* A link to a regular file counts as one, as it does for whoever opens it. */
static bool is_file(const struct walk_entry *e)
{
    struct stat st;
    if (!S_ISLNK(e->stat->st_mode))
        return S_ISREG(e->stat->st_mode);
    return fstatat(e->folder, e->name, &st, 0) == 0 && S_ISREG(st.st_mode);
}

static enum walk_answer glob_one(void *context, const struct walk_entry *e,
                                 struct err *err)
{
    (void)err;
    struct glob *g = context;
    if (S_ISDIR(e->stat->st_mode))
        return may_hold(g, e) ? WALK_ON : WALK_SKIP;
    if (str_glob(g->pattern, str_of(e->path)) && is_file(e))
        vec_push(&g->found, arena_cstr(g->arena, str_of(e->path)));
    return WALK_ON;
}

const char **dir_glob(const char *root, const char *pattern, struct arena *a,
                      struct err *err)
{
    while (strncmp(pattern, "./", 2) == 0)
        pattern += 2;
    struct glob g = {.pattern = pattern, .arena = a};
    const char **list = NULL;
    if (walk(root, glob_one, &g, err) == 0) {
        list = arena_array(a, g.found.len + 1, sizeof(*list));
        if (g.found.len)
            memcpy(list, g.found.p, g.found.len * sizeof(*list));
    }
    vec_done(&g.found);
    return list;
}
