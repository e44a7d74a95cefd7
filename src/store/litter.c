/* litter.c - files that a killed throng has left half made
 *
 * Their names hold the pid of their maker, which must not live here. What only
 * a holder of the lease and its worker make is then litter, unless an earlier
 * one may still run somewhere. What anybody makes (requests) may be that of a
 * process which cannot be seen from here: it must also be old, by the clock of
 * the file system, which has just written lease.json. */
#include "store/db.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include "base/num.h"

#define OLD_SECONDS 60

/* Where, and what stands before the pid in the names there. */
static const struct litter {
    const char *folder, *before;
    bool anybodys;
} litter[] = {
    {".", "study.db.new-", false},
    {".", "snapshot.db.new-", false},
    {".", ".throng-", false},
    {"trials", ".throng-", false}, /* a pack that was to be replaced */
    {LAST_WORDS, ".throng-", false},
    {"requests/answers", ".throng-", false},
    {"requests", ".throng-", true},
    {"..", ".removed-",
     false}, /* a study that `rm` did not get to the end of */
};

static bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}

/* The pid in ".throng-12-00ff.tmp"; 0: this is another name. */
static pid_t maker_of(struct str name, struct str before)
{
    uint64_t pid;
    if (!str_starts(name, before))
        return 0;
    struct str digits = str_n(name.p + before.len, name.len - before.len);
    size_t len = 0;
    while (len < digits.len && digits.p[len] >= '0' && digits.p[len] <= '9')
        len++;
    if (!num_uint(str_n(digits.p, len), &pid) || pid == 0 || pid > INT32_MAX)
        return 0;
    return (pid_t)pid;
}

static bool is_old(const char *path, double now)
{
    struct stat st;
    return stat(path, &st) == 0 && (double)st.st_mtime + OLD_SECONDS < now;
}

static void tidy(struct store *s, const struct litter *l, double now,
                 struct arena *a)
{
    const char *folder = path_join(a, s->folder, l->folder);
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++) {
        pid_t maker = maker_of(str_of(*names), str_of(l->before));
        const char *path = path_join(a, folder, *names);
        if (maker && !is_alive(maker) && (!l->anybodys || is_old(path, now)))
            dir_remove(path, NULL);
    }
}

void store_tidy(struct store *s)
{
    struct arena *a = arena_new();
    struct stat st;
    bool known = stat(path_join(a, s->folder, "lease.json"), &st) == 0;
    for (size_t i = 0; i < sizeof litter / sizeof *litter; i++)
        if (known && s->mine.left != PREDECESSOR_PRESUMED)
            tidy(s, &litter[i], (double)st.st_mtime, a);
    arena_free(a);
}
