/* foresee.c - why a study would be refused, told without running it
 *
 * Only looks: what it finds may be another a moment later, so that who runs
 * the study looks again. */
#include "study/conductor.h"

/* Trials of a new study must not find checkpoints of an old one. */
int study_refuse_leftovers(struct arena *a, const char *folder, struct err *err)
{
    char *trials = path_join(a, folder, "trials");
    if (!file_is_dir(trials))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s holds files of a study whose store is gone; move it "
                   "away or remove it, then run again",
                   trials);
}

/* What a trial needs, where it is the same for all of them, can never be had
 * on this machine. */
static int refuse_unfit(struct arena *a, const struct plan *p,
                        const struct machine *machine, struct err *err)
{
    struct value empty = {.kind = VALUE_OBJECT};
    struct needs needs;
    struct room room;
    if (!place_is_here(p->site.engine) || plan_needs(p, &empty, &needs, NULL))
        return 0;
    machine_room(machine, p->parallel, a, &room);
    study_share_cpus(p, machine->cpus, &needs);
    study_share_gpu_here(p, &room, -1, &needs);
    return room_check(&room, &needs, err);
}

static int refuse_stored(struct arena *a, const struct plan *p,
                         const char *folder, struct study_changes *c,
                         struct err *err)
{
    struct err why = {0};
    struct store *store = store_open(folder, false, &why);
    if (!store && why.kind == ERR_MISSING)
        return study_refuse_leftovers(a, folder, err);
    if (!store)
        return err_set(err, why.kind, "%s", why.text);
    int rc = study_changes(p, store, c, err);
    if (!rc && !c->anew)
        rc = study_changes_refuse(p, c, err);
    store_close(store);
    return rc;
}

int study_foresee(const struct study_setup *setup, struct study_changes *c,
                  struct arena *a, struct err *err)
{
    const struct plan *p = setup->plan;
    if (study_access(a, setup->folder, STORE_RUN, err) ||
        refuse_stored(a, p, setup->folder, c, err))
        return -1;
    return refuse_unfit(a, p, setup->machine, err);
}
