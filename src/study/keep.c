/* keep.c - which trials' files stay when a study is complete
 *
 * Logs stay, always, and so does everything of a trial without a value: what
 * failed is what a person looks into, and what does not rank is not worse than
 * others. Where the study says `keep:`, the outputs, checkpoints and folders of
 * the best N stay, as `throng rank` ranks (under noise also those of the best
 * values), and those of other trials go. Where it says nothing all stay, but
 * for weights of built-in training, which a trial's point and seed bring back
 * to the bit: those of the best ten do.
 *
 * What one of the best left in output/ is recorded with its SHA-256. Only
 * folders that exist are looked at: a trial that wrote nothing has none. */
#include <math.h>
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

/* ---- the best --------------------------------------------------------- */

static int add_best(struct keeper *k, const struct query *q, struct err *err)
{
    struct rows *rows = store_rows(k->study->store, q, err);
    struct trial t;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        idmap_set(k->best, (uint64_t)t.id, k);
    rows_close(rows);
    return got;
}

static int find_best(struct keeper *k, struct err *err)
{
    const struct plan *p = k->study->plan;
    if (p->keep == KEEP_NONE || !p->metric.name.len)
        return 0;
    struct query ranked = {.selector = arena_printf(k->arena, "best:%lld",
                                                    (long long)p->keep_count)};
    return add_best(k, &ranked, err);
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

/* ---- the others ------------------------------------------------------- */

static int remove_counted(struct keeper *k, const char *path, struct err *err)
{
    k->study->kept.bytes +=
        file_is_dir(path) ? dir_bytes(path) : file_bytes(path);
    return dir_remove(path, err);
}

/* Weights, snapshots of them and the state of training; what else a model
 * left, such as its confusion of classes, is small and stays. */
static int remove_weights(struct keeper *k, const char *folder, bool *any,
                          struct err *err)
{
    static const char *const globs[] = {"output/*.safetensors",
                                        "checkpoint/*.safetensors"};
    for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
        const char **files = dir_glob(folder, globs[i], k->arena, err);
        if (!files)
            return -1;
        for (; *files; files++) {
            *any = true;
            if (remove_counted(k, path_join(k->arena, folder, *files), err))
                return -1;
        }
    }
    rmdir(path_join(k->arena, folder, "output")); /* goes only when empty */
    rmdir(path_join(k->arena, folder, "checkpoint"));
    return 0;
}

static int remove_all_but_log(struct keeper *k, const char *folder, bool *any,
                              struct err *err)
{
    const char **names = dir_list(folder, k->arena, err);
    if (!names)
        return -1;
    for (; *names; names++) {
        if (!strcmp(*names, "log"))
            continue;
        *any = true;
        if (remove_counted(k, path_join(k->arena, folder, *names), err))
            return -1;
    }
    return 0;
}

static int remove_outputs(struct keeper *k, int64_t id, const char *folder,
                          struct err *err)
{
    bool any = false;
    int rc = k->study->plan->keep == KEEP_UNSAID
                 ? remove_weights(k, folder, &any, err)
                 : remove_all_but_log(k, folder, &any, err);
    rmdir(folder);
    if (rc || !any)
        return rc;
    k->study->kept.trials++;
    return store_artifacts_drop(k->study->store, id, err);
}

/* ---- all of them ------------------------------------------------------ */

static bool keeps_all(const struct plan *p)
{
    return p->keep == KEEP_ALL || (p->keep == KEEP_UNSAID && !p->model_root);
}

/* 1: nobody said that what it left stays; 0: it does, or there is no such
 * trial; -1. */
static int may_go(struct keeper *k, int64_t id, struct trial *t,
                  struct err *err)
{
    struct err gone = {0};
    t->id = 0;
    if (store_trial(k->study->store, id, k->arena, t, &gone))
        return gone.kind == ERR_MISSING
                   ? 0
                   : err_set(err, gone.kind, "%s", gone.text);
    return state_final(t->state) && !keeps_all(k->study->plan) &&
           !isnan(t->value) && !idmap_get(k->best, (uint64_t)id);
}

static int keep_one(struct keeper *k, int64_t id, const char *folder,
                    struct err *err)
{
    struct trial t;
    int goes = may_go(k, id, &t, err);
    if (goes)
        return goes < 0 ? -1 : remove_outputs(k, id, folder, err);
    bool recorded =
        t.id && state_final(t.state) &&
        (k->study->plan->keep == KEEP_ALL ||
         idmap_get(k->best, (uint64_t)id)) &&
        !strcmp(folder, store_trial_folder(k->study->store, id, k->arena));
    return recorded ? record_artifacts(k, &t, folder, err) : 0;
}

static int keep_thousand(struct keeper *k, const char *folder, struct err *err)
{
    struct arena *names = arena_new();
    const char **list = dir_list(folder, names, err);
    int rc = list ? 0 : -1;
    for (; !rc && *list; list++) {
        int64_t id;
        bool first;
        arena_reset(k->arena);
        if (store_folder_trial(*list, &id, &first))
            rc = keep_one(k, id, path_join(k->arena, folder, *list), err);
    }
    rmdir(folder); /* goes only when it is empty */
    arena_free(names);
    return rc;
}

/* ---- packed ----------------------------------------------------------- */

struct dropping {
    struct keeper *keeper;
    int64_t trial;      /* that was asked about last … */
    int goes;           /* … and what the answer was */
    struct idmap *stay; /* trials whose files lie in the pack for now only */
    struct err err;
};

static void ask(struct dropping *d, int64_t trial)
{
    struct trial t;
    d->trial = trial;
    d->goes = may_go(d->keeper, trial, &t, &d->err);
    if (d->goes > 0 &&
        store_artifacts_drop(d->keeper->study->store, trial, &d->err))
        d->goes = -1;
    if (d->goes == 0 && t.id && state_final(t.state))
        idmap_set(d->stay, (uint64_t)trial, d);
}

/* Entries of a trial come together, but for those that were packed later. */
static bool drops(void *context, int64_t trial, struct str name, uint64_t bytes)
{
    struct dropping *d = context;
    struct kept *kept = &d->keeper->study->kept;
    bool weights = str_ends(name, STR(".safetensors"));
    if ((!str_starts(name, STR("output/")) &&
         !str_starts(name, STR("checkpoint/"))) ||
        (d->keeper->study->plan->keep == KEEP_UNSAID && !weights))
        return false;
    bool asked = d->trial == trial;
    if (!asked)
        ask(d, trial);
    if (d->goes <= 0)
        return false;
    kept->bytes += bytes;
    kept->trials += !asked;
    return true;
}

static bool has_files(void *context, int64_t trial, struct str name,
                      uint64_t bytes)
{
    struct dropping *d = context;
    (void)name;
    (void)bytes;
    return idmap_get(d->stay, (uint64_t)trial) != NULL;
}

/* In a study that is not packed, files are there to be looked at. */
static int unpack(struct dropping *d, struct packs *packs, int64_t thousand,
                  struct err *err)
{
    const struct study *s = d->keeper->study;
    uint64_t id;
    void *at;
    if (study_is_large(s) || !idmap_count(d->stay))
        return 0;
    for (size_t i = 0; idmap_next(d->stay, &i, &id, &at);)
        if (study_unpack(packs, s->setup.folder, (int64_t)id, err))
            return -1;
    return packs_drop(packs, thousand, has_files, d, err);
}

static int keep_pack(struct keeper *k, int64_t thousand, struct err *err)
{
    struct dropping d = {.keeper = k, .stay = idmap_new()};
    struct packs *packs = packs_open(k->study->setup.folder);
    int rc = packs_drop(packs, thousand, drops, &d, err);
    if (!rc && d.err.kind)
        rc = err_set(err, d.err.kind, "%s", d.err.text);
    if (!rc)
        rc = unpack(&d, packs, thousand, err);
    packs_close(packs);
    idmap_free(d.stay);
    arena_reset(k->arena);
    return rc;
}

static bool is_pack(const char *name, int64_t *thousand)
{
    return str_ends(str_of(name), STR(".pack")) &&
           num_int(path_stem(name), thousand);
}

static bool is_thousand(const char *name, int64_t *thousand)
{
    return num_int(str_of(name), thousand);
}

/* Beside the folders of a thousand trials lie packs of what they wrote. Those
 * come first: what stays of them may become files again. */
static int keep_all(struct keeper *k, const char *trials, struct err *err)
{
    struct arena *a = arena_new();
    int64_t thousand;
    const char **list = dir_list(trials, a, err);
    int rc = list ? 0 : -1;
    bool stay = keeps_all(k->study->plan) && study_is_large(k->study);
    for (; !rc && !stay && *list; list++)
        if (is_pack(*list, &thousand))
            rc = keep_pack(k, thousand, err);
    list = rc ? NULL : dir_list(trials, a, err);
    rc = list ? 0 : -1;
    for (; !rc && *list; list++)
        if (is_thousand(*list, &thousand))
            rc = keep_thousand(k, path_join(a, trials, *list), err);
    arena_free(a);
    return rc;
}

static int count_ranked(struct study *s, struct err *err)
{
    struct query q = {.by = "value", .results = true};
    struct rows *rows = store_rows(s->store, &q, err);
    struct trial t;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        s->kept.ranked++;
    rows_close(rows);
    return got;
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
    if (!rc && s->plan->model_root)
        rc = count_ranked(s, err);
    if (!rc)
        rc = keep_all(&k, trials, err);
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

/* ---- saying it -------------------------------------------------------- */

static void print_weights(const struct study *s, struct buf *b)
{
    const struct plan *p = s->plan;
    if (s->run.ended_here && s->kept.ranked > p->keep_count)
        buf_addf(b,
                 "of %lld trials the best %lld keep their weights; `keep: "
                 "all` keeps those of all (each can be trained again to the "
                 "bit)",
                 (long long)s->kept.ranked, (long long)p->keep_count);
}

void study_kept_print(const struct study *s, struct buf *b)
{
    const struct plan *p = s->plan;
    const struct kept *k = &s->kept;
    if (p->keep == KEEP_UNSAID) {
        print_weights(s, b);
        return;
    }
    if (!k->trials)
        return;
    buf_addf(b, "removed what %lld trial%s left (", (long long)k->trials,
             k->trials == 1 ? "" : "s");
    num_print_bytes(b, k->bytes);
    buf_adds(b, "), as `keep: ");
    if (p->keep == KEEP_BEST)
        buf_addf(b, "best:%lld", (long long)p->keep_count);
    else
        buf_adds(b, "none");
    buf_adds(b, "` says; logs stay, and without `keep:` all does");
}
