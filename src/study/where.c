/* where.c - at which place the attempts of a study are out
 *
 * Tasks of a scheduler go on without a conductor, and only the place that has
 * them can hear them, collect them and end them: as long as some are out, the
 * study goes on there and nowhere else. */
#include "study/conductor.h"

/* Facts: where the last run was, and whose settings it had. */
#define PLACE "place"
#define PROFILE "profile"

const char *study_place(struct store *store, struct arena *a)
{
    struct str text;
    if (store_fact(store, PLACE, a, &text, NULL) || !text.p)
        return PLACE_HERE;
    return arena_cstr(a, text);
}

struct str study_profile(struct store *store, struct arena *a)
{
    struct str text;
    if (store_fact(store, PROFILE, a, &text, NULL) || !text.p)
        return STR("");
    return text;
}

bool study_place_outlives(const char *place)
{
    return engine_place_outlives(place);
}

bool study_place_is_live(const char *place)
{
    return engine_place_is_live(place);
}

uint32_t study_out(const struct study *s)
{
    return s->run.out;
}

int study_where(struct study *s, struct err *err)
{
    const char *place = study_place_name(s);
    const char *before = study_place(s->store, s->arena);
    struct str stored = study_profile(s->store, s->arena), profile = stored;
    if (!s->setup.place) /* else who ends the jobs opens it where they are */
        profile = s->plan->profile.len ? s->plan->profile : STR("");
    uint32_t out = s->run.out;
    bool same = strcmp(before, place) == 0;
    if (same && str_eq(stored, profile))
        return 0;
    if (!same && out && engine_place_outlives(before))
        return err_set(err, ERR_BUSY,
                       "%u trial%s of it %s still out at %s: `throng run … "
                       "--engine %s` collects them, and `throng kill %.*s` "
                       "cancels them; then it can run at %s",
                       out, out == 1 ? "" : "s", out == 1 ? "is" : "are",
                       before, before, STRF(s->plan->name), place);
    run_dirty(&s->run);
    return store_fact_set(s->store, PLACE, str_of(place), err) ||
                   store_fact_set(s->store, PROFILE, profile, err)
               ? -1
               : 0;
}
