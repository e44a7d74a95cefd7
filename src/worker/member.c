/* member.c - what is said of the tasks of a trainer, and how they leave it */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "sys/sys.h"
#include "worker/member.h"

/* ---- what we say ------------------------------------------------------ */

void member_say(struct train *t, const struct member *m, enum record_type type,
                struct str payload)
{
    struct record r = {.type = type,
                       .task = m->task.id,
                       .attempt = m->task.attempt,
                       .payload = payload};
    record_print(&t->out, &r);
}

static void say_once(struct train *t, const struct member *m, const char *text,
                     uint64_t seed)
{
    uint64_t key = hash64(str_of(text), seed);
    for (size_t i = 0; i < t->told.len; i++)
        if (t->told.p[i] == key)
            return;
    vec_push(&t->told, key);
    member_say(t, m, RECORD_NOTICE, str_of(text));
}

void member_say_once(struct train *t, const struct member *m, const char *text)
{
    say_once(t, m, text, 0);
}

void member_say_once_of_task(struct train *t, const struct member *m,
                             const char *text)
{
    say_once(t, m, text, m->task.id * 2 + 1);
}

void member_say_metrics(struct train *t, struct member *m)
{
    if (!metric_batch_points(m->batch))
        return;
    buf_reset(&t->payload);
    metric_batch_print(m->batch, &t->payload);
    member_say(t, m, RECORD_METRICS, buf_str(&t->payload));
    m->reported_ns = clock_mono_ns();
}

static uint64_t own_rss(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (uint64_t)use.ru_maxrss * 1024;
}

static void say_ended(struct train *t, const struct member *m,
                      enum outcome outcome, struct str reason)
{
    struct record_ended e = {.outcome = outcome,
                             .exit_code = outcome == OUTCOME_DONE ? 0 : -1,
                             .wall = clock_wall(),
                             .seconds =
                                 (double)(clock_mono_ns() - m->begun_ns) * 1e-9,
                             .cpu_seconds = m->cpu_s,
                             .max_rss_bytes = own_rss(),
                             .reason = reason,
                             .tail = STR(""),
                             .faults = buf_str(&m->faults),
                             .use = member_use(t, m)};
    buf_reset(&t->payload);
    record_ended_print(&t->payload, &e);
    member_say(t, m, RECORD_ENDED, buf_str(&t->payload));
}

/* ---- coming and going -------------------------------------------------- */

static void member_free(struct train *t, struct member *m)
{
    if (m->kind->end)
        m->kind->end(t, m);
    sources_leave(&t->sources, m->source);
    data_product_close(m->product);
    nn_model_free(m->model);
    metric_batch_free(m->batch);
    buf_done(&m->faults);
    arena_free(m->arena);
    free(m);
}

void member_close(struct train *t, struct member *m)
{
    cohort_leave(m);
    member_free(t, m);
}

struct member *member_new(const struct task *task)
{
    struct member *m = xcalloc(1, sizeof *m);
    m->arena = arena_new();
    m->batch = metric_batch_new();
    buf_init(&m->faults);
    m->begun_ns = m->reported_ns = clock_mono_ns();
    m->last = m->best = NAN;
    if (task)
        m->task = *task;
    return m;
}

void member_leave(struct train *t, size_t at, enum outcome outcome,
                  struct str reason)
{
    struct member *m = t->members.p[at];
    member_say_metrics(t, m);
    say_ended(t, m, outcome, reason);
    member_close(t, m);
    t->members.p[at] = NULL;
    t->left++;
}

void member_fail(struct train *t, size_t at, const struct err *err)
{
    struct member *m = t->members.p[at];
    struct record_fault fault = {str_of(err->at), str_of(err->text)};
    if (err->kind == ERR_INPUT && !m->faults.len)
        record_fault_print(&m->faults, &fault);
    member_leave(t, at,
                 err->kind == ERR_INPUT   ? OUTCOME_INVALID
                 : err->kind == ERR_LIMIT ? OUTCOME_MEMORY
                                          : OUTCOME_FAILED,
                 str_of(err->text));
}

void member_leave_killed(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    if (m->goes_on && m->kind->trains && m->cohort)
        member_keep(t, m);
    member_leave(t, at, OUTCOME_KILLED, STR(""));
}

void member_turn(struct train *t, size_t at,
                 int (*next)(struct member *m, struct err *err),
                 int (*finish)(struct train *t, struct member *m,
                               struct err *err))
{
    struct member *m = t->members.p[at];
    struct err err = {0};
    train_spend(t, SPENT_SYNCHRONISING);
    int rc = m->asked ? 0 : next(m, &err);
    train_spend(t, SPENT_COMPUTING);
    if (m->killed || m->asked) {
        member_leave(t, at, m->killed ? OUTCOME_KILLED : OUTCOME_STOPPED,
                     STR(""));
        return;
    }
    if (rc == 0)
        rc = finish(t, m, &err);
    if (rc == 0)
        member_leave(t, at, OUTCOME_DONE, STR(""));
    else if (rc < 0)
        member_fail(t, at, &err);
}
