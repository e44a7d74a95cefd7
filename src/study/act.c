/* act.c - changing a study, whether or not it runs
 *
 * A change is always a request in a file, also where nobody runs the study:
 * then whoever gets the lease first applies all that wait, so that verbs at
 * the same time neither refuse each other nor do anything twice. */
#include <unistd.h>
#include "study/study.h"

#define ANSWER_S 20.0 /* a busy study is given this long */
#define LIVES_S 0.2   /* who holds the lease is looked at this often */
#define LOOK_MS 10

static int is_live(const char *folder, bool *live, struct err *err)
{
    struct lease lease;
    struct err why = {0};
    struct store *store = store_open(folder, false, &why);
    *live = true;
    if (!store && why.kind == ERR_BUSY)
        return 0;
    if (!store)
        return err_set(err, why.kind, "%s", why.text);
    int rc = store_lease_read(store, &lease, err);
    *live = !rc && lease.live;
    store_close(store);
    return rc;
}

/* Nobody runs the study: its requests are applied here, unless somebody else
 * begins with that at the same moment. */
static int apply_here(const char *folder, struct err *err)
{
    struct err why = {0};
    struct store *store = store_open(folder, true, &why);
    int rc = store ? store_lease_take(store, false, &why) : -1;
    if (!rc)
        rc = study_apply_waiting(store, &why);
    store_close(store);
    if (!rc || why.kind == ERR_BUSY)
        return 0;
    return err_set(err, why.kind,
                   "%s; the request waits, and the next throng that can write "
                   "there applies it",
                   why.text);
}

/* 1: *answer; 0: none yet. */
static int look(const char *folder, const char *file,
                struct request_answer *answer, struct err *err)
{
    bool gone = !store_request_waits(folder, file);
    int got = store_answer_take(folder, file, answer, err);
    if (got || !gone)
        return got;
    return err_set(err, ERR_SYSTEM,
                   "the request was taken away without an answer, as an older "
                   "throng does that runs the study; look whether it was "
                   "applied before you ask again");
}

/* The conductor may end at any moment: then what it did not hear is applied
 * here. */
static int wait_for_answer(const char *folder, const char *file,
                           struct request_answer *answer, struct err *err)
{
    int64_t begun = clock_mono_ns();
    double now = 0, next = 0;
    int got = 0;
    while (!(got = look(folder, file, answer, err)) && now < ANSWER_S) {
        bool live = true;
        if (now >= next) {
            if (is_live(folder, &live, err))
                return -1;
            next = now + LIVES_S;
        }
        if (live)
            clock_pause_ms(LOOK_MS);
        else if (apply_here(folder, err))
            return -1;
        now = (double)(clock_mono_ns() - begun) / 1e9;
    }
    return got;
}

enum acted study_act(const char *folder, const struct act *what,
                     struct request_answer *answer, struct arena *a,
                     struct err *err)
{
    bool live;
    *answer = (struct request_answer){0};
    if (study_access(a, folder, STORE_ACT, err))
        return ACT_FAILED;
    /* A store that cannot be read is said before anything is asked of it. */
    if (is_live(folder, &live, err))
        return ACT_FAILED;
    char *file = store_request_ask(folder, what->verb, what->selector,
                                   what->args, a, err);
    int got = file ? wait_for_answer(folder, file, answer, err) : -1;
    if (got == 0)
        return ACT_ASKED;
    if (got > 0 && answer->fault.kind != ERR_NONE)
        got = err_set(err, answer->fault.kind, "%s", answer->fault.text);
    if (got < 0)
        return ACT_FAILED;
    return answer->running ? ACT_HEARD : ACT_DONE;
}
