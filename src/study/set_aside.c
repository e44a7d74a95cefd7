/* set_aside.c - a stored study of which no trial has ended well, and whose
 * file asks another question now
 *
 * A misspelt parameter, say: every trial failed, and the points of a mended
 * file are others. The stored one becomes a study of another name, whole, so
 * that its logs can still be read, and the file's begins anew. */
#include <stdio.h>
#include "study/conductor.h"

#define MOST 99 /* of one name */

/* One that is free, beside the study's folder; NULL: there is none. */
static const char *free_name(const struct study_setup *setup, struct arena *a)
{
    struct str name = setup->plan->name;
    char *around = path_folder(a, setup->folder);
    for (int i = 1; i <= MOST; i++) {
        char *other = i == 1 ? arena_printf(a, "%.*s-failed", STRF(name))
                             : arena_printf(a, "%.*s-failed-%d", STRF(name), i);
        if (plan_name_fault(str_of(other)))
            return NULL;
        if (!file_exists(path_join(a, around, other)))
            return other;
    }
    return NULL;
}

/* Looks without writing: whoever opens a damaged log to write cuts it off, and
 * study_open is to tell what is lost with it. */
static int asks_anew(const struct study_setup *setup, bool *anew,
                     struct err *err)
{
    struct study_changes c = {0};
    *anew = false;
    if (store_log_lost(setup->folder))
        return 0;
    struct store *store = store_open(setup->folder, false, NULL);
    if (!store)
        return 0; /* none, or one that study_open has words for */
    buf_init(&c.lines);
    int rc = study_changes(setup->plan, store, &c, err);
    *anew = !rc && c.anew;
    buf_done(&c.lines);
    store_close(store);
    return rc;
}

/* Renamed while the lease is held: nobody can begin to run it in between, and
 * who has done all this before us is seen; then nothing is renamed. */
static int rename_held(const struct study_setup *setup, struct store *store,
                       const char *folder, bool *renamed, struct err *err)
{
    struct study_changes c = {0};
    if (store_lease_take_soon(store, err))
        return -1;
    if (store_stands(store, NULL))
        return 0;
    buf_init(&c.lines);
    int rc = study_changes(setup->plan, store, &c, err);
    buf_done(&c.lines);
    if (rc || !c.anew)
        return rc;
    if (rename(setup->folder, folder))
        return err_errno(err, "rename %s to %s", setup->folder, folder);
    *renamed = true;
    return 0;
}

/* What lies beside a store that has been moved is not written when its lease is
 * let go; here it is, at the new place. */
static void let_go(const char *folder)
{
    struct store *store = store_open(folder, true, NULL);
    if (store)
        store_lease_take_soon(store, NULL);
    store_close(store);
}

int study_set_aside(const struct study_setup *setup, struct arena *a,
                    const char **name, struct err *err)
{
    bool anew, renamed = false;
    *name = NULL;
    if (asks_anew(setup, &anew, err))
        return -1;
    const char *other = anew ? free_name(setup, a) : NULL;
    if (!other)
        return 0;
    char *folder = path_join(a, path_folder(a, setup->folder), other);
    struct store *store = store_open(setup->folder, true, err);
    if (!store) /* somebody was quicker, or it cannot be opened */
        return file_exists(setup->folder) ? -1 : 0;
    int rc =
        study_none_out(setup->folder, arena_cstr(a, setup->plan->name), a, err);
    if (!rc)
        rc = rename_held(setup, store, folder, &renamed, err);
    store_close(store);
    if (!renamed)
        return rc;
    let_go(folder);
    *name = other;
    return 0;
}
