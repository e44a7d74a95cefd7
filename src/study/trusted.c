/* trusted.c - the folders of others that a person has allowed
 *
 * One real path a line in a file of the person's configuration. */
#include "study/study.h"

#include <sys/stat.h>

#define LIST "trusted"

const char **trusted_read(struct arena *a, struct err *err)
{
    const char *path = config_file(a, LIST, err);
    VEC(const char *) found = {0};
    struct buf b;
    buf_init(&b);
    int rc = path ? config_read(path, &b, err) : -1;
    struct str rest = buf_str(&b), line;
    while (rest.len && str_split(&rest, '\n', &line))
        if (line.len && line.p[0] == '/')
            vec_push(&found, arena_cstr(a, line));
    const char **list = rc ? NULL : arena_array(a, found.len + 1, sizeof *list);
    for (size_t i = 0; list && i < found.len; i++)
        list[i] = found.p[i];
    vec_done(&found);
    buf_done(&b);
    return list;
}

int trusted_write(struct arena *a, const char *const *list, struct err *err)
{
    const char *path = config_file(a, LIST, err);
    struct buf b;
    if (!path)
        return -1;
    buf_init(&b);
    for (; *list; list++)
        buf_addf(&b, "%s\n", *list);
    mode_t before = umask(077);
    int rc = dir_make(path_folder(a, path), err);
    if (!rc)
        rc = file_write(path, buf_str(&b), true, err);
    umask(before);
    buf_done(&b);
    return rc;
}

int study_access(struct arena *a, const char *folder, enum store_use use,
                 struct err *err)
{
    struct err unreadable = {0};
    const char **list = trusted_read(a, &unreadable);
    if (!store_access(folder, use, (const char *const *)list, err)) {
        if (use == STORE_ACT)
            umask(store_mask(folder));
        return 0;
    }
    const char *home = path_folder(a, path_folder(a, path_absolute(a, folder)));
    if (err)
        err_set(err, err->kind,
                "%s, or, if you trust who can write there, `throng trust %s` "
                "allows it",
                err->text, home);
    if (!list)
        err_wrap(err, "%s", unreadable.text);
    return -1;
}
