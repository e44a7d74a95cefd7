/* warned.c - the scheduler will end this job: what runs is asked to end in time
 *
 * Nothing more begins, what waits is handed back, and what runs has its grace
 * as far as the job has the time:
 *
 *    now        asked                terminated        killed      the end
 *     |-----------|----- grace or more ---|--- grace ---|-- answers --|
 *
 * An attempt that can go on from a checkpoint is asked at once: the longer it
 * has for it the better. Another one loses all of its work when it is ended,
 * and may come to its own end before, so it is asked as late as its grace
 * allows; what it did before it was asked counts as ever. When SIGTERM came
 * there is no time for that, and everybody is asked. */
#include "worker/warned.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "terms/bundle.h"
#include "worker/kind.h"
#include "worker/sandbox.h"
#include "worker/worker.h"

#define S_NS 1000000000ll
#define ANSWERS_S 2.0  /* for the last answers, where there is time */
#define SAME_NS S_NS   /* a second SIGTERM this soon is the same one */
#define MAY_BE_NS S_NS /* for our own SIGTERM to arrive */
#define EXIT_CODE_TERMINATED                                                   \
    143 /* of a shell whose command died of SIGTERM                            \
         */

static int64_t ns(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

static bool can_go_on(const struct attempt *a)
{
    return a->kind->trains ||
           (a->folder.fd >= 0 && folder_has_checkpoint(&a->folder));
}

static void warn_one(struct attempt *a, const char *why, double seconds)
{
    int64_t now = clock_mono_ns();
    struct warning when = {.ask_ns = now};
    if (seconds > 0) {
        double grace = fmin(a->grace_s, seconds / 2);
        when.kill_ns = now + ns(seconds);
        when.terminate_ns = when.kill_ns - ns(grace);
        if (!a->worker->warned.terminated_ns && !can_go_on(a) &&
            when.terminate_ns - ns(a->grace_s) > now)
            when.ask_ns = when.terminate_ns - ns(a->grace_s);
    }
    attempt_warn(a, &when, why);
}

static void warn(struct worker *w, const char *why, double seconds)
{
    struct warned *d = &w->warned;
    int64_t now = clock_mono_ns();
    worker_begin_no_more(w);
    if (seconds > 0 && (d->end_ns == 0 || now + ns(seconds) < d->end_ns))
        d->end_ns = now + ns(seconds);
    double left = seconds - fmin(ANSWERS_S, seconds / 4);
    for (size_t i = 0; i < w->running.len; i++)
        warn_one(w->running.p[i], why, left);
}

/* Of the job, which is our standard error; 0 where that is no file. */
static uint64_t log_bytes(void)
{
    struct stat s;
    bool known = fstat(STDERR_FILENO, &s) == 0 && S_ISREG(s.st_mode);
    return known ? (uint64_t)s.st_size : 0;
}

void warned_begin(struct worker *w, const char *sandbox)
{
    struct warned *d = &w->warned;
    struct arena *a = w->environment.arena;
    double left = d->setup.time_s - d->setup.lead_s;
    d->log_bytes = log_bytes();
    if (d->setup.time_s <= 0)
        return;
    if (sandbox)
        left -= sandbox_age_s(path_absolute(a, sandbox), a);
    d->due_ns = clock_mono_ns() + ns(fmax(left, 0));
    worker_wake(w, d->due_ns);
}

void warned_if_due(struct worker *w)
{
    struct warned *d = &w->warned;
    if (d->due_ns == 0 || clock_mono_ns() < d->due_ns)
        return;
    d->due_ns = 0;
    warned_of_time(w);
}

/* What is told now is handed back: the next job may be a longer one. */
void warned_of_time(struct worker *w)
{
    if (w->warned.terminated_ns)
        return;
    w->bundle.keeps = false;
    log_to(w->log, LOG_NOTICE,
           "the job's time is nearly up: nothing more begins, and what runs is "
           "asked to end");
    warn(w, BUNDLE_TIME_UP, w->warned.setup.lead_s);
}

/* The shorter of what was said about both signals. */
static double seconds_left(const struct warned *d)
{
    double kill_s = d->setup.kill_s, lead_s = d->setup.lead_s;
    if (kill_s <= 0 || lead_s <= 0)
        return fmax(kill_s, lead_s);
    return fmin(kill_s, lead_s);
}

void warned_of_end(struct worker *w)
{
    struct warned *d = &w->warned;
    int64_t now = clock_mono_ns();
    if (d->terminated_ns && now < d->terminated_ns + SAME_NS)
        return;
    if (d->terminated_ns) {
        worker_end_now(w);
        return;
    }
    log_to(w->log, LOG_NOTICE,
           "the scheduler ends the job: what runs is asked to end");
    d->terminated_ns = now;
    w->bundle.keeps = w->bundle.sandbox != NULL;
    warn(w, BUNDLE_ENDED, seconds_left(d));
}

/* A shell whose command died of the signal goes on with the next one, and may
 * end well. But before a scheduler ends a job it writes a line into its log:
 * while that has grown, a signal may be on its way. */
static bool log_has_grown(struct warned *d)
{
    int64_t now = clock_mono_ns();
    if (d->log_grew_ns && now >= d->log_grew_ns + MAY_BE_NS) {
        d->log_bytes = log_bytes();
        d->log_grew_ns = 0;
    } else if (!d->log_grew_ns && log_bytes() != d->log_bytes) {
        d->log_grew_ns = now;
    }
    return d->log_grew_ns > 0;
}

static bool has_died_of_it(const struct attempt *a)
{
    bool terminated =
        (WIFSIGNALED(a->status) && WTERMSIG(a->status) == SIGTERM) ||
        (WIFEXITED(a->status) &&
         WEXITSTATUS(a->status) == EXIT_CODE_TERMINATED);
    int64_t ended_ns = a->started_ns + ns(a->ran_s);
    return terminated && clock_mono_ns() < ended_ns + MAY_BE_NS;
}

static bool is_own_end(const struct attempt *a)
{
    return a->phase == ATTEMPT_DRAINING && a->process.pid > 0 &&
           a->verdict == OUTCOME_NONE && a->push == PUSH_NONE;
}

/* One that died of the scheduler's SIGTERM did not fail. */
bool warned_may_be(struct attempt *a)
{
    struct warned *d = &a->worker->warned;
    if (!a->worker->bundle.on || !is_own_end(a) ||
        !(has_died_of_it(a) || log_has_grown(d)))
        return false;
    if (!d->terminated_ns)
        return true;
    a->verdict = OUTCOME_INTERRUPTED;
    a->reason = BUNDLE_ENDED_TOO;
    return false;
}
