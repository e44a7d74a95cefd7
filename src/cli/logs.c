/* logs.c - what trials printed */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/follow.h"
#include "view/view.h"

#define ABSENT_NAMED 3 /* trials without a log; the others are counted */

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
        log_title(p->call, trial);
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
    int rc = log_print_from(c, fd, &at);
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
        return no_such_trials(store, selector, c->arena, &c->err);
    return got;
}

typedef VEC(int64_t) id_list;

static int find_all(struct call *c, struct store *store, const char *selector,
                    id_list *ids)
{
    struct query q = {.selector = selector};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, &c->err)) > 0)
        vec_push(ids, t.id);
    rows_close(rows);
    return got || ids->len ? got
                           : no_such_trials(store, selector, c->arena, &c->err);
}

/* The store, which is closed, is looked at anew while they run. */
static int follow(struct call *c, struct store *store,
                  const struct place_of_study *where, const char *selector)
{
    id_list ids = {0};
    int rc = find_all(c, store, selector, &ids);
    store_close(store);
    if (!rc)
        rc = logs_follow(c, where, ids.p, ids.len);
    vec_done(&ids);
    return rc;
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
        rc = follow(c, store, &where, selector);
    } else {
        rc = print_logs(c, store, where.folder, selector);
        store_close(store);
    }
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(logs) = {
    .name = "logs",
    .args = "[STUDY] [TRIALS]",
    .summary = "Print what trials wrote to their output",
    .text = "Standard output and standard error, as they came. Without "
            "TRIALS: the last one.\nOn a terminal colours are kept, and of a "
            "progress bar the last state; what else\nwould move the cursor or "
            "set a title is shown as letters.\n",
    .options =
        (const struct option_spec[]){
            {"follow", 'f', NULL, "go on printing until the trials end"}, {0}},
    .run = run,
    .pages = true,
};
