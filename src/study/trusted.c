/* trusted.c - the folders of others that a person has allowed
 *
 * One real path a line in throng/trusted of the person's configuration. A
 * list that others could have written is not believed. */
#include "study/study.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_BYTES_MAX (1u << 20)

static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    const struct passwd *own;
    if (home && home[0] == '/')
        return home;
    own = getpwuid(geteuid());
    return own ? own->pw_dir : NULL;
}

const char *trusted_file(struct arena *a, struct err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = home_folder();
    if (config && config[0] == '/')
        return path_join(a, config, "throng/trusted");
    if (home)
        return path_join(a, home, ".config/throng/trusted");
    err_set(err, ERR_SYSTEM,
            "there is no place for the list of trusted folders: HOME is not "
            "set");
    return NULL;
}

static int check_list(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return err_errno(err, "read %s", path);
    if (st.st_uid != geteuid() || (st.st_mode & 022))
        return err_set(err, ERR_SYSTEM,
                       "%s could have been written by others, so it is not "
                       "believed; it must be yours and `chmod 600`",
                       path);
    return 0;
}

const char **trusted_read(struct arena *a, struct err *err)
{
    const char *path = trusted_file(a, err);
    VEC(const char *) found = {0};
    struct buf b;
    int rc = path ? 0 : -1;
    buf_init(&b);
    if (path && file_exists(path))
        rc = check_list(path, err) ? -1
                                   : file_read(path, LIST_BYTES_MAX, &b, err);
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
    const char *path = trusted_file(a, err);
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
    if (!list)
        err_wrap(err, "%s", unreadable.text);
    return -1;
}
