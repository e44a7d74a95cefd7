/* output.c - what is written takes the place of nothing that is read, and there
 * is room for it where it shall lie */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/sys.h"

static bool is_same(const char *one, const char *other)
{
    char a[PATH_MAX], b[PATH_MAX];
    return realpath(one, a) && realpath(other, b) && !strcmp(a, b);
}

int output_spares(const char *output, const char *input, const char *what,
                  struct err *err)
{
    if (!output || !input || !is_same(output, input))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s would be written over %s, which is %s: name another "
                   "file for what is written",
                   output, input, what);
}

int output_spares_rows(const char *output, const char *rows, const char *what,
                       struct arena *a, struct err *err)
{
    struct str rest = str_of(rows ? rows : ""), one, name;
    while (str_split(&rest, ',', &one)) {
        if (str_find(one, '=') >= 0)
            str_split(&one, '=', &name);
        if (output_spares(output, arena_cstr(a, one), what, err))
            return -1;
    }
    return output_spares(output, rows, what, err);
}

/* A format stands in the first line of a file, by whoever wrote that. */
int output_replaces(const char *output, const char *format, const char *what,
                    struct err *err)
{
    enum { HEAD = 80 };
    struct str bytes;
    if (!output || !file_exists(output) || file_is_dir(output) ||
        file_map(output, &bytes, NULL))
        return 0;
    size_t head = bytes.len < HEAD ? bytes.len : HEAD;
    bool own = !bytes.len || memmem(bytes.p, head, format, strlen(format));
    file_unmap(bytes);
    return own ? 0
               : err_set(err, ERR_INPUT,
                         "%s is there already, is no %s, and would be written "
                         "over: name another file for what is written",
                         output, what);
}

/* ---- can it be written? -------------------------------------------------- */

/* A file is begun there, and dropped: so is every other reason known. */
static int try_folder(const char *folder, struct arena *a, struct err *err)
{
    struct file_out *f = file_begin(path_join(a, folder, "table"), err);
    file_drop(f);
    return f ? 0 : -1;
}

int output_fits(const char *path, bool folder, struct arena *a, struct err *err)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode) != folder)
        return err_set(err, ERR_INPUT,
                       folder ? "%s is a file, where a folder for the tables "
                                "of rules belongs"
                              : "%s is a folder, where a table belongs",
                       path);
    const char *in = there && folder ? path : path_folder(a, path);
    while (folder && stat(in, &st) && errno == ENOENT)
        in = path_folder(a, in);
    if (stat(in, &st))
        return errno == ENOENT
                   ? err_set(err, ERR_MISSING,
                             "there is no folder %s for %.*s: make it first",
                             in, STRF(path_name(path)))
                   : err_errno(err, "cannot write into %s", in);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_INPUT, "%s is no folder, where %.*s would lie",
                       in, STRF(path_name(path)));
    return try_folder(in, a, err);
}
