/* unready.c - what a study file may say before throng can do it
 *
 * Study files are a superset of what every version does, so that a file that
 * is right stays right. Nobody should wait for what will not happen, though:
 * each such key is named here, until it is acted on. */
#include "cli/unready.h"

#include "search/search.h"

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

bool unready_method(const struct plan *p)
{
    for (size_t i = 0; search_methods[i]; i++)
        if (str_is(p->method, search_methods[i]))
            return false;
    return p->method.len > 0;
}

static void refuse_method(const struct plan *p, const struct value *v,
                          struct problems *problems)
{
    struct buf hint;
    buf_init(&hint);
    buf_adds(&hint, "use ");
    for (size_t i = 0; search_methods[i]; i++) {
        const char *comma = search_methods[i + 1] ? ", " : " or ";
        buf_addf(&hint, "%s%s", i ? comma : "", search_methods[i]);
    }
    problems_add(problems, PROBLEM_ERROR, p->file, v->line, v->column,
                 buf_str(&hint), "method %.*s is not built in yet",
                 STRF(p->method));
    buf_done(&hint);
}

static void check_keys(const struct plan *p, struct problems *problems)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const struct value *v = value_get(p->root, str_of(list[i].key));
        if (v && list[i].said(p))
            problems_add(problems, list[i].level, p->file, v->line, v->column,
                         str_n("", 0), "%s", list[i].text);
    }
}

void unready_check(const struct plan *p, struct problems *problems)
{
    const struct value *v = value_get(p->root, STR("method"));
    check_keys(p, problems);
    if (v && unready_method(p))
        refuse_method(p, v, problems);
}

void unready_look(const struct plan *p, struct problems *problems)
{
    const struct value *v = value_get(p->root, STR("method"));
    check_keys(p, problems);
    if (v && unready_method(p))
        problems_add(problems, PROBLEM_WARNING, p->file, v->line, v->column,
                     str_n("", 0),
                     "cannot run yet: method %.*s is not built in; commands "
                     "shown for random points",
                     STRF(p->method));
}
