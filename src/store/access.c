/* access.c - may a study's folder be believed?
 *
 * What lies in a study's folder decides what runs: checkpoints are loaded by
 * the tasks, last words and requests are applied. So nobody but this user,
 * root, and those with whom it is shared on purpose may have put it there.
 *
 * Looked at are, from the outside in: the folders that .throng lies in (where
 * everyone may write, somebody else could put another in its place, unless it
 * is sticky and root's as /tmp is; so could the owner of the nearest), .throng,
 * the study's folder, and each thing in that. Once these are ours alone they
 * stay so, so a look before the first use is enough.
 *
 * A run closes the study's folder to all others (share.c). One that they can
 * still enter may have been open to them, so then all that lies below is
 * looked at as well, once: a closed folder keeps them out, however open the
 * things in it are. */
#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct look {
    enum store_use use;
    uid_t sharer; /* may own it too: who shares it with our group */
    bool shared;  /* so may anyone in that group, of what has the group */
    gid_t group;
    const char *home;
    const char *folder; /* of the study */
};

static bool is_shared(const struct stat *st)
{
    return (st->st_mode & S_IWGRP) && group_is_ours(st->st_gid);
}

/* ---- refusals --------------------------------------------------------- */

static int refuse_owner(const char *path, uid_t owner, struct err *err)
{
    struct buf who;
    buf_init(&who);
    user_print(&who, owner);
    err_set(err, ERR_SYSTEM,
            "%s belongs to %s, who could so make throng run programs as you; "
            "work in a folder of your own",
            path, who.p);
    buf_done(&who);
    return -1;
}

static int refuse_mode(const char *path, const struct stat *st, struct err *err)
{
    struct buf who, may;
    bool everyone = st->st_mode & S_IWOTH;
    buf_init(&who);
    buf_init(&may);
    user_print(&who, st->st_uid);
    if (everyone)
        buf_adds(&may, "everyone may write");
    else
        buf_adds(&may, "a group that you are not in may write, ");
    if (!everyone)
        group_print(&may, st->st_gid);
    err_set(err, ERR_SYSTEM,
            "%s of %s is open: %s, and so make throng run programs as you; "
            "`chmod %s %s` closes it",
            path, who.p, may.p, everyone ? "o-w" : "g-w", path);
    buf_done(&who);
    buf_done(&may);
    return -1;
}

/* ---- one after the other ---------------------------------------------- */

static bool may_own(const struct look *l, const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0 ||
           st->st_uid == l->sharer || (l->shared && st->st_gid == l->group);
}

static bool is_open(const struct stat *st)
{
    return (st->st_mode & S_IWOTH) ||
           ((st->st_mode & S_IWGRP) && !group_is_ours(st->st_gid));
}

/* A link must be ours as much as what it leads to. Sticky: names in it stay
 * with who made them. 0 too when there is nothing. */
static int check_one(const struct look *l, const char *path,
                     bool sticky_will_do, struct err *err)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return 0;
    if (!may_own(l, &st))
        return refuse_owner(path, st.st_uid, err);
    if (S_ISLNK(st.st_mode) && stat(path, &st) != 0)
        return 0;
    if (!may_own(l, &st))
        return refuse_owner(path, st.st_uid, err);
    if (is_open(&st) && !(sticky_will_do && (st.st_mode & S_ISVTX)))
        return refuse_mode(path, &st, err);
    return 0;
}

/* The folder that .throng lies in. Its owner could rename that away and plant
 * another. A group's project folder is meant to be worked in together. */
static int check_nearest(const struct look *l, const char *path,
                         struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || may_own(l, &st) || is_shared(&st))
        return 0;
    return refuse_owner(path, st.st_uid, err);
}

/* Whoever owns a folder further up gave us the one in it: that everyone can
 * write there is no intention. In a sticky folder its owner, too, may rename
 * what others have there. */
static int check_around(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || !(st.st_mode & S_IWOTH))
        return 0;
    if (!(st.st_mode & S_ISVTX))
        return refuse_mode(path, &st, err);
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return refuse_owner(path, st.st_uid, err);
    return 0;
}

/* The folder that .throng lies in, and all around it. */
static int check_home(const struct look *l, struct err *err)
{
    char path[PATH_MAX];
    if (!realpath(l->home, path))
        return 0;
    if (check_nearest(l, path, err))
        return -1;
    for (;;) {
        if (check_around(path, err))
            return -1;
        char *slash = strrchr(path, '/');
        if (path[1] == 0 || !slash)
            return 0;
        slash[slash == path] = 0;
    }
}

static int check_inside(const struct look *l, const char *folder,
                        struct arena *a, struct err *err)
{
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++)
        if (check_one(l, path_join(a, folder, *names), false, err))
            return -1;
    return 0;
}

/* Links are not followed: only whose they are counts. */
static int check_below(void *context, const char *name, const struct stat *st,
                       struct err *err)
{
    const struct look *l = context;
    struct arena *a = arena_new();
    const char *path = path_join(a, l->folder, name);
    int rc = 0;
    if (!may_own(l, st))
        rc = refuse_owner(path, st->st_uid, err);
    else if (!S_ISLNK(st->st_mode) && is_open(st))
        rc = refuse_mode(path, st, err);
    arena_free(a);
    return rc;
}

static int check_all(struct look *l, const char *folder, struct arena *a,
                     struct err *err)
{
    struct stat st;
    bool there = stat(folder, &st) == 0, shared = there && is_shared(&st);
    if (shared && l->use == STORE_ACT)
        l->sharer = st.st_uid;
    if (check_home(l, err) || check_one(l, path_folder(a, folder), true, err) ||
        check_one(l, folder, false, err))
        return -1;
    if (!there)
        return 0;
    l->shared = shared;
    l->group = st.st_gid;
    if (check_inside(l, folder, a, err))
        return -1;
    bool entered = st.st_mode & (shared ? 007 : 077);
    return entered ? dir_visit(folder, check_below, l, err) : 0;
}

/* ---- trust ------------------------------------------------------------ */

/* The real path of the nearest folder that is there. */
static bool real_path(struct arena *a, const char *path, char real[PATH_MAX])
{
    while (!realpath(path, real)) {
        const char *up = path_folder(a, path);
        if (errno != ENOENT || strcmp(up, path) == 0)
            return false;
        path = up;
    }
    return true;
}

static bool is_trusted(struct arena *a, const char *folder,
                       const char *const *trusted)
{
    char real[PATH_MAX];
    if (!trusted || !*trusted || !real_path(a, folder, real))
        return false;
    for (; *trusted; trusted++) {
        size_t len = strlen(*trusted);
        if (strncmp(real, *trusted, len) == 0 &&
            (real[len] == 0 || real[len] == '/' || len == 1))
            return true;
    }
    return false;
}

int store_access(const char *folder, enum store_use use,
                 const char *const *trusted, struct err *err)
{
    struct arena *a = arena_new();
    const char *path = path_absolute(a, folder);
    struct look l = {.use = use,
                     .sharer = geteuid(),
                     .folder = path,
                     .home = path_folder(a, path_folder(a, path))};
    struct err why = {0};
    int rc = check_all(&l, path, a, &why);
    if (rc && is_trusted(a, path, trusted))
        rc = 0;
    if (rc)
        err_set(err, why.kind, "%s", why.text);
    arena_free(a);
    return rc;
}
