/* stored_plan.c - the plan of a study that was run before
 *
 * With the settings of its last run, whatever was said on its command line: at
 * the place where it was, with the profile that it had. */
#include "study/study.h"

#include "base/json.h"

#define STUDY_FILE_MAX (64u << 20)

/* How it is read again. */
struct rereading {
    struct store *store;
    struct plan_reader reader;
    struct arena *arena;
};

static struct rereading rereading_of(struct store *store, const char *home,
                                     struct arena *a)
{
    struct rereading r = {store, study_reader(a, home), a};
    const char *place = study_place(store, a);
    struct str profile = study_profile(store, a);
    r.reader.folder = store_folder(store);
    if (study_place_outlives(place) && place_name_find(str_of(place)))
        r.reader.engine = place;
    if (profile.len)
        r.reader.profile = arena_cstr(a, profile);
    return r;
}

/* A profile that is gone, or wrong by now, is no reason to know nothing: jobs
 * that were submitted with it can still be cancelled. */
static struct plan *read_quietly(const struct rereading *r, struct str text,
                                 const char *file)
{
    struct plan_reader reader = r->reader;
    struct problems problems;
    problems_init(&problems, r->arena);
    struct plan *p = plan_read(text, file, &reader, r->arena, &problems);
    if (p)
        return p;
    reader.site = NULL;
    problems_init(&problems, r->arena);
    return plan_read(text, file, &reader, r->arena, &problems);
}

static void fix(struct store *store, struct plan *p, struct arena *a)
{
    struct str text;
    if (store_fact(store, "fixed", a, &text, NULL) || !text.len)
        return;
    struct value *fixed = json_parse(a, text, "fixed", true, NULL);
    if (fixed)
        fix_parameters(p, fixed, a, NULL);
}

static bool same_question(struct store *store, const struct plan *p,
                          struct arena *a)
{
    struct str stored;
    struct buf now, diff;
    if (store_fact(store, "identity", a, &stored, NULL) || !stored.p)
        return false;
    buf_init(&now);
    buf_init(&diff);
    plan_identity_as(&now, p, stored);
    plan_identity_diff(&diff, NULL, stored, buf_str(&now));
    bool same = diff.len == 0;
    buf_done(&now);
    buf_done(&diff);
    return same;
}

static struct plan *from_file(const struct rereading *r, const char *home,
                              const char *file)
{
    struct arena *a = r->arena;
    char *path = path_join(a, home, arena_cstr(a, path_name(file)));
    struct buf b;
    buf_init(&b);
    int rc = file_read(path, STUDY_FILE_MAX, &b, NULL);
    struct str text = arena_str(a, buf_str(&b));
    buf_done(&b);
    if (rc)
        return NULL;
    struct plan *p = read_quietly(r, text, path);
    if (!p)
        return NULL;
    fix(r->store, p, a);
    if (same_question(r->store, p, a))
        return p;
    plan_close(p);
    return NULL;
}

struct plan *study_stored_plan(struct store *store, const char *home,
                               const char *name, struct arena *a,
                               struct err *err)
{
    struct str file, text;
    if (store_fact(store, "file", a, &file, err) ||
        store_fact(store, "text", a, &text, err))
        return NULL;
    struct rereading r = rereading_of(store, home, a);
    struct plan *p = NULL;
    if (file.len)
        p = from_file(&r, home, arena_cstr(a, file));
    if (!p && text.len) {
        p = read_quietly(&r, text, file.len ? file.p : "study");
        if (p)
            fix(store, p, a);
    }
    if (!p)
        err_set(err, ERR_INPUT,
                "the study file of %s is not there any more, and what was "
                "stored of it cannot be read",
                name);
    else
        p->name = str_of(name);
    return p;
}
