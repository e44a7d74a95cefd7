/* act.c - changing a study, whether or not it runs
 *
 * A change is always a request in a file, also where nobody runs the study:
 * then whoever gets the lease first applies all that wait, so that verbs at
 * the same time neither refuse each other nor do anything twice. */
#include "cli/act.h"
#include "cli/trusted.h"
#include "view/view.h"

#include <unistd.h>

#define ANSWER_S 20.0 /* a busy study is given this long */
#define LIVES_S 0.2   /* who holds the lease is looked at this often */
#define LOOK_MS 10

static int is_live(struct call *c, const char *folder, bool *live)
{
    struct lease lease;
    struct err why = {0};
    struct store *store = store_open(folder, false, &why);
    *live = true;
    if (!store && why.kind == ERR_BUSY)
        return 0;
    if (!store)
        return err_set(&c->err, why.kind, "%s", why.text);
    int rc = store_lease_read(store, &lease, &c->err);
    *live = !rc && lease.live;
    store_close(store);
    return rc;
}

/* Nobody runs the study: its requests are applied here, unless somebody else
 * begins with that at the same moment. */
static int apply_here(struct call *c, const char *folder)
{
    struct err why = {0};
    struct store *store = store_open(folder, true, &why);
    int rc = store ? store_lease_take(store, false, &why) : -1;
    if (!rc)
        rc = study_apply_waiting(store, &why);
    store_close(store);
    if (!rc || why.kind == ERR_BUSY)
        return 0;
    return err_set(&c->err, why.kind,
                   "%s; the request waits, and the next throng that can write "
                   "there applies it",
                   why.text);
}

/* 1: *answer; 0: none yet. */
static int look(struct call *c, const char *folder, const char *file,
                struct request_answer *answer)
{
    bool gone = !store_request_waits(folder, file);
    int got = store_answer_take(folder, file, answer, &c->err);
    if (got || !gone)
        return got;
    return err_set(&c->err, ERR_SYSTEM,
                   "the request was taken away without an answer, as an older "
                   "throng does that runs the study; look whether it was "
                   "applied before you ask again");
}

/* The conductor may end at any moment: then what it did not hear is applied
 * here. */
static int wait_for_answer(struct call *c, const char *folder, const char *file,
                           struct request_answer *answer)
{
    int64_t begun = clock_mono_ns();
    double now = 0, next = 0;
    int got = 0;
    while (!(got = look(c, folder, file, answer)) && now < ANSWER_S) {
        bool live = true;
        if (now >= next) {
            if (is_live(c, folder, &live))
                return -1;
            next = now + LIVES_S;
        }
        if (live)
            usleep(LOOK_MS * 1000);
        else if (apply_here(c, folder))
            return -1;
        now = (double)(clock_mono_ns() - begun) / 1e9;
    }
    return got;
}

enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               struct request_answer *answer)
{
    bool live;
    *answer = (struct request_answer){0};
    if (study_access(c->arena, where->folder, STORE_ACT, &c->err))
        return ACT_FAILED;
    /* A store that cannot be read is said before anything is asked of it. */
    if (is_live(c, where->folder, &live))
        return ACT_FAILED;
    char *file = store_request_ask(where->folder, verb, selector, args,
                                   c->arena, &c->err);
    int got = file ? wait_for_answer(c, where->folder, file, answer) : -1;
    if (got == 0)
        return ACT_ASKED;
    if (got > 0 && answer->fault.kind != ERR_NONE)
        got = err_set(&c->err, answer->fault.kind, "%s", answer->fault.text);
    if (got < 0)
        return ACT_FAILED;
    return answer->running ? ACT_HEARD : ACT_DONE;
}

static int count_trials(struct call *c, struct store *store, int64_t *count)
{
    struct query q = {.selector = c->args[0]};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    int got = -1;
    *count = 0;
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0)
        ++*count;
    rows_close(rows);
    if (got == 0 && !*count)
        return no_such_trials(store, c->args[0], c->arena, &c->err);
    return got;
}

struct store *open_for_trials(struct call *c, struct place_of_study *where,
                              int64_t *count)
{
    struct store *store = open_named_study(c, true, where);
    if (!store)
        return NULL;
    if (c->arg_count && !count_trials(c, store, count))
        return store;
    if (!c->arg_count)
        err_set(&c->err, ERR_USAGE,
                "say which trials: 7, 1-10,15, failed, best:20, tag:x, last");
    store_close(store);
    return NULL;
}
