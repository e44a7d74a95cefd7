/* logs.c - what trials printed
 *
 * -f follows one trial until it ends, as tail -f does. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/go_on.h"
#include "cli/names.h"

#define SEQUENCE_MAX 32 /* bytes of one that may be whole */
#define FOLLOW_MS 200
#define ABSENT_NAMED 3 /* trials without a log; the others are counted */

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

static int print_from(struct call *c, int fd, off_t *at)
{
    char block[65536];
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

/* A log that shrank was cut by the worker: go on from its new end. */
static void mind_cut(int fd, off_t *at)
{
    off_t end = lseek(fd, 0, SEEK_END);
    if (end >= 0 && end < *at)
        *at = end;
}

/* A trial as it is followed. */
struct followed {
    int64_t trial;
    enum state state;
    bool live; /* somebody runs its study */
    char path[PATH_MAX];
    int fd; /* of the log at that path; -1: there is none yet */
};

/* A next attempt may go on elsewhere, with a copy of the log so far. */
static void turn_to(struct followed *f, const char *path)
{
    if (!strcmp(f->path, path))
        return;
    snprintf(f->path, sizeof(f->path), "%s", path);
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static int look(struct call *c, const char *folder, struct followed *f)
{
    struct trial t;
    struct lease lease;
    struct store *store = store_open(folder, false, &c->err);
    if (!store)
        return -1;
    struct arena *a = arena_new();
    int rc = store_lease_read(store, &lease, &c->err);
    if (!rc)
        rc = store_trial(store, f->trial, a, &t, &c->err);
    if (!rc) {
        f->state = t.state;
        f->live = lease.live;
        turn_to(f, path_join(a, store_trial_folder(store, f->trial, a), "log"));
        if (f->fd < 0)
            f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    }
    arena_free(a);
    store_close(store);
    return rc;
}

/* The log of a trial that has ended, packed or not, where it has one. */
static void print_whole(struct call *c, const char *folder, int64_t trial)
{
    struct packs *packs = packs_open(folder);
    struct buf b;
    buf_init(&b);
    if (!packs_read(packs, trial, "log", &b, NULL))
        put_output(c, buf_str(&b));
    buf_done(&b);
    packs_close(packs);
}

/* Prints until the trial has ended. A study that nobody runs will not end
 * it: that is said, and waiting ends. */
static int follow(struct call *c, const struct place_of_study *where,
                  int64_t trial)
{
    struct followed f = {.trial = trial, .fd = -1};
    off_t at = 0;
    int rc;
    for (;;) {
        rc = look(c, where->folder, &f);
        if (!rc && f.fd >= 0) {
            mind_cut(f.fd, &at);
            rc = print_from(c, f.fd, &at);
        }
        if (rc || state_final(f.state))
            break;
        if (!f.live) {
            say("throng logs: trial %lld is %s, but nobody runs the "
                "study; `%s` goes on with it\n",
                (long long)trial, state_name(f.state), go_on_command(c, where));
            break;
        }
        usleep(FOLLOW_MS * 1000);
    }
    if (!rc && f.fd < 0 && state_final(f.state))
        print_whole(c, where->folder, trial);
    if (f.fd >= 0)
        close(f.fd);
    return rc;
}

static void explain_absence(const struct trial *t)
{
    if (t->state == STATE_WAITING)
        say("throng logs: trial %lld has not started yet\n", (long long)t->id);
    else
        say("throng logs: trial %lld (%s) has no log: it printed "
            "nothing\n",
            (long long)t->id, state_name(t->state));
}

struct printing {
    struct call *call;
    struct store *store;
    struct packs *packs;
    bool titles;
    int64_t absent;
};

static void print_title(const struct printing *p, int64_t trial)
{
    if (p->titles)
        put(str_of(arena_printf(p->call->arena, "==> trial %lld <==\n",
                                (long long)trial)));
}

/* Small ones of large studies are packed. */
static int print_packed(struct printing *p, const struct trial *t)
{
    struct err why = {0};
    struct buf b;
    buf_init(&b);
    int rc = packs_read(p->packs, t->id, "log", &b, &why);
    if (!rc) {
        print_title(p, t->id);
        put_output(p->call, buf_str(&b));
    } else if (why.kind != ERR_MISSING) {
        err_set(&p->call->err, why.kind, "%s", why.text);
    } else {
        rc = 0;
        if (p->absent++ < ABSENT_NAMED)
            explain_absence(t);
    }
    buf_done(&b);
    return rc;
}

static int print_log(struct printing *p, const struct trial *t)
{
    struct call *c = p->call;
    char *path = path_join(
        c->arena, store_trial_folder(p->store, t->id, c->arena), "log");
    off_t at = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return print_packed(p, t);
    if (fd < 0)
        return err_errno(&c->err, "open %s", path);
    print_title(p, t->id);
    int rc = print_from(c, fd, &at);
    close(fd);
    return rc;
}

static int print_logs(struct call *c, struct store *store, const char *folder,
                      const char *selector)
{
    struct query q = {.selector = selector};
    struct rows *rows = store_rows(store, &q, &c->err);
    if (!rows)
        return -1;
    struct trial t;
    bool many = strpbrk(selector, ",-:") || !strpbrk(selector, "0123456789");
    struct printing p = {.call = c,
                         .store = store,
                         .packs = packs_open(folder),
                         .titles = many && strcmp(selector, "last")};
    int64_t count = 0;
    int got;
    while ((got = rows_next(rows, &t, &c->err)) > 0) {
        count++;
        if (print_log(&p, &t)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    packs_close(p.packs);
    if (p.absent > ABSENT_NAMED)
        say("throng logs: %lld more of them have no log\n",
            (long long)(p.absent - ABSENT_NAMED));
    if (!got && !count)
        return no_such_trials(c, store, selector);
    return got;
}

static int64_t first_of(struct call *c, struct store *store,
                        const char *selector)
{
    struct query q = {.selector = selector, .limit = 1};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int64_t id = -1;
    int got = rows ? rows_next(rows, &t, &c->err) : -1;
    if (got > 0)
        id = t.id;
    else if (got == 0)
        no_such_trials(c, store, selector);
    rows_close(rows);
    return id;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct store *store = open_named_study(c, true, &where);
    if (!store)
        return call_fail(c);
    const char *selector = c->arg_count ? c->args[0] : "last";
    int rc;
    if (call_flag(c, "follow")) {
        int64_t id = first_of(c, store, selector);
        store_close(store);
        store = NULL;
        rc = id < 0 ? -1 : follow(c, &where, id);
    } else {
        rc = print_logs(c, store, where.folder, selector);
    }
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

const struct verb verb_logs = {
    .name = "logs",
    .args = "[STUDY] [TRIALS]",
    .summary = "Print what trials wrote to their output",
    .text = "Standard output and standard error, as they came. Without "
            "TRIALS: the last one.\nOn a terminal colours are kept; what would "
            "move the cursor or set a title is\nshown as letters.\n",
    .options =
        (const struct option_spec[]){
            {"follow", 'f', NULL, "go on printing until the trial ends"}, {0}},
    .run = run,
    .pages = true,
};
