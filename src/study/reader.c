/* reader.c - reading the study file of a folder, and what it may say before
 * throng can do it
 *
 * Study files are a superset of what every version does, so that a file that
 * is right stays right. Nobody should wait for what will not happen, though:
 * each such key is named here, until it is acted on. */
#include "search/search.h"
#include "study/study.h"

#include "candle/candle.h"

static bool is_elsewhere(const struct plan *p)
{
    return p->engine.len && !str_is(p->engine, "local");
}

static bool has_profile(const struct plan *p)
{
    return p->profile.len > 0;
}

static const struct unready {
    const char *key;
    bool (*said)(const struct plan *p);
    enum problem_level level;
    const char *text;
} list[] = {
    {"engine", is_elsewhere, PROBLEM_ERROR,
     "only the engine local is there yet"},
    {"profile", has_profile, PROBLEM_NOTICE, "profile is not acted on yet"},
};

void unready_check(const struct plan *p, struct problems *problems)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const struct value *v = value_get(p->root, str_of(list[i].key));
        if (v && list[i].said(p))
            problems_add(problems, list[i].level, p->file, v->line, v->column,
                         str_n("", 0), "%s", list[i].text);
    }
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

struct plan_reader study_reader(struct arena *a, const char *home)
{
    struct reader *r = arena_new_of(a, struct reader);
    *r = (struct reader){a, home};
    return (struct plan_reader){.files = {r, read_beside},
                                .dialect = &candle_dialect,
                                .methods = search_methods,
                                .check = unready_check};
}
