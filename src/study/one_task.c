/* one_task.c - one task for one worker, here and now
 *
 * The same path that the trials of a study take. */
#include "study/study.h"

#include <signal.h>

#include "engine/engine.h"

static void on_record(void *context, const struct record *r)
{
    struct one_task *t = context;
    struct record_ended e;
    if (r->type == RECORD_METRICS)
        t->metrics(t->context, r->payload);
    if (r->type == RECORD_NOTICE)
        t->notice(t->context, r->payload);
    if (r->type == RECORD_ENDED &&
        record_ended_parse(r->payload, &e, t->err) == 0) {
        t->outcome = e.outcome;
        t->reason = arena_str(t->arena, e.reason);
        t->faults = arena_str(t->arena, e.faults);
    }
    engine_ack(t->engine);
    if (r->type == RECORD_ENDED)
        engine_quit(t->engine, true);
}

static void on_lost(void *context, uint64_t task, uint32_t attempt,
                    enum loss loss, uint32_t company, const char *reason)
{
    struct one_task *t = context;
    (void)task;
    (void)attempt;
    (void)loss;
    (void)company;
    t->outcome = OUTCOME_LOST;
    t->reason = arena_str(t->arena, str_of(reason));
    engine_quit(t->engine, true);
}

static void on_fault(void *context, const struct err *err)
{
    struct one_task *t = context;
    t->outcome = OUTCOME_FAILED;
    t->reason = arena_str(t->arena, str_of(err->text));
    engine_quit(t->engine, true);
}

static void on_idle(void *context)
{
    struct one_task *t = context;
    loop_stop(t->loop);
}

/* The first Ctrl-C ends training after this epoch and keeps the weights. */
static void on_interrupt(void *context, int signum)
{
    struct one_task *t = context;
    (void)signum;
    if (t->asked++ == 0)
        engine_stop_task(t->engine, 1);
    else
        engine_kill_task(t->engine, 1, OUTCOME_KILLED);
}

static int open_engine(struct one_task *t, struct machine *m)
{
    struct engine_hooks hooks = {.context = t,
                                 .record = on_record,
                                 .lost = on_lost,
                                 .fault = on_fault,
                                 .idle = on_idle};
    struct engine_setup setup = {.place = PLACE_HERE,
                                 .loop = t->loop,
                                 .machine = m,
                                 .parallel = 1,
                                 .folder = t->scratch};
    setup.worker = worker_path(t->arena, t->err);
    if (!setup.worker || machine_read(m, NULL, t->arena, t->err))
        return -1;
    t->engine = engine_open(&setup, &hooks, t->err);
    return t->engine ? engine_start(t->engine, 0, t->err) : -1;
}

int one_task_run(struct one_task *t, const struct task *task, struct arena *a,
                 struct err *err)
{
    struct machine m;
    int rc = -1;
    t->arena = a;
    t->err = err;
    if (task_text_check(task, err))
        return -1;
    t->loop = loop_new(err);
    if (t->loop && !loop_signals_to_end(t->loop, on_interrupt, t) &&
        open_engine(t, &m) == 0 && engine_submit(t->engine, task, err) == 0)
        rc = loop_run(t->loop, err);
    if (t->engine)
        engine_close(t->engine);
    loop_free(t->loop);
    return rc;
}
