/* worker_path.c - where throng-worker is */
#include "study/study.h"

#include <stdlib.h>
#include <unistd.h>
#include "sys/sys.h"

char *worker_path(struct arena *a, struct err *err)
{
    const char *said = getenv("THRONG_WORKER");
    if (said && *said) {
        if (!access(said, X_OK))
            return arena_cstr(a, str_of(said));
        err_errno(err, "THRONG_WORKER names %s", said);
        return NULL;
    }
    char first;
    char *found = path_of_ours(a, "throng-worker");
    if (!found && readlink("/proc/self/exe", &first, 1) < 0)
        err_set(err, ERR_MISSING,
                "/proc/self/exe cannot be read: throng and its worker need "
                "/proc to be mounted");
    else if (!found)
        err_set(err, ERR_MISSING,
                "throng-worker is neither beside throng nor on PATH; install "
                "both, or set THRONG_WORKER");
    return found;
}

char *python_folder(struct arena *a)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return NULL;
    self[n] = 0;
    char *above = path_folder(a, path_folder(a, self));
    static const char *const places[] = {"python", "share/throng"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char *folder = path_join(a, above, places[i]);
        if (file_is_dir(path_join(a, folder, "stand_in")) &&
            file_is_dir(path_join(a, folder, "throng")))
            return folder;
    }
    return NULL;
}
