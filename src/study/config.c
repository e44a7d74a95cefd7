/* config.c - the files of a person's configuration
 *
 * They decide what runs, so that one which others could have written is not
 * believed. */
#include "study/study.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_BYTES_MAX (1u << 20)

static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    const struct passwd *own;
    if (home && home[0] == '/')
        return home;
    own = getpwuid(geteuid());
    return own ? own->pw_dir : NULL;
}

const char *config_file(struct arena *a, const char *name, struct err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = home_folder();
    if (config && config[0] == '/')
        return path_join(a, path_join(a, config, "throng"), name);
    if (home)
        return path_join(a, path_join(a, home, ".config/throng"), name);
    err_set(err, ERR_SYSTEM, "there is no place for %s: HOME is not set", name);
    return NULL;
}

int config_read(const char *path, struct buf *b, struct err *err)
{
    struct stat st;
    if (!file_exists(path))
        return 0;
    if (stat(path, &st) != 0)
        return err_errno(err, "read %s", path);
    if (st.st_uid != geteuid() || (st.st_mode & 022))
        return err_set(err, ERR_SYSTEM,
                       "%s could have been written by others, so it is not "
                       "believed; it must be yours and `chmod 600`",
                       path);
    return file_read(path, CONFIG_BYTES_MAX, b, err);
}
