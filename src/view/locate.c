/* locate.c - from what a person wrote to a study
 *
 * A study lives in .throng/<name> beside its study file. A person may name
 * the file, the name, the folder, or nothing: then it is the study in
 * ./.throng whose store was touched last. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "view/view.h"

#define STUDIES_SHOWN 8

const char **study_files(struct arena *a, const char *folder, size_t *count)
{
    const char **names = dir_list(folder, a, NULL);
    size_t n = 0;
    for (size_t i = 0; names && names[i]; i++) {
        struct str name = str_of(names[i]);
        if (names[i][0] != '.' &&
            (str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml"))))
            names[n++] = names[i];
    }
    if (names)
        names[n] = NULL;
    *count = n;
    return names;
}

/* The study file that lies here, when it is the only one, else "STUDY.yaml". */
static const char *study_file_here(struct arena *a)
{
    size_t count;
    const char **names = study_files(a, ".", &count);
    return count == 1 ? names[0] : "STUDY.yaml";
}

bool is_study_folder(struct arena *a, const char *folder)
{
    struct stat st;
    return stat(path_join(a, folder, "study.db"), &st) == 0 || errno == EACCES;
}

bool is_closed(const char *folder)
{
    struct stat st;
    if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return false;
    return access(folder, R_OK | X_OK) != 0 && errno == EACCES;
}

static void fill(struct arena *a, const char *folder,
                 struct place_of_study *where)
{
    where->folder = path_absolute(a, folder);
    where->name = arena_cstr(a, path_name(where->folder));
    char *around = path_folder(a, where->folder);
    if (is_stage_folder(a, where->folder)) {
        struct str campaign = path_name(around);
        where->name = arena_printf(a, "%.*s/%s", STRF(campaign), where->name);
        around = path_folder(a, around);
    }
    where->home = path_folder(a, around);
}

int64_t study_changed_ns(struct arena *a, const char *folder)
{
    static const char *const files[] = {"study.db", "study.db-wal"};
    int64_t newest = -1;
    for (size_t i = 0; i < 2; i++) {
        struct stat st;
        /* An empty log is what who only reads leaves behind. */
        if (stat(path_join(a, folder, files[i]), &st) || !st.st_size)
            continue;
        int64_t t = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        newest = t > newest ? t : newest;
    }
    return newest;
}

static int locate_last(struct arena *a, struct place_of_study *where,
                       struct err *err)
{
    const char **names = dir_list(".throng", a, NULL);
    const char *best = NULL;
    int64_t best_time = -1;
    if (is_closed(".throng"))
        return store_closed(path_absolute(a, ".throng"), err);
    for (; names && *names; names++) {
        char *folder = path_join(a, ".throng", *names);
        int64_t t = study_changed_ns(a, folder);
        if (!best && t < 0 && is_closed(folder))
            best = folder; /* better than none: it says why */
        if (t > best_time) {
            best_time = t;
            best = folder;
        }
    }
    if (!best)
        return err_set(err, ERR_MISSING,
                       "there is no study here yet (no .throng folder with "
                       "one); start one with `throng run %s`",
                       study_file_here(a));
    fill(a, best, where);
    return 0;
}

/* The name inside a study file decides, not the file's. */
static const char *name_in_file(struct arena *a, const char *file)
{
    struct buf b;
    struct problems problems;
    const char *name = arena_cstr(a, path_stem(file));
    buf_init(&b);
    problems_init(&problems, a);
    if (!file_read(file, 64u << 20, &b, NULL)) {
        struct value *root = plan_yaml(buf_str(&b), file, a, &problems);
        struct str said = value_text(value_get(root, STR("name")));
        if (said.len)
            name = arena_cstr(a, plan_fitting_name(said, a));
    }
    buf_done(&b);
    return name;
}

static bool locate_file(struct arena *a, const char *file,
                        struct place_of_study *where)
{
    if (!file_exists(file) || file_is_dir(file))
        return false;
    char *home = path_folder(a, path_absolute(a, file));
    char *all = path_join(a, home, ".throng");
    fill(a, path_join(a, all, name_in_file(a, file)), where);
    return true;
}

static const char *all_studies(struct arena *a, const char **names)
{
    struct buf b;
    size_t n = 0;
    buf_init(&b);
    for (; names && *names; names++) {
        if (!is_study_folder(a, path_join(a, ".throng", *names)))
            continue;
        if (n++ < STUDIES_SHOWN)
            buf_addf(&b, "%s%s", b.len ? ", " : "", *names);
    }
    if (n > STUDIES_SHOWN)
        buf_addf(&b, " and %zu more (`throng ls`)", n - STUDIES_SHOWN);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Names of what is really there: a folder may be all that is left of a study.
 */
static const char **studies_here(struct arena *a)
{
    const char **names = dir_list(".throng", a, NULL);
    size_t n = 0;
    for (size_t i = 0; names && names[i]; i++)
        if (is_study_folder(a, path_join(a, ".throng", names[i])))
            names[n++] = names[i];
    if (names)
        names[n] = NULL;
    return names;
}

static int nearest(struct arena *a, const char *what, struct err *err)
{
    const char **names = studies_here(a);
    const char *near = names ? str_nearest(str_of(what), names) : NULL;
    if (near)
        return err_set(err, ERR_MISSING,
                       "there is no study `%s` here; did you mean `%s`?", what,
                       near);
    const char *all = all_studies(a, names);
    if (!*all)
        return err_set(err, ERR_MISSING,
                       "there is no study `%s` here; `throng run %s` starts "
                       "one",
                       what, study_file_here(a));
    return err_set(err, ERR_MISSING,
                   "there is no study `%s` here; studies here: %s", what, all);
}

/* Of a study by its name, also as the file has it, or of a stage, by
 * CAMPAIGN/STAGE: never a path that leads elsewhere. */
static const char *named_folder(struct arena *a, const char *what)
{
    struct str rest = str_of(what), first;
    str_split(&rest, '/', &first);
    if (rest.p && !plan_name_fault(first) && !plan_name_fault(rest)) {
        char *campaign = path_join(a, ".throng", arena_cstr(a, first));
        char *stage = path_join(a, campaign, arena_cstr(a, rest));
        if (is_study_folder(a, stage))
            return stage;
    }
    struct str name = plan_fitting_name(str_of(what), a);
    return path_join(a, ".throng", arena_cstr(a, name));
}

int locate_study(struct arena *a, const char *what,
                 struct place_of_study *where, struct err *err)
{
    struct stat st;
    if (!what)
        return locate_last(a, where, err);
    if (stat(what, &st) != 0 && errno == EACCES)
        return store_closed(path_absolute(a, what), err);
    if (file_is_dir(what) && is_study_folder(a, what)) {
        fill(a, what, where);
        return 0;
    }
    const char *named = named_folder(a, what);
    if (is_study_folder(a, named)) {
        fill(a, named, where);
        return 0;
    }
    if (locate_file(a, what, where)) {
        if (is_study_folder(a, where->folder))
            return 0;
        return err_set(err, ERR_MISSING,
                       "the study of %s has not been run yet; `throng run "
                       "%s` starts it",
                       what, what);
    }
    return nearest(a, what, err);
}

bool names_study(const char *what)
{
    struct arena *a = arena_new();
    bool yes = (file_is_dir(what) && is_study_folder(a, what)) ||
               is_study_folder(a, named_folder(a, what)) ||
               (file_exists(what) && !file_is_dir(what));
    arena_free(a);
    return yes;
}
