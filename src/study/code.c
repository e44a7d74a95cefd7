/* code.c - which files the tasks of a study run from
 *
 * Those beside the study file as they are, or, with `code:`, those that were
 * frozen when it began (frozen.c), in `code` of its folder. The fact "code"
 * says that the folder is whole. A later run uses the same one; only where no
 * trial has ended well, and none is out, it is made anew: what was mended since
 * shall be tried. */
#include "base/json.h"
#include "base/num.h"
#include "study/conductor.h"
#include "study/frozen.h"
#include <stdio.h>
#include <stdlib.h>

#define NAMED_MAX 5 /* of what is linked */

static const char *const ways[] = {[CODE_GIT] = "git", [CODE_COPY] = "copy"};

static char *frozen_folder(const char *folder, struct arena *a)
{
    return path_join(a, folder, "code");
}

const char *study_code_home(struct store *store, const char *home,
                            struct arena *a)
{
    struct str text;
    if (store_fact(store, "code", a, &text, NULL) || !text.len)
        return home;
    struct value *v = json_parse(a, text, "code", false, NULL);
    const char *at = frozen_folder(store_folder(store), a);
    struct str inside = v ? value_text(value_get(v, STR("inside"))) : STR("");
    if (inside.len)
        at = path_join(a, at, arena_cstr(a, inside));
    return file_is_dir(at) ? at : home;
}

/* ---- what was frozen ----------------------------------------------------- */

static void print_fact(const struct study *s, const struct frozen *f,
                       struct buf *b)
{
    struct arena *a = arena_new();
    struct value *v = value_object(a), *linked = value_list(a);
    for (size_t i = 0; i < f->linked.len; i++)
        value_list_add(a, linked, value_string(a, str_of(f->linked.p[i])));
    value_set(a, v, STR("how"), value_string(a, str_of(ways[s->plan->code])));
    value_set(a, v, STR("inside"), value_string(a, str_of(f->inside)));
    value_set(a, v, STR("files"), value_int(a, (int64_t)f->files));
    value_set(a, v, STR("bytes"), value_int(a, (int64_t)f->bytes));
    value_set(a, v, STR("linked"), linked);
    json_print(b, v);
    arena_free(a);
}

static void say(const struct study *s, const struct frozen *f)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "tasks run from a copy of %llu file%s, ",
             (unsigned long long)f->files, f->files == 1 ? "" : "s");
    num_print_bytes(&b, f->bytes);
    buf_adds(&b, ": what is edited now changes no trial");
    for (size_t i = 0; i < f->linked.len && i < NAMED_MAX; i++)
        buf_addf(&b, "%s%s",
                 i ? ", " : "; linked, not copied: ", f->linked.p[i]);
    if (f->linked.len > NAMED_MAX)
        buf_addf(&b, " and %zu more", f->linked.len - NAMED_MAX);
    log_to(s->setup.log, LOG_NOTICE, "%s", b.p);
    buf_done(&b);
}

static int remember(struct study *s, const struct frozen *f, struct err *err)
{
    struct buf fact;
    if (store_begin(s->store, err))
        return -1;
    buf_init(&fact);
    print_fact(s, f, &fact);
    int rc = study_facts_git(s, err);
    if (!rc)
        rc = store_fact_set(s->store, "code", buf_str(&fact), err);
    buf_done(&fact);
    if (rc) {
        store_rollback(s->store);
        return -1;
    }
    return store_commit(s->store, err);
}

static int freeze(struct study *s, struct err *err)
{
    struct arena *a = arena_new();
    struct frozen f;
    char *to = frozen_folder(s->setup.folder, a);
    char *made = arena_printf(a, "%s.new", to);
    int rc = frozen_make(s->plan->code, s->setup.home, made, a, &f, err);
    if (!rc)
        rc = dir_remove(to, err);
    if (!rc && rename(made, to))
        rc = err_errno(err, "rename %s to %s", made, to);
    if (!rc)
        rc = remember(s, &f, err);
    if (!rc)
        say(s, &f);
    else
        dir_remove(made, NULL);
    frozen_done(&f);
    arena_free(a);
    return rc;
}

/* ---- at the beginning of a run ------------------------------------------- */

static bool has_one(struct study *s)
{
    struct str text = {0};
    return store_fact(s->store, "code", s->arena, &text, NULL) == 0 &&
           text.len && file_is_dir(frozen_folder(s->setup.folder, s->arena));
}

/* Nobody has learned anything from the one that is there. */
static bool is_free(struct study *s)
{
    struct counts c;
    return store_counts(s->store, &c, NULL) == 0 &&
           c.by_state[STATE_DONE] == 0 && study_out(s) == 0;
}

/* Made in a folder of its own, since nothing may change what is there. */
static int foresee_frozen(struct study *s, const char *scratch, struct err *err)
{
    struct arena *a = s->arena;
    const char *to = path_join(a, scratch, "code");
    struct frozen f;
    int rc = frozen_make(s->plan->code, s->setup.home, to, a, &f, err);
    if (!rc) {
        s->code_home =
            path_join(a, frozen_folder(s->setup.folder, a), f.inside);
        study_travel(s, to);
    }
    frozen_done(&f);
    return rc;
}

int study_code_foresee(struct study *s, struct store *store, struct err *err)
{
    struct counts c = {0};
    if (store && store_counts(store, &c, err))
        return -1;
    bool kept = c.by_state[STATE_DONE] || c.by_state[STATE_RUNNING];
    s->code_home =
        kept ? study_code_home(store, s->setup.home, s->arena) : s->setup.home;
    if (s->plan->code == CODE_LIVE || strcmp(s->code_home, s->setup.home)) {
        study_travel(s, NULL);
        return 0;
    }
    const char *scratch = scratch_make("code", err);
    if (!scratch)
        return -1;
    int rc = foresee_frozen(s, scratch, err);
    scratch_remove(scratch);
    return rc;
}

int study_code_open(struct study *s, struct err *err)
{
    s->code_home = s->setup.home;
    if (s->plan->code == CODE_LIVE)
        return 0;
    if ((!has_one(s) || is_free(s)) && freeze(s, err))
        return -1;
    s->code_home = study_code_home(s->store, s->setup.home, s->arena);
    return 0;
}
