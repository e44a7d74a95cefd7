/* reader.c - reading the study file of a folder, and what it may say before
 * throng can do it
 *
 * Study files are a superset of what every version does, so that a file that
 * is right stays right. Nobody should wait for what will not happen, though:
 * each such key is named here, until it is acted on. */
#include "search/search.h"
#include "study/study.h"

#include <stdlib.h>
#include "candle/candle.h"
#include "study/checks.h"
#include "study/own_tables.h"
#include "study/shards.h"

void unready_check(const struct plan *p, struct problems *problems)
{
    const struct place_name *place = place_name_find(p->site.engine);
    if (!place || !place->later)
        return;
    const struct value *v = value_get(p->root, STR("engine"));
    problems_add(problems, PROBLEM_ERROR, p->file, v ? v->line : 0,
                 v ? v->column : 0, str_n("", 0),
                 "the engine %.*s is not there yet; use %s",
                 STRF(p->site.engine), PLACE_NAMES);
}

/* ---- the files beside it ---------------------------------------------- */

struct reader {
    struct arena *arena;
    const char *home;
};

/* Files named in a study are relative to it. They stay mapped as long as the
 * program runs. */
static int read_beside(void *context, const char *path, struct str *text,
                       struct err *err)
{
    struct reader *r = context;
    return file_map(path_join(r->arena, r->home, path), text, err);
}

static const char *variable(const char *name)
{
    return getenv(name);
}

/* A person's profiles, and the environment. */
static const struct site_source *site_source(struct arena *a)
{
    struct site_source *from = arena_new_of(a, struct site_source);
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    *from = (struct site_source){.variable = variable, .file = ""};
    const char *path = config_file(a, "profiles.yaml", &err);
    if (path)
        from->file = path;
    if (path && config_read(path, &b, &err) == 0 && b.len)
        from->text = arena_str(a, buf_str(&b));
    if (err.text[0])
        from->fault = arena_cstr(a, str_of(err.text));
    buf_done(&b);
    return from;
}

/* The list that the study was made with, where it still holds. */
static int count_shards(void *context, const char *folder, struct plan *p,
                        struct err *err)
{
    struct reader *r = context;
    const struct value *said = value_get(p->root, STR("predict"));
    struct str name = p->name.len ? p->name : path_stem(p->file.p);
    if (!folder)
        folder = path_join(r->arena, path_join(r->arena, r->home, ".throng"),
                           arena_cstr(r->arena, name));
    p->predict->own = own_tables(p->predict, r->home, folder, r->arena);
    p->predict->left_out = own_tables_found(p->predict, r->home, r->arena);
    return shards_recall(p->predict, said, r->home, folder)
               ? 0
               : shards_make(p->predict, said, r->home, NULL, err);
}

static bool stage_cut_off(void *context, struct str campaign, struct str stage)
{
    const struct reader *r = context;
    const char *studies = path_join(r->arena, r->home, ".throng");
    return campaign_cut_off(
        path_join(r->arena, studies, arena_cstr(r->arena, campaign)), stage);
}

static void check(struct plan *p, struct problems *problems)
{
    unready_check(p, problems);
}

struct plan_reader study_reader(struct arena *a, const char *home)
{
    struct reader *r = arena_new_of(a, struct reader);
    *r = (struct reader){a, home};
    return (struct plan_reader){.files = {r, read_beside},
                                .site = site_source(a),
                                .dialect = &candle_dialect,
                                .methods = search_methods,
                                .check = check,
                                .shards = count_shards,
                                .cut_off = stage_cut_off,
                                .selector_check = store_selector_check};
}
