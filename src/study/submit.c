/* submit.c - what a run would hand to a scheduler, told without running it
 *
 * The place is opened as for a run, so that what it asks its scheduler is the
 * same, and starts nothing. */
#include "study/conductor.h"

/* Beyond this a place takes no more at once. */
#define TRIALS_MAX 20000

struct rehearsal {
    struct study study; /* as far as plan, place and needs go */
    struct engine_preview preview;
    struct search *search;
    struct point_source points;
    struct counts counts; /* of the stored study, if there is one */
};

/* Where tasks see the same files as we, none is named. */
static int foresee_code(struct rehearsal *r, struct store *store,
                        struct err *err)
{
    return engine_is_live(r->study.engine)
               ? 0
               : study_code_foresee(&r->study, store, err);
}

static int read_stored(struct rehearsal *r, int64_t *next, int64_t *version,
                       struct err *err)
{
    struct err missing = {0};
    struct lease lease = {0};
    int64_t id;
    *next = 1;
    r->preview.epoch = 1; /* of a store that nobody has held */
    struct store *store = store_open(r->study.setup.folder, false, &missing);
    if (!store && missing.kind == ERR_MISSING)
        return foresee_code(r, NULL, err);
    if (!store)
        return err_set(err, missing.kind, "%s", missing.text);
    int rc = study_next(store, &id, next, err) ||
                     study_search_version(store, version, err) ||
                     store_counts(store, &r->counts, err) ||
                     store_lease_read(store, &lease, err) ||
                     foresee_code(r, store, err)
                 ? -1
                 : 0;
    r->preview.epoch = lease.epoch;
    store_close(store);
    return rc;
}

/* What all trials need, or the next one where that differs. */
static int find_needs(struct rehearsal *r, int64_t next, bool *first_only,
                      struct err *err)
{
    struct study *s = &r->study;
    struct suggestion first = {0};
    bool fixed;
    if (study_fixed_needs(s, &r->preview.needs, &fixed, err))
        return -1;
    *first_only = !fixed;
    if (fixed)
        return 0;
    if (search_ask(r->search, next, s->arena, &first, err) == SEARCH_ERROR)
        return -1;
    if (!first.point)
        return 0;
    if (plan_needs(s->plan, first.point, &r->preview.needs, err))
        return -1;
    study_share_cpus(s->plan, study_cpus(s), &r->preview.needs);
    study_share_gpus(s->plan, s->gpus, &r->preview.needs);
    study_device_share(s, &r->preview.needs);
    return 0;
}

/* So many are made and handed out before anything is submitted. */
static int64_t first_trials(const struct rehearsal *r)
{
    int64_t total = search_total(r->search), left = TRIALS_MAX;
    int64_t waiting = r->counts.by_state[STATE_WAITING];
    bool ahead = search_foresees(r->search);
    if (total >= 0 && total - r->counts.total + waiting < left)
        left = total - r->counts.total + waiting;
    int64_t room =
        (int64_t)engine_room(r->study.engine, &r->preview.needs, ahead);
    return left < room ? left : room;
}

static int rehearse(struct rehearsal *r, struct study_submit *out,
                    struct err *err)
{
    struct study *s = &r->study;
    int64_t next, version = 0;
    if (!engine_outlives(s->engine)) /* it says what it does instead */
        return engine_preview(s->engine, &r->preview, &out->text, err);
    if (read_stored(r, &next, &version, err))
        return -1;
    out->unnamed = !file_exists(path_join(
        s->arena, path_join(s->arena, s->setup.folder, "jobs"), "mark"));
    r->preview.epoch++;
    r->preview.saves = s->plan->model_root != NULL;
    r->search = plan_search(s->plan, version, &r->points, s->arena, err);
    study_devices_foresee(s);
    if (!r->search || find_needs(r, next, &out->first_only, err) ||
        engine_check(s->engine, &r->preview.needs, err))
        return -1;
    out->trials = first_trials(r);
    r->preview.count = out->trials > 0 ? (size_t)out->trials : 0;
    return engine_preview(s->engine, &r->preview, &out->text, err);
}

int study_submit(const struct study_setup *setup, struct study_submit *out,
                 struct err *err)
{
    struct rehearsal r = {
        .study = {.setup = *setup, .plan = setup->plan, .arena = arena_new()}};
    struct engine_setup engine = study_engine_setup(&r.study);
    struct engine_hooks hooks = {0};
    engine.preview = true;
    r.study.engine = engine_open(&engine, &hooks, err);
    int rc = r.study.engine ? rehearse(&r, out, err) : -1;
    search_free(r.search);
    study_devices_close(&r.study);
    engine_close(r.study.engine);
    arena_free(r.study.arena);
    return rc;
}
