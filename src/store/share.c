/* share.c - to whom a study's folder is open
 *
 * The folder of a study is its owner's alone (0700), which closes all that is
 * in it, whatever the modes there. With `share: group` it has the group of the
 * study file's folder, hands that on to what is made in it (02770), and
 * .throng around it lets the group through. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARED_MODE 02770
#define STORE_IGNORE ".gitignore"

static int make_own(const char *path, struct err *err)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return err_errno(err, "make the folder %s", path);
    return 0;
}

/* The folder around studies. It tells git to leave it alone; what somebody
 * else put there stays. */
static int make_around(const char *path, struct arena *a, struct err *err)
{
    const char *ignore = path_join(a, path, STORE_IGNORE);
    if (mkdir(path, 0700) != 0)
        return errno == EEXIST ? 0 : err_errno(err, "make the folder %s", path);
    int fd = open(ignore, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* Without it all works just as well. */
    if (fd >= 0 && write(fd, "*\n", 2) != 2)
        unlink(ignore);
    if (fd >= 0)
        close(fd);
    return 0;
}

void store_tidy_around(const char *around)
{
    struct arena *a = arena_new();
    const char **names = dir_list(around, a, NULL);
    if (names && names[0] && !names[1] && !strcmp(names[0], STORE_IGNORE))
        unlink(path_join(a, around, STORE_IGNORE));
    rmdir(around);
    arena_free(a);
}

/* Folders of an earlier throng were open to everyone. Where the file system
 * knows no modes they stay so. */
static void close_study(const char *folder, const struct stat *st,
                        bool *was_open, struct arena *a)
{
    struct stat now;
    if (!(st->st_mode & 077) || chmod(folder, 0700) != 0 ||
        stat(folder, &now) != 0 || (now.st_mode & 077))
        return;
    *was_open = true;
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++) {
        const char *path = path_join(a, folder, *names);
        struct stat own;
        if (lstat(path, &own) == 0 && S_ISREG(own.st_mode))
            chmod(path, own.st_mode & 0700);
    }
}

static int refuse_group(const char *home, gid_t group, struct err *err)
{
    struct buf name;
    buf_init(&name);
    group_print(&name, group);
    err_set(err, ERR_INPUT,
            "share: group: the folder %s has the group %s, which you are not "
            "in; `chgrp GROUP %s` gives it one of yours (`id -Gn` lists them)",
            home, name.p, home);
    buf_done(&name);
    return -1;
}

static int let_through(const char *around, gid_t group, struct err *err)
{
    struct stat st;
    if (stat(around, &st) != 0)
        return err_errno(err, "look at %s", around);
    if (st.st_uid != geteuid() || ((st.st_mode & 055) == 055))
        return 0;
    if ((st.st_gid != group && chown(around, (uid_t)-1, group) != 0) ||
        chmod(around, (st.st_mode & 07777) | 0050) != 0)
        return err_errno(err, "open %s to its group", around);
    return 0;
}

static int open_study(const char *folder, const struct stat *st,
                      struct arena *a, struct err *err)
{
    const char *around = path_folder(a, folder), *home = path_folder(a, around);
    struct stat outer;
    if (stat(home, &outer) != 0)
        return err_errno(err, "look at %s", home);
    if (geteuid() != 0 && !group_is_ours(outer.st_gid))
        return refuse_group(home, outer.st_gid, err);
    if (let_through(around, outer.st_gid, err))
        return -1;
    if ((st->st_mode & 07777) == SHARED_MODE && st->st_gid == outer.st_gid)
        return 0;
    return dir_share(folder, outer.st_gid, err);
}

int store_share(const char *folder, bool group, bool *was_open, struct err *err)
{
    struct arena *a = arena_new();
    struct stat st;
    int rc = 0;
    bool there = stat(folder, &st) == 0;
    *was_open = false;
    if (!there && (make_around(path_folder(a, folder), a, err) ||
                   make_own(folder, err) || stat(folder, &st) != 0))
        rc = -1;
    /* Who owns it decides. */
    else if (st.st_uid != geteuid())
        rc = 0;
    else if (group)
        rc = open_study(folder, &st, a, err);
    else
        close_study(folder, &st, was_open, a);
    arena_free(a);
    return rc;
}

void store_set_mode(const char *path, const char *folder)
{
    chmod(path, 0666 & ~store_mask(folder));
}

/* Of .throng, where not even that can be passed. */
int store_closed(const char *folder, struct err *err)
{
    struct arena *a = arena_new();
    struct stat st;
    struct buf who;
    const char *seen = stat(folder, &st) == 0 ? folder : path_folder(a, folder);
    buf_init(&who);
    if (stat(seen, &st) == 0)
        user_print(&who, st.st_uid);
    else
        buf_adds(&who, "another user");
    err_set(err, ERR_SYSTEM,
            "%s belongs to %s and is not open to you; `share: group` in the "
            "study file opens it to a group",
            seen, who.p);
    buf_done(&who);
    arena_free(a);
    return -1;
}

mode_t store_mask(const char *folder)
{
    struct stat st;
    bool shared = stat(folder, &st) == 0 && (st.st_mode & 070) == 070;
    return shared ? 007 : 077;
}
