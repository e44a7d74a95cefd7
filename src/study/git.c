/* git.c - whether a folder is git's */
#include "study/git.h"

#include <string.h>
#include "sys/sys.h"

const char *git_folder(struct arena *a, const char *folder)
{
    const char *at = folder;
    for (; strcmp(at, "/") && strcmp(at, "."); at = path_folder(a, at))
        if (file_exists(path_join(a, at, ".git")))
            return at;
    return NULL;
}

bool git_is_around(const char *folder)
{
    struct arena *a = arena_new();
    bool found = git_folder(a, folder) != NULL;
    arena_free(a);
    return found;
}
