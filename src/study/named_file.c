/* named_file.c - the file that a data set is named by */
#include "study/named_file.h"

#include "sys/sys.h"

struct str named_file(struct arena *a, const char *folder, const char *name)
{
    const char *colon = strrchr(name, ':');
    if (file_exists(path_join(a, folder, name)))
        return str_of(name);
    struct str file = str_n(name, colon ? (size_t)(colon - name) : 0);
    if (file.len && file_exists(path_join(a, folder, arena_cstr(a, file))))
        return file;
    return STR("");
}
