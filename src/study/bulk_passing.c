/* bulk_passing.c - the members of an ensemble that pass a filter
 *
 * A member knows the study and the trial that it comes from, by whose results
 * the filter goes. Those that pass keep their weights beside each other, and
 * become an ensemble that carries them: what it is depends on nothing but their
 * bytes and weights, so that it can be known again (bulk_known.c). */
#include "base/vec.h"
#include "ensemble/ensemble.h"
#include "study/bulk.h"

struct passing {
    const struct plan_predict *predict;
    const char *home;
    const char *where;
    const char *file; /* the ensemble */
    struct ensemble e;
    bool *passes; /* by member */
    struct arena *arena;
};

static int read_file(struct passing *k, struct err *err)
{
    struct str bytes;
    if (file_map(k->file, &bytes, err))
        return -1;
    struct str own = arena_str(k->arena, bytes);
    file_unmap(bytes);
    if (ensemble_parse(&k->e, own, k->file, k->arena, err))
        return -1;
    k->passes = arena_array(k->arena, k->e.count + 1, sizeof(*k->passes));
    for (size_t i = 0; i < k->e.count; i++)
        if (!k->e.members[i].study.len)
            return err_set(err, ERR_INPUT,
                           "member %zu of %.*s is no trial of a study, of "
                           "which where could say whether it passes",
                           i + 1, STRF(k->predict->models));
    if (!k->e.stack)
        return 0;
    return err_set(err, ERR_INPUT,
                   "%.*s is a stack, whose weights are of all its members: "
                   "where cannot leave some out (choose before it is made)",
                   STRF(k->predict->models));
}

static void note(struct passing *k, struct str study, int64_t trial)
{
    for (size_t i = 0; i < k->e.count; i++)
        if (k->e.members[i].trial == trial &&
            str_eq(k->e.members[i].study, study))
            k->passes[i] = true;
}

/* All members of a study. */
static int ask_study(struct passing *k, struct str study, struct err *err)
{
    const char *folder =
        bulk_study_named(arena_cstr(k->arena, study), k->home, k->arena);
    struct buf trials;
    struct trial t;
    if (!folder)
        return err_set(err, ERR_MISSING,
                       "%.*s has trials of the study %.*s, which is not here: "
                       "nobody knows which of them pass %s",
                       STRF(k->predict->models), STRF(study), k->where);
    buf_init(&trials);
    for (size_t i = 0; i < k->e.count; i++)
        if (str_eq(k->e.members[i].study, study))
            buf_addf(&trials, "%s%lld", trials.len ? "," : "",
                     (long long)k->e.members[i].trial);
    struct store *store = store_open(folder, false, err);
    struct query q = {.selector = trials.p, .where = k->where};
    struct rows *rows = store ? store_rows(store, &q, err) : NULL;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        note(k, study, t.id);
    rows_close(rows);
    store_close(store);
    buf_done(&trials);
    return got;
}

static int ask_studies(struct passing *k, struct err *err)
{
    bool some = false;
    for (size_t i = 0; i < k->e.count; i++) {
        size_t first = 0;
        while (!str_eq(k->e.members[first].study, k->e.members[i].study))
            first++;
        if (first == i && ask_study(k, k->e.members[i].study, err))
            return -1;
    }
    for (size_t i = 0; i < k->e.count; i++)
        some = some || k->passes[i];
    return some ? 0
                : err_set(err, ERR_MISSING, "no member of %.*s passes %s",
                          STRF(k->predict->models), k->where);
}

static int write_passing(struct passing *k, const char *scratch, const char *to,
                         struct err *err)
{
    struct ensemble_member *members =
        arena_array(k->arena, k->e.count, sizeof(*members));
    struct ensemble e = k->e;
    struct models all;
    struct buf inside, file;
    struct str bytes;
    double sum = 0;
    int rc = models_open(&all, k->file, scratch, k->arena, err);
    e.members = members;
    e.count = 0;
    buf_init(&inside);
    buf_init(&file);
    for (size_t i = 0; !rc && i < k->e.count; i++) {
        if (!k->passes[i])
            continue;
        members[e.count] = k->e.members[i];
        sum += members[e.count].weight;
        members[e.count].weights = STR("");
        members[e.count].at = inside.len;
        rc = file_map(all.list[i].file, &bytes, err);
        if (rc)
            break;
        members[e.count++].bytes = bytes.len;
        buf_addstr(&inside, bytes);
        file_unmap(bytes);
    }
    for (size_t i = 0; i < e.count; i++)
        members[i].weight /= sum > 0 ? sum : 1;
    ensemble_print(&file, &e);
    buf_addstr(&file, buf_str(&inside));
    if (!rc)
        rc = file_write(to, buf_str(&file), true, err);
    buf_done(&inside);
    buf_done(&file);
    return rc;
}

bool bulk_is_ensemble(const char *path)
{
    struct str bytes;
    if (!file_exists(path) || file_map(path, &bytes, NULL))
        return false;
    bool is = ensemble_is(bytes);
    file_unmap(bytes);
    return is;
}

int bulk_passing(const struct plan_predict *p, const char *home,
                 const char *scratch, struct bulk_found *to, struct arena *a,
                 struct err *err)
{
    struct passing k = {.predict = p,
                        .home = home,
                        .where = arena_cstr(a, p->where),
                        .file = to->path,
                        .arena = a};
    to->path = path_join(a, scratch, "passing.ensemble");
    return read_file(&k, err) || ask_studies(&k, err)
               ? -1
               : write_passing(&k, scratch, to->path, err);
}
