/* resume.c - going on where an earlier run was
 *
 * Everything that an earlier run left is settled before anything starts: its
 * workers and tasks are ended, their last words are applied, trials that
 * were out wait again, the strategy hears of all results. */
#include "study/conductor.h"

/* The rows of a query must not change under its feet: ids first. */
static int adopt_all(struct study *s, struct err *err)
{
    struct query q = {.selector = "waiting,running,paused"};
    struct rows *rows = store_rows(s->store, &q, err);
    if (!rows)
        return -1;
    VEC(int64_t) ids = {0};
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0)
        vec_push(&ids, t.id);
    rows_close(rows);
    struct arena *a = arena_new();
    for (size_t i = 0; !got && i < ids.len; i++) {
        arena_reset(a);
        got = store_trial(s->store, ids.p[i], a, &t, err);
        if (!got)
            got = run_adopt(&s->run, &t, err);
    }
    arena_free(a);
    vec_done(&ids);
    return got;
}

static void apply(void *context, const struct record *record)
{
    struct study *s = context;
    attempt_record(&s->run, record);
}

static int commit(void *context)
{
    struct study *s = context;
    struct err err = {0};
    if (!s->run.dirty)
        return 0;
    if (store_commit(s->store, &err)) {
        run_break(&s->run, &err);
        return -1;
    }
    s->run.dirty = false;
    return 0;
}

int study_resume(struct study *s, struct err *err)
{
    if (adopt_all(s, err) ||
        engine_recover(s->setup.folder, s->mark, apply, commit, s, err))
        return -1;
    run_settle(&s->run);
    if (commit(s) || s->run.end == STUDY_BROKEN)
        return err_set(err, s->run.fault.kind, "%s", s->run.fault.text);
    s->run.ended_here = 0;
    s->run.failed_first = 0;
    return study_search_resume(s, err);
}
