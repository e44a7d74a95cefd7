/* tools.c - what tasks find on PATH and PYTHONPATH
 *
 * The pack that the build put into this program is a row of files, each as
 *     <path>\n<size>\n<bytes> */
#include "worker/tools.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/num.h"
#include "sys/sys.h"
#include "terms/record.h"

extern const char worker_python_pack[], worker_python_pack_end[];

static int unpack(const char *folder, struct arena *a, struct err *err)
{
    struct str name, size,
        rest = str_n(worker_python_pack,
                     (size_t)(worker_python_pack_end - worker_python_pack));
    while (rest.len > 0) {
        uint64_t len;
        str_split(&rest, '\n', &name);
        str_split(&rest, '\n', &size);
        require(num_uint(size, &len) && len <= rest.len);
        const char *path = path_join(a, folder, arena_cstr(a, name));
        if (dir_make(path_folder(a, path), err) != 0 ||
            file_write(path, str_n(rest.p, len), false, err) != 0)
            return -1;
        rest = str_n(rest.p + len, rest.len - len);
    }
    return 0;
}

static int link_self(const char *bin, struct arena *a, struct err *err)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return err_errno(err, "read /proc/self/exe");
    self[n] = 0;
    if (dir_make(bin, err) != 0)
        return -1;
    const char *path = path_join(a, bin, "throng");
    if (symlink(self, path) != 0)
        return err_errno(err, "make the link %s", path);
    return 0;
}

/* What is there by that name is left from a killed worker that had our pid,
 * or was put there by somebody else: it is not used. */
static int make_anew(const char *folder, struct err *err)
{
    if (dir_remove(folder, err) != 0)
        return -1;
    if (mkdir(folder, 0700) != 0)
        return err_errno(err, "make the folder %s", folder);
    return 0;
}

/* Removes what killed workers have left: their locks are free. */
static void sweep_apart(const char *folder, struct arena *a)
{
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++) {
        struct str name = str_of(*names);
        if (!str_starts(name, STR(TOOLS_PREFIX)) ||
            !str_ends(name, STR(".lock")))
            continue;
        const char *path = path_join(a, folder, *names);
        int lock = lock_take(path, 0600);
        if (lock >= 0)
            dir_remove(arena_cstr(a, str_n(path, strlen(path) - 5)), NULL);
        lock_drop(lock, path);
    }
}

static int make_apart(struct tools *t, struct arena *a, struct err *err)
{
    const char *all = runtime_folder(a, err);
    if (!all)
        return err_wrap(err, "no folder of our own for the tools of tasks");
    sweep_apart(all, a);
    const char *folder =
        path_join(a, all, arena_printf(a, TOOLS_PREFIX "%d", (int)getpid()));
    t->lock_path = arena_printf(a, "%s.lock", folder);
    t->lock = lock_take(t->lock_path, 0600);
    if (t->lock < 0)
        return err_errno(err, "lock %s", t->lock_path);
    t->apart = folder;
    return make_anew(folder, err);
}

/* ---- one for all workers of a study -------------------------------------- */

/* Of these bytes, by the path of this program: others have another. */
static const char *shared_name(struct arena *a)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    uint64_t key =
        hash64(str_n(worker_python_pack,
                     (size_t)(worker_python_pack_end - worker_python_pack)),
               hash64(str_n(self, n > 0 ? (size_t)n : 0), 0));
    return arena_printf(a, "%016llx", (unsigned long long)key);
}

/* Whole, since it came here under its name, and nobody else's. */
static bool is_ours(const char *folder)
{
    struct stat st;
    return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int fill(const char *at, struct arena *a, struct err *err)
{
    return make_anew(at, err) || link_self(path_join(a, at, "bin"), a, err) ||
                   unpack(path_join(a, at, "python"), a, err)
               ? -1
               : 0;
}

/* Many workers may begin at once: the first one that is done gives it its
 * name. */
static int make_shared(const char *root, const char *at, struct arena *a,
                       struct err *err)
{
    char host[256];
    const char *around = path_folder(a, at);
    machine_name(host, sizeof host);
    const char *made = arena_printf(a, "%s.%s-%d", at, host, (int)getpid());
    if (dir_make_below(root, around, err))
        return -1;
    if (!dir_is_guarded(around))
        return err_set(err, ERR_INPUT,
                       "%s can be replaced by others, so that tools are not "
                       "shared there",
                       around);
    int rc = fill(made, a, err);
    if (!rc && rename(made, at) && !is_ours(at))
        rc = err_errno(err, "rename %s to %s", made, at);
    dir_remove(made, NULL);
    return rc;
}

int tools_share(struct tools *t, const char *root, const char *folder,
                struct arena *a, struct err *err)
{
    bool has_python = &worker_python_pack_end[0] > &worker_python_pack[0];
    const char *at = path_join(a, path_absolute(a, folder), shared_name(a));
    *t = (struct tools){.lock = -1};
    if (!is_ours(at) && make_shared(root, at, a, err))
        return -1;
    t->bin = path_join(a, at, "bin");
    t->python = has_python ? path_join(a, at, "python") : NULL;
    return 0;
}

int tools_scratch(struct tools *t, const char *root, const char *folder,
                  struct arena *a, struct err *err)
{
    const char *scratch = path_absolute(a, folder);
    if (dir_make_below(root, path_folder(a, scratch), err) ||
        make_anew(scratch, err))
        return -1;
    t->scratch = scratch;
    return 0;
}

/* ---- one for this worker ------------------------------------------------- */

/* Not in the study's folder where others could put theirs in its place, nor
 * where the file system has no links (FAT, some shares of other systems). */
static int link_safely(struct tools *t, struct arena *a, struct err *err)
{
    struct err none = {0};
    if (dir_is_guarded(path_folder(a, t->scratch)) &&
        link_self(path_join(a, t->scratch, "bin"), a, &none) == 0)
        return 0;
    return make_apart(t, a, err) ||
                   link_self(path_join(a, t->apart, "bin"), a, err)
               ? -1
               : 0;
}

int tools_make(struct tools *t, const char *root, const char *folder,
               struct arena *a, struct err *err)
{
    bool has_python = &worker_python_pack_end[0] > &worker_python_pack[0];
    *t = (struct tools){.lock = -1};
    if (tools_scratch(t, root, folder, a, err) || link_safely(t, a, err))
        return -1;
    const char *at = t->apart ? t->apart : t->scratch;
    t->bin = path_join(a, at, "bin");
    t->python = has_python ? path_join(a, at, "python") : NULL;
    t->packed = has_python;
    return 0;
}

int tools_unpack(struct tools *t, struct err *err)
{
    if (!t->packed)
        return 0;
    struct arena *a = arena_new();
    int rc = unpack(t->python, a, err);
    arena_free(a);
    t->packed = false;
    if (rc)
        t->python = NULL;
    return rc;
}

void tools_done(struct tools *t)
{
    if (t->scratch)
        dir_remove(t->scratch, NULL);
    if (t->apart)
        dir_remove(t->apart, NULL);
    if (t->lock_path)
        lock_drop(t->lock, t->lock_path);
}
