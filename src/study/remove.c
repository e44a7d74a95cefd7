/* remove.c - trials that a person does not want any more
 *
 * The rows go in one transaction, together with the facts that keep their
 * numbers from being given again; the folders go after that, so that a crash
 * between leaves files without a trial, never a trial without its files. */
#include <stdio.h>
#include "base/map.h"
#include "study/change.h"
#include "study/selected.h"

static int set_number(struct store *store, const char *fact, int64_t v,
                      struct err *err)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)v);
    return store_fact_set(store, fact, str_of(text), err);
}

static int remove_rows(struct store *store, const int64_t *ids, size_t count,
                       struct err *err)
{
    if (set_number(store, "last_trial", last_trial_ever(store), err) ||
        set_number(store, "removed", removed_trials(store) + (int64_t)count,
                   err) ||
        change_total(store, -(int64_t)count, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (store_trial_remove(store, ids[i], err))
            return -1;
    return 0;
}

static bool is_removed(void *context, int64_t trial, struct str name,
                       uint64_t bytes)
{
    (void)name;
    (void)bytes;
    return idmap_get(context, (uint64_t)trial) != NULL;
}

static int remove_folders(const char *folder, int64_t thousand,
                          const struct idmap *removed, struct arena *a,
                          struct err *err)
{
    char *home = path_folder(
        a, store_attempt_folder(folder, thousand * PACK_TRIALS, 0, a));
    const char **names = file_is_dir(home) ? dir_list(home, a, err) : NULL;
    int rc = names || !file_is_dir(home) ? 0 : -1;
    for (; names && *names && !rc; names++) {
        int64_t id;
        bool first;
        if (store_folder_trial(*names, &id, &first) &&
            idmap_get(removed, (uint64_t)id))
            rc = dir_remove(path_join(a, home, *names), err);
    }
    return rc;
}

/* Their folders, and what of them lies in packs. */
static int remove_files(const char *folder, const int64_t *ids, size_t count,
                        struct arena *a, struct err *err)
{
    struct idmap *removed = idmap_new();
    struct packs *packs = packs_open(folder);
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        idmap_set(removed, (uint64_t)ids[i], packs);
    for (size_t i = 0; i < count && !rc; i++) {
        int64_t thousand = ids[i] / PACK_TRIALS;
        if (i + 1 < count && ids[i + 1] / PACK_TRIALS == thousand)
            continue;
        rc = remove_folders(folder, thousand, removed, a, err);
        if (!rc)
            rc = packs_drop(packs, thousand, is_removed, removed, err);
    }
    packs_close(packs);
    idmap_free(removed);
    return rc;
}

int study_remove(struct store *store, const char *selector, int64_t *removed,
                 struct err *err)
{
    struct arena *a = arena_new();
    int64_t *ids;
    size_t count;
    int rc = selected_ids(store, selector, a, &ids, &count, err);
    if (!rc)
        rc = store_begin(store, err);
    if (!rc && remove_rows(store, ids, count, err)) {
        store_rollback(store);
        rc = -1;
    }
    if (!rc)
        rc = store_commit(store, err);
    if (!rc)
        rc = remove_files(store_folder(store), ids, count, a, err);
    if (!rc)
        *removed = (int64_t)count;
    arena_free(a);
    return rc;
}
