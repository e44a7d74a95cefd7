/* rescue.c - when somebody removes or moves the store of a running study
 *
 * A moved one is whole where it is now. Of a removed one this process has the
 * last copy, and writes it down: into its folder, if that is still there, else
 * beside the study file, or as near to that as there is a folder. */
#include "study/conductor.h"

#include <unistd.h>

/* ---- moved ------------------------------------------------------------ */

/* Something was renamed: the study's folder, or one above it. *was and *now
 * name the latter, if so: the last names of both are equal, and there is
 * nothing at the old place. */
static void find_renamed(struct arena *a, const char **was, const char **now)
{
    for (;;) {
        const char *above = path_folder(a, *was);
        if (!str_eq(path_name(*was), path_name(*now)) || file_exists(above) ||
            strcmp(above, *was) == 0)
            return;
        *was = above;
        *now = path_folder(a, *now);
    }
}

static void add_command(struct buf *b, const char *from, const char *to)
{
    buf_adds(b, "mv -T ");
    shell_quote(b, str_of(from));
    buf_addc(b, ' ');
    shell_quote(b, str_of(to));
}

/* A plain mv would put it inside of what was made there meanwhile. */
static void add_way_back(struct buf *b, struct arena *a, const char *was,
                         const char *now)
{
    buf_adds(b, "`");
    if (file_exists(was)) {
        add_command(b, was, arena_printf(a, "%s.made-since", was));
        buf_adds(b, " && ");
    }
    add_command(b, now, was);
    buf_addf(b, "` moves it back%s, and the next run goes on",
             file_exists(was) ? " and keeps what was made there since" : "");
}

/* The study file may have moved with it. */
static void add_new_home(struct buf *b, struct arena *a, const char *home,
                         const char *was, const char *now)
{
    size_t len = strlen(was);
    if (strncmp(home, was, len) != 0 || (home[len] && home[len] != '/'))
        return;
    buf_adds(b, "; or run it where it is now, after `cd ");
    shell_quote(b, str_of(arena_printf(a, "%s%s", now, home + len)));
    buf_addc(b, '`');
}

static int say_moved(struct study *s, const struct err *why, struct err *err)
{
    struct arena *a = s->arena;
    const char *now = NULL, *was = store_moved(s->store, a, &now);
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "%s; the study's tasks were ended, and nothing is lost: ",
             why->text);
    if (!was || !now) {
        buf_adds(&b, "move it back, and the next run goes on");
    } else {
        find_renamed(a, &was, &now);
        add_way_back(&b, a, was, now);
        add_new_home(&b, a, s->setup.home, was, now);
    }
    err_set(err, ERR_SYSTEM, "%s", b.p);
    buf_done(&b);
    return -1;
}

/* ---- removed ---------------------------------------------------------- */

/* What lay beside a removed file is of no use, and would be taken for part of
 * the one that is put back. */
static void remove_beside(struct study *s)
{
    static const char *const beside[] = {"study.db-wal", "study.db-shm"};
    const char *folder = s->setup.folder;
    if (file_exists(path_join(s->arena, folder, "study.db")))
        return;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        unlink(path_join(s->arena, folder, beside[i]));
}

/* Where it was written; NULL: nowhere. */
static const char *save_near(struct study *s, struct err *err)
{
    struct arena *a = s->arena;
    const char *folder = s->setup.folder, *path, *up = s->setup.home;
    long long now = (long long)clock_wall();
    struct str name = path_name(folder);
    path = path_join(a, folder, arena_printf(a, "study.db.saved-%lld", now));
    while (store_save(s->store, path, err)) {
        if (!up)
            return NULL;
        path = path_join(
            a, up, arena_printf(a, "%.*s.db.saved-%lld", STRF(name), now));
        up = strcmp(up, "/") == 0 ? NULL : path_folder(a, up);
    }
    return path;
}

/* A study that was begun at the same place since is not to be overwritten. */
static int save(struct study *s, const struct err *why, struct err *err)
{
    struct err failed = {0};
    const char *path = save_near(s, &failed), *folder = s->setup.folder;
    bool another = file_exists(path_join(s->arena, folder, "study.db"));
    if (!path)
        return err_set(err, ERR_SYSTEM,
                       "%s; the study's tasks were ended, and what it knew "
                       "could not be saved: %s",
                       why->text, failed.text);
    remove_beside(s);
    if (another)
        folder = arena_printf(s->arena, "%s-saved", folder);
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "mkdir -p ");
    shell_quote(&b, str_of(folder));
    buf_adds(&b, " && ");
    add_command(&b, path, path_join(s->arena, folder, "study.db"));
    err_set(err, ERR_SYSTEM,
            "%s; the study's tasks were ended. What it knew is saved in %s: "
            "`%s` %s",
            why->text, path, b.p,
            another ? "puts it beside the study that was begun there since"
                    : "puts it back, and the next run goes on");
    buf_done(&b);
    return -1;
}

int study_stands(struct study *s, struct err *err)
{
    struct err why = {0};
    if (!store_stands(s->store, &why))
        return 0;
    if (why.kind != ERR_MISSING)
        return err_set(err, why.kind, "%s", why.text);
    return store_is_removed(s->store) ? save(s, &why, err)
                                      : say_moved(s, &why, err);
}
