/* request.c - what others ask of a study: stop, kill, add, tag, snapshot …
 *
 * One set of verbs, whether a conductor runs (then it hears them from the
 * requests folder) or not (then the verb itself applies them). A request
 * must count exactly once, and be answered, although its file and the store
 * cannot change in one step: the names of the files that a transaction applied
 * or refused are written in it with the answers, as the fact "applied". When
 * that is committed the answer is put where the asker looks, then the file
 * goes; one that is named there is never applied again, only answered. */
#include <stdio.h>
#include "base/json.h"
#include "study/change.h"

int study_apply(struct store *store, const char *verb, const char *selector,
                const struct value *args, int64_t *changed, struct err *err)
{
    struct change c = {.store = store, .args = args};
    if (store_begin(store, err))
        return -1;
    if (change_apply(&c, verb, selector, err)) {
        store_rollback(store);
        return -1;
    }
    if (store_commit(store, err))
        return -1;
    *changed = c.changed;
    return 0;
}

/* ---- once only -------------------------------------------------------- */

/* The line of a file: its name and, behind a tab, the answer. */
static bool find_applied(struct store *store, struct str file, struct arena *a,
                         struct str *answer)
{
    struct str text, line, name;
    if (store_fact(store, "applied", a, &text, NULL))
        return false;
    while (text.len && str_split(&text, '\n', &line)) {
        *answer = line;
        str_split(answer, '\t', &name);
        if (str_eq(name, file))
            return true;
    }
    return false;
}

static bool is_applied(struct store *store, struct str file, struct arena *a)
{
    struct str answer;
    return find_applied(store, file, a, &answer);
}

/* Adds a file to the fact, whose lines so far are `applied`. */
static int mark_applied(struct store *store, struct buf *applied,
                        struct str file, const struct request_answer *answer,
                        struct err *err)
{
    if (applied->len)
        buf_addc(applied, '\n');
    buf_addf(applied, "%.*s\t", STRF(file));
    store_answer_print(applied, answer);
    return store_fact_set(store, "applied", buf_str(applied), err);
}

/* What was applied or refused is committed. A request that cannot be answered
 * stays, and is answered at the next look. */
static void finish(struct store *store, const struct request *q,
                   struct arena *a)
{
    struct str answer;
    if (q->asks && find_applied(store, q->file, a, &answer) &&
        store_answer_put(store, arena_cstr(a, q->file),
                         answer.len ? answer : STR("{}"), NULL))
        return;
    store_request_done(store, q);
}

/* ---- with no conductor ------------------------------------------------ */

static bool ends(const struct request *q)
{
    return str_is(q->verb, "stop") || str_is(q->verb, "kill");
}

/* Stopping what does not run is no wish that could still be granted. */
static bool is_for_conductor(const struct request *q)
{
    return str_is(q->verb, "snapshot") || (ends(q) && q->selector.len == 0);
}

/* Applies one in a transaction of its own, or writes why not. */
static int apply_alone(struct store *store, const struct request *q,
                       struct arena *a, struct err *err)
{
    struct change c = {.store = store, .args = q->args, .points = q->points};
    struct request_answer answer = {0};
    struct buf applied;
    if (store_begin(store, err))
        return -1;
    if (change_apply(&c, arena_cstr(a, q->verb), arena_cstr(a, q->selector),
                     &answer.fault)) {
        store_rollback(store);
        if (store_begin(store, err))
            return -1;
    }
    answer.changed = c.changed;
    answer.wished = c.wished;
    answer.first = c.first;
    buf_init(&applied); /* the files that it named are gone */
    int rc = mark_applied(store, &applied, q->file, &answer, err);
    buf_done(&applied);
    if (!rc)
        rc = store_commit(store, err);
    if (rc)
        store_rollback(store);
    return rc;
}

int study_apply_waiting(struct store *store, struct err *err)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count = 0;
    int rc = store_requests(store, a, &list, &count, err);
    for (size_t i = 0; !rc && i < count; i++) {
        if (!is_for_conductor(&list[i]) && !is_applied(store, list[i].file, a))
            rc = apply_alone(store, &list[i], a, err);
        if (!rc)
            finish(store, &list[i], a);
    }
    arena_free(a);
    return rc;
}

/* ---- on a running study ----------------------------------------------- */

static int take_snapshot(struct study *s, struct err *err)
{
    struct arena *a = arena_new();
    char *path = path_join(a, s->setup.folder, "snapshot.db");
    run_commit(&s->run, err); /* else it is of what was committed before */
    int rc = store_snapshot(s->store, path, err);
    arena_free(a);
    return rc;
}

/* What concerns the conductor itself is done at once. */
static void conduct(struct study *s, const struct request *q)
{
    struct err err = {0};
    if (str_is(q->verb, "snapshot")) {
        if (take_snapshot(s, &err))
            log_to(s->setup.log, LOG_WARN, "snapshot: %s", err.text);
    } else if (str_is(q->verb, "stop")) {
        log_to(s->setup.log, LOG_NOTICE, "asked to stop");
        study_drain(s);
    } else {
        log_to(s->setup.log, LOG_NOTICE, "asked to end at once");
        study_interrupt(s);
    }
    store_request_done(s->store, q);
}

static bool makes_wait(struct str verb)
{
    return str_is(verb, "add") || str_is(verb, "rerun") ||
           str_is(verb, "retry");
}

static void change(struct study *s, const struct request *q, struct arena *a)
{
    struct change c = {
        .store = s->store, .study = s, .args = q->args, .points = q->points};
    struct request_answer answer = {.running = true};
    struct err err = {0};
    run_dirty(&s->run);
    if (change_apply(&c, arena_cstr(a, q->verb), arena_cstr(a, q->selector),
                     &answer.fault))
        log_to(s->setup.log, LOG_WARN, "request %.*s: %s", STRF(q->verb),
               answer.fault.text);
    else if (c.changed && makes_wait(q->verb))
        log_to(s->setup.log, LOG_NOTICE, "%.*s: %lld trial%s wait%s",
               STRF(q->verb), (long long)c.changed, c.changed == 1 ? "" : "s",
               c.changed == 1 ? "s" : "");
    answer.changed = c.changed;
    answer.first = c.first;
    if (s->applied_gone)
        buf_reset(&s->applied);
    if (mark_applied(s->store, &s->applied, q->file, &answer, &err))
        log_to(s->setup.log, LOG_WARN, "request %.*s: %s", STRF(q->verb),
               err.text);
    map_set(s->heard, q->file, s);
    s->applied_gone = false;
}

/* A disk that is full hides what was applied since: memory knows. */
static bool was_heard(struct study *s, const struct request *q, struct arena *a)
{
    return map_has(s->heard, q->file) || is_applied(s->store, q->file, a);
}

/* What changes a study depends on what it is, and a disk that is full hides
 * what has changed since: it waits for room. To end a trial does not, since
 * that one may be what fills the disk. */
static bool may_change(const struct study *s, const struct request *q)
{
    return ends(q) || !store_waits(s->store);
}

void study_requests(struct study *s)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    struct err err = {0};
    if (store_requests(s->store, a, &list, &count, &err))
        count = 0;
    bool left = false;
    for (size_t i = 0; i < count; i++) {
        if (is_for_conductor(&list[i]))
            conduct(s, &list[i]);
        else if (!was_heard(s, &list[i], a)) {
            if (may_change(s, &list[i]))
                change(s, &list[i], a);
            left = true;
        } else if (s->run.dirty)
            left = true;
        else
            finish(s->store, &list[i], a);
    }
    if (!left && !s->run.dirty)
        s->applied_gone = true;
    arena_free(a);
}

void study_requests_end(struct study *s)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    if (store_requests(s->store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_for_conductor(&list[i]))
            store_request_done(s->store, &list[i]);
        else if (!was_heard(s, &list[i], a))
            change(s, &list[i], a);
    }
    arena_free(a);
}

void study_requests_answer(struct study *s)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    if (s->run.dirty || store_requests(s->store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_applied(s->store, list[i].file, a))
            finish(s->store, &list[i], a);
    arena_free(a);
}

void study_requests_begin(struct study *s)
{
    struct arena *a = arena_new();
    struct request *list;
    struct str text;
    size_t count;
    if (!store_fact(s->store, "applied", a, &text, NULL))
        buf_addstr(&s->applied, text);
    if (store_requests(s->store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_for_conductor(&list[i]) && !str_is(list[i].verb, "snapshot"))
            store_request_done(s->store, &list[i]);
    store_answers_sweep(s->store);
    arena_free(a);
}
