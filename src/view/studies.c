/* studies.c - the studies that are in a folder */
#include <math.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

#define DEEPEST 8 /* folders below the first one that are looked into */

struct finding {
    struct studies *studies;
    bool descend;
    studies_closed_fn *closed;
    struct arena *arena;
};

/* ---- one of them ------------------------------------------------------ */

static void read_campaign(struct study_entry *e, struct store *store,
                          char *folder, struct arena *a)
{
    struct campaign_standing c;
    struct place_of_study *where = arena_new_of(a, struct place_of_study);
    *where = (struct place_of_study){.folder = folder};
    if (campaign_read(&c, store, where, a, NULL))
        return;
    e->campaign = campaign_state(&c);
    e->stages = c.count;
    for (size_t i = 0; i < c.count; i++)
        e->stages_done += c.stages[i].told.state == STAGE_DONE;
}

struct study_entry *studies_read(const struct studies *all, size_t i,
                                 struct arena *a)
{
    const struct study_found *f = &all->list.p[i];
    struct study_entry *e = arena_new_of(a, struct study_entry);
    char *folder = path_join(a, path_join(a, f->folder, ".throng"), f->name);
    struct err err = {0};
    e->folder = f->folder;
    e->name = f->name;
    e->now.total = -1;
    e->changed = fmax(0, (double)study_changed_ns(a, folder) / 1e9);
    struct store *store = store_open(folder, false, &err);
    e->is_stage = f->is_stage;
    if (!store || standing_read(&e->now, store, a, &err))
        e->fault = arena_cstr(a, str_of(err.text));
    else if (store_is_campaign(store))
        read_campaign(e, store, folder, a);
    e->as_of = store ? store_as_of(store) : 0;
    store_close(store);
    return e;
}

const char *study_entry_state(const struct study_entry *e)
{
    if (e->fault)
        return "unreadable";
    if (e->campaign)
        return e->campaign;
    if (e->now.lease.live)
        return "running";
    if (e->now.jobs_out)
        return "jobs out";
    if (e->now.lease.process.pid)
        return "broken off";
    if (e->now.total >= 0 && e->now.finished >= e->now.total)
        return "finished";
    return "stopped";
}

void standing_best_json(struct buf *b, const struct standing *now)
{
    buf_adds(b, ",\"best\":");
    if (!now->best.id) {
        buf_adds(b, "null");
        return;
    }
    buf_addf(b, "{\"id\":%lld,\"metric\":", (long long)now->best.id);
    json_string(b, now->goal.name);
    buf_adds(b, ",\"value\":");
    strict_number(b, now->best.value);
    buf_addc(b, '}');
}

static void print_best_json(struct buf *b, const struct study_entry *e)
{
    standing_best_json(b, &e->now);
    if (!e->now.best.id || !e->now.mean_count)
        return;
    buf_addf(b, ",\"incumbent\":{\"id\":%lld,\"expected\":",
             (long long)e->now.means[0].trial);
    strict_number(b, e->now.means[0].mean);
    buf_addc(b, '}');
}

void study_entry_json(struct buf *b, const struct study_entry *e)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(e->name));
    buf_adds(b, ",\"folder\":");
    json_string(b, str_of(e->folder));
    buf_addf(b,
             ",\"state\":\"%s\",\"running\":%s,\"trials\":%lld,"
             "\"finished\":%lld,\"failed\":%lld,\"total\":",
             study_entry_state(e), e->now.lease.live ? "true" : "false",
             (long long)e->now.counts.total, (long long)e->now.finished,
             (long long)e->now.bad);
    if (e->now.total >= 0)
        buf_addf(b, "%lld", (long long)e->now.total);
    else
        buf_adds(b, "null");
    if (e->campaign)
        buf_addf(b, ",\"stages\":%zu,\"stages_done\":%zu", e->stages,
                 e->stages_done);
    print_best_json(b, e);
    if (e->changed > 0)
        buf_addf(b, ",\"changed\":%.3f", e->changed);
    else
        buf_adds(b, ",\"changed\":null");
    age_json(b, e->as_of);
    if (e->fault) {
        buf_adds(b, ",\"error\":");
        json_string(b, str_of(e->fault));
    }
    buf_addc(b, '}');
}

/* ---- finding them ----------------------------------------------------- */

/* Folders of programs, not of people: .git, .venv and their like. */
static bool is_passed_over(const char *name)
{
    return *name == '.' || !strcmp(name, "node_modules") ||
           !strcmp(name, "__pycache__");
}

/* Links are not followed: they may lead round in a circle. */
static bool is_real_folder(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *below(struct arena *a, const char *folder, const char *name)
{
    return strcmp(folder, ".") ? path_join(a, folder, name)
                               : arena_cstr(a, str_of(name));
}

/* The stages of a campaign, in its order, as far as they have begun. */
static void find_stages(const struct finding *f, const char *folder,
                        const char *campaign, const char *path)
{
    struct arena *a = f->arena;
    struct stage_told *list;
    size_t count = 0;
    struct store *store = store_open(path, false, NULL);
    if (!store || !store_is_campaign(store) ||
        campaign_told(store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        struct study_found one = {.folder = folder, .is_stage = true};
        one.name = arena_printf(a, "%s/%.*s", campaign, STRF(list[i].name));
        if (is_study_folder(a, path_join(a, path, arena_cstr(a, list[i].name))))
            vec_push(&f->studies->list, one);
    }
    store_close(store);
}

/* A folder with folders of studies in it is a campaign's. */
static bool may_have_stages(struct arena *a, const char *path)
{
    const char **names = dir_list(path, a, NULL);
    for (; names && *names; names++)
        if (file_exists(path_join(a, path_join(a, path, *names), "study.db")))
            return true;
    return false;
}

static void find_beside(const struct finding *f, const char *folder,
                        const char *all)
{
    struct arena *a = f->arena;
    const char **names = dir_list(all, a, NULL);
    for (; names && *names; names++) {
        struct study_found one = {.folder = folder, .name = *names};
        char *path = path_join(a, all, *names);
        if (!is_study_folder(a, path))
            continue;
        vec_push(&f->studies->list, one);
        if (may_have_stages(a, path))
            find_stages(f, folder, *names, path);
    }
}

/* What is closed to us is an error where it was asked for, else a word. */
static int find_in(const struct finding *f, const char *folder, int depth,
                   struct err *err)
{
    char *all = path_join(f->arena, folder, ".throng");
    int rc = 0;
    if (is_closed(all)) {
        store_closed(path_absolute(f->arena, all), err);
        if (depth == 0)
            return -1;
        f->closed(err);
    } else {
        find_beside(f, folder, all);
    }
    if (!f->descend || depth == DEEPEST)
        return 0;
    struct arena *a = arena_new(); /* most folders hold no study */
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names && !rc; names++)
        if (!is_passed_over(*names) &&
            is_real_folder(path_join(a, folder, *names)))
            rc = find_in(f, below(f->arena, folder, *names), depth + 1, err);
    arena_free(a);
    return rc;
}

int studies_find(struct studies *s, const char *folder, bool descend,
                 studies_closed_fn *closed, struct arena *a, struct err *err)
{
    struct finding f = {s, descend, closed, a};
    *s = (struct studies){0};
    return find_in(&f, folder, 0, err);
}

void studies_done(struct studies *s)
{
    vec_done(&s->list);
}
