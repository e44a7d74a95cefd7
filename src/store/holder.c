/* holder.c - does the holder of a lease live?
 *
 * What proves it, or its death: the lock that a holder keeps on lease.lock,
 * where the file system has locks; its process, where its pid means the same
 * process here as there (same boot, same pid namespace); an older boot. Where
 * nothing does (another host, a container without a lock), the lease is
 * watched.
 *
 * The lock belongs to the open file, not to the process, so that looking at
 * it drops nothing, and it is not passed on to programs that are started. It
 * proves a death only on a local file system: on others it may be known to
 * one machine alone. The lease names the locked file by its number, because
 * the lock on a file that somebody has removed and made again proves
 * nothing. */
#include "store/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/lease.h"

#define SILENCE_NS ((int64_t)60 * 1000000000)
#define LOOK_MS 200

/* ---- judging ---------------------------------------------------------- */

/* A throng from before the lease had these says less of itself. */
static bool is_older_form(const struct lease *l)
{
    return l->touches == 0;
}

enum holder holder_judge(const struct lease *l, const struct holder_view *v)
{
    bool same_host = strcmp(v->host, l->host) == 0;
    bool same_boot = strcmp(v->boot_id, l->boot_id) == 0;
    bool same_space = is_older_form(l)
                          ? same_host
                          : v->pid_space && v->pid_space == l->pid_space;
    if (l->process.pid == 0)
        return HOLDER_NONE;
    if (v->lock == LOCK_HELD)
        return HOLDER_LIVES;
    if (v->lock == LOCK_FREE && !v->network)
        return HOLDER_GONE;
    if (same_boot && same_space)
        return v->process_alive ? HOLDER_LIVES : HOLDER_GONE;
    /* On a shared file system it may be another machine of the same name. */
    if (same_host && !same_boot && !v->network)
        return HOLDER_GONE;
    return HOLDER_UNSEEN;
}

static char *lock_path(const struct store *s, struct arena *a)
{
    return path_join(a, s->folder, "lease.lock");
}

static int lock_seen(const struct store *s, const struct lease *l)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat st;
    int seen = LOCK_UNKNOWN;
    if (l->lock == 0)
        return LOCK_UNKNOWN;
    struct arena *a = arena_new();
    int fd = open(lock_path(s, a), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    arena_free(a);
    if (fd < 0)
        return LOCK_UNKNOWN;
    if (fstat(fd, &st) == 0 && (uint64_t)st.st_ino == l->lock &&
        fcntl(fd, F_OFD_GETLK, &whole) == 0)
        seen = whole.l_type == F_UNLCK ? LOCK_FREE : LOCK_HELD;
    close(fd);
    return seen;
}

enum holder holder_look(const struct store *s, const struct lease *l)
{
    char host[sizeof l->host];
    machine_name(host, sizeof host);
    struct holder_view v = {
        .host = host,
        .boot_id = process_boot_id(),
        .pid_space = process_space(),
        .network = s->network,
        .process_alive = process_alive(l->process),
    };
    int lock = lock_seen(s, l);
    v.lock = lock;
    return holder_judge(l, &v);
}

/* ---- watching --------------------------------------------------------- */

static bool is_same(const struct lease *a, const struct lease *b)
{
    return a->epoch == b->epoch && a->process.pid == b->process.pid &&
           a->touches == b->touches && a->touched == b->touched;
}

enum holder_seen holder_see(struct holder_watch *w, const struct lease *l,
                            int64_t now_ns)
{
    if (!w->begun) {
        *w = (struct holder_watch){
            .begun = true, .since_ns = now_ns, .first = *l};
        return SEEN_NOTHING_YET;
    }
    if (!is_same(&w->first, l))
        return SEEN_TOUCH;
    return now_ns - w->since_ns >= SILENCE_NS ? SEEN_SILENCE : SEEN_NOTHING_YET;
}

bool holder_is_silent(const struct store *s, const struct lease *l)
{
    return s->silent.epoch != 0 && is_same(&s->silent, l);
}

const struct holder_clock holder_clock = {clock_mono_ns, clock_pause_ms};

int holder_wait(struct store *s, holder_read_fn *read, struct err *err)
{
    struct holder_watch w = {0};
    for (;;) {
        struct lease l;
        if (read(s, &l, err))
            return -1;
        if (holder_look(s, &l) != HOLDER_UNSEEN)
            return 0;
        enum holder_seen seen = holder_see(&w, &l, s->clock->now_ns());
        /* A person who has pressed Ctrl-C does not wait for a minute. */
        if (seen == SEEN_TOUCH || interrupt_waits())
            return lease_held_by(s, &l, err);
        if (seen == SEEN_SILENCE) {
            s->silent = l;
            return 0;
        }
        s->clock->pause_ms(LOOK_MS);
    }
}

/* ---- the lock --------------------------------------------------------- */

/* Whoever may open the store may look at its lock. */
static int lock_open(const struct store *s)
{
    struct stat st;
    struct arena *a = arena_new();
    const char *path = lock_path(s, a);
    int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 && stat(s->path, &st) == 0 && fchmod(fd, st.st_mode & 0777)) {
        close(fd);
        fd = -1;
    } else if (fd < 0 && errno == EEXIST) {
        fd = open(path, flags);
    }
    arena_free(a);
    return fd;
}

uint64_t holder_lock(struct store *s)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat st;
    if (s->lock_fd >= 0)
        return s->mine.lock;
    int fd = lock_open(s);
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
        fcntl(fd, F_OFD_SETLK, &whole)) {
        close(fd);
        return 0;
    }
    s->lock_fd = fd;
    return (uint64_t)st.st_ino;
}

void holder_unlock(struct store *s)
{
    if (s->lock_fd >= 0)
        close(s->lock_fd);
    s->lock_fd = -1;
}
