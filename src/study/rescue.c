/* rescue.c - when somebody removes or moves the store of a running study
 *
 * A moved one is whole where it is now. Of a removed one this process has the
 * last copy, and writes it down: into its folder, if that is still there, else
 * beside the study file. */
#include "study/conductor.h"

static int say_moved(const struct err *why, struct err *err)
{
    return err_set(err, ERR_SYSTEM,
                   "%s; the study's tasks were ended. Nothing is lost: move it "
                   "back, or go on where it is now",
                   why->text);
}

static int save(struct study *s, const struct err *why, struct err *err)
{
    struct arena *a = s->arena;
    struct err failed = {0};
    const char *folder = s->setup.folder;
    bool there = file_is_dir(folder);
    struct str name = there ? STR("study") : path_name(folder);
    const char *path =
        path_join(a, there ? folder : s->setup.home,
                  arena_printf(a, "%.*s.db.saved-%lld", STRF(name),
                               (long long)clock_wall()));
    if (store_save(s->store, path, &failed))
        return err_set(err, ERR_SYSTEM,
                       "%s; the study's tasks were ended, and what it knew "
                       "could not be saved: %s",
                       why->text, failed.text);
    return err_set(err, ERR_SYSTEM,
                   "%s; the study's tasks were ended. What it knew is saved "
                   "in %s: `mkdir -p %s && mv %s %s/study.db` puts it back, "
                   "and the next run goes on",
                   why->text, path, folder, path, folder);
}

int study_stands(struct study *s, struct err *err)
{
    struct err why = {0};
    if (!store_stands(s->store, &why))
        return 0;
    if (why.kind != ERR_MISSING)
        return err_set(err, why.kind, "%s", why.text);
    return store_is_removed(s->store) ? save(s, &why, err)
                                      : say_moved(&why, err);
}
