/* scratch.c - folders that are gone when the program is
 *
 * Whoever makes one removes it. Where the program ends before that, as by
 * exit() when nobody reads on, or by a signal that nobody handles, it is
 * removed on the way out: what stands in `made` is what is there. A signal may
 * come in the middle of anything, so that its handler computes nothing: rm, in
 * a process of its own, removes the folders. A child that was forked leaves
 * its parent's alone.
 *
 * Only SIGKILL leaves one behind. So each is noted, before it is made, in a
 * file of this user's runtime folder, which is locked for as long as the
 * program lives: who finds such a file that nobody holds removes the folder
 * first, and then the file. */
#include "sys/sys.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "throng-"
#define NOTE "scratch-" /* and the name of the folder */

enum { SCRATCH_MAX = 8, TRIES = 100 };

struct scratch {
    volatile sig_atomic_t used;
    char path[PATH_MAX];
    char note[PATH_MAX]; /* "": nowhere */
    int lock;            /* of the note */
};
static struct scratch made[SCRATCH_MAX];

static volatile sig_atomic_t maker; /* the process whose they are */

static void remove_by_rm(const char *path, const char *note)
{
    pid_t pid = _Fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--", path, *note ? note : NULL,
              (char *)NULL);
        _exit(1);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The signal is raised again, for what it does by itself, as soon as the
 * handler has returned. */
static void on_signal(int signum)
{
    int before = errno;
    for (int i = 0; getpid() == maker && i < SCRATCH_MAX; i++)
        if (made[i].used)
            remove_by_rm(made[i].path, made[i].note);
    signal(signum, SIG_DFL);
    raise(signum);
    errno = before;
}

static void on_exit_remove(void)
{
    for (int i = 0; getpid() == maker && i < SCRATCH_MAX; i++)
        if (made[i].used)
            scratch_remove(made[i].path);
}

/* What is ignored, as by nohup, or handled already stays so. */
static void watch_ends(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction ours = {.sa_handler = on_signal}, now;
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    if (!maker)
        atexit(on_exit_remove);
    maker = getpid();
}

/* ---- what was left behind --------------------------------------------------
 */

/* A folder of ours, as we make them, that stands under the name of its note.
 * Nobody else can have put it there: who may write around it could not take
 * away what is ours. */
static bool is_ours(const char *path, const char *note)
{
    struct stat st;
    struct str name = path_name(path);
    return path[0] == '/' && str_starts(name, STR(NAME)) &&
           str_is(name, note + strlen(NOTE)) && lstat(path, &st) == 0 &&
           S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Who reads anything else may wait for ever. */
static bool is_file(const char *note)
{
    struct stat st;
    return lstat(note, &st) == 0 && S_ISREG(st.st_mode);
}

/* True: a folder was removed. */
static bool remove_left(const char *note, const char *name)
{
    int lock = is_file(note) ? lock_take(note, 0600) : -1;
    struct buf path;
    bool there, gone;
    if (lock < 0)
        return false;
    buf_init(&path);
    file_read(note, PATH_MAX, &path, NULL);
    there = is_ours(path.p, name);
    gone = !there || dir_remove(path.p, NULL) == 0;
    if (gone)
        lock_drop(lock, note);
    else
        close(lock);
    buf_done(&path);
    return there && gone;
}

size_t scratch_sweep(void)
{
    struct arena *a = arena_new();
    const char *folder = runtime_folder(a, NULL);
    const char **names = folder ? dir_list(folder, a, NULL) : NULL;
    size_t count = 0;
    for (; names && *names; names++)
        if (str_starts(str_of(*names), STR(NOTE)))
            count += remove_left(path_join(a, folder, *names), *names);
    arena_free(a);
    return count;
}

/* ---- what is made -----------------------------------------------------------
 */

static void drop_note(struct scratch *s)
{
    if (s->lock >= 0)
        lock_drop(s->lock, s->note);
    s->lock = -1;
    s->note[0] = 0;
}

/* Without a runtime folder it goes without. */
static void take_note(struct scratch *s)
{
    struct arena *a = arena_new();
    const char *folder = runtime_folder(a, NULL);
    size_t len = strlen(s->path);
    int n = -1;
    s->lock = -1;
    if (folder)
        n = snprintf(s->note, PATH_MAX, "%s/" NOTE "%.*s", folder,
                     STRF(path_name(s->path)));
    if (n > 0 && n < PATH_MAX)
        s->lock = lock_take(s->note, 0600);
    if (s->lock < 0 || write(s->lock, s->path, len) != (ssize_t)len)
        drop_note(s);
    arena_free(a);
}

static int make(struct scratch *s, const char *tmp, const char *what)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t chance;
        if (getentropy(&chance, sizeof chance))
            return -1;
        int n = snprintf(s->path, PATH_MAX, "%s/" NAME "%s-%012llx", tmp, what,
                         (unsigned long long)(chance >> 16));
        if (n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        take_note(s);
        if (mkdir(s->path, 0700) == 0)
            return 0;
        int error = errno;
        drop_note(s);
        errno = error;
        if (error != EEXIST)
            return -1;
    }
    return -1;
}

/* Those of a parent are its own. */
static void begin(void)
{
    for (int i = 0; i < SCRATCH_MAX && getpid() != maker; i++)
        made[i].used = 0;
    scratch_sweep();
}

const char *scratch_make(const char *what, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    int i = 0;
    if (!tmp || *tmp != '/')
        tmp = "/tmp";
    begin();
    while (i < SCRATCH_MAX && made[i].used)
        i++;
    require(i < SCRATCH_MAX);
    watch_ends();
    if (make(&made[i], tmp, what)) {
        err_errno(err, "make a folder in %s", tmp);
        return NULL;
    }
    made[i].used = 1;
    return made[i].path;
}

void scratch_remove(const char *path)
{
    dir_remove(path, NULL);
    for (int i = 0; i < SCRATCH_MAX; i++)
        if (path == made[i].path) {
            made[i].used = 0;
            drop_note(&made[i]);
        }
}
