/* hold.c - holding a study, so that it can be removed
 *
 * The stages of a campaign have conductors and jobs of their own, which may go
 * on when nobody runs the campaign. */
#include "study/study.h"

#include <stdlib.h>

/* What --take-over does for `throng run` would not help here. */
int study_take(struct store *store, const char *name, struct err *err)
{
    struct err why = {0};
    if (!store_lease_take_soon(store, &why))
        return 0;
    if (why.kind == ERR_BUSY)
        return err_set(err, ERR_BUSY,
                       "the study %s runs; `throng stop %s` ends it in an "
                       "orderly way, `throng kill %s` at once",
                       name, name, name);
    return err_set(err, why.kind, "%s", why.text);
}

static int hold_stages(struct study_hold *h, struct store *store,
                       const char *name, struct arena *a, struct err *err)
{
    const char **stages = campaign_studies(store, a);
    const char *folder = store_folder(store);
    for (; *stages; stages++)
        if (study_hold(h, path_join(a, folder, *stages),
                       arena_printf(a, "%s/%s", name, *stages), a, err))
            return -1;
    return 0;
}

int study_hold(struct study_hold *h, const char *folder, const char *name,
               struct arena *a, struct err *err)
{
    struct err why = {0};
    struct store *store = store_open(folder, true, &why);
    if (!store && why.kind == ERR_CORRUPT)
        return study_none_out(folder, name, a, err);
    if (!store)
        return err_set(err, why.kind, "%s", why.text);
    vec_push(&h->stores, store);
    return study_take(store, name, err) ||
                   study_none_out(folder, name, a, err) ||
                   hold_stages(h, store, name, a, err)
               ? -1
               : 0;
}

void study_let_go(struct study_hold *h)
{
    for (size_t i = 0; i < h->stores.len; i++)
        store_close(h->stores.p[i]);
    vec_done(&h->stores);
}
