/* cancel.c - ending the jobs of a study that nobody runs
 *
 * Jobs of a scheduler go on without a conductor. Who wants them gone becomes
 * one for as long as that takes: it takes up what is out, hears what was said
 * meanwhile, and ends the rest, which goes on with the next run. */
#include "cli/cancel.h"

#include <stdlib.h>
#include <sys/stat.h>

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

int cancel_jobs(struct call *c, const struct place_of_study *where)
{
    struct log log = log_stderr();
    struct study_setup setup = {
        .folder = where->folder, .home = where->home, .log = &log};
    struct store *store = store_open(where->folder, false, &c->err);
    if (!store)
        return -1;
    struct plan *plan =
        study_stored_plan(store, where->home, where->name, c->arena, &c->err);
    setup.place = study_place(store, c->arena);
    setup.plan = plan;
    store_close(store);
    int rc = plan && fill(c, &setup) == 0 ? end_all(c, &setup) : -1;
    loop_free(setup.loop);
    plan_close(plan);
    return rc;
}
