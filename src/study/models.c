/* models.c - what predict and evaluate take: weights, or an ensemble of them
 *
 * Members of an ensemble are files beside it, or lie inside. A member is taken
 * only when its bytes are those that were chosen. What lies in a pack, or
 * inside, is written into scratch, since a worker reads files. */
#include "base/hash.h"
#include "base/num.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/selected.h"
#include "study/study.h"

struct opening {
    struct models *models;
    const char *scratch;
    struct arena *arena;
    struct err *err;
    size_t written; /* files in scratch */
};

static const char *next_scratch(struct opening *o)
{
    return arena_printf(o->arena, "%s/weights-%zu.safetensors", o->scratch,
                        ++o->written);
}

/* ---- weights --------------------------------------------------------------
 */

/* The trial that STUDY/trials/0/7/output/weights.safetensors is of, and the
 * folder of its study; false: that is no such path. */
static bool is_of_trial(struct opening *o, const char *path,
                        const char **folder, int64_t *trial, const char **name)
{
    struct str rest, thousand, number;
    const char *at = NULL;
    for (const char *p = path; (p = strstr(p, "/trials/")); p++)
        at = p;
    if (!at)
        return false;
    rest = str_of(at + strlen("/trials/"));
    str_split(&rest, '/', &thousand);
    if (!rest.p || !str_split(&rest, '/', &number) || !rest.p ||
        !num_int(number, trial))
        return false;
    *folder = arena_cstr(o->arena, str_n(path, (size_t)(at - path)));
    *name = rest.p;
    return true;
}

/* A path of a trial names its weights also where they lie in a pack. *file
 * stays as it is where there is none: who reads it says so. */
static int unpack(struct opening *o, const char *path, const char **file)
{
    const char *folder, *name;
    int64_t trial;
    *file = path;
    if (file_exists(path) || !is_of_trial(o, path, &folder, &trial, &name))
        return 0;
    struct packs *packs = packs_open(folder);
    struct err why = {0};
    struct buf b;
    buf_init(&b);
    int rc = packs_read(packs, trial, name, &b, &why);
    if (!rc) {
        *file = next_scratch(o);
        rc = file_write(*file, buf_str(&b), false, o->err);
    } else if (why.kind == ERR_MISSING) {
        rc = 0;
    } else {
        err_set(o->err, why.kind, "%s", why.text);
    }
    buf_done(&b);
    packs_close(packs);
    return rc;
}

/* ---- ensembles ------------------------------------------------------------
 */

static int check_bytes(struct opening *o, const struct ensemble_member *m,
                       struct str bytes, const char *name)
{
    char hex[65];
    sha256_hex(bytes, hex);
    if (str_is(m->sha256, hex))
        return 0;
    return err_set(o->err, ERR_CORRUPT,
                   "%s is not the member that %s was made with: its bytes "
                   "have changed",
                   name, o->models->path);
}

static int take_file(struct opening *o, const struct ensemble_member *m,
                     struct model_file *to)
{
    struct str bytes;
    to->name = path_join(o->arena, path_folder(o->arena, o->models->path),
                         arena_cstr(o->arena, m->weights));
    if (unpack(o, to->name, &to->file))
        return -1;
    if (!file_exists(to->file))
        return err_set(o->err, ERR_MISSING,
                       "%s: its member %s is not there any more; members are "
                       "looked for from the folder of the ensemble, and one "
                       "that was made with --bundle carries them along",
                       o->models->path, to->name);
    if (file_map(to->file, &bytes, o->err))
        return -1;
    int rc = check_bytes(o, m, bytes, to->name);
    file_unmap(bytes);
    return rc;
}

static int take_inside(struct opening *o, const struct ensemble_member *m,
                       struct str all, struct model_file *to)
{
    struct str bytes = ensemble_inside(m, all);
    to->file = next_scratch(o);
    to->name = arena_printf(o->arena, "%s: member %zu", o->models->path,
                            (size_t)(to - o->models->list) + 1);
    if (check_bytes(o, m, bytes, to->name))
        return -1;
    return file_write(to->file, bytes, false, o->err);
}

static int take_members(struct opening *o, struct str bytes)
{
    struct ensemble e;
    struct models *m = o->models;
    int rc = ensemble_parse(&e, bytes, m->path, o->arena, o->err);
    if (rc)
        return -1;
    m->is_ensemble = true;
    m->combine = combine_names[e.how];
    m->stack = e.stack;
    m->count = e.count;
    m->list = arena_array(o->arena, e.count, sizeof(*m->list));
    for (size_t i = 0; !rc && i < e.count; i++) {
        m->list[i].weight = e.members[i].weight;
        m->list[i].setting = e.members[i].setting;
        rc = e.members[i].weights.len
                 ? take_file(o, &e.members[i], &m->list[i])
                 : take_inside(o, &e.members[i], bytes, &m->list[i]);
    }
    return rc;
}

static int take_weights(struct opening *o)
{
    struct models *m = o->models;
    m->count = 1;
    m->list = arena_array(o->arena, 1, sizeof(*m->list));
    m->list[0] = (struct model_file){.name = m->path, .weight = 1};
    m->combine = combine_names[COMBINE_MEAN];
    return unpack(o, m->path, &m->list[0].file);
}

/* ---- weights of trials ----------------------------------------------------
 */

static int no_weights(const struct trial *t, const struct err *why,
                      struct err *err)
{
    if (state_bad(t->state) && why->kind == ERR_MISSING)
        return err_set(err, ERR_MISSING,
                       "trial %lld (%s) has left no weights: name others, or "
                       "`done`",
                       (long long)t->id, state_name(t->state));
    return err_set(err, why->kind,
                   "trial %lld has no weights (%s): the file was removed, "
                   "its study kept none (`keep: all` and `keep: best:N` keep "
                   "them), or runs a program of its own, whose models throng "
                   "does not know",
                   (long long)t->id, why->text);
}

/* 1: it has none, and need not. */
static int read_trial(struct store *store, struct packs *packs,
                      struct trial_weights *w, bool all, struct arena *a,
                      struct err *err)
{
    struct err why = {0};
    struct trial t;
    w->path = path_absolute(
        a, path_join(a, store_trial_folder(store, w->trial, a), TASK_WEIGHTS));
    buf_init(&w->bytes);
    if (packs_read(packs, w->trial, TASK_WEIGHTS, &w->bytes, &why) == 0)
        return 0;
    buf_done(&w->bytes);
    if (store_trial(store, w->trial, a, &t, err))
        return -1;
    if (all && state_bad(t.state) && why.kind == ERR_MISSING)
        return 1;
    return no_weights(&t, &why, err);
}

int trial_weights_read(struct store *store, const char *selector,
                       struct trial_weights **list, size_t *count,
                       struct arena *a, struct err *err)
{
    int64_t *ids;
    size_t found = 0;
    if (selected_ids(store, selector, a, &ids, &found, err))
        return -1;
    struct trial_weights *all = arena_array(a, found + 1, sizeof(*all));
    struct packs *packs = packs_of(store);
    size_t read = 0;
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < found; i++) {
        all[read].trial = ids[i];
        rc = read_trial(store, packs, &all[read], !strcmp(selector, "all"), a,
                        err);
        read += rc == 0;
    }
    packs_close(packs);
    for (size_t i = 0; rc < 0 && i < read; i++)
        buf_done(&all[i].bytes);
    if (rc < 0)
        return -1;
    *list = all;
    *count = read;
    return 0;
}

/* It is called an ensemble, and does not begin like one. */
static bool is_neither(const struct opening *o)
{
    struct nn_about about;
    return str_ends(str_of(o->models->path), STR(".ensemble")) &&
           nn_weights_about(o->models->path, o->arena, &about, NULL);
}

/* Of a file that is no weights of ours, but something else that is known: what
 * to do about it. NULL: it may be weights. */
static const char *way_with(struct str bytes)
{
    static const char keras[] = "\"class_name\"";
    if (str_starts(bytes, STR("\x89HDF")))
        return "is an HDF5 file, as Keras writes weights: name its model.json "
               "in its place, and this beside it, by --weights, or `weights` "
               "of a study file";
    if (str_starts(bytes, STR("PK\x03\x04")))
        return "is a zip archive, as PyTorch writes weights: name a model file "
               "in its place, and this beside it, by --weights, or `weights` "
               "of a study file; one that Keras 3 has saved is called .keras";
    if (bytes.len && bytes.p[0] == '{' &&
        memmem(bytes.p, bytes.len, keras, sizeof(keras) - 1))
        return "is a model of Keras without its weights: name them beside it, "
               "by --weights, or `weights` of a study file";
    return NULL;
}

/* A model file is text, and weights begin with a number of eight bytes, whose
 * last are 0. */
static bool is_text(struct str bytes)
{
    for (size_t i = 0; i < bytes.len && i < 8; i++)
        if (!bytes.p[i])
            return false;
    return bytes.len > 0;
}

static int say_other(const struct opening *o, struct str bytes)
{
    const char *way = way_with(bytes);
    if (!way && is_text(bytes))
        way = "is no file of weights: one of a model is named together with "
              "its weights, by --weights, or `weights` of a study file, or is "
              "trained by `throng train`";
    return way ? err_set(o->err, ERR_INPUT, "%s %s", o->models->path, way) : 0;
}

static int no_model(const struct opening *o)
{
    return err_set(o->err, ERR_INPUT,
                   "%s is no ensemble, as `throng ensemble` writes it, and no "
                   "weights either: it is empty, or broken",
                   o->models->path);
}

/* No file is called so, and a study beside it is. */
static bool is_study(const struct opening *o)
{
    struct arena *a = o->arena;
    const char *path = o->models->path;
    const char *name = arena_cstr(a, path_name(path));
    const char *home = path_join(a, path_folder(a, path), ".throng");
    return *name &&
           file_exists(path_join(a, path_join(a, home, name), "study.db"));
}

static int no_file(const struct opening *o)
{
    return err_set(o->err, ERR_MISSING,
                   "%.*s is a study, and no file of weights: `throng ensemble` "
                   "makes one model of its trials, and `throng predict` with "
                   "--study NAME asks those that are chosen",
                   STRF(path_name(o->models->path)));
}

int models_open(struct models *m, const char *path, const char *scratch,
                struct arena *a, struct err *err)
{
    struct opening o = {
        .models = m, .scratch = scratch, .arena = a, .err = err};
    struct str bytes = {0};
    *m = (struct models){.path = path};
    bool there = file_exists(path) && file_map(path, &bytes, NULL) == 0;
    int rc = there && ensemble_is(bytes)          ? take_members(&o, bytes)
             : there && is_neither(&o)            ? no_model(&o)
             : there && say_other(&o, bytes)      ? -1
             : !file_exists(path) && is_study(&o) ? no_file(&o)
                                                  : take_weights(&o);
    if (there)
        file_unmap(bytes);
    return rc;
}
