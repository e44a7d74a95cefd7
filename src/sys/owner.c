/* owner.c - whose files they are, and who is in which group */
#include "sys/sys.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/walk.h"

#define GROUPS_MAX 65536 /* as many as Linux allows */

void user_print(struct buf *b, uid_t user)
{
    const struct passwd *found = getpwuid(user);
    if (found)
        buf_addf(b, "%s (uid %u)", found->pw_name, (unsigned)user);
    else
        buf_addf(b, "uid %u", (unsigned)user);
}

void group_print(struct buf *b, gid_t group)
{
    const struct group *found = getgrgid(group);
    if (found)
        buf_addf(b, "%s (gid %u)", found->gr_name, (unsigned)group);
    else
        buf_addf(b, "gid %u", (unsigned)group);
}

bool group_is_ours(gid_t group)
{
    int count = getgroups(0, NULL);
    bool found = group == getegid();
    if (found || count <= 0 || count > GROUPS_MAX)
        return found;
    gid_t *all = xcalloc((size_t)count, sizeof *all);
    count = getgroups(count, all);
    for (int i = 0; i < count; i++)
        found |= all[i] == group;
    free(all);
    return found;
}

/* ---- sharing ----------------------------------------------------------- */

static int share_one(int folder, const char *name, const struct stat *st,
                     gid_t group)
{
    mode_t mode = (st->st_mode & 0777) | (S_ISDIR(st->st_mode) ? 02070 : 0060);
    if (st->st_mode & S_IXUSR)
        mode |= S_IXGRP;
    if (st->st_uid != geteuid())
        return 0; /* its owner decides */
    if (fchownat(folder, name, (uid_t)-1, group, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    return fchmodat(folder, name, mode & ~(mode_t)S_IRWXO, 0);
}

static enum walk_answer share_entry(void *context, const struct walk_entry *e,
                                    struct err *err)
{
    const gid_t *group = context;
    bool plain = S_ISDIR(e->stat->st_mode) || S_ISREG(e->stat->st_mode);
    if (!plain || share_one(e->folder, e->name, e->stat, *group) == 0)
        return WALK_ON;
    err_errno(err, "share %s with a group", e->path);
    return WALK_ERROR;
}

int dir_share(const char *path, gid_t group, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || share_one(AT_FDCWD, path, &st, group) != 0)
        return err_errno(err, "share %s with a group", path);
    return walk(path, share_entry, &group, err);
}
