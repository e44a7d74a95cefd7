/* folder_remove.c - rm -rf that cannot be led astray
 *
 * Every step is relative to an open folder and follows no link, so swapping
 * a folder for a link while we work removes the link. A tree that is nested
 * very deep is taken apart: what lies below DEPTH_MAX levels is moved up into
 * the root of the removal, whose listing begins again until it is empty. So
 * the number of open descriptors has a bound. */
#include "sys/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, TRIES_MAX = 1000 };

struct removal {
    const char *path; /* for error texts */
    int root;
    unsigned depth;
    unsigned moved;
};

static int remove_inside(struct removal *r, int fd, struct err *err);

static int fail(const struct removal *r, const char *name, struct err *err)
{
    return err_errno(err, "cannot remove %s below %s", name, r->path);
}

/* Moves a folder that lies too deep into the root of the removal. */
static int move_up(struct removal *r, int folder, const char *name,
                   struct err *err)
{
    char to[64];
    for (int i = 0; i < TRIES_MAX; i++) {
        snprintf(to, sizeof(to), ".throng-removed-%u", r->moved++);
        if (renameat(folder, name, r->root, to) == 0 || errno == ENOENT)
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
            break;
    }
    return fail(r, name, err);
}

static int remove_folder(struct removal *r, int folder, const char *name,
                         struct err *err)
{
    if (r->depth >= DEPTH_MAX)
        return move_up(r, folder, name, err);
    for (int i = 0; i < TRIES_MAX; i++) {
        int fd = openat(folder, name,
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT)
            return 0;
        if (fd < 0)
            return fail(r, name, err);
        if (remove_inside(r, fd, err) < 0)
            return -1;
        if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return 0;
        /* Somebody still writes there, or the listing missed an entry
         * because others vanished meanwhile: begin again. */
        if (errno != ENOTEMPTY && errno != EEXIST)
            break;
    }
    return fail(r, name, err);
}

static int remove_entry(struct removal *r, int folder, const struct dirent *e,
                        struct err *err)
{
    if (e->d_type != DT_DIR) {
        if (unlinkat(folder, e->d_name, 0) == 0 || errno == ENOENT)
            return 0;
        /* The type may be unknown, or have changed. Linux says EISDIR. */
        if (errno != EISDIR)
            return fail(r, e->d_name, err);
    }
    return remove_folder(r, folder, e->d_name, err);
}

/* Empties the open folder; takes fd over. */
static int remove_inside(struct removal *r, int fd, struct err *err)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return fail(r, "a folder", err);
    }
    int rc = 0;
    r->depth++;
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        rc = remove_entry(r, dirfd(dir), e, err);
    }
    r->depth--;
    closedir(dir);
    return rc;
}

/* Empties and removes the folder, of which fd is a descriptor that stays. */
static int remove_root(const char *path, int fd, struct err *err)
{
    struct removal r = {.path = path, .root = fd};
    for (int idle = 0;;) {
        unsigned moved = r.moved;
        int list = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (list < 0)
            return err_errno(err, "cannot remove %s", path);
        if (remove_inside(&r, list, err) < 0)
            return -1;
        if (unlinkat(AT_FDCWD, path, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return 0;
        bool filled = errno == ENOTEMPTY || errno == EEXIST;
        if (!filled || (moved == r.moved && ++idle == TRIES_MAX))
            return err_errno(err, "cannot remove %s", path);
    }
}

int dir_remove(const char *path, struct err *err)
{
    /* With a slash behind it, the name of a link would mean its target. */
    char *plain = xstrdup(path);
    size_t len = strlen(plain);
    while (len > 1 && plain[len - 1] == '/')
        plain[--len] = 0;
    int rc = 0;
    int fd = open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        rc = remove_root(plain, fd, err);
        close(fd);
    } else if (errno == ENOTDIR || errno == ELOOP) {
        if (unlink(plain) < 0 && errno != ENOENT && errno != ENOTDIR)
            rc = err_errno(err, "cannot remove %s", plain);
    } else if (errno != ENOENT) {
        rc = err_errno(err, "cannot remove %s", plain);
    }
    free(plain);
    return rc;
}
