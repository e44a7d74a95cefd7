/* names.c - the names that trials of a study can be asked for
 *
 * A filter with a misspelt name fits no trial, which looks like a result. So
 * a name must be one of the study's space or of its metrics, or at least one
 * trial must have it: points from a list may have members of their own. */
#include "view/view.h"

#include "base/json.h"

/* What is known without a look at every trial. */
struct names {
    struct store *store;
    struct arena *arena;
    struct err *err;
    struct point_columns params;
    const char **metrics;
    bool values_only; /* what every trial has beside them cannot be meant */
};

static int names_init(struct names *n, struct store *store, struct arena *a,
                      struct err *err)
{
    struct space space = {0};
    struct str text;
    struct trial first;
    *n = (struct names){.store = store, .arena = a, .err = err};
    point_columns_init(&n->params, a);
    n->metrics = store_metric_names(store, 0, a, err);
    if (!n->metrics || store_fact(store, "space", a, &text, err))
        return -1;
    struct value *v =
        text.len ? json_parse(a, text, "space", false, NULL) : NULL;
    if (v && !space_from_value(&space, v, a, NULL))
        for (size_t i = 0; i < space.count; i++)
            point_columns_name(&n->params, space.params[i].name);
    if (!store_trial(store, 1, a, &first, NULL))
        point_columns_add(&n->params,
                          json_parse(a, first.point, "", false, NULL));
    return 0;
}

static void names_done(struct names *n)
{
    point_columns_done(&n->params);
}

/* Also loss.min of a metric loss. */
static bool is_metric(const struct names *n, struct str name)
{
    static const char *const endings[] = {"",     ".last",  ".min",
                                          ".max", ".count", ".step"};
    for (size_t i = 0; n->metrics[i]; i++)
        for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++)
            if (str_starts(name, str_of(n->metrics[i])) &&
                !strcmp(name.p + strlen(n->metrics[i]), endings[k]))
                return true;
    return false;
}

/* 1 when some trial has it, 0 when none does, -1. What a trial has equals
 * itself, what it has not equals nothing, and the first one will do. A name
 * that no filter can have is looked for among all trials. */
static int any_has(struct names *n, const char *name)
{
    struct query q = {.limit = 1};
    if (*name && !strchr(name, '`'))
        q.where = arena_printf(n->arena, "`%s` = `%s`", name, name);
    else
        q.by = arena_printf(n->arena, "`%s`", name);
    struct rows *rows = store_rows(n->store, &q, n->err);
    struct trial t;
    if (!rows)
        return -1;
    int got = rows_next(rows, &t, n->err);
    rows_close(rows);
    return got;
}

static const char *list_names(struct names *n)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; n->metrics[i]; i++)
        buf_addf(&b, "%s, ", n->metrics[i]);
    for (size_t i = 0; i < n->params.names.len; i++)
        buf_addf(&b, "%s, ", n->params.names.p[i].p);
    if (!n->values_only)
        buf_adds(&b, "seconds, attempts, started and ended");
    else if (b.len)
        b.len -= 2; /* the last comma */
    const char *text = arena_cstr(n->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int refuse(struct names *n, const char *name)
{
    static const char *const columns[] = {
        "trial", "state",  "value", "seconds",  "attempts", "started",
        "ended", "reason", "note",  "failures", "run_id",   NULL};
    VEC(const char *) all = {0};
    if (!strcmp(name, "tag") || !strcmp(name, "tags"))
        return err_set(n->err, ERR_INPUT,
                       "a filter asks for a tag as tag:NAME, such as "
                       "'tag:paper and loss < 0.1'");
    for (size_t i = 0; !n->values_only && columns[i]; i++)
        vec_push(&all, columns[i]);
    for (size_t i = 0; n->metrics[i]; i++)
        vec_push(&all, n->metrics[i]);
    for (size_t i = 0; i < n->params.names.len; i++)
        vec_push(&all, n->params.names.p[i].p);
    vec_push(&all, NULL);
    const char *near = str_nearest(str_of(name), all.p);
    vec_done(&all);
    const char *dot = strrchr(name, '.');
    struct str before = str_n(name, dot ? (size_t)(dot - name) : 0);
    if (dot && dot[1] && is_metric(n, str_of(arena_cstr(n->arena, before))))
        return err_set(n->err, ERR_INPUT,
                       "the metric `%.*s` has no `%s`, but last, min, max, "
                       "count and step",
                       STRF(before), dot + 1);
    if (near)
        return err_set(n->err, ERR_INPUT,
                       "no trial has a parameter or a metric `%s`; did you "
                       "mean `%s`?",
                       name, near);
    return err_set(n->err, ERR_INPUT,
                   "no trial has a parameter or a metric `%s`; there is "
                   "%.700s",
                   name, list_names(n));
}

static int check(struct names *n, const char *name)
{
    if (is_metric(n, str_of(name)) || map_has(n->params.known, str_of(name)))
        return 0;
    int any = any_has(n, name);
    return any > 0 ? 0 : any < 0 ? -1 : refuse(n, name);
}

static int check_one(struct store *store, const char *name, bool values_only,
                     struct arena *a, struct err *err)
{
    struct names n;
    if (!store_last_trial(store))
        return 0;
    int rc = names_init(&n, store, a, err);
    n.values_only = values_only;
    if (!rc)
        rc = check(&n, name);
    names_done(&n);
    return rc;
}

int name_check(struct store *store, const char *name, struct arena *a,
               struct err *err)
{
    return check_one(store, name, false, a, err);
}

int value_name_check(struct store *store, const char *name, struct arena *a,
                     struct err *err)
{
    return check_one(store, name, true, a, err);
}

static int refuse_metric(struct names *n, const char *name)
{
    VEC(const char *) all = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; n->metrics[i]; i++) {
        vec_push(&all, n->metrics[i]);
        buf_addf(&b, "%s, ", n->metrics[i]);
    }
    buf_adds(&b, "and seconds");
    vec_push(&all, "seconds");
    vec_push(&all, NULL);
    const char *near = str_nearest(str_of(name), all.p);
    vec_done(&all);
    if (near)
        err_set(n->err, ERR_INPUT,
                "no trial has a metric `%s`; did you mean `%s`?", name, near);
    else
        err_set(n->err, ERR_INPUT,
                "no trial has a metric `%s`%s; there is "
                "%.700s",
                name,
                map_has(n->params.known, str_of(name)) ? ", a parameter" : "",
                b.p);
    buf_done(&b);
    return -1;
}

int metric_check(struct store *store, const char *name, struct arena *a,
                 struct err *err)
{
    struct names n;
    if (!strcmp(name, "seconds") || !store_last_trial(store))
        return 0;
    int rc = names_init(&n, store, a, err);
    if (!rc && !is_metric(&n, str_of(name))) {
        bool param = map_has(n.params.known, str_of(name));
        int any = param ? 0 : any_has(&n, name);
        rc = any > 0 ? 0 : any < 0 ? -1 : refuse_metric(&n, name);
    }
    names_done(&n);
    return rc;
}

static int refuse_over(struct names *n, const char *name)
{
    VEC(const char *) all = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < n->params.names.len; i++) {
        vec_push(&all, n->params.names.p[i].p);
        buf_addf(&b, "%s, ", n->params.names.p[i].p);
    }
    buf_adds(&b, "and seed for the repeats of a point");
    vec_push(&all, "seed");
    vec_push(&all, NULL);
    const char *near = str_nearest(str_of(name), all.p);
    vec_done(&all);
    if (near)
        err_set(n->err, ERR_INPUT,
                "no trial has a parameter `%s`; did you mean `%s`?", name,
                near);
    else
        err_set(n->err, ERR_INPUT,
                "no trial has a parameter `%s`; there is %.700s", name, b.p);
    buf_done(&b);
    return -1;
}

int names_check_over(struct store *store, const char *over, struct arena *a,
                     struct err *err)
{
    struct names n;
    struct str rest = str_of(over), part;
    if (!store_last_trial(store))
        return 0;
    int rc = names_init(&n, store, a, err);
    while (!rc && str_split(&rest, ',', &part)) {
        const char *name = arena_cstr(a, str_trim(part));
        if (!strcmp(name, "seed") || map_has(n.params.known, str_of(name)))
            continue;
        int any = is_metric(&n, str_of(name)) ? 0 : any_has(&n, name);
        rc = any > 0 ? 0 : any < 0 ? -1 : refuse_over(&n, name);
    }
    names_done(&n);
    return rc;
}

int names_check_filter(struct store *store, const char *where, struct arena *a,
                       struct err *err)
{
    struct names n;
    if (!where || !store_last_trial(store))
        return 0;
    const char **list = store_filter_names(where, a, err);
    if (!list)
        return -1;
    int rc = names_init(&n, store, a, err);
    for (; !rc && *list; list++)
        rc = check(&n, *list);
    names_done(&n);
    return rc;
}

/* ---- trials ----------------------------------------------------------- */

static int no_such_tag(struct store *store, const char *selector,
                       struct arena *a, struct err *err)
{
    const char **tags = store_tags(store, a, NULL);
    const char *near = tags ? str_nearest(str_of(selector + 4), tags) : NULL;
    if (near)
        return err_set(err, ERR_MISSING,
                       "no trial is `%s`; did you mean `tag:%s`?", selector,
                       near);
    return err_set(err, ERR_MISSING, "no trial is `%s`%s", selector,
                   tags && *tags ? "" : "; the study has no tags");
}

int no_such_trials(struct store *store, const char *selector, struct arena *a,
                   struct err *err)
{
    int64_t last = store_last_trial(store);
    if (!strncmp(selector, "tag:", 4) && !strchr(selector, ','))
        return no_such_tag(store, selector, a, err);
    if (!last)
        return err_set(err, ERR_MISSING,
                       "no trial is `%s`; the study has none yet", selector);
    if (!strncmp(selector, "best", 4) || !strncmp(selector, "worst", 5))
        return err_set(err, ERR_MISSING,
                       "no trial is `%s`: none of %lld has ended with a value "
                       "to rank by (see `metric:`)",
                       selector, (long long)last);
    if (*selector < '0' || *selector > '9')
        return err_set(err, ERR_MISSING, "no trial is `%s`", selector);
    return err_set(err, ERR_MISSING,
                   "no trial is `%s`; the study has trials 1 to %lld", selector,
                   (long long)last);
}
