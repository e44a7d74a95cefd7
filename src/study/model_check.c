/* model_check.c - faults of a study's model file, before any trial runs
 *
 * Faults are told once for each place in the file, whatever the number of
 * points that have them, with the first point's text. */
#include "base/hash.h"
#include "base/json.h"
#include "base/vec.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/checks.h"
#include "study/named_file.h"
#include "terms/target.h"

#define INNER 6         /* points between the ends */
#define END_U 0x1p-30   /* as near to an end as any distribution allows */
#define DATA_SETS_MAX 3 /* that are read at most: each may be large */

struct finding {
    struct problem fault;
    const struct value *mark; /* where in the file, or NULL */
    const struct value *point;
    size_t points; /* that have it */
};

struct looker {
    const struct plan *plan;
    struct problems *problems;
    struct arena *arena;
    const char *folder; /* of the model file */
    VEC(struct finding) findings;
    size_t points;      /* looked at */
    uint64_t spec;      /* of the data that is open */
    bool tried;         /* the metric's name is looked at */
    bool tell;          /* what a person should know of the data */
    VEC(uint64_t) seen; /* hashes of the points looked at */
    size_t sets;        /* opened so far */
    uint64_t numbers;   /* of a member of the largest model */
    struct data_set *set;
};

/* ---- findings ----------------------------------------------------------- */

static void find(struct looker *l, const struct value *model,
                 const struct value *point, const struct problem *fault)
{
    for (size_t i = 0; i < l->findings.len; i++)
        if (str_eq(l->findings.p[i].fault.path, fault->path)) {
            l->findings.p[i].points++;
            return;
        }
    struct finding f = {*fault, value_along(model, fault->path), point, 1};
    vec_push(&l->findings, f);
}

static void tell(struct looker *l, const struct finding *f)
{
    bool always = f->points >= l->points;
    struct buf b;
    buf_init(&b);
    if (!always) {
        buf_addf(&b,
                 "; %zu of %zu points looked at have this and would be "
                 "invalid trials: ",
                 f->points, l->points);
        json_print(&b, f->point);
    }
    problems_add(l->problems, always ? PROBLEM_ERROR : PROBLEM_WARNING,
                 l->plan->model, f->mark ? f->mark->line : 0,
                 f->mark ? f->mark->column : 0, f->fault.hint, "%.*s%s%.*s%s",
                 STRF(f->fault.path), f->fault.path.len ? " " : "",
                 STRF(f->fault.text), b.p);
    buf_done(&b);
}

/* ---- data --------------------------------------------------------------- */

/* The data of a model, read again only when it is another; NULL: it cannot be
 * read, which is told, or has been too many. */
static struct data_set *data_of(struct looker *l, const struct value *spec)
{
    struct err err = {0};
    uint64_t key = data_reading_key(spec);
    if (l->sets && key == l->spec)
        return l->set;
    if (l->sets == DATA_SETS_MAX)
        return NULL;
    data_close(l->set);
    l->sets++;
    l->spec = key;
    l->set = data_open(spec, l->folder, NULL, &err);
    if (!l->set)
        problems_add(l->problems, PROBLEM_ERROR, l->plan->model, spec->line,
                     spec->column, STR(""), "data: %s", err.text);
    const char *text;
    for (size_t i = 0;
         l->set && l->tell && (text = data_set_notice(l->set, i)) != NULL; i++)
        problems_add(l->problems, PROBLEM_NOTICE, l->plan->model, spec->line,
                     spec->column, STR(""), "%s", text);
    return l->set;
}

/* ---- the metric --------------------------------------------------------- */

/* b/loss of a target b.csv, which is judged when training has ended. */
static bool is_of_target(const struct looker *l, struct str name,
                         const char **names)
{
    const struct value *targets =
        value_get(value_get(l->plan->model_root, STR("data")), STR("targets"));
    struct target t;
    long slash = str_find(name, '/');
    if (slash < 1)
        return false;
    struct str target = str_n(name.p, (size_t)slash);
    struct str of = str_n(name.p + slash + 1, name.len - (size_t)slash - 1);
    char *judged = arena_printf(l->arena, "val_%.*s", STRF(of));
    for (size_t i = 0; target_at(targets, i, &t); i++)
        if (str_eq(t.name, target))
            return str_is(of, "loss") || str_among(str_of(judged), names);
    return false;
}

/* A file that is not there would be said by every trial. */
static void check_file(struct looker *l, const struct value *spec,
                       const struct value *file)
{
    const char *path = arena_cstr(l->arena, value_text(file));
    if (*path && !named_file(l->arena, l->folder, path).len)
        problems_add(l->problems, PROBLEM_ERROR, l->plan->model, spec->line,
                     spec->column, STR(""), "data.targets: there is no file %s",
                     path);
}

/* A path, or paths by name, in which there may be paths by name again. */
static void check_files(struct looker *l, const struct value *spec,
                        const struct value *files)
{
    check_file(l, spec, files);
    for (size_t i = 0; files->kind == VALUE_OBJECT && i < files->count; i++)
        if (!str_is(files->keys[i], "labels") ||
            !str_is(value_text(files->items[i]), "inputs"))
            check_files(l, spec, files->items[i]);
}

static void check_targets(struct looker *l, const struct value *spec)
{
    const struct value *targets = value_get(spec, STR("targets"));
    struct target t;
    for (size_t i = 0; !l->tried && target_at(targets, i, &t); i++)
        check_files(l, spec, t.files);
}

/* A study that looks for a name that training does not report would never see
 * a value. */
static void check_name(struct looker *l, struct str name, const char **names)
{
    const struct value *at = value_get(l->plan->root, STR("metric"));
    struct buf b;
    if (str_among(name, names) || cost_is_one(name) ||
        is_of_target(l, name, names))
        return;
    buf_init(&b);
    for (size_t i = 0; names[i]; i++)
        buf_addf(&b, "%s%s", i ? ", " : "it reports ", names[i]);
    const char *near = str_nearest(name, names);
    if (near)
        buf_addf(&b, "; did you mean `%s`?", near);
    if (!at)
        at = value_get(l->plan->root, STR("metrics"));
    problems_add(l->problems, PROBLEM_ERROR, l->plan->file, at ? at->line : 0,
                 at ? at->column : 0, arena_str(l->arena, buf_str(&b)),
                 "the training of %.*s does not report `%.*s`",
                 STRF(l->plan->model), STRF(name));
    buf_done(&b);
}

static void warn_left_out(struct looker *l, const struct value *model,
                          const char *text)
{
    const struct value *at = value_get(model, STR("metrics"));
    problems_add(l->problems, PROBLEM_WARNING, l->plan->model,
                 at ? at->line : 0, at ? at->column : 0, STR(""), "%s", text);
}

/* Metrics that are asked for and never come. */
static void check_left_out(struct looker *l, const struct value *model,
                           const struct nn_model *m,
                           const struct data_view *view)
{
    const char *text;
    if (l->tried)
        return;
    for (size_t i = 0; (text = nn_model_notice(m, i)) != NULL; i++)
        warn_left_out(l, model, text);
    for (size_t i = 0; i < nn_model_metric_count(m); i++) {
        text =
            nn_unjudged(m, i, view, &view->validation, "validation", l->arena);
        if (text)
            warn_left_out(l, model, text);
    }
}

static void check_scaling(struct looker *l, const struct value *spec,
                          const struct nn_model *m,
                          const struct data_view *view)
{
    if (l->tried || !l->tell)
        return;
    const char *texts[] = {nn_unscaled(m, view, l->arena), view->notice};
    for (size_t i = 0; i < 2; i++)
        if (texts[i])
            problems_add(l->problems, PROBLEM_NOTICE, l->plan->model,
                         spec->line, spec->column, STR(""), "%s", texts[i]);
}

static void check_metrics(struct looker *l, const struct nn_model *m,
                          const struct data_view *view)
{
    const struct goal *g = &l->plan->goal;
    if (l->tried)
        return;
    l->tried = true;
    const char **names =
        nn_model_reported(m, view->validation.count > 0, l->arena);
    for (size_t i = 0; i < g->objective_count; i++)
        check_name(l, g->objectives[i].name, names);
    for (size_t i = 0; i < g->bound_count; i++)
        check_name(l, g->bounds[i].name, names);
}

/* ---- points ------------------------------------------------------------- */

/* The data of a point, split; false: it cannot be had, which is told. */
static bool view_of(struct looker *l, const struct value *spec,
                    struct data_view *view)
{
    struct data_choice choice = {.seed = l->plan->seed};
    struct err err = {0};
    struct data_set *set = data_of(l, spec);
    if (set && data_view_make(view, set, spec, &choice, l->arena, &err) == 0)
        return true;
    if (set)
        problems_add(l->problems, PROBLEM_ERROR, l->plan->model, spec->line,
                     spec->column, STR(""), "data: %s", err.text);
    return false;
}

/* Masks that do not fit this point's model. */
static void check_masks(struct looker *l, const struct value *model,
                        const struct value *point, const struct nn_model *m)
{
    struct err err = {0};
    struct str name = nn_model_masks(m);
    const char *path = arena_cstr(l->arena, name);
    if (!name.len)
        return;
    if (path[0] != '/')
        path = path_join(l->arena, l->folder, path);
    if (nn_masks_check(m, path, &err) == 0)
        return;
    struct problem fault = {.path = STR("masks"),
                            .text = arena_str(l->arena, str_of(err.text))};
    find(l, model, point, &fault);
}

/* Tokens of the data that an embedding of this point's model does not have. */
static void check_tokens(struct looker *l, const struct value *model,
                         const struct value *point, const struct nn_model *m,
                         const struct data_view *view)
{
    struct err err = {0};
    if (nn_tokens_check(m, view, &err) == 0)
        return;
    struct problem fault = {.path = STR("layers"),
                            .text = arena_str(l->arena, str_of(err.text))};
    find(l, model, point, &fault);
}

/* A grid of four points has no eight to look at. */
static bool was_seen(struct looker *l, const struct value *point)
{
    struct buf b;
    buf_init(&b);
    json_print_sorted(&b, point);
    uint64_t hash = hash64(buf_str(&b), 0);
    buf_done(&b);
    for (size_t i = 0; i < l->seen.len; i++)
        if (l->seen.p[i] == hash)
            return true;
    vec_push(&l->seen, hash);
    return false;
}

static void look_at(struct looker *l, const struct value *point)
{
    struct problems faults = {.arena = l->arena};
    struct data_view view;
    struct err err = {0};
    if (!point || l->problems->errors || was_seen(l, point))
        return;
    l->points++;
    struct value *model = plan_model(l->plan, point, l->arena, &err);
    if (model && l->plan->foreign_model)
        candle_files_missing(model, l->plan->model_root, l->plan->model,
                             l->folder, l->problems);
    if (l->problems->errors)
        return;
    const struct value *spec = model ? value_get(model, STR("data")) : NULL;
    if (!spec) {
        struct problem fault = {
            .path = STR("data"),
            .text = model ? STR("is missing: what to train on")
                          : arena_str(l->arena, str_of(err.text))};
        find(l, l->plan->model_root, point, &fault);
        return;
    }
    if (!view_of(l, spec, &view))
        return;
    struct nn_data_facts facts = nn_data_facts_of(view.table, l->arena);
    facts.no_validation = !view.validation.count;
    struct nn_model *m = nn_model_read(model, &facts, &faults);
    for (size_t i = 0; i < faults.list.len; i++)
        find(l, model, point, &faults.list.p[i]);
    if (m) {
        check_targets(l, spec);
        check_left_out(l, model, m, &view);
        check_scaling(l, spec, m, &view);
        check_metrics(l, m, &view);
        check_masks(l, model, point, m);
        check_tokens(l, model, point, m, &view);
        uint64_t numbers = nn_model_member_numbers(m);
        l->numbers = numbers > l->numbers ? numbers : l->numbers;
    }
    nn_model_free(m);
}

/* The same place between both ends for every parameter. */
static struct value *point_at(const struct looker *l, double u)
{
    const struct space *s = &l->plan->space;
    size_t *order = arena_array(l->arena, s->count + 1, sizeof(*order));
    struct value **values =
        arena_array(l->arena, s->count + 1, sizeof(struct value *));
    memset(values, 0, (s->count + 1) * sizeof(struct value *));
    if (space_order(s, order, NULL))
        return NULL;
    for (size_t i = 0; i < s->count; i++)
        if (space_active(s, order[i], values))
            values[order[i]] = param_at(&s->params[order[i]], u, l->arena);
    return space_point(s, values, l->arena);
}

static void look_at_space(struct looker *l)
{
    struct rng r;
    rng_init(&r, l->plan->seed, 0, "points to check the model with");
    look_at(l, point_at(l, END_U));
    look_at(l, point_at(l, 1 - END_U));
    for (int i = 0; i < INNER && l->plan->space.count; i++)
        look_at(l, space_sample(&l->plan->space, &r, l->arena));
}

/* Where listed points are combined with a grid: with one of its points, that
 * of the first and that of the last at its ends. */
static struct value *combined(const struct looker *l, struct value *listed,
                              uint64_t i, uint64_t of)
{
    if (l->plan->strategy->listing != LIST_COMBINED)
        return listed;
    double part = of < 2 ? 0.5 : (double)i / (double)(of - 1);
    struct value *own = point_at(l, END_U + part * (1 - 2 * END_U));
    struct value *point = value_copy(l->arena, listed);
    if (own)
        value_join(l->arena, point, own);
    return point;
}

static void look_at_list(struct looker *l)
{
    uint64_t count = plan_points_count(l->plan->points);
    uint64_t wanted = count < INNER + 2 ? count : INNER + 2;
    for (uint64_t i = 0; i < wanted; i++) {
        struct value *point = NULL;
        uint64_t at = wanted < 2 ? 0 : i * (count - 1) / (wanted - 1);
        struct str run_id;
        if (plan_points_get(l->plan->points, at, l->arena, &point, &run_id,
                            NULL) == 0)
            look_at(l, combined(l, point, i, wanted));
    }
}

void model_check(struct plan *p, bool notices, struct problems *problems)
{
    struct arena *a = problems->arena;
    struct looker l = {
        .plan = p, .problems = problems, .arena = a, .tell = notices};
    if (!p->model_root || problems->errors)
        return;
    const char *home = path_folder(a, path_absolute(a, arena_cstr(a, p->file)));
    l.folder = path_folder(a, path_join(a, home, arena_cstr(a, p->model)));
    if (p->points)
        look_at_list(&l);
    else
        look_at_space(&l);
    for (size_t i = 0; i < l.findings.len; i++)
        tell(&l, &l.findings.p[i]);
    p->member_numbers = l.numbers;
    data_close(l.set);
    vec_done(&l.findings);
    vec_done(&l.seen);
}
