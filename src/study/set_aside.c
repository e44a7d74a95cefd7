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

/* Nobody else may be at it; the lease is let go by closing the store. */
static int is_free(const struct study_setup *setup, struct err *err)
{
    struct store *store = store_open(setup->folder, true, err);
    int rc = store ? store_lease_take_soon(store, err) : -1;
    store_close(store);
    return rc;
}

int study_set_aside(const struct study_setup *setup, struct arena *a,
                    const char **name, struct err *err)
{
    bool anew;
    *name = NULL;
    if (asks_anew(setup, &anew, err))
        return -1;
    const char *other = anew ? free_name(setup, a) : NULL;
    if (!other)
        return 0;
    char *folder = path_join(a, path_folder(a, setup->folder), other);
    if (is_free(setup, err))
        return -1;
    if (rename(setup->folder, folder))
        return err_errno(err, "rename %s to %s", setup->folder, folder);
    *name = other;
    return 0;
}
