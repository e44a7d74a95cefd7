/* keep.c - which trials' files stay when a study is complete
 *
 * `keep: all` leaves everything. Else the best N trials keep all they wrote
 * (under noise both those of the best values and those that the model expects
 * the best of), failures keep their logs, trials that are not final keep
 * everything, and the rest goes. What a kept trial left in output/ is recorded
 * with its SHA-256. Only folders that exist are looked at: a trial that wrote
 * nothing has none. */
#include <stdlib.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/num.h"
#include "study/conductor.h"

struct keeper {
    struct study *study;
    struct idmap *best;
    struct arena *arena;
};

/* The first of rank is the answer of the study: its files must be there. */
static int find_expected(struct keeper *k, int64_t most, struct err *err)
{
    struct trial_mean *list;
    size_t count;
    if (store_means(k->study->store, k->arena, &list, &count, err))
        return -1;
    for (size_t i = 0; i < count && (int64_t)i < most; i++)
        idmap_set(k->best, (uint64_t)list[i].trial, k);
    return 0;
}

static int find_best(struct keeper *k, struct err *err)
{
    const struct plan *p = k->study->plan;
    if (p->keep != KEEP_BEST || p->keep_count <= 0)
        return 0;
    struct query q = {.by = "value",
                      .where = "state = finished",
                      .descending = !p->metric.minimize,
                      .limit = p->keep_count};
    struct rows *rows = store_rows(k->study->store, &q, err);
    if (!rows)
        return -1;
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0)
        idmap_set(k->best, (uint64_t)t.id, k);
    rows_close(rows);
    return got ? got : find_expected(k, p->keep_count, err);
}

static int record_artifacts(struct keeper *k, const struct trial *t,
                            const char *folder, struct err *err)
{
    char *output = path_join(k->arena, folder, "output");
    if (!file_is_dir(output))
        return 0;
    const char **files = dir_glob(output, "**", k->arena, NULL);
    for (; files && *files; files++) {
        struct str text;
        char hex[65];
        char *path = path_join(k->arena, output, *files);
        if (file_map(path, &text, NULL))
            continue;
        sha256_hex(text, hex);
        int rc = store_artifact_add(k->study->store, t->id, str_of(*files),
                                    text.len, str_of(hex), err);
        file_unmap(text);
        if (rc)
            return -1;
    }
    return 0;
}

static int keep_one(struct keeper *k, int64_t id, const char *folder,
                    struct err *err)
{
    struct trial t;
    struct err gone = {0};
    if (store_trial(k->study->store, id, k->arena, &t, &gone))
        return gone.kind == ERR_MISSING
                   ? 0
                   : err_set(err, gone.kind, "%s", gone.text);
    if (!state_final(t.state))
        return 0;
    bool all =
        k->study->plan->keep == KEEP_ALL || !k->study->plan->metric.name.len;
    if (all || idmap_get(k->best, (uint64_t)id))
        return record_artifacts(k, &t, folder, err);
    if (!state_bad(t.state) || k->study->plan->keep == KEEP_NONE)
        return dir_remove(folder, err);
    if (dir_remove(path_join(k->arena, folder, "output"), err))
        return -1;
    return dir_remove(path_join(k->arena, folder, "checkpoint"), err);
}

static int keep_thousand(struct keeper *k, const char *folder, struct err *err)
{
    struct arena *names = arena_new();
    const char **list = dir_list(folder, names, err);
    int rc = list ? 0 : -1;
    for (; !rc && *list; list++) {
        int64_t id;
        arena_reset(k->arena);
        if (num_int(str_of(*list), &id))
            rc = keep_one(k, id, path_join(k->arena, folder, *list), err);
    }
    rmdir(folder); /* goes only when it is empty */
    arena_free(names);
    return rc;
}

int study_keep(struct study *s, struct err *err)
{
    struct keeper k = {.study = s, .best = idmap_new(), .arena = arena_new()};
    struct arena *a = arena_new();
    char *trials = path_join(a, s->setup.folder, "trials");
    int rc = 0;
    if (!file_is_dir(trials))
        goto out;
    rc = store_begin(s->store, err);
    if (!rc)
        rc = find_best(&k, err);
    const char **list = rc ? NULL : dir_list(trials, a, err);
    rc = list ? 0 : -1;
    for (; !rc && *list; list++)
        rc = keep_thousand(&k, path_join(a, trials, *list), err);
    if (rc)
        store_rollback(s->store);
    else
        rc = store_commit(s->store, err);
out:
    idmap_free(k.best);
    arena_free(k.arena);
    arena_free(a);
    return rc;
}
