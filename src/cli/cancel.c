/* cancel.c - ending the jobs of a study that nobody runs
 *
 * Jobs of a scheduler go on without a conductor. Who wants them gone becomes
 * one for as long as that takes: it takes up what is out, hears what was said
 * meanwhile, and ends the rest, which goes on with the next run. */
#include "cli/cancel.h"

#include <stdlib.h>
#include <sys/stat.h>
#include "view/view.h"

static int fill(struct call *c, struct study_setup *setup)
{
    struct machine *machine = arena_new_of(c->arena, struct machine);
    setup->machine = machine;
    setup->worker = worker_path(c->arena, &c->err);
    if (!setup->worker ||
        machine_read(machine, getenv("THRONG_GPUS"), c->arena, &c->err))
        return -1;
    umask(store_mask(setup->folder));
    setup->loop = loop_new(&c->err);
    return setup->loop ? 0 : -1;
}

static int end_all(struct call *c, const struct study_setup *setup)
{
    enum study_end end;
    struct study *study = study_open(setup, &c->err);
    if (!study)
        return -1;
    uint32_t out = study_out(study);
    study_interrupt(study);
    int rc = study_run(study, &end, &c->err);
    study_close(study);
    if (rc)
        return -1;
    if (!out)
        say("throng kill: the study %.*s is not running\n",
            STRF(setup->plan->name));
    else
        say("throng kill: %u trial%s of %.*s %s out at %s; the jobs are "
            "cancelled, and what had not ended goes on with the next run\n",
            out, out == 1 ? "" : "s", STRF(setup->plan->name),
            out == 1 ? "was" : "were", setup->place);
    return 0;
}

int stored_setup_open(struct call *c, const struct place_of_study *where,
                      struct stored_setup *s)
{
    *s = (struct stored_setup){.log = log_stderr()};
    s->setup = (struct study_setup){
        .folder = where->folder, .home = where->home, .log = &s->log};
    struct store *store = store_open(where->folder, false, &c->err);
    if (!store)
        return -1;
    s->plan =
        study_stored_plan(store, where->home, where->name, c->arena, &c->err);
    s->setup.place = study_place(store, c->arena);
    s->setup.plan = s->plan;
    store_close(store);
    if (s->plan && fill(c, &s->setup) == 0)
        return 0;
    stored_setup_close(s);
    return -1;
}

void stored_setup_close(struct stored_setup *s)
{
    loop_free(s->setup.loop);
    plan_close(s->plan);
    *s = (struct stored_setup){0};
}

/* How many jobs were to conduct it; -1: c->err. */
static int cancel_conductors(struct call *c, const struct stored_setup *s)
{
    int count = conductor_job_cancel(&s->setup, &c->err);
    if (count > 0)
        say("throng %s: the job that was to conduct the study %.*s is "
            "cancelled\n",
            c->verb->name, STRF(s->plan->name));
    return count;
}

int cancel_jobs(struct call *c, const struct place_of_study *where)
{
    struct stored_setup s;
    if (stored_setup_open(c, where, &s))
        return -1;
    int rc = cancel_conductors(c, &s) < 0 ? -1 : end_all(c, &s.setup);
    stored_setup_close(&s);
    return rc;
}

int cancel_conductor(struct call *c, const struct place_of_study *where)
{
    struct conductor_jobs jobs;
    struct stored_setup s;
    uint64_t out = study_jobs_out(where->folder, c->arena);
    int count = 0;
    conductor_jobs_read(where->folder, &jobs);
    if (jobs.now) {
        if (stored_setup_open(c, where, &s))
            return -1;
        count = cancel_conductors(c, &s);
        stored_setup_close(&s);
    }
    if (count < 0)
        return -1;
    if (out)
        say("throng stop: nobody runs the study %s, and %llu job%s of it "
            "go%s on: `throng run` collects what they do, `throng kill %s` "
            "cancels them\n",
            where->name, (unsigned long long)out, out == 1 ? "" : "s",
            out == 1 ? "es" : "", where->name);
    else if (!count)
        say("throng stop: the study %s is not running\n", where->name);
    return 0;
}
