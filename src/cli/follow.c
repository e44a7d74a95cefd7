/* follow.c - printing the logs of trials while they grow
 *
 * Several are followed as `tail -f` follows several files: a title comes
 * whenever another trial speaks, and then whole lines only. A trial is over
 * when it was final before its log was read to the end. */
#include "cli/follow.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "view/view.h"

#define SEQUENCE_MAX 32 /* bytes of one that may be whole */
#define FOLLOW_MS 200
#define BLOCK 65536

/* What an escape sequence or a character at the end does not break off; the
 * next block begins with it. */
static struct str whole_part(struct str block)
{
    for (size_t n = 1; n <= SEQUENCE_MAX && n < block.len; n++) {
        unsigned char c = (unsigned char)block.p[block.len - n];
        if (c == 27 || c >= 0xc0)
            return str_n(block.p, block.len - n);
        if (c == '\n')
            break;
    }
    return block;
}

int log_print_from(struct call *c, int fd, off_t *at)
{
    char block[BLOCK];
    for (;;) {
        ssize_t n = pread(fd, block, sizeof(block), *at);
        if (n < 0)
            return err_errno(&c->err, "read the log");
        if (n == 0)
            return 0;
        struct str text = whole_part(str_n(block, (size_t)n));
        put_output(c, text);
        *at += (off_t)text.len;
    }
}

void log_title(const struct call *c, int64_t trial)
{
    put(str_of(
        arena_printf(c->arena, "==> trial %lld <==\n", (long long)trial)));
}

/* A trial as it is followed. */
struct followed {
    int64_t trial;
    enum state state;
    char *path; /* of its log, as of its newest attempt */
    off_t at;   /* printed up to here */
    bool seen;  /* there was a log */
    bool over;
};

struct following {
    struct call *call;
    const struct place_of_study *where;
    struct followed *list;
    size_t count;
    bool live;        /* somebody runs the study */
    int64_t speaking; /* whose title came last; 0: none */
};

/* ---- looking ---------------------------------------------------------- */

/* A next attempt may go on elsewhere, with a copy of the log so far. */
static int look_at(struct following *w, struct store *store, struct followed *f)
{
    struct arena *a = arena_new();
    struct trial t;
    int rc = store_trial(store, f->trial, a, &t, &w->call->err);
    if (!rc) {
        f->state = t.state;
        free(f->path);
        f->path = xstrdup(
            path_join(a, store_trial_folder(store, f->trial, a), "log"));
    }
    arena_free(a);
    return rc;
}

static int look(struct following *w)
{
    struct lease lease;
    struct call *c = w->call;
    struct store *store = store_open(w->where->folder, false, &c->err);
    int rc = store ? store_lease_read(store, &lease, &c->err) : -1;
    if (!rc)
        w->live = lease.live;
    for (size_t i = 0; i < w->count && !rc; i++)
        if (!w->list[i].over)
            rc = look_at(w, store, &w->list[i]);
    store_close(store);
    return rc;
}

/* ---- printing --------------------------------------------------------- */

/* Up to the last line that is whole, or was drawn over: where others may
 * speak next, nobody is cut off in the middle of one. */
static struct str whole_lines(struct str text)
{
    size_t n = text.len;
    while (n > 0 && text.p[n - 1] != '\n' && text.p[n - 1] != '\r')
        n--;
    return n ? str_n(text.p, n) : text.len < BLOCK ? str_n(text.p, 0) : text;
}

static int print_lines(struct following *w, struct followed *f, int fd)
{
    char block[BLOCK];
    for (;;) {
        ssize_t n = pread(fd, block, sizeof(block), f->at);
        if (n < 0)
            return err_errno(&w->call->err, "read the log");
        struct str text = str_n(block, (size_t)n);
        if (!state_final(f->state))
            text = whole_lines(text);
        if (!text.len)
            return 0;
        if (w->speaking != f->trial)
            log_title(w->call, f->trial);
        w->speaking = f->trial;
        put_output(w->call, text);
        f->at += (off_t)text.len;
    }
}

/* The log of a trial that has ended may be in a pack by now. */
static void print_packed(struct following *w, const struct followed *f)
{
    struct packs *packs = packs_open(w->where->folder);
    struct buf b;
    buf_init(&b);
    if (!packs_read(packs, f->trial, "log", &b, NULL)) {
        if (w->count > 1)
            log_title(w->call, f->trial);
        put_output(w->call, buf_str(&b));
    }
    buf_done(&b);
    packs_close(packs);
}

static int print_new(struct following *w, struct followed *f)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC), rc = 0;
    if (fd >= 0) {
        /* A log that shrank was cut by the worker: on from its new end. */
        off_t end = lseek(fd, 0, SEEK_END);
        if (end >= 0 && end < f->at)
            f->at = end;
        f->seen = true;
        rc = w->count > 1 ? print_lines(w, f, fd)
                          : log_print_from(w->call, fd, &f->at);
        close(fd);
    }
    f->over = state_final(f->state);
    if (f->over && !f->seen)
        print_packed(w, f);
    return rc;
}

/* ---- until all are over ------------------------------------------------ */

static size_t count_open(const struct following *w, const struct followed **one)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!w->list[i].over && ++n)
            *one = &w->list[i];
    return n;
}

/* A study that nobody runs will not end them: that is said. */
static void say_left(const struct following *w, size_t open,
                     const struct followed *one)
{
    const char *command = resume_command(w->call->arena, w->where);
    if (open == 1)
        say("throng logs: trial %lld is %s, but nobody runs the study; `%s` "
            "goes on with it\n",
            (long long)one->trial, state_name(one->state), command);
    else
        say("throng logs: %zu of these trials have not ended, but nobody runs "
            "the study; `%s` goes on with them\n",
            open, command);
}

static int follow_all(struct following *w)
{
    for (;;) {
        const struct followed *one = NULL;
        if (look(w))
            return -1;
        for (size_t i = 0; i < w->count; i++)
            if (!w->list[i].over && print_new(w, &w->list[i]))
                return -1;
        size_t open = count_open(w, &one);
        if (!open)
            return 0;
        if (!w->live) {
            say_left(w, open, one);
            return 0;
        }
        clock_pause_ms(FOLLOW_MS);
    }
}

int logs_follow(struct call *c, const struct place_of_study *where,
                const int64_t *trials, size_t count)
{
    struct following w = {.call = c,
                          .where = where,
                          .list = xcalloc(count + 1, sizeof(*w.list)),
                          .count = count};
    for (size_t i = 0; i < count; i++)
        w.list[i].trial = trials[i];
    int rc = follow_all(&w);
    for (size_t i = 0; i < count; i++)
        free(w.list[i].path);
    free(w.list);
    return rc;
}
