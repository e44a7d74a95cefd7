/* campaign_folder.c - the folder of a stage's study, made ready for a run
 *
 * Results that do not count any more are not thrown away at once: the folder
 * becomes STAGE.old, until the next time. A study that another campaign beside
 * this one has, by content, is not run twice: a link leads to it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "base/vec.h"
#include "study/campaign.h"

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

bool stage_is_shared(const struct stage *s)
{
    return is_link(s->folder);
}

/* ---- who runs it ------------------------------------------------------- */

bool stage_is_held(struct campaign *c, struct stage *s, struct buf *who)
{
    struct lease l;
    struct store *store = store_open(s->folder, false, NULL);
    (void)c;
    bool held = store && !store_lease_read(store, &l, NULL) && l.live;
    if (held)
        buf_addf(who, "process %lld on %s", (long long)l.process.pid, l.host);
    store_close(store);
    return held;
}

const char **campaign_studies(struct store *store, struct arena *a)
{
    const char *folder = store_folder(store);
    const char **names =
        store_is_campaign(store) ? dir_list(folder, a, NULL) : NULL;
    VEC(const char *) found = {0};
    for (; names && *names; names++) {
        char *study = path_join(a, folder, *names);
        if (!is_link(study) && file_exists(path_join(a, study, "study.db")))
            vec_push(&found, *names);
    }
    vec_push(&found, NULL);
    return vec_to_arena(a, &found);
}

/* ---- what does not count ------------------------------------------------ */

/* Under its lease, so that nobody can begin to run it in between. */
static int set_aside(struct campaign *c, struct stage *s, struct err *err)
{
    char *old = arena_printf(c->arena, "%s.old", s->folder);
    if (is_link(s->folder))
        return unlink(s->folder) ? err_errno(err, "remove %s", s->folder) : 0;
    if (!file_exists(s->folder))
        return 0;
    struct store *store = store_open(s->folder, true, NULL);
    int rc = store ? store_lease_take_soon(store, err) : 0;
    if (!rc)
        rc = study_none_out(s->folder,
                            arena_printf(c->arena, "%.*s/%.*s",
                                         STRF(c->plan->name),
                                         STRF(s->plan->name)),
                            c->arena, err);
    if (!rc)
        rc = dir_remove(old, err);
    if (!rc && rename(s->folder, old))
        rc = err_errno(err, "rename %s to %s", s->folder, old);
    store_close(store);
    if (rc)
        return -1;
    store = store_open(old, true, NULL); /* lets go at the new place, too */
    if (store)
        store_lease_take_soon(store, NULL);
    store_close(store);
    return 0;
}

/* ---- trials of templates that have gone --------------------------------- */

static bool is_among(const struct value *numbers, int64_t n)
{
    for (size_t i = 0; numbers && i < numbers->count; i++)
        if (numbers->items[i]->i == n)
            return true;
    return false;
}

/* The rows that have retired since the last run. */
static struct value *retired_now(const struct value *was,
                                 const struct value *now, struct arena *a)
{
    const struct value *rows = value_get(now, STR("rows"));
    const struct value *gone = value_get(now, STR("retired"));
    const struct value *before = value_get(was, STR("retired"));
    struct value *list = value_list(a);
    for (size_t i = 0; gone && i < gone->count; i++) {
        struct value *row = value_at(rows, (size_t)gone->items[i]->i);
        if (row && !is_among(before, gone->items[i]->i))
            value_list_add(a, list, row);
    }
    return list;
}

/* True when the point comes from one of the rows, by its numbers. */
static bool is_of(const struct value *point, const struct value *rows,
                  const struct value *names)
{
    for (size_t i = 0; i < rows->count; i++) {
        bool same = names && names->count;
        for (size_t n = 0; same && n < names->count; n++) {
            struct str name = names->items[n]->s;
            const struct value *x = value_get(point, name);
            const struct value *y = value_get(rows->items[i], name);
            same = x && y && value_eq(x, y);
        }
        if (same)
            return true;
    }
    return false;
}

/* "1-500,1001-1500", in the order of their numbers. */
static int print_trials(struct store *store, const struct value *rows_gone,
                        const struct value *names, struct buf *selector,
                        struct err *err)
{
    struct query q = {.results = true};
    struct rows *rows = store_rows(store, &q, err);
    struct arena *a = arena_new();
    int64_t first = 0, last = 0;
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        if (!is_of(json_parse(a, t.point, "point", false, NULL), rows_gone,
                   names))
            continue;
        if (first && t.id != last + 1) {
            buf_addf(selector, "%lld-%lld,", (long long)first, (long long)last);
            first = t.id;
        }
        first = first ? first : t.id;
        last = t.id;
    }
    if (first)
        buf_addf(selector, "%lld-%lld", (long long)first, (long long)last);
    rows_close(rows);
    arena_free(a);
    return got;
}

static int remove_retired(struct campaign *c, struct stage *s,
                          const struct value *record, struct err *err)
{
    const struct value *gone = retired_now(s->record, record, c->arena);
    struct buf selector;
    int64_t removed = 0;
    if (!gone->count)
        return 0;
    buf_init(&selector);
    struct store *store = store_open(s->folder, true, err);
    int rc = store ? store_lease_take_soon(store, err) : -1;
    if (!rc)
        rc = print_trials(store, gone, value_get(record, STR("templates")),
                          &selector, err);
    if (!rc && selector.len)
        rc = study_remove(store, selector.p, &removed, err);
    store_close(store);
    if (removed)
        log_to(c->setup.log, LOG_NOTICE,
               "%.*s: %lld trials of templates that are selected no more are "
               "removed",
               STRF(s->plan->name), (long long)removed);
    buf_done(&selector);
    return rc;
}

/* ---- what failed -------------------------------------------------------- */

static int try_again(struct stage *s, struct err *err)
{
    int64_t changed;
    struct counts n;
    struct store *store = store_open(s->folder, true, NULL);
    if (!store)
        return 0;
    int rc = store_lease_take_soon(store, err);
    if (!rc)
        rc = store_counts(store, &n, err);
    int64_t bad = 0;
    for (int i = 0; !rc && i < STATE_COUNT; i++)
        bad += state_bad((enum state)i) ? n.by_state[i] : 0;
    if (!rc && bad)
        rc = study_apply(store, "retry", "bad", NULL, &changed, err);
    store_close(store);
    return rc;
}

/* ---- the same elsewhere -------------------------------------------------- */

/* What is done counts only while its outputs are there. */
static bool has_key(struct store *store, const char *stage, struct str key,
                    bool outputs, struct arena *a)
{
    struct value *record;
    if (record_read(store, str_of(stage), a, &record, NULL))
        return false;
    enum stage_state state = record_state(record);
    return str_eq(record_text(record, "key"), key) &&
           ((state == STAGE_DONE && outputs) || state == STAGE_RUNS ||
            state == STAGE_ENDED);
}

/* A stage of the campaign in that folder that is a study of its own. */
static const char *twin_in(struct campaign *c, const char *folder,
                           const struct stage *s, struct str key,
                           struct arena *a)
{
    struct stage_told *list;
    size_t count = 0;
    const char *found = NULL;
    struct store *store = store_open(folder, false, NULL);
    bool outputs = !stage_missing_output(c, s->plan, a);
    /* Results of somebody whose studies would not be run are not believed. */
    if (!store || study_access(a, folder, STORE_RUN, NULL) ||
        !store_is_campaign(store) ||
        campaign_told(store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count && !found; i++) {
        char *name = arena_cstr(a, list[i].name);
        char *study = path_join(a, folder, name);
        if (has_key(store, name, key, outputs, a) && file_is_dir(study) &&
            !is_link(study))
            found = name;
    }
    store_close(store);
    return found;
}

/* Another campaign beside this one whose stage has the same content: "NAME/
 * STAGE", in the arena; NULL: there is none. */
static const char *stage_twin(struct campaign *c, const struct stage *s,
                              struct str key, struct arena *a)
{
    char *around = path_folder(a, c->setup.folder);
    const char **names = dir_list(around, a, NULL);
    if (!s->plan->study)
        return NULL;
    for (; names && *names; names++) {
        char *folder = path_join(a, around, *names);
        if (str_eq(path_name(c->setup.folder), str_of(*names)))
            continue;
        const char *stage = twin_in(c, folder, s, key, a);
        if (stage)
            return arena_printf(a, "%s/%s", *names, stage);
    }
    return NULL;
}

static int share(struct campaign *c, struct stage *s, struct str key,
                 struct err *err)
{
    const char *twin =
        file_exists(s->folder) ? NULL : stage_twin(c, s, key, c->arena);
    if (!twin)
        return 0;
    char *to = arena_printf(c->arena, "../%s", twin);
    if (symlink(to, s->folder))
        return err_errno(err, "link %s to %s", s->folder, to);
    log_to(c->setup.log, LOG_NOTICE,
           "%.*s asks what %s has asked, of the same files: its results are "
           "shared",
           STRF(s->plan->name), twin);
    return 0;
}

void stage_check_link(struct campaign *c, struct stage *s)
{
    struct arena *a = c->arena;
    char to[4096];
    ssize_t n = readlink(s->folder, to, sizeof(to) - 1);
    if (n <= 0)
        return;
    to[n] = 0;
    char *target = path_join(a, c->setup.folder, to);
    struct store *store = store_open(path_folder(a, target), false, NULL);
    bool same = store && file_is_dir(s->folder) &&
                has_key(store, arena_cstr(a, path_name(target)),
                        record_text(s->record, "key"), true, a);
    store_close(store);
    if (same)
        return;
    if (!c->foresees)
        unlink(s->folder);
    s->record = NULL;
}

int stage_prepare(struct campaign *c, struct stage *s, const struct verdict *v,
                  struct err *err)
{
    if (!s->plan->study)
        return 0;
    if (v->anew ? set_aside(c, s, err) : remove_retired(c, s, v->record, err))
        return -1;
    if (v->again && try_again(s, err))
        return -1;
    return share(c, s, record_text(v->record, "key"), err);
}
