/* stored_plan.c - the plan of a study that was run before */
#include "study/study.h"

#include "base/json.h"

#define STUDY_FILE_MAX (64u << 20)

static struct plan *read_quietly(struct str text, const char *file,
                                 const char *home, struct arena *a)
{
    struct plan_reader reader = study_reader(a, home);
    struct problems problems;
    problems_init(&problems, a);
    struct plan *p = plan_read(text, file, &reader, a, &problems);
    return p;
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

static struct plan *from_file(struct store *store, const char *home,
                              const char *file, struct arena *a)
{
    char *path = path_join(a, home, arena_cstr(a, path_name(file)));
    struct buf b;
    buf_init(&b);
    int rc = file_read(path, STUDY_FILE_MAX, &b, NULL);
    struct str text = arena_str(a, buf_str(&b));
    buf_done(&b);
    if (rc)
        return NULL;
    struct plan *p = read_quietly(text, path, home, a);
    if (!p)
        return NULL;
    fix(store, p, a);
    if (same_question(store, p, a))
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
    struct plan *p = NULL;
    if (file.len)
        p = from_file(store, home, arena_cstr(a, file), a);
    if (!p && text.len) {
        p = read_quietly(text, file.len ? file.p : "study", home, a);
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
