/* request.c - what others ask of a study: stop, kill, tag, note, snapshot
 *
 * One set of verbs, whether a conductor runs (then it hears them from the
 * requests folder) or not (then the verb itself applies them). */
#include <stdio.h>
#include "base/json.h"
#include "study/conductor.h"

/* ---- on a store alone ------------------------------------------------- */

struct change {
    struct store *store;
    struct study *study; /* NULL when no conductor runs */
    const struct value *args;
    int64_t changed;
};
typedef int change_fn(struct change *c, const struct trial *t, struct err *err);

static int end_stored(struct change *c, const struct trial *t, enum state state,
                      struct err *err)
{
    struct trial ended = *t;
    if (state_final(t->state))
        return 0;
    ended.state = state;
    ended.ended = clock_wall();
    ended.reason = STR("by request");
    c->changed++;
    return store_trial_update(c->store, &ended, err);
}

/* A trial of a running study is ended by its worker, or at once when it
 * waits. */
static int end_live(struct change *c, struct live *l, enum state state)
{
    struct run *r = &c->study->run;
    c->changed++;
    if (!l->placed)
        return run_end_waiting(r, l, state, "by request");
    if (state == STATE_STOPPED)
        engine_stop_task(r->engine, (uint64_t)l->t.id);
    else
        engine_kill_task(r->engine, (uint64_t)l->t.id, OUTCOME_KILLED);
    return 0;
}

static int end_trial(struct change *c, const struct trial *t, enum state state,
                     struct err *err)
{
    struct live *l = c->study ? run_live(&c->study->run, t->id) : NULL;
    return l ? end_live(c, l, state) : end_stored(c, t, state, err);
}

static int do_stop(struct change *c, const struct trial *t, struct err *err)
{
    return end_trial(c, t, STATE_STOPPED, err);
}

static int do_kill(struct change *c, const struct trial *t, struct err *err)
{
    return end_trial(c, t, STATE_KILLED, err);
}

static int do_tag(struct change *c, const struct trial *t, struct err *err)
{
    const struct value *off = value_get(c->args, STR("remove"));
    c->changed++;
    return store_trial_tag(
        c->store, t->id, value_text(value_get(c->args, STR("tag"))),
        !(off && off->kind == VALUE_BOOL && off->boolean), err);
}

static int do_note(struct change *c, const struct trial *t, struct err *err)
{
    c->changed++;
    return store_trial_note(c->store, t->id,
                            value_text(value_get(c->args, STR("text"))), err);
}

static const struct {
    const char *verb;
    change_fn *change;
} verbs[] = {
    {"stop", do_stop},
    {"kill", do_kill},
    {"tag", do_tag},
    {"note", do_note},
};

static int change_each(struct change *c, change_fn *change,
                       const char *selector, struct err *err)
{
    struct query q = {.selector = selector};
    struct rows *rows = store_rows(c->store, &q, err);
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
        got = store_trial(c->store, ids.p[i], a, &t, err);
        if (!got)
            got = change(c, &t, err);
    }
    arena_free(a);
    vec_done(&ids);
    return got;
}

static int apply(struct change *c, const char *verb, const char *selector,
                 struct err *err)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (!strcmp(verbs[i].verb, verb))
            return change_each(c, verbs[i].change, selector, err);
    return err_set(err, ERR_INPUT, "there is no request `%s`", verb);
}

int study_apply(struct store *store, const char *verb, const char *selector,
                const struct value *args, int64_t *changed, struct err *err)
{
    struct change c = {.store = store, .args = args};
    if (store_begin(store, err))
        return -1;
    if (apply(&c, verb, selector, err)) {
        store_rollback(store);
        return -1;
    }
    if (store_commit(store, err))
        return -1;
    *changed = c.changed;
    return 0;
}

/* ---- on a running study ----------------------------------------------- */

static int take_snapshot(struct study *s, struct err *err)
{
    struct arena *a = arena_new();
    if (s->run.dirty && !store_commit(s->store, err))
        s->run.dirty = false;
    int rc = store_snapshot(s->store,
                            path_join(a, s->setup.folder, "snapshot.db"), err);
    arena_free(a);
    return rc;
}

static int perform(struct study *s, const struct request *q, struct err *err)
{
    if (str_is(q->verb, "snapshot"))
        return take_snapshot(s, err);
    if (q->selector.len == 0 && str_is(q->verb, "stop")) {
        log_to(s->setup.log, LOG_NOTICE, "asked to stop");
        study_drain(s);
        return 0;
    }
    if (q->selector.len == 0 && str_is(q->verb, "kill")) {
        log_to(s->setup.log, LOG_NOTICE, "asked to end at once");
        study_interrupt(s);
        return 0;
    }
    struct arena *a = arena_new();
    struct change c = {.store = s->store, .study = s, .args = q->args};
    run_dirty(&s->run);
    int rc = apply(&c, arena_cstr(a, q->verb), arena_cstr(a, q->selector), err);
    arena_free(a);
    return rc;
}

void study_requests(struct study *s)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    struct err err = {0};
    if (store_requests(s->store, a, &list, &count, &err))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (perform(s, &list[i], &err))
            log_to(s->setup.log, LOG_WARN, "request %.*s: %s",
                   STRF(list[i].verb), err.text);
        store_request_done(s->store, &list[i]);
    }
    arena_free(a);
}
