/* stored_plan.c - the plan of a study that was run before */
#include "cli/stored_plan.h"

#include "base/json.h"
#include "cli/fix.h"

#define STUDY_FILE_MAX (64u << 20)

static struct plan *read_quietly(struct call *c, struct str text,
                                 const char *file, const char *home)
{
    struct plan_reader reader = reader_beside(c->arena, home);
    struct problems problems;
    problems_init(&problems, c->arena);
    struct plan *p = plan_read(text, file, &reader, c->arena, &problems);
    problems_done(&problems);
    return p;
}

static void fix(struct call *c, struct store *store, struct plan *p)
{
    struct str text;
    if (store_fact(store, "fixed", c->arena, &text, NULL) || !text.len)
        return;
    struct value *fixed = json_parse(c->arena, text, "fixed", true, NULL);
    if (fixed)
        fix_parameters(p, fixed, c->arena, NULL);
}

static bool same_question(struct call *c, struct store *store,
                          const struct plan *p)
{
    struct str stored;
    struct buf now, diff;
    if (store_fact(store, "identity", c->arena, &stored, NULL) || !stored.p)
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

static struct plan *from_file(struct call *c, struct store *store,
                              const struct place_of_study *where,
                              const char *file)
{
    char *path =
        path_join(c->arena, where->home, arena_cstr(c->arena, path_name(file)));
    struct buf b;
    buf_init(&b);
    int rc = file_read(path, STUDY_FILE_MAX, &b, NULL);
    struct str text = arena_str(c->arena, buf_str(&b));
    buf_done(&b);
    if (rc)
        return NULL;
    struct plan *p = read_quietly(c, text, path, where->home);
    if (!p)
        return NULL;
    fix(c, store, p);
    if (same_question(c, store, p))
        return p;
    plan_close(p);
    return NULL;
}

struct plan *load_stored_plan(struct call *c, struct store *store,
                              const struct place_of_study *where)
{
    struct str file, text;
    if (store_fact(store, "file", c->arena, &file, &c->err) ||
        store_fact(store, "text", c->arena, &text, &c->err))
        return NULL;
    struct plan *p = NULL;
    if (file.len)
        p = from_file(c, store, where, arena_cstr(c->arena, file));
    if (!p && text.len) {
        p = read_quietly(c, text, file.len ? file.p : "study", where->home);
        if (p)
            fix(c, store, p);
    }
    if (!p)
        err_set(&c->err, ERR_INPUT,
                "the study file of %s is not there any more, and what was "
                "stored of it cannot be read",
                where->name);
    else
        p->name = str_of(where->name);
    return p;
}
