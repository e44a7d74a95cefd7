/* bundle.c - a worker in a job of a scheduler
 *
 * The files may lie on a disk in the network, which other machines write: what
 * is asked is looked at by opening the file anew each time, since that is what
 * makes such disks show what is in it. */
#include "worker/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "terms/bundle.h"
#include "worker/sandbox.h"
#include "worker/worker.h"

#define LOOK_NS 1000000000ll
#define ASKED_MAX (256u << 20) /* in one look */
#define BLOCK 65536
#define TASKS_WAIT_NS (5 * LOOK_NS) /* for the rest of a file of tasks */
#define EMPTY_WAIT_MS 2000          /* for the first word of another worker */

/* ---- tasks ------------------------------------------------------------- */

/* 1: all of it is tasks; 0: the end is missing; -1: it makes no sense. */
static int check_tasks(struct str rest, struct err *err)
{
    struct record r;
    size_t used;
    int got = 0;
    while (rest.len > 0 && (got = bundle_next(rest, &r, &used, err)) > 0) {
        if (r.type != RECORD_TASK)
            return err_set(err, ERR_CORRUPT,
                           "it holds a record of type %d, which is no task",
                           r.type);
        rest = str_n(rest.p + used, rest.len - used);
    }
    if (got < 0)
        return -1;
    if (rest.len == 0 && got > 0)
        return 1;
    err_set(err, ERR_CORRUPT,
            rest.len ? "it ends in the middle of a record"
                     : "it holds no task");
    return 0;
}

static int read_tasks(struct worker *w, struct buf *text, struct err *err)
{
    const char *path = w->bundle.tasks;
    int64_t give_up = clock_mono_ns() + TASKS_WAIT_NS;
    int got = 0;
    for (;;) {
        buf_reset(text);
        if (file_read(path, 0, text, err) != 0) {
            w->exit_code = WORKER_EXIT_NO_TASKS;
            return err_wrap(err, "the tasks of this job");
        }
        got = check_tasks(buf_str(text), err);
        if (got != 0 || clock_mono_ns() >= give_up)
            break;
        clock_pause_ms(100);
    }
    if (got > 0)
        return 0;
    w->exit_code = WORKER_EXIT_DAMAGED;
    return err_wrap(err, "the tasks of this job in %s", path);
}

static void take_tasks(struct worker *w, struct str rest)
{
    struct record r;
    size_t used;
    while (rest.len > 0 && bundle_next(rest, &r, &used, NULL) > 0) {
        if (!earlier_ended(&w->bundle.earlier, r.task))
            worker_take(w, &r);
        rest = str_n(rest.p + used, rest.len - used);
    }
}

/* ---- answers ----------------------------------------------------------- */

static int open_there(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_size == 0))
        return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

/* Whoever makes the file says hello at once. One that stays empty was made by
 * nobody's worker, or by one that died before its first word. */
static int open_said(struct worker *w, struct err *err)
{
    const char *path = w->bundle.said;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST && (fd = open_there(path)) >= 0) {
        close(fd);
        clock_pause_ms(EMPTY_WAIT_MS);
        fd = open_there(path);
    }
    if (fd >= 0)
        return fd;
    bool twice = errno == EEXIST;
    w->exit_code = twice ? WORKER_EXIT_TWICE : WORKER_EXIT_UNSAID;
    if (twice)
        return err_set(err, ERR_BUSY,
                       "%s holds answers already: another worker has begun "
                       "this start of the job, so this one does nothing",
                       path);
    return err_errno(err, "open %s", path);
}

/* ---- what is asked ----------------------------------------------------- */

static void obey(struct worker *w, struct str rest)
{
    struct bundle *b = &w->bundle;
    struct err err = {0};
    struct record r;
    size_t used;
    int got;
    while ((got = bundle_next(rest, &r, &used, &err)) > 0) {
        if (r.type == RECORD_STOP || r.type == RECORD_KILL ||
            r.type == RECORD_GO)
            worker_take(w, &r);
        else
            log_to(w->log, LOG_WARN, "%s asks for what cannot be asked: %d",
                   b->asked, r.type);
        b->asked_at += used;
        rest = str_n(rest.p + used, rest.len - used);
    }
    if (got < 0 && !b->asked_damaged)
        log_to(w->log, LOG_WARN,
               "%s: %s; what is asked from byte %llu on is not done", b->asked,
               err.text, (unsigned long long)b->asked_at);
    b->asked_damaged = got < 0;
}

static void look(struct worker *w)
{
    struct bundle *b = &w->bundle;
    struct buf text;
    ssize_t n = 1;
    int fd = open(b->asked, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    buf_init(&text);
    while (n > 0 && text.len < ASKED_MAX) {
        buf_reserve(&text, BLOCK);
        n = pread(fd, text.p + text.len, BLOCK,
                  (off_t)(b->asked_at + text.len));
        text.len += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    obey(w, buf_str(&text));
    buf_done(&text);
}

void bundle_look_if_due(struct worker *w)
{
    struct bundle *b = &w->bundle;
    if (b->look_ns == 0 || clock_mono_ns() < b->look_ns)
        return;
    look(w);
    b->look_ns = clock_mono_ns() + LOOK_NS;
    worker_wake(w, b->look_ns);
}

/* ---- life -------------------------------------------------------------- */

static int open_files(struct worker *w, struct buf *text, struct err *err)
{
    struct bundle *b = &w->bundle;
    if (read_tasks(w, text, err) != 0)
        return -1;
    int fd = open_said(w, err);
    if (fd < 0)
        return -1;
    worker_answer_in(w, fd);
    take_tasks(w, buf_str(text));
    if (b->asked) {
        b->look_ns = clock_mono_ns();
        bundle_look_if_due(w);
    }
    return 0;
}

/* Where answers are, and which start this is. */
static int find_place(struct worker *w, const struct bundle_setup *s,
                      const char **stem, uint32_t *start, struct err *err)
{
    struct bundle *b = &w->bundle;
    struct arena *a = w->environment.arena;
    *start = s->start;
    if (!s->sandbox)
        return 0;
    w->exit_code = WORKER_EXIT_UNSAID;
    b->sandbox = sandbox_make(s->sandbox, a, err);
    if (!b->sandbox || dir_unflatten(path_folder(a, s->tasks), err) != 0)
        return -1;
    *stem = path_join(a, b->sandbox, path_name(*stem).p);
    *start = sandbox_starts(*stem, a);
    if (*start > BUNDLE_START_MAX)
        return err_set(err, ERR_LIMIT, "this job was begun %u times: too often",
                       *start);
    b->earlier.moves = true;
    w->exit_code = 0;
    return 0;
}

int bundle_open(struct worker *w, const struct bundle_setup *s, struct err *err)
{
    struct bundle *b = &w->bundle;
    struct arena *a = w->environment.arena;
    const char *stem = bundle_stem(s->tasks, a);
    uint32_t start;
    struct buf text;
    *b = (struct bundle){.on = true, .tasks = s->tasks, .asked = s->asked};
    earlier_init(&b->earlier);
    if (!stem) {
        w->exit_code = WORKER_EXIT_USAGE;
        return err_set(err, ERR_USAGE, "--bundle %s: FILE.tasks is expected",
                       s->tasks);
    }
    if (find_place(w, s, &stem, &start, err) != 0)
        return -1;
    b->said = bundle_said(stem, start, a);
    earlier_read(&b->earlier, stem, start, w->log);
    buf_init(&text);
    int rc = open_files(w, &text, err);
    buf_done(&text);
    return rc;
}

void bundle_done(struct bundle *b)
{
    earlier_done(&b->earlier);
}
