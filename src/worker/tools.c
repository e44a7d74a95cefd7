/* tools.c - what tasks find on PATH and PYTHONPATH
 *
 * The pack that the build put into this program is a row of files, each as
 *     <path>\n<size>\n<bytes> */
#include "worker/tools.h"

#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "sys/sys.h"
#include "terms/record.h"

extern const char worker_python_pack[], worker_python_pack_end[];

void tools_take(struct tools *t, const char *folder, struct arena *a)
{
    const char *bin = path_join(a, folder, "bin");
    const char *python = path_join(a, folder, "python");
    *t = (struct tools){.lock = -1,
                        .bin = file_is_dir(bin) ? bin : NULL,
                        .python = file_is_dir(python) ? python : NULL};
}

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

int tools_make(struct tools *t, const char *root, const char *folder,
               struct arena *a, struct err *err)
{
    *t = (struct tools){.lock = -1};
    const char *scratch = path_absolute(a, folder);
    const char *around = path_folder(a, scratch);
    bool has_python = &worker_python_pack_end[0] > &worker_python_pack[0];
    if (dir_make_below(root, around, err) != 0 || make_anew(scratch, err) != 0)
        return -1;
    t->scratch = scratch;
    if (!dir_is_guarded(around) && make_apart(t, a, err) != 0)
        return -1;
    const char *at = t->apart ? t->apart : scratch;
    const char *bin = path_join(a, at, "bin");
    const char *python = path_join(a, at, "python");
    if (link_self(bin, a, err) != 0 || unpack(python, a, err) != 0)
        return -1;
    t->bin = bin;
    t->python = has_python ? python : NULL;
    return 0;
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
