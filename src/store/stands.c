/* stands.c - is the store that is open still the study's?
 *
 * Its file and its folder are held, and compared from time to time with what
 * is at their paths. */
#include "store/db.h"

#include "store/stands.h"

void stands_open(struct store *s)
{
    anchor_open(&s->file, s->path);
    anchor_open(&s->place, s->folder);
}

void stands_close(struct store *s)
{
    anchor_close(&s->file);
    anchor_close(&s->place);
}

bool store_is_removed(const struct store *s)
{
    return anchor_is_removed(&s->file);
}

/* What is not where it was: the folder with all that is in it, or the file
 * alone. NULL: nothing. */
static const struct anchor *astray(const struct store *s)
{
    if (!anchor_stands(&s->place) && !anchor_is_removed(&s->place))
        return &s->place;
    return anchor_stands(&s->file) ? NULL : &s->file;
}

const char *store_moved(const struct store *s, struct arena *a,
                        const char **now)
{
    const struct anchor *h = store_is_removed(s) ? NULL : astray(s);
    if (!h)
        return NULL;
    *now = anchor_now(h, a);
    return h->path;
}

int store_damaged(const struct store *s, const char *how, struct err *err)
{
    return db_damaged(s->path, how, err);
}

int store_stands(const struct store *s, struct err *err)
{
    if (s->damage.kind)
        return err_set(err, s->damage.kind, "%s", s->damage.text);
    const struct anchor *h = astray(s);
    if (!h)
        return 0;
    if (store_is_removed(s))
        return err_set(err, ERR_MISSING, "%s was removed while it was in use",
                       s->path);
    struct arena *a = arena_new();
    const char *now = anchor_now(h, a);
    err_set(err, ERR_MISSING, "%s was moved%s%s while it was in use", h->path,
            now ? " to " : "", now ? now : "");
    arena_free(a);
    return -1;
}
