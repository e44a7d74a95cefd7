/* bulk_known.c - the models of an inference, known by what was in them when it
 * began
 *
 * Shards ask copies (bulk.h), so that no table is ever of two models. But a
 * person who has trained a model again, and runs the inference again, means the
 * new one, and must not be handed a table of the old one without a word; and a
 * copy that is not what it was would make a table of both. A file beside the
 * copies has the hash of what they were made of, and of each of them. */
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "study/bulk.h"

#define KNOWN_FILE "models.json" /* in the study's folder */
#define AGAIN_FOLDER "again"     /* for a look at what there is now */

static int hash_file(const char *path, char hex[65], struct err *err)
{
    struct str bytes;
    if (file_map(path, &bytes, err))
        return -1;
    sha256_hex(bytes, hex);
    file_unmap(bytes);
    return 0;
}

/* What the plan's models are now: a file, files of another program, or the
 * trials of a study made one. */
static int hash_models(const struct plan_predict *p, const char *home,
                       const char *folder, char hex[65], bool *of_study,
                       struct err *err)
{
    struct arena *a = arena_new();
    const char *scratch = path_join(a, folder, AGAIN_FOLDER);
    struct bulk_found found = {0};
    int rc;
    if (bulk_is_foreign(p, home, a)) {
        rc = bulk_foreign_hash(p, home, hex, a, err);
    } else {
        rc = dir_make(scratch, err);
        if (!rc)
            rc = bulk_models(p, home, scratch, &found, a, err);
        if (!rc)
            rc = hash_file(found.path, hex, err);
        dir_remove(scratch, NULL);
    }
    if (!rc)
        *of_study = found.of_study;
    arena_free(a);
    return rc;
}

/* By name; what has another ending is no copy that shards read. */
static int hash_copies(struct value *to, const char *models, struct arena *a,
                       struct err *err)
{
    const char **names = dir_list(models, a, err);
    char hex[65];
    for (; names && *names; names++) {
        if (!str_ends(str_of(*names), STR(".safetensors")) &&
            !str_ends(str_of(*names), STR(".novelty")))
            continue;
        if (hash_file(path_join(a, models, *names), hex, err))
            return -1;
        value_set(a, to, str_of(*names), value_string(a, str_of(hex)));
    }
    return names ? 0 : -1;
}

/* Files of other verbs that say what is made of predictions. */
struct other {
    const char *key;
    const char *path; /* NULL: it is not asked for */
};
#define OTHERS 2
static void find_others(const struct plan_predict *p, const char *home,
                        struct arena *a, struct other to[OTHERS])
{
    to[0] = (struct other){"calibration", bulk_file(p->calibration, home, a)};
    to[1] = (struct other){"novelty", bulk_file(p->novelty, home, a)};
}

static int hash_others(const struct plan_predict *p, const char *home,
                       struct value *to, struct arena *a, struct err *err)
{
    struct other all[OTHERS];
    char hex[65];
    find_others(p, home, a, all);
    for (size_t i = 0; i < OTHERS; i++) {
        if (!all[i].path)
            continue;
        if (hash_file(all[i].path, hex, err))
            return -1;
        value_set(a, to, str_of(all[i].key), value_string(a, str_of(hex)));
    }
    return 0;
}

static int check_others(const struct plan_predict *p, const char *home,
                        const struct value *known, struct arena *a,
                        struct err *err)
{
    struct other all[OTHERS];
    char hex[65];
    find_others(p, home, a, all);
    for (size_t i = 0; i < OTHERS; i++) {
        struct str was = value_text(value_get(known, str_of(all[i].key)));
        if (was.len && all[i].path && file_exists(all[i].path) &&
            hash_file(all[i].path, hex, NULL) == 0 && !str_is(was, hex))
            return err_set(err, ERR_INPUT,
                           "%s has changed since this inference began, whose "
                           "table is made by what it was then: put it back, or "
                           "begin anew, in a study of another name (--new "
                           "NAME)",
                           all[i].path);
    }
    return 0;
}

struct value *bulk_known_take(const struct plan_predict *p, const char *home,
                              const char *folder, struct arena *a,
                              struct err *err)
{
    struct value *v = value_object(a);
    char hex[65];
    bool of_study;
    if (hash_models(p, home, folder, hex, &of_study, err) ||
        hash_others(p, home, v, a, err))
        return NULL;
    value_set(a, v, STR("made_of"), value_string(a, str_of(hex)));
    return v;
}

/* What was copied in between is what stood there before and stands there still.
 */
static int check_still(const struct plan_predict *p, const char *home,
                       const char *folder, const struct value *before,
                       struct arena *a, struct err *err)
{
    const struct value *now = bulk_known_take(p, home, folder, a, err);
    for (size_t i = 0; now && i < before->count; i++) {
        struct str key = before->keys[i];
        if (str_eq(value_text(value_get(now, key)),
                   value_text(before->items[i])))
            continue;
        struct str name = str_is(key, "calibration") ? p->calibration->s
                          : str_is(key, "novelty")   ? p->novelty->s
                                                     : p->models;
        return err_set(err, ERR_BUSY,
                       "%.*s changed while it was copied; run it again",
                       STRF(name));
    }
    return now ? 0 : -1;
}

int bulk_known_write(const struct plan_predict *p, const char *home,
                     const char *folder, const struct value *before,
                     struct err *err)
{
    struct arena *a = arena_new();
    struct value *v = value_copy(a, before), *copies = value_object(a);
    struct buf b;
    buf_init(&b);
    int rc = hash_copies(copies, path_join(a, folder, BULK_MODELS), a, err);
    if (!rc)
        rc = check_still(p, home, folder, before, a, err);
    if (!rc) {
        value_set(a, v, STR("copies"), copies);
        json_print(&b, v);
        buf_addc(&b, '\n');
        rc = file_write(path_join(a, folder, KNOWN_FILE), buf_str(&b), true,
                        err);
    }
    buf_done(&b);
    arena_free(a);
    return rc;
}

static int check_copies(const struct value *copies, const char *folder,
                        struct arena *a, struct err *err)
{
    char hex[65];
    for (size_t i = 0; copies && i < copies->count; i++) {
        const char *path = path_join(a, path_join(a, folder, BULK_MODELS),
                                     arena_cstr(a, copies->keys[i]));
        if (hash_file(path, hex, err))
            return -1;
        if (!str_is(value_text(copies->items[i]), hex))
            return err_set(err, ERR_CORRUPT,
                           "%s, a copy of a %s, is not what it was when it "
                           "began: put it back, or begin anew, in a study of "
                           "another name (--new NAME)",
                           path,
                           str_ends(str_of(path), STR(".novelty"))
                               ? "novelty file that this inference goes by"
                               : "model that this inference asks");
    }
    return 0;
}

static int say_changed(const struct plan_predict *p, bool of_study,
                       const char **notice, struct arena *a, struct err *err)
{
    bool beside = p->weights.len;
    if (!of_study)
        return err_set(
            err, ERR_INPUT,
            "%.*s%s%.*s%s has changed since this inference began, whose table "
            "is of the models that it had then: put it back to go on with "
            "those, or ask the new ones, in a study of another name (--new "
            "NAME)",
            STRF(p->models), beside ? ", or its weights " : "",
            STRF(p->weights), beside ? "," : "");
    *notice = arena_printf(
        a,
        "the models that %.*s has now are others than when this inference "
        "began: it asks those of then, of which it has copies; a study of "
        "another name (--new NAME) asks the new ones",
        STRF(p->models));
    return 0;
}

int bulk_known_check(const struct plan_predict *p, const char *home,
                     const char *folder, const char **notice, struct arena *a,
                     struct err *err)
{
    const char *path = path_join(a, folder, KNOWN_FILE);
    struct err gone = {0};
    char hex[65];
    bool of_study;
    struct buf b;
    if (!file_exists(path))
        return 0;
    buf_init(&b);
    int rc = file_read(path, 0, &b, err);
    const struct value *v =
        rc ? NULL : json_parse(a, buf_str(&b), path, true, err);
    rc = v ? check_copies(value_get(v, STR("copies")), folder, a, err) : -1;
    if (!rc)
        rc = check_others(p, home, v, a, err);
    if (!rc && !hash_models(p, home, folder, hex, &of_study, &gone) &&
        !str_is(value_text(value_get(v, STR("made_of"))), hex))
        rc = say_changed(p, of_study, notice, a, err);
    buf_done(&b);
    return rc;
}
