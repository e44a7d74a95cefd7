/* saving.c - a job that is begun again and again, so that its work is kept */
#include "worker/saving.h"

#include <sys/wait.h>
#include "terms/bundle.h"
#include "worker/kind.h"
#include "worker/worker.h"

#define S_NS 1000000000ll
#define WAIT_PART 4             /* of the time between two savings */
#define TRAINER_NS (600 * S_NS) /* to put its state down */

static const char why[] = "its job saved what was done";

void saving_init(struct worker *w, double every_s)
{
    struct saving *s = &w->saving;
    s->every_ns = (int64_t)(every_s * 1e9);
    if (s->every_ns <= 0)
        return;
    s->due_ns = clock_mono_ns() + s->every_ns;
    worker_wake(w, s->due_ns);
}

bool saving_waits(const struct worker *w)
{
    return w->saving.waits;
}

/* ---- asking ------------------------------------------------------------ */

static int64_t grace_ns(const struct attempt *a)
{
    return (int64_t)(a->grace_s * 1e9);
}

static bool can_be_asked(const struct attempt *a)
{
    if (a->kind->trains || a->phase != ATTEMPT_RUNNING)
        return true;
    return !a->deaf && a->folder.fd >= 0 && folder_has_checkpoint(&a->folder);
}

static bool all_can_be_asked(const struct worker *w)
{
    for (size_t i = 0; i < w->running.len; i++)
        if (!can_be_asked(w->running.p[i]))
            return false;
    return true;
}

static void interrupt_training(struct attempt *a, int64_t now)
{
    struct warning when = {.ask_ns = now,
                           .terminate_ns = now + TRAINER_NS,
                           .kill_ns = now + 2 * TRAINER_NS};
    a->worker->saving.answered = true;
    attempt_warn(a, &when, why);
}

static void ask_one(struct attempt *a, int64_t now)
{
    if (a->phase != ATTEMPT_RUNNING || a->asked_ns || a->push != PUSH_NONE)
        return;
    a->asked_ns = now;
    if (a->kind->trains) {
        interrupt_training(a, now);
        return;
    }
    folder_ask_stop(&a->folder);
    worker_wake(a->worker, now + grace_ns(a));
}

static bool is_awaited(const struct attempt *a)
{
    return a->phase == ATTEMPT_RUNNING && a->asked_ns && !a->deaf;
}

/* Of programs the first one shows whether they answer. */
static void ask(struct worker *w, int64_t now)
{
    bool awaited = false;
    for (size_t i = 0; i < w->running.len; i++)
        awaited |= is_awaited(w->running.p[i]);
    for (size_t i = 0; i < w->running.len; i++) {
        struct attempt *a = w->running.p[i];
        if (!a->kind->trains && !w->saving.answered && awaited)
            return;
        ask_one(a, now);
        awaited |= is_awaited(a);
    }
}

/* ---- answers ----------------------------------------------------------- */

/* One that comes late, but not much, is still taken for one: who takes long to
 * save must not be taken for one that was done. */
bool saving_is_answer(struct attempt *a)
{
    if (!a->asked_ns || a->verdict != OUTCOME_NONE || !WIFEXITED(a->status))
        return false;
    int code = WEXITSTATUS(a->status);
    int64_t ended_ns = a->started_ns + (int64_t)(a->ran_s * 1e9);
    if ((code != 0 && code != EXIT_CODE_CHECKPOINTED) ||
        ended_ns > a->asked_ns + 2 * grace_ns(a))
        return false;
    a->verdict = OUTCOME_INTERRUPTED;
    a->reason = why;
    a->worker->saving.answered = true;
    a->worker->bundle.keeps = true;
    return true;
}

static void take_back(struct worker *w, int64_t now)
{
    for (size_t i = 0; i < w->running.len; i++) {
        struct attempt *a = w->running.p[i];
        if (!is_awaited(a) || a->kind->trains ||
            now < a->asked_ns + grace_ns(a))
            continue;
        a->deaf = true;
        if (a->push == PUSH_NONE)
            folder_ask_no_more(&a->folder);
        log_to(w->log, LOG_NOTICE,
               "trial %llu was asked to save and end, and did not within its "
               "grace: it is left alone",
               (unsigned long long)a->task.id);
    }
}

/* ---- the whole --------------------------------------------------------- */

static void begin(struct worker *w, int64_t now)
{
    struct saving *s = &w->saving;
    s->waits = true;
    s->give_up_ns = now + s->every_ns / WAIT_PART;
    w->bundle.keeps = true;
    worker_wake(w, s->give_up_ns);
}

static void give_up(struct worker *w, int64_t now)
{
    struct saving *s = &w->saving;
    s->waits = false;
    s->due_ns = now + s->every_ns;
    w->bundle.keeps = false;
    worker_wake(w, now); /* what waits may begin */
    log_to(w->log, LOG_NOTICE,
           "what runs cannot be interrupted: nothing is saved for now");
}

/* What waits is left to the next start. Where nothing does, the bundle is
 * done. */
static void end(struct worker *w)
{
    w->saving.waits = false;
    w->saving.due_ns = 0;
    log_to(w->log, LOG_NOTICE,
           "what was done until now is handed over, and the job begun again");
    worker_begin_no_more(w);
}

int64_t saving_next_ns(const struct worker *w)
{
    const struct saving *s = &w->saving;
    int64_t next = s->waits && !s->answered ? s->give_up_ns : 0;
    if (!s->waits)
        return s->due_ns;
    for (size_t i = 0; i < w->running.len; i++) {
        const struct attempt *a = w->running.p[i];
        int64_t until = a->asked_ns + grace_ns(a);
        if (is_awaited(a) && !a->kind->trains && (!next || until < next))
            next = until;
    }
    return next;
}

void saving_look(struct worker *w)
{
    struct saving *s = &w->saving;
    int64_t now = clock_mono_ns();
    if (s->due_ns == 0 || now < s->due_ns || w->phase != WORKER_RUNS)
        return;
    if (!s->waits)
        begin(w, now);
    take_back(w, now);
    if (s->answered || all_can_be_asked(w))
        ask(w, now);
    if (w->running.len == 0 && w->chosen.len == 0)
        end(w);
    else if (!s->answered && now >= s->give_up_ns)
        give_up(w, now);
}
