/* pick.c - which parameters a figure shows when nobody says
 *
 * The most important ones first, as `throng importance` has them; with too few
 * results for that, in the order of the study file. Constants say nothing. */
#include "figure/trials.h"
#include "view/view.h"

#define GROUPS_MAX 30 /* values of a parameter that makes groups */

typedef VEC(const char *) names_list;

static void add_unless_there(names_list *all, const char *name)
{
    for (size_t i = 0; i < all->len; i++)
        if (!strcmp(all->p[i], name))
            return;
    vec_push(all, name);
}

static void add_important(names_list *all, const struct figure_asked *asked,
                          struct arena *a)
{
    struct study_goal goal;
    struct inquiry q = {.method = "ped-anova"};
    if (study_goal_read(asked->store, a, &goal, NULL) || !goal.name.len)
        return;
    bool other = asked->metric && !str_is(goal.name, asked->metric);
    q.metric = other ? str_of(asked->metric) : goal.name;
    q.minimize = other ? goal_minimizes(&goal.all, q.metric) : goal.minimize;
    if (inquiry_shares(&q, asked->store, other, a, NULL) == 0)
        for (size_t i = 0; i < q.space.count; i++) {
            const struct param *p = &q.space.params[q.order[i]];
            if (p->dist != DIST_CONSTANT)
                add_unless_there(all, arena_cstr(a, p->name));
        }
    inquiry_done(&q);
}

static int add_written(names_list *all, struct store *store, struct arena *a,
                       struct err *err)
{
    struct space space;
    struct str *written;
    size_t count;
    struct trial first;
    if (trials_space(store, &space, a, err) ||
        point_columns_written(store, a, &written, &count, err))
        return -1;
    for (size_t i = 0; i < count + space.count; i++) {
        struct str name = i < count ? written[i] : space.params[i - count].name;
        long at = space_find(&space, name);
        if (at < 0 || space.params[at].dist != DIST_CONSTANT)
            add_unless_there(all, arena_cstr(a, name));
    }
    if (space.count || store_trial(store, 1, a, &first, NULL))
        return 0;
    struct point_columns columns; /* a list of points says it itself */
    point_columns_init(&columns, a);
    point_columns_text(&columns, first.point);
    for (size_t i = 0; i < columns.names.len; i++)
        add_unless_there(all, arena_cstr(a, columns.names.p[i]));
    point_columns_done(&columns);
    return 0;
}

static int add_asked(names_list *all, const struct figure_asked *asked,
                     struct arena *a, struct err *err)
{
    struct str rest = str_of(asked->params), name;
    while (rest.p && str_split(&rest, ',', &name)) {
        const char *text = arena_cstr(a, str_trim(name));
        if (value_name_check(asked->store, text, a, err))
            return -1;
        add_unless_there(all, text);
    }
    return 0;
}

static int find_all(names_list *all, const struct figure_asked *asked,
                    struct arena *a, struct err *err)
{
    if (asked->params)
        return add_asked(all, asked, a, err);
    add_important(all, asked, a);
    if (add_written(all, asked->store, a, err))
        return -1;
    if (!all->len)
        return err_set(err, ERR_INPUT,
                       "this study has no parameter that varies");
    return 0;
}

int trials_pick(const struct figure_asked *asked, size_t most,
                const char ***names, size_t *count, size_t *left,
                struct arena *a, struct err *err)
{
    names_list all = {0};
    int rc = find_all(&all, asked, a, err);
    size_t n = all.len < most ? all.len : most;
    *left = all.len - n;
    *count = n;
    *names = vec_to_arena(a, &all);
    vec_done(&all);
    return rc;
}

static bool suits(const struct space *space, const char *name, bool groups)
{
    const char *why;
    long at = space_find(space, str_of(name));
    if (at < 0)
        return true;
    const struct param *p = &space->params[at];
    if (!groups)
        return p->dist != DIST_CATEGORICAL;
    uint64_t values = param_grid_count(p, &why);
    return values > 0 && values <= GROUPS_MAX;
}

/* Those that suit come first, each kind in its order. */
static int prefer(names_list *all, struct store *store, bool groups,
                  struct arena *a, struct err *err)
{
    struct space space;
    names_list sorted = {0};
    if (trials_space(store, &space, a, err))
        return -1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < all->len; i++)
            if (suits(&space, all->p[i], groups) == (pass == 0))
                vec_push(&sorted, all->p[i]);
    if (all->len)
        memcpy(all->p, sorted.p, all->len * sizeof(*all->p));
    vec_done(&sorted);
    return 0;
}

int trials_pick_two(const struct figure_asked *asked, bool groups,
                    const char *names[2], struct arena *a, struct err *err)
{
    names_list all = {0};
    const char *said[2] = {asked->x, asked->y};
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++)
        if (said[i])
            rc = value_name_check(asked->store, said[i], a, err);
    if (!rc && !(said[0] && said[1]))
        rc = find_all(&all, asked, a, err) ||
             prefer(&all, asked->store, groups, a, err);
    rc = rc ? -1 : 0;
    for (size_t i = 0, at = 0; i < 2 && !rc; i++) {
        const char *other = i ? names[0] : said[1];
        while (!said[i] && at < all.len && other && !strcmp(all.p[at], other))
            at++;
        if (!said[i] && at == all.len)
            rc = err_set(err, ERR_INPUT,
                         "this figure needs two parameters that vary; the "
                         "study has one");
        else
            names[i] = said[i] ? said[i] : all.p[at++];
    }
    vec_done(&all);
    return rc;
}
