/* tools.c - what tasks find on PATH and PYTHONPATH
 *
 * The pack that the build put into this program is a row of files, each as
 *     <path>\n<size>\n<bytes> */
#include "worker/tools.h"

#include <unistd.h>
#include "base/num.h"
#include "sys/sys.h"

extern const char worker_python_pack[], worker_python_pack_end[];

void tools_take(struct tools *t, const char *folder, struct arena *a)
{
    const char *bin = path_join(a, folder, "bin");
    const char *python = path_join(a, folder, "python");
    *t = (struct tools){.bin = file_is_dir(bin) ? bin : NULL,
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

int tools_make(struct tools *t, const char *folder, struct arena *a,
               struct err *err)
{
    *t = (struct tools){0};
    const char *scratch = path_absolute(a, folder);
    const char *bin = path_join(a, scratch, "bin");
    const char *python = path_join(a, scratch, "python");
    bool has_python = &worker_python_pack_end[0] > &worker_python_pack[0];
    if (dir_make(scratch, err) != 0)
        return -1;
    t->scratch = scratch;
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
}
